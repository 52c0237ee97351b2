"""`quorate analyze`: from a file of judgments to honest error bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import console, whole
from quorate.cli.look.analysis import AnalysisFiles
from quorate.cli.options import Declared, File, Files, For, Group, Output, Reading, StudyRecord, command, of
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.cli.options.systems import Pair

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

UNDECIDED = 2
OWN = of("quorate.analysis.analyze:analyze", "a", "b")


@dataclass(frozen=True, kw_only=True)
class OfLabels(Group):
    """Where labels are written."""

    to_people: Annotated[
        Path | None,
        For("labels"),
        typer.Option(
            metavar="FILE", writable=True, help="Labels: write these items into a file: .csv, .tsv, .jsonl or .parquet."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a place that cannot be written."""
        from quorate.table.cells import writable

        if self.to_people is not None:
            writable(self.to_people, "--to-people")


@command
def analyze(
    file: File,
    own: Annotated[Declared, OWN],
    labels: OfLabels,
    paper: StudyRecord,
    pair: Pair,
    certifying: Certifying,
    reading: Reading,
    files: AnalysisFiles,
    out: Output,
) -> int:
    """Honest error bars, and what to buy next.

    From scores: for the mean. From words, with --labels: the share of each and how far judges agree. From votes: how
    far apart all pairs of systems are; with --a and --b the verdict on two, better, worse, equivalent or undecided, and
    what would decide it. Ends with exit code 2 if what is asked or claimed is not shown.
    """
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.means.missing_bounds import AllEqual
    from quorate.reporting.paper.writeup import writeup
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    table = reading.table(file, own, paper, files, pair, certifying)
    files = files.by_default(page_name(file), out)
    if isinstance(table, Judgments) and table.labels:
        return labelled(table, own, labels, (paper, certifying), files, out)
    for group in (labels, own):
        group.refuse("labels", "is for labels; read words as such with --labels")
    if isinstance(table, Votes):
        return analyzed(table, pair, own, files, out)
    record = paper.record()
    found = own(table)
    certificate = certifying.certificate(found)
    more = as_more(certificate)
    if isinstance(found, Analysis):
        if out.as_json:
            more |= writeup(found, record=record, command=files.context.obj).to_dict()
        out.show(found, files, table, also=certified(certificate), record=record, **more)
        return UNDECIDED if found.answer is not None and not found.answer.met else 0
    out.show(found, files, table, also=certified(certificate), **more)
    width = own.value("half_width")
    if isinstance(found, AllEqual) and width is not None:
        return 0 if found.estimate.half_width <= width else UNDECIDED
    return 0  # nothing was claimed


def labelled(
    table: Judgments, own: Declared, asked: OfLabels, others: Sequence[Group], files: Files, out: Output
) -> int:
    """Print and write what is said of labels."""
    for group in others:
        group.refuse("scores", "is for scores, and these are labels; leave it out")
    found = own(table)
    out.show(found, files, table)
    if asked.to_people is not None:
        found.write_people(asked.to_people)
        if not out.as_json:
            whole(console(), f"For people: {asked.to_people}")
    return 0


def analyzed(votes: Votes, pair: Pair, own: Declared, files: Files, out: Output) -> int:
    """Print and write what is asked of votes: of two systems that are named or the only ones, else of all pairs."""
    pair = pair.completed(votes)
    votes = pair.of(votes)
    found = own(votes, *(pair.systems or ()))
    out.show(found, files, votes)
    return int(found.exit_code)


def page_name(file: Path | tuple[Path, ...]) -> str:
    """Where the page goes unless it is said: named after the file, in the current folder."""
    first = file[0] if isinstance(file, tuple) else file
    return f"{first.name.removesuffix('.gz').rsplit('.', 1)[0]}-quorate.html"
