"""Closed forms for the ways to spend judge calls: all judges, a random judge, or judges in turn.

They stand here under the names of Zhu et al. (2026), with the item:judge interaction that the paper leaves out as an
option. All are special cases of `quorate.project`; ``docs/methods/strategies.md`` has the derivations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

from quorate.errors import InvalidInput

Items = Literal["finite", "population"]


@dataclass(frozen=True)
class Contributions:
    """The variance of the mean of a crossed study, part by part.

    Parameters
    ----------
    scenario, generation, interaction, residual : float
        Random noise.
    judge : float
        Bias of the judges that were chosen.
    """

    scenario: float
    generation: float
    interaction: float
    residual: float
    judge: float

    @property
    def variance(self) -> float:
        """Variance of the mean."""
        return self.scenario + self.generation + self.interaction + self.residual + self.judge

    @property
    def judge_share(self) -> float:
        """Fraction of the variance that is judge bias; nan where there is no variance."""
        return self.judge / self.variance if self.variance > 0 else math.nan


def proposition_1(
    alpha: float,
    beta: float,
    gamma: float,
    eps: float,
    *,
    n: int,
    m: int,
    judges: int,
    pool: int,
    interaction: float = 0.0,
) -> Contributions:
    """Variance of a crossed study's mean: ``judges`` of a pool score m generations of n scenarios.

    Parameters
    ----------
    alpha, beta, gamma, eps : float
        Variances of scenarios, of generations within a scenario, of the judges' biases (divisor: the pool), residual.
    n, m, judges, pool : int
        Scenarios, generations per scenario, judges used, judges they were drawn from.
    interaction : float
        Variance of scenario by judge; with 0 this is the paper's formula.

    Raises
    ------
    InvalidInput
        If a variance is negative or a count does not fit.

    References
    ----------
    Zhu et al. (2026), Eq. 2.

    Examples
    --------
    >>> found = proposition_1(1.53, 0.266, 0.947, 1.486, n=80, m=1, judges=1, pool=5)
    >>> round(found.variance, 3), round(found.judge_share, 2)
    (0.988, 0.96)
    """
    _variances(alpha=alpha, beta=beta, gamma=gamma, eps=eps, interaction=interaction)
    _counts(n=n, m=m, judges=judges, pool=pool)
    if judges > pool:
        raise InvalidInput(f"judges: at most the {pool} of the pool, got {judges}")
    missing = (pool - judges) / (pool - 1) if pool > 1 else 0.0
    return Contributions(
        alpha / n, beta / (n * m), interaction / (n * judges), eps / (n * m * judges), gamma / judges * missing
    )


def all_judges(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_A: every judge of the pool scores every one of budget / pool generations.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool : int
        Scenarios, judge calls per scenario, judges.
    interaction : float
        Variance of scenario by judge; with 0 this is the paper's formula.
    items : {"finite", "population"}
        What the mean stands for: these scenarios, with the panel's own view of each; or scenarios like these. The
        scenarios' variance over n, the same for every strategy, is left out either way, as in the paper.

    Raises
    ------
    InvalidInput
        If a variance is negative, or the budget is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 3 and 30.
    """
    _variances(beta=beta, eps=eps, interaction=interaction)
    _counts(n=n, budget=budget, pool=pool)
    _multiple("budget", budget, pool)
    return (pool * beta + eps) / (n * budget) + _panels_view(interaction, n, pool, items)


def random_judge(
    beta: float,
    gamma: float,
    eps: float,
    *,
    n: int,
    budget: int,
    pool: int,
    interaction: float = 0.0,
    items: Items = "finite",
) -> float:
    """V_B: one judge, drawn at random each time, for each of as many generations as there are calls.

    Parameters
    ----------
    beta, gamma, eps : float
        Variances of generations, of the judges' biases (divisor: the pool) and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative or a count is not a whole number from 1.

    References
    ----------
    Zhu et al. (2026), Eqs. 4 and 32.
    """
    _variances(beta=beta, gamma=gamma, eps=eps, interaction=interaction)
    _counts(n=n, budget=budget, pool=pool)
    by_chance = interaction * (pool - 1) / pool
    return (beta + gamma + eps + by_chance) / (n * budget) + _panels_view(interaction, n, pool, items)


def cyclic(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_C: the judges in turn, one for each of as many generations as there are calls.

    Where the pool does not divide the budget, the turns go on from scenario to scenario; a budget of 1 cycles over
    scenarios alone. The judges' biases cancel if the pool divides all calls.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative, or ``n * budget`` is no multiple of the pool: see `remainder`.

    References
    ----------
    Zhu et al. (2026), Eqs. 5 and 34.
    """
    _variances(beta=beta, eps=eps, interaction=interaction)
    _counts(n=n, budget=budget, pool=pool)
    _multiple("n * budget", n * budget, pool)
    over = budget % pool  # judges of a scenario that have one call more than the others
    uneven = over * (pool - over) / (pool * budget**2)
    return (beta + eps) / (n * budget) + interaction * uneven / n + _panels_view(interaction, n, pool, items)


@dataclass(frozen=True)
class Gaps:
    """How much variance one strategy has beyond another; negative where it has less.

    Parameters
    ----------
    all_cyclic, random_cyclic, all_random : float
        ``V_A - V_C``, ``V_B - V_C`` and ``V_A - V_B``.
    """

    all_cyclic: float
    random_cyclic: float
    all_random: float


def dominance(beta: float, gamma: float, *, n: int, budget: int, pool: int, interaction: float = 0.0) -> Gaps:
    """Gaps between the strategies at a budget that all of them can spend; the same whatever the scenarios stand for.

    Parameters
    ----------
    beta, gamma, interaction : float
        Variances of generations, of the judges' biases (divisor: the pool) and of scenario by judge.
    n, budget, pool : int
        Scenarios, judge calls per scenario (a multiple of the pool), judges.

    Raises
    ------
    InvalidInput
        If a variance is negative, or the budget is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 6 to 8.
    """
    a = all_judges(beta, 0.0, n=n, budget=budget, pool=pool)
    b = random_judge(beta, gamma, 0.0, n=n, budget=budget, pool=pool, interaction=interaction)
    c = cyclic(beta, 0.0, n=n, budget=budget, pool=pool)
    return Gaps(a - c, b - c, a - b)


def all_beat_random(beta: float, gamma: float, *, pool: int, interaction: float = 0.0) -> bool:
    """Whether asking all judges is more precise than asking a random one, at the same calls.

    Parameters
    ----------
    beta, gamma, interaction : float
        Variances of generations, of the judges' biases (divisor: the pool) and of scenario by judge.
    pool : int
        Judges.

    Raises
    ------
    InvalidInput
        If a variance is negative or the pool is not a whole number from 1.

    References
    ----------
    Zhu et al. (2026), after Eq. 8, for no interaction.
    """
    _variances(beta=beta, gamma=gamma, interaction=interaction)
    _counts(pool=pool)
    return (pool - 1) * beta < gamma + interaction * (pool - 1) / pool


def coverage(
    alpha: float, beta: float, eps: float, *, generations: int, m: int, pool: int, interaction: float = 0.0
) -> float:
    """Variance of cycling when a number of generations is spread over scenarios, m for each.

    It grows with m: first as many scenarios as there are, then more generations.

    Parameters
    ----------
    alpha, beta, eps, interaction : float
        Variances of scenarios, of generations, of the residual and of scenario by judge.
    generations : int
        Generations in all, each judged once: a multiple of m and of the pool.
    m : int
        Generations per scenario.
    pool : int
        Judges.

    Raises
    ------
    InvalidInput
        If a variance is negative, or m or the pool does not divide the generations.

    References
    ----------
    Zhu et al. (2026), Eq. 35.
    """
    _variances(alpha=alpha)
    _counts(generations=generations, m=m)
    _multiple("generations", generations, m)
    n = generations // m
    return alpha / n + cyclic(beta, eps, n=n, budget=m, pool=pool, interaction=interaction, items="population")


def remainder(gamma: float, *, calls: int, pool: int) -> float:
    """What the judges' biases add where a cycle over the pool does not come out even and every call weighs the same.

    It is the mean square over a random order of judges, and 0 if judges weigh the same instead of calls.

    Parameters
    ----------
    gamma : float
        Variance of the judges' biases (divisor: the pool).
    calls : int
        Calls in the whole cycle: scenarios times generations.
    pool : int
        Judges.

    Raises
    ------
    InvalidInput
        If the variance is negative or a count is not a whole number from 1.

    Examples
    --------
    >>> remainder(0.947, calls=80, pool=5)
    0.0
    >>> round(remainder(0.947, calls=82, pool=5), 6)
    0.000211
    """
    _variances(gamma=gamma)
    _counts(calls=calls, pool=pool)
    over = calls % pool
    return over * (pool - over) * gamma / (calls**2 * (pool - 1)) if over else 0.0


def _panels_view(interaction: float, n: int, pool: int, items: Items) -> float:
    """What the mean of all judges thinks of these scenarios beyond what it thinks of scenarios like them."""
    if items not in ("finite", "population"):
        raise InvalidInput(f'items: one of "finite" and "population" is needed, got {items!r}')
    return interaction / (n * pool) if items == "population" else 0.0


def _variances(**given: float) -> None:
    for name, value in given.items():
        if not 0 <= value < math.inf:
            raise InvalidInput(f"{name}: must be a finite variance of at least 0, got {value!r}")


def _counts(**given: object) -> None:
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise InvalidInput(f"{name}: must be a whole number of at least 1, got {value!r}")


def _multiple(name: str, value: int, of: int) -> None:
    if value % of:
        raise InvalidInput(f"{name}: must be a multiple of {of}, got {value}; use {value - value % of + of}")
