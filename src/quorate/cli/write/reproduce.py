"""`quorate papers`: figures of the papers behind the package, computed again and compared."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import console, heading, print_json, say, table
from quorate.cli.options import Files, Group, Output, Seed, command
from quorate.cli.spelling import in_options
from quorate.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.reproduction.comparison import Compared, Reproduction

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
    out.typeset(found, show)
    files.write(found, None, out, seed=running.seed)
    return FOUND if found.unexplained else 0


def listed(ids: list[str] | tuple[()], out: Output) -> int:
    """Print the studies, with the replicates of those that are simulations."""
    from quorate.reproduction.registry import chosen
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


def show(out: Console, found: Reproduction) -> None:
    """Print every published figure beside ours, study after study."""
    from quorate.reproduction.published import publication

    say(out, found.sentence, style="bold")
    heads = {"figure": "left"} | dict.fromkeys(("paper", "ours", "±", "within"), "right") | {"verdict": "left"}
    for run in found.runs:
        own = [one for one in found.figures if one.study == run.study]
        drawn = f", {run.replicates:,} replicates" if run.replicates else ""
        drawn += f" ({run.failed:,} could not be estimated)" if run.failed else ""
        heading(out, f"{run.study}: {run.title}{drawn}")
        if run.missing:
            what = counted(len(own), "published figure") if own else "It"
            say(out, f"  {what} cannot be recomputed: {in_options(run.missing)}")
            continue
        table(out, heads, [row(one) for one in own if one.verdict != "not in the paper"])
        extra = sum(one.verdict == "not in the paper" for one in own)
        if extra:
            say(out, f"  {extra} more that the paper does not have are in --json and in the report.")
    if found.excused:
        heading(out, "Within chance")
        for one in found.excused:
            say(out, f"  {one.study}, {one.what}: {one.why}; try another --seed.")
    if found.errata:
        heading(out, "Errata")
        for name, words in found.errata.items():
            say(out, f"  {name}: {words}.")
    heading(out, "Papers")
    for name in dict.fromkeys(run.study.split(".")[0] for run in found.runs):
        say(out, f"  {name}: {publication().papers[name]}.")
    say(out, "  ±: Monte Carlo standard error of ours; within: how far ours may be from the paper's.")


def row(one: Compared) -> tuple[str, str, str, str, str, str]:
    """A line of the table."""
    bound = {"equal": "", "at least": "≥ ", "at most": "≤ "}[one.rule]
    known = one.verdict != "cannot be recomputed"
    ours, within = (f"{one.ours:.5g}", f"{one.tolerance:.2g}") if known else ("-", "")
    error = f"{one.error:.2g}" if one.error > 0 else ""
    return f"{one.what} ({one.place})", f"{bound}{one.published:.6g}", ours, error, within, one.verdict_words
