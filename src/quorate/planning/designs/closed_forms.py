"""Closed forms for the ways to spend judge calls: all judges, a random judge, or judges in turn.

They stand here under the names of Zhu et al. (2026), with the item:judge interaction that the paper leaves out as an
option. All are special cases of `quorate.project`; ``docs/methods/strategies.md`` has the derivations.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Literal

from quorate.errors import InvalidInput

Items = Literal["finite", "population"]


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

    Examples
    --------
    >>> round(all_judges(0.266, 1.486, n=80, budget=5, pool=5), 5)
    0.00704
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if budget % pool:
        raise InvalidInput(f"budget: must be a multiple of {pool}, got {budget}; use {budget - budget % pool + pool}")
    view = interaction / (n * pool) if items == "population" else 0.0
    return (pool * beta + eps) / (n * budget) + view


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
    variances = {"beta": beta, "gamma": gamma, "eps": eps, "interaction": interaction}
    _check(variances, {"n": n, "budget": budget, "pool": pool}, items)
    by_chance = interaction * (pool - 1) / pool
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + gamma + eps + by_chance) / (n * budget) + view


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
        If a variance is negative, or ``n * budget`` is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 5 and 34.
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if calls_over := n * budget % pool:
        use = n * budget - calls_over + pool
        raise InvalidInput(f"n * budget: must be a multiple of {pool}, got {n * budget}; use {use}")
    over = budget % pool  # judges of a scenario that have one call more than the others
    uneven = over * (pool - over) / (pool * budget**2)
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + eps) / (n * budget) + interaction * uneven / n + view


def _check(variances: dict[str, float], counts: dict[str, object], items: str) -> None:
    for name, variance in variances.items():
        if not 0 <= variance < math.inf:
            raise InvalidInput(f"{name}: must be a finite variance of at least 0, got {variance!r}")
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise InvalidInput(f"{name}: must be a whole number of at least 1, got {count!r}")
    if items not in ("finite", "population"):
        raise InvalidInput(f'items: one of "finite" and "population" is needed, got {items!r}')
