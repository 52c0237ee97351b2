"""Scores that are words: the likeliest column of them, and what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.arguments import argument
from quorate.roles import ITEM, JUDGE
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    DESCRIBED,
    GIVEN,
    HINTS,
    IDS,
    MEASURES,
    REMARKS,
    RESPONSES,
    SAID,
    is_judged,
    words_of,
)
from quorate.table.columns.scales import known_scale, letter_grades, number
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.key import DAY, is_of_people
from quorate.table.reading.reading import Meant
from quorate.wording import listed, words

OF_WORDS = ("label", "labels", "numbers")
"""Options that say what words stand for."""
_SUBSETS = frozenset(
    words(
        "language lang locale split source dataset format file url platform device channel domain subset section "
        "author benchmark"
    )
)
"""What a column is called that says where something comes from, or is for: no judgment of it."""
_RECORDS = ("[[", "{", "[{")
"""What cells begin with that hold records or lists of them, such as where in a text something was marked."""
_LONG = 40
"""Characters of a label, on average, beyond which it is a sentence."""


def ways_of_words(column: Column, options: Mapping[str, Any]) -> tuple[Meant, ...]:
    """The ways in which words are read: each a label, the share of one, or numbers."""
    bare = {name: value for name, value in options.items() if name not in OF_WORDS}
    if strange := no_numbers(column):
        return Meant({**bare, "missing": strange}, "no score"), Meant({**bare, "labels": True}, "each a label")
    labels, share = {**bare, "labels": True}, {**bare, "label": column.words[0]}
    found = [Meant(labels, "each a label"), Meant(share, f'the share of "{column.words[0]}"')]
    if "numbers" in options:
        return (Meant(options, "numbers"), *found)
    return tuple(found)


def no_numbers(column: Column) -> tuple[str, ...]:
    """The words of a column that holds more numbers than words; none of others."""
    words = tuple(word for word in column.words if number(word) is None)
    return words if 0 < 2 * len(words) < len(column.words) else ()


def meaning(column: Column, reasons: list[str]) -> dict[str, Any]:
    """What the words of a column stand for: numbers of a scale, else labels; of two words the share of one."""
    scale = known_scale(column.words, whole=False)
    few, grades = column.distinct == 2, letter_grades(column.words)
    nominal = {"label": column.words[0]} if few else {"labels": True}
    read_as = f'the share of "{column.words[0]}"' if few else "labels"
    if scale is not None and grades is not None and not {"grade", "mark", "score"} & set(plain(column.name).split("_")):
        reasons.append(
            f"{column.name} holds letters, which may be answers or the sides of a comparison: read as {read_as}; if "
            "they are grades, say " + argument("numbers", dict(grades.numbers))
        )
        return nominal
    if scale is not None and grades is not None:
        reasons.append(
            f"{column.name} holds letters, by its name grades: {scale.words}; if they are answers or the sides of a "
            "comparison, say " + argument("label", column.words[0])
        )
        return {"numbers": dict(sorted(scale.numbers.items(), key=lambda pair: pair[1]))}
    if scale is not None:
        reasons.append(f"{column.name} may be words of a scale, where {scale.words}; check that it is this one")
        return {"numbers": dict(sorted(scale.numbers.items(), key=lambda pair: pair[1]))}
    named = listed([f'"{word}"' for word in column.words[:6]])
    other = (
        "both are labels with " + argument("labels", True)
        if few
        else "the share of one alone with " + argument("label", column.words[0])
    )
    reasons.append(f"{column.name} holds words, {named}: read as {read_as}; " + other)
    return nominal


def most_words(table: Table) -> float:
    """Labels that a judge may choose among: few, and some given more than once."""
    return min(30, 0.75 * table.rows)


def is_prose(one: Column) -> bool:
    """Whether a column holds sentences, and no labels."""
    return bool(one.words) and sum(map(len, one.words)) > _LONG * len(one.words)


def likeliest_words(table: Table, known: Mapping[str, str], taken: set[str]) -> Column | None:
    """The likeliest column of labels given by a judge: few words, which differ within what is judged."""
    texts = [
        one
        for one in table.columns
        if not one.numeric
        and one.name not in taken
        and 2 <= one.distinct <= most_words(table)
        and not (DESCRIBED | IDS | REMARKS | MEASURES) & set(plain(one.name).split("_"))
        and not {*words_of(one.name)} <= _SUBSETS
        and not is_prose(one)
        and not all(map(DAY.match, one.words))
        and not any(word.startswith(_RECORDS) for word in one.words)
        and (not is_judged(one.name) or {*GIVEN, *RESPONSES} & {*words_of(one.name)} or JUDGE in known)
    ]
    key = [known[ITEM]] if ITEM in known else []
    once = bool(key) and table.keys(key) == table.rows
    given = [one for one in texts if not key or once or table.keys([*key, one.name]) > table.keys(key)]

    def rank(column: Column) -> tuple[bool, int, int]:
        words = plain(column.name).split("_")
        hints = (*GIVEN, *HINTS, *SAID)
        hint = next((place for place, word in enumerate(hints) if word in words), len(hints))
        return is_of_people(column.name), hint, -column.filled

    return min(given, key=rank, default=None)
