"""Position bias: whether a judge prefers the response that is shown first, or the one shown last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.distributions import normal_cdf, t_quantile
from quorate.numerics.inference import checked_level
from quorate.table.pairs import FIRST_B, UNKNOWN
from quorate.table.results import Result
from quorate.table.votes import Votes, checked_votes

_ALIKE, _GRID, _MOST_EXACT = 1e-9, 240, 500


@dataclass(frozen=True)
class PositionBias(Result):
    """How a judge's choice depends on the order in which the two responses are shown.

    Parameters
    ----------
    judge : str
        Level, or ``all``.
    votes : int
        Votes with a known order, ties as halves.
    first : float
        Share of them for the response shown first.
    when_first, when_second : float
        Share for the first model of each pair when it is shown first, and when it is shown second: equal without a
        position bias, whatever the models are worth.
    battles : int
        Battles judged in both orders.
    bias : float
        On these, share for the response shown first less one half, both orders weighing equally: what the responses are
        worth cancels. Above 0: the first is preferred; below: the last.
    low, high : float
        Its interval over battles (Student), cut at -.5 and .5; nan where all battles have the same bias.
    p : float
        Two-sided p-value of no bias: the chance that the biases of battles, each with a sign by a fair coin, add up to
        as much; exact to 500 battles, then normal. Without ties and repeats it is McNemar's exact test.
    consistent : float
        Share of these battles in which the same response wins in both orders; ties in both are no win.
    """

    judge: str
    votes: int
    first: float
    when_first: float
    when_second: float
    battles: int
    bias: float
    low: float
    high: float
    p: float
    consistent: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        leaning = "the first" if self.bias > 0 else "the last"
        sure = f"prefers {leaning} response" if self.p < 0.05 else "shows no preference for a position"
        if not self.battles:
            return f"{self.judge} judged no battle in both orders, so position and quality cannot be told apart."
        ends = "" if np.isnan(self.low) else f"interval {0.5 + self.low:.1%} to {0.5 + self.high:.1%}, "
        return (
            f"{self.judge} {sure}: in {self.battles:,} battles judged in both orders, {0.5 + self.bias:.1%} of choices "
            f"are the one shown first ({ends}p = {self.p:.2g}); the same response wins in both in "
            f"{self.consistent:.1%}."
        )


def position_bias(
    votes: Votes, *, by: str = "judge", key: str = "prompt", level: float = 0.95
) -> tuple[PositionBias, ...]:
    """Whether judges prefer the response shown first (or last), judge by judge.

    Parameters
    ----------
    votes : Votes
        Votes with ``order``: which of the two was shown first. A battle is judged in both orders if it was shown once
        each way to the same judge; several prompts of one battle are averaged.
    by : str
        Role whose levels are looked at one by one.
    key : str
        Role of what the two models answered.
    level : float
        Coverage of the intervals.

    Returns
    -------
    tuple of PositionBias
        One for every level with votes of known order, in the order of the levels.

    Raises
    ------
    InvalidInput
        If the order was not read or the level is no share.
    NotEstimable
        If no battle was judged in both orders: a preference for the first then cannot be told from the better response.
    UnknownTerm
        If there is no such role.

    References
    ----------
    Messing (2026), appendix R: A-rates by listed order. Zheng et al. (2023), section 4.1.

    Examples
    --------
    >>> import polars, quorate as q
    >>> frame = {"prompt": [1, 1, 2, 2], "judge": ["llm"] * 4, "model_a": ["x"] * 4, "model_b": ["y"] * 4}
    >>> frame |= {"swapped": [False, True] * 2, "winner": ["x", "y", "x", "x"]}
    >>> llm = position_bias(q.read_votes(polars.DataFrame(frame), announce=False))[0]
    >>> llm.bias, llm.battles, llm.consistent
    (0.25, 2, 0.5)
    """
    table = checked_votes(votes)
    checked_level(level)
    if table.order is None:
        order = argument("order", ..., group="roles", text="order=")
        raise InvalidInput("votes: which response was shown first is not known; read them with " + order)
    value = table.encoded("half")
    code = table.column(by)
    known = (table.order != UNKNOWN) & ~np.isnan(value) & (table.column(key) >= 0) & (code >= 0)
    levels = table.facet(by).levels
    judges = [_bias(table.keep(known & (code == at)), levels[at], key, level) for at in np.unique(code[known]).tolist()]
    if not any(judge.battles for judge in judges):
        raise NotEstimable(
            f"votes: no battle was judged in both orders by one {by}, so position and quality cannot be told apart; "
            "show some pairs both ways"
        )
    return tuple(judges)


def _bias(votes: Votes, name: str, key: str, level: float) -> PositionBias:
    a_won, weight = 1 - votes.encoded("half"), votes.weights.astype(float)
    second = np.asarray(votes.order == FIRST_B)
    first_won = np.where(second, 1 - a_won, a_won)
    place = votes.column(key).astype(np.int64) * len(votes.pairs()) + votes.pairs().code
    battle = np.unique(place, return_inverse=True)[1]
    seen, won = (
        np.array([np.bincount(battle, weight * x * side) for side in (~second, second)])
        for x in (np.ones(votes.rows), first_won)
    )
    both = (seen > 0).all(axis=0)
    rates = won[:, both] / seen[:, both]
    lean = rates.mean(axis=0) - 0.5
    when_first, when_second = (
        float(np.average(a_won[at], weights=weight[at])) if at.any() else np.nan for at in (~second, second)
    )
    # 1 where the response shown first has more votes, -1 where the other has, 0 where they are even.
    side = np.where(np.abs(rates - 0.5) < _ALIKE, 0, np.sign(rates - 0.5)).astype(np.int64)
    low, high = _interval(lean, level)
    return PositionBias(
        judge=name,
        votes=int(weight.sum()),
        first=float(np.average(first_won, weights=weight)),
        when_first=when_first,
        when_second=when_second,
        battles=int(both.sum()),
        bias=float(lean.mean()) if both.any() else np.nan,
        low=low,
        high=high,
        p=sign_flip(lean),
        consistent=float(np.mean(side[0] * side[1] < 0)) if both.any() else np.nan,
    )


def sign_flip(lean: Floats) -> float:
    """P-value of the sign-flip test that biases are 0 on average.

    They are rounded to 1/240, which is odd and so keeps the test exact; halves and thirds stay.
    """
    unit = np.rint(lean * _GRID).astype(np.int64)
    size = np.abs(unit[unit != 0])
    if not len(size):
        return 1.0
    if len(size) > _MOST_EXACT:
        return 2 * normal_cdf(-abs(unit.sum()) / np.sqrt(np.sum(size.astype(float) ** 2)))
    size, reach = size // np.gcd.reduce(size), abs(int(unit.sum())) // int(np.gcd.reduce(size))
    chance = np.zeros(2 * int(size.sum()) + 1)
    middle = chance.size // 2
    chance[middle] = 1.0
    for step in size.tolist():
        chance = 0.5 * (np.roll(chance, step) + np.roll(chance, -step))
    return float(min(1.0, 2 * chance[middle + reach :].sum())) if reach else 1.0


def _interval(lean: Floats, level: float) -> tuple[float, float]:
    n = len(lean)
    if n < 2 or np.ptp(lean) < _ALIKE:
        return np.nan, np.nan
    half = t_quantile(n - 1, (1 + level) / 2) * float(lean.std(ddof=1)) / np.sqrt(n)
    return max(float(lean.mean() - half), -0.5), min(float(lean.mean() + half), 0.5)
