"""Words as scores: the share of one label, each as a label, the numbers that they stand for, or a known scale's."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.table.columns.labels import BLANKS
from quorate.table.columns.scales import Missing, NotNumbers, cause_of, number
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.exchange.texts import Cells, Texts
from quorate.wording import Brief, counted, listed

if TYPE_CHECKING:
    import narwhals as nw

MOST_WORDS = 10_000
"""Distinct words that a column may have, to be read as numbers."""
MOST_LABELS = 100
"""Distinct words that may be labels."""
_MOST_SHOWN, _MOST_NAMED, _MOST_CASES = 50, 8, 64


@dataclass(frozen=True)
class Words(Brief):
    """How a column of words is read.

    Parameters
    ----------
    column : str
        The column.
    numbers : tuple of (str, float)
        Words, without blanks around them, with their numbers; any other word is ``other``.
    other : float
        Number of other words; nan where they are no scores.
    note : str
        What became what.
    ends : (float, float), optional
        Least and greatest score that there can be.
    labels : tuple of str
        The words, where numbers are no scores but their places among these.
    """

    column: str
    numbers: tuple[tuple[str, float], ...]
    other: float
    note: str
    ends: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Meant:
    """What a caller says of words: the one whose share is the score, the number of each in small letters, or labels."""

    label: str | None = None
    numbers: Mapping[str, float] | None = None
    labels: bool = False


def meant(label: str | None, numbers: object, labels: bool = False) -> Meant:
    """What a caller says of words, checked.

    Raises
    ------
    InvalidInput
        If they are no finite numbers, two are given for a word, or two of the three are asked for.
    """
    if labels:
        if label is not None or numbers is not None:
            other = "label" if label is not None else "numbers"
            raise InvalidInput(f"labels: takes every word as a label, and {other} says otherwise; give one of the two")
        return Meant(labels=True)
    if numbers is None:
        return Meant(label)
    if label is not None:
        raise InvalidInput("label: the share of one word, and numbers give each word one; give one of the two")
    if not isinstance(numbers, Mapping) or not numbers:
        raise InvalidInput(
            'numbers: expects words with their numbers, such as {"bad": 1, "good": 2}, ' + f"got {numbers!r}"
        )
    out: dict[str, float] = {}
    for word, value in numbers.items():
        found = None if isinstance(value, str) else number(value)
        if found is None or not math.isfinite(found):
            raise InvalidInput(f'numbers: "{word}" stands for {value!r}, which is no number')
        if out.setdefault(_key(str(word)), found) != found:
            raise InvalidInput(f'numbers: "{word}" is given twice, for different numbers; give it once')
    return Meant(None, out)


def as_asked(column: str, counts: Mapping[str, int], said: Meant, missing: Missing) -> Words:
    """How words that occur so often are read, as a caller says.

    Raises
    ------
    UnknownTerm
        If no row has the label.
    InvalidData
        If a word has no number, or there are too many to be labels.
    """
    blank = tuple((word, math.nan) for word in counts if word in missing.words)
    kept = {word: count for word, count in counts.items() if word not in missing.words}
    if said.labels:
        return _as_labels(column, kept, blank)
    if said.label is not None:
        if said.label not in kept:
            raise UnknownTerm(said.label, tuple(sorted(kept)[:_MOST_SHOWN]), "label")
        note = f'score: 1 where {column} is "{said.label}", 0 where it is another word'
        alike = tuple((word, 1.0) for word in kept if _folded(word) == _folded(said.label))
        return Words(column, (*alike, *blank), 0.0, note)
    known = said.numbers or {}
    unknown = {word: count for word, count in kept.items() if _key(word) not in known}
    if unknown:
        raise _unknown(column, unknown, known)
    numbers = {word: known[_key(word)] for word in kept}
    which = listed([f'"{word}" is {value:g}' for word, value in sorted(numbers.items(), key=lambda pair: pair[1])])
    ends = min(known.values()), max(known.values())
    note = f"score: of {column}, {which}"
    return Words(column, tuple(numbers.items()), math.nan, note, ends if ends[0] < ends[1] else None)


def _as_labels(column: str, counts: Mapping[str, int], blank: tuple[tuple[str, float], ...]) -> Words:
    if len(counts) > MOST_LABELS:
        rule = f'column "{column}" has {len(counts):,} different words, and at most {MOST_LABELS} can be labels; '
        raise InvalidData(rule + "name another column with " + argument("score", ...))
    usual: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        usual.setdefault(_folded(word), word)
    # whole numbers of a column of floats
    said = {word: re.sub(r"^([+-]?\d+)\.0+$", r"\1", usual[_folded(word)]) for word in counts}
    labels = tuple(sorted(set(said.values()), key=lambda word: (number(word) or 0.0, word)))
    numbers = tuple((word, float(labels.index(own))) for word, own in said.items())
    few = listed([f'"{word}"' for word in labels], most=_MOST_NAMED)
    few += "; those that differ in capitals or blanks alone are one" if len(usual) < len(counts) else ""
    return Words(column, (*numbers, *blank), math.nan, f"labels: the words of {column}, {few}", labels=labels)


def _folded(word: str) -> str:
    """A word in small letters and without blanks; of a letter alone capitals may be meant."""
    return "".join(word.lower().split()) if len(word) > 1 else word


def as_known(error: NotNumbers, column: str, counts: Mapping[str, int], missing: Missing) -> Words:
    """How words are read that nothing is said of: as a scale that is known.

    Raises
    ------
    InvalidData
        If they are of no such scale, with what to say of them.
    """
    from quorate.table.columns.scales import known_scale, scale_of, strays

    kept = {word: count for word, count in counts.items() if word not in missing.words}
    scale = scale_of(kept)
    if scale is not None:
        return Words(column, tuple(scale.numbers.items()), math.nan, f"score: of {column}, {scale.words}", scale.ends)
    words = {word: count for word, count in kept.items() if (x := number(word)) is None or not math.isfinite(x)}
    first = next(iter(words))
    odd = strays(words) if len(words) == len(kept) else []
    if odd:
        others = known_scale([word for word in words if word not in odd])
        raise _unknown(column, {word: words[word] for word in odd}, {} if others is None else others.numbers)
    caused = cause_of(first) is not None and 2 * sum(words.values()) > sum(kept.values())
    if caused or any(number(word) is not None for word in words) or not 1 < len(words) <= _MOST_CASES:
        raise error
    if len(words) < len(kept):
        raise _unknown(column, words, {})
    of_scale = known_scale(words, whole=False)
    meant = of_scale.numbers if of_scale is not None else dict.fromkeys(list(words)[:5], ...)
    sides = {"a", "b"} <= set(map(_key, words))
    raise InvalidData(
        f'column "{column}" holds words, and which numbers they stand for is not known: {_shown(words)}; read each as '
        "a label with "
        + argument("labels", True)
        + ", the share of one with "
        + argument("label", first)
        + ", or say their numbers with "
        + argument("numbers", meant)
        + (", or, if they are the sides of a comparison, as votes with " + argument("winner", column) if sides else "")
    )


def _unknown(column: str, words: Mapping[str, int], known: Mapping[str, float]) -> InvalidData:
    """The error for words without a number, beside others that have one: numbers, or words of which it is known."""
    some = list(words)[:_MOST_NAMED]
    none = argument("missing", some[0] if len(some) == 1 else tuple(some))
    rule = f'column "{column}" has {_shown(words)} beside scores; if that is no score, say ' + none
    if not 0 < len(known) <= _MOST_NAMED:
        return InvalidData(rule + ", or drop these rows")
    return InvalidData(rule + ", else its number with " + argument("numbers", {**known, **dict.fromkeys(some, ...)}))


def _shown(words: Mapping[str, int]) -> str:
    return listed([f'"{word}" ({counted(count, "row")})' for word, count in list(words.items())[:8]]) + (
        f" and {len(words) - 8:,} more" if len(words) > 8 else ""
    )


def _key(word: str) -> str:
    return word.strip().casefold()


def words_in(opened: Opened, words: Words | None) -> Opened:
    """The rows with numbers, or nothing, in the place of words."""
    if words is None:
        return opened
    place = opened.columns.index(words.column)
    if isinstance(opened.relation, Texts):
        known = {word: None if math.isnan(value) else repr(value) for word, value in words.numbers}
        other = None if math.isnan(words.other) else repr(words.other)
        cells = [known.get(text, other) if text else None for text in _stripped(opened.relation.held[place])]
        return replace(opened, relation=opened.relation.with_cells(place, cells), across=None)
    name = quoted(opened.relation.columns[place])
    shown = [
        f"{_number_of(_text(name), words)} AS {name}" if one == place else quoted(other)
        for one, other in enumerate(opened.relation.columns)
    ]
    return replace(opened, relation=opened.relation.project(", ".join(shown)), across=None)


def _stripped(cells: Cells) -> list[str]:
    """Text without blanks around it, empty where there is none."""
    return [(cell or "").strip() for cell in cells]


def _text(name: str) -> str:
    return f"nullif(trim({name}::VARCHAR, {literal(BLANKS)}), '')"


def _number_of(text: str, words: Words) -> str:
    """The number of a word in SQL: by cases, or where these are many by its place in a list."""

    def sql(value: float) -> str:
        return "NULL" if math.isnan(value) else f"{value!r}::DOUBLE"

    other = sql(words.other)
    if len(words.numbers) <= _MOST_CASES:
        cases = " ".join(f"WHEN {literal(word)} THEN {sql(value)}" for word, value in words.numbers)
        return f"CASE WHEN {text} IS NULL THEN NULL ELSE CASE {text} {cases} ELSE {other} END END"
    labels = ", ".join(literal(word) for word, _ in words.numbers)
    values = ", ".join(sql(value) for _, value in words.numbers)
    place = f"enum_code(TRY_CAST({text} AS ENUM({labels})))"
    return f"CASE WHEN {text} IS NULL THEN NULL WHEN {place} IS NULL THEN {other} ELSE ([{values}])[{place} + 1] END"


def counts_in(opened: Opened, column: str) -> dict[str, int]:
    """Words of a column with how often each occurs, the commonest first; no more than may be read as numbers.

    Raises
    ------
    InvalidData
        If there are more.
    """
    if isinstance(opened.relation, Texts):
        return _counts(column, _stripped(opened.relation.held[opened.columns.index(column)]))
    text = _text(quoted(opened.inside[column]))
    every = opened.relation.aggregate(f"{text} AS word, count(*) AS n", text).filter("word IS NOT NULL")
    return dict(_few(column, every.order("n DESC, word").limit(MOST_WORDS + 1).fetchall()))


def _few(column: str, pairs: list[Any]) -> list[Any]:
    if len(pairs) > MOST_WORDS:
        raise InvalidData(
            f'column "{column}" has more than {MOST_WORDS:,} different words; name another column of scores with '
            + argument("score", ...)
        )
    return pairs


def words_in_frame(frame: Any, words: Words | None) -> Any:
    """A frame of narwhals with numbers, or nothing, in the place of words; one that is lazy is brought into memory."""
    if words is None:
        return frame
    import narwhals as nw

    whole = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    lookup = dict(words.numbers)
    texts = _texts(whole[words.column])
    values = [math.nan if text is None else lookup.get(text, words.other) for text in texts]
    made = nw.new_series(words.column, np.array(values), nw.Float64, backend=whole.implementation)
    return whole.with_columns(nw.when(~made.is_nan()).then(made).alias(words.column))


def counts_in_frame(frame: Any, column: str) -> dict[str, int]:
    """Words of a column of a frame with how often each occurs, as `counts_in` has them."""
    import narwhals as nw

    whole = frame.select(column)
    whole = whole.collect() if isinstance(whole, nw.LazyFrame) else whole
    return _counts(column, _texts(whole[column]))


def _counts(column: str, found: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(text for text in found if text)
    return dict(_few(column, sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[: MOST_WORDS + 1]))


def _texts(column: nw.Series[Any]) -> list[str | None]:
    absent = column.is_null().to_list()
    texts = (None if gone else str(entry).strip() for entry, gone in zip(column.to_list(), absent, strict=True))
    return [text or None for text in texts]
