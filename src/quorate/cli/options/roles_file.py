"""How a file is read, kept in a file: the arguments of `quorate.read` in YAML."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.exchange.ordinary import ordinary

MOST_BYTES = 1 << 16
_NOT_KEPT = ("source", "announce", "recognise")


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

    from quorate.table.read import read

    try:
        with ordinary(path).open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"--roles: {path} cannot be read ({error.strerror})") from None
    try:
        content = yaml.safe_load(text) if len(text) <= MOST_BYTES else None
    except (yaml.YAMLError, RecursionError, ValueError):
        content = None
    if not isinstance(content, Mapping):
        raise InvalidData(f"--roles: {path} is not what --save of quorate doctor writes: YAML of names and values")
    known = [name for name in inspect.signature(read).parameters if name not in _NOT_KEPT]
    for name in content:
        if name not in known:
            raise UnknownTerm(str(name), known, f"option in {path}")
    return {str(name): value for name, value in content.items()}


def save_options(options: Mapping[str, Any], path: Path) -> None:
    """Write arguments into a file that `options_in` reads.

    Raises
    ------
    InvalidInput
        If it cannot be written.
    """
    import yaml

    from quorate.reporting.print.files import MARKS, writable
    from quorate.writing import write_file

    writable(path, (".yaml", ".yml"), "--save")
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    plain |= {"wide": {role: list(columns) for role, columns in options["wide"].items()}} if "wide" in options else {}
    mark = MARKS[".yaml"]
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    write_file(path, mark + b"\n" + text.encode("utf-8"), "--save", mark=mark)
