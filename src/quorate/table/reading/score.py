"""The score where nobody has said it: the likeliest column, those that may be it too, and what is none."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from quorate.errors import QuorateError
from quorate.roles import OF, SYSTEM
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    DESCRIBED,
    EXCEPTIONS,
    GIVEN,
    HINTS,
    METRICS,
    OCCASIONS,
    REMARKS,
    RESPONSES,
    SAID,
    is_count,
    is_criterion,
    is_id,
    is_judged,
    is_less,
    no_score,
    says_ends,
    says_nothing,
    words_of,
)
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.format import condition
from quorate.table.exchange.rows import Rows
from quorate.table.facets import Facet
from quorate.table.facts.profile import Column, Table, looked_at
from quorate.table.judgments import Judgments
from quorate.table.reading.family import same_scale
from quorate.table.reading.in_words import likeliest_words
from quorate.table.reading.key import MOST_OCCASIONS, is_of_people
from quorate.table.reading.reading import Meant, Unsure
from quorate.wording import listed, words

_MOST_SIDES, _MOST_CHOSEN = 3, 7
"""Levels of a column that says which of two answers is better, by what it holds, and by its name."""
_WHICH = frozenset(words("choice chosen preference preferred winner better pick picked selection"))
"""Words in the name of such a column."""
_CODES = frozenset((-1.0, *(sign * float("9" * digits) for digits in (1, 2, 3, 4) for sign in (-1, 1)), 77, 88, 97, 98))
"""Numbers that are usual for what is missing."""
_FEWEST, _FAR, _SPANS, _LOWEST = 2, 10, 3, 3
"""Other scores that there must be; how far beyond them a code is, also in their spans; the greatest beside -1."""
_COUNTED = frozenset(words("raters annotators judges votes voters workers graders reviewers trials tries runs"))
"""Words in the name of a column that counts who judged, or how often."""
_TRIED = frozenset(
    ("total", "attempts", "attempt", "tests", "samples", "sample", "questions", "checks", "cases", "tasks")
)
"""Last words in the name of a column that counts what was tried."""
_SUCCESSES = frozenset(words("correct passed pass passes resolved solved success successes successful hits met"))
"""Words in the name of a column that counts successes, beside one of how many were tried."""
_AT_MOST = frozenset(("max", "maximum", "possible"))
"""Words in the name of a column of how many points there may be."""
_MOST_ON_SCALES, _APART, _FEWEST_GIVEN = 60, 5, 5
"""Levels of which it is looked at whether they use one scale, how many times as far another goes, and their scores."""
_BINNED = 3
"""Rows to each score, at least, of which others are shown to say the same more coarsely."""
_SCALED = frozenset(words("norm normalized normalised scaled standardized standardised z zscore"))
"""Words in the name of a score that is another on another scale."""
_MANY = 12
"""Distinct broken numbers of a column that was measured."""


def codes_in(column: Column) -> tuple[str, ...]:
    """Values of a column of whole scores that are usual for what is missing, and far from all others.

    Examples
    --------
    >>> marks = ("1", "2", "3", "4", "5", "-999")
    >>> codes_in(Column("score", 90, 6, numeric=True, whole=True, low=-999, high=5, words=marks))
    ('-999',)
    """
    if not (column.numeric and column.whole):
        return ()
    if not column.words and column.low == -1 and (column.high or 0) >= _FAR:  # all others are 0 or more
        return ("-1",)
    values = {float(word): word for word in column.words if word.lower() not in ("true", "false")}
    rest = sorted(value for value in values if value not in _CODES or 0 <= value <= max(_FAR, _SPANS))
    if len(rest) < _FEWEST:
        return ()
    low, high = rest[0], rest[-1]
    below = [value for value in values if value in _CODES and value < 0 <= low and (value < -1 or high >= _LOWEST)]
    above = [value for value in values if value in _CODES and value > high + max(_FAR, _SPANS * (high - low))]
    return tuple(values[value] for value in sorted((*below, *above)))


def refuse_codes(column: Column, options: dict[str, object]) -> None:
    """Ask whether numbers far from all others stand for no score."""
    codes = codes_in(column)
    if codes:
        raise Unsure(
            f"{column.name} holds {listed(codes)}, far from its other scores: perhaps no score",
            ways=(
                Meant({**options, "missing": codes}, "no score"),
                Meant({**options, "score": column.name}, "a score as it is"),
            ),
        )


def refuse_codes_of(table: Judgments, source: object, rows: Rows) -> None:
    """The same of a table that was read by the names of its columns."""
    facts = table.score_facts
    if table.labels or table.origin is None or not (facts.integers and {facts.low, facts.high} & _CODES):
        return
    try:
        with looked_at(source, rows) as found:
            refuse_codes(found.column(table.origin.roles.score), {})
    except Unsure:
        raise
    except (QuorateError, StopIteration):  # it was read already
        return


def refuse_scales_of(table: Judgments) -> None:
    """Ask where some judges, or other levels, have a scale that ends far below that of the others, as 1 to 5 of 100.

    Raises
    ------
    Unsure
        If so, with the levels of each.
    """
    if table.labels or table.origin is None or not table.n_answers:
        return
    groups = {table.object, *table.ancestors(table.object)} - {SYSTEM}  # of what is judged, which may differ
    for facet in table.facets:
        if facet.name not in groups and 1 < len(facet.levels) <= _MOST_ON_SCALES:
            _refuse_scales(table, facet)


def _refuse_scales(table: Judgments, facet: Facet) -> None:
    """Say which levels of a facet use a scale that others do not; of systems if it is that of shares, or ends below."""
    names, given = facet.levels, table.n > 0
    level = table.column(facet.name)[given]
    n = np.bincount(level, table.n[given], len(names))
    means = np.bincount(level, (table.n * table.mean)[given], len(names)) / np.maximum(n, 1)
    tops, ends = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    np.maximum.at(tops, level, table.high[given])
    np.minimum.at(ends, level, table.low[given])
    order = [code for code in np.argsort(tops) if n[code] >= _FEWEST_GIVEN]
    for place in range(1, len(order)):
        low, high = order[:place], order[place:]
        top = tops[low[-1]]
        apart = 1 < top * _APART <= tops[high[0]] and top < means[high].min()
        if apart and (facet.name != SYSTEM or top <= 1 or top < ends[high].min()):
            raise _two_scales(table, facet, sorted(names[code] for code in low), top, tops[high].max())


def _two_scales(table: Judgments, facet: Facet, few: list[str], top: float, other: float) -> Unsure:
    """What to ask of levels that use a scale which others do not."""
    origin, ways = table.origin, tuple[Meant, ...]()
    two = facet.name == SYSTEM and len(facet.levels) == len("ab")  # of which none is compared alone
    if not two and origin is not None and not origin.rows.shape.steps and facet.column is not None:
        column = facet.column
        ways = (
            Meant({"where": condition(column, few, out=True)}, "without these"),
            Meant({"where": condition(column, few)}, "these alone"),
        )
    said = f"{listed(few, most=4)} never {'goes' if len(few) == 1 else 'go'} beyond {top:g}"
    return Unsure(f"{said}, and others to {other:g}: two scales, which have no mean; bring them to one", ways=ways)


def count_of(table: Table, score: Column) -> str | None:
    """The column that says of how many a score is a count, by its name and as no score is beyond it."""
    if not score.numeric or not score.whole:
        return None
    totals = [one for one in table.columns if is_count(one.name) and {*words_of(one.name)} & _COUNTED]
    for one in totals:
        over = (
            f"count(*) FILTER (TRY_CAST({table.sql(score.name)} AS DOUBLE) > TRY_CAST({table.sql(one.name)} AS DOUBLE))"
        )
        if (one.low or 0) > 1 and (score.high or 0) > 1 and not table.opened.relation.aggregate(over).fetchall()[0][0]:
            return one.name
    return None


def share_of(table: Table, taken: set[str], score: str | None = None) -> str | None:
    """A count of successes and one of how many were tried in every row, joined by ``/``; None if no names say them.

    Or points, the ``score`` by its name if one is, and how many there may be, which is not the same in every row.
    """
    numbers = [one for one in table.columns if one.numeric and (one.low or 0) >= 0]
    free = [one for one in numbers if one.name not in taken and one.whole and score is None]
    tried = [one for one in free if (one.low or 0) >= 1 and (one.high or 0) > 1 and _says_tried(one.name)]
    right = [one for one in free if one not in tried and (one.high or 0) > 1 and {*words_of(one.name)} & _SUCCESSES]
    most = [one for one in numbers if _AT_MOST & {*words_of(one.name)} and one.name != score]
    if len(most) == 1 < most[0].distinct and (most[0].low or 0) > 0:
        points = [one for one in numbers if {*words_of(one.name)} == {*words_of(most[0].name)} - _AT_MOST]
        tried, right = most, [one for one in points if score in (None, one.name)]
    if not len(tried) == len(right) == 1:
        return None
    names = right[0].name, tried[0].name
    beyond = " > ".join(f"TRY_CAST({table.sql(name)} AS DOUBLE)" for name in names)
    ((more,),) = table.opened.relation.aggregate(f"count(*) FILTER ({beyond})").fetchall()
    return None if more else OF.join(names)


def says_passed(one: Column) -> bool:
    """Whether a column says of every row whether all was right, by its name."""
    return len(words_of(one.name)) == 1 and {*words_of(one.name)} <= {*HINTS} and one.values == {0.0, 1.0}


def _says_tried(name: str) -> bool:
    words = words_of(name)
    counted = is_count(name) and {words[-1], words[-1].removesuffix("s")} & (_COUNTED | _TRIED)
    return bool(counted) or words == ["n"] or words[-1] in _TRIED


_VERSIONS = frozenset(("new", "old", "v", "1", "2", "3", "revised", "updated", "previous", "alternative"))
"""Words behind the name of a score that say which version of it a column holds, but for a number alone."""


def beside_measured(table: Table, score: Column) -> list[Column]:
    """Columns beside a score by its name that were judged too, unless they say the same.

    Another version of it by its name, such as ``score_new``; and labels, where it only measures, as that of a search.
    """
    own = {*words_of(score.name)}
    again = [one for one in table.columns if one.scored and own < {*words_of(one.name)} <= own | _VERSIONS]
    again = [one for one in again if any(word.isalpha() for word in {*words_of(one.name)} - own)]
    again = [one for one in again if one.distinct > 1 and not table.within(score.name, one.name)]
    if again:
        return again
    measured = (
        score.numeric and not score.whole and score.distinct > _MANY and abs(score.low or 0) + (score.high or 0) > 1
    )
    if not measured:
        return []
    named = [one for one in table.columns if {*GIVEN} & {*words_of(one.name)} and one.filled == table.rows]
    return [one for one in named if 1 < one.distinct <= len(one.words)]


def says_score(name: str) -> bool:
    """Whether a name says that a column is a score, or a criterion."""
    return plain(name) in ALIASES["score"] or hinted(name) or is_criterion(name) or is_of_people(name)


def hinted(name: str) -> bool:
    """Whether a name says that a column holds what a judge gave."""
    words = words_of(name)
    if {*words} & (REMARKS - {"note"}):  # which is what a mark is called in French
        return False
    return (
        says_ends(name)
        or name.rstrip().endswith("?")
        or bool({*words, words[-1].removesuffix("s")} & {*HINTS, *GIVEN, *SAID, *METRICS})
    )


def likeliest_score(table: Table, taken: set[str]) -> str | None:
    """The likeliest column of scores: by its name, then one with broken numbers; none that is measured or an id."""

    def rank(name: str) -> tuple[bool, int, bool, int, int, str]:
        words, column = words_of(name), table.column(name)
        hints = HINTS if column.scale is None else (*HINTS, *GIVEN)
        hint = next((place for place, word in enumerate(hints) if word in words), len(HINTS + GIVEN))
        hint += hint == len(HINTS + GIVEN) and not is_criterion(name)
        marks = column.scale is not None and column.distinct > 2
        when = plain(name) in OCCASIONS
        levels = column.distinct if says_nothing(name) and column.words else -column.distinct
        return (
            is_of_people(name) or bool({*words} & _SCALED),
            hint,
            when,
            0 if marks else 1 + column.whole,
            levels,
            name,
        )

    answers = {name for name in table.names if RESPONSES & {*words_of(name)}}
    free = numbers_of(table, taken)
    named = [name for name in free if is_less(name) or not (no_score(name) or is_count(name))]
    named = [name for name in named if name in answers or table.column(name).scale or not is_judged(name)]
    alike = (
        [] if any(map(says_score, named)) else _all_alike(table, taken)
    )  # where all passed, nothing else is the score
    return min(alike or named, key=rank, default=None)


def numbers_of(table: Table, taken: set[str]) -> list[str]:
    """Columns of scores that differ, by what they hold."""
    return [one.name for one in table.columns if one.scored and one.distinct > 1 and one.name not in taken]


def _all_alike(table: Table, taken: set[str]) -> list[str]:
    """Columns of one number throughout that are scores by their name: all items passed, or none was violated.

    The success of a record, such as ``result.success`` of a request, is its status.
    """
    alike = [one.name for one in table.columns if one.scored and one.distinct == 1 and one.name not in taken]
    alike = [name for name in alike if not name.endswith(".success")]
    return [name for name in alike if {*HINTS, *EXCEPTIONS} & {*words_of(name)} and not no_score(name)]


def said_in_words(table: Table, known: Mapping[str, str], taken: set[str], score: str | None) -> str | None:
    """The column of what a judge said in words, by its name, beside numbers that no name calls a score."""
    words = None if score is None or says_score(score) else likeliest_words(table, known, taken)
    return words.name if words is not None and {*GIVEN, *SAID} & {*words_of(words.name)} else score


def may_be_score(table: Table, one: Column, score: Column) -> bool:
    """Whether another column may as well be the score: by its name, or as it says the same kind of thing."""
    words = {*words_of(one.name)}
    if (
        no_score(one.name)
        or is_count(one.name)
        or is_judged(one.name)
        or DESCRIBED & words
        or not one.scored
        or one.distinct < 2
    ):
        return False
    if plain(one.name) in OCCASIONS and one.distinct <= MOST_OCCASIONS:
        return False
    if words & {*RESPONSES} and {*words_of(score.name)} & {*HINTS}:  # what was answered, of which it says how well
        return False
    if same_in_rows(table, one, score) or (words & _SCALED and words - _SCALED <= {*words_of(score.name)}):
        return False
    if is_of_people(one.name) and {*words_of(score.name)} & {*HINTS} and not same_scale(one, score):
        return False  # what is right, of which the score says how well it was met
    computed = [bool(METRICS & {*words_of(name)}) for name in (one.name, score.name)]
    measured = any(computed) and all(by or is_less(two.name) for by, two in zip(computed, (one, score), strict=True))
    hinted = measured or bool(words & {*HINTS, *GIVEN}) or is_criterion(one.name) or is_of_people(one.name)
    return hinted or (bool(one.words) and bool(score.words) and one.distinct > 2 and same_scale(one, score))


def same_in_rows(table: Table, one: Column, other: Column) -> bool:
    """Whether two columns say the same: in each row the same value, or each value with one other that comes back."""
    both = one.distinct + (one.filled < table.rows)  # what is empty in one is in the other
    if one.distinct != other.distinct or one.filled != other.filled or table.keys([one.name, other.name]) != both:
        return False
    equal = f"count(*) FILTER (WHERE {table.sql(one.name)}::VARCHAR IS DISTINCT FROM {table.sql(other.name)}::VARCHAR)"
    return 2 * one.distinct <= table.rows or not table.opened.relation.aggregate(equal).fetchall()[0][0]


def is_binned(table: Table, score: str, name: str) -> bool:
    """Whether a column says in fewer words or numbers what a score says, as grades do of points."""
    one, other = table.column(score), table.column(name)
    return 1 < other.distinct < one.distinct <= table.rows / _BINNED and table.within(score, name)


def holds_score(table: Table, text: Column) -> bool:
    """Whether text has the number of the score in it in every row, as what a judge answered has."""
    scores = [one for one in table.columns if one.numeric and plain(one.name) in ALIASES["score"]]
    if text.scored or len(scores) != 1 or not any(re.search(r"\d", word) for word in text.words):
        return False
    few = table.few(text.name, scores[0].name)
    if few is not None:
        told = [(said, given) for said, given in few if said is not None and given is not None]
        return bool(told) and all(re.search(rf"(^|[^0-9.]){given}([^0-9]|$)", said) for said, given in told)
    pattern = f"'(^|[^0-9.])' || {table.sql(scores[0].name)}::VARCHAR || '([^0-9]|$)'"
    holds = f"bool_and(regexp_matches({table.sql(text.name)}::VARCHAR, {pattern}))"
    return table.opened.relation.aggregate(holds).fetchall() == [(True,)]


def on_its_scale(one: Column, score: Column, known: Mapping[str, str]) -> bool:
    """Whether a column holds numbers on the scale of the score, as another criterion would."""
    few = one.numeric and score.numeric and bool(one.words) and bool(score.words)
    plays = one.name in known.values() or one.name == score.name or is_id(one.name) or is_judged(one.name)
    return few and not plays and one.distinct > 2 and same_scale(one, score) and one.low == score.low


def refuse_sides(table: Table, score: str | None) -> None:
    """Refuse a column of scores that holds which of two is better."""
    if score is None:
        return
    column, sides = table.column(score), _two_responses(table)
    chosen = {*words_of(score)} & _WHICH
    if sides and column.distinct <= (_MOST_CHOSEN if chosen else _MOST_SIDES):
        raise Unsure(
            f"source: {score} stands beside {listed(sides)} and holds {listed(sorted(column.words))}: perhaps which of "
            "the two is better; name the columns of the two systems and give every vote a winner: model_a, model_b or "
            "tie"
        )


def _two_responses(table: Table) -> tuple[str, ...]:
    """Columns of two answers to one question, by their names, such as ``response 1`` and ``response 2``."""
    found = re.compile("(response|answer|output|completion|reply|assistant)_?(a|b|0|1|2)")
    sides = [name for name in table.names if found.fullmatch(plain(name))]
    return tuple(sides) if len(sides) == 2 else ()
