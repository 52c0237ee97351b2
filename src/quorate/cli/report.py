"""`quorate report`, `export` and `papers`: what is written for others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import options
from quorate.cli.console import caveats, console, heading, points, print_json, say, table, whole
from quorate.cli.options import command, of, only, operand, option
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.reporting.paper.writeup import Writeup


MOST_LISTED = 10
"""Studies that are listed with what they compute; of more a screen has the names."""
OF_VOTES = ("a", "b", "power", "margin", "ties", "claim", "budget", "cluster", "minimum", "most")


@command
def writeup(
    context: typer.Context,
    file: options.ScoresFile,
    paper: options.StudyRecord,
    format_: Literal["text", "markdown", "json"] = option(
        "", "How it is printed; --json is json.", "--format", default="text"
    ),
    *,
    own: Annotated[options.Declared, of("quorate.analysis.analyze:analyze", *OF_VOTES, "half_width", "link")],
    reading: options.ScoreReading,
    out: options.Output,
) -> int:
    """A paragraph for a methods section, and the reporting checklist."""
    from quorate.reporting.paper.writeup import writeup as written
    from quorate.table.read import kind_of
    from quorate.table.reading.reading import Meant, Unsure

    if out.as_json and format_ == "markdown":
        raise InvalidInput("--json: contradicts --format markdown; give one of them")
    if not reading.given("scores") and kind_of(file, None, {}, reading.opening()) == "votes":
        pages = (
            Meant({}, "the methods of a leaderboard, on its page", "rank", "--report page.html"),
            Meant({}, "of one system against another", "compare", "A B --report page.html"),
        )
        raise Unsure("a write-up is of scores, and these are votes", str(file), pages, "votes")
    record = None if paper.study is None else paper.record()
    judgments = reading.judgments(file)
    if judgments.labels:
        paper.refuse("scores", "is for scores, and these are labels; leave it out")
    found = written(own(judgments), record=record, source=judgments, command=context.obj)
    if out.as_json or format_ == "json":
        print_json(found.to_dict())
    elif format_ == "markdown":
        for line in found.to_markdown().splitlines():
            whole(console(), line)
    else:
        show(console(), found, full=out.full)
    return 0


def show(out: Console, found: Writeup, *, full: bool) -> None:
    """Print the paragraph and what the checklist misses; in full the checklist, and what is needed to do it again."""
    say(out, found.paragraph)
    missing = f"Reporting checklist: {len(found.missing)} of {len(found.checklist)} missing"
    if not full:
        if found.checklist:
            heading(out, missing)
            tiers = dict.fromkeys(one.tier for one in found.missing)
            named = {tier: "; ".join(one.name for one in found.missing if one.tier == tier) for tier in tiers}
            points(out, (f"{tier}: {names}" for tier, names in named.items()))
        say(out, "--full shows what to write for each, and what it takes to do it again.", style="dim")
        return
    if found.checklist:
        heading(out, missing)
        rows = [(one.tier, one.name, one.status) for one in found.checklist]
        table(out, {"tier": "left", "what to state": "left", "status": "left"}, rows)
    caveats(out, (f"{one.name}: " + one.text for one in found.missing), "Missing")
    heading(out, "To do it again")
    table(out, {" ": "left", "  ": "left"}, list(found.reproduction.items()))


@command
def export(
    file: options.ScoresFile,
    to: Annotated[
        Path,
        typer.Argument(metavar="OUT", writable=True, help="The file that is written, or a folder for every-eval-ever."),
    ],
    format_: str | None = option(
        "NAME",
        "every-eval-ever, or inspect-scores for what precomputed_scores of Inspect AI takes. Default: the end "
        "of OUT says it: .csv, .tsv, .jsonl or .parquet.",
        "--format",
    ),
    no_formulas: bool = option(
        "",
        "For a spreadsheet: lead texts that it would compute, which begin with = + - or @, by an apostrophe.",
        default=False,
    ),
    *,
    reading: options.ScoreReading,
    out: Annotated[options.Output, only("as_json")],
) -> int:
    """The judgments of a file as another file: plain, or for another tool."""
    from quorate.reporting.export import export as exported

    written = exported(reading.judgments(file), to, format=format_, no_formulas=no_formulas)  # type: ignore[arg-type]  # it says what it knows
    if out.as_json:
        print_json(written.to_dict())
        return 0
    say(console(), written.sentence)
    for note in written.notes:
        say(console(), in_options(note))
    return 0


FOUND = 2


@dataclass(frozen=True, kw_only=True)
class Running(options.Group):
    """How simulations are run."""

    reps: int | None = option("N", "Replicates of every simulation, in place of the paper's.")
    data: Path | None = option("DIR", "Folder with published files that are not part of the package.")
    quick: bool = option("", "A tenth of the paper's replicates.", default=False)
    jobs: str = option(
        "N|ADDRESS",
        "Processes, or the address of a Dask scheduler, whose workers have this package; the numbers are the "
        "same for any.",
        default="1",
    )
    resume: Path | None = option("DIR", "Folder that keeps replicates: a killed run goes on there.", writable=True)
    seed: options.Seed = 1


@command
def reproduce(
    ids: list[str] | None = operand("[ID]...", "Studies, such as tee.safety, or all of a paper, such as cyclic."),
    list_: bool = option("", "List the studies, and compute nothing.", "--list", default=False),
    *,
    running: Running,
    files: options.Files,
    out: options.Output,
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
            jobs=int(running.jobs) if running.jobs.isdecimal() else running.jobs,
            resume=running.resume,
            on_progress=progress if at_terminal else None,
        )
    finally:
        if at_terminal:
            sys.stderr.write("\r\x1b[K")
    out.show(found, files, seed=running.seed)
    return FOUND if found.unexplained else 0


def listed(ids: list[str] | tuple[()], out: options.Output) -> int:
    """Print the studies, with the replicates of those that are simulations."""
    from quorate.reproduction.reproduce import chosen
    from quorate.reproduction.study import MonteCarlo, Reanalysis

    rows: list[dict[str, Any]] = [
        {"id": one.id, "title": one.title, "replicates": one.reps if isinstance(one, MonteCarlo) else 0}
        | {"needs": [str(need) for need in one.needs] if isinstance(one, Reanalysis) else []}
        for one in chosen(ids)
    ]
    if out.as_json:
        print_json({"studies": rows})
        return 0
    shown = [
        (one["id"], f"{one['replicates']:,}" if one["replicates"] else "files" if one["needs"] else "-", one["title"])
        for one in rows
    ]
    papers: dict[str, list[str]] = {}
    for one in rows:
        paper, _, study = one["id"].partition(".")
        papers.setdefault(paper, []).append(study)
    if out.full or len(rows) <= MOST_LISTED:
        table(console(), {"study": "left", "replicates": "right", "what it computes": "left"}, shown)
        return 0
    table(console(), {"paper": "left", "studies": "left"}, [(name, ", ".join(ids)) for name, ids in papers.items()])
    say(console(), f"quorate papers {rows[0]['id']} computes one. --full says what each computes.")
    return 0


def progress(done: int, of: int) -> None:
    """Print how far the simulations are, over the line before."""
    sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} chunks of replicates")
    sys.stderr.flush()
