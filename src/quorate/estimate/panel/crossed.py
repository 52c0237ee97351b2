"""What a crossed panel says: every judge scored every generation of every scenario."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import closure
from quorate.estimate.means.effects import LevelEffect, level_labels
from quorate.estimate.panel.cautions import fullest_level, panel_cautions
from quorate.estimate.panel.components import TERMS, PanelComponents, differences, with_intervals
from quorate.estimate.panel.judge_effect import FTest, JudgeTest, contradictory, judge_effects, judge_tests
from quorate.numerics.inference import checked_level
from quorate.numerics.panel import crossed as panel
from quorate.roles import GENERATION
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked
from quorate.wording import counted, plural

JUDGE_EFFECT = "judge effect"
_FEWEST_RESAMPLES = 100


@dataclass(frozen=True, eq=False, repr=False)
class CrossedScores:
    """Scores of a panel as an array, complete: no cell is empty.

    Parameters
    ----------
    x : array, shape (n, m, K)
        Score of generation j of scenario i by judge l; the mean where a cell was answered more than once.
    scenarios : tuple of str, length n
        Labels of the scenarios.
    judges : tuple of str, length K
        Labels of the judges.
    left_out : int
        Scenarios that are not in ``x`` because fewer than m of their generations were scored by every judge.
    generations_left_out : int
        Generations of the scenarios in ``x`` that are not: not scored by every judge, or more than m.
    generation : str, optional
        Role of the facet that is the generation; none where m is 1 for want of one.
    answers : (int, int)
        Fewest and most answers to a cell of ``x``.
    """

    x: Floats
    scenarios: tuple[str, ...]
    judges: tuple[str, ...]
    left_out: int
    generations_left_out: int
    generation: str | None
    answers: tuple[int, int]

    def __repr__(self) -> str:
        n, m, judges = self.x.shape
        return f"CrossedScores({n} scenarios x {m} generations x {judges} judges; {self.left_out} left out)"


@dataclass(frozen=True, eq=False, repr=False)
class Crossed:
    """Judge effects and variance components of a crossed panel, under two models.

    Parameters
    ----------
    scores : CrossedScores
        The scores used.
    mean : float
        Mean of all scores.
    mean_interval : (float, float)
        Its bootstrap interval: for these judges, scenarios drawn from their population.
    gamma : tuple of LevelEffect
        Every judge's mean less the mean of the panel, with bootstrap standard error and interval.
    separated : PanelComponents
        With scenario:judge interaction: the default.
    paper : PanelComponents
        As published: the interaction pooled into the residual.
    judge_test : JudgeTest
        Whether judges differ at all, against scenario:judge: the default.
    paper_test : FTest
        The same against the pooled residual, as published; right only if there is no interaction.
    interaction_test : FTest, optional
        Whether judges differ by scenario; none with one generation.
    differs : tuple of str
        Where the models answer differently: ``alpha``, ``beta`` or ``gamma`` if the estimate of one is outside the
        interval of the other, ``judge effect`` if the tests disagree at ``1 - level`` and the interaction is
        significant at 1%.
    level : float
        Coverage of the intervals.
    resamples : int
        Of the bootstrap.
    caveats : tuple of Caveat
        What the reader must know.
    """

    scores: CrossedScores
    mean: float
    mean_interval: tuple[float, float]
    gamma: tuple[LevelEffect, ...]
    separated: PanelComponents
    paper: PanelComponents
    judge_test: JudgeTest
    paper_test: FTest
    interaction_test: FTest | None
    differs: tuple[str, ...]
    level: float
    resamples: int
    caveats: tuple[Caveat, ...]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {value:.4g}" for name, value in self.separated.values.items())
        return f"Crossed({parts})"

    @property
    def n(self) -> int:
        """Scenarios."""
        return len(self.scores.scenarios)

    @property
    def m(self) -> int:
        """Generations per scenario."""
        return int(self.scores.x.shape[1])

    @property
    def k(self) -> int:
        """Judges."""
        return len(self.scores.judges)

    @property
    def judges(self) -> tuple[str, ...]:
        """Labels of the judges."""
        return self.scores.judges

    @property
    def left_out(self) -> int:
        """Scenarios that were not scored completely."""
        return self.scores.left_out

    @property
    def disagree(self) -> bool:
        """Whether the two models answer differently, so that both should be reported."""
        return bool(self.differs)

    def to_frame(self, backend: str | None = None) -> Any:
        """Components as a frame: model, component, term, variance, low, high."""
        from quorate.table.frames import frame

        rows = [
            (model, name, TERMS[name], value, *found.intervals[name])
            for model, found in (("separated", self.separated), ("paper", self.paper))
            for name, value in found.values.items()
        ]
        names = ("model", "component", "term", "variance", "low", "high")
        return frame(dict(zip(names, zip(*rows, strict=True), strict=True)), backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores as plain values; components that are not estimated are left out."""
        tests = {name: getattr(self, name) for name in ("judge_test", "paper_test", "interaction_test")}
        return {
            "n": self.n,
            "m": self.m,
            "k": self.k,
            "left_out": self.left_out,
            "generations_left_out": self.scores.generations_left_out,
            "generation": self.scores.generation,
            "mean": self.mean,
            "mean_interval": self.mean_interval,
            "gamma": [asdict(one) for one in self.gamma],
            "separated": self.separated.to_dict(),
            "paper": self.paper.to_dict(),
            **{name: None if test is None else asdict(test) for name, test in tests.items()},
            "differs": self.differs,
            "level": self.level,
            "resamples": self.resamples,
            "caveats": [one.sentence for one in self.caveats],
        }


def crossed_scores(judgments: Judgments, *, generation: str | None = None) -> CrossedScores:
    """The judgments of a panel as an array of scenarios, generations and judges.

    A scenario is a level of the object of measurement, with whatever it is nested in. Only generations that every judge
    scored count, and every scenario has m of them, with m as large as keeps the most scores; of a scenario with more,
    the first m by label are taken.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`; judges in a facet ``judge``.
    generation : str, optional
        Role of the facet that tells the responses to a scenario apart, nested in the scenario or crossed with it.
        Without it, the facet ``generation`` if there is one, otherwise one generation per scenario.

    Raises
    ------
    UnknownTerm
        If there is no facet ``judge`` or ``generation``.
    InvalidInput
        If another facet varies within scenarios (choose one of its levels by ``judgments.only``), or the judge is the
        object of measurement.
    NotEstimable
        If fewer than two judges scored, or fewer than two scenarios are complete.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3], "judge": list("xyxyx"), "score": [1, 2, 2, 4, 3]})
    >>> crossed_scores(q.read(frame, announce=False))
    CrossedScores(2 scenarios x 1 generations x 2 judges; 1 left out)
    """
    judgments = checked(judgments)
    judgments = judgments.keep(judgments.n > 0)
    generation = _generation(judgments, generation)
    _nothing_else_varies(judgments, generation)
    judges = level_labels(judgments, "judge")
    if len(judges) < 2:
        raise NotEstimable(f"judge: a panel has at least 2 judges who answered, got {len(judges)}", {"judge"})
    cell = _cells(judgments, generation, len(judges))
    owner = judgments.level_codes([judgments.object])[cell[:, 0]]
    n = judgments.n_levels(judgments.object)
    m, kept = _balanced(owner, n)
    if m == 0 or len(kept) < 2 * m:
        raise _too_few(judgments, judges, n, len(kept) // max(m, 1))
    cell, taken = cell[kept], owner[kept][::m]
    labels = level_labels(judgments, judgments.object)
    return CrossedScores(
        x=judgments.mean[cell].reshape(len(taken), m, len(judges)),
        scenarios=tuple(labels[i] for i in taken),
        judges=judges,
        left_out=n - len(taken),
        generations_left_out=_generations(judgments, generation, taken) - len(cell),
        generation=generation,
        answers=(int(judgments.n[cell].min()), int(judgments.n[cell].max())),
    )


def _generation(judgments: Judgments, generation: str | None) -> str | None:
    judgments.facet("judge")
    if judgments.object == "judge":
        raise InvalidInput(
            'object: a panel measures something other than its judges, got "judge"; read with object="item"'
        )
    if generation is None:
        return GENERATION if GENERATION in judgments.names else None
    judgments.facet(generation)
    if generation in closure(judgments, [judgments.object, "judge"]):
        raise InvalidInput(f'generation: expects a facet other than the scenario and the judge, got "{generation}"')
    return generation


def _nothing_else_varies(judgments: Judgments, generation: str | None) -> None:
    """Every other facet is a property of the scenario or of the judge, or has one level."""
    unit = closure(judgments, [judgments.object, "judge"]) | {generation}
    for facet in judgments.facets:
        if facet.name not in unit and not any(
            _determines(judgments, by, facet.name) for by in (judgments.object, "judge")
        ):
            hint = "" if generation else ", or name the responses by " + argument("generation", facet.name)
            raise InvalidInput(
                f"{facet.name}: a crossed panel has one level of it, got {len(facet.levels)}; "
                f'choose one by judgments.only("{facet.name}", "{fullest_level(judgments, facet.name)}")' + hint
            )


def _determines(judgments: Judgments, by: str, name: str) -> bool:
    return int(judgments.level_codes([by, name]).max()) == int(judgments.level_codes([by]).max())


def _response(judgments: Judgments, generation: str | None) -> Ints:
    """Generation of every cell; generations of one scenario follow each other in the order of their labels."""
    return judgments.level_codes([judgments.object] + ([generation] if generation else []))


def _generations(judgments: Judgments, generation: str | None, scenarios: Ints) -> int:
    inside = np.isin(judgments.level_codes([judgments.object]), scenarios)
    return len(np.unique(_response(judgments, generation)[inside]))


def _cells(judgments: Judgments, generation: str | None, judges: int) -> Ints:
    """Cell of every generation that all judges scored, by judge; shape (generations, judges)."""
    response = _response(judgments, generation)
    cell = np.full((int(response.max()) + 1, judges), -1)
    cell[response, judgments.level_codes(["judge"])] = np.arange(judgments.n_cells)
    out: Ints = cell[(cell >= 0).all(axis=1)]
    return out


def _balanced(owner: Ints, n: int) -> tuple[int, Ints]:
    """Generations per scenario that keep the most scores, and which generations those are."""
    if not len(owner):
        return 0, owner
    count = np.bincount(owner, minlength=n)
    sizes = np.arange(1, count.max() + 1)
    scenarios = np.array([np.sum(count >= size) for size in sizes])
    m = int(sizes[len(sizes) - 1 - np.argmax((sizes * scenarios * (scenarios > 1))[::-1])])
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return m, np.flatnonzero((count[owner] >= m) & (rank < m))


def _too_few(judgments: Judgments, judges: tuple[str, ...], n: int, complete: int) -> NotEstimable:
    answered = np.bincount(judgments.level_codes(["judge"]))
    least = judges[int(answered.argmin())]
    return NotEstimable(
        f"{plural(judgments.object)}: a crossed panel needs at least 2 that all {len(judges)} judges scored, "
        f"got {complete} of {counted(n, judgments.object)}; judge {least} scored least: "
        f'leave it out by judgments.without("judge", "{least}")',
        {judgments.object, "judge"},
    )


def crossed(
    judgments: Judgments,
    *,
    generation: str | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    rng: int | np.random.Generator | None = None,
) -> Crossed:
    """Which judges are lenient or strict, whether they differ at all, and how much each source adds to a score.

    Two models are fitted to the scores that every judge gave to every generation. ``paper`` is the published one: all
    interactions are in the residual. ``separated`` takes the scenario:judge interaction out of it, without which the
    generation variance comes out too small and the test of the judge effect too sure. The judges stand for themselves.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`; judges in a facet ``judge``, one level of everything but scenarios and generations.
    generation : str, optional
        Role of the facet that tells the responses to a scenario apart; ``generation`` if there is one.
    level : float
        Coverage of the intervals, in (0, 1).
    resamples : int
        Of the bootstrap over scenarios, at least 100.
    rng : int or numpy.random.Generator, optional
        Seed or generator; the same resamples every time if left out.

    Raises
    ------
    InvalidInput
        If an option breaks a rule, or another facet varies within scenarios.
    NotEstimable
        If fewer than two judges, or two scenarios that all of them scored, are left.

    Notes
    -----
    Estimators, tests and what the intervals cover are in ``docs/methods/panels.md``. R:
    ``aov(score ~ judge + Error(item / (generation + judge)))``, and ``anova(mlm, X = ~1, test = "Spherical")``.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, arXiv:2603.01865, section 4.2 and Appendix B. Greenhouse and Geisser (1959),
    Psychometrika 24, 95-112.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": list("aaabbbccc"), "judge": list("xyz") * 3, "score": [4, 6, 5, 2, 3, 3, 5, 8, 6]}
    >>> found = crossed(q.read(polars.DataFrame(rows), announce=False))
    >>> [(one.level, round(one.effect, 2)) for one in found.gamma]
    [('x', -1.0), ('y', 1.0), ('z', 0.0)]
    >>> round(found.judge_test.p, 3)
    0.033
    """
    checked_level(level)
    if resamples < _FEWEST_RESAMPLES:
        raise InvalidInput(f"resamples: must be at least {_FEWEST_RESAMPLES}, got {resamples}")
    scores = crossed_scores(judgments, generation=generation)
    sums = panel.sums(scores.x)
    table = panel.mean_squares(sums)
    drawn = panel.resampled(sums, resamples, stream(0, "crossed") if rng is None else np.random.default_rng(rng))
    separated = with_intervals(panel.separated(table), panel.separated(drawn), level)
    paper = with_intervals(panel.paper(table), panel.paper(drawn), level)
    judge, pooled, interaction = judge_tests(sums, table)
    opposed = contradictory(judge, pooled, interaction, 1 - level)
    low, high = np.quantile(drawn.mean, [(1 - level) / 2, (1 + level) / 2])
    return Crossed(
        scores=scores,
        mean=sums.mean,
        mean_interval=(float(low), float(high)),
        gamma=judge_effects(scores.judges, sums, drawn, level),
        separated=separated,
        paper=paper,
        judge_test=judge,
        paper_test=pooled,
        interaction_test=interaction,
        differs=differences(separated, paper) + ((JUDGE_EFFECT,) if opposed else ()),
        level=level,
        resamples=resamples,
        caveats=tuple(panel_cautions(scores, separated, paper)),
    )
