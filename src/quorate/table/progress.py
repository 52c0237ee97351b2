"""Progress of collecting: for every cell that may be asked, its answers, its failures, and what is under way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats, Ints, sums
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownColumn, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import ITEM
from quorate.table.cells import Cells, labels
from quorate.table.collapse.grouped import places
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments, checked
from quorate.table.reread import cells_of, reopened
from quorate.table.results import frame
from quorate.wording import Brief


@dataclass(frozen=True, eq=False)
class Roster(Brief):
    """The cells that may be asked, each once.

    Parameters
    ----------
    levels : mapping of str to tuple of str
        Labels of every facet, what is measured first.
    codes : array of int32, shape (cells, facets)
        Label of each facet in every cell, as an index into its ``levels``.
    nested : mapping of str to str
        Facets that are nested in others.
    """

    levels: Mapping[str, tuple[str, ...]]
    codes: NDArray[np.int32]
    nested: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.codes)

    def cells(self, rows: Ints, replicate: Ints) -> Cells:
        """Calls of some cells."""
        return Cells(self.levels, self.codes[rows], replicate, self.nested)

    def names(self, rows: Ints | slice = slice(None), *, without: Iterable[str] = ()) -> list[str]:
        """The cells in words: their labels, by the facets that vary."""
        gone = set(without)
        shown = [name for name, given in self.levels.items() if name not in gone and len(given) > 1]
        shown = shown or [next(iter(self.levels))]
        columns = [np.array(self.levels[name], dtype=object)[self.column(name)[rows]] for name in shown]
        return [", ".join(row) for row in zip(*columns, strict=True)]

    def column(self, name: str) -> NDArray[np.int32]:
        """Label index of a facet in every cell.

        Raises
        ------
        UnknownTerm
            If there is no such facet.
        """
        if name not in self.levels:
            raise UnknownTerm(name, self.levels, "facet")
        return self.codes[:, list(self.levels).index(name)]

    def find(self, levels: Mapping[str, tuple[str, ...]], codes: NDArray[Any]) -> Ints:
        """Cell for every row of codes, which may be into other levels of the same facets.

        Raises
        ------
        InvalidInput
            If a facet is missing, or a row is no cell of the roster.
        """
        if levels is not self.levels:
            columns, position = [], {name: place for place, name in enumerate(levels)}
            for name, own in self.levels.items():
                if name not in position:
                    raise InvalidInput(f'cells: no facet "{name}"; there are {", ".join(levels)}')
                index = {label: code for code, label in enumerate(own)}
                lookup = np.array([index.get(label, -1) for label in levels[name]], dtype=np.int64)
                columns.append(lookup[codes[:, position[name]]])
            codes = np.column_stack(columns)
        facets = [Facet(name, name, own) for name, own in self.levels.items()]
        cell = places(self.codes, codes, facets)
        if (cell < 0).any():
            raise InvalidInput(f"cells: {int((cell < 0).sum())} of {len(cell)} are not among those that may be asked")
        return cell

    def same(self, other: Roster) -> bool:
        """Whether the cells are the same, in the same order."""
        if self is other:
            return True
        alike = dict(self.levels) == dict(other.levels) and self.codes.shape == other.codes.shape
        return alike and list(self.levels) == list(other.levels) and bool((self.codes == other.codes).all())


def crossed(arms: Iterable[object] | Mapping[str, Iterable[object]]) -> Roster:
    """All combinations of labels of some facets, or of items alone.

    Raises
    ------
    InvalidInput
        If there are none, or a label is empty or given twice.
    """
    given = arms if isinstance(arms, Mapping) else {ITEM: arms}
    levels = {name: labels(values, name if isinstance(arms, Mapping) else "arms") for name, values in given.items()}
    if not levels or not all(levels.values()):
        raise InvalidInput("arms: name at least one label of every facet")
    axes = np.meshgrid(*(np.arange(len(own), dtype=np.int32) for own in levels.values()), indexing="ij")
    return Roster(levels, np.column_stack([axis.ravel() for axis in axes]))


def judged(judgments: Judgments, attribute: str | None = None) -> Roster:
    """The cells of judgments, each once whatever its attributes.

    Raises
    ------
    InvalidInput
        If the attribute is what is measured.
    """
    if attribute is not None and judgments.facet(attribute).name == judgments.object:
        raise InvalidInput(f'attribute: a facet other than the object of measurement, got "{attribute}"')
    others = sorted((name for name in judgments.names if name != attribute), key=lambda name: name != judgments.object)
    codes = np.column_stack([judgments.column(name) for name in others])
    levels = {name: judgments.facet(name).levels for name in others}
    nested = {name: parent for name in others if (parent := judgments.facet(name).parent) is not None}
    first = np.sort(np.unique(judgments.level_codes(others), return_index=True)[1])
    return Roster(levels, codes[first], nested)


# Columns read again from where judgments came from: a value of every item, the highest replicate of every cell.


_MOST = 2**53


def item_values(judgments: Judgments, column: str) -> dict[str, float]:
    """The value of every item in a column of numbers that repeats it on each of the item's rows, such as a human score.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, whole or a part, such as one level of a facet; their source is read again.
    column : str
        Column of the source. What stands for no score there stands for no value here.

    Returns
    -------
    dict of str to float
        By label of the object of measurement; objects without a value are left out.

    Raises
    ------
    InvalidData
        If an object has two values, the column holds what is no number, or the source has changed since.
    NotEstimable
        If the judgments were not read from rows.
    UnknownColumn
        If there is no such column.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"item": ["a", "a", "b"], "score": [3, 5, 4], "human": [4.5, 4.5, None]})
    >>> from quorate.table.read import read
    >>> item_values(read(frame, facets={"item": "item"}), "human")
    {'a': 4.5}
    """
    if judgments.origin is None:
        raise NotEstimable(f'column "{column}": these judgments were not read from rows; pass a mapping instead')
    with reopened(judgments) as source:
        if column not in source.columns:
            raise UnknownColumn("values", column, source.columns)
        again = source.cells(column)
    cell = cells_of(judgments, again.facets)
    some = (again.n > 0) & (cell >= 0)
    place = judgments.column(judgments.object)[cell[some]]
    levels = judgments.facet(judgments.object).levels
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, place, again.low[some])
    np.maximum.at(high, place, again.high[some])
    several = np.flatnonzero(low < high)
    if several.size:
        first = several[0]
        raise InvalidData(
            f'column "{column}": {several.size:,} of {len(levels):,} {judgments.object} labels have several values, '
            f'the first "{levels[first]}" ({low[first]:g} and {high[first]:g}); take one level of what they depend on'
        )
    return {label: float(value) for label, value in zip(levels, low, strict=True) if np.isfinite(value)}


def highest_replicates(judgments: Judgments) -> Ints:
    """The highest replicate number among the rows of every cell, whether answered or not.

    Numbers tell calls apart, and rows need not be there for all of them: answers come in any order and some are lost.
    Where replicates are no numbers, or single rows cannot be read again, it is the number of rows.

    Returns
    -------
    array of int64, shape (cells,)

    Raises
    ------
    InvalidData
        If two rows of a cell have the same replicate, the file has changed since, or a number is beyond 2**53.
    """
    if judgments.distinct is not None and (judgments.distinct < judgments.rows).any():
        twice = int((judgments.distinct < judgments.rows).sum())
        raise InvalidData(f"{judgments.source.name}: {twice:,} cells have two rows of one replicate; keep one of them")
    if judgments.replicate is None or judgments.origin is None:
        return judgments.rows
    with reopened(judgments) as source:
        try:
            again = source.cells(judgments.replicate)
        except InvalidData:  # labels that are no numbers
            return judgments.rows
    cell, top = cells_of(judgments, again.facets), again.high
    if (top > _MOST).any():
        raise InvalidData(f'column "{judgments.replicate}": replicates are numbers up to 2**53, got {np.nanmax(top):g}')
    known = (cell >= 0) & np.isfinite(top)
    out = judgments.rows.copy()
    np.maximum.at(out, cell[known], np.ceil(top[known]).astype(np.int64))
    return out


class Calls(NamedTuple):
    """Single calls, in any order.

    Parameters
    ----------
    cell : array of int64, shape (calls,)
        Cell of the judgments.
    replicate : array, shape (calls,)
        Number of the call in its cell, in the order of asking.
    answered : array of bool, shape (calls,)
        Whether it has a score.
    """

    cell: Ints
    replicate: Floats
    answered: NDArray[np.bool_]


def calls_in_order(judgments: Judgments) -> Calls | None:
    """Every call with its place in the order of its cell; None where replicates are no numbers, so that none is known.

    Raises
    ------
    InvalidData
        If the file has changed since.
    """
    if judgments.replicate is None or judgments.origin is None:
        return None
    with reopened(judgments) as source:
        long = source.rows()
    labels = np.array([""]) if long.replicate is None else long.replicate
    try:
        number = np.array([np.nan if label is None else float(label) for label in labels])
    except ValueError:
        return None
    if np.isnan(number).any():
        return None
    cell = cells_of(judgments, long.facets)
    known = cell >= 0
    return Calls(cell[known], number[known], ~np.isnan(long.score[known]))


@dataclass(frozen=True, eq=False, repr=False)
class Progress:
    """How far collecting is; every change makes a new one.

    An answer that could not be used counts as failed, never as a score.

    Parameters
    ----------
    roster : Roster
        The cells that may be asked.
    n, mean, ss : array, shape (cells,) or (cells, attributes)
        Usable answers, their mean (nan where there is none), and their sum of squares about it.
    failed, pending : array of int64, shape (cells,)
        Calls that did not give an answer (of every attribute), and calls under way.
    attributes : tuple of str
        What every answer scores, where that is more than one thing.
    last : array of int64, shape (cells,), optional
        Highest replicate asked of every cell or answered, lost ones included; the calls unless given.
    streak : array of int64, shape (cells,), optional
        Calls of every cell that failed since its last answer; unless given, all of them where there is no answer.
    bounds : tuple of (float, float)
        Least and greatest score possible, for every attribute; empty where any number is a score.

    Raises
    ------
    InvalidInput
        If an array has another shape, a count is negative, or a mean or sum of squares is no number.

    Examples
    --------
    >>> progress = Progress.start(["a", "b"])
    >>> asked = progress.roster.cells(np.array([0, 0, 1]), np.array([1, 2, 1]))
    >>> progress = progress.asked(asked).answered(asked, [4, 5, None])
    >>> progress
    Progress(2 answers, 1 failed, 0 pending; 2 cells)
    >>> progress.mean.tolist()
    [4.5, nan]
    """

    roster: Roster
    n: Ints
    mean: Floats
    ss: Floats
    failed: Ints
    pending: Ints
    attributes: tuple[str, ...] = ()
    last: Ints | None = None
    streak: Ints | None = None
    bounds: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.roster), len(self.attributes)) if self.attributes else (len(self.roster),)
        for name in ("n", "mean", "ss", "failed", "pending"):
            given, wanted = getattr(self, name).shape, shape if name in ("n", "mean", "ss") else shape[:1]
            if given != wanted:
                raise InvalidInput(f"progress: {name} has shape {given}, not {wanted}")
        for name in ("n", "failed", "pending"):
            least = int(getattr(self, name).min(initial=0))
            if least < 0:
                raise InvalidInput(f"progress: {name} counts calls and cannot be negative, got {least}")
        some = self.n > 0
        known = np.isfinite(self.mean) & np.isfinite(self.ss) & (self.ss >= 0)
        if not (known | ~some).all():
            raise InvalidInput(f"progress: mean or ss of {int((some & ~known).sum())} cells with answers is no number")

    def __repr__(self) -> str:
        answers, failed, pending = int(self.whole.sum()), int(self.failed.sum()), int(self.pending.sum())
        return f"Progress({answers:,} answers, {failed:,} failed, {pending:,} pending; {len(self.roster):,} cells)"

    @property
    def whole(self) -> Ints:
        """Answers that every attribute has, shape (cells,)."""
        return self.n.min(axis=1) if self.attributes else self.n

    @property
    def calls(self) -> Ints:
        """Calls made, whatever became of them, shape (cells,)."""
        return self.whole + self.failed + self.pending

    @property
    def issued(self) -> Ints:
        """Replicates of every cell that are not to be asked again: all up to this one; shape (cells,)."""
        return self.calls if self.last is None else np.maximum(self.last, self.calls)

    @property
    def in_a_row(self) -> Ints:
        """Failures of every cell since its last answer, as far as their order is known, shape (cells,)."""
        return np.where(self.whole == 0, self.failed, 0) if self.streak is None else self.streak

    @classmethod
    def start(
        cls, arms: Roster | Iterable[object] | Mapping[str, Iterable[object]], *, attributes: Iterable[str] = ()
    ) -> Progress:
        """Nothing asked yet.

        Parameters
        ----------
        arms : sequence of labels, or mapping of str to sequence of labels
            Items; or labels of several facets, what is measured first, which are crossed.
        attributes : sequence of str
            What every answer scores, where that is more than one thing.
        """
        roster = arms if isinstance(arms, Roster) else crossed(arms)
        names = labels(attributes, "attributes")
        shape = (len(roster), len(names)) if names else (len(roster),)
        zeros = np.zeros(len(roster), dtype=np.int64)
        return cls(
            roster, np.zeros(shape, dtype=np.int64), np.full(shape, np.nan), np.zeros(shape), zeros, zeros, names
        )

    @classmethod
    def of(
        cls, judgments: Judgments, *, arms: Progress | Roster | None = None, attribute: str | None = None
    ) -> Progress:
        """How far the judgments have come; nothing is under way.

        Parameters
        ----------
        judgments : Judgments
            A row for every call, also for those that failed. A replicate that is a number is taken as that of the
            call, so that no later call has it, and as its place in the order of asking.
        arms : Progress, optional
            What may be asked, such as `Policy.start()`; the cells of the judgments unless given.
        attribute : str, optional
            Facet whose levels are the attributes of one answer.

        Raises
        ------
        InvalidInput
            If the judgments have cells or facets that ``arms`` does not have.
        InvalidData
            If two rows of a cell have the same replicate, or a score is beyond the ``bounds`` of ``arms``.
        """
        given = judged(checked(judgments), attribute)
        roster = given if arms is None else arms.roster if isinstance(arms, Progress) else arms
        names = () if attribute is None else judgments.facet(attribute).levels
        wanted = arms.attributes if isinstance(arms, Progress) else names
        if set(wanted) != set(names):
            raise InvalidInput(f"attribute: the arms have {list(wanted)}, the judgments {list(names)}")
        start = replace(cls.start(roster, attributes=wanted), bounds=arms.bounds if isinstance(arms, Progress) else ())
        told = start.roster.levels
        above = {parent for name in told if name in judgments.names for parent in judgments.ancestors(name)}
        strange = [name for name in judgments.names if name not in {*told, *above, attribute}]
        if strange:
            raise InvalidInput(f'arms: the judgments also have "{strange[0]}", which the arms do not; name it in both')
        at = start.roster.find({facet.name: facet.levels for facet in judgments.facets}, judgments.codes)
        if attribute is not None:
            index = {name: place for place, name in enumerate(start.attributes)}
            lookup = np.array([index[name] for name in judgments.facet(attribute).levels], dtype=np.int64)
            at = at * len(start.attributes) + lookup[judgments.column(attribute)]
        size, shape = start.n.size, start.n.shape
        if np.bincount(at, minlength=size).max(initial=0) > 1:
            raise InvalidInput(
                "arms: several cells of the judgments have the labels of one arm; name all of their facets"
            )
        columns = max(len(start.attributes), 1)
        ends = np.full((2 * len(at), columns), np.nan)  # least and greatest score of every cell, each as if an answer
        ends[np.arange(len(ends)), np.tile(at % columns, 2)] = np.concatenate([judgments.low, judgments.high])
        _check_bounds(start, np.tile(at // columns, 2), ends)
        n, mean, ss = np.zeros(size, dtype=np.int64), np.full(size, np.nan), np.zeros(size)
        n[at], mean[at], ss[at] = judgments.n, judgments.mean, judgments.ss
        rows, last = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        rows[at], last[at] = judgments.rows, highest_replicates(judgments)
        counted = replace(start, n=n.reshape(shape), mean=mean.reshape(shape), ss=ss.reshape(shape))
        made, top = (values.reshape(len(start.roster), -1).max(axis=1) for values in (rows, last))
        failed = made - counted.whole
        calls = calls_in_order(judgments) if (failed * counted.whole).any() else None
        streak = None if calls is None else _streaks(at[calls.cell] // columns, calls, columns, len(start.roster))
        return replace(counted, failed=failed, last=top, streak=streak)

    def asked(self, cells: Cells) -> Progress:
        """After these calls were sent off."""
        rows = self.roster.find(cells.levels, cells.codes)
        pending = self.pending + np.bincount(rows, minlength=len(self.roster))
        return replace(self, pending=pending, last=self._highest(rows, cells))

    def answered(self, cells: Cells, scores: ArrayLike) -> Progress:
        """After these calls came back, whether or not they were counted by `asked`.

        Parameters
        ----------
        cells : Cells
            The calls.
        scores : array, shape (calls,) or (calls, attributes)
            What was scored; None or nan where there is no usable answer, which counts as failed.

        Raises
        ------
        InvalidInput
            If there are not as many scores as calls.
        InvalidData
            If a score is infinite, or beyond the ``bounds``.
        """
        rows = self.roster.find(cells.levels, cells.codes)
        shape = (len(rows), *self.n.shape[1:])
        try:
            x = np.asarray(scores, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput("scores: expects numbers, and None where an answer could not be used") from None
        if x.shape != shape:
            raise InvalidInput(f"scores: {shape} are needed, one for every call, got {x.shape}")
        if np.isinf(x).any():
            raise InvalidData("scores: expects finite numbers, got inf; give None where an answer could not be used")
        _check_bounds(self, rows, x.reshape(len(rows), max(len(self.attributes), 1)))
        came = np.bincount(rows, minlength=len(self.roster))
        n, mean, ss = combined((self.n, self.mean, self.ss), rows, x)
        after = replace(self, n=n, mean=mean, ss=ss, last=self._highest(rows, cells))
        failed = self.whole + self.failed + came - after.whole
        fails = np.asarray(np.isnan(x.reshape(len(rows), max(len(self.attributes), 1))).any(axis=1))
        last, streak = _since_scored(rows, ~fails, len(self.roster))
        streak += np.where(last < 0, self.in_a_row, 0)
        return replace(after, failed=failed, pending=np.maximum(self.pending - came, 0), streak=streak)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per cell: its labels, answers, mean, failures and calls under way."""
        columns: dict[str, Any] = {
            name: np.array(given, dtype=object)[self.roster.column(name)].tolist()
            for name, given in self.roster.levels.items()
        }
        for at, suffix in enumerate([f"_{name}" for name in self.attributes] or [""]):
            columns |= {f"n{suffix}": _at(self.n, at), f"mean{suffix}": _at(self.mean, at)}
        return frame({**columns, "failed": self.failed, "pending": self.pending}, backend)

    def _highest(self, rows: Ints, cells: Cells) -> Ints:
        last = self.issued.copy()
        np.maximum.at(last, rows, cells.replicate)
        return last


def _streaks(rows: Ints, calls: Calls, columns: int, size: int) -> Ints:
    """Calls of every cell since the last one that scored all of its attributes."""
    (row, _), call = np.unique(np.stack([rows, calls.replicate]), axis=1, return_inverse=True)  # in order
    row, whole = row.astype(np.int64), np.bincount(call.ravel(), calls.answered) == columns
    return _since_scored(row, whole, size)[1]


def _since_scored(row: Ints, whole: NDArray[np.bool_], size: int) -> tuple[Ints, Ints]:
    """The last of the calls, in their order, that was scored ``whole``, by row, or -1; and how many came behind it."""
    last = np.full(size, -1)
    np.maximum.at(last, row[whole], np.flatnonzero(whole))
    return last, np.bincount(row[np.arange(len(row)) > last[row]], minlength=size)


def _at(values: NDArray[Any], place: int) -> NDArray[Any]:
    return values if values.ndim == 1 else values[:, place]


def _check_bounds(progress: Progress, rows: Ints, x: Floats) -> None:
    """Refuse scores, shape (calls, attributes), that the scale does not have."""
    for at, (low, high) in enumerate(progress.bounds):
        wrong = np.flatnonzero((x[:, at] < low) | (x[:, at] > high))
        if wrong.size:
            cell = progress.roster.names(rows[wrong[:1]])[0]
            of = f"{progress.attributes[at]} of {cell}" if progress.attributes else cell
            raise InvalidData(
                f'scores: {x[wrong[0], at]:g} for "{of}" is not from {low:g} to {high:g}, the scale of the policy; '
                f"give None where an answer could not be used ({wrong.size:,} in all)"
            )


def combined(before: tuple[Ints, Floats, Floats], rows: Ints, x: Floats) -> tuple[Ints, Floats, Floats]:
    """Counts, means and sums of squares with more answers (Chan, Golub and LeVeque 1983)."""
    own, place = np.unique(rows, return_inverse=True)
    n, mean, ss = before[0].copy(), before[1].copy(), before[2].copy()
    some = ~np.isnan(x)
    weight, value = some.astype(np.float64), np.where(some, x, 0.0)
    more = sums(weight, place, len(own))
    centre = sums(value, place, len(own)) / np.maximum(more, 1)
    spread = sums(weight * (value - centre[place]) ** 2, place, len(own))
    total = n[own] + more
    apart = np.where(n[own] > 0, centre - mean[own], 0.0)
    share = more / np.maximum(total, 1)
    ss[own] += spread + apart**2 * n[own] * share
    mean[own] = np.where(n[own] > 0, mean[own] + apart * share, np.where(more > 0, centre, np.nan))
    n[own] = total.astype(np.int64)
    return n, mean, ss
