"""The report as Markdown: the same sections, with tables for charts."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.analysis.judgments import Analysis
from quorate.analysis.labels import shown
from quorate.reporting.cells import as_markdown, plain_markdown
from quorate.reporting.checklist import checklist
from quorate.reporting.document import caveats, reporting, sections, title
from quorate.reporting.record import Record
from quorate.reporting.reproduce import Provenance, provenance
from quorate.reporting.section import Figure
from quorate.reporting.writeup import methods_paragraph

MOST_ROWS = 100


def markdown(analysis: Analysis, origin: Provenance, record: Record | None = None) -> str:
    """The whole report."""
    return "\n\n".join(_blocks(analysis, origin, record or Record({}))) + "\n"


def _blocks(analysis: Analysis, origin: Provenance, record: Record) -> Iterator[str]:
    yield f"# {plain_markdown(title(analysis))}"
    if origin.note:
        yield f"> {plain_markdown(shown(origin.note, 1000))}"
    yield f"**{plain_markdown(shown(analysis.sentence, 1000))}**"
    said = caveats(analysis)
    if said:
        yield "\n".join(f"- {plain_markdown(shown(one.sentence, 1000))}" for one in said)
    for section in sections(analysis):
        yield f"## {plain_markdown(section.title)}"
        if section.text:
            yield "\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text)
        for figure in section.figures:
            yield from _figure(figure)
    yield "## Methods"
    yield plain_markdown(methods_paragraph(analysis))
    yield from _figure(reporting(checklist(analysis, record)))
    yield "### To do it again"
    again = provenance(analysis, origin, record)
    yield "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in again.items())


def _figure(figure: Figure) -> Iterator[str]:
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield as_markdown(figure.rows[:MOST_ROWS], figure.headers)
    if len(figure.rows) > MOST_ROWS:
        yield f"And {len(figure.rows) - MOST_ROWS:,} more rows."
    yield plain_markdown(" ".join(figure.caption.lines))
