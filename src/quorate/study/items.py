"""Items of a study: rows of a file, by name and, where there are several, by system.

Items that are pairs of responses by two named systems are laid out row by row.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from quorate.collect.ledger.plan import digest
from quorate.errors import InvalidData, UnknownColumn
from quorate.study.file import Items
from quorate.table.cells import Cells
from quorate.table.columns.labels import label
from quorate.table.exchange.format import PAIR
from quorate.table.exchange.ordinary import ordinary
from quorate.table.files import SUFFIXES, opened

Row = Mapping[str, Any]
Name = tuple[str, ...]
SYSTEM_A, SYSTEM_B = PAIR
_PAIR_ROLES = ("item", SYSTEM_A, SYSTEM_B)
_TEXTS = ("prompt", "conversation", "response", "response_a", "response_b")
_MOST_LINE = 16 * 1024 * 1024


@dataclass(frozen=True, eq=False)
class ItemTable:
    """What is to be judged.

    Parameters
    ----------
    fields : mapping of tuple of str to mapping
        What judges may see of each item, by its name and its system, which is empty where there is none; or by its
        name and the two systems that it compares.
    categories : mapping of str to str
        Category of each item, where there are any.
    systems : tuple of str
        Systems in the order of the file.
    empty : mapping of tuple of str to tuple
        Of items with fields without a value, such as null: the row, and these fields.
    """

    fields: Mapping[Name, Row]
    categories: Mapping[str, str]
    systems: tuple[str, ...]
    empty: Mapping[Name, tuple[int, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the items, in the order of the file."""
        return tuple(dict.fromkeys(item for item, *_ in self.fields))

    @property
    def pairs(self) -> bool:
        """Whether every item is a pair of responses whose systems are named."""
        return len(next(iter(self.fields), ())) > 2  # all rows of a file have names of one kind

    def digest(self, name: Name) -> str:
        """Hash of one item as judges see it, and of its name."""
        return digest([*name, dict(self.fields[name])])


def read_items(items: Items, folder: Path) -> ItemTable:
    """The items of a file.

    Raises
    ------
    InvalidInput
        If a column is missing, an item has no name or stands twice, or a system did not answer an item.
    """
    path = folder / items.file
    named = {role: name for role, name in vars(items).items() if role != "file" and name is not None}
    fields: dict[Name, Row] = {}
    categories: dict[str, str] = {}
    empty: dict[Name, tuple[int, tuple[str, ...]]] = {}
    for number, row in enumerate(rows_of(path), 1):
        known = {role: _label(row, name, role, f"{path}: row {number}") for role, name in named.items()}
        if "system_a" in known:
            key: Name = (known["id"], known["system_a"], known["system_b"])
        else:
            key = (known["id"], known.get("system", ""))
        if key in fields:
            raise InvalidData(f"{path}: row {number}: {shown(key)} stands twice; give every row its own name")
        if len(key) > 2 and key[1] == key[2]:
            raise InvalidData(f'{path}: row {number}: compares "{key[1]}" with itself; drop the row')
        fields[key] = {name: value for name, value in row.items() if name not in named.values() and value is not None}
        if absent := tuple(name for name, value in row.items() if value is None):
            empty[key] = number, absent
        _check_fields(fields[key], f"{path}: row {number}", key)
        if categories.setdefault(key[0], known.get("category", "")) != known.get("category", ""):
            raise InvalidData(f"{path}: row {number}: {shown(key)} has another category than before; give it one")
    if not fields:
        raise InvalidData(f"{path}: there are no items in it")
    systems = tuple(dict.fromkeys(name[1] for name in fields if len(name) == 2 and name[1]))
    for item in dict.fromkeys(item for item, *_ in fields) if systems else ():
        lacking = next((system for system in systems if (item, system) not in fields), None)
        if lacking is not None:
            raise InvalidData(
                f'{path}: "{item}" has no row for the system "{lacking}"; every system answers every item'
            )
    return ItemTable(fields, categories if items.category else {}, systems, empty)


def _check_fields(fields: Row, where: str, key: Name) -> None:
    """Refuse an item of whose usual fields none has text, or with a number that is none."""
    texts = {name: fields[name] for name in _TEXTS if name in fields}
    if texts and all(isinstance(value, str) and not value.strip() for value in texts.values()):
        raise InvalidData(
            f"{where}: {shown(key)}: {' and '.join(texts)} without text give a judge nothing to read; drop the row"
        )
    for name, value in fields.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidData(f'{where}: "{name}" is {value}, which is no number; leave it out')


def _label(row: Row, name: str, role: str, where: str) -> str:
    if name not in row:
        raise UnknownColumn(f"{where}: items.{role}", name, row)
    if row[name] is None or isinstance(row[name], (dict, list)) or not str(row[name]).strip():
        raise InvalidData(f'{where}: "{name}" must be a name, got {json.dumps(row[name])[:60]}')
    return label(row[name])


def shown(name: Name) -> str:
    """The name of an item and of its systems, in a message."""
    systems = " against ".join(f'"{system}"' for system in name[1:] if system)
    return f'"{name[0]}"' + (f" of {systems}" if systems else "")


def numbered(items: ItemTable) -> dict[str, str] | tuple[str, ...]:
    """Every row of items that are pairs under its number, with its category where there are any."""
    places = tuple(str(place) for place in range(len(items.fields)))
    if not items.categories:
        return places
    return {place: items.categories[name[0]] for place, name in zip(places, items.fields, strict=True)}


def paired(cells: Cells, items: ItemTable) -> Cells:
    """Cells of rows under their numbers, as `numbered` gives them, as cells of items and two systems."""
    rows = np.array([int(place) for place in cells.levels["item"]])[cells.code("item")]
    levels: dict[str, tuple[str, ...]] = {}
    columns = []
    for place, role in enumerate(_PAIR_ROLES):
        labels = [name[place] for name in items.fields]
        codes = {text: code for code, text in enumerate(dict.fromkeys(labels))}
        levels[role] = tuple(codes)
        columns.append(np.array([codes[text] for text in labels], dtype=np.int32)[rows])
    others = [name for name in cells.levels if name != "item"]
    columns += [cells.code(name) for name in others]
    levels |= {name: cells.levels[name] for name in others}
    return Cells(levels, np.column_stack(columns), cells.replicate, cells.nested)


# ---- reading rows


def rows_of(path: Path) -> Iterator[Row]:
    """Rows of a file of any kind that tables are read from."""
    form = SUFFIXES.get(path.suffix.lower())
    if form is not None and form.name in ("json", "csv"):
        yield from json_rows(path) if form.name == "json" else csv_rows(path)
        return
    with opened(path) as file:
        for row in file.relation.fetchall():
            yield dict(zip(file.columns, row, strict=True))


def json_rows(path: Path) -> Iterator[Row]:
    """Records of JSON lines as they are: nothing that looks like a date or a number becomes one."""

    def no_constant(name: str) -> float:
        raise ValueError(f"{name} is no JSON value")

    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=no_constant)
            if "\\ud" in line.lower():  # half of a pair of escapes is no character
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise InvalidData(f"{path}: line {number} is not JSON ({error}); write one object per line") from None
        if not isinstance(row, dict):
            raise InvalidData(f"{path}: line {number} is not a JSON object; write one object per line")
        yield row


def _lines(path: Path) -> Iterator[str]:
    try:
        with ordinary(path).open(encoding="utf-8-sig", newline="\n") as stream:
            for number in count(1):
                line = stream.readline(_MOST_LINE + 1)
                if len(line) > _MOST_LINE:
                    raise InvalidData(
                        f"{path}: line {number} is longer than 16 MB; write one row per line, and shorter"
                    )
                if not line:
                    return
                yield line
    except UnicodeDecodeError:
        raise InvalidData(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read ({error.strerror}); items.file is relative to the study") from None


def csv_rows(path: Path) -> Iterator[Row]:
    """Rows of CSV or TSV as text; a cell that is empty is absent."""
    usual = csv.field_size_limit(_MOST_LINE)  # the limit is the whole process's
    reader = csv.DictReader(_lines(path), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
    try:
        for name, times in Counter(reader.fieldnames or ()).items():
            if times > 1:
                raise InvalidData(f'{path}: two columns are called "{name}"; give each its own name')
        for row in reader:
            if None in row or None in row.values():
                raise InvalidData(f"{path}: line {reader.line_num}: more or fewer cells than the header; repair it")
            yield {name: value or None for name, value in row.items()}
    except csv.Error as error:
        raise InvalidData(f"{path}: line {reader.line_num}: {error}; quote values that hold quotes or commas") from None
    finally:
        csv.field_size_limit(usual)
