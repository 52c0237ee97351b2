"""`quorate papers`: figures of the papers behind the package, computed again and compared."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from quorate.cli.console import console, print_json, table
from quorate.cli.options import Files, Group, Output, Seed, command

FOUND = 2


@dataclass(frozen=True, kw_only=True)
class Running(Group):
    """How simulations are run."""

    reps: Annotated[
        int | None, typer.Option(metavar="N", help="Replicates of every simulation, in place of the paper's.")
    ] = None
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with published files that are not part of the package."),
    ] = None
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the paper's replicates.")] = False
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes; the numbers are the same for any.")] = 1
    resume: Annotated[
        Path | None,
        typer.Option(metavar="DIR", writable=True, help="Folder that keeps replicates: a killed run goes on there."),
    ] = None
    seed: Seed = 1


@command
def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Studies, such as tee.safety, or all of a paper, such as cyclic."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the studies, and compute nothing.")] = False,
    *,
    running: Running,
    files: Files,
    out: Output,
) -> int:
    """Compute the published figures of the papers behind this again.

    Of each it says whether it agrees.

    Without names all studies are run, which takes many minutes; --quick takes a few. Exit code 2: a figure disagrees
    without a known erratum, and by more than chance leaves among all that are simulated.
    """
    from quorate.reproduction.reproduce import reproduce as reproduced

    if list_:
        return listed(ids or (), out)
    at_terminal = sys.stderr.isatty()
    try:
        found = reproduced(
            ids or (),
            reps=running.reps,
            quick=running.quick,
            seed=running.seed,
            data=running.data,
            jobs=running.jobs,
            resume=running.resume,
            on_progress=progress if at_terminal else None,
        )
    finally:
        if at_terminal:
            sys.stderr.write("\r\x1b[K")
    out.show(found, files, seed=running.seed)
    return FOUND if found.unexplained else 0


def listed(ids: list[str] | tuple[()], out: Output) -> int:
    """Print the studies, with the replicates of those that are simulations."""
    from quorate.reproduction.reproduce import chosen
    from quorate.reproduction.study import MonteCarlo, Reanalysis

    rows: list[dict[str, Any]] = [
        {
            "id": one.id,
            "title": one.title,
            "replicates": one.reps if isinstance(one, MonteCarlo) else 0,
            "needs": [str(need) for need in one.needs] if isinstance(one, Reanalysis) else [],
        }
        for one in chosen(ids)
    ]
    if out.as_json:
        print_json({"studies": rows})
        return 0
    shown = [
        (one["id"], f"{one['replicates']:,}" if one["replicates"] else "files" if one["needs"] else "-", one["title"])
        for one in rows
    ]
    table(console(), {"study": "left", "replicates": "right", "what it computes": "left"}, shown)
    return 0


def progress(done: int, of: int) -> None:
    """Print how far the simulations are, over the line before."""
    sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} chunks of replicates")
    sys.stderr.flush()
