"""Judgments, collapsed to one row per cell: the waist of the package.

A *cell* is one combination of the levels of every facet except the replicate. All estimators need of the raw rows is,
per cell, how many answers there are, their mean and their sum of squares; this is the only form in which judgments
travel, so the cost of everything after reading depends on cells, not rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import dense
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.table.facets import MEMORY, Facet, Source, narrowed, used_levels
from quorate.table.facts.describe import Description, ScoreFacts, describe, score_facts
from quorate.table.notes import Note
from quorate.wording import brief

if TYPE_CHECKING:
    from quorate.table.columns.roles import Roles
    from quorate.table.columns.scales import Missing
    from quorate.table.exchange.rows import Rows
    from quorate.table.results import Written


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """What judgments were read from and as what, so that single answers can be read again when they are wanted.

    Parameters
    ----------
    source : path or frame
        As given: nothing of it is copied.
    roles : Roles
        Columns by role.
    missing : Missing
        Scores that stand for no score.
    rows : Rows
        Which rows are read.
    write : callable
        Writes the rows behind judgments, or behind a part of them, to a file.
    """

    source: Any
    roles: Roles
    missing: Missing
    rows: Rows
    write: Callable[[Judgments, Path], Written]


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """Scores by cell, with their facets, statuses and source.

    Parameters
    ----------
    facets : tuple of Facet
        In the order they were declared; parents that were only named follow.
    object : str
        Role of the object of measurement, usually ``item``.
    score : str
        Column of the score.
    codes : array of int32, shape (cells, facets)
        Level of each facet, as an index into its ``levels``. A nested facet keeps its own label here; use
        `level_codes` for the combination with its parents.
    n, mean, ss, low, high : arrays, shape (cells,)
        Answers with status ``ok``: how many, their mean, sum of squares about the mean, least and greatest. ``mean``,
        ``low`` and ``high`` are nan where ``n`` is 0.
    status : mapping of str to array of int64, shape (cells,)
        Rows per status; only statuses that occur.
    replicate : str, optional
        Column that tells replicates apart.
    distinct : array of int64, shape (cells,), optional
        Distinct replicate ids per cell; fewer than rows means that a key is repeated.
    source : Source
        Where the rows came from.
    notes : tuple of Note
        What reading decided for the user, such as aliases taken.
    scale : (float, float), optional
        Least and greatest score that there can be, as declared.
    origin : Origin, optional
        What to read again for single answers; see `quorate.table.reread`.
    labels : tuple of str
        Labels, where answers are no scores but places among these; see `quorate.scores.labels`.
    """

    facets: tuple[Facet, ...]
    object: str
    score: str
    codes: NDArray[np.int32]
    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    ss: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    status: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    replicate: str | None = None
    distinct: NDArray[np.int64] | None = None
    source: Source = MEMORY
    notes: tuple[Note, ...] = ()
    scale: tuple[float, float] | None = None
    origin: Origin | None = None
    labels: tuple[str, ...] = ()

    def __repr__(self) -> str:
        levels = ", ".join(f"{facet.name} {len(facet.levels)}" for facet in self.facets)
        return brief("Judgments", f"{self.n_answers} answers in {self.n_cells} cells; levels: {levels}")

    @property
    def n_cells(self) -> int:
        """Number of cells with at least one row, answered or not."""
        return len(self.n)

    @property
    def n_answers(self) -> int:
        """Number of rows with a usable score."""
        return int(self.n.sum())

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows per cell, whatever their status; shape (cells,)."""
        return np.sum(list(self.status.values()), axis=0, dtype=np.int64) if self.status else self.n

    @cached_property
    def score_facts(self) -> ScoreFacts:
        """Range of the scores, and what values they take."""
        return score_facts(self)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Roles of the facets."""
        return tuple(facet.name for facet in self.facets)

    def facet(self, name: str) -> Facet:
        """The facet with this role.

        Raises
        ------
        UnknownTerm
            If there is none.
        """
        return self.facets[self._position(name)]

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Roles of the facets that ``name`` is nested in, nearest first."""
        parent = self.facet(name).parent
        return () if parent is None else (parent, *self.ancestors(parent))

    def column(self, name: str) -> NDArray[np.int32]:
        """Label index of a facet in every cell, shape (cells,)."""
        return self.codes[:, self._position(name)]

    def level_codes(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Dense codes 0, 1, ... of the combinations of these facets, parents included; shape (cells,)."""
        closed = tuple(dict.fromkeys(n for name in names for n in (name, *self.ancestors(name))))
        if closed not in self._coded:
            self._coded[closed] = self._codes_of(closed)
            self._coded[closed].flags.writeable = False
        return self._coded[closed]

    @cached_property
    def _coded(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        """Codes that were made already: one analysis asks for the same few a hundred times."""
        return {}

    def _codes_of(self, closed: Sequence[str]) -> NDArray[np.int64]:
        if not closed or not self.n_cells:
            return np.zeros(self.n_cells, dtype=np.int64)
        key, span = self.column(closed[0]).astype(np.int64), len(self.facet(closed[0]).levels)
        for name in closed[1:]:
            size = len(self.facet(name).levels)
            if span > 2**62 // size:
                key = dense(key)
                span = int(key.max(initial=0)) + 1
            key, span = key * size + self.column(name), span * size
        return key if len(closed) == 1 else dense(key)

    def n_levels(self, name: str) -> int:
        """Number of levels of a facet, counted within its parents."""
        if name not in self._levels:
            self._levels[name] = int(self.level_codes([name]).max(initial=-1)) + 1
        return self._levels[name]

    @cached_property
    def _levels(self) -> dict[str, int]:
        """Numbers of levels that were counted already: contrasts of a thousand systems ask for the same few."""
        return {}

    def keep(self, mask: NDArray[np.bool_]) -> Judgments:
        """The judgments where ``mask``, shape (cells,), is true; levels that no longer occur are dropped."""
        kept = np.flatnonzero(mask)
        part = self if len(kept) == self.n_cells else self.at(kept)
        used = [used_levels(facet.levels, part.codes[:, place]) for place, facet in enumerate(self.facets)]
        facets = tuple(narrowed(facet, which) for facet, (_, which) in zip(self.facets, used, strict=True))
        if all(new is old for new, old in zip(facets, self.facets, strict=True)):
            return part
        return replace(part, codes=np.column_stack([column for (column,), _ in used]), facets=facets)

    def at(self, cells: NDArray[np.int64]) -> Judgments:
        """The cells at these places, with all levels."""
        arrays: dict[str, Any] = {name: getattr(self, name)[cells] for name in ("n", "mean", "ss", "low", "high")}
        status = {name: counts[cells] for name, counts in self.status.items()}
        distinct = None if self.distinct is None else self.distinct[cells]
        return replace(self, codes=self.codes[cells], status=status, distinct=distinct, **arrays)

    def turned(self, about: float) -> Judgments:
        """The same judgments, every score taken from a number: where less is better, more is then."""
        scale = self.scale and (about - self.scale[1], about - self.scale[0])
        return replace(self, mean=about - self.mean, low=about - self.high, high=about - self.low, scale=scale)

    def only(self, name: str, level: str) -> Judgments:
        """The judgments at one level of a facet."""
        return self.keep(self.column(name) == self.level_index(name, level))

    def without(self, name: str, level: str) -> Judgments:
        """The judgments at every other level of a facet."""
        return self.keep(self.column(name) != self.level_index(name, level))

    def level_index(self, name: str, level: str) -> int:
        """Index of a level's label.

        Raises
        ------
        UnknownTerm
            If the facet has no such level.
        """
        levels = self.facet(name).levels
        if level not in levels:
            raise UnknownTerm(level, levels, name)
        return levels.index(level)

    def describe(self) -> Description:
        """Facts about these judgments: facets, crossing, balance, what is missing, repeated or constant."""
        return describe(self)

    def write(self, path: str | os.PathLike[str]) -> Written:
        """Write the judgments to a file that `quorate.read` reads as the same table; whole or not at all.

        One row for each row that was read: the label of every facet under its role, the replicate, the score, empty
        where there is none, and the status. If the facets are not those that were read, it is one row per cell with
        counts, and the notes say so.

        Parameters
        ----------
        path : path
            Ends in .csv, .tsv, .jsonl, .ndjson, .parquet or .pq, which says the format. A file of that name is
            replaced.

        Returns
        -------
        Written
            The file, its rows, what a row is, and what reading it again takes.

        Raises
        ------
        InvalidInput
            If the name says no format, or the file cannot be written.
        InvalidData
            If what the judgments were read from has changed since.
        NotEstimable
            If they were not read from rows; `quorate.export` writes their cells.
        """
        if self.origin is None:
            raise NotEstimable("judgments: hold means, not answers; write their cells with quorate.export")
        return self.origin.write(self, Path(path))

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise UnknownTerm(name, self.names, "facet")
        return self.names.index(name)


def checked(judgments: object) -> Judgments:
    """The argument, if it is a table of judgments whose answers are scores.

    Raises
    ------
    InvalidInput
        If it is anything else, such as the path of a file, or if answers are labels.
    """
    if table_of(judgments).labels:
        raise InvalidInput(
            "judgments: hold labels, which are no numbers to compute with: quorate.labels, or quorate analyze, says "
            "how common each is. To have the share of one as the score read them with "
            + argument("label", table_of(judgments).labels[0])
        )
    return table_of(judgments)


def table_of(judgments: object) -> Judgments:
    """The argument, if it is a table of judgments, of scores or of labels.

    Raises
    ------
    InvalidInput
        If it is anything else.
    """
    if not isinstance(judgments, Judgments):
        kind = type(judgments).__name__
        raise InvalidInput(f"judgments: expects what quorate.read returns, got {kind}; read it first")
    return judgments
