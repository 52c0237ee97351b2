"""Battles: one verdict from many judgments of it, by pairwise votes or by scores of the two responses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidData, InvalidInput
from quorate.estimate.means.effects import level_labels
from quorate.table.judgments import Judgments
from quorate.table.pairs import TIE, UNKNOWN, A, B
from quorate.table.votes import Votes

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
        if not 0 <= tie_share <= 1:
            raise InvalidInput(f"tie_share: a share from 0 to 1 is needed, got {tie_share}")
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
    levels = known.facet(key).levels
    n = np.int64(len(known.models))
    place = (known.column(key).astype(np.int64) * n + known.model_a) * n + known.model_b
    found, first, battle = np.unique(place, return_index=True, return_inverse=True)
    value = 1 - known.encoded("half")
    weight = np.where(np.isnan(value), 0, known.weights).astype(float)
    total = np.bincount(battle, weight, len(found))
    won = np.bincount(battle, np.nan_to_num(value) * weight, len(found))
    margin = np.divide(won, total, out=np.full(len(found), np.nan), where=total > 0) - 0.5
    item, pair = np.divmod(found, n * n)
    models = [(known.models[a], known.models[b]) for a, b in zip(*np.divmod(pair, n), strict=True)]
    keys = tuple((levels[i], *both) for i, both in zip(item.tolist(), models, strict=True))
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
    answered = judgments.n > 0
    cells = np.bincount(response, answered, len(code))
    total = np.bincount(response, np.where(answered, judgments.mean, 0.0), len(code))
    mean = np.divide(total, cells, out=np.full(len(code), np.nan), where=cells > 0).reshape(-1, 2)
    names = [(systems[a], systems[b]) for a, b in models.reshape(-1, 2).tolist()]
    keys = tuple((label, min(pair), max(pair)) for label, pair in zip(labels, names, strict=True))
    turned = np.array([1.0 if a < b else -1.0 for a, b in names])
    _, first, battle = np.unique(item, return_index=True, return_inverse=True)
    return Battles(keys, (mean[:, 0] - mean[:, 1]) * turned, least, True, _groups(judgments, by, first, battle))


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
    n = np.int64(len(votes.models))
    place = (votes.column(key).astype(np.int64) * n + votes.model_a) * n + votes.model_b
    _, first, battle = np.unique(place, return_index=True, return_inverse=True)
    return np.asarray(votes.order != votes.order[first][battle], dtype=np.int64)


def column_of(table: Votes | Judgments, role: str, key: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Level of every row, and the labels of the levels; ``order`` of votes is that of a battle's first vote, or not."""
    if role == ORDER and isinstance(table, Votes) and ORDER not in table.names:
        return swapped(table, key), ORDERS
    return table.column(role).astype(np.int64), table.facet(role).levels


def _check(threshold: float) -> None:
    if not threshold >= 0:
        raise InvalidInput(f"threshold: a margin of at least 0 is needed, got {threshold}")


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
