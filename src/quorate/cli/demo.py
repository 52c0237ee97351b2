"""`quorate demo`: the main job on data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.analyze import NoReport, deliver
from quorate.cli.console import console, heading, say, table
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.judgments import Analysis

PAGE = Path("quorate-demo.html")
FILE = "quorate-demo.csv"
NOTE = (
    "Simulated, not real judgments: 60 items × 5 prompts × 3 judges × 2 replicates, drawn from the variance components "
    "published for the AILuminate safety study (Messing 2026) and scaled to read like scores from 0 to 10."
)

Seed = Annotated[int, typer.Option(metavar="N", help="Another draw of the data.")]
Report = Annotated[Path | None, typer.Option(metavar="PATH", help=f"HTML report. Default: {PAGE}; with --json, none.")]
Directory = Annotated[Path | None, typer.Option(metavar="DIR", help=f"Keep the simulated file here, as {FILE}.")]


def demo(
    context: typer.Context,
    seed: Seed = 1,
    directory: Directory = None,
    report: Report = None,
    no_report: NoReport = False,
    as_json: reading.Json = False,
    _debug: reading.Debug = False,
) -> int:
    """See it on simulated scores whose truth is known."""
    if directory is not None and not directory.is_dir():
        raise InvalidInput(f"--directory: no folder {directory}; make it first")
    with TemporaryDirectory() as folder:
        found = _analysis((directory or Path(folder)) / FILE, seed)
    compared = {"seed": seed, **_against_truth(found)}
    if not as_json:
        say(console(), NOTE)
        console().print()
    deliver(
        found,
        as_json=as_json,
        report=report or (None if no_report or as_json else PAGE),
        origin={"command": context.obj, "seed": seed, "note": NOTE},
        more={"demo": compared},
        after=lambda out: _show_truth(out, compared),
    )
    return 0


def _analysis(path: Path, seed: int) -> Analysis:
    from quorate.analysis.judgments import analyze_judgments
    from quorate.simulate.demo import write_demo
    from quorate.table.read import read

    return analyze_judgments(read(write_demo(path, seed), announce=False))


def _against_truth(found: Analysis) -> dict[str, Any]:
    """The truth, whether each interval holds it, and how often each does."""
    from quorate.simulate.demo import MEASURED, demo_truth

    readings = {"naive": found.naive_reading, **{r.scope: r for r in reversed(found.readings)}}
    truth = demo_truth()
    return {
        "truth": truth,
        "intervals": [
            {"interval": name, "low": r.low, "high": r.high, "holds_truth": r.low <= truth <= r.high}
            for name, r in readings.items()
        ],
        "measured": vars(MEASURED),
    }


def _show_truth(out: Console, compared: dict[str, Any]) -> None:
    heading(out, f"Against the truth, which is {compared['truth']:.2f}")
    rows = [
        (one["interval"], f"{one['low']:.2f} to {one['high']:.2f}", "holds it" if one["holds_truth"] else "misses it")
        for one in compared["intervals"]
    ]
    table(out, dict.fromkeys((" ", "  ", "   "), "left"), rows)
    held = compared["measured"]
    say(
        out,
        f"This is one draw, seed {compared['seed']}. Over {held['draws']:,} draws the naive interval held the truth in "
        f"{held['naive']:.1%}, the one for this panel in {held['panel']:.1%}. The one for judges like these allows for "
        f"other judges too, so it held this panel's truth in {held['population']:.1%}. To measure again: "
        "quorate.simulate.demo_coverage().",
    )
