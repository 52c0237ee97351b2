"""Rows collapsed to one per cell: arrays by cell and the levels of every facet, of which `Judgments` are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import dense
from quorate.frozen import dataclass
from quorate.table.facets import MEMORY, Facet, Faceted, Source, narrowed, used_levels
from quorate.table.notes import Note

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

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
    write: Callable[[Any, Path], Written]


@dataclass(frozen=True, eq=False, repr=False)
class Collapsed(Faceted):
    """Scores by cell; parameters as for `quorate.Judgments`."""

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
        return reduce(np.add, self.status.values()) if self.status else self.n

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

    def keep(self, mask: NDArray[np.bool_]) -> Self:
        """The judgments where ``mask``, shape (cells,), is true; levels that no longer occur are dropped."""
        kept = np.flatnonzero(mask)
        part = self if len(kept) == self.n_cells else self.at(kept)
        used = [used_levels(facet.levels, part.codes[:, place]) for place, facet in enumerate(self.facets)]
        facets = tuple(narrowed(facet, which) for facet, (_, which) in zip(self.facets, used, strict=True))
        if all(new is old for new, old in zip(facets, self.facets, strict=True)):
            return part
        return replace(part, codes=np.column_stack([column for (column,), _ in used]), facets=facets)

    def at(self, cells: NDArray[np.int64]) -> Self:
        """The cells at these places, with all levels."""
        arrays: dict[str, Any] = {name: getattr(self, name)[cells] for name in ("n", "mean", "ss", "low", "high")}
        status = {name: counts[cells] for name, counts in self.status.items()}
        distinct = None if self.distinct is None else self.distinct[cells]
        return replace(self, codes=self.codes[cells], status=status, distinct=distinct, **arrays)

    def only(self, name: str, level: str) -> Self:
        """The judgments at one level of a facet."""
        return self.keep(self.column(name) == self.level_index(name, level))

    def without(self, name: str, level: str) -> Self:
        """The judgments at every other level of a facet."""
        return self.keep(self.column(name) != self.level_index(name, level))
