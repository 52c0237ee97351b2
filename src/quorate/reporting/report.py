"""Reports: one registry from the type of a result to its page, one from the ending of a path to its printer."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from quorate.caveats import Caveat, weightiest_first
from quorate.errors import InvalidInput
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Table, source_of, title_of
from quorate.reporting.paper.record import Record, study_record
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import MARKS, as_html, as_json, as_markdown, directory, writable, write_charts
from quorate.table.judgments import Judgments
from quorate.table.results import plain
from quorate.table.votes import Votes
from quorate.wording import capitalised, counted, plural
from quorate.writing import write_file

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
    "decide.all_pairs:AllPairs": "verdict:all_pairs_page",
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

Judgments have theirs with a checklist, from `pages.judgments`; results that are not listed have `page_of_any`.
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
        page = page_of_any(result, source)
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


# The page of every result that needs nothing special, from its own sentence, rows and caveats.


MOST_COLUMNS = 6
"""Of the rows of a result on a terminal, where it is not said which."""
SHORTS: Mapping[str, Short] = {
    "AllEqual": Short(Short.titles(value="score", low="mean at least", high="at most", share="share", items="items")),
    "SameDifference": Short(
        Short.titles(value="difference", low="mean at least", high="at most", share="share", items="items")
    ),
}
"""How a terminal shows the rows of a result, by the name of its type, and other tables of it."""
_FEW = 5
"""Plain values that make one cell; more are a table."""


def page_of_any(result: Any, table: Table | None = None) -> Page:
    """The page of a result, or of a tuple of results of one kind.

    Parameters
    ----------
    result : dataclass, or tuple of them
        It says what it has: a ``sentence``, ``rows``, ``caveats``; the rest is taken from its fields.
    table : Judgments or Votes, optional
        What it came from.

    Raises
    ------
    InvalidInput
        If a tuple is empty.
    """
    parts: tuple[Any, ...] = tuple(result) if isinstance(result, tuple) else (result,)
    if not parts:
        raise InvalidInput("result: an empty tuple, of which there is nothing to report")
    name = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(parts[0]).__name__).capitalize()
    about = inspect.cleandoc(type(parts[0]).__doc__ or "").partition("\n")[0]
    content = _content(result) if len(parts) == 1 and parts[0] is result else {"results": [_content(p) for p in parts]}
    sentence = getattr(result, "sentence", "")
    caveats = dict.fromkeys(caveat for part in parts for caveat in getattr(part, "caveats", ()))
    known = [caveat for caveat in caveats if isinstance(caveat, Caveat)]
    step = getattr(result, "next_step", None)
    title = plural(name) if isinstance(result, tuple) else name
    figures = tuple(tables(title, result, content))
    return Page(
        title=title_of(table, title),
        sentence=capitalised(sentence) if isinstance(sentence, str) and sentence else about,
        sections=(Section("result", title, figures=figures),) if figures else (),
        facts=numbers(content, said=first_row(result)),
        methods=f"The numbers are those of quorate.types.{type(parts[0]).__name__}. {about}",
        content=lambda: content,
        caveats=(*weightiest_first(known), *(caveat for caveat in caveats if isinstance(caveat, str))),
        next_step=Step(step) if isinstance(step, str) else None,
        source=partial(source_of, table),
    )


def tables(title: str, result: Any, content: Mapping[str, Any]) -> Iterator[Figure]:
    """The rows of the result, and every other table among its values."""
    rows = getattr(result, "rows", None)
    first: list[Row] = [_flat(row) for row in rows()] if callable(rows) else []
    if first:
        heads = {key: key.replace("_", " ") for key in [*first[0]][:MOST_COLUMNS]}
        short = SHORTS.get(type(result).__name__, Short(heads))
        yield Figure("rows", Caption(title if len(first) == 1 else f"{title}: {len(first):,} rows"), first, short=short)
    for name, value in content.items():
        bound = isinstance(value, Mapping) and {key: value.get(key) for key in ("value", "low", "high")}
        told = name == "caveats" or _is_short(value) or (bound and bound.items() <= first_row(result).items())
        inside = [] if told else _rows(value)
        if inside and inside != first:
            caption = Caption(f"{_words(name).capitalize()}: {counted(len(inside), 'row')}")
            own = Short({key: "" if key == "what" else _words(key) for key in [*inside[0]][:MOST_COLUMNS]})
            short = SHORTS.get(f"{type(result).__name__}.{name}", own)
            yield Figure(name, caption, inside, headers={"what": " "}, short=short)


def numbers(content: Mapping[str, Any], said: Mapping[str, Any]) -> Figure:
    """Every number and word that is no table, nor said in the only row of one."""
    cells = dict(content)
    for name, value in content.items():
        if _is_short(value):  # a few values in one cell
            cells[name] = ", ".join(f"{one:.4g}" if isinstance(one, float) else str(one) for one in value)
    said = {**said, **{name: cells.get(name) for name in ("sentence", "next_step")}}  # they stand above
    new = {name: value for name, value in cells.items() if _is_cell(value) and (name, value) not in said.items()}
    rows = [{"what": _words(name), "value": value} for name, value in new.items() if value not in (None, "")]
    rows = rows or [{"what": "results", "value": len(content)}]
    caption = Caption(f"What else it says: {counted(len(rows), 'value')}")
    return Figure("values", caption, rows, headers={"what": " "})


def first_row(result: Any) -> Row:
    """The only row of a result; empty where it has several or none."""
    rows = getattr(result, "rows", None)
    found = rows() if callable(rows) else []
    return found[0] if len(found) == 1 else {}


def _content(result: Any) -> dict[str, Any]:
    """Everything as plain values for JSON, by name."""
    if callable(getattr(result, "to_dict", None)):
        values: Mapping[str, Any] = result.to_dict()
    elif is_dataclass(result):
        values = {one.name: getattr(result, one.name) for one in fields(result) if one.repr}
    else:
        values = {"value": result}
    return {name: _simple(plain(value)) for name, value in values.items()}


def _simple(value: Any) -> Any:
    """The value with words for what JSON does not know, such as places."""
    if isinstance(value, Mapping):
        return {str(name): _simple(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_simple(entry) for entry in value]
    return value if _is_cell(value) else str(value)


def _rows(value: Any) -> list[Row]:
    """A table in a value: a list of anything, or a dictionary; none in what is a single cell."""
    if isinstance(value, list):
        return [{"place": i, **_flat(entry)} if _is_cell(entry) else _flat(entry) for i, entry in enumerate(value, 1)]
    if not isinstance(value, Mapping):
        return []
    if all(isinstance(entry, Mapping) for entry in value.values()):
        return [{"what": name, **_flat(entry)} for name, entry in value.items()]
    return [{"what": name, "value": entry} for name, entry in _flat(value).items()]


def _flat(value: Any, name: str = "") -> Row:
    """A dictionary as one row, with what is inside it named after both."""
    if isinstance(value, Mapping):
        inside = ((f"{name} {_words(str(key))}".strip(), entry) for key, entry in value.items())
        return {key: cell for outer, entry in inside for key, cell in _flat(entry, outer).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(map(_is_cell, value)) and not all(isinstance(entry, (int, float)) for entry in value):
            return {name or "value": ", ".join(map(str, value))}
        return {key: c for i, entry in enumerate(value, 1) for key, c in _flat(entry, f"{name} {i}".strip()).items()}
    return {name or "value": plain(value)}


def _is_short(value: Any) -> bool:
    """Whether a list is as plain as a single cell: an interval, or a few names."""
    return isinstance(value, list) and 0 < len(value) <= _FEW and all(map(_is_cell, value))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float))
