"""`quorate demo`: the main job on data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from quorate.cli.look.analysis import AnalysisFiles
from quorate.cli.options import Output, Seed, command, only
from quorate.errors import InvalidInput

FILE = "quorate-demo.csv"
NOTE = (
    "Simulated, not real judgments: 60 items × 5 prompts × 3 judges × 2 replicates. Drawn from the variance components "
    "published for the AILuminate safety study (Messing 2026), scaled to read like scores from 0 to 10."
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
    from quorate.reporting.page import Step
    from quorate.reporting.pages.demo import section
    from quorate.reporting.paper.writeup import writeup
    from quorate.simulate.demo import write_demo
    from quorate.table.read_scores import read_scores

    if directory is not None and not directory.is_dir():
        raise InvalidInput(f"--directory: no folder {directory}; make it first")
    files = files.by_default("quorate-demo.html", out)
    with TemporaryDirectory() as folder:
        table = read_scores(write_demo((directory or Path(folder)) / FILE, seed), announce=False)
    found = analyze_judgments(table)
    truth = against_truth(found, seed)
    more = writeup(found, command=files.context.obj, seed=seed).to_dict() if out.as_json else {}
    keep = None if directory else Step("Next: keep the file, and look into it yourself.", "quorate demo --directory .")
    also = [section(truth)]
    more |= {"demo": truth.to_dict()}
    out.show(found, files, table, also=also, next_step=keep, seed=seed, note=NOTE, **more)
    return 0
