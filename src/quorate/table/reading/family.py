"""Which columns of a table belong together: by their names, or by what they hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from quorate.table.columns.aliases import JUDGES_ALONE
from quorate.table.columns.given_names import is_given
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    HINTS,
    HOLDERS,
    METRICS,
    PLAINLY_LESS,
    TOTALS,
    form_of,
    groups_items,
    is_arm,
    is_count,
    is_criterion,
    is_judge,
    is_less,
    no_score,
    words_of,
)
from quorate.table.exchange.wide import crossed
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_model
from quorate.table.reading.averages import is_made_of
from quorate.table.reading.in_words import no_numbers
from quorate.table.reading.key import is_of_people
from quorate.table.reading.levels import (
    are_people,
    grids_in,
    holder_of,
    is_initials,
    is_try,
    judges_of_one,
    models_that_judge,
)
from quorate.table.reading.reading import Meant, Unsure
from quorate.wording import listed, words

MOST_WORDS = 30
"""Words of a column of labels."""
_LATE = frozenset(("third", "3rd", "adjudicator", "adjudication", "moderator", "arbiter"))
"""What somebody is called who is asked where others differ."""
_FEWEST_CROSSED, _FEWEST_UNITS, _MOST_LABELS, _ERRORS = 4, 8, 12, 3
"""Columns that cross two things; columns, and words in all of them together, from which on they hold the labels of one
set, however few their rows; and standard errors of a correlation from which on columns measure the same."""
_VARIANTS = frozenset(words("macro micro weighted samples strict flexible exact norm none precision recall top at k l"))
"""Words behind the name of a measure that say how it was computed."""
_TUNED = frozenset(words("temperature top rate ratio share probability prob similarity cosine distance loss lr epoch"))
"""Words in the names of what is set, or describes something, and is no score."""


def family_of(table: Table, taken: set[str]) -> tuple[tuple[str, ...], bool]:
    """The columns that belong together, and whether they hold words; by their names, else by what they hold.

    Raises
    ------
    Unsure
        If names say that columns belong together and what they hold does not.
    """
    free = [one for one in table.columns if one.name not in taken and one.filled]
    _refuse_words(free)
    if grids := grids_in(free) or _crossed_by_header(free) or _beside_counts(free):
        return grids, False
    forms = Counter(form for one in free if (form := form_of(one.name)) != one.name)
    form, size = max(forms.items(), key=lambda pair: pair[::-1], default=("", 0))
    numbered = [one for one in free if form_of(one.name) == form]
    if size >= _FEWEST_UNITS and all(one.scored for one in numbered):  # such as clip_01 to clip_30
        return tuple(one.name for one in numbered), False
    judges = [one for one in free if is_judge(one.name)] or judges_of_one(free) or models_that_judge(free)
    judges = [one for one in judges if not is_asked_late(table, one)] if len(judges) > len("ab") else judges
    people = [one for one in free if is_given(one.name)]
    beside = [one for one in free if one in people or (people and _is_like(people[0], one))]
    people = beside if are_people(*[[one.name for one in beside]] * 2) else people
    judges = people if len(people) > len(judges) else judges
    heads = {words_of(one.name)[0] for one in free if is_criterion(one.name)}
    if len(judges) > 1 and not heads & {words_of(one.name)[0] for one in judges}:
        scored = [one for one in judges if one.scored]
        known = {word for one in scored for word in one.words}  # one judge may never give one of the words
        others = {word for one in judges if not one.scored for word in one.words}
        also = bool(scored) and known <= others and len(others) <= MOST_WORDS  # yes and no, where others say unclear
        if also or all(one.scored or {*one.words} <= known for one in judges):
            return tuple(one.name for one in judges), also
        odd = [one.name for one in judges if not one.scored and one.words] if scored else []
        if odd:
            held = [word for word in table.column(odd[0]).words if not word.replace(".", "", 1).isdigit()]
            shown = listed([f'"{word}"' for word in (held or [*table.column(odd[0]).words])[:3]])
            raise Unsure(
                f"source: {listed(odd)} holds {shown}, and {scored[0].name} holds numbers; both are judges by their "
                "names: write numbers alike, with decimal points, or say which words are no score"
            )
        if all(len(one.words) <= MOST_WORDS and one.words for one in judges):
            return tuple(one.name for one in judges), True
    columns = _named(free) or _of_one_record(on_one_scale(table, taken))
    columns = columns if len(columns) > 1 else _measured_alike(table, free)
    if len(columns) > 1:
        return (*columns, *_constant(free, columns), *_held_with(free, columns)), False
    texts = _of_the_same_words(table, taken)
    return (*texts, *_constant([one for one in free if not one.scored], texts)), True


def _crossed_by_header(free: Sequence[Column]) -> tuple[str, ...]:
    """All scores of a table under a header of two lines, such as ``Ada (tone)``, if they cross what these say."""
    scored = [one for one in free if one.scored and not no_score(one.name)]
    names = tuple(one.name for one in scored if one.name.rstrip().endswith((")", "]")))
    if len(names) < _FEWEST_CROSSED or len(names) < len(scored) or crossed(names) is None:
        return ()
    return names if all(same_scale(scored[0], one) for one in scored) else ()


def _beside_counts(free: Sequence[Column]) -> tuple[str, ...]:
    """Columns that end in the one measure there is, beside what it was made of: ``base_wer`` beside ``base_ins``."""
    by_end: dict[str, dict[str, str]] = {}
    for one in free:
        head, *rest = re.split(r"[\s_.-]+(?=[^\s_.-]+$)", one.name.strip())
        if one.scored and rest:
            by_end.setdefault(rest[0].lower(), {})[head] = one.name
    measured = [end for end, heads in by_end.items() if end in METRICS | PLAINLY_LESS and len(heads) > 1]
    made_of = [end for end in by_end if len(measured) == 1 and by_end[end].keys() == by_end[measured[0]].keys()]
    return tuple(by_end[measured[0]].values()) if len(made_of) > 1 else ()


def is_asked_late(table: Table, one: Column) -> bool:
    """Whether a column is of who judged some alone, where two others differed, by its name and its few values."""
    words = words_of(one.name)
    third = {*words} & _LATE or words[-1:] == ["3"]
    return 2 * one.filled < table.rows and bool(third) and (is_judge(one.name) or words[0] in JUDGES_ALONE)


def _of_one_record(columns: Sequence[str]) -> tuple[str, ...]:
    """Of columns those alone that are in a record of scores, where most are and are crossed in it."""
    held = tuple(name for name in columns if {plain(part) for part in name.split(".")[:-1]} & HOLDERS)
    return held if 2 * len(held) > len(columns) and crossed(held) else tuple(columns)


def _held_with(free: Sequence[Column], columns: Sequence[str]) -> tuple[str, ...]:
    """The other scores of a record that holds all of some columns, which may be low or high where those are not."""
    holders = {holder_of(name) for name in columns}
    rest = [one for one in free if one.name not in columns and one.scored and one.distinct > 1]
    return tuple(one.name for one in rest if holders == {holder_of(one.name)} <= HOLDERS and not no_score(one.name))


def _constant(free: Sequence[Column], columns: Sequence[str]) -> tuple[str, ...]:
    """Columns that hold one value alone of those that others hold, and belong to them by the form of their names."""
    known = [one for one in free if one.name in columns]
    held = {word for one in known for word in one.words}
    values = frozenset[float]().union(*(one.values for one in known))
    return tuple(
        one.name
        for one in free
        if one.distinct == 1
        and not no_score(one.name)
        and (one.values <= values if one.scored else {*one.words} <= held)
        and (
            any(len({words_of(name)[end] for name in (*columns, one.name)}) == 1 for end in (0, -1))
            or any(all(map(alike, (*columns, one.name))) for alike in (is_criterion, is_initials, is_model))
        )
    )


def _named(free: Sequence[Column]) -> tuple[str, ...]:
    """Columns that are two sides by their names, or of broken numbers and criteria, or systems."""
    arms = [one.name for one in free if one.scored and is_arm(one.name)]
    if len(arms) > 1:
        return tuple(arms)
    models = [one for one in free if one.scored and words_of(one.name)[-1] in HINTS and is_model(one.name)]
    ends = {words_of(one.name)[-1] for one in models}
    if len(models) > 1 and len(ends) == 1:
        return tuple(one.name for one in free if one.scored and words_of(one.name)[-1] in ends)
    broken = [one for one in free if one.numeric and not one.whole]
    if crossed([one.name for one in broken]):  # as systems with judges
        return tuple(one.name for one in broken)
    criteria = [one.name for one in broken if is_criterion(one.name)]
    systems = [one.name for one in broken if words_of(one.name)[0] in ("model", "system")]
    most = systems if len(systems) > len(criteria) else criteria
    return tuple(most) if len(most) > 1 else ()


def _measured_alike(table: Table, free: Sequence[Column]) -> tuple[str, ...]:
    """Columns of broken numbers that measure the same: by the word for it in all names, else by what they hold.

    Where one alone is named for a measure others may be of others. What no name says is the same has one range, and
    rows that are high in one are high in the others.
    """
    broken = [one for one in free if one.numeric and not one.whole and one.distinct > MOST_WORDS]
    broken = [one for one in broken if not (is_of_people(one.name) or is_count(one.name) or no_score(one.name))]
    heads = Counter(words_of(one.name)[0] for one in broken if len(words_of(one.name)) > 1)
    head, size = max(heads.items(), key=lambda pair: pair[::-1], default=("", 0))
    if size > 1 and head in METRICS:
        names = tuple(one.name for one in broken if words_of(one.name)[0] == head)
        return () if any({*words_of(name)[1:]} & (METRICS | _VARIANTS) for name in names) else names
    said = {*HINTS, *TOTALS, *_TUNED}
    if any({*words_of(one.name)} & METRICS or is_criterion(one.name) or is_less(one.name) for one in broken):
        return ()
    neutral = [one for one in broken if not (groups_items(one.name) or {*words_of(one.name)} & said)]
    lows, highs = [one.low or 0 for one in neutral], [one.high or 0 for one in neutral]
    if len(neutral) < len("ab") or min(lows) < 0 or max(highs) > 2 * min(highs) or len(neutral) > _MOST_LABELS:
        return ()
    pairs = combinations([f"TRY_CAST({table.sql(one.name)} AS DOUBLE)" for one in neutral], 2)
    asked = ", ".join(f"corr({one}, {other})" for one, other in pairs)
    ((*alike,),) = table.opened.relation.aggregate(asked).fetchall()
    if not all(value is not None and value * table.rows**0.5 > _ERRORS for value in alike):
        return ()
    rest = {one.name: [two for two in neutral if two is not one] for one in neutral}
    made = [name for name, others in rest.items() if len(others) > 1 and is_made_of(table, table.column(name), others)]
    return tuple(name for name in rest if name not in made[:1])


def same_words(one: Column, other: Column) -> bool:
    """Whether most words of each of two columns come in the other, in any capitals."""
    own, others = ({word.strip().casefold() for word in column.words} for column in (one, other))
    return 2 * len(own & others) > max(len(own), len(others))


def same_scale(one: Column, other: Column) -> bool:
    """Whether most values of the column that has fewer occur in the other; of words, whether they are of one scale."""
    if one.scale is not None or other.scale is not None:
        if one.scale is None or other.scale is None:
            return False
        known = (
            {word.casefold(): place for word, place in scale.numbers.items()} for scale in (one.scale, other.scale)
        )
        fewer, more = sorted(known, key=len)
        met = bool(fewer.items() & more.items()) and one.scale.words == other.scale.words
        return met or fewer.items() <= more.items()  # one judge may never give one of the words
    few, many = sorted((one.values, other.values), key=len)
    if few <= {0, 1} and not many <= {0, 1} and len(few) > 1 and min(many) > 0:  # yes and no beside stars
        return False
    return len(few & many) * 2 >= len(few) and len(many) <= 3 * len(few)


def on_one_scale(table: Table, taken: set[str], *, held: bool = False) -> tuple[str, ...]:
    """The most columns of scores that are on one scale; ``held`` ones are those of one record of scores."""
    free = [
        one
        for one in table.columns
        if one.scored
        and one.distinct > 1
        and one.name not in taken
        and one.words
        and (_is_told(one) or not (no_score(one.name) or groups_items(one.name)))
        and (not held or holder_of(one.name) in HOLDERS)
    ]
    free = [one for one in free if not is_count(one.name)] or free
    best: tuple[str, ...] = ()
    for seed in free:
        alike = [
            one for one in free if same_scale(seed, one) and (not held or holder_of(one.name) == holder_of(seed.name))
        ]
        best = max(best, tuple(one.name for one in alike), key=lambda names: (len(names), sorted(names)))
    return best


def _refuse_words(free: Sequence[Column]) -> None:
    """Ask what words stand for among the numbers of one criterion, which else the others would be read without."""
    criteria = [one for one in free if is_criterion(one.name)]
    for one in criteria if any(two.scored for two in criteria) else []:
        if not one.scored and (strange := no_numbers(one)):
            shown = listed([f'"{word}"' for word in strange])
            said = f"{one.name} holds numbers, and {shown} in other rows"
            raise Unsure(said, ways=(Meant({"missing": strange}, "no score"),))


def _is_like(one: Column, other: Column) -> bool:
    """Whether two columns hold scores on one scale, or the same few words."""
    if one.scored and other.scored:
        return same_scale(one, other)
    return bool(one.words and other.words) and not (one.scored or other.scored) and same_words(one, other)


def _is_told(one: Column) -> bool:
    """Whether what a column holds, or its being of a try or of a model, says more than other words in its name."""
    return is_try(one.name) or one.scale is not None or is_model(one.name)


def _of_the_same_words(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The most columns of a few words, of which most words come in the others too."""
    texts = [one for one in table.columns if not one.scored and one.name not in taken and one.words]
    if len(texts) >= _FEWEST_UNITS and len({word for one in texts for word in one.words}) <= _MOST_LABELS:
        return tuple(one.name for one in texts)
    free = [one for one in texts if 2 <= len(one.words) <= MOST_WORDS and one.distinct < table.rows / 2]
    best: tuple[str, ...] = ()
    for seed in free:
        alike = (one for one in free if same_words(seed, one))
        best = max(best, tuple(one.name for one in alike), key=lambda names: (len(names), sorted(names)))
    return best
