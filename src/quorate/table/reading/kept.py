"""How the files of a folder are read, kept once beside them: arguments of `quorate.read` in YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quorate.errors import InvalidData, InvalidInput, QuorateError, UnknownTerm
from quorate.table.exchange.encoding import ordinary
from quorate.table.exchange.format import Kind
from quorate.table.exchange.postgres.address import is_place, places_of
from quorate.table.exchange.rows import ROW_NUMBER, Rows
from quorate.table.exchange.wide import COLUMNS
from quorate.table.files import opened

BESIDE = ".quorate.yaml"
"""The name of the file that is taken up by itself."""
MOST_BYTES = 1 << 16
OF_VOTES = ("model_a", "model_b", "winner", "outcomes", "wins", "rank")
ARGUMENTS = (
    *("kind", "score", "facets", "object", "nested", "fixed", "status", "missing", "scale", "wide", "label", "numbers"),
    *("labels", "families", *OF_VOTES, "where", "only", "partitions", "part", "format"),
)
"""What is kept."""


def options_in(path: Path) -> dict[str, Any]:
    """The arguments that a file holds.

    Raises
    ------
    InvalidInput
        If it cannot be read.
    InvalidData
        If it is not YAML of such arguments.
    """
    import yaml

    try:
        with ordinary(path).open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"roles: {path} cannot be read ({error.strerror})") from None
    try:
        content = yaml.safe_load(text) if len(text) <= MOST_BYTES else None
    except (yaml.YAMLError, RecursionError, ValueError):
        content = None
    if not isinstance(content, Mapping):
        raise InvalidData(f"roles: {path} is not what --save of quorate doctor writes: YAML of names and values")
    for name in content:
        if name not in ARGUMENTS:
            raise UnknownTerm(str(name), ARGUMENTS, f"option in {path}")
    return {str(name): value for name, value in content.items()}


def beside(source: Any, rows: Rows) -> dict[str, Any] | None:
    """The arguments that are kept beside a file, or in a folder, if it has the columns that they name; else None."""
    if not is_place(source):
        return None
    place = places_of(source)
    first = place[0] if isinstance(place, tuple) else place
    if not isinstance(first, Path):
        return None
    try:
        kept = (first if first.is_dir() else first.parent) / BESIDE
        if not kept.is_file():
            return None
    except OSError:  # no name that a file can have, which is said by who reads it
        return None
    options = options_in(kept)
    try:
        with opened(place, rows) as file:
            known = {*file.columns, ROW_NUMBER, COLUMNS, ""}
    except QuorateError:  # said by who reads it
        return None
    return options if {*_columns(options)} <= known else None


def kind_kept(options: Mapping[str, Any]) -> Kind | None:
    """What such a table holds; None where the arguments do not say it."""
    if "kind" in options:
        kind: Kind = options["kind"]
        return kind
    votes = any(name in options for name in OF_VOTES)
    return "votes" if votes else "scores" if {"score", "wide", "label", "labels", "numbers"} & {*options} else None


def _columns(options: Mapping[str, Any]) -> Iterator[str]:
    """Columns that arguments name."""
    wide = options.get("wide") or {}
    for columns in wide.values():
        yield from columns
    yield from (column for column in (options.get("facets") or {}).values() if column not in wide)
    for name in ("score", "model_a", "model_b", "winner", "rank", "wins"):
        value = options.get(name, ())
        yield from (value,) if isinstance(value, str) else value
