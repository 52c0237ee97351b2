"""Scales of words: words with an order that are known, and texts that stand for numbers, such as 85% and 7/10."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.errors import InvalidData
from quorate.frozen import dataclass

_CAUSES = (
    (r"[+-]?[\d.]*,\d+", "write decimals with a point"),
    (r"[+-]?[\d.,]+\s*/\s*[\d.,]+", "it is a fraction: divide it out first, such as 0.8 for 4/5"),
    (r"[+-]?[\d.,]+\s*%", "it is a percentage: write it without the sign, such as 0.51 for 51%"),
    ("(?i)nan|n/?a|null|none", "most rows have no score: declare that with "),
)
"""What is wrong with a column of which most are no numbers, by the first of them."""


class NotNumbers(InvalidData):
    """Scores that are text and no numbers; they may be words of a known scale."""


@dataclass(frozen=True)
class Missing:
    """Scores that stand for no score.

    Parameters
    ----------
    words : frozenset of str
        As text.
    numbers : tuple of float
        Those that are numbers, for columns of numbers; nan is told by ``nan``.
    nan : bool
        Whether nan stands for no score.
    """

    words: frozenset[str]
    numbers: tuple[float, ...]
    nan: bool


NOTHING = Missing(frozenset(), (), nan=False)
"""Every number is a score, as those are that words were made."""


def as_missing(values: Iterable[str]) -> Missing:
    """The scores that stand for no score, from the option ``missing``."""
    words = frozenset(str(value).strip() for value in ((values,) if isinstance(values, str) else values))
    numbers = [value for value in map(number, sorted(words)) if value is not None]
    finite = tuple(value for value in numbers if not math.isnan(value))
    return Missing(words, finite, nan=len(finite) < len(numbers))


def number(value: object) -> float | None:
    """A score as a number: numbers, booleans, and text that says either; None for anything else."""
    if isinstance(value, str):
        text = value.strip().lower()
        if not text.isascii() or "_" in text:  # which Python reads, and nothing else does
            return None
        value = {"true": 1.0, "false": 0.0}.get(text, text)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def parse(entries: Sequence[object], missing: Missing) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores as numbers, nan where they are none, and whether an entry is there and does not stand for no score."""
    values = [number(entry) for entry in entries]
    present = []
    for entry, value in zip(entries, values, strict=True):
        text = "" if entry is None else str(entry).strip()
        named = value is not None and (value in missing.numbers or (missing.nan and math.isnan(value)))
        present.append(bool(text) and text not in missing.words and not named)
    return np.array(values, dtype=np.float64), np.array(present, dtype=np.bool_)


def not_numbers(column: str, count: int, first: object, row: int, total: int) -> InvalidData:
    """The error for ``count`` of ``total`` scores that are not finite numbers; ``row`` counts from 1."""
    kind = "finite number" if isinstance(first, (float, np.floating)) else "number"
    which = f"1 value that is not a {kind}" if count == 1 else f"{count} values that are not {kind}s"
    shown = str(first) if kind != "number" else f'"{first}"'
    rule = f'column "{column}" has {which} (first: {shown} in row {row})'
    error = NotNumbers if isinstance(first, str) else InvalidData
    if isinstance(first, str) and 2 * count > total and (cause := cause_of(first)) is not None:
        return error(f"{rule}, of {total} in all: " + cause)
    return error(rule + "; mark them missing with " + argument("missing", str(first)) + ", or drop them")


def cause_of(text: str) -> str | None:
    """What is wrong with a column of texts such as this one, and what to do; None of words."""
    cause = next((cause for pattern, cause in _CAUSES if re.fullmatch(pattern, text.strip())), None)
    if cause is not None and cause.endswith("with "):
        return cause + argument("missing", text.strip()) + ", or name another column with " + argument("score", ...)
    return cause


_NEUTRAL = ("neutral", "neither agree nor disagree", "neither", "neither nor", "undecided", "no opinion")
_SLIGHTLY_NOT = ("somewhat disagree", "slightly disagree", "rather disagree")
_SLIGHTLY = ("somewhat agree", "slightly agree", "rather agree")
_LIKELIHOOD_NEUTRAL = ("neutral", "neither likely nor unlikely", "neither", "undecided")
_SATISFACTION_NEUTRAL = ("neutral", "neither satisfied nor dissatisfied", "neither")
_TOP = ("strongly agree", "agree strongly", "completely agree", "fully agree")
_BOTTOM = ("strongly disagree", "disagree strongly", "completely disagree")

Level = tuple[str, ...]
"""Words that mean one level."""

MARKS: tuple[tuple[Level, ...], ...] = (
    (_BOTTOM, ("disagree",), _NEUTRAL, ("agree",), _TOP),
    (_BOTTOM, ("disagree",), ("agree",), _TOP),
    (_BOTTOM, _SLIGHTLY_NOT, _NEUTRAL, _SLIGHTLY, _TOP),
    (_BOTTOM, ("disagree",), _SLIGHTLY_NOT, _NEUTRAL, _SLIGHTLY, ("agree",), _TOP),
    (_BOTTOM, ("disagree",), _SLIGHTLY_NOT, _SLIGHTLY, ("agree",), _TOP),
    (("poor",), ("fair",), ("good",), ("excellent",)),
    (("poor",), ("fair",), ("good",), ("very good",), ("excellent",)),
    (("bad",), ("poor",), ("fair",), ("good",), ("excellent",)),
    (
        ("very poor", "very bad"),
        ("poor", "bad"),
        ("fair", "average", "acceptable", "neutral", "ok", "okay"),
        ("good",),
        ("very good",),
    ),
    (("very poor", "terrible"), ("poor",), ("fair", "average", "acceptable"), ("good",), ("excellent",)),
    (("bad",), ("ok", "okay", "average", "neutral"), ("good",)),
    (("very dissatisfied",), ("dissatisfied",), _SATISFACTION_NEUTRAL, ("satisfied",), ("very satisfied",)),
    (("very unlikely",), ("unlikely",), _LIKELIHOOD_NEUTRAL, ("likely",), ("very likely",)),
    (("never",), ("rarely",), ("sometimes",), ("often",), ("always",)),
    (("not at all",), ("slightly", "a little"), ("moderately", "somewhat"), ("very", "quite a bit"), ("extremely",)),
    (("bad",), ("fair",), ("good",), ("excellent",), ("perfect",)),
    (("low",), ("medium", "moderate"), ("high",)),
    (("very low",), ("low",), ("medium", "moderate"), ("high",), ("very high",)),
    (("strong no", "definitely no"), ("no",), ("yes",), ("strong yes", "definitely yes")),
    (("strong no hire",), ("no hire",), ("hire",), ("strong hire",)),
    (("sehr schlecht",), ("schlecht",), ("mittel", "mittelm\u00e4\u00dfig", "okay"), ("gut",), ("sehr gut",)),
    (
        ("stimme gar nicht zu", "trifft gar nicht zu", "stimme \u00fcberhaupt nicht zu"),
        ("stimme nicht zu", "stimme eher nicht zu", "trifft eher nicht zu"),
        ("neutral", "teils teils", "teils/teils", "weder noch"),
        ("stimme zu", "stimme eher zu", "trifft eher zu"),
        ("stimme voll zu", "stimme voll und ganz zu", "trifft voll zu"),
    ),
    (("tr\u00e8s mauvais",), ("mauvais",), ("moyen", "passable"), ("bon",), ("tr\u00e8s bon",)),
    (("pas du tout d'accord",), ("pas d'accord",), ("neutre",), ("d'accord",), ("tout \u00e0 fait d'accord",)),
    (("muy malo", "p\u00e9simo"), ("malo",), ("regular",), ("bueno",), ("muy bueno", "excelente")),
    (
        ("totalmente en desacuerdo", "muy en desacuerdo"),
        ("en desacuerdo",),
        ("neutral", "ni de acuerdo ni en desacuerdo"),
        ("de acuerdo",),
        ("totalmente de acuerdo", "muy de acuerdo"),
    ),
    (("p\u00e9ssimo", "muito ruim"), ("ruim",), ("regular",), ("bom",), ("muito bom", "\u00f3timo", "excelente")),
    (("discordo totalmente",), ("discordo",), ("neutro", "indiferente"), ("concordo",), ("concordo totalmente",)),
    (("pessimo",), ("scarso",), ("sufficiente", "discreto"), ("buono",), ("ottimo",)),
    (("zeer slecht",), ("slecht",), ("matig", "neutraal"), ("goed",), ("zeer goed",)),
    (("strong reject",), ("reject",), ("weak reject",), ("weak accept",), ("accept",), ("strong accept",)),
)
"""Words in order, the lowest first, which are numbered from 1."""

TRUTHS: tuple[tuple[Level, Level], ...] = (
    (
        ("no", "n", "nein", "non", "nee", "nej", "n\u00e3o", "nao", "нет", "否"),
        ("yes", "y", "ja", "oui", "s\u00ed", "si", "s\u00ec", "sim", "да", "是"),
    ),
    (("fail", "failed"), ("pass", "passed")),
    (
        ("incorrect", "wrong", "falsch", "b\u0142\u0119dna", "b\u0142\u0119dny", "niepoprawna"),
        ("correct", "right", "richtig", "korrekt", "poprawna", "poprawny"),
    ),
    (("i",), ("c",)),  # in logs of Inspect
    (("false", "f"), ("true", "t")),
    (("rejected", "reject"), ("accepted", "accept")),
    (("thumbs down", "down"), ("thumbs up", "up")),
    (("\N{THUMBS DOWN SIGN}",), ("\N{THUMBS UP SIGN}",)),
    (
        ("\N{CROSS MARK}", "\N{BALLOT X}", "\N{MULTIPLICATION X}"),
        ("\N{WHITE HEAVY CHECK MARK}", "\N{CHECK MARK}", "\N{HEAVY CHECK MARK}"),
    ),
    (("\N{MULTIPLICATION SIGN}",), ("\N{WHITE CIRCLE}", "\N{LARGE CIRCLE}", "\N{IDEOGRAPHIC NUMBER ZERO}")),
    (("dislike", "disliked"), ("like", "liked")),
    (("unsafe", "harmful", "non sicuro", "inseguro"), ("safe", "harmless", "sicuro", "seguro")),
    (("failure", "unsuccessful"), ("success", "successful")),
    (("unresolved", "not resolved"), ("resolved",)),
    (("unhelpful", "not helpful"), ("helpful",)),
    (("unacceptable", "not acceptable"), ("acceptable",)),
    (("hallucinated", "hallucination", "unfaithful"), ("faithful", "grounded", "not hallucinated", "no hallucination")),
)
"""Two words, for 0 and 1."""

_HALF = re.compile(
    "(partially|partly|partial|partialy|somewhat|mixed|teilweise|teils|partiellement|en partie|partiel|parcialmente|"
    "parcial|en parte|in parte|parzialmente|parziale|gedeeltelijk|deels|częściowo|delvis|частично|部分|一部)( |$)"
)
_WHOLE = re.compile("(fully|completely|highly|very|entirely|totally) ")
_NOT = re.compile("(not at all|not|no|un|in|ir|im|non|dis) ?")
"""What makes a word half of what it says, the whole of it, or its opposite."""

_PLACES = {
    levels: {word: first + number for number, level in enumerate(levels) for word in level}
    for known, first in ((MARKS, 1.0), (TRUTHS, 0.0))
    for levels in known
}
"""The number of every word, by the scale that has it."""

_ENOUGH = 3
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_FRACTION = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_UNITS = (
    r"stars?|points?|pts?\.?|marks?|punkte?|puntos?|punti|pontos?|pkt|балл(?:а|ов)?|点|分|점"
    "|\N{WHITE MEDIUM STAR}|\N{BLACK STAR}"
)
_UNIT = re.compile(rf"([+-]?\d+(?:\.\d+)?)\s*({_UNITS})", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:([+-]?\d{1,3})\s*[-\u2013\u2014:.=)]\s*(\D.*)|(\D.*?)\s*[(\[]([+-]?\d{1,3})[)\]])")
_GRADE = re.compile(r"([A-F])\s*([+\N{MINUS SIGN}\N{EN DASH}-]?)", re.IGNORECASE)
_MARKED = (_PERCENT, _FRACTION, _UNIT, _NUMBERED, _GRADE)
_GRADES = ("f", "d", "c", "b", "a")
_GRADES_WITH_E = ("f", "e", "d", "c", "b", "a")
_SIGN = 0.3


@dataclass(frozen=True)
class Scale:
    """What words stand for.

    Parameters
    ----------
    numbers : mapping of str to float
        By the word as it is written.
    ends : (float, float), optional
        Least and greatest score that there can be, where the words say it.
    words : str
        What was taken for granted, in words.
    """

    numbers: Mapping[str, float]
    ends: tuple[float, float] | None
    words: str


def scale_of(words: Iterable[str]) -> Scale | None:
    """The numbers that all of these words stand for; None where that is not plain.

    Examples
    --------
    >>> scale_of(["Good", "poor", "fair"]).numbers
    {'Good': 3.0, 'poor': 1.0, 'fair': 2.0}
    >>> scale_of(["85%", "7%"]).numbers, scale_of(["4 of 5", "7/10"]).numbers, scale_of(["green", "blue"])
    ({'85%': 0.85, '7%': 0.07}, {'4 of 5': 0.8, '7/10': 0.7}, None)
    >>> scale_of(["not at all helpful", "slightly helpful", "moderately helpful", "very helpful"]).numbers.values()
    dict_values([1.0, 2.0, 3.0, 4.0])
    """
    listed = list(dict.fromkeys(words))
    if not listed:
        return None
    marked = _marked(listed) or _numbered(listed) or _with_half(listed)
    return marked or (letter_grades(listed) if _must_be_grades(listed) else known_scale(listed) or _of_one_word(listed))


_LEGEND = re.compile(r"(\d+)\s*(?:=|:|\()\s*([^\d=,;:()\[\]]*[^\W\d_])")
"""What a number means, as in ``1 = best`` and ``6 (worst)``."""
_BEST = frozenset(word for levels in MARKS for word in levels[-1]) - {"always", "extremely", "high", "very high"}
_BEST |= {"best", "the best", "excellent", "perfect", "flawless", "tr\u00e8s bien", "ausgezeichnet", "hervorragend"}
_WORST = frozenset(word for levels in MARKS for word in levels[0]) - {"never", "not at all", "low", "very low"}
_WORST |= {"worst", "the worst", "insufficient", "unusable", "ungen\u00fcgend", "mangelhaft", "insuffisant"}


def first_is_best(name: str) -> bool | None:
    """Whether less is better by what the name of a column says of its numbers; None where it does not say.

    Examples
    --------
    >>> first_is_best("Note (1 = sehr gut, 6 = ungen\u00fcgend)"), first_is_best("Quality: 1 (poor) to 5 (excellent)")
    (True, False)
    >>> first_is_best("Preference (1 = A, 2 = B)") is None
    True
    """
    said = {int(number): _plain(words) for number, words in _LEGEND.findall(name)}
    if len(said) < len("ab"):
        return None
    low, high = said[min(said)], said[max(said)]
    less, more = low in _BEST or high in _WORST, low in _WORST or high in _BEST
    return less if less != more else None


def _of_one_word(words: Sequence[str]) -> Scale | None:
    """The scale of degrees of what all of the words end with, such as ``very helpful`` and ``not at all helpful``."""
    parts = [word.rsplit(maxsplit=1) for word in words]
    if min(map(len, parts)) < len(("very", "helpful")) or len({part[-1].lower() for part in parts}) > 1:
        return None
    found = known_scale([part[0] for part in parts])
    if found is None:
        return None
    return replace(found, numbers={word: found.numbers[part[0]] for word, part in zip(words, parts, strict=True)})


def known_scale(words: Iterable[str], *, whole: bool = True) -> Scale | None:
    """The one of the known scales that has all of the words; None if none has, or two have them at different places.

    Parameters
    ----------
    words : iterable of str
        As written.
    whole : bool
        Whether most of the words of the scale must be there, so that another scale with these words is unlikely.
    """
    said = {word: _plain(word) for word in words}
    found: dict[tuple[Level, ...], dict[str, float]] = {}
    for levels, place in _PLACES.items():
        if said and all(word in place for word in said.values()):
            found[levels] = {word: place[known] for word, known in said.items()}
    if not found:
        return None if whole else letter_grades(said)

    def absent(levels: tuple[Level, ...]) -> int:
        return len(levels) - len(set(found[levels].values()))

    best = min(found, key=absent)
    rivals = [numbers for levels, numbers in found.items() if absent(levels) == absent(best)]
    seen = len(set(found[best].values()))
    most = absent(best) == 0 or (seen >= _ENOUGH and 2 * seen > len(best))
    if any(numbers != found[best] for numbers in rivals) or (whole and not most) or seen < min(2, len(best)):
        return None
    low = 1.0 if best in MARKS else 0.0
    ends = (low, low + len(best) - 1)
    given = {number: said[word] for word, number in reversed(list(found[best].items()))}
    each = (f"{given.get(low + place, level[0])} is {low + place:g}" for place, level in enumerate(best))
    return Scale(found[best], ends, ", ".join(each))


def letter_grades(words: Iterable[str]) -> Scale | None:
    """Letter grades as points from 0 (F) to 4 (A), to 5 where there is an E, with .3 for a plus or minus.

    Letters without F, plus and minus may as well be the answers to a question or the sides of a comparison: whoever
    asks must know that they are grades.

    Examples
    --------
    >>> letter_grades(["A", "B+", "C-"]).numbers, letter_grades(["A", "G"])
    ({'A': 4.0, 'B+': 3.3, 'C-': 1.7}, None)
    """
    listed = set(words)
    found = {word: match for word in sorted(listed) if (match := _GRADE.fullmatch(word))}
    if len(found) < max(2, len(listed)):
        return None
    letters = _GRADES_WITH_E if any(match[1].lower() == "e" for match in found.values()) else _GRADES
    points = {word: float(letters.index(match[1].lower())) for word, match in found.items()}
    numbers = {
        word: max(0.0, round(points[word] + (_SIGN if match[2] == "+" else -_SIGN) * bool(match[2]), 1))
        for word, match in found.items()
    }
    if len(set(numbers.values())) < len({word.casefold() for word in numbers}):
        return None
    shown = sorted(numbers.items(), key=lambda pair: -pair[1])
    ends = (0.0, max(len(letters) - 1.0, *numbers.values()))
    return Scale(numbers, ends, "letter grades are points: " + ", ".join(f"{word} is {n:g}" for word, n in shown))


def _must_be_grades(words: list[str]) -> bool:
    """Whether letters can be nothing but grades: some with plus or minus, or an F after D, C, B or A, without E."""
    found = [_GRADE.fullmatch(word) for word in words]
    letters = {match[1].lower() for match in found if match}
    signed = any(match[2] for match in found if match)
    return all(found) and (signed or ("f" in letters and "e" not in letters and len(letters) >= _ENOUGH))


def strays(words: Iterable[str]) -> list[str]:
    """The fewer words that keep the others from being numbers; none if there are no such."""
    listed = list(words)
    groups = [[word for word in listed if form.fullmatch(word)] for form in _MARKED]
    groups += [[word for word in listed if _plain(word) in known] for known in _PLACES.values()]
    best = max((group for group in groups if scale_of(group) is not None), key=len, default=[])
    return [word for word in listed if word not in best] if 2 * len(best) > len(listed) else []


def _marked(words: list[str]) -> Scale | None:
    """Percentages, fractions, or numbers of one unit, such as ``4 stars``."""
    for form in (_PERCENT, _FRACTION, _UNIT):
        found = {word: match for word in words if (match := form.fullmatch(word))}
        if len(found) < len(words):
            continue
        if form is _UNIT:
            return Scale(
                {word: float(match[1]) for word, match in found.items()}, None, f"numbers of {found[words[0]][2]}"
            )
        wholes = [100.0 if form is _PERCENT else float(match[2]) for match in found.values()]
        if all(wholes):
            numbers = {word: float(match[1]) / of for (word, match), of in zip(found.items(), wholes, strict=True)}
            ends = (0.0, 1.0) if all(0 <= number <= 1 for number in numbers.values()) else None
            said = "percentages are shares of 1" if form is _PERCENT else "fractions are divided out"
            return Scale(numbers, ends, said)
    return None


def _with_half(words: list[str]) -> Scale | None:
    """Yes, partly and no, or a word, half of what it says and its opposite: 1, .5 and 0.

    Examples
    --------
    >>> _with_half(["relevant", "irrelevant", "partially_relevant"]).numbers
    {'relevant': 1.0, 'irrelevant': 0.0, 'partially_relevant': 0.5}
    """
    said = {word: _plain(word) for word in words}
    halves = {word for word in said.values() if _HALF.match(word)}
    others = [*{*said.values()} - halves]
    if len(halves) != 1 or len(others) != len(("yes", "no")):
        return None
    (half,) = halves
    stem = _HALF.sub("", half, count=1)
    for no, yes in (others, others[::-1]):
        known = any(no in low and yes in high for low, high in TRUTHS)
        bare = _WHOLE.sub("", yes, count=1)
        opposite = _NOT.match(no) is not None and _NOT.sub("", no, count=1) == bare
        if (known or opposite) and stem in ("", yes, bare):
            numbers = {word: 0.5 if one == half else float(one == yes) for word, one in said.items()}
            return Scale(numbers, (0.0, 1.0), f"{yes} is 1, {half} is 0.5, {no} is 0")
    return None


def _numbered(words: list[str]) -> Scale | None:
    """Words that say their number, such as ``5 - strongly agree``."""
    found = [_NUMBERED.fullmatch(word) for word in words]
    if not all(found):
        return None
    pairs = [(float(match[1] or match[4]), _plain(match[2] or match[3])) for match in found if match]
    distinct, numbers_of, words_of = set(pairs), {number for number, _ in pairs}, {word for _, word in pairs}
    if not len(distinct) == len(numbers_of) == len(words_of) > 1:
        return None
    numbers = {word: number for word, (number, _) in zip(words, pairs, strict=True)}
    shown = ", ".join(f"{word} is {number:g}" for number, word in sorted(distinct)[:11])
    return Scale(numbers, None, shown)


_BETWEEN = re.compile(r"[\s_.-]+")


def _plain(word: str) -> str:
    return " ".join(_BETWEEN.sub(" ", word.casefold().replace("&", "and")).split())
