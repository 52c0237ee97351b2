"""What the commands print: plain text that reads without colour, or JSON; help does not load what lays it out."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from quorate.cli.spelling import in_options
from quorate.wording import safe

MOST_COLUMNS = 100


def console() -> Console:
    """Standard output, never wider than a line that reads well; text is never taken as markup."""
    out = Console(highlight=False, markup=False, emoji=False)
    out.width = min(out.width, MOST_COLUMNS)
    return out


def say(out: Console, text: str, *, style: str = "") -> None:
    """Print one paragraph."""
    from quorate.reporting.print import terminal

    put(out, terminal.paragraph(out, text, style))


def whole(out: Console, text: str) -> None:
    """Print one line without breaking it, so that a command or a path can be copied."""
    out.print(Text(safe(text)), soft_wrap=True)


def heading(out: Console, text: str) -> None:
    """Print the title of a part, after an empty line."""
    out.print()
    say(out, text, style="bold")


def points(out: Console, sentences: Iterable[object]) -> None:
    """Print sentences one below the other, each marked and indented."""
    from quorate.reporting.print import terminal

    put(out, terminal.points(out, sentences))


def table(out: Console, header: Mapping[str, str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; ``header`` maps the name of each column to "left" or "right"; no heading if all are blank."""
    from quorate.reporting.print import terminal

    cells = (map(str, row) for row in rows)
    shown = terminal.grid(header, cells, (side == "right" for side in header.values()))
    put(out, terminal.printed(out, Padding.indent(shown, 2)))


def put(out: Console, text: Iterable[str]) -> None:
    """Print lines that are made already."""
    out.file.write("".join(f"{line}\n" for line in text))


def print_json(content: Any) -> None:
    """Print plain values as JSON and nothing else; what is not a finite number becomes null."""
    sys.stdout.write(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")


def caveats(out: Console, sentences: Iterable[str], title: str = "Caveats") -> None:
    """Print what to know before relying on something, in the words of the command line; nothing if there is nothing."""
    known = [in_options(sentence) for sentence in sentences]
    if known:
        heading(out, title)
        points(out, known)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
