"""`quorate init`: a study file to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli import reading
from quorate.cli.console import console, print_json, say, whole
from quorate.errors import InvalidInput

ITEMS = "items.jsonl"
STUDY, EXAMPLE = "study.yaml", "smollm2"
Place = Annotated[
    Path | None,
    typer.Argument(
        metavar="PATH",
        help=f"What to write, which must not be there yet: {STUDY}; with --example the folder {EXAMPLE}.",
    ),
]
Example = Annotated[
    bool, typer.Option("--example", help="Write a whole study with a small local model, and the answers it gave.")
]
Schema = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of study files, for an editor.")]


def init(path: Place = None, example: Example = False, schema: Schema = False, _debug: reading.Debug = False) -> int:
    """Write a study file with comments, to change into your own.

    Two items are written beside it, so that it can be quoted as it is. With --example, a folder: 36 items, three
    prompts, a study that asks a small model on this machine, and one that replays the answers which it gave.
    """
    if schema:
        from quorate.study.file import schema as schema_of

        print_json(schema_of())
        return 0
    out = console()
    if example:
        folder = path or Path(EXAMPLE)
        names = _write_folder(folder)
        say(out, f"Written: {folder}: {', '.join(names)}")
        whole(out, f"With the model: quorate run {folder / STUDY} --quote")
        whole(out, f"Without it, from the recorded answers: quorate run {folder / 'replay.yaml'} --quote")
        return 0
    place = path or Path(STUDY)
    items = place.with_name(ITEMS)
    if place == items:
        raise InvalidInput(f"path: {ITEMS} is the name of the items' file; choose another for the study")
    home = files("quorate.study").joinpath("example")
    _write({place: home.joinpath(STUDY), items: home.joinpath(ITEMS)})
    say(out, f"Written: {place}, {items}")
    whole(out, f"What it may cost: quorate run {place} --quote")
    return 0


def _write_folder(folder: Path) -> list[str]:
    """The example in a folder of its own; the names of its files."""
    home = files("quorate.study").joinpath("example", EXAMPLE)
    found = {folder / one.name: one for one in home.iterdir() if one.is_file()}
    if folder.exists():
        raise InvalidInput(f"path: {folder} is there already; choose another place, or remove it")
    folder.mkdir()
    _write(found)
    return sorted(place.name for place in found)


def _write(wanted: Mapping[Path, Traversable]) -> None:
    for place in wanted:
        if place.exists():
            raise InvalidInput(f"path: {place} is there already; choose another place, or remove it")
    for place, source in wanted.items():
        place.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
