"""Cells to be judged, one row for every call, in the order of asking: the waist of the package on the way in."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.roles import REPLICATE
from quorate.table.columns.labels import label
from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import literal
from quorate.table.files import SUFFIXES
from quorate.table.results import frame
from quorate.wording import brief
from quorate.writing import check_place, write_file

_OPTIONS = {"csv": "FORMAT csv, HEADER", "json": "FORMAT json", "parquet": "FORMAT parquet"}
_ONLY_READ = (".txt", ".json")
_SHOWN = 40


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """What is to be judged: one row for every call, in the order of asking.

    Parameters
    ----------
    levels : mapping of str to tuple of str
        Labels of every facet, by column in the order of the columns; what is measured comes first.
    codes : array of int32, shape (calls, facets)
        Label of each facet in every row, as an index into its ``levels``.
    replicate : array of int64, shape (calls,)
        Which answer of its cell a call asks for, from 1.
    nested : mapping of str to str
        Facets that are nested in others, such as items in categories.
    """

    levels: Mapping[str, tuple[str, ...]]
    codes: NDArray[np.int32]
    replicate: Ints
    nested: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {len(labels)}" for name, labels in self.levels.items())
        return brief(type(self).__name__, f"{len(self)} calls; labels: {parts}")

    @property
    def object(self) -> str:
        """Role of what is measured."""
        return next(iter(self.levels))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: what is measured, the other facets, and the replicate."""
        return (*self.levels, REPLICATE)

    def code(self, name: str) -> NDArray[np.int32]:
        """Label of a facet in every row, as an index into its levels; shape (calls,).

        Raises
        ------
        InvalidInput
            If there is no such facet.
        """
        if name not in self.levels:
            raise InvalidInput(f'name: no column "{name}"; there are {", ".join(self.columns)}')
        return self.codes[:, list(self.levels).index(name)]

    def column(self, name: str) -> NDArray[Any]:
        """A column as labels, or as numbers for the replicate; shape (calls,).

        Raises
        ------
        InvalidInput
            If there is no such column.
        """
        if name == REPLICATE:
            return self.replicate
        codes = self.code(name)
        labels = np.empty(len(self.levels[name]), dtype=object)
        labels[:] = self.levels[name]
        return labels[codes]

    def calls(self, name: str = "judge") -> dict[str, int]:
        """Calls by label of a facet, such as by judge."""
        counts = np.bincount(self.code(name), minlength=len(self.levels[name]))
        return dict(zip(self.levels[name], counts.tolist(), strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """The rows as a data frame.

        Parameters
        ----------
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the frame; the first that is installed unless given.
        """
        return frame({name: self.column(name).tolist() for name in self.columns}, backend)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows to a file that a runner executes and a spreadsheet shows; whole or not at all.

        A file of that name is replaced. Labels are written as they are, in UTF-8: in a CSV they are quoted where they
        hold a delimiter, a quote or a line end, and not changed in any other way.

        Parameters
        ----------
        path : path
            Ends in .csv, .tsv, .jsonl, .ndjson, .parquet or .pq, which says the format.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            If the name says no format, or the file cannot be written.
        """
        return write_columns({name: self.column(name) for name in self.columns}, Path(path))

    def keep(self, mask: NDArray[np.bool_]) -> Cells:
        """The rows where ``mask``, shape (calls,), is true; labels stay as they are."""
        return Cells(self.levels, self.codes[mask], self.replicate[mask], self.nested)


def completed(cells: Cells, items: int, replicates: int) -> tuple[Cells, NDArray[np.bool_]]:
    """The same rows, and the first items in every combination of the labels that they were not to be judged in.

    Parameters
    ----------
    cells : Cells
        Rows of an item follow each other.
    items : int
        How many items, from the first.
    replicates : int
        Answers per cell of these items.

    Returns
    -------
    Cells
        Those items first.
    array of bool, shape (calls,)
        Whether a row was added.
    """
    item = cells.codes[:, 0]
    first = np.sort(np.unique(item, return_index=True)[1])[:items]
    mine = np.isin(item, item[first])
    above = {name for child, name in cells.nested.items() if child == cells.object}
    crossed = [at for at, name in enumerate(cells.levels) if at and name not in above]
    sizes = [len(labels) for at, labels in enumerate(cells.levels.values()) if at in crossed]
    one = math.prod(sizes) * replicates
    place = np.empty(len(next(iter(cells.levels.values()))), dtype=np.int64)
    place[item[first]] = np.arange(len(first))
    old = place[item[mine]]
    for at, size in zip(crossed, sizes, strict=True):
        old = old * size + cells.codes[mine, at]
    old = old * replicates + cells.replicate[mine] - 1
    new = np.arange(len(first) * one)
    codes = np.repeat(cells.codes[first], one, axis=0)
    for at, level in zip(crossed, np.unravel_index(new // replicates % math.prod(sizes), sizes), strict=True):
        codes[:, at] = level
    rest = cells.keep(~mine)
    added = np.concatenate([~np.isin(new, old), np.zeros(len(rest), dtype=bool)])
    every = np.concatenate([codes, rest.codes])
    replicate = np.concatenate([new % replicates + 1, rest.replicate])
    return Cells(cells.levels, every, replicate, cells.nested), added


def labels(values: Iterable[object], argument: str, *, repeated: bool = False) -> tuple[str, ...]:
    """Labels as text, each given once unless they may be ``repeated``.

    Raises
    ------
    InvalidInput
        If they are no sequence, or one is empty, not writable as UTF-8, or given twice.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidInput(f"{argument}: expects a sequence of labels, got {_shown(values)}; put it in a list")
    out = tuple(value if type(value) is str else _text(value, argument) for value in values)
    if not all(map(str.strip, out)):
        place = next(at for at, one in enumerate(out, 1) if not one or one.isspace())
        raise InvalidInput(f"{argument}: label number {place} is empty; every label needs text")
    if not repeated and len(set(out)) < len(out):
        seen: set[str] = set()
        twice = next(one for one in out if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise InvalidInput(f"{argument}: {_shown(twice)} is given twice; give each label once")
    whole = "\n".join(out)
    try:
        whole.encode("utf-8")
    except UnicodeEncodeError:
        broken = next(text for text in out if any("\ud800" <= mark <= "\udfff" for mark in text))
        raise InvalidInput(f"{argument}: {_shown(broken)} is not valid Unicode; save the labels as UTF-8") from None
    if "\0" in whole:
        raise InvalidInput(f"{argument}: a label holds a null character; remove it")
    return out


def _text(value: object, argument: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise InvalidInput(f"{argument}: a label is missing ({value}); every label needs text")
    if isinstance(value, (bytes, dict, list, tuple, set)):
        raise InvalidInput(f"{argument}: labels are text or numbers, got {_shown(value)}")
    return label(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def write_columns(columns: Mapping[str, NDArray[Any]], target: Path) -> Path:
    """Write columns to a file, whole or not at all; arguments and errors are those of `Cells.write`.

    Parameters
    ----------
    columns : mapping of str to array, shape (rows,)
        Values by name, in order.
    target : Path
        The file, whose ending says the format.
    """
    import duckdb

    kind = writable(target)
    delimiter = "\t" if target.suffix.lower() == ".tsv" else ","
    options = _OPTIONS[kind] + (f", DELIMITER {literal(delimiter)}" if kind == "csv" else "")

    def write(path: Path) -> None:
        with connection() as own:
            own.register("cells", dict(columns))
            own.execute(f"COPY (SELECT * FROM cells) TO {literal(str(path.absolute()))} ({options})")

    try:
        return write_file(target, write)
    except duckdb.Error as error:
        number = re.search(r'"errno":"(\d+)"', str(error))  # of the system, in the middle of much else
        reason = os.strerror(int(number[1])) if number else str(error).split("\n", maxsplit=1)[0]
        raise InvalidInput(f"path: {target} cannot be written ({reason}); choose another place") from error


def writable(path: Path, argument: str = "path") -> str:
    """The format of a file to write, by the end of its name.

    Raises
    ------
    InvalidInput
        If the name says none, or no file can be there.
    """
    form = SUFFIXES.get(path.suffix.lower())
    if form is None or form.sheets or path.suffix.lower() in _ONLY_READ:
        raise InvalidInput(f'{argument}: must end in .csv, .tsv, .jsonl or .parquet, got "{path.name}"')
    if not path.parent.is_dir():
        raise InvalidInput(f"{argument}: there is no folder {path.parent}; make it first, or choose another place")
    check_place(path, argument)
    return form.name
