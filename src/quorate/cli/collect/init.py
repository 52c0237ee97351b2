"""`quorate init`: a study file to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Literal

import typer

from quorate.cli.console import console, print_json, say, whole
from quorate.cli.options import Output, command, only
from quorate.errors import InvalidInput
from quorate.writing import write_file

STUDY, EXAMPLE = "study.yaml", "smollm2"


@command
def init(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="PATH",
            writable=True,
            help=f"What to write, which must not be there yet: {STUDY}; with --example the folder {EXAMPLE}.",
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option("--example", help="Write a whole study with a small local model, and the answers it gave."),
    ] = False,
    recipe: Annotated[
        Literal["ailuminate", "arena", "goal", "mmlu", "people"] | None,
        typer.Option(
            help="Write a study of a published design (safety of responses, which of two is better, right answers), "
            "one that stops once its goal is reached, or one that people answer."
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of study files, for an editor.")
    ] = False,
    *,
    _out: Annotated[Output, only("debug")],
) -> int:
    """Write a study file with comments, to change into your own.

    Two items are written beside it, so that it can be quoted as it is. With --example, a folder: 36 items, three
    prompts, a study that asks a small model on this machine, and one that replays the answers which it gave.
    """
    if schema and (path is not None or example or recipe):
        raise InvalidInput("--schema: is printed, and nothing is written; leave out the path and other options")
    if example and recipe:
        raise InvalidInput("--example: is a whole study with its answers, --recipe a design; give one of them")
    out, home = console(), files("quorate.study").joinpath("example")
    if schema:
        from quorate.study.file import schema as schema_of

        print_json(schema_of())
    elif example:
        folder = path or Path(EXAMPLE)
        sources = {folder / one.name: one for one in home.joinpath(EXAMPLE).iterdir() if one.is_file()}
        refuse_what_is_there(folder)
        folder.mkdir()
        write(sources)
        say(out, f"Written: {folder}: {', '.join(sorted(place.name for place in sources))}")
        whole(out, f"With the model: quorate run {folder / STUDY} --quote")
        whole(out, f"Without it, from the recorded answers: quorate run {folder / 'replay.yaml'} --quote")
    else:
        place = path or Path(STUDY)
        if recipe is not None:
            home = home.joinpath("recipes", recipe)
        beside = sorted(
            (one for one in home.iterdir() if one.is_file() and one.name != STUDY), key=lambda one: one.name
        )
        sources = {place: home.joinpath(STUDY)} | {place.with_name(one.name): one for one in beside}
        if len(sources) <= len(beside):
            raise InvalidInput(f"path: {place.name} is the name of a file that is written beside it; choose another")
        write(sources)
        say(out, f"Written: {', '.join(map(str, sources))}")
        whole(out, f"What it may cost: quorate run {place} --quote")
        if recipe == "people":
            whole(out, f"To let people answer: quorate serve {place}")
    return 0


def write(wanted: Mapping[Path, Traversable]) -> None:
    """Write files, none of which is there."""
    refuse_what_is_there(*wanted)
    for place, source in wanted.items():
        write_file(place, source.read_bytes())


def refuse_what_is_there(*places: Path) -> None:
    """Refuse to write over anything."""
    for place in places:
        if place.exists():
            raise InvalidInput(f"path: {place} is there already; choose another place, or remove it")
