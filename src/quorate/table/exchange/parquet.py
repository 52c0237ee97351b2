"""Parquet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.folder import files_of, scan
from quorate.table.exchange.format import Format, Opened, pattern, refuse_matrix
from quorate.table.exchange.ordinary import swells

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".parquet", ".pq")


def open_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A Parquet file, or a folder of them."""
    for file in files_of(path, SUFFIXES) if path.is_dir() else [path]:
        refuse_matrix(file, entries(file))
        ((rows,),) = connection.sql(f"SELECT num_rows FROM parquet_file_metadata({pattern(file)})").fetchall()
        if swells(rows, file.stat().st_size):
            raise InvalidData(f"{file}: has {rows:,} rows that hardly differ; name a file of judgments")
    relation = scan(connection, "read_parquet", path, SUFFIXES)
    return Opened(relation, tuple(relation.columns), typed=True)


def entries(file: Path) -> int:
    """Entries of the schema in a file's footer: columns and parts of them. The engine takes long to read many.

    The footer is a record of Thrift's compact protocol: field 1, the version, a whole number; field 2, the schema, a
    list, whose header has its length in four bits, or if they are all set in the number behind; its first is the whole.
    """
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - 8))
        tail = stream.read(8)
        if len(tail) < 8 or tail[4:] != b"PAR1":
            return 0  # for the engine to refuse
        stream.seek(max(0, file.stat().st_size - 8 - int.from_bytes(tail[:4], "little")))
        head = stream.read(24)
    found = re.match(rb"\x15[\x80-\xff]*[\x00-\x7f]\x19(.)([\x80-\xff]{0,4}[\x00-\x7f])", head, re.DOTALL)
    if found is None:
        return 0
    short = found[1][0] >> 4
    return (short if short < 15 else sum((byte & 127) << 7 * place for place, byte in enumerate(found[2]))) - 1


FORMAT = Format("parquet", open_parquet, suffixes=SUFFIXES, packed=False, folders=True)
