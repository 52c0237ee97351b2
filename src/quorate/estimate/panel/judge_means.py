"""Judge means: the mean score by every judge of every system, and contrasts of these with standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from quorate import caveats, rules
from quorate.arrays import Floats, Ints, occurring
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.differences.spread import (
    Contrasts,
    FittedSpread,
    JointTest,
    LeftOutSpread,
    Spread,
    left_out,
    over_items,
    patterns,
)
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Result
from quorate.wording import counted, listed, plural

Method = Literal["items", "reml"]
_COMBINATION = "combination"
_GENERATION = "generation"
_MOST_COMBINATIONS = 200
_ENOUGH = 30


@dataclass(frozen=True, eq=False, repr=False)
class JudgeMeans:
    """Mean score by every judge of every system, with what any contrast of them needs.

    Parameters
    ----------
    judge, system : str
        Roles of the two facets; ``system`` is None where there is one system only.
    judges, systems : tuple of str
        Labels.
    mean : array, shape (judges, systems)
        Mean scores: every item weighs the same where all is complete, else generalised least squares.
    n : array of int64, shape (judges, systems)
        Answers used.
    n_items : int
        Items used.
    method : {"items", "reml"}
        What the standard errors come from.
    reason : str
        Why a model was fitted; empty where plain means do.
    backend : str, optional
        Frame library of the caller.
    spread : Spread
        What the standard errors come from.
    caveats : tuple of Caveat
        What to know before relying on these; mostly none.
    less_is_better : bool
        Whether less of the score is better.
    """

    judge: str
    system: str | None
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    mean: Floats
    n: Ints
    n_items: int
    method: Method
    reason: str
    backend: str | None
    spread: Spread
    caveats: tuple[Caveat, ...] = ()
    less_is_better: bool = False

    @property
    def sign(self) -> int:
        """What a mean counts times, so that more is better: -1 where less of it is."""
        return -1 if self.less_is_better else 1

    def __repr__(self) -> str:
        parts = f"{counted(len(self.judges), self.judge)}, {counted(len(self.systems), self.system or 'system')}"
        return f"JudgeMeans({parts}, {counted(self.n_items, 'item')}, by {self.method})"

    def contrast(self, weights: Floats) -> Contrasts:
        """Estimate, standard error and degrees of freedom of contrasts of the means.

        Parameters
        ----------
        weights : array, shape (contrasts, judges, systems)
            Weight of every mean in each contrast.
        """
        flat = weights.reshape(len(weights), self.mean.size)
        return Contrasts(flat @ self.mean.ravel(), *self.spread.contrast(flat))

    def joint(self, weights: Floats) -> JointTest | None:
        """Test that independent contrasts, shape (contrasts, judges, systems), are all zero.

        By items Hotelling's test; by REML an F test with the denominator of Fai and Cornelius. None where there are no
        more items than contrasts, or where some contrast of them is the same for every item.
        """
        flat = weights.reshape(len(weights), self.mean.size)
        return self.spread.joint(flat @ self.mean.ravel(), flat)


class MeansResult(Result):
    """Base of results that are contrasts of judge means."""

    means: JudgeMeans

    def _backend(self) -> str | None:
        return self.means.backend


def judge_means(
    judgments: Judgments,
    *,
    judge: str = "judge",
    system: str | None = None,
    generation: str | None = None,
    method: Method | None = None,
) -> JudgeMeans:
    """What every judge gives every system on average, and how sure any difference between these means is.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    judge : str
        Role of the judges; another facet, such as ``prompt``, can stand in for them.
    system : str, optional
        Role of what is ranked. Default: ``system`` if there are several, else all is one system.
    generation : str, optional
        Role of the responses of a system to an item. Default: ``generation``, and whatever is nested in the item.
    method : {"items", "reml"}, optional
        Default: ``items`` unless something else, such as prompts, is drawn at random.

    Returns
    -------
    JudgeMeans

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If an argument breaks a rule, or there are more than 200 combinations of judge and system to fit a model to.
    NotEstimable
        If there is one judge, a judge has not scored a system, or fewer than 2 items remain.

    Notes
    -----
    *By items*: every item gives one value of a contrast (generations and replicates averaged first), and the spread of
    these values is its standard error: the paired t. It holds whatever the noise of each judge and its interaction with
    items, which one residual variance for all judges does not; that is why it comes first. The variances of groups of
    items that have no judge of a system in common, such as items of one system each, add, with Welch's degrees of
    freedom. Otherwise, with answers missing or systems sharing some of their items, plain means would compare different
    items: means are those of the model below, and the value of an item is how far leaving it out moves them. This
    sandwich, corrected for leverage, with Satterthwaite's degrees of freedom, is the same as above for complete data.

    *By REML*: one fixed effect for every combination of judge and system; random are all other random facets, each
    also by judge, by system and by their combination. Standard errors have Kenward and Roger's adjustment, degrees of
    freedom are Satterthwaite's. Judges are taken to be equally noisy.
    R: ``lmer(score ~ judge:system + (1|item) + (1|item:judge) + (1|item:system) + ...)``.

    References
    ----------
    Welch (1947), Biometrika 34, 28-35; Liang and Zeger (1986), Biometrika 73, 13-22, and Bell and McCaffrey (2002),
    Survey Methodology 28, 169-181, for the sandwich; Kenward and Roger (1997), Biometrics 53, 983-997.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> means = judge_means(q.read(frame))
    >>> means.mean.ravel()
    array([2.        , 3.33333333])
    >>> value, se, df = means.contrast(np.array([[[-1.0], [1.0]]]))
    >>> round(value[0], 3), round(se[0], 3), df[0]
    (np.float64(1.333), np.float64(0.333), np.float64(2.0))
    """
    rules.one_of("method", method, (None, "items", "reml"))
    panel = _panel(checked(judgments), judge, system, generation)
    random = _others(panel, fixed=False)
    if method == "items" and random:
        raise InvalidInput(
            f"method: by items, nothing else may be drawn at random, but {listed(random)} is; use 'reml', or read the "
            f"data with fixed={(judge, *random)!r}"
        )
    if method == "reml" or random:
        reason = f"{listed(map(plural, random))} are drawn at random too" if random else "asked for"
        fit = _fit(panel, reason)
        levels = fit.assembled.fixed.levels[_COMBINATION]
        return panel.wrap(levels @ fit.beta, "reml", reason, FittedSpread(fit, levels))
    return _by_items(panel) if _compares_like_with_like(panel) else _by_influence(panel)


def means_of(source: Judgments | JudgeMeans, level: float, options: Mapping[str, Any]) -> JudgeMeans:
    """The means of judgments, or the means themselves; a level of confidence is checked on the way.

    Raises
    ------
    InvalidInput
        If the level is none, or there are options for means that are already made.
    """
    checked_level(level)
    if not isinstance(source, JudgeMeans):
        return judge_means(source, **options)
    if options:
        raise InvalidInput(f"{next(iter(options))}: these means are made already; give it to judge_means")
    return source


@dataclass(frozen=True, eq=False)
class _Panel:
    """Answered cells, and how they fall into judges and systems; ``inside`` are the facets nested in the item."""

    judgments: Judgments
    judge: str
    system: str | None
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    code: Ints
    inside: tuple[str, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        return (self.judge,) if self.system is None else (self.judge, self.system)

    def wrap(self, mean: Floats, method: Method, reason: str, spread: Spread) -> JudgeMeans:
        shape, judgments = (len(self.judges), len(self.systems)), self.judgments
        n = np.rint(np.bincount(self.code, judgments.n)).astype(np.int64).reshape(shape)
        items, backend = judgments.n_levels(judgments.object), judgments.source.backend
        labels = (self.judge, self.system, self.judges, self.systems)
        few = isinstance(spread, LeftOutSpread) and items < _ENOUGH
        cautions = (caveats.few_items_with_gaps(plural(judgments.object), items),) if few else ()
        found, less = mean.reshape(shape), judgments.less_is_better
        return JudgeMeans(*labels, found, n, items, method, reason, backend, spread, cautions, less)


def _panel(judgments: Judgments, judge: str, system: str | None, generation: str | None) -> _Panel:
    if system is None and "system" in judgments.names and judge != "system":
        system = "system"
    if system is not None and judgments.n_levels(system) < 2:
        system = None
    for role, name in (("judge", judge), ("system", system)):
        if name == judgments.object:
            raise InvalidInput(f'{role}: "{name}" is the object of measurement; name another facet')
    if judge == system:
        raise InvalidInput(f'system: "{system}" is the judge; name another facet')
    answered = judgments.keep(judgments.n > 0)
    nested = _GENERATION if generation is None and _GENERATION in judgments.names else generation
    if nested is not None and answered.facet(nested).parent is None:  # also where it was read as crossed with the item
        facets = [replace(f, parent=answered.object) if f.name == nested else f for f in answered.facets]
        answered = replace(answered, facets=tuple(facets))
    judges = level_labels(answered, judge)
    systems = ("all",) if system is None else level_labels(answered, system)
    if len(judges) < 2:
        raise NotEstimable(f"{counted(len(judges), judge)}: at least 2 are needed to compare them", {judge})
    code = answered.level_codes([judge]).astype(np.int64)
    if system is not None:
        code = code * len(systems) + answered.level_codes([system])
    inside = tuple(name for name in answered.names if answered.object in answered.ancestors(name))
    panel = _Panel(answered, judge, system, judges, systems, code, inside)
    _refuse_gaps(panel)
    return panel


def _refuse_gaps(panel: _Panel) -> None:
    size = len(panel.judges) * len(panel.systems)
    empty = np.flatnonzero(np.bincount(panel.code, minlength=size) == 0)
    if len(empty):
        others = len(empty) - 1
        do = f"does {others} other combination" if others == 1 else f"do {others:,} other combinations"
        more = f", nor {do} occur" if others else ""
        raise NotEstimable(
            f"{_scored(panel, int(empty[0]), 'nothing')}{more}: every {panel.judge} must have scored every "
            f"{panel.system or 'system'}; leave some out with judgments.without(role, label)"
        )


def _scored(panel: _Panel, combination: int, what: str) -> str:
    judge, system = divmod(combination, len(panel.systems))
    where = "" if panel.system is None else f" of {panel.system} {panel.systems[system]}"
    return f"{panel.judge} {panel.judges[judge]} has scored {what}{where}"


def _others(panel: _Panel, *, fixed: bool) -> list[str]:
    """Facets with several levels that are neither the item, nor group it, nor are in it, nor the panel's own."""
    judgments = panel.judgments
    known = {judgments.object, *judgments.ancestors(judgments.object), *panel.inside, *panel.roles}
    rest = [name for name in judgments.names if name not in known and judgments.n_levels(name) > 1]
    return [name for name in rest if judgments.facet(name).fixed is fixed]


def _compares_like_with_like(panel: _Panel) -> bool:
    """Whether plain means compare like with like: any two items have the same combinations, or none in common."""
    judgments = panel.judgments
    group, combinations = patterns(judgments.level_codes([judgments.object]), panel.code)
    apart = sum(map(len, combinations)) == len(panel.judges) * len(panel.systems)
    return apart and bool(np.bincount(group).min() > 1) and _filled(panel)


def _filled(panel: _Panel) -> bool:
    """Whether those who judge a system's answers to an item judged all of them, at all other fixed levels they have."""
    judgments, system = panel.judgments, panel.roles[1:]
    answers, answer = (judgments.level_codes([judgments.object, *inner, *system]) for inner in ((), panel.inside))
    judge = judgments.level_codes([panel.judge])
    column = judgments.level_codes([panel.judge, *_others(panel, fixed=True)])
    columns = np.bincount(_pairs(judge, column)[0])
    at, who = _pairs(answers, judge)
    return bool(np.all(np.bincount(_pairs(answer, column)[0])[answer] == np.bincount(at, columns[who])[answers]))


def _pairs(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Pairs of codes that occur."""
    return np.divmod(occurring(a * (int(b.max()) + 1) + b), int(b.max()) + 1)


def _by_items(panel: _Panel) -> JudgeMeans:
    item = panel.judgments.level_codes([panel.judgments.object])
    mean, spread = over_items(panel.judgments.mean, item, panel.code)
    return panel.wrap(mean, "items", "", spread)


def _by_influence(panel: _Panel) -> JudgeMeans:
    """Means by generalised least squares; how far leaving out each item moves them says how far they may be off."""
    judgments, reason = panel.judgments, "some answers are missing"
    answers = judgments.level_codes([judgments.object, *panel.roles[1:]])
    judges = np.bincount(_pairs(answers, judgments.level_codes([panel.judge]))[0])
    if _filled(panel) and judges.min() == len(panel.judges):
        reason = f"{plural(panel.system or 'system')} share some of their {plural(judgments.object)} only"
    item = panel.judgments.level_codes([panel.judgments.object])
    size = len(panel.judges) * len(panel.systems)
    items = np.bincount(occurring(item * size + panel.code) % size)
    if items.min() < 2:
        name = judgments.object
        if judgments.n_levels(name) == 1:
            raise NotEstimable(f"1 {name}: at least 2 are needed for a standard error; add some", {name})
        few = _scored(panel, int(np.argmin(items)), f"one {name} only")
        raise NotEstimable(f"{few}, which has no spread; leave it out with judgments.without(role, label)")
    fit = _fit(panel, reason)
    levels = fit.assembled.fixed.levels[_COMBINATION]
    spread = left_out(fit, np.sqrt(1 - 1 / items)[:, None] * levels, panel.judgments.mean, item)
    return panel.wrap(levels @ fit.beta, "items", reason, spread)


def _fit(panel: _Panel, reason: str) -> Decomposition:
    size = len(panel.judges) * len(panel.systems)
    if size > _MOST_COMBINATIONS:
        raise InvalidInput(
            f"{counted(len(panel.judges), panel.judge)} by {counted(len(panel.systems), panel.system or 'system')} are "
            f"{size} combinations; a model, needed because {reason}, takes at most {_MOST_COMBINATIONS}; keep fewer"
        )
    # The same cells with one fixed facet for judge and system together, the two themselves for random terms only.
    judgments = panel.judgments
    facets = [replace(f, fixed=False) if f.name in panel.roles else f for f in judgments.facets]
    labels = tuple(f"{judge} {system}" for judge in panel.judges for system in panel.systems)
    facets.append(Facet(_COMBINATION, _COMBINATION, labels, fixed=True))
    codes = np.column_stack([judgments.codes, panel.code]).astype(np.int32)
    return decompose(replace(judgments, facets=tuple(facets), codes=codes), random=random_terms(panel))


def random_terms(panel: _Panel) -> list[str]:
    """Every random facet, by itself and with the judge, the system, both, and the others; what groups items alone."""
    judgments = panel.judgments
    grouping = [name for name in judgments.ancestors(judgments.object) if name not in panel.roles]
    grouping = [name for name in grouping if not judgments.facet(name).fixed]
    random = [judgments.object, *panel.inside, *_others(panel, fixed=False)]
    both = panel.roles if len(panel.roles) > 1 else ()
    crossed = [f"{name}:{other}" for name in random for other in (*both, _COMBINATION, *_others(panel, fixed=True))]
    related = {(name, up) for name in random for up in judgments.ancestors(name)}
    pairs = [f"{a}:{b}" for i, a in enumerate(random) for b in random[:i] if not {(a, b), (b, a)} & related]
    return [*grouping, *random, *crossed, *pairs, "cell"]
