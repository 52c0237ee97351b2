"""`quorate analyze`, `demo` and `agents chain`: what a file says, and what is asked with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import options
from quorate.cli.asking import Yes, confirmed
from quorate.cli.console import console, whole
from quorate.cli.options import command, names, of, only, option
from quorate.cli.options.designs import components_from
from quorate.cli.options.output import ENDINGS, Certifying, as_more, certified
from quorate.cli.options.reading import Rows
from quorate.errors import InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import SIDES

if TYPE_CHECKING:
    from quorate.estimate.posterior.prior import Prior


OF_TWO = ("a", "b", "claim", "budget")
"""What quorate compare asks of two systems."""


@dataclass(frozen=True, kw_only=True)
class AnalysisFiles(options.Files):
    """The files of an analysis, of which the page is written unless that is not wanted."""

    report: list[Path] | None = option(
        "PATH",
        "Write a report: .html, .md or .json; repeat for others. Default: <file>-quorate.html in this folder, "
        "of the demo quorate-demo.html; with --json, none.",
        writable=True,
    )
    no_report: bool = option("", "Write no report unasked.", default=False)

    def __post_init__(self) -> None:
        """Refuse a report that is wanted and not."""
        if self.no_report and self.report:
            raise InvalidInput("--no-report: contradicts --report; give one of them")
        options.Files.__post_init__(self)

    def by_default(self, page: str, out: options.Output) -> AnalysisFiles:
        """With the page that is written unless it is said otherwise."""
        from quorate.reporting.print.files import writable

        reports = [*(self.report or ())]
        if not (reports or self.no_report or out.as_json):
            writable(Path(page), ENDINGS, "--report")
            reports.append(Path(page))
        return replace(self, report=reports)


@dataclass(frozen=True, kw_only=True)
class OfLabels(options.Group):
    """Where labels are written."""

    to_people: Path | None = option(
        "FILE", "Labels: write these items into a file: .csv, .tsv, .jsonl or .parquet.", of="labels", writable=True
    )

    def __post_init__(self) -> None:
        """Refuse a place that cannot be written."""
        from quorate.table.cells import writable

        if self.to_people is not None:
            writable(self.to_people, "--to-people")


@command
def analyze(
    file: options.File,
    own: Annotated[options.Declared, of("quorate.analysis.analyze:analyze", *OF_TWO)],
    labels: OfLabels,
    paper: options.StudyRecord,
    certifying: Certifying,
    reading: options.Reading,
    files: AnalysisFiles,
    out: options.Output,
) -> int:
    """Honest error bars, and what to buy next.

    From scores: for the mean. From words, with --labels: the share of each and how far judges agree. From votes: how
    far apart all pairs of systems are; of two the verdict, better, worse, equivalent or undecided, and what would
    decide it. Ends with exit code 2 if what is asked is not shown.
    """
    from quorate.analysis.judgments import Analysis
    from quorate.reporting.paper.writeup import writeup
    from quorate.table.judgments import Judgments
    from quorate.table.reading.people import refuse_people_among_models

    table = reading.measured(file, own, paper, files, certifying, about=SIDES)
    asked = {*own.given(), *labels.given(), *paper.given()} - {"level"}
    if isinstance(table, Judgments) and not (reading.said() or asked):
        refuse_people_among_models(table, file)
    files = files.by_default(page_name(file), out)
    words = isinstance(table, Judgments) and table.labels
    for group in (paper, certifying) if words else (labels, own):
        kinds = ("scores", "is for scores, and these are labels; leave it out")
        group.refuse(*(kinds if words else ("labels", "is for labels; read words as such with --labels")))
    record = paper.record()
    found = own(table)
    certificate = certifying.certificate(found)
    more = as_more(certificate)
    if isinstance(found, Analysis):
        if out.as_json:
            more |= writeup(found, record=record, command=files.context.obj).to_dict()
        more["record"] = record
    out.show(found, files, table, also=certified(certificate), **more)
    if labels.to_people is not None:
        found.write_people(labels.to_people)
        if not out.as_json:
            whole(console(), f"For people: {labels.to_people}")
    return int(found.exit_code)


def page_name(file: Path | tuple[Path, ...]) -> str:
    """Where the page goes unless it is said: named after the file, in the current folder."""
    first = file[0] if isinstance(file, tuple) else file
    return f"{first.name.removesuffix('.gz').rsplit('.', 1)[0]}-quorate.html"


FILE = "quorate-demo.csv"
NOTE = "Simulated, not real judgments, by the components of a study (Messing 2026)."


@command
def demo(
    seed: options.Seed = 1,
    directory: Path | None = option("DIR", f"Keep the simulated file here, as {FILE}.", writable=True),
    *,
    files: Annotated[AnalysisFiles, only("context", "report", "no_report")],
    out: options.Output,
) -> int:
    """See it on simulated scores whose truth is known."""
    from quorate.analysis.demo import against_truth
    from quorate.analysis.judgments import analyze_judgments
    from quorate.reporting.page import Step
    from quorate.reporting.pages.validated import truth_section
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
    also = [truth_section(truth)]
    more |= {"demo": truth.to_dict()}
    out.show(found, files, table, notes=(), also=also, next_step=keep, seed=seed, note=NOTE, **more)
    return 0


Pilot = Annotated[
    Path, typer.Option(metavar="FILE", help="The crossed study whose components the mean is judged by; read alike.")
]


@command
def mean_from(
    file: options.ScoresFile,
    pilot: Pilot,
    own: Annotated[options.Declared, of("quorate.estimate.means.mean_from:mean_from")],
    fit: Annotated[options.Declared, options.MODEL],
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """The mean of scores whose uncertainty a pilot knows.

    Scores that each item got from one judge in turn cannot tell what another judge would change. The mean is theirs,
    what varies and how well that is known comes from the crossed pilot.
    """
    from quorate.table.reading.reading import Unsure

    try:
        fitted = fit(reading.alike().judgments(pilot))
    except (UnknownColumn, Unsure) as error:
        why = error.problem if isinstance(error, Unsure) else error
        raise InvalidInput(f"--pilot: {pilot} is read as the production file is, and {why}") from None
    judgments = reading.judgments(file)
    out.show(own(judgments, fitted), files, judgments)
    return 0


RunsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per run of the chain.")
]


@dataclass(frozen=True, kw_only=True)
class Stages(options.Group):
    """The stages of the chain."""

    stages: str = option(
        "COLUMNS",
        "Column of each stage in the order of the chain, with commas; a stage of several joins them by +.",
        default=MISSING,
    )
    cluster: str | None = option("COLUMN", "What makes runs alike, such as the item.")
    level: options.Level = 0.95


@command
def chain(
    file: RunsFile,
    stages: Stages,
    rows: Annotated[Rows, only("where", "file_format")],
    files: options.Files,
    out: options.Output,
) -> int:
    """Which agent of a chain the variance of the last one's scores comes from.

    What the last agent adds given its input, what the one before it added, and so on back to the first; shares add up
    to the variance of the last score.
    """
    from quorate.estimate.agents.chain import chain as found_by

    each = [tuple(name.strip() for name in stage.split("+")) for stage in names(stages.stages)]
    found = found_by(file, each, cluster=stages.cluster, level=stages.level, rows=rows.opening())
    out.show(found, files)
    return 0


LONG = 60
"""Seconds of sampling that nobody is asked about."""
DECLINED = 2


@dataclass(frozen=True, kw_only=True)
class Known(options.Group):
    """What is known before, and whether the sampler is tried instead."""

    prior: Path | None = option(
        "FILE", "An earlier study: its judgments, read alike, or components as JSON. Default: priors that say little."
    )
    check: int | None = option(
        "N",
        "Instead, simulate N studies of these cells from the priors: does the posterior hold the truth as "
        "often as it says?",
    )

    def earlier(self, reading: options.ScoreReading, own: options.Declared) -> Prior | None:
        """The components of the earlier study."""
        from quorate.estimate.components.decompose import decompose

        if self.prior is None:
            return None
        if self.prior.suffix.lower() == ".json":
            return components_from(self.prior)
        try:
            judgments = reading.alike().judgments(self.prior)
        except UnknownColumn as error:
            raise InvalidInput(f"--prior: {self.prior} is read as the scores are, and {error}") from None
        model = ("random", "covariates", "residual_by", "link")
        found: Prior = decompose(judgments, **{name: one for name, one in own.arguments().items() if name in model})
        return found


@command
def posterior(
    file: options.ScoresFile,
    own: Annotated[options.Declared, of("quorate.estimate.posterior.posterior:posterior")],
    known: Known,
    yes: Yes = False,
    *,
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Components and the mean as posterior distributions.

    With what an earlier study found as prior, if there is one. For studies of few prompts or judges, and components
    that are estimated at zero. Says how long it takes before it goes on. Needs pip install 'quorate[bayes]'.
    """
    from quorate.estimate.posterior.check import check_posterior

    prior = known.earlier(reading, own)
    judgments = reading.judgments(file)
    if known.check is None:
        found: Any = own(judgments, prior=prior, on_quote=asks(yes))
    elif "targets" in own.given():
        raise InvalidInput("--target: a check is of the mean of default targets; leave it out")
    else:
        found = check_posterior(judgments, studies=known.check, prior=prior, on_quote=asks(yes), **own.arguments())
    out.show(found, files, judgments, seed=own.value("seed"))
    return 0


def asks(yes: bool) -> Callable[[float], None]:
    """Says how long sampling takes, and asks where that is long."""

    def quoted(seconds: float) -> None:
        sys.stderr.write(f"Sampling takes about {seconds:,.0f} s.\n")
        if seconds > LONG and not yes and not confirmed():
            raise typer.Exit(DECLINED)

    return quoted
