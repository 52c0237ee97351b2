"""`quorate analyze`: from a file of judgments to honest error bars."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.console import console, whole
from quorate.cli.look.analysis import AnalysisFiles
from quorate.cli.options import (
    File,
    Files,
    Fit,
    For,
    Group,
    Output,
    Prices,
    Reading,
    StudyRecord,
    Targets,
    command,
    only,
)
from quorate.cli.options.groups import refuse_of_labels
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.cli.options.systems import Asked, Pair, clustered_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

UNDECIDED = 2


@dataclass(frozen=True, kw_only=True)
class Question(Group):
    """What is asked of the mean, and on what scale it is checked."""

    half_width: Annotated[
        float | None,
        For("scores"),
        typer.Option(
            metavar="X",
            help="Ask whether the interval is at most ±X: the one for judges like these where there are two or more. "
            "Exit code 2 if it is not.",
        ),
    ] = None
    link: Annotated[
        Literal["identity", "logit", "ordinal"] | None,
        For("scores"),
        typer.Option(
            help="Components of log odds beside those of scores as numbers: of two values, of a few marks; identity "
            "for none. Default: where the mean of such scores is in the outer thirds of their scale."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OfLabels(Group):
    """What is asked of labels."""

    most: Annotated[
        int | None,
        For("labels"),
        typer.Option(metavar="N", help="Labels: items to send to people, at most. Default: 20."),
    ] = None
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
    question: Question,
    labels: OfLabels,
    fit: Fit,
    targets: Targets,
    prices: Annotated[Prices, only("price")],
    paper: StudyRecord,
    pair: Pair,
    asked: Asked,
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
    from quorate.analysis.analyze import analyze_scores
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.means.missing_bounds import AllEqual
    from quorate.reporting.paper.writeup import writeup
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    table = reading.table(file, question, fit, targets, paper, files, pair, asked, certifying)
    files = files.by_default(page_name(file), out)
    if not (isinstance(table, Judgments) and table.labels):
        labels.refuse("labels", "is for labels; read words as such with --labels")
    elif isinstance(table, Judgments):
        return labelled(table, fit, targets, labels, (question, prices, paper, certifying), files, out)
    if isinstance(table, Votes):
        return analyzed(table, pair, asked, files, out)
    record = paper.record()
    options = {**fit.arguments(), "targets": targets.asked(), "price": prices.price, **question.given()}
    found = analyze_scores(table, **{name: value for name, value in options.items() if value is not None})
    certificate = certifying.certificate(found)
    more = as_more(certificate)
    if isinstance(found, Analysis):
        if out.as_json:
            more |= writeup(found, record=record, command=files.context.obj).to_dict()
        out.show(found, files, table, also=certified(certificate), record=record, **more)
        return UNDECIDED if found.answer is not None and not found.answer.met else 0
    out.show(found, files, table, also=certified(certificate), **more)
    if isinstance(found, AllEqual) and question.half_width is not None:
        return 0 if found.estimate.half_width <= question.half_width else UNDECIDED
    return 0  # nothing was claimed


def labelled(
    table: Judgments, fit: Fit, targets: Targets, asked: OfLabels, others: Sequence[Group], files: Files, out: Output
) -> int:
    """Print and write what is said of labels."""
    from quorate.analysis.nominal import MOST, labels

    refuse_of_labels(fit, *others)
    most = MOST if asked.most is None else asked.most
    found = labels(table, **fit.model(), level=fit.level, targets=targets.asked(), most=most)
    out.show(found, files, table)
    if asked.to_people is not None:
        found.write_people(asked.to_people)
        if not out.as_json:
            whole(console(), f"For people: {asked.to_people}")
    return 0


def analyzed(votes: Votes, pair: Pair, asked: Asked, files: Files, out: Output) -> int:
    """Print and write what is asked of votes: of two systems that are named or the only ones, else of all pairs."""
    from quorate.analysis.pair import pair_view
    from quorate.analysis.votes import votes_view

    pair = pair.completed(votes)
    pair.check(asked)
    votes = pair.of(votes)
    options = asked.given() | clustered_by(votes, asked.cluster)
    found = votes_view(votes, **options) if pair.systems is None else pair_view(votes, *pair.systems, **options)
    out.show(found, files, votes)
    return found.exit_code


def page_name(file: Path | tuple[Path, ...]) -> str:
    """Where the page goes unless it is said: named after the file, in the current folder."""
    first = file[0] if isinstance(file, tuple) else file
    return f"{first.name.removesuffix('.gz').rsplit('.', 1)[0]}-quorate.html"
