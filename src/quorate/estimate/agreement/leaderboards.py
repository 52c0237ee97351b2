"""Agreement of leaderboards with one reference, and whether one of two agrees with it more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import combinations
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, InvalidInput, NotConverged, NotEstimable
from quorate.estimate.agreement.battles import column_of, pairwise_battles
from quorate.estimate.agreement.labelled import people_apart
from quorate.estimate.components.decompose import decompose
from quorate.estimate.means.targets import POPULATION, Target
from quorate.estimate.shares import share_of
from quorate.frozen import dataclass
from quorate.numerics.correlation import kendall, of_pair, pearson, spearman, williams
from quorate.numerics.inference import checked_level
from quorate.numerics.votes.binomial import wilson
from quorate.table.judgments import Judgments, checked
from quorate.table.pairs import BOTH_BAD, TIE
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import at_level

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
    rules.one_of("of", of, Of)
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


# Accuracy of single judgments: of every judge and prompt, allowing for what was drawn, and in every cell by item.


@dataclass(frozen=True)
class Cell:
    """Share of right judgments in one cell.

    Parameters
    ----------
    levels : tuple of str
        Its levels, in the order of the roles.
    n : int
        Judgments.
    clusters : int
        Battles' keys, or items, that they are of.
    value : float
        Share of right ones.
    low, high : float
        Interval of this cell alone, by clusters; nan with one cluster.
    all_low, all_high : float
        Intervals that hold for all cells at once (Bonferroni): read these to pick the best or the worst.
    """

    levels: tuple[str, ...]
    n: int
    clusters: int
    value: float
    low: float
    high: float
    all_low: float
    all_high: float


@dataclass(frozen=True)
class CellAccuracies(Result):
    """Share of right judgments in every cell of some roles.

    Parameters
    ----------
    roles : tuple of str
        What tells cells apart.
    cluster : str
        What judgments of one cell are clustered by.
    level : float
        Coverage of the intervals: of each alone, and of all at once.
    cells : tuple of Cell
        In the order of the levels.
    """

    roles: tuple[str, ...]
    cluster: str
    level: float
    cells: tuple[Cell, ...]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        ends = []
        for choose in (max, min):
            cell = choose(self.cells, key=lambda cell: cell.value)
            interval = f"{cell.all_low:.1%} to {cell.all_high:.1%}"
            ends.append(
                f"{named(cell)} {cell.value:.1%} ({'interval not known' if np.isnan(cell.all_low) else interval})"
            )
        return (
            f"Of {len(self.cells):,} cells of {' and '.join(self.roles)}, judgments are right most often in "
            f"{' and least often in '.join(ends)}; these {at_level(self.level)} intervals hold for all cells at once."
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for every cell."""
        names = [field.name for field in fields(Cell) if field.name != "levels"]
        numbers = [{name: getattr(cell, name) for name in names} for cell in self.cells]
        levels = [dict(zip(self.roles, cell.levels, strict=True)) for cell in self.cells]
        return [labels | row for labels, row in zip(levels, numbers, strict=True)]


def named(cell: Cell) -> str:
    """The levels of a cell in one text."""
    return ", ".join(cell.levels)


def accuracy_by_cell(
    judged: Votes | Judgments,
    human: Votes | str | Collection[str] | None = None,
    *,
    by: Sequence[str] = ("judge", "prompt"),
    key: str = "prompt",
    cluster: str | None = None,
    level: float = 0.95,
) -> CellAccuracies:
    """How often single judgments are right in every cell, such as of judge and prompt, with intervals by item.

    Parameters
    ----------
    judged : Votes or Judgments
        Votes, each right where it says what people said of its battle (a tie where they tie); or right and wrong
        answers as scores 1 and 0.
    human : Votes, str or collection of str, optional
        For votes: what people, or a key, said of each battle; or the levels of ``judge`` that are people.
    by : sequence of str
        Roles that tell cells apart. Of votes, ``order`` is that of the battle's first vote, or the other.
    key : str
        For votes: role of what the two models answered.
    cluster : str, optional
        Role whose judgments may resemble each other; ``key``, or the items, without it.
    level : float
        Coverage of the intervals: of each cell alone, and of all at once.

    Returns
    -------
    CellAccuracies

    Raises
    ------
    InvalidInput
        If an argument is out of range, or people are missing or not asked for.
    InvalidData
        If a score is not from 0 to 1.
    NotEstimable
        If no judgment can be right or wrong.
    UnknownTerm
        If there is no such role or judge.

    Notes
    -----
    Judges and prompts are these; only items are drawn. For other judges and prompts see
    `quorate.estimate.agreement.leaderboards.accuracy`.

    References
    ----------
    ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": list("aabbccdd"), "judge": list("xyxyxyxy"), "score": [1, 1, 0, 1, 1, 1, 0, 1]}
    >>> judges = accuracy_by_cell(q.read(polars.DataFrame(rows), announce=False), by=("judge",))
    >>> [(cell.levels, cell.value, round(cell.low, 2)) for cell in judges.cells]
    [(('x',), 0.5, 0.06), (('y',), 1.0, 0.47)]
    """
    checked_level(level)
    roles = (by,) if isinstance(by, str) else tuple(by)
    if not roles:
        raise InvalidInput("by: at least one role tells cells apart, got none")
    if isinstance(judged, Votes):
        if human is None:
            raise InvalidInput("human: votes of people, or levels of judge that are people, are needed beside votes")
        votes, people = people_apart(judged, human)
        return _of_votes(cast("Votes", votes), cast("Votes", people), (roles, cluster or key, level), key)
    if human is not None:
        raise InvalidInput("human: scores say themselves how right an answer is; leave it out")
    table = _right_or_wrong(checked(judged))
    name = cluster or table.object
    columns = [(table.column(role).astype(np.int64), table.facet(role).levels) for role in roles]
    answers = np.nan_to_num(table.mean), table.n.astype(float), np.nan_to_num(table.ss)
    return _cells(columns, answers, table.level_codes([name]).astype(np.int64), table.n > 0, (roles, name, level))


def _of_votes(votes: Votes, people: Votes, options: tuple[tuple[str, ...], str, float], key: str) -> CellAccuracies:
    roles, cluster, _ = options
    outcome = np.where(votes.outcome == BOTH_BAD, TIE, votes.outcome)
    # What people say of the battle of every vote; -1 where they do not.
    truth = pairwise_battles(people, key=key)
    known = dict(zip(truth.keys, truth.verdicts.tolist(), strict=True))
    labels, models = votes.facet(key).levels, votes.models
    rows = zip(votes.column(key).tolist(), votes.model_a.tolist(), votes.model_b.tolist(), strict=True)
    wanted = np.array([known.get((labels[k], models[a], models[b]), -1) if k >= 0 else -1 for k, a, b in rows])
    usable = (wanted >= 0) & (outcome <= TIE)
    if not usable.any():
        raise NotEstimable("votes: none is of a battle that people decided")
    columns = [column_of(votes, role, key) for role in roles]
    code = votes.column(cluster).astype(np.int64)
    right, weight = (outcome == wanted).astype(float), votes.weights.astype(float)
    return _cells(columns, (right, weight, np.zeros(len(right))), code, usable, options)


def _cells(
    columns: Sequence[tuple[Ints, tuple[str, ...]]],
    answers: tuple[Floats, Floats, Floats],
    code: Ints,
    usable: NDArray[np.bool_],
    options: tuple[tuple[str, ...], str, float],
) -> CellAccuracies:
    """Every cell that there is; answers are means, how many each is of, and their sums of squares about it."""
    roles, cluster, level = options
    codes = np.column_stack([column for column, _ in columns])
    usable = usable & (codes >= 0).all(axis=1) & (code >= 0)
    occurring, place = np.unique(codes[usable], axis=0, return_inverse=True)
    all_levels = 1 - (1 - level) / max(len(occurring), 1)
    out = []
    for at, cell in enumerate(occurring.tolist()):
        rows = np.flatnonzero(usable)[place.ravel() == at]
        levels = tuple(labels[i] for i, (_, labels) in zip(cell, columns, strict=True))
        value, weight, within = (part[rows] for part in answers)
        found, drawn = share_of(value, code[rows], level, weight, within), len(np.unique(code[rows]))
        out.append(Cell(levels, found.n, drawn, found.value, *found.ends, *found.at(all_levels).ends))
    return CellAccuracies(roles, cluster, level, tuple(out))


ALL = "all"


@dataclass(frozen=True)
class Accuracy(Result):
    """Share of right answers.

    Parameters
    ----------
    facet, level : str
        Whose: a judge, a prompt, or ``all``.
    n : int
        Answers.
    value : float
        Share of right ones, levels weighing equally.
    low, high : float
        Interval for other levels of what was drawn; nan where ``reason`` says why.
    naive_low, naive_high : float
        Wilson's interval, with all answers taken as independent.
    drawn : tuple of str
        Facets that were taken as drawn.
    reason : str
        Why there is no interval; empty where there is.
    """

    facet: str
    level: str
    n: int
    value: float
    low: float
    high: float
    naive_low: float
    naive_high: float
    drawn: tuple[str, ...]
    reason: str = ""


def accuracy(
    judgments: Judgments,
    facets: Sequence[str] = ("judge", "prompt"),
    *,
    drawn: Collection[str] = ("prompt", "judge"),
    level: float = 0.95,
) -> tuple[Accuracy, ...]:
    """How often judges are right against a key: in all, by judge and by prompt.

    Parameters
    ----------
    judgments : Judgments
        Whether each answer is right, as scores 0 and 1.
    facets : sequence of str
        Roles whose levels are looked at one by one; those that the table does not have are left out.
    drawn : collection of str
        Facets, beside the items, that stand for others like them. Of a single level, none is.
    level : float
        Coverage of the intervals.

    Returns
    -------
    tuple of Accuracy
        In all first, then every level of every facet.

    Raises
    ------
    InvalidData
        If a score is not from 0 to 1.
    InvalidInput
        If the level is no share.

    References
    ----------
    Intervals: ``docs/methods/intervals.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "judge": list("xyxyxyxy"), "score": [1, 1, 0, 1, 1, 1, 0, 1]}
    >>> [(row.level, row.value) for row in accuracy(q.read(polars.DataFrame(rows), announce=False))]
    [('all', 0.75), ('x', 0.5), ('y', 1.0)]
    """
    table = _right_or_wrong(checked(judgments))
    checked_level(level)
    named = [(facet, name) for facet in facets if facet in table.names for name in table.facet(facet).levels]
    parts = [((ALL, ALL), table), *((pair, table.only(*pair)) for pair in named)]
    found = []
    for (facet, name), part in parts:
        n = part.n_answers
        if part is not table and not n:
            continue
        right = float(np.nansum(part.n * part.mean))
        naive = tuple(float(end) for end in wilson(right, n, level))
        chosen = [other for other in part.names if other in drawn and other != facet and part.n_levels(other) > 1]
        targets: dict[str, Target] = dict.fromkeys(chosen, POPULATION)
        value, low, high, reason = right / n, np.nan, np.nan, ""
        try:
            estimate = decompose(part).mean_for(**targets)
            value = estimate.value
            low, high = estimate.at(level).ends
        except (NotEstimable, NotConverged) as error:
            reason = str(error)
        found.append(Accuracy(facet, name, n, value, low, high, naive[0], naive[1], (part.object, *chosen), reason))
    return tuple(found)


def _right_or_wrong(judgments: Judgments) -> Judgments:
    """The judgments, refused where a score is not from 0 to 1."""
    if np.nanmin(judgments.low) < 0 or np.nanmax(judgments.high) > 1:
        ends = f"{np.nanmin(judgments.low):g} to {np.nanmax(judgments.high):g}"
        raise InvalidData(f"accuracy: scores must say how right an answer is, from 0 to 1; got {ends}")
    return judgments
