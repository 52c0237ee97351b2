"""Agreement of leaderboards with one reference, and whether one of two agrees with it more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.correlation import kendall, of_pair, pearson, spearman, williams
from quorate.table.results import Result, Row

_FEWEST = 4
Board = Mapping[str, float]
Of = Literal["ratings", "ranks"]


@dataclass(frozen=True)
class BoardAgreement:
    """Correlations of a leaderboard with the reference.

    Parameters
    ----------
    board : str
        Which.
    systems : int
        Systems.
    pearson : float
        Correlation of the ratings; nan where one of the two does not vary.
    spearman, kendall : float
        Rank correlations.
    """

    board: str
    systems: int
    pearson: float
    spearman: float
    kendall: float


@dataclass(frozen=True)
class BoardDifference:
    """Two leaderboards against the same reference.

    Parameters
    ----------
    first, second : str
        Which.
    difference : float
        Correlation of the first with the reference, less that of the second.
    t, df, p : float
        Williams' test that they are equal; nan where it does not exist, as for two boards in the same order.
    """

    first: str
    second: str
    difference: float
    t: float
    df: float
    p: float


@dataclass(frozen=True)
class Leaderboards(Result):
    """Agreement of leaderboards with a reference.

    Parameters
    ----------
    boards : tuple of BoardAgreement
        Each with the reference.
    differences : tuple of BoardDifference
        Every two of them.
    """

    boards: tuple[BoardAgreement, ...]
    differences: tuple[BoardDifference, ...]

    def rows(self) -> list[Row]:
        """One row for every leaderboard."""
        return [asdict(board) for board in self.boards]


def compare_leaderboards(reference: Board, boards: Mapping[str, Board], *, of: Of = "ratings") -> Leaderboards:
    """How far leaderboards rank systems as a reference does, and whether one does better than another.

    The test compares two correlations that share the reference. It takes systems as a sample, and what is known of each
    system as given: with tens of systems it sees large differences only.

    Parameters
    ----------
    reference : mapping of str to float
        Rating (or mean) of every system, such as by people.
    boards : mapping of str to mapping
        Ratings of the same systems by name of the leaderboard.
    of : {"ratings", "ranks"}
        Whether correlations of ratings are tested, which keeps its level, or those of ranks, which rejects 6 to 13%
        where nothing differs, at 5%, measured: most with few systems and boards that nearly agree.

    Raises
    ------
    InvalidInput
        If a leaderboard has other systems, or a rating that is no number, or ``of`` is neither.
    NotEstimable
        If there are fewer than 4 systems.

    References
    ----------
    Williams (1959); Steiger (1980). Messing (2026), appendix R.1, compares four pipelines so.

    Examples
    --------
    >>> people = dict(a=5, b=4, c=3, d=2, e=1)
    >>> judges = {"one": dict(a=5, b=4, c=2, d=3, e=1), "two": dict(a=1, b=5, c=3, d=2, e=4)}
    >>> compared = compare_leaderboards(people, judges)
    >>> [(row.board, round(row.spearman, 2)) for row in compared.boards], round(compared.differences[0].p, 2)
    ([('one', 0.9), ('two', -0.3)], 0.18)
    """
    if of not in get_args(Of):
        raise InvalidInput(f"of: expects one of {', '.join(get_args(Of))}, got {of!r}")
    if len(reference) < _FEWEST:
        raise NotEstimable(
            f"reference: {len(reference)} systems; at least {_FEWEST} are needed to compare leaderboards"
        )
    systems = sorted(reference)
    truth = _values("reference", reference, systems)
    values = {name: _values(name, board, systems) for name, board in boards.items()}
    correlation = pearson if of == "ratings" else spearman
    with_reference = {name: of_pair(correlation, truth, value) for name, value in values.items()}
    n = len(systems)
    rows = tuple(
        BoardAgreement(name, n, *(of_pair(method, truth, x) for method in (pearson, spearman, kendall)))
        for name, x in values.items()
    )
    differences = []
    for one, two in combinations(values, 2):
        a, b = with_reference[one], with_reference[two]
        test = williams(a, b, of_pair(correlation, values[one], values[two]), n)
        differences.append(BoardDifference(one, two, a - b, float(test.t), float(test.df), float(test.p)))
    return Leaderboards(rows, tuple(differences))


def _values(name: str, board: Board, systems: list[str]) -> list[float]:
    other = sorted(set(board) ^ set(systems))
    if other:
        raise InvalidInput(f'boards: {name} and the reference differ in "{other[0]}"; rate the same systems in both')
    values = [float(board[system]) for system in systems]
    if not np.isfinite(values).all():
        bad = systems[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise InvalidInput(f'boards: {name} has no finite rating of "{bad}"; leave the system out of all')
    return values
