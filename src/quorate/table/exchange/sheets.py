"""Spreadsheets: Excel and OpenDocument, whose sheets are tables of text as those of CSV are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.csv_text import as_text, columns_by
from quorate.table.exchange.foreign.together import as_levels
from quorate.table.exchange.format import Format, Opened
from quorate.wording import listed

if TYPE_CHECKING:
    import duckdb


def open_sheets(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None = None) -> Opened:
    """The sheet that holds a table, or sheets with the same columns, each a level.

    Raises
    ------
    InvalidData
        If it is no spreadsheet, or no sheet holds a table.
    InvalidInput
        If its sheets are not one table and ``part`` does not say which are meant.
    """
    import python_calamine

    try:
        book = python_calamine.load_workbook(str(path))
        found = {name: _rows(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names}
    except python_calamine.CalamineError as error:
        raise InvalidData(f"{path}: is no spreadsheet that can be read ({error}); save it anew or export it") from error
    tables = {name: rows for name, rows in found.items() if len(rows) > 1}
    wanted = [*tables] if part is None else [name.strip() for name in part.split(",")]
    for name in wanted:
        if name not in tables:
            raise InvalidInput(f'part: no sheet "{name}" with a table in {path.name}; it has {listed(list(tables))}')
    if not wanted:
        raise InvalidData(f"{path}: no sheet holds a table; the first row must name the columns")
    opened = {name: _table(connection, path, tables[name]) for name in wanted}
    columns = {name: one.columns for name, one in opened.items()}
    if len({*columns.values()}) > 1:
        alike = max(columns.values(), key=[*columns.values()].count)
        sheets = ",".join(name for name, one in columns.items() if one == alike)
        raise InvalidInput(
            f"source: sheets of {path.name} are not one table ({listed(wanted, most=6)}); name those that are, such as "
            + argument("part", sheets)
        )
    return as_levels(opened, "sheet")


def _table(connection: duckdb.DuckDBPyConnection, path: Path, rows: list[list[str]]) -> Opened:
    names, said = columns_by(path, rows[0], rows[1:])
    held = rows if said else rows[1:]
    columns = [[row[place] or None for row in held] for place in range(len(names))]
    return Opened(as_text(connection, columns), names, typed=False, notes=said)


def _rows(cells: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Cells as text, without empty rows and columns, and without a title above the names of the columns."""
    rows = [[_text(cell) for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    filled = [place for place in range(max(map(len, rows), default=0)) if any(row[place] for row in rows)]
    rows = [[row[place] for place in filled] for row in rows]
    titles = takewhile(lambda row: len(filled) > 1 and sum(map(bool, row)) == 1, rows)
    return rows[len([*titles]) :]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return str(cell).strip()


FORMAT = Format("sheets", open_sheets, suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), packed=False, sheets=True)
