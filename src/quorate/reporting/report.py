"""Reports: one registry from the type of a result to its page, one from the ending of a path to its printer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.agreement import AgreementAnalysis
from quorate.analysis.allocation import AllocationAnalysis
from quorate.analysis.designs import Changes
from quorate.analysis.interim.result import Interim
from quorate.analysis.judgments import Analysis
from quorate.analysis.nominal import Labels, labels
from quorate.analysis.optimum import OptimumAnalysis
from quorate.analysis.pair import PairAnalysis
from quorate.analysis.panel import PanelAnalysis
from quorate.analysis.ratings import RatingsAnalysis
from quorate.analysis.votes import VotesAnalysis
from quorate.decide.all_pairs import Verdicts
from quorate.decide.gaming.gaming import Gaming
from quorate.decide.outcome import AnyVerdict
from quorate.errors import InvalidInput
from quorate.estimate.agreement.against import Against
from quorate.estimate.agreement.agreement import Agreement
from quorate.estimate.agreement.prediction_powered import Corrected
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.diagnostics.diagnose import Diagnosis
from quorate.estimate.means.mean_from import MeanFrom
from quorate.estimate.posterior.check import PosteriorCheck
from quorate.estimate.posterior.result import DrawnComponents
from quorate.estimate.ratings.boards import Boards
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.ratings import Ratings
from quorate.plan.designs.dstudy import Projection
from quorate.plan.panel.panel import Panel
from quorate.plan.search.optimum import Optimum
from quorate.reporting.page import Page
from quorate.reporting.pages import (
    all_pairs,
    allocation,
    boards,
    designs,
    gaming,
    mean_from,
    nominal,
    pair,
    pipelines,
    ratings,
    table,
    validated,
    verdict,
    votes,
)
from quorate.reporting.pages.interim import page as interim
from quorate.reporting.pages.judgments import diagnosis, latent
from quorate.reporting.pages.judgments import page as judgments
from quorate.reporting.pages.panel import page as panel
from quorate.reporting.pages.papers import reproduced
from quorate.reporting.pages.people import against, agreement, corrected
from quorate.reporting.pages.posterior import check
from quorate.reporting.pages.posterior import page as posterior
from quorate.reporting.paper.record import Record, study_record
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.paper.writeup import analysed
from quorate.reporting.print.charts import ChartFormat, chart_folder, write_charts
from quorate.reporting.print.files import writable, write_whole
from quorate.reporting.print.html import as_html
from quorate.reporting.print.json import as_json
from quorate.reporting.print.markdown import as_markdown
from quorate.reproduction.comparison import Reproduction
from quorate.simulate.allocation.result import Allocation
from quorate.simulate.pipelines.result import Pipelines
from quorate.simulate.validate import Validated
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

if TYPE_CHECKING:
    from quorate.reporting.page import Table

PAGES: Mapping[type, Callable[[Any, Any], Page]] = {
    Against: against.page,
    Agreement: agreement.page,
    AgreementAnalysis: agreement.page,
    Allocation: allocation.page,
    AllocationAnalysis: allocation.page,
    AnyVerdict: verdict.page,
    Boards: boards.page,
    Changes: designs.changed,
    Corrected: corrected.page,
    Diagnosis: diagnosis.page,
    Gaming: gaming.page,
    Interim: interim.page,
    Labels: nominal.page,
    LatentDecomposition: latent.page,
    Leaderboard: ratings.page,
    MeanFrom: mean_from.page,
    Optimum: designs.page,
    OptimumAnalysis: designs.page,
    PairAnalysis: pair.page,
    Panel: panel.page,
    PanelAnalysis: panel.page,
    Pipelines: pipelines.page,
    DrawnComponents: posterior.page,
    PosteriorCheck: check.page,
    Projection: designs.planned,
    Ratings: ratings.page,
    RatingsAnalysis: ratings.page,
    Reproduction: reproduced.page,
    Validated: validated.page,
    Verdicts: all_pairs.page,
    Votes: votes.page,
    VotesAnalysis: votes.page,
}
"""The page of every type of result, made of a result and the table that it came from.

Judgments have theirs with a checklist, from `pages.judgments`; results that are not listed have that of `pages.table`.
"""

PRINTERS: Mapping[str, Callable[[Page], str]] = {
    ".html": as_html,
    ".htm": as_html,
    ".md": as_markdown,
    ".markdown": as_markdown,
    ".json": as_json,
}
"""The printer of every ending."""


def report(
    result: Any,
    path: str | Path = "report.html",
    *,
    source: Table | None = None,
    record: Mapping[str, Any] | str | Path | Record | None = None,
    charts: str | Path | None = None,
    chart_format: ChartFormat = "svg",
    command: str | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Path:
    """Write everything there is to say about a table or a result into one file to share.

    The page opens offline, on a phone and on paper: charts with their numbers and a download of them, caveats, a
    paragraph for a methods section, and what is needed to do it again; for judgments also items to send to people and
    the reporting checklist.

    Parameters
    ----------
    result : Judgments, Votes, or what a function of this package returns
        What to report; tables are analysed with default options. Several results of one kind make one page.
    path : path
        File to write, replaced if it exists: ``.html``, ``.md`` or ``.json``.
    source : Judgments or Votes, optional
        What the result came from, which the page then names.
    record : mapping or path, optional
        The study record that fills the checklist, as for `quorate.writeup`; for judgments only.
    charts : path, optional
        Folder for every chart as a file of its own, named after the figure, such as ``components.svg``.
    chart_format : {"svg", "png"}
        Format of these files; PNG has 300 dots per inch at 6 inches.
    command, seed : str and int, optional
        Command line and seed that led here, for the record.
    note : str, optional
        What a reader must know before anything else, such as that the data are simulated.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInput
        If the ending is not known, a place cannot be written, or the record breaks a rule; all before the analysis.
    NotEstimable
        If the judgments support no interval for the mean.

    Examples
    --------
    >>> import polars, tempfile
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     q.report(q.read(polars.DataFrame(demo_table()), announce=False), f"{folder}/demo.md").name
    'demo.md'
    """
    writable(Path(path), tuple(PRINTERS))
    folder = None if charts is None else chart_folder(charts, chart_format)
    page = page_of(result, source=source, record=record, origin=Provenance(command, seed, note))
    written = write(page, path)
    if folder is not None:
        write_charts(page, folder, chart_format)
    return written


def page_of(
    result: Any,
    *,
    source: Table | None = None,
    record: Mapping[str, Any] | str | Path | Record | None = None,
    origin: Provenance | None = None,
) -> Page:
    """The page of a result.

    Raises
    ------
    InvalidInput
        If there is no page for such a result, or a record for one that has no checklist.
    """
    stated = study_record(record)
    if isinstance(result, Judgments) and result.labels:
        result = labels(result)
    listed = [kind for kind in type(result).__mro__ if kind in PAGES]
    if isinstance(result, (Analysis, Decomposition, Judgments)):
        page = judgments.page(analysed(result), stated)
    elif record is not None:
        raise InvalidInput("record: the report of this result has no checklist to fill; leave it out")
    elif listed:
        page = PAGES[listed[0]](result, source)
    elif is_dataclass(result) or (isinstance(result, tuple) and all(map(is_dataclass, result))):
        page = table.page(result, source)
    else:
        raise InvalidInput(f"result: a table or a result is needed, got {type(result).__name__}")
    return replace(page, origin=origin or Provenance())


def write(page: Page, path: str | Path) -> Path:
    """Write a page as the ending of the path says.

    Raises
    ------
    InvalidInput
        If the ending is not known or the place cannot be written.
    """
    path = Path(path)
    writable(path, tuple(PRINTERS))
    write_whole(path, PRINTERS[path.suffix.lower()](page).encode("utf-8", "replace"))
    return path
