"""Pages on a terminal: the screen that abridges one, or all that its figures have for a terminal; and its lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from quorate.analysis.words import number, significant
from quorate.reporting.draw import marks
from quorate.reporting.page import Short
from quorate.reporting.print.cells import FORMATS, cell, is_number
from quorate.wording import counted, decimals, listed, safe, whole_percent

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from quorate.reporting.page import Figure, Page, Row, Section


LINES = 25
"""Of a screen, the last of which says where the page is."""
CAVEATS = 2
MOST_OF_ANSWER = 11
"""Lines above the first figure, up to which paragraphs of the first section follow the sentence."""
MOST_OF_READING = 2
"""Lines that say how the file was read."""
FEWEST = 3
"""Rows of a table, however little room there is."""
_MOST_EXACT = 3
LEAST_COUNT = 10
"""Whole numbers from which on they are shown as counts."""
MOST_BESIDE = 4
"""Rows that stand beside each other, as columns, where their own columns are too many for a line."""
LABEL = 60
"""Characters of a cell that holds text."""
NARROWEST, WIDEST = 14, 40
"""Characters of a picture of intervals; where there are fewer, there is none."""
UNICODE, ASCII = "─├┤●┊◂▸", "-||o:<>"
"""A line, its two ends, the value, what it is held against, and where an interval goes on."""


def as_text(
    page: Page, out: Console, *, full: bool = False, spelled: Callable[[str], str] = str, read: str = ""
) -> list[str]:
    """The lines of a page on a terminal.

    Parameters
    ----------
    page : Page
        What to show.
    out : Console
        Gives the width, the characters and the colours.
    full : bool
        All figures that have something for a terminal, with their sections, and all caveats; else a screen.
    spelled : callable
        Puts arguments that a sentence names into the words of the interface.
    read : str
        How the file was read.
    """
    page = page.whole if full else page
    above = [*paragraph(out, page.origin.note or ""), *paragraph(out, spelled(page.sentence), "bold")]
    for text in page.sections[0].text if page.sections and not full else ():
        lines = paragraph(out, spelled(text))
        above += lines if len(above) + len(lines) <= MOST_OF_ANSWER else []
    caveats = page.caveats if full else page.caveats[:CAVEATS]
    below: list[str] = []
    if page.next_step is not None:
        below += ["", *paragraph(out, spelled(page.next_step.sentence))]
        below += [f"  {safe(page.next_step.command)}"] if page.next_step.command else []
    if caveats:
        below += ["", *(line for one in caveats for line in paragraph(out, f"Caveat: {spelled(one)}"))]
    if read:
        lines = paragraph(out, f"Read as: {read}")
        if len(lines) > MOST_OF_READING and not full:
            lines = [*lines[: MOST_OF_READING - 1], f"{lines[MOST_OF_READING - 1][: out.width - 4]} ..."]
        below += [*([] if caveats else [""]), *lines]
    shorts = [figure for figure in (*page.figures, page.facts) if figure.short is not None]
    if full:
        everything = [line for section in page.sections for line in _section(out, section, spelled)]
        return [*above, *everything, *_shown(out, page.facts, spelled), *below]
    tables, left_out = _fitted(out, shorts, spelled, LINES - 2 - len(above) - len(below))
    hidden = {"table": left_out, "caveat": len(page.caveats) - len(caveats)}
    more = [counted(count, f"more {name}") for name, count in hidden.items() if count]
    if page.rest is not None:  # how many there are, nobody has counted
        more = ["more tables", *more[1 if left_out else 0 :]]
    return [*above, *tables, *below, *(paragraph(out, f"--full shows {listed(more)}.", "dim") if more else [])]


def _fitted(out: Console, figures: Sequence[Figure], spelled: Callable[[str], str], room: int) -> tuple[list[str], int]:
    """The figures on a screen, and how many are left out.

    The first with intervals and those that are marked are there in any case, the first other one if there is room.
    """
    drawn = [figure for figure in figures if figure.short and figure.short.of][:1]
    certain = [figure for figure in figures if figure in drawn or (figure.short and figure.short.first)]
    wanted = [*certain, *[figure for figure in figures if figure not in certain][:1]]
    first = next((figure for figure in figures if figure in wanted), None)
    lines: dict[str, list[str]] = {}
    for place, figure in enumerate(wanted, 1):
        reserved = (FEWEST + 3) * max(0, len(certain) - place)
        found = _fitting(out, figure, spelled, room - reserved, headed=figure is not first)
        if figure in certain or len(found) <= room:
            lines[figure.name], room = found, room - len(found)
    shown = [line for figure in figures for line in lines.get(figure.name, [])]
    return shown, len(figures) - len(lines)


def _section(out: Console, section: Section, spelled: Callable[[str], str]) -> list[str]:
    """A section with its paragraphs and all of its figures; nothing where it has none for a terminal."""
    figures = [figure for figure in section.figures if figure.short is not None]
    if not (figures or section.text):
        return []
    text = [line for one in section.text for line in paragraph(out, spelled(one))]
    tables = [line for figure in figures for line in _shown(out, figure, spelled)]
    return ["", *paragraph(out, section.title, "bold underline"), *text, *(tables if text else tables[1:])]


def _shown(out: Console, figure: Figure, spelled: Callable[[str], str]) -> list[str]:
    """All of a figure, and what its numbers are of; nothing where it has nothing for a terminal."""
    if figure.short is None:
        return []
    whole = replace(figure, short=replace(figure.short, whole=True))
    lines = _figure(out, whole, spelled, len(figure.rows), headed=True)
    return [*lines, *(line for text in figure.caption.lines[:1] for line in paragraph(out, spelled(text), "dim"))]


def _fitting(out: Console, figure: Figure, spelled: Callable[[str], str], room: int, *, headed: bool) -> list[str]:
    """A figure with as many rows as there is room for."""
    short = figure.short or Short({})
    rows = [row for row in figure.rows if row.items() >= short.where.items()] or figure.rows
    some, most = replace(figure, rows=rows), max(min(short.most, len(rows)), FEWEST)
    while True:
        lines = _figure(out, some, spelled, most, headed=headed)
        if len(lines) <= room or most <= FEWEST:
            return lines
        each = -(-len(lines) // most)  # lines of a row, with its part of the title
        most = max(FEWEST, most - max(1, (len(lines) - room) // each))


def _figure(out: Console, figure: Figure, spelled: Callable[[str], str], most: int, *, headed: bool) -> list[str]:
    """Some rows of a figure, with a picture of their intervals where there is room for it."""
    short, rows = figure.short, figure.rows[:most]
    if short is None or not rows:
        return []
    keys = [key for key in short.heads if any(row.get(key) not in (None, "") for row in rows)]
    columns = {key: _column(rows, key, short, spelled) for key in keys}
    right = [key == short.low or all(is_number(row.get(key)) for row in rows) for key in keys]
    titles = [short.heads[key] for key in keys]
    title = paragraph(out, spelled(figure.caption.finding), "bold") if headed else []
    taken = sum(max(map(len, [title, *columns[key]])) + 2 for key, title in zip(keys, titles, strict=True))
    short_labels = max(map(len, columns[keys[0]])) <= LABEL // 3
    if taken > out.width and len(rows) <= MOST_BESIDE and short_labels and not short.whole:
        beside = grid(
            [titles[0], *columns[keys[0]]],
            [(titles[i], *columns[keys[i]]) for i in range(1, len(keys))],
            [False] + [True] * len(rows),
        )
        return ["", *title, *printed(out, Padding.indent(beside, 2))]
    picture = _picture(rows, short, min(WIDEST, out.width - 2 - taken), _signs(out)) if short.of else []
    drawn = [*columns.values(), *([picture[1:]] if picture else [])]
    table = grid([*titles, *picture[:1]], zip(*drawn, strict=True), [*right, *([False] if picture else [])])
    for column, whole in zip(table.columns, [*right, True], strict=False):
        column.no_wrap = whole  # numbers and pictures are of no use in parts
    if picture:
        table.columns[-1].style = "cyan"
    rest = len(figure.rows) - len(rows)
    return ["", *title, *printed(out, Padding.indent(table, 2)), *([f"  and {rest:,} more"] if rest else [])]


def _column(rows: Sequence[Row], key: str, short: Short, spelled: Callable[[str], str]) -> list[str]:
    """The cells of a column; that of an interval has both ends, with the digits of its value."""
    if short.of and key in (short.of, short.low):
        scale, unit = (100, "%") if short.of in short.percent else (1, "")
        halves = [scale * (high - low) / 4 for low, _, high in _intervals(rows, short) if math.isfinite(high - low)]
        places = decimals(median(halves)) if halves else 3
        ends = (short.low, short.high) if key == short.low else (key,)
        some = [tuple(_number(row.get(end), scale, places, unit) for end in ends) for row in rows]
        return ["-" if set(cells) == {"-"} else " to ".join(cells) for cells in some]
    values = [row.get(key) for row in rows]
    exact = None if key in short.percent or key in FORMATS else _exact(values)
    cells = [
        f"{value:,.{exact}f}"
        if exact and isinstance(value, float) and math.isfinite(value)
        else safe(_cell(key, value, spelled, percent=key in short.percent))
        for value in values
    ]
    return cells if short.whole else [one if len(one) <= LABEL else f"{one[: LABEL - 3]}..." for one in cells]


def _exact(values: Sequence[object]) -> int | None:
    """Decimals that show all numbers of a column as they are; None where it takes more than three, or none is there."""
    numbers = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    shown = (places for places in range(_MOST_EXACT + 1) if all(abs(x - round(x, places)) < 1e-9 for x in numbers))
    return next(shown, None) if numbers else None


def _number(value: float | None, scale: int, places: int, unit: str) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{number(scale * value, places)}{unit if math.isfinite(value) else ''}"


def _cell(key: str, value: object, spelled: Callable[[str], str], *, percent: bool) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float) and percent:
        return whole_percent(value)
    if isinstance(value, str):
        return spelled(value)
    if isinstance(value, float) and value.is_integer() and abs(value) >= LEAST_COUNT:
        return f"{value:,.0f}"
    if isinstance(value, float) and value == float(f"{value:.2g}") and cell(key, value) == significant(value, 4):
        return f"{value:.2g}"  # what was chosen rather than estimated
    return cell(key, value)


def _intervals(rows: Sequence[Row], short: Short) -> list[tuple[float, float, float]]:
    """Low, value and high of every row; not numbers where they are not known."""
    ends = [[row.get(key) for key in (short.low, short.of, short.high)] for row in rows]
    return [(math.nan,) * 3 if None in known else (known[0], known[1], known[2]) for known in ends]  # type: ignore[misc]


def _picture(rows: Sequence[Row], short: Short, width: int, signs: str) -> list[str]:
    """A line of ticks, and one with its interval for every row; nothing where none can be drawn."""
    found = _intervals(rows, short)
    known = [
        {"low": low, "value": value, "high": high}
        for low, value, high in found
        if math.isfinite(value) and not math.isnan(low + high)
    ]
    if width < NARROWEST or not known:
        return []
    least, most = marks.around(known, "value", *([] if short.at is None else [short.at]))
    line, left, right, middle, held, before, after = list(signs)

    def place(x: float) -> int:
        return int(min(max((x - least) / (most - least), 0.0), 1.0) * (width - 1) + 0.5 + 1e-6)  # alike on all machines

    lines = [_ticks(least, most, width, place, 100 if short.of in short.percent else 1)]
    for low, value, high in found:
        drawn = [" "] * width
        if short.at is not None:
            drawn[place(short.at)] = held
        if {"low": low, "value": value, "high": high} in known:
            start, end = place(low), place(high)
            drawn[start : end + 1] = line * (end + 1 - start)
            drawn[start], drawn[end] = before if low < least else left, after if high > most else right
            drawn[place(value)] = middle
        lines.append("".join(drawn).rstrip())
    return lines


def _ticks(least: float, most: float, width: int, place: Callable[[float], int], scale: int) -> str:
    """Round numbers over their places, as many as do not crowd."""
    power = 10.0 ** math.floor(math.log10((most - least) / 2))
    step = next(power * one for one in (1, 2, 5, 10) if (most - least) / (power * one) <= max(2, width / 9))
    places = max(0, -math.floor(math.log10(scale * step) + 1e-9))
    text = [" "] * width
    for i in range(math.ceil(least / step), math.floor(most / step) + 1):
        label = f"{number(scale * i * step, places)}{'%' if scale > 1 else ''}"
        start = min(max(place(i * step) - len(label) // 2, 0), width - len(label))
        if all(sign == " " for sign in text[max(0, start - 1) : start + len(label) + 1]):
            text[start : start + len(label)] = label
    return "".join(text).rstrip()


def _signs(out: Console) -> str:
    """Characters that the stream can show."""
    try:
        UNICODE.encode(out.encoding)
    except UnicodeEncodeError:
        return ASCII
    return UNICODE


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
