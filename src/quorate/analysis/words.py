"""The words around the numbers: sensible digits, the first sentence, what shrinks a component."""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from quorate.estimate.components.model import CELL, leaves
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Interval
from quorate.wording import at_level, decimals, listed, plural, whole_percent

LEAST_P = 0.0001
"""P-values below it are shown as less than it."""
MOST_VOTES = 1e12
"""More votes than that are no number to plan with."""


def about(found: Interval, places: int) -> str:
    """The half-width, or both limits where they are not equally far from the value."""
    if not abs((found.low + found.high) / 2 - found.value) >= 0.5 * 10**-places:
        return f"±{number(found.half_width, places)}"
    return f"{number(found.low, places)} to {number(found.high, places)}"


def number(value: float, places: int) -> str:
    """A number with fixed decimals, and words for what is not a number.

    Examples
    --------
    >>> number(7.4249, 2), number(float("inf"), 2), number(float("nan"), 2)
    ('7.42', 'unbounded', 'not known')
    """
    if math.isnan(value):
        return "not known"
    if math.isinf(value):
        return "unbounded"
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, written out where that stays readable.

    Examples
    --------
    >>> significant(0.0012345), significant(123456.0), significant(4.6e-14), significant(0.0)
    ('0.00123', '123456', '4.60e-14', '0')
    """
    if not math.isfinite(value) or value == 0:
        return number(value, 0)
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # of the number as rounded
    if exponent < -5 or exponent > 9:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def sentence(views: Sequence[Interval], naive: Interval, systems: int = 1) -> str:
    """The verdict: the mean, of how many systems, its interval for each view, and how wrong the naive interval is."""
    mean, level = views[0].value, views[0].level
    places = decimals(views[0].half_width / 2)
    spans: dict[str, list[str]] = {}
    for view in views:
        spans.setdefault(span(view, places), []).append(view.scope)
    shown = ", ".join(f"{limits} {listed(scopes)}".rstrip() for limits, scopes in spans.items())
    of = f"of {systems:,} systems " if systems > 1 else ""
    first = f"Mean {of}{number(mean, places)}; {at_level(level)} interval {shown}."
    return f"{first} {against_naive(views[0], naive, places)}"


def span(reading: Interval, places: int) -> str:
    """Limits of an interval, with as many more decimals as a narrow one needs."""
    if 0 < reading.half_width < math.inf:
        places = max(places, math.ceil(-math.log10(reading.half_width) - 1e-6))
    return f"{number(reading.low, places)} to {number(reading.high, places)}"


def against_naive(headline: Interval, naive: Interval, places: int) -> str:
    """How the naive interval compares with the one that holds."""
    if not naive.half_width > 0:
        return "There is no naive interval: it needs two judgments that differ."
    ratio = headline.half_width / naive.half_width
    shown = f"The naive interval ({span(naive, places)}) is"
    if not math.isfinite(ratio):
        return f"{shown} no guide: nothing bounds the true one."
    if ratio >= 1.05:
        return f"{shown} {times(ratio)} times too narrow."
    return f"{shown} about as wide." if ratio > 0.95 else f"{shown} {times(1 / ratio)} times too wide."


def times(ratio: float) -> str:
    """A ratio in words' company: one decimal below 10, none above."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:,.0f}"


_KINDS: dict[tuple[str, ...], str] = {(CELL,): ", the same asked again", (REPLICATE,): ", another asked again"}


def only_facet(judgments: Judgments) -> str:
    """The facet that a cell is a level of, as items that were only run again; empty where cells are of several."""
    first, *others = leaves(judgments, judgments.names)
    return "" if others else first


def called(component: str, only: str = "") -> str:
    """A component as a reader knows it: noise of single judgments by its kind.

    Parameters
    ----------
    component : str
        Term, or a sum of terms joined by " + ".
    only : str
        The only facet there is, if there is one: between its levels is what varies between cells.

    Examples
    --------
    >>> called("item:judge"), called("cell + replicate"), called("replicate")
    ('item × judge', 'noise of one judgment', 'noise of one judgment, another asked again')
    >>> called("cell", "item"), called("cell + item + replicate", "item"), called("replicate", "item")
    ('item', 'item + noise of one judgment', 'noise of one judgment')
    """
    terms = component.split(" + ")
    if only:
        terms = list(dict.fromkeys(only if term == CELL else term for term in terms))
    noise = {term: term.partition("[") for term in terms if term.partition("[")[0] in (CELL, REPLICATE)}
    words = [term.replace(":", " × ") for term in terms if term not in noise]
    if noise:
        whose = dict.fromkeys(f" [{rest}" for _, sign, rest in noise.values() if sign)
        kinds = tuple(dict.fromkeys(name for name, _, _ in noise.values()))
        words.append(f"noise of one judgment{'' if only else _KINDS.get(kinds, '')}{''.join(whose)}")
    return " + ".join(words)


def advice(component: str, facets: Iterable[str]) -> str:
    """What makes a component's part of the uncertainty smaller.

    Parameters
    ----------
    component : str
        Term, or a sum of terms joined by " + ".
    facets : iterable of str
        All facets of the study, of which more levels could be had.

    Examples
    --------
    >>> advice("judge", ["item", "judge"]), advice("item:judge", ["item", "judge"]), advice("replicate", ["item"])
    ('add judges', 'add items or judges', 'more replicates per cell')
    """
    terms = [term.partition("[")[0] for term in component.split(" + ")]
    if terms == [REPLICATE]:
        return "more replicates per cell"
    every = list(facets)
    wanted = [every if term in (CELL, REPLICATE) else term.split(":") for term in terms]
    named = list(dict.fromkeys(name for names in wanted for name in names))
    common = [name for name in named if all(name in names for names in wanted)]
    return f"add {listed([plural(name) for name in common or named], 'or')}"


def share(value: float) -> str:
    """A share in whole percent, never rounded to nothing or to everything.

    Examples
    --------
    >>> share(0.734), share(0.0), share(0.002), share(0.9999), share(1.0)
    ('73%', '0%', '<1%', '>99%', '100%')
    """
    return ">99%" if 0.99 < value < 1 else whole_percent(value)


def drawn_share(value: float) -> str:
    """A share of random draws, which are never so many that it is nothing or everything.

    Examples
    --------
    >>> drawn_share(0.734), drawn_share(0.0), drawn_share(1.0)
    ('73%', '<1%', '>99%')
    """
    return "<1%" if value < 0.01 else share(min(value, 0.999))


def p_text(value: float, least: float = LEAST_P, digits: int = 2) -> str:
    """A p-value, never as zero.

    Examples
    --------
    >>> p_text(0.0432), p_text(3e-9), p_text(3e-9, 1e-16), p_text(math.nan)
    ('0.043', '< 0.0001', '3e-09', 'not known')
    """
    if math.isnan(value):
        return "not known"
    return f"< {least:g}" if value < least else f"{value:.{digits}g}"


def p_value(value: float, least: float = LEAST_P, digits: int = 2) -> str:
    """A p-value after its letter.

    Examples
    --------
    >>> p_value(0.0432), p_value(3e-9), p_value(1.0)
    ('p = 0.043', 'p < 0.0001', 'p = 1')
    """
    text = p_text(value, least, digits)
    return f"p {text}" if text[0] in "<n" else f"p = {text}"


def votes(count: float) -> str:
    """A number of votes that is needed.

    Examples
    --------
    >>> votes(1234.0), votes(float("inf"))
    ('1,234', 'no number')
    """
    return f"{count:,.0f}" if count < MOST_VOTES else "no number"


# Labels of the user's data made fit to be shown: one line, not too long, still told apart.


MOST = 80
LONGEST = 1000
"""Characters of a sentence or a note."""

_ISOLATE, _END = "\u2068", "\u2069"
_REORDER = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def visible(text: str, most: int | None = None) -> str:
    r"""Text on one line, cut after ``most`` characters, without controls and marks that reorder it.

    What is written from right to left is kept from reordering the rest.

    Examples
    --------
    >>> visible("two\nlines\x00"), visible("abcdefgh", most=5), visible("a مرحبا b")
    ('two lines', 'abcd…', 'a \u2068مرحبا\u2069 b')
    """
    plain = text.isascii() and text.isprintable()
    line = text if plain else "".join(map(_visible, text))
    if most is not None and len(line) > most:
        line = f"{line[: most - 1]}…"
    if plain:
        return line
    kinds = "".join(map(_direction, line))
    parts, end = [], 0
    for run in re.finditer("R(?:[R.]*R)?", kinds):  # an isolate around every run that is written from right to left
        parts += [line[end : run.start()], _ISOLATE, line[run.start() : run.end()], _END]
        end = run.end()
    return "".join([*parts, line[end:]])


def shown(label: str, most: int = MOST) -> str:
    r"""A label on one line, cut after ``most`` characters, with text from right to left kept from reordering the rest.

    Examples
    --------
    >>> shown("two\nlines"), shown("abcdefgh", most=5)
    ('two lines', 'abcd…')
    """
    return visible(label, most)


def cut(label: str, most: int = MOST) -> str:
    """A label cut after ``most`` characters.

    Examples
    --------
    >>> cut("abcdefgh", most=5)
    'abcd…'
    """
    return label if len(label) <= most else f"{label[: most - 1]}…"


def distinct(labels: Sequence[str], most: int = MOST) -> list[str]:
    """Labels as `shown`; those that cutting would make equal keep the part that differs, or are numbered.

    Examples
    --------
    >>> distinct(["abcdef1", "abcdef2", "x"], most=5)
    ['a…ef1', 'a…ef2', 'x']
    """
    whole = "".join(labels)  # of many labels most are as they are shown
    plain = whole.isascii() and whole.isprintable() and max(map(len, labels), default=0) <= most
    short = [*labels] if plain else [shown(label, most) for label in labels]
    if len({*short}) == len(short):
        return short
    groups: dict[str, list[int]] = {}
    for position, text in enumerate(short):
        groups.setdefault(text, []).append(position)
    for members in groups.values():
        if len(members) > 1:
            for position, text in zip(members, _apart([labels[i] for i in members], most), strict=True):
                short[position] = text
    times, seen, out = Counter(short), Counter[str](), []
    for text in short:
        seen[text] += 1
        out.append(f"{text} ({seen[text]})" if times[text] > 1 else text)
    return out


def _apart(labels: Sequence[str], most: int) -> list[str]:
    """Labels that start alike, each with its head and the part in which it first differs from the others."""
    whole = [shown(label, sys.maxsize) for label in labels]
    same = next((i for i, several in enumerate(zip(*whole, strict=False)) if len(set(several)) > 1), 0)
    head = max(1, most // 4)
    start = min(same - 2, max(map(len, whole)) - (most - head - 1))
    if start <= head + 1:  # nothing differs within what all of them have
        return [shown(label, most) for label in labels]
    return [shown(f"{text[:head]}…{text[start:]}", most) for text in whole]


@cache
def _direction(character: str) -> str:
    """R from right to left, L from left to right, and a dot for either."""
    kind = unicodedata.bidirectional(character)
    return "R" if kind in ("R", "AL", "AN") else "L" if kind == "L" else "."


@cache
def _visible(character: str) -> str:
    """The character; a space for what breaks a line; nothing for controls and marks that reorder text."""
    category = unicodedata.category(character)
    if category in ("Zl", "Zp") or character in "\t\n\r\v\f":
        return " "
    return "" if character in _REORDER or category in ("Cc", "Cs") else character


# Credentials left out of the addresses and commands that a reader is shown.


HIDDEN = "…"
_URL = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]+:/+)([^\s'\"<>]*)")
_SECRET = re.compile(
    r"(?i)(--[\w-]*(?:token|secret|password|api[_-]?key|access[_-]?key)[\w-]*(?:=|\s+)"
    r"|\b(?:secret|password|api[_-]?key|access[_-]?key)=)(\S+)"
)


def scrubbed(text: str) -> str:
    """Text without what opens doors: names and passwords in addresses, their queries, values of keys and tokens.

    Examples
    --------
    >>> scrubbed("quorate analyze 's3://AKIA:se/cr+et@bucket/a.csv?token=abc'")
    "quorate analyze 's3://…@bucket/a.csv?…'"
    >>> scrubbed("quorate analyze a@b.csv --api-key sk-123")
    'quorate analyze a@b.csv --api-key …'
    """
    return _SECRET.sub(rf"\1{HIDDEN}", _URL.sub(_without_credentials, text))


def _without_credentials(found: re.Match[str]) -> str:
    rest, mark, query = found[2].partition("?")
    rest, fragment, _ = rest.partition("#")
    before, at, after = rest.rpartition("@")
    if at and ":" not in before:  # a name alone stands before the first slash; a later @ belongs to the path
        before, at, after = rest.partition("@")
        if "/" in before:
            before, at, after = "", "", rest
    place = f"{HIDDEN}@{after}" if at else rest
    return f"{found[1]}{place}{f'{mark or fragment}{HIDDEN}' if query or mark or fragment else ''}"
