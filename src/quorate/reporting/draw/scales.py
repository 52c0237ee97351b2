"""Scales of drawings: where a value stands, which ticks an axis has, and how numbers and words on it look."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Number = int | float

_NARROW, _THIN, _WIDE = frozenset("iljI.,:;'|! "), frozenset('ftr()[]-/"`'), frozenset("mwMW%@&")
_STEPS: tuple[tuple[int, ...], ...] = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9))
_PREFIXES = {9: "G", 6: "M", 3: "k"}
_FEWEST_TICKS = 3


@dataclass(frozen=True)
class Line:
    """Numbers along an axis.

    Parameters
    ----------
    low, high : float
        Values at its ends.
    start, end : float
        Pixels at its ends.
    log, clamp : bool
        Whether ratios are as far apart as they are large, and whether what lies beyond stands at the end.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    clamp: bool = False

    def at(self, value: float) -> float:
        """Pixels at which a value stands."""
        low, high, here = (math.log(max(one, 1e-300)) if self.log else one for one in (self.low, self.high, value))
        share = (here - low) / (high - low or 1.0)
        return self.start + (min(max(share, 0.0), 1.0) if self.clamp else share) * (self.end - self.start)

    def ticks(self, count: int) -> list[float]:
        """About so many round values between the ends."""
        return log_ticks(self.low, self.high, count) if self.log else ticks(self.low, self.high, count)


@dataclass(frozen=True)
class Rows:
    """Names along an axis, a step for each.

    Parameters
    ----------
    names : sequence
        In their order.
    start, step : float
        Pixels of the first's beginning, and of each.
    """

    names: Sequence[object]
    start: float
    step: float

    @property
    def places(self) -> Mapping[object, int]:
        """Which each is."""
        return {name: place for place, name in enumerate(self.names)}

    def middle(self, name: object) -> float:
        """Pixels of the middle of one."""
        return self.start + (self.places[name] + 0.5) * self.step


def ticks(low: float, high: float, count: int, least: float = 0.0) -> list[float]:
    """About so many values between two, each a multiple of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> ticks(0.13, 0.94, 4), ticks(-0.3, 0.3, 5), ticks(2.0, 2.0, 5)
    ([0.2, 0.4, 0.6, 0.8], [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3], [2.0])
    """
    step, exponent = spacing(low, high, count, least)
    if not step:
        return [low]
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, max(0, -exponent)) for place in range(first, last + 1)]


def spacing(low: float, high: float, count: int, least: float = 0.0) -> tuple[float, int]:
    """Distance of ticks, and its power of ten; nothing where the ends are one."""
    wanted = max((high - low) / max(count, 1), least)
    if wanted <= 0:
        return 0.0, 0
    exponent = math.floor(math.log10(wanted))
    ratio = wanted / 10.0**exponent
    factor = next(factor for edge, factor in ((50**0.5, 10), (10**0.5, 5), (2**0.5, 2), (0, 1)) if ratio >= edge)
    return factor * 10.0**exponent, exponent


def nice(low: float, high: float, count: int) -> tuple[float, float]:
    """The ends moved outwards to multiples of the distance of ticks.

    Examples
    --------
    >>> nice(0.03, 0.97, 5)
    (0.0, 1.0)
    """
    step, exponent = spacing(low, high, count)
    if not step:
        return low, high
    places = max(0, -exponent)
    return (
        round(math.floor(low / step + 1e-9) * step, places),
        round(math.ceil(high / step - 1e-9) * step, places),
    )


def log_ticks(low: float, high: float, count: int) -> list[float]:
    """About so many round values between two that stand apart by their ratio.

    Examples
    --------
    >>> log_ticks(1, 1000, 4), log_ticks(20, 45, 5)
    ([1.0, 10.0, 100.0, 1000.0], [20.0, 30.0, 40.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    best: list[float] = []
    for factors in _STEPS:
        found = [factor * 10.0**power for power in powers for factor in factors]
        found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(found) <= count + 1 or not best:
            best = found
    return best if len(best) >= _FEWEST_TICKS else ticks(low, high, count)


def shown(value: float, pattern: str | None, step: float = 0.0) -> str:
    """A number as a pattern of D3 has it; without one as many places as the distance of the ticks needs.

    Examples
    --------
    >>> shown(0.25, "~%"), shown(12000, "~s"), shown(0.5, None, 0.05), shown(1234.5, ",.0f"), shown(-2.0, "~g")
    ('25%', '12k', '0.50', '1,234', '−2')
    """
    if pattern is None:
        places = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 6
        text = f"{value:,.{places}f}" if step else f"{value:.6g}"
    elif pattern.endswith("%"):
        places = 0 if pattern in ("%", "~%") and not step else max(0, -math.floor(math.log10(step * 100) + 1e-9))
        text = f"{value * 100:.{places}f}%" if step else f"{value * 100:.6g}%"
    elif pattern.endswith("s"):
        power = next((power for power in _PREFIXES if abs(value) >= 10**power), 0)
        text = f"{value / 10**power:.6g}{_PREFIXES.get(power, '')}"
    elif pattern.endswith("d"):
        text = f"{value:,.0f}"
    elif "g" in pattern or pattern == ",":
        text = f"{value:{',' if ',' in pattern else ''}.6g}"
    else:
        text = f"{value:{pattern}}"
    return text.replace("-", "\u2212")


def wide(text: str, size: float) -> float:
    """About how many pixels a text takes, rather more than fewer.

    Examples
    --------
    >>> wide("judge", 12) < wide("WWWWW", 12)
    True
    """
    return size * sum(map(_letter, text))


@cache
def _letter(letter: str) -> float:
    """Width of a letter of a rather wide face without serifs, by its height."""
    if letter in _NARROW:
        return 0.32
    if letter in _THIN:
        return 0.4
    if letter in _WIDE:
        return 0.92
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.72 if letter.isupper() or letter == "\u2212" else 0.62


def fitted(text: str, room: float, size: float) -> str:
    """A text cut to the pixels that there are."""
    if wide(text, size) <= room:
        return text
    while text and wide(text, size) + size > room:
        text = text[:-1]
    return f"{text.rstrip()}\u2026"
