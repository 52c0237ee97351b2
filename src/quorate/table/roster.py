"""Roster: the cells that may be asked, each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.errors import InvalidInput, UnknownTerm
from quorate.roles import ITEM
from quorate.table.cells import Cells, labels
from quorate.table.collapse.grouped import places
from quorate.table.judgments import Facet, Judgments
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
