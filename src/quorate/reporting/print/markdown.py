"""Pages as Markdown in which nothing of the data is markup: text, and every figure as its table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.labels import LONGEST, visible
from quorate.reporting.print.cells import markdown_table, plain_markdown

if TYPE_CHECKING:
    from quorate.reporting.page import Figure, Page

MOST_ROWS = 100
"""Rows of a table in Markdown."""


def as_markdown(page: Page) -> str:
    """The page as Markdown.

    Parameters
    ----------
    page : Page
    """
    return "\n\n".join(_blocks(page)) + "\n"


def _blocks(page: Page) -> Iterator[str]:
    yield f"# {plain_markdown(page.title)}"
    if page.origin.note:
        yield f"> {plain_markdown(visible(page.origin.note, LONGEST))}"
    yield f"**{plain_markdown(visible(page.sentence, LONGEST))}**"
    if page.caveats:
        yield "\n".join(f"- {plain_markdown(visible(caveat, LONGEST))}" for caveat in page.caveats)
    for section in page.sections:
        yield f"## {plain_markdown(section.title)}"
        if section.text:
            yield "\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text)
        for figure in section.figures:
            yield from _figure(figure)
    yield "## Methods"
    yield plain_markdown(page.methods)
    yield from _figure(page.facts)
    yield "### To do it again"
    yield "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in page.provenance.items())


def _figure(figure: Figure) -> Iterator[str]:
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield markdown_table(figure.rows[:MOST_ROWS], figure.headers)
    if len(figure.rows) > MOST_ROWS:
        yield f"And {len(figure.rows) - MOST_ROWS:,} more rows."
    if figure.caption.lines:
        yield plain_markdown(" ".join(figure.caption.lines))
