"""Rows of plain values as tables: column titles, and cells as text, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence

from quorate.analysis.words import significant, visible
from quorate.reporting.page import Row
from quorate.wording import inert, percent

FORMATS: Mapping[str, Callable[[float], str]] = {
    "share_of_variance": percent,
    "share": percent,
    "gain": lambda change: f"{change:+.1%}" if abs(change) >= 0.0005 else "0.0%",
    "more_cost": "{:+,.2f}".format,
    "price": "{:,.2f}".format,
}
"""How numbers are written by what they are of."""


def columns(rows: Sequence[Row], headers: Mapping[str, str]) -> dict[str, str]:
    """Keys with something in them, and their titles."""
    keys = dict.fromkeys(key for row in rows for key in row)
    kept = [key for key in keys if any(row.get(key) not in (None, "") for row in rows)]
    return {key: headers.get(key, key.replace("_", " ")) for key in kept}


def cell(key: str, value: object) -> str:
    """One value as text.

    Examples
    --------
    >>> cell("se", 0.123456), cell("share", 0.5), cell("n", 1200), cell("df", None), cell("high", float("inf"))
    ('0.1235', '50.0%', '1,200', '–', 'unbounded')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key in FORMATS and isinstance(value, float):
        return FORMATS[key](value)
    if isinstance(value, float):
        return significant(value, 4)
    return f"{value:,}" if isinstance(value, int) else visible(str(value))


def is_number(value: object) -> bool:
    """Whether a cell stands on the right."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


_ADDRESS = re.compile(r"(?i)((?<!\w)(?:https?|ftp|mailto|xmpp)|(?<![\w.])www|(?<=\S)(?=@))([:.@])")
"""What Markdown makes a link of although nothing says so."""


def csv_table(rows: Sequence[Row], headers: Mapping[str, str]) -> str:
    """Rows as CSV with full precision; text that a spreadsheet would run as a formula is led by an apostrophe."""
    titles = columns(rows, headers)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([inert(visible(title)) for title in titles.values()])
    shown = ([row.get(key) for key in titles] for row in rows)
    writer.writerows([inert(visible(one) if isinstance(one, str) else one) for one in row] for row in shown)
    return out.getvalue()


def markdown_table(rows: Sequence[Row], headers: Mapping[str, str]) -> str:
    """Rows as a Markdown table."""
    titles = columns(rows, headers)
    sides = ["---:" if all(is_number(row.get(key)) for row in rows) else "---" for key in titles]
    lines = [[plain_markdown(title) for title in titles.values()], sides]
    lines += [[plain_markdown(cell(key, row.get(key))) for key in titles] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain_markdown(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, one line."""
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]#|~$!" else c for c in " ".join(visible(text).split()))
    escaped = _ADDRESS.sub(lambda found: f"{found[1]}\\{found[2]}", escaped)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
