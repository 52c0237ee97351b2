"""`quorate demo`: the main job on data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import console, heading, say, table
from quorate.cli.look.analysis import AnalysisFiles
from quorate.cli.options import Output, Seed, command, only
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.demo import AgainstTruth

FILE = "quorate-demo.csv"
NOTE = (
    "Simulated, not real judgments: 60 items × 5 prompts × 3 judges × 2 replicates, drawn from the variance components "
    "published for the AILuminate safety study (Messing 2026) and scaled to read like scores from 0 to 10."
)


@command
def demo(
    seed: Seed = 1,
    directory: Annotated[
        Path | None, typer.Option(metavar="DIR", writable=True, help=f"Keep the simulated file here, as {FILE}.")
    ] = None,
    *,
    files: Annotated[AnalysisFiles, only("context", "report", "no_report")],
    out: Output,
) -> int:
    """See it on simulated scores whose truth is known."""
    from quorate.analysis.demo import against_truth
    from quorate.analysis.judgments import analyze_judgments
    from quorate.simulate.demo import write_demo
    from quorate.table.read_scores import read_scores

    if directory is not None and not directory.is_dir():
        raise InvalidInput(f"--directory: no folder {directory}; make it first")
    pages = files.pages("quorate-demo.html", out)
    with TemporaryDirectory() as folder:
        found = analyze_judgments(read_scores(write_demo((directory or Path(folder)) / FILE, seed), announce=False))
    compared = against_truth(found, seed)
    if not out.as_json:
        say(console(), NOTE)
        console().print()
    more, after = {"demo": compared.to_dict()}, lambda screen: show_truth(screen, compared)
    files.deliver(found, pages, out, more=more, after=after, seed=seed, note=NOTE)
    return 0


def show_truth(out: Console, compared: AgainstTruth) -> None:
    """Print which intervals hold the truth, and how often they do."""
    heading(out, "Against the truth")
    rows = [
        (
            one.interval,
            f"{one.low:.2f} to {one.high:.2f}",
            f"{'holds' if one.holds_truth else 'misses'} {one.truth:.2f}",
        )
        for one in compared.intervals
    ]
    table(out, dict.fromkeys((" ", "  ", "   "), "left"), rows)
    held = compared.measured
    say(
        out,
        f"This is one draw, seed {compared.seed}. Over {held.draws:,} draws the naive interval held the truth in "
        f"{held.naive:.1%}, the one for this setup its own in {held.setup:.1%}, the one for others like it in "
        f"{held.others:.1%}. To measure again: quorate.simulate.demo_coverage().",
    )
