"""Lines for a terminal: paragraphs, points and tables in which nothing of the data is markup or obeyed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quorate.wording import safe

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def paragraph(out: Console, text: str, style: str = "") -> list[str]:
    """The lines of a paragraph; none of nothing."""
    return printed(out, Text(safe(text), style=style)) if text else []


def points(out: Console, sentences: Iterable[object]) -> list[str]:
    """Sentences one below the other, each marked and indented."""
    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row(Text("-"), Text(safe(sentence)))
    return printed(out, Padding.indent(grid, 2))


def grid(heads: Iterable[str], cells: Iterable[Iterable[str]], right: Iterable[bool]) -> Table:
    """A table without rules; no line of titles if all are blank."""
    titles = list(heads)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(map(str.strip, titles)))
    for title, side in zip(titles, right, strict=True):
        table.add_column(Text(safe(title.strip()), "dim"), justify="right" if side else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(safe(entry)) for entry in row))
    return table


def printed(out: Console, content: RenderableType) -> list[str]:
    """What is printed of anything, line by line, without the blanks that would fill each up."""
    with out.capture() as captured:
        out.print(content)
    return [line.rstrip() for line in captured.get().splitlines()]
