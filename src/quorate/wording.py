"""Counts, lists and shares as a reader expects them in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sized
from dataclasses import fields
from typing import Any

from quorate.errors import JOINERS

LONGEST = 200
"""Most characters of a `repr`."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def plural(name: str) -> str:
    """Plural of a facet's name.

    Examples
    --------
    >>> plural("judge"), plural("category"), plural("annotators")
    ('judges', 'categories', 'annotators')
    >>> plural("轮次")
    '轮次'
    """
    if not name[-1:].isascii():
        return name
    if name.endswith("criterion"):
        return f"{name[:-2]}a"
    if name.endswith("s"):
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}s"


def words(text: str) -> tuple[str, ...]:
    """Words that are listed in a text, as long tables of them are easier read.

    Examples
    --------
    >>> words("judge rater annotator")
    ('judge', 'rater', 'annotator')
    """
    return tuple(text.split())


def capitalised(text: str) -> str:
    """Text that begins a sentence.

    Examples
    --------
    >>> capitalised("of 3 pairs"), capitalised("")
    ('Of 3 pairs', '')
    """
    return text[:1].upper() + text[1:]


def counted(count: int, name: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "judge"), counted(1200, "category")
    ('1 judge', '1,200 categories')
    """
    return f"{count:,} {name if count == 1 else plural(name)}"


def listed(names: Iterable[str], last: str = "and", *, most: int | None = None) -> str:
    """Names as a list; of more than ``most`` the first ones, and how many more there are.

    Examples
    --------
    >>> listed(["item", "prompt", "judge"]), listed(["item"]), listed("abcd", most=2)
    ('item, prompt and judge', 'item', 'a, b and 2 more')
    """
    every = list(names)
    left = 0 if most is None else len(every) - most
    *first, end = [*every[:most], f"{left:,} more"] if left > 0 else every
    return f"{', '.join(first)} {last} {end}" if first else end


def brief(kind: str, words: str) -> str:
    """``kind(words)`` for the prompt: at most 200 characters, and no control characters, which a terminal would obey.

    Examples
    --------
    >>> brief("Votes", "12 votes")
    'Votes(12 votes)'
    """
    words = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in words)
    room = LONGEST - len(kind) - 2
    return f"{kind}({words if len(words) <= room else f'{words[: room - 3]}...'})"


def safe(text: object) -> str:
    r"""One line in which control characters, marks that reorder text and invisible ones are shown as escapes.

    Examples
    --------
    >>> safe("two\nlines"), safe("a\u202eb")
    ('two\\nlines', 'a\\u202eb')
    """
    shown = (c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode("ascii") for c in str(text))
    return "".join(shown)


def inert(value: Any) -> Any:
    """A value, with an apostrophe before a text that a spreadsheet would compute.

    Examples
    --------
    >>> inert("=1+1"), inert("a=b"), inert(-1)
    ("'=1+1", 'a=b', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


class Brief:
    """Base of frozen dataclasses that hold arrays or other values: at the prompt its numbers and words in one line.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Draws(Brief):
    ...     count: int
    ...     values: tuple[float, ...]
    >>> Draws(2, (0.5, 1.5))
    Draws(count=2, values: 2)
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        setattr(cls, "__repr__", cls.__repr__)  # noqa: B010  a dataclass writes none where the class has its own

    def __repr__(self) -> str:
        shown = [(one.name, getattr(self, one.name, None)) for one in fields(self) if one.repr]  # type: ignore[arg-type]
        return brief(type(self).__name__, ", ".join(_shown(name, value) for name, value in shown))


def _shown(name: str, value: object) -> str:
    """A number or word of a type, or of anything else how much of it there is."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return f"{name}={f'{value:.6g}' if isinstance(value, float) else repr(value)}"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{name}: {' x '.join(map(str, shape)) or value}"
    return f"{name}: {len(value)}" if isinstance(value, Sized) else f"{name}: {type(value).__name__}"


def percent(share: float) -> str:
    """A share with one decimal, never rounded to nothing or to everything.

    Examples
    --------
    >>> percent(0.0312), percent(0.0001), percent(0.99999), percent(0.0), percent(float("nan"))
    ('3.1%', '<0.1%', '>99.9%', '0.0%', 'not known')
    """
    if math.isnan(share):
        return "not known"
    if 0 < share < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def at_level(level: float) -> str:
    """A coverage in percent, never rounded to everything.

    Examples
    --------
    >>> at_level(0.95), at_level(1 - 0.05 / 3), at_level(0.99999)
    ('95%', '98.33%', '99.999%')
    """
    text = f"{100 * level:.4g}"
    return f"{100 * level:.9g}%" if text == "100" else f"{text}%"


def whole_percent(share: float) -> str:
    """A share in whole percent, with "<1%" for what is there but small.

    Examples
    --------
    >>> whole_percent(0.434), whole_percent(0.004), whole_percent(0.0), whole_percent(float("inf"))
    ('43%', '<1%', '0%', 'not known')
    """
    if not math.isfinite(share):
        return "not known"
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def decimals(size: float) -> int:
    """Decimals that show two significant digits of a size, such as an uncertainty; 3 where there is none to go by.

    Examples
    --------
    >>> decimals(0.016), decimals(15.0), decimals(0.0)
    (3, 0, 3)
    """
    return max(0, 1 - math.floor(math.log10(size))) if math.isfinite(size) and size > 0 else 3


def shares(value: float, low: float, high: float) -> tuple[str, str, str]:
    """A share and its interval in percent, with the digits that a narrow interval needs.

    Examples
    --------
    >>> shares(0.512, 0.472, 0.552), shares(0.50025, 0.49994, 0.50056)
    (('51.2%', '47.2%', '55.2%'), ('50.025%', '49.994%', '50.056%'))
    >>> shares(1.0, 0.9999, 1.0)
    ('100.0%', '>99.9%', '100.0%')
    """
    places = max(1, decimals(50 * (high - low) / 2)) if high - low > 1e-9 else 1  # what rounding leaves is no width
    each = [f"{one:.{places}%}" if 0.001 <= one <= 0.999 else percent(one) for one in (value, low, high)]
    first, second, third = each
    return first, second, third


def margin(value: float) -> str:
    """A margin with three decimals, and with two significant digits where that is more.

    Examples
    --------
    >>> margin(0.0726), margin(-0.00072), margin(0.0)
    ('0.073', '-0.00072', '0.000')
    """
    if not math.isfinite(value):
        return "not known"
    text = f"{value:.{max(3, decimals(abs(value)))}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def duration(seconds: float) -> str:
    """A time to wait, in the unit in which it is a small number.

    Examples
    --------
    >>> duration(40), duration(400), duration(40_000), duration(4_000_000)
    ('40 seconds', '7 minutes', '11 hours', '46 days')
    """
    for unit, size, most in (("second", 1, 90), ("minute", 60, 90), ("hour", 3600, 48)):
        if seconds < most * size:
            return counted(max(1, round(seconds / size)), unit)
    return counted(round(seconds / 86_400), "day")


def dollars(amount: float | None) -> str:
    """A price in dollars, with cents where they matter; "unknown" where there is none."""
    if amount is None:
        return "unknown"
    if 0 < amount < 0.095:
        return f"${amount:.2g}"
    return f"${amount:,.2f}" if amount < 1000 else f"${amount:,.0f}"
