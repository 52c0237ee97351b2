"""Reports: one registry from the type of a result to its page, one from the ending of a path to its printer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidInput
from quorate.reporting.paper.record import Record, study_record
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import MARKS, as_html, as_json, as_markdown, directory, writable, write_charts
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes
from quorate.writing import write_file

if TYPE_CHECKING:
    from quorate.reporting.page import Page, Table

OF_MEAN = "analysis.judgments:Analysis"
"""The type whose page has a checklist."""
FIT = "estimate.components.decomposition:Decomposition"
"""The type whose page is that of its mean."""

PAGES: Mapping[str, str] = {
    "analysis.allocation:AllocationAnalysis": "allocation:page",
    "analysis.designs:Changes": "designs:changed",
    "analysis.interim:Interim": "interim:page",
    "estimate.nominal:Labels": "nominal:page",
    "analysis.votes:PairAnalysis": "votes.standings:pair_page",
    "analysis.panel:PanelAnalysis": "panel.page:page",
    "analysis.allocation:PairReplay": "votes.standings:smaller_pair_page",
    "analysis.allocation:VerdictReplay": "votes.standings:smaller_page",
    "analysis.votes:VotesAnalysis": "votes.page:page",
    "decide.all_pairs:Verdicts": "verdict:all_pairs_page",
    "decide.gaming:Gaming": "gaming:page",
    "decide.outcome:AnyVerdict": "verdict:page",
    "decide.stop:Monitor": "votes.asked:watched_page",
    "decide.stop:Standings": "votes.standings:page",
    "estimate.agreement.against:Against": "people.against:page",
    "estimate.agreement.mark_gaps:AgainstMarks": "people.against:marks_page",
    "estimate.agreement.agreement:Agreement": "people.agreement:page",
    "estimate.agreement.prediction_powered:Corrected": "people.corrected:page",
    "estimate.agents.chain:Chain": "agents:chain_page",
    "estimate.agents.ensemble:Ensemble": "agents:ensemble_page",
    "estimate.agents.hazard:Hazard": "agents:hazard_page",
    "estimate.agents.runs:RepeatedRuns": "agents:runs_page",
    "estimate.components.latent:LatentDecomposition": "judgments.diagnosis:latent_page",
    "estimate.diagnostics.diagnose:Diagnosis": "judgments.diagnosis:page",
    "estimate.doctor.support:Supports": "doctor:page",
    "estimate.ratings.corrected_board:CorrectedRatings": "people.corrected:ratings_page",
    "estimate.means.baseline:AgainstBaseline": "means:baseline_page",
    "estimate.means.mean_from:MeanFrom": "means:mean_from_page",
    "estimate.posterior.check:PosteriorCheck": "posterior:check_page",
    "estimate.posterior.result:DrawnComponents": "posterior:page",
    "estimate.ratings.categories:Boards": "ratings.boards:page",
    "estimate.ratings.leaderboard:Leaderboard": "ratings.page:page",
    "estimate.ratings.models:Models": "votes.asked:models_page",
    "estimate.ratings.ratings:Ratings": "ratings.page:page",
    "estimate.regression.regress:Regression": "people.regression:page",
    "estimate.regression.surrogate:SignFlip": "people.regression:sign_flip_page",
    "estimate.regression.surrogate:Surrogate": "people.regression:surrogate_page",
    "planning.designs.dstudy:Projection": "designs:planned",
    "planning.labels_plan:BoardPlan": "people.corrected:ratings_page",
    "planning.labels_plan:LabelsPlan": "people.corrected:labels_page",
    "planning.battles:BattleSample": "votes.asked:sample_page",
    "planning.battles:NextBattles": "votes.asked:battles_page",
    "planning.panel.panel:Panel": "panel.page:page",
    "planning.panel.screening:Screening": "panel.spending:screened_page",
    "planning.power.protocols:Protocols": "votes.asked:protocols_page",
    "planning.power.votes_plan:VotesPlan": "votes.asked:plan_page",
    "planning.search.optimum:Optimum": "designs:page",
    "reproduction.comparison:Reproduction": "papers:page",
    "simulate.allocation.result:Allocation": "allocation:page",
    "simulate.pipelines.result:Pipelines": "pipelines:page",
    "simulate.validate:Validated": "validated:page",
    "table.measured:Measures": "measures:page",
}
"""The page of every type of result, made of a result and the table that it came from: where each is, below ``quorate``
and ``quorate.reporting.pages``, so that a page loads when it is made and no other does.

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
        Folder for every chart as an SVG of its own, named after the figure, such as ``components.svg``.
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
    if charts is not None:
        directory(Path(charts), "charts")
    page = page_of(result, source=source, record=record, origin=Provenance(command, seed, note))
    written = write(page, path)
    if charts is not None:
        write_charts(page, charts)
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
    if isinstance(result, (Judgments, Votes)):
        from quorate.analysis.analyze import analyze

        result, source = analyze(result), source or result
    elif FIT in _kinds_of(result):
        from quorate.analysis.judgments import of_fit

        result = of_fit(result)
    kinds = _kinds_of(result)
    made = next((PAGES[kind] for kind in kinds if kind in PAGES), None)
    if OF_MEAN in kinds:
        from quorate.reporting.pages.judgments.page import page as page_of_judgments

        page = page_of_judgments(result, stated)
    elif record is not None:
        raise InvalidInput("record: the report of this result has no checklist to fill; leave it out")
    elif made is not None:
        module, _, name = made.partition(":")
        page = getattr(import_module(f"quorate.reporting.pages.{module}"), name)(result, source)
    elif is_dataclass(result) or (isinstance(result, tuple) and all(map(is_dataclass, result))):
        from quorate.reporting.pages import table

        page = table.page(result, source)
    else:
        raise InvalidInput(f"result: a table or a result is needed, got {type(result).__name__}")
    return replace(page, origin=origin or Provenance())


def _kinds_of(result: Any) -> list[str]:
    """Types of a result as pages are registered, its own first."""
    return [f"{kind.__module__.removeprefix('quorate.')}:{kind.__qualname__}" for kind in type(result).__mro__]


def write(page: Page, path: str | Path) -> Path:
    """Write a page as the ending of the path says.

    Raises
    ------
    InvalidInput
        If the ending is not known or the place cannot be written.
    """
    path = Path(path)
    writable(path, tuple(PRINTERS))
    ending = path.suffix.lower()
    return write_file(path, PRINTERS[ending](page).encode("utf-8", "replace"), mark=MARKS[ending])
