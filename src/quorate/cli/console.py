"""What the commands print: plain text that reads without colour, or JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quorate.cli.spelling import in_options
from quorate.errors import JOINERS

if TYPE_CHECKING:
    from quorate.table.notes import Note

MOST_COLUMNS = 100


def console() -> Console:
    """Standard output, never wider than a line that reads well; text is never taken as markup."""
    terminal = Console(highlight=False, markup=False, emoji=False)
    terminal.width = min(terminal.width, MOST_COLUMNS)
    return terminal


def safe(text: object) -> str:
    """One line of text in which control characters and invisible ones, as in hostile labels, are shown as escapes."""
    shown = (c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode("ascii") for c in str(text))
    return "".join(shown)


def say(out: Console, text: str, *, style: str = "") -> None:
    """Print one paragraph."""
    _print(out, Text(safe(text), style=style))


def whole(out: Console, text: str) -> None:
    """Print one line without breaking it, so that a command or a path can be copied."""
    out.print(Text(safe(text)), soft_wrap=True)


def heading(out: Console, text: str) -> None:
    """Print the title of a part, after an empty line."""
    out.print()
    say(out, text, style="bold")


def points(out: Console, sentences: Iterable[object]) -> None:
    """Print sentences one below the other, each marked and indented."""
    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row(Text("-"), Text(safe(sentence)))
    _print(out, Padding.indent(grid, 2))


def table(out: Console, header: Mapping[str, str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; ``header`` maps the name of each column to "left" or "right"; no heading if all are blank."""
    named = any(name.strip() for name in header)
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=named)
    for name, side in header.items():
        justify: Any = side
        shown.add_column(Text(safe(name.strip()), style="dim"), justify=justify, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(safe(entry)) for entry in row))
    _print(out, Padding.indent(shown, 2))


def print_json(content: Any) -> None:
    """Print plain values as JSON and nothing else; what is not a finite number becomes null."""
    sys.stdout.write(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")


def caveats(out: Console, sentences: Iterable[str], title: str = "Caveats") -> None:
    """Print what to know before relying on something, in the words of the command line; nothing if there is nothing."""
    known = [in_options(sentence) for sentence in sentences]
    if known:
        heading(out, title)
        points(out, known)


def read_as(out: Console, notes: Sequence[Note]) -> None:
    """Print what reading took for granted, if anything."""
    if notes:
        out.print()
        say(out, f"Columns: {'; '.join(note.brief for note in notes)}")


def _print(out: Console, content: RenderableType) -> None:
    """Print without the blanks that would fill up each line."""
    with out.capture() as captured:
        out.print(content)
    out.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
