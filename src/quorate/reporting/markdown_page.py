"""Sections as Markdown: text, and every figure as its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quorate.reporting.cells import as_markdown, plain_markdown

if TYPE_CHECKING:
    from quorate.reporting.section import Figure, Section

MOST_ROWS = 100
"""Rows of a table in Markdown."""


def markdown_page(parts: Sequence[Section], last: Figure, said: Mapping[str, Any]) -> str:
    """The same as `quorate.reporting.render.page`, as Markdown.

    Parameters
    ----------
    parts : sequence of Section
        All sections but the last, the methods' own.
    last : Figure
        The table under the paragraph on methods.
    said : mapping
        What else is said: title, note, sentence, caveats, methods, provenance.
    """
    return "\n\n".join(_blocks(parts, last, said)) + "\n"


def _blocks(parts: Sequence[Section], last: Figure, said: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {plain_markdown(said['title'])}"
    if said["note"]:
        yield f"> {plain_markdown(said['note'])}"
    yield f"**{plain_markdown(said['sentence'])}**"
    if said["caveats"]:
        yield "\n".join(f"- {plain_markdown(one)}" for one in said["caveats"])
    for section in parts:
        yield f"## {plain_markdown(section.title)}"
        if section.text:
            yield "\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text)
        for figure in section.figures:
            yield from _figure(figure)
    yield "## Methods"
    yield plain_markdown(said["methods"])
    yield from _figure(last)
    yield "### To do it again"
    yield "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in said["provenance"].items())


def _figure(figure: Figure) -> Iterator[str]:
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield as_markdown(figure.rows[:MOST_ROWS], figure.headers)
    if len(figure.rows) > MOST_ROWS:
        yield f"And {len(figure.rows) - MOST_ROWS:,} more rows."
    if figure.caption.lines:
        yield plain_markdown(" ".join(figure.caption.lines))
