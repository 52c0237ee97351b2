"""Battles: one verdict from many judgments of it, and whether judges prefer the response that is shown first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf, t_quantile
from quorate.numerics.inference import checked_level
from quorate.table.judgments import Judgments
from quorate.table.pairs import FIRST_B, TIE, UNKNOWN, A, B
from quorate.table.results import Result
from quorate.table.votes import Votes, checked_votes

Key = tuple[str, str, str]
PAIRWISE, LIKERT = 0.05, 0.5
ORDER, ORDERS = "order", ("as listed", "swapped")
_ROUNDING = 1e-9
_LIKERT_RANGE = 4.0, 10.0


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles between two models, each with what was made of all its judgments.

    Parameters
    ----------
    keys : tuple of (str, str, str)
        Item (or prompt) and the two models, in alphabetical order.
    margin : array, shape (battles,)
        How far the first model is ahead: share of votes less one half, with ties as halves, or difference of mean
        scores; nan where nothing was answered.
    threshold : float
        The least margin of a verdict for either model.
    inclusive : bool
        Whether a margin of exactly the threshold is a verdict; else it is a tie.
    groups : tuple of str
        Category of each battle; empty where there is none.
    """

    keys: tuple[Key, ...]
    margin: Floats
    threshold: float
    inclusive: bool
    groups: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def verdicts(self) -> NDArray[np.int8]:
        """0: for the first model; 1: for the second; 2: tie; -1: nothing answered. Shape (battles,)."""
        slack = _ROUNDING if self.inclusive else -_ROUNDING
        ahead = np.abs(self.margin) >= self.threshold - slack
        out = np.where(ahead, np.where(self.margin > 0, A, B), TIE).astype(np.int8)
        out[np.isnan(self.margin)] = -1
        return out

    @property
    def tie_share(self) -> float:
        """Ties, of all battles with a verdict; nan without any."""
        known = self.verdicts[self.verdicts >= 0]
        return float(np.mean(known == TIE)) if len(known) else float("nan")

    def calibrated(self, tie_share: float) -> Battles:
        """The same battles with the threshold at which as many are ties as are wanted, as nearly as margins allow.

        Parameters
        ----------
        tie_share : float
            Share of ties wanted, such as that of people; 0 to 1.

        Raises
        ------
        InvalidInput
            If it is no share.
        """
        rules.number("tie_share", tie_share, least=0, most=1)
        size = np.sort(np.abs(self.margin[~np.isnan(self.margin)]))
        values = np.unique(np.round(size, 9))
        values = np.append(values[values > 0], np.inf)  # a margin of 0 is a tie whatever the threshold
        below = np.searchsorted(size, values - _ROUNDING) / max(len(size), 1)  # ties if this is the least that wins
        best = int(np.argmin(np.abs(below - tie_share)))
        return replace(self, threshold=float(values[best]), inclusive=True)


def refuse_keyless(votes: Votes, key: str) -> None:
    """Refuse votes without the role that says what the two models answered."""
    if key not in votes.names:
        column = argument("prompt", ..., group="roles", text='prompt="its column"')
        raise InvalidInput(f"key: no {key} says which votes are of one battle; read the votes with " + column)


def pairwise_battles(
    votes: Votes, *, key: str = "prompt", by: str | None = None, threshold: float = PAIRWISE
) -> Battles:
    """One verdict per battle from the votes on it, whatever order the responses were shown in.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`: votes of one battle differ in judge, prompt variant, order or annotator.
    key : str
        Role of what the two models answered; a battle is a level of it and a pair of models.
    by : str, optional
        Role of the category.
    threshold : float
        A model wins if its share of the votes, ties as halves, is more than this above one half.

    Raises
    ------
    UnknownTerm
        If there is no such category.
    InvalidInput
        If the votes have no such key, or the threshold is negative.

    References
    ----------
    Messing (2026), appendix R: A above .55, B below .45, else tie.
    """
    _check(threshold)
    refuse_keyless(votes, key)
    code = votes.column(key)
    known = votes.keep(code >= 0) if (code < 0).any() else votes
    levels, models, (battle, first) = known.facet(key).levels, known.models, known.battles(key)
    value = 1 - known.encoded("half")
    weight = np.where(np.isnan(value), 0, known.weights).astype(float)
    total = np.bincount(battle, weight, len(first))
    won = np.bincount(battle, np.nan_to_num(value) * weight, len(first))
    margin = np.divide(won, total, out=np.full(len(first), np.nan), where=total > 0) - 0.5
    rows = (column[first].tolist() for column in (known.column(key), known.model_a, known.model_b))
    keys = tuple((levels[i], models[a], models[b]) for i, a, b in zip(*rows, strict=True))
    return Battles(keys, margin, threshold, False, _groups(known, by, first, battle))


def likert_battles(
    judgments: Judgments, *, system: str = "system", by: str | None = None, threshold: float | None = None
) -> Battles:
    """One verdict per battle from scores of its two responses: the higher mean wins, unless both are close.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`: items are battles, each with the scores of two systems. All cells of a response (judges,
        prompts ...) weigh equally.
    system : str
        Role of the models.
    by : str, optional
        Role of the category.
    threshold : float, optional
        The least difference of means that is no tie; half a point, if scores span 4 to 10 points.

    Raises
    ------
    UnknownTerm
        If there is no such category.
    InvalidData
        If an item does not have two systems.
    InvalidInput
        If the scores have no such system, the threshold is negative, or it is needed.

    References
    ----------
    Messing (2026), appendix R: tie if the difference is below .5 on a scale from 1 to 5.
    """
    if system not in judgments.names:
        rule = "says whose response a score is of; read the scores with a column for it in facets="
        raise InvalidInput(f"system: no {system} {rule}")
    item, model = judgments.level_codes([judgments.object]), judgments.column(system).astype(np.int64)
    systems, labels = judgments.facet(system).levels, level_labels(judgments, judgments.object)
    code, response = np.unique(item * len(systems) + model, return_inverse=True)
    rows, models = np.divmod(code, len(systems))
    several = np.bincount(rows)
    if (several != 2).any():
        at = int(np.flatnonzero(several != 2)[0])
        raise InvalidData(
            f'{judgments.object} "{labels[at]}" has scores of {several[at]} systems, and a battle has two: keep two'
        )
    least = likert_threshold(judgments, threshold)
    mean = mean_of_cells(judgments, response, len(code)).reshape(-1, 2)
    names = [(systems[a], systems[b]) for a, b in models.reshape(-1, 2).tolist()]
    keys = tuple((label, min(pair), max(pair)) for label, pair in zip(labels, names, strict=True))
    turned = np.array([1.0 if a < b else -1.0 for a, b in names])
    _, first, battle = np.unique(item, return_index=True, return_inverse=True)
    return Battles(keys, (mean[:, 0] - mean[:, 1]) * turned, least, True, _groups(judgments, by, first, battle))


def mean_of_cells(judgments: Judgments, code: Ints, size: int) -> Floats:
    """Mean of the answered cells of every code below ``size``; nan where there are none."""
    answered = judgments.n > 0
    cells = np.bincount(code, answered, size)
    total = np.bincount(code, np.where(answered, judgments.mean, 0.0), size)
    return np.asarray(np.divide(total, cells, out=np.full(size, np.nan), where=cells > 0))


def likert_threshold(judgments: Judgments, threshold: float | None) -> float:
    """The least difference of mean scores that is no tie: a given one, or half a point where that suits the scale.

    Raises
    ------
    InvalidInput
        If it is negative, or left out and the scores span less than 4 points or more than 10.
    """
    if threshold is not None:
        _check(threshold)
        return float(threshold)
    low, high = (float(end(side[judgments.n > 0])) for end, side in ((np.min, judgments.low), (np.max, judgments.high)))
    if not _LIKERT_RANGE[0] <= high - low <= _LIKERT_RANGE[1]:
        raise InvalidInput(
            f"threshold: half a point is for scales such as 1 to 5, got scores from {low:g} to {high:g}; say which "
            "difference of means is no tie, " + argument("threshold", LIKERT) + " to keep it"
        )
    return LIKERT


def swapped(votes: Votes, key: str) -> NDArray[np.int64]:
    """0 where a battle's two responses were shown in the order of its first vote, 1 where in the other.

    Raises
    ------
    InvalidInput
        If the order of a vote is not known.
    """
    if votes.order is None or (votes.order == UNKNOWN).any():
        order = argument("order", ..., group="roles", text="order=")
        raise InvalidInput("order: some votes do not say which system was shown first; read them with " + order)
    battle, first = votes.battles(key)
    return np.asarray(votes.order != votes.order[first][battle], dtype=np.int64)


def column_of(table: Votes | Judgments, role: str, key: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Level of every row, and the labels of the levels; ``order`` of votes is that of a battle's first vote, or not."""
    if role == ORDER and isinstance(table, Votes) and ORDER not in table.names:
        return swapped(table, key), ORDERS
    return table.column(role).astype(np.int64), table.facet(role).levels


def _check(threshold: float) -> None:
    rules.number("threshold", threshold, least=0)


def _groups(
    table: Votes | Judgments, by: str | None, first: NDArray[np.int64], battle: NDArray[np.int64]
) -> tuple[str, ...]:
    """Category of every battle, which all its rows have; empty text where it has none."""
    if by is None:
        return ()
    code, levels = table.column(by), table.facet(by).levels
    apart = np.flatnonzero(code != code[first][battle])
    if len(apart):
        one, two = (levels[at] if at >= 0 else "none" for at in (code[first][battle][apart[0]], code[apart[0]]))
        raise InvalidInput(f'{by}: a battle has one, got "{one}" and "{two}"; take a role that does not vary within it')
    return tuple(levels[at] if at >= 0 else "" for at in code[first].tolist())


# Position bias: whether a judge prefers the response that is shown first, or the one shown last.


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
    battle, _ = votes.battles(key)
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
