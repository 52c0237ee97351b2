"""`quorate init`: a study file to begin with."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli import reading
from quorate.cli.console import console, print_json, say, whole
from quorate.errors import InvalidInput

ITEMS = "items.jsonl"
Place = Annotated[Path, typer.Argument(metavar="PATH", help="File to write; it must not be there yet.")]
Schema = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of study files, for an editor.")]


def init(path: Place = Path("study.yaml"), schema: Schema = False, _debug: reading.Debug = False) -> int:
    """Write a study file with comments, to change into your own.

    Two items are written beside it, so that it can be quoted as it is.
    """
    if schema:
        from quorate.study.file import schema as schema_of

        print_json(schema_of())
        return 0
    items = path.with_name(ITEMS)
    wanted = {path: "study.yaml", items: ITEMS}
    if path == items:
        raise InvalidInput(f"--path: {ITEMS} is the name of the items' file; choose another for the study")
    for place in wanted:
        if place.exists():
            raise InvalidInput(f"--path: {place} is there already; choose another place, or remove it")
    for place, name in wanted.items():
        place.write_text(files("quorate.study").joinpath("example", name).read_text(encoding="utf-8"), encoding="utf-8")
    out = console()
    say(out, f"Written: {path}, {items}")
    whole(out, f"What it may cost: quorate run {path} --quote")
    return 0
