"""CSV and TSV: every column as text, by the names of the first line."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.format import Format, Opened, head, literal, pattern, refuse_matrix, suffix_of

if TYPE_CHECKING:
    import duckdb

_DELIMITERS = (",", "\t", ";", "|")


def open_csv(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """Lines of delimited text: with tabs where the name says TSV, else with what its header has most of."""
    text = head(path)
    delimiter = delimiter_of(path, text)
    try:
        names: Sequence[str] = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InvalidData(f"{path}: line 1 is not a header ({error})") from error
    if not names:
        raise InvalidData(f"{path}: is empty; the first line must name the columns")
    refuse_matrix(path, len(names))
    columns = tuple(name.strip() or f"column{place}" for place, name in enumerate(names, 1))
    repeated = next((name for name, times in Counter(columns).items() if times > 1), None)
    if repeated is not None:
        raise InvalidData(f'{path}: two columns are named "{repeated}"; rename one')
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    relation = connection.sql(
        f"SELECT * FROM read_csv({pattern(path)}, delim={literal(delimiter)}, quote='\"', escape='\"', header=true, "
        f"auto_detect=false, hive_partitioning=false, columns={{{types}}})"
    )
    return Opened(relation, columns, typed=False)


def delimiter_of(path: Path, text: str) -> str:
    """What stands between the columns of a file that begins like this."""
    unquoted = re.sub(r'"[^"]*"', "", text)
    header = re.split(r"[\r\n]", unquoted.lstrip("\r\n"), maxsplit=1)[0]
    return "\t" if suffix_of(path) == ".tsv" else max(_DELIMITERS, key=header.count)


FORMAT = Format("csv", open_csv, suffixes=(".csv", ".tsv"))
