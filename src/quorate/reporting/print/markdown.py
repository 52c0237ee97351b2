"""Pages as Markdown in which nothing of the data is markup: text, and every figure as its table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.words import LONGEST, visible
from quorate.reporting.print.cells import markdown_table, plain_markdown

if TYPE_CHECKING:
    from quorate.reporting.page import Figure, Page, Step

MOST_ROWS = 100
"""Rows of a table in Markdown."""


def as_markdown(page: Page) -> str:
    """The page as Markdown."""
    page = page.whole
    note, caveats = page.origin.note, [plain_markdown(visible(caveat, LONGEST)) for caveat in page.caveats]
    blocks = [
        f"# {plain_markdown(page.title)}",
        *([f"> {plain_markdown(visible(note, LONGEST))}"] if note else []),
        f"**{plain_markdown(visible(page.sentence, LONGEST))}**",
        *([] if page.next_step is None else _step(page.next_step)),
        *(["\n".join(f"- {caveat}" for caveat in caveats)] if caveats else []),
    ]
    for section in page.sections:
        blocks.append(f"## {plain_markdown(section.title)}")
        if section.text:
            blocks.append("\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text))
        blocks += [block for figure in section.figures for block in _figure(figure)]
    entries = "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in page.provenance.items())
    blocks += ["## Methods", plain_markdown(page.methods), *_figure(page.facts), "### To do it again", entries]
    return "\n\n".join(blocks) + "\n"


def _step(step: Step) -> list[str]:
    command = " ".join(visible(step.command, LONGEST).split())
    shown = plain_markdown(command) if set("`<") & set(command) else f"`{command}`"
    return [plain_markdown(visible(step.sentence, LONGEST)), *([shown] if command else [])]


def _figure(figure: Figure) -> Iterator[str]:
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield markdown_table(figure.rows[:MOST_ROWS], figure.headers)
    if len(figure.rows) > MOST_ROWS:
        yield f"And {len(figure.rows) - MOST_ROWS:,} more rows."
    if figure.caption.lines:
        yield plain_markdown(" ".join(figure.caption.lines))
