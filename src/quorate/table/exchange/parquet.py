"""Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.exchange.encoding import is_database, swells
from quorate.table.exchange.format import Format, Opened, literal, pattern, quoted, refuse_matrix

if TYPE_CHECKING:
    import duckdb


# Folders of files in one format, whose own folders may name columns: ``judge=gpt/part.parquet``.


_FILE = quoted("file in the folder")


def files_of(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Files of a folder, at any depth, whose names end in one of these; none whose name starts with a dot or _."""
    found = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(suffixes) and path.is_file())
    return [path for path in found if not (path.name.startswith((".", "_")) or is_database(path))]


def names_of(path: Path, suffixes: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that the folders in a folder name, the same for all files; a file has none, wherever it is.

    Raises
    ------
    InvalidData
        If files differ in them, or one occurs twice.
    """
    every = {}
    for file in files_of(path, suffixes) if path.is_dir() else ():
        folders = file.relative_to(path).parts[:-1]
        every[file] = tuple(folder.partition("=")[0] for folder in folders if "=" in folder[1:])
    wanted = next(iter(every.values()), ())
    for file, names in every.items():
        if names != wanted or len(set(map(str.casefold, names))) < len(names):
            said, first = (", ".join(one) or "nothing" for one in (names, wanted))
            raise InvalidData(
                f"partitions: folders of {file.relative_to(path)} name {said}, those of the first file {first}; "
                "give every file the same, each once"
            )
    return wanted


def scan(
    connection: duckdb.DuckDBPyConnection, reader: str, path: Path, suffixes: tuple[str, ...], options: str = ""
) -> duckdb.DuckDBPyRelation:
    """The rows of a file, or of a folder's files with the columns that its folders name, as text.

    Raises
    ------
    InvalidData
        If the files have a column of such a name themselves.
    """
    if not path.is_dir():
        return connection.sql(f"SELECT * FROM {reader}({pattern(path)}, hive_partitioning=false{options})")
    files = ", ".join(map(pattern, files_of(path, suffixes)))
    rows = connection.sql(
        f"SELECT * FROM {reader}([{files}], hive_partitioning=false, union_by_name=true, filename={_FILE}{options})"
    )
    names = names_of(path, suffixes)
    for name in (name for name in names if name.casefold() in map(str.casefold, rows.columns)):
        raise InvalidData(f'partitions: "{name}" is a column of the files and the name of a folder; rename one')
    inside = f"substr({_FILE}, {len(str(path.absolute())) + 1})"
    parts = [
        f"url_decode(regexp_extract({inside}, {literal(f'/{re.escape(name)}=([^/]*)/')}, 1)) AS {quoted(name)}"
        for name in names
    ]
    return rows.project(", ".join([f"* EXCLUDE ({_FILE})", *parts]))


SUFFIXES = (".parquet", ".pq")
_MOST_FIELDS = 300
"""Columns beyond which records are left as they are."""


def open_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A Parquet file, or a folder of them."""
    for file in files_of(path, SUFFIXES) if path.is_dir() else [path]:
        refuse_matrix(file, entries(file))
        ((rows,),) = connection.sql(f"SELECT num_rows FROM parquet_file_metadata({pattern(file)})").fetchall()
        if swells(rows, file.stat().st_size):
            raise InvalidData(f"{file}: has {rows:,} rows that hardly differ; name a file of judgments")
    relation = scan(connection, "read_parquet", path, SUFFIXES)
    if any(kind.id == "struct" for kind in relation.types):
        fields = [
            part for name, kind in zip(relation.columns, relation.types, strict=True) for part in fields_of(name, kind)
        ]
        if len({name for name, _ in fields}) == len(fields) <= _MOST_FIELDS:
            relation = relation.project(", ".join(f"{held} AS {quoted(name)}" for name, held in fields))
    return Opened(relation, tuple(relation.columns), typed=True)


def fields_of(name: str, kind: Any, held: str | None = None) -> Iterator[tuple[str, str]]:
    """The fields of a column of records, such as ``doc.id``, and how SQL writes each; a plain column is its own."""
    held = held or quoted(name)
    if kind.id != "struct":
        yield name, held
        return
    for field, inner in kind.children:
        yield from fields_of(f"{name}.{field}", inner, f"{held}[{literal(field)}]")


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
