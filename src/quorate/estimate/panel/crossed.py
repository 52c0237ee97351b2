"""Crossed panel: judge effects and variance components where every judge scored every generation of every scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints, first_of_each
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import closure
from quorate.estimate.means.effects import LevelEffect, level_labels
from quorate.frozen import dataclass
from quorate.numerics.distributions import f_tail
from quorate.numerics.inference import checked_level, equal_tails
from quorate.numerics.panel import crossed as panel
from quorate.roles import GENERATION, JUDGE
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Result, Row
from quorate.wording import brief, counted, listed, plural


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
    _refuse_other_facets(judgments, generation)
    item, judges = judgments.object, level_labels(judgments, JUDGE)
    if len(judges) < 2:
        raise NotEstimable(f"judge: a panel has at least 2 judges who answered, got {len(judges)}", {JUDGE})
    # Generations of one scenario follow each other in the order of their labels.
    response = judgments.level_codes([item] + ([generation] if generation else []))
    cell = np.full((int(response.max()) + 1, len(judges)), -1)
    cell[response, judgments.level_codes([JUDGE])] = np.arange(judgments.n_cells)
    cell = cell[(cell >= 0).all(axis=1)]
    owner = judgments.level_codes([item])[cell[:, 0]]
    n = judgments.n_levels(item)
    m, kept = _most_scores(owner, n)
    if m == 0 or len(kept) < 2 * m:
        least = judges[int(np.bincount(judgments.level_codes([JUDGE])).argmin())]
        raise NotEstimable(
            f"{plural(item)}: a crossed panel needs at least 2 that all {len(judges)} judges scored, "
            f"got {len(kept) // max(m, 1)} of {counted(n, item)}; judge {least} scored least: "
            f'leave it out by judgments.without("judge", "{least}")',
            {item, JUDGE},
        )
    cell, taken = cell[kept], owner[kept][::m]
    labels = level_labels(judgments, item)
    generations = len(np.unique(response[np.isin(judgments.level_codes([item]), taken)]))
    return CrossedScores(
        x=judgments.mean[cell].reshape(len(taken), m, len(judges)),
        scenarios=tuple(labels[i] for i in taken),
        judges=judges,
        left_out=n - len(taken),
        generations_left_out=generations - len(cell),
        generation=generation,
        answers=(int(judgments.n[cell].min()), int(judgments.n[cell].max())),
    )


def _generation(judgments: Judgments, generation: str | None) -> str | None:
    judgments.facet(JUDGE)
    if judgments.object == JUDGE:
        raise InvalidInput(
            'object: a panel measures something other than its judges, got "judge"; read with object="item"'
        )
    if generation is None:
        return GENERATION if GENERATION in judgments.names else None
    judgments.facet(generation)
    if generation in closure(judgments, [judgments.object, JUDGE]):
        raise InvalidInput(f'generation: expects a facet other than the scenario and the judge, got "{generation}"')
    return generation


def _refuse_other_facets(judgments: Judgments, generation: str | None) -> None:
    """Every other facet must be a property of the scenario or of the judge, or have one level."""
    unit = closure(judgments, [judgments.object, JUDGE]) | {generation}
    span = {by: int(judgments.level_codes([by]).max()) for by in (judgments.object, JUDGE)}
    others = [
        facet
        for facet in judgments.facets
        if facet.name not in unit
        and all(int(judgments.level_codes([by, facet.name]).max()) != top for by, top in span.items())
    ]
    if others:
        hint = "" if generation else ", or name the responses by " + argument("generation", others[0].name)
        raise InvalidInput(
            f"{', '.join(facet.name for facet in others)}: a crossed panel has one level of each, got "
            f"{listed([str(len(facet.levels)) for facet in others])}; choose one, as by "
            + argument("only", {facet.name: _fullest_level(judgments, facet.name) for facet in others})
            + hint
        )


def _fullest_level(judgments: Judgments, name: str) -> str:
    """The level that most judges scored, and of these the one with most cells: a slice worth looking at."""
    size = len(judgments.facet(name).levels)
    one_each = first_of_each(judgments.level_codes([name, JUDGE]))
    judges = np.bincount(judgments.column(name)[one_each], minlength=size)
    cells = np.bincount(judgments.column(name), minlength=size)
    return judgments.facet(name).levels[int(np.lexsort((-np.arange(size), cells, judges))[-1])]


def _most_scores(owner: Ints, n: int) -> tuple[int, Ints]:
    """Generations per scenario that keep the most scores, and which generations those are."""
    if not len(owner):
        return 0, owner
    count = np.bincount(owner, minlength=n)
    sizes = np.arange(1, count.max() + 1)
    scenarios = np.array([np.sum(count >= size) for size in sizes])
    m = int(sizes[len(sizes) - 1 - np.argmax((sizes * scenarios * (scenarios > 1))[::-1])])
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return m, np.flatnonzero((count[owner] >= m) & (rank < m))


# Components of a crossed panel under one model, and where two models differ.


TERMS = {"alpha": "scenario", "beta": "generation", "gamma": "judge", "eps": "residual"}
TERMS |= {"interaction": "scenario:judge"}
"""What each component is the variance of."""


@dataclass(frozen=True)
class PanelComponents:
    """Variance components of a crossed panel under one model, per observation, in squared score units.

    Unbiased, so an estimate can be negative; nothing is cut at zero. nan where a component is part of another (see
    ``Crossed.caveats``), and for the interaction of a model that has none.

    Parameters
    ----------
    alpha, beta, gamma, eps, interaction : float
        Scenario, generation, judge (mean square of the effects of these judges, divisor K), residual, scenario:judge.
    intervals : mapping of str to (float, float)
        Bootstrap interval of every component that is estimated.
    """

    alpha: float
    beta: float
    gamma: float
    eps: float
    interaction: float
    intervals: Mapping[str, tuple[float, float]]

    @property
    def values(self) -> Mapping[str, float]:
        """Components that are estimated, by name."""
        return {name: getattr(self, name) for name in self.intervals}

    @property
    def negative(self) -> tuple[str, ...]:
        """Components whose estimate is below zero."""
        return tuple(name for name, value in self.values.items() if value < 0)

    def to_dict(self) -> dict[str, Any]:
        """Every component that is estimated under its name, and ``intervals`` of them."""
        return {**self.values, "intervals": {name: list(ends) for name, ends in self.intervals.items()}}


def with_intervals(estimate: Floats, drawn: Floats, level: float) -> PanelComponents:
    """Estimates in the order of `numerics.crossed.NAMES`, with percentile intervals of their resamples.

    Parameters
    ----------
    estimate : array, shape (5,)
        Components, nan where not estimated.
    drawn : array, shape (resamples, 5)
        The same of every resample.
    level : float
        Coverage of the intervals.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    values = dict(zip(panel.NAMES, estimate.tolist(), strict=True))
    bounds = zip(panel.NAMES, low.tolist(), high.tolist(), strict=True)
    return PanelComponents(**values, intervals={name: (a, b) for name, a, b in bounds if not np.isnan(values[name])})


def differences(one: PanelComponents, other: PanelComponents) -> tuple[str, ...]:
    """Scenario, generation and judge components for which the estimate of one model is outside the other's interval.

    Residuals are not compared: with an interaction and without it they are different things.
    """
    shared = [name for name in ("alpha", "beta", "gamma") if name in one.intervals]
    apart = []
    for name in shared:
        sides = ((one, other.intervals[name]), (other, one.intervals[name]))
        if any(not low <= side.values[name] <= high for side, (low, high) in sides):
            apart.append(name)
    return tuple(apart)


# Judge effects of a crossed panel, and tests of whether judges differ at all and whether they do by scenario.


_INTERACTION_SIZE = 0.01


@dataclass(frozen=True)
class FTest:
    """An F test.

    Parameters
    ----------
    f : float
        Ratio of mean squares; nan where both are zero.
    df, df_error : float
        Degrees of freedom.
    p : float
        Probability of a larger F if there is no effect.
    """

    f: float
    df: int
    df_error: int
    p: float


@dataclass(frozen=True)
class JudgeTest(FTest):
    """The test of the judge effect against scenario:judge, with its correction for judges of unequal noise.

    Parameters
    ----------
    epsilon : float
        Greenhouse and Geisser's; 1 if the judges' scenario means vary alike.
    p_adjusted : float
        ``p`` with both degrees of freedom times ``epsilon``.
    """

    epsilon: float
    p_adjusted: float


def judge_effects(
    judges: Sequence[str], sums: panel.Sums, drawn: panel.MeanSquares, level: float
) -> tuple[LevelEffect, ...]:
    """Every judge against the panel, with standard error and percentile interval from resampled scenarios."""
    n, m = sums.n, sums.m
    se = drawn.gamma.std(axis=0) * np.sqrt(n / (n - 1))
    bounds = np.quantile(drawn.gamma, [(1 - level) / 2, (1 + level) / 2], axis=0)
    rows = zip(judges, *np.array([sums.gamma, se, *bounds, sums.mean + sums.gamma]).tolist(), strict=True)
    return tuple(
        LevelEffect("judge", label, effect, error, low, high, mean, n * m, n - 1.0)
        for label, effect, error, low, high, mean in rows
    )


def judge_tests(sums: panel.Sums, table: panel.MeanSquares) -> tuple[JudgeTest, FTest, FTest | None]:
    """Tests of the judge effect against scenario:judge and against the pooled residual, and of scenario:judge itself.

    The last is None with one generation, which leaves nothing to compare it with.
    """
    n, m, k = table.n, table.m, table.k
    default = _f_test(table.judge, table.interaction, k - 1, (n - 1) * (k - 1))
    pooled = _f_test(table.judge, table.pooled, k - 1, (n * m - 1) * (k - 1))
    epsilon = panel.greenhouse_geisser(sums)
    adjusted = f_tail(epsilon * default.df, epsilon * default.df_error, default.f)
    judge = JudgeTest(**asdict(default), epsilon=epsilon, p_adjusted=adjusted)
    if m == 1:
        return judge, pooled, None
    return judge, pooled, _f_test(table.interaction, table.within, (n - 1) * (k - 1), n * (m - 1) * (k - 1))


def _f_test(effect: Floats, error: Floats, df: int, df_error: int) -> FTest:
    f = panel.f_ratio(float(effect), float(error))
    return FTest(f, df, df_error, f_tail(df, df_error, f))


def contradictory(judge: JudgeTest, pooled: FTest, interaction: FTest | None, size: float) -> bool:
    """Whether tests of the judge effect answer differently because there is an interaction, at 1% of its own test."""
    present = interaction is not None and interaction.p < _INTERACTION_SIZE
    return present and (judge.p_adjusted < size) != (pooled.p < size)


JUDGE_EFFECT = "judge effect"
_FEWEST_RESAMPLES = 100
_FEW_SCENARIOS = 30


@dataclass(frozen=True, eq=False, repr=False)
class Crossed(Result):
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

    entries = (
        "n m k left_out generations_left_out=scores.generations_left_out generation=scores.generation mean "
        "mean_interval gamma separated paper judge_test paper_test interaction_test differs level resamples "
        "caveats"
    )

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {value:.4g}" for name, value in self.separated.values.items())
        return brief("Crossed", parts)

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

    def rows(self) -> list[Row]:
        """One row a component of either model: model, component, term, variance, low, high."""
        return [
            {"model": model, "component": name, "term": TERMS[name], "variance": value, "low": low, "high": high}
            for model, fitted in (("separated", self.separated), ("paper", self.paper))
            for name, value in fitted.values.items()
            for low, high in [fitted.intervals[name]]
        ]


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
    >>> panel = crossed(q.read(polars.DataFrame(rows), announce=False))
    >>> [(row.level, round(row.effect, 2)) for row in panel.gamma]
    [('x', -1.0), ('y', 1.0), ('z', 0.0)]
    >>> round(panel.judge_test.p, 3)
    0.033
    """
    checked_level(level)
    rules.whole("resamples", resamples, _FEWEST_RESAMPLES)
    scores = crossed_scores(judgments, generation=generation)
    sums = panel.sums(scores.x)
    table = panel.mean_squares(sums)
    drawn = panel.resampled(sums, resamples, stream(0, "crossed") if rng is None else np.random.default_rng(rng))
    separated = with_intervals(panel.separated(table), panel.separated(drawn), level)
    paper = with_intervals(panel.paper(table), panel.paper(drawn), level)
    judge, pooled, interaction = judge_tests(sums, table)
    opposed = contradictory(judge, pooled, interaction, 1 - level)
    return Crossed(
        scores=scores,
        mean=sums.mean,
        mean_interval=equal_tails(drawn.mean, level),
        gamma=judge_effects(scores.judges, sums, drawn, level),
        separated=separated,
        paper=paper,
        judge_test=judge,
        paper_test=pooled,
        interaction_test=interaction,
        differs=differences(separated, paper) + ((JUDGE_EFFECT,) if opposed else ()),
        level=level,
        resamples=resamples,
        caveats=tuple(panel_caveats(scores, separated, paper)),
    )


def panel_caveats(scores: CrossedScores, separated: PanelComponents, paper: PanelComponents) -> Iterator[Caveat]:
    """Caveats of a crossed panel: what is left out, not told apart, averaged, few, or negative."""
    n, m, _ = scores.x.shape
    if scores.left_out or scores.generations_left_out:
        yield caveats.incomplete_scenarios(scores.left_out, scores.generations_left_out)
    if m == 1:
        yield caveats.one_response()
    if scores.answers[1] > 1:
        yield caveats.averaged_answers(*scores.answers)
    if n < _FEW_SCENARIOS:
        yield caveats.few_items(n)
    below = [f"{name} ({TERMS[name]})" for name in separated.negative]
    below += [f"{name} as published ({TERMS[name]})" for name in paper.negative]
    if below:
        yield caveats.left_negative(below)
