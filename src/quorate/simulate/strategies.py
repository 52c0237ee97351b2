"""Validation of strategies for spending judge calls: redrawn studies of a crossed pilot against their formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from numbers import Integral

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.panel.crossed import CrossedScores, crossed_scores
from quorate.frozen import dataclass
from quorate.numerics.distributions import f_tail
from quorate.numerics.panel.crossed import MeanSquares, f_ratio, mean_squares, paper, separated, sums
from quorate.planning.panel.strategies import ALL, CYCLIC, RANDOM, all_judges, cyclic, random_judge
from quorate.roles import GENERATION
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, picked
from quorate.waiting import each
from quorate.wording import counted

LIMIT = 4.0
"""Monte Carlo standard errors that an empirical variance may be off: once in 16,000 for one, by chance alone."""
_DOUBT = 0.05
_ALIKE = 1.1
"""Ratio of the variances of two strategies that are as good as equal."""


@dataclass(frozen=True)
class Check(Result):
    """One strategy at one budget: the variance seen among redrawn studies, and the exact one.

    Parameters
    ----------
    strategy : str
        "all judges", "random judge" or "cyclic".
    budget : int
        Judge calls per scenario.
    empirical : float
        Variance of the mean over the redrawn studies (divisor: studies - 1).
    error : float
        Its Monte Carlo standard error, exact for this pilot.
    predicted : float
        Variance of the mean that the pilot's pools imply, exact.
    """

    strategy: str
    budget: int
    empirical: float
    error: float
    predicted: float

    derived = ("z", "agrees")

    @property
    def z(self) -> float:
        """How far off the empirical variance is, in Monte Carlo standard errors; 0 where nothing varies."""
        return (self.empirical - self.predicted) / self.error if self.error > 0 else 0.0

    @property
    def agrees(self) -> bool:
        """Whether it is off by at most `LIMIT` Monte Carlo standard errors."""
        return abs(self.empirical - self.predicted) <= LIMIT * self.error


@dataclass(frozen=True)
class Promise:
    """What components estimated from the pilot promise for fresh studies of its scenarios.

    Parameters
    ----------
    model : {"paper", "separated"}
        Without the interaction of scenario and judge, which is then in the residual, or with it.
    alpha, beta, gamma, eps, interaction : float
        Components, negative ones as they are; nan where the model has none.
    per_call : mapping of str to float
        By strategy, the variance of the mean times judge calls, by the closed forms; components below 0 count as 0.
    """

    model: str
    alpha: float
    beta: float
    gamma: float
    eps: float
    interaction: float
    per_call: Mapping[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Result):
    """Redrawn studies against exact predictions.

    Parameters
    ----------
    checks : tuple of Check
        One per strategy and budget.
    per_call : mapping of str to float
        By strategy, the exact variance of the mean times judge calls: ``C_A``, ``C_B`` and ``C_C`` of the paper.
    promises : tuple of Promise
        What the paper's estimators and the separated ones promise for fresh generations.
    shape : (int, int, int)
        Scenarios, generations and judges of the pilot that were used.
    left_out : int
        Scenarios of the pilot that were not, for want of scores.
    repetitions : int
        Studies redrawn per strategy and budget.
    notes : tuple of str
        What to know before these variances are taken for those of new generations.
    """

    checks: tuple[Check, ...]
    per_call: Mapping[str, float]
    promises: tuple[Promise, ...]
    shape: tuple[int, int, int]
    left_out: int
    repetitions: int
    notes: tuple[str, ...]

    entries = "sentence agrees repetitions shape left_out per_call checks promises notes"

    @property
    def agrees(self) -> bool:
        """Whether every empirical variance is within `LIMIT` Monte Carlo standard errors of its prediction."""
        return all(check.agrees for check in self.checks)

    @property
    def worst(self) -> Check:
        """The check that is furthest off."""
        return max(self.checks, key=lambda check: abs(check.z))

    @property
    def sentence(self) -> str:
        """What the validation found."""
        worst = self.worst
        verdict = "agree with" if self.agrees else "contradict"
        budgets = len({check.budget for check in self.checks})
        return (
            f"{self.repetitions:,} redrawn studies per strategy at {counted(budgets, 'budget')} {verdict} the exact "
            f"predictions: the largest difference is {abs(worst.z):.1f} Monte Carlo standard errors ({worst.strategy}, "
            f"{counted(worst.budget, 'call')} per scenario)."
        )

    def rows(self) -> list[Row]:
        """A row per check: strategy, budget, empirical, error, predicted, z."""
        return [picked(check, "strategy budget empirical error predicted z") for check in self.checks]


def validate_strategies(
    scores: Judgments | CrossedScores,
    *,
    budgets: Sequence[int] | None = None,
    generation: str | None = None,
    repetitions: int = 5000,
    rng: int | np.random.Generator | None = None,
) -> Validation:
    """Redraw studies from a crossed pilot under every strategy, and compare their variance with its exact value.

    Scenarios stay; each study draws with replacement from the generations of each scenario, independently across the
    judges' columns when cycling. The exact variances hold for the pilot as its own population, so agreement shows that
    the formulas and the strategies are carried out right on scores like these. It does not show that m generations are
    enough: over fresh generations the variances of all judges and of cycling are ``m / (m - 1)`` times those of the
    pilot, on average, which is in `Validation.promises`.

    Parameters
    ----------
    scores : Judgments or CrossedScores
        A pilot in which every judge scored at least 2 generations of the same scenarios.
    budgets : sequence of int, optional
        Judge calls per scenario, multiples of the number of judges; 1, 2, 4 and 8 times that if not given.
    generation : str, optional
        Facet that is the generation, as for `crossed_scores`. Repeated answers of each judge, or scales, may stand in
        for generations; the variances are then of redrawing those, and a note says so.
    repetitions : int
        Studies per strategy, at least 100. Studies of several budgets share their draws.
    rng : int or numpy.random.Generator, optional
        Seed or generator; the same studies every time if left out.

    Returns
    -------
    Validation

    Raises
    ------
    InvalidInput
        If a budget or the number of repetitions does not fit.
    NotEstimable
        If there are fewer than 2 complete scenarios, judges or generations.

    References
    ----------
    Zhu et al. (2026), section 4.4 and Eqs. 36 to 38.

    Examples
    --------
    >>> pilot = simulated_scores(80, 10, gamma=(0.9, 0.4, 0.0, -0.4, -0.9), beta=0.27, eps=1.5)
    >>> validation = validate_strategies(pilot)
    >>> validation.agrees
    True
    >>> per_call = validation.per_call
    >>> per_call["cyclic"] < min(per_call["all judges"], per_call["random judge"])
    True
    """
    if isinstance(scores, CrossedScores) and generation is not None:
        raise InvalidInput(f'generation: crossed scores have theirs already, got "{generation}"; leave it out')
    crossed = scores if isinstance(scores, CrossedScores) else crossed_scores(scores, generation=generation)
    x = crossed.x
    m, judges = x.shape[1:]
    if m < 2:
        raise NotEstimable(
            "generation: redrawing needs at least 2 generations that every judge scored, got 1; "
            "name the facet that tells them apart by " + argument("generation", ...),
            {"generation"},
        )
    asked = [judges * times for times in (1, 2, 4, 8)] if budgets is None else list(budgets)
    for budget in asked:
        if isinstance(budget, bool) or not isinstance(budget, Integral) or budget < 1 or budget % judges:
            raise InvalidInput(f"budgets: must be multiples of the {judges} judges, got {budget!r}")
    if not asked:
        raise InvalidInput("budgets: at least one number of judge calls per scenario is needed, got none")
    asked = sorted({int(budget) for budget in asked})
    rules.whole("repetitions", repetitions, 100)
    source = stream(0, "strategies") if rng is None else np.random.default_rng(rng)
    # What a draw chooses from: a generation's mean, a score, or a score in a judge's own column.
    pools = {
        ALL: x.mean(axis=2).reshape(len(x), 1, m),
        RANDOM: x.reshape(len(x), 1, m * judges),
        CYCLIC: np.ascontiguousarray(x.transpose(0, 2, 1)),
    }
    calls = {ALL: judges, RANDOM: 1, CYCLIC: 1}  # of one draw
    checks = []
    for name, pool in each("simulated strategies", pools.items()):
        draws = [budget // calls[name] for budget in asked]
        means, variance = drawn_means(pool, draws, repetitions, source), pool_variance(pool)
        for budget, drawn, mean in zip(asked, draws, means, strict=True):
            error = variance_error(pool, drawn, repetitions)
            checks.append(Check(name, budget, float(mean.var(ddof=1)), error, variance / (len(pool) * drawn)))
    squares = mean_squares(sums(x))
    return Validation(
        checks=tuple(checks),
        per_call={name: calls[name] * pool_variance(pool) for name, pool in pools.items()},
        promises=(_promise("paper", paper(squares), judges), _promise("separated", separated(squares), judges)),
        shape=x.shape,
        left_out=crossed.left_out,
        repetitions=int(repetitions),
        notes=tuple(_notes(crossed, squares)),
    )


def _promise(model: str, components: Floats, judges: int) -> Promise:
    alpha, beta, gamma, eps, interaction = map(float, components)
    b, g, e, i = (max(float(value), 0.0) for value in (beta, gamma, eps, np.nan_to_num(interaction)))
    variances = {
        ALL: all_judges(b, e, n=1, budget=judges, pool=judges, interaction=i),
        RANDOM: random_judge(b, g, e, n=1, budget=judges, pool=judges, interaction=i),
        CYCLIC: cyclic(b, e, n=1, budget=judges, pool=judges, interaction=i),
    }
    per_call = {name: judges * variance for name, variance in variances.items()}
    return Promise(model, alpha, beta, gamma, eps, interaction, per_call)


def _notes(crossed: CrossedScores, squares: MeanSquares) -> Iterator[str]:
    n, m, judges = crossed.x.shape
    name = crossed.generation
    if name not in (None, GENERATION):
        yield (
            f'"{name}" stands in for the generations: every draw takes one of its {m} levels at random, so these are '
            f"the variances of mixing its levels, not those of asking the model under evaluation again."
        )
    df, df_error = n * (m - 1), n * (m - 1) * (judges - 1)
    f = f_ratio(float(squares.generation), float(squares.within))
    if f_tail(df, df_error, f) > _DOUBT:
        from scipy.special import fdtri

        excess = max(f / float(fdtri(df, df_error, _DOUBT)) - 1, 0.0)  # limit of K s2_beta / s2_eps
        most, ratio = excess / judges * float(squares.within), (1 + excess) / (1 + excess / judges)
        if ratio < _ALIKE:
            yield (
                "The judges do not agree on which generations of a scenario are better, as if each judge had scored "
                f"the same response again: the variance between generations is at most {most:.3g} (95%). Asking all "
                f"judges then costs hardly any precision: it is at most {ratio:.3g} times as variable as cycling at "
                "the same judge calls."
            )
        else:
            yield (
                f"No generation variance can be told from noise here; it may be up to {most:.3g} (95%), with which "
                f"asking all judges would be {ratio:.3g} times as variable as cycling at the same judge calls."
            )


def simulated_scores(
    n: int,
    m: int,
    *,
    gamma: Sequence[float],
    alpha: float = 0.0,
    beta: float = 0.0,
    eps: float = 0.0,
    interaction: float = 0.0,
    rng: int | np.random.Generator | None = None,
) -> CrossedScores:
    """Scores of a crossed panel drawn from known components, all effects normal.

    Parameters
    ----------
    n, m : int
        Scenarios, and generations per scenario.
    gamma : sequence of float
        Bias of every judge.
    alpha, beta, eps, interaction : float
        Variances of scenarios, of generations, of the residual and of scenario by judge.
    rng : int or numpy.random.Generator, optional
        Seed or generator; the same scores every time if left out.

    Returns
    -------
    CrossedScores

    Raises
    ------
    InvalidInput
        If there are fewer than 2 scenarios or judges, no generation, or a variance below 0.

    References
    ----------
    Zhu et al. (2026), Eq. 1; the interaction is what their appendix F leaves out.

    Examples
    --------
    >>> simulated_scores(80, 10, gamma=(0.5, 0.0, -0.5), beta=0.25, eps=1.0).x.shape
    (80, 10, 3)
    """
    judges = len(gamma)
    if n < 2 or m < 1 or judges < 2:
        raise InvalidInput(f"n, m, gamma: at least 2, 1 and 2 are needed, got {n}, {m} and {judges}")
    if min(alpha, beta, eps, interaction) < 0:
        raise InvalidInput(f"alpha, beta, eps, interaction: 0 or more, got {alpha}, {beta}, {eps}, {interaction}")
    source = stream(0, "scores") if rng is None else np.random.default_rng(rng)
    parts = ((alpha, (n, 1, 1)), (beta, (n, m, 1)), (interaction, (n, 1, judges)), (eps, (n, m, judges)))
    x = np.asarray(gamma, dtype=float) + sum(np.sqrt(value) * source.normal(size=shape) for value, shape in parts)
    scenarios, names = tuple(map(str, range(n))), tuple(map(str, range(judges)))
    return CrossedScores(x, scenarios, names, 0, 0, GENERATION, (1, 1))


# Means of draws with replacement from pools of scores, and their exact law.
#
# A *pool* is what one draw chooses from: all pools of an array ``pools``, shape (n, columns, size), have the same size.
# A study draws for each of n scenarios; its draw number b comes from the pool in column ``b mod columns``, and every
# member of a pool is as likely as any other. The mean of the study is over all scenarios and draws.


_MOST_DRAWS = 2**20  # at a time, for one scenario: 20 MB
_ROUNDING = 1e-13


def drawn_means(pools: Floats, draws: Sequence[int], repetitions: int, rng: np.random.Generator) -> Floats:
    """Means of studies drawn from the pools, less the mean of all pools.

    Studies of several sizes share their draws: the smaller one is the beginning of the larger one.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    draws : sequence of int
        Draws per scenario; multiples of ``columns``, increasing.
    repetitions : int
        Studies of each size.
    rng : numpy.random.Generator
        Source of the draws; the same generator gives the same studies.

    Returns
    -------
    array, shape (len(draws), repetitions)
        Mean of every study, measured from the mean over all pools.
    """
    block = max(1, _MOST_DRAWS // draws[-1])
    apart = _deviations(pools)  # a multiple of the columns draws equally often from every pool, so their means cancel
    n, columns, size = apart.shape
    kind = np.uint16 if columns * size <= 2**16 else np.uint32  # numpy draws 16 bits faster than 8 or 32
    shift = (np.arange(draws[-1]) % columns * size).astype(kind)[:, None]
    parts = []
    for first in range(0, repetitions, block):
        drawn = np.empty((draws[-1], min(block, repetitions - first)))
        sums = np.zeros((len(draws), drawn.shape[1]))
        for pool in apart.reshape(n, columns * size):
            member = rng.integers(size, size=drawn.shape, dtype=kind)
            member += shift
            pool.take(member, out=drawn, mode="clip")  # no code is out of range, and only "clip" writes without a copy
            for row, (start, stop) in enumerate(pairwise((0, *draws))):
                sums[row] += drawn[start:stop].sum(axis=0)
        parts.append(np.cumsum(sums, axis=0) / (n * np.array(draws)[:, None]))
    return np.concatenate(parts, axis=1)


def _deviations(pools: Floats) -> Floats:
    """Scores less their pool's mean; what is rounding is zero, so that scores that agree have no variance."""
    out: Floats = pools - pools.mean(axis=-1, keepdims=True)
    out[np.abs(out) <= _ROUNDING * np.abs(pools).max()] = 0.0
    return out


def pool_variance(pools: Floats) -> float:
    """Variance of one draw about its pool's mean (divisor: size), on average over pools.

    The mean of a study with d draws for each of n scenarios has this variance over n d.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    """
    return float(np.mean(_deviations(pools) ** 2))


def variance_error(pools: Floats, draws: int, repetitions: int) -> float:
    """Standard error of the sample variance of the means of repeated studies, exact for these pools.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    draws : int
        Draws per scenario.
    repetitions : int
        Studies, at least 2.

    Notes
    -----
    ``Var(s^2) = k4 / R + 2 k2^2 / (R - 1)`` with the cumulants k2, k4 of the mean. Cumulants of sums of independent
    draws add, so ``k4`` is the fourth cumulant of one draw, on average over pools, over ``(n d)^3``.
    """
    deviation = _deviations(pools)
    second = np.mean(deviation**2, axis=-1)
    fourth = float(np.mean(np.mean(deviation**4, axis=-1) - 3 * second**2))
    drawn = pools.shape[0] * draws
    cumulant, variance = fourth / drawn**3, float(np.mean(second)) / drawn
    return float(np.sqrt(max(cumulant / repetitions + 2 * variance**2 / (repetitions - 1), 0.0)))
