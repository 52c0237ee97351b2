"""What a reading of scores leaves open, which is asked about, and what it takes for granted, which is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate.arguments import argument, joined
from quorate.roles import ITEM, JUDGE, OF, SYSTEM
from quorate.table.columns.languages import plain, spoken
from quorate.table.columns.names import (
    CLUSTERS,
    COMPARED,
    DESCRIBED,
    GROUPS,
    HINTS,
    HOLDERS,
    MACHINES,
    METRICS,
    OCCASIONS,
    PLAINLY_LESS,
    REMARKS,
    SAID,
    TOTALS,
    TRUE,
    groups_items,
    is_aspect,
    is_compared,
    is_count,
    is_criterion,
    is_id,
    is_judged,
    is_less,
    measures,
    no_score,
    says_nothing,
    words_of,
)
from quorate.table.columns.outcomes import WORDS
from quorate.table.columns.roles import ALIASES
from quorate.table.columns.scales import first_is_best
from quorate.table.exchange.format import condition
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.exchange.wide import CROSSED
from quorate.table.facts.profile import Column, Table
from quorate.table.pairs import TIE
from quorate.table.reading.averages import total_of
from quorate.table.reading.family import same_scale
from quorate.table.reading.in_words import (
    OF_WORDS,
    is_prose,
    no_numbers,
    ways_of_words,
)
from quorate.table.reading.key import (
    Key,
    checked_by,
    is_of_machines,
    is_of_people,
    labels,
    said_by_people,
)
from quorate.table.reading.reading import MOST_MEASURES, Meant, Reading, Unsure
from quorate.table.reading.score import (
    beside_measured,
    count_of,
    hinted,
    holds_score,
    is_binned,
    may_be_score,
    same_in_rows,
    says_score,
)
from quorate.table.reading.wide import (
    ANSWERS,
    CODED,
)
from quorate.wording import listed, words

_WON = frozenset(("winner", "winners", "preferred", "preference"))
"""Words in the name of a column that says which of two is better."""
_VERDICTS = frozenset(("label", "verdict", "judgment", "judgement", "decision", "annotation", "sentiment", "stance"))
"""Words in the name of a column of labels, whoever gave them."""
_CODES = frozenset(words("class name label review metadata annotation flag flagged code id target"))
"""Words of names that say nothing of what is good."""
_FEWEST_CODES, _MOST_CODES = 3, 10
"""How many codes there are where numbers may be such."""
_NAMES = frozenset(("first", "last", "given", "family", "middle", "name", "surname"))
"""Words in the names of columns that name whom an id is of."""
_YES_OR_NO = ("is_", "has_")
"""What the name of a column begins with that says yes or no of something."""
_TRUTHS = frozenset(("true", "false", "yes", "no"))
"""Words of a column that says yes or no of something."""
_SHOWN = frozenset(("prompt", "question", "text", "request"))
"""Words in the name of a column of texts that were shown, beside the id of each."""
_ASKED_IN = frozenset(("prompt", "instruction", "instructions", "wording", "system"))
"""Words in the name of a column of sentences that may be what is compared, beside those of COMPARED."""
_MEASURED = frozenset(("name", "metric_name", "score_name", "measure", "key", "evaluator", "feedback_key"))
"""What the column of a tool is called that says which of its scores a row holds."""
_FEWEST_WORDS = 4
"""Words of a sentence, on average."""
_FEWEST_LETTERS = 3
"""Letters of a word in a name that says something."""
SAYS = {JUDGE: "who judged", SYSTEM: "what was judged"}
"""What a column of a role says."""
_MOST_PEOPLE = 1000
"""Levels of a column of text that may say who judged."""
_MOST_WAYS, _MOST_JUDGES, MOST_MARKS = 3, 60, 21
_MOST_TELLING, _MOSTLY = 9, 0.9
"""Words of a column that tells where a score is empty, and the share of rows with one from which on it is not asked."""
_MARKS, _WORST = ("note", "school_mark", "zensur"), 6
"""What marks are called of which some countries have 1 as the best, and what is then the worst."""


def weighed(
    table: Table,
    score: str,
    options: Mapping[str, Any],
    reasons: Sequence[str],
    found: Key,
    known: Mapping[str, str],
) -> Reading:
    """A reading with what is open of it, asked about, and what was taken for granted, said."""
    open_, ways = _open(table, score, options, found, known)
    if len(open_) > 1:
        ways = tuple(replace(way, measure="") for way in ways)
    if open_:
        item = found.facets.get(ITEM, known.get(ITEM, ROW_NUMBER))
        named = {"facets": {ITEM: item}}  # of a way that says nothing the same would be asked
        ways = tuple(way if way.options else replace(way, options=named) for way in ways or (Meant(options),))
        return Reading(options, tuple(reasons), said="; ".join(open_), meant=ways)
    said = joined("; ", _granted(table, score, options, found, known))
    less = (
        of_less(score, options, reasons, said) or of_codes(table, score, options, reasons) if SYSTEM in known else None
    )
    return less or Reading(options, tuple(reasons), "likely" if said else "sure", said=said)


def of_less(score: str, options: Mapping[str, Any], reasons: Sequence[str], said: str) -> Reading | None:
    """A reading of systems by a score of which less is better by its name: as everybody knows, or asked.

    None of other scores. ``said`` is what was taken for granted already.
    """
    if not is_less(score) or options.get("labels"):
        return None
    more: dict[str, Any] = {**options} if "wide" in options else {"score": score, **options}
    less = {**more, "less_is_better": True}
    why = f"less of {score} is better by its name"
    if PLAINLY_LESS & {*words_of(score)}:
        return Reading(less, tuple(reasons), "likely", said=joined("; ", [*filter(None, [said]), why]))
    return Reading(less, tuple(reasons), said=why, meant=(Meant(less, "less is better"), Meant(more, "more is better")))


def of_codes(table: Table, score: str, options: Mapping[str, Any], reasons: Sequence[str]) -> Reading | None:
    """A reading of systems by 0 and 1 of which no name says whether 1 is good, which is asked; None of others."""
    if score not in table.names or not {*words_of(score)} <= CODED | _CODES | {*HOLDERS} or options.get("labels"):
        return None
    if not table.column(score).numeric or table.column(score).values != {0.0, 1.0} or "label" in options:
        return None  # words say what is good
    more: dict[str, Any] = {"score": score, **options}
    ways = (Meant(more, "1 is better"), Meant({**more, "less_is_better": True}, "0 is better"))
    return Reading(more, tuple(reasons), said=f"{score} holds 0 and 1, and no name says which is better", meant=ways)


def _open(
    table: Table, score: str, options: Mapping[str, Any], found: Key, known: Mapping[str, str]
) -> tuple[list[str], tuple[Meant, ...]]:
    """What no name says, and the ways in which it may be meant."""
    where = _given_where(table, score, known, found) if not {"label", "labels"} & options.keys() else None
    if where is not None:
        name, without = where
        rest = {key: value for key, value in options.items() if key != "numbers"}
        label = Meant({**rest, "score": name, "labels": True}, f"{name}, each a label")
        said = f"{score} is empty wherever {name} is {listed(without)}, and only there"
        return [said], (label, Meant({**rest, "score": score}, f"{score}, where it is"))
    each = _in_rows(table, score, options, known) if found.named else None
    if each is not None:
        return [f"{each[0]} names {len(each[1])} measures, which need not answer one question"], each[1]
    said, ways = _open_of_score(table, table.column(score), options, found, known)
    open_ = [said] if said else []
    if not found.named:
        open_.append(f"no name says that {found.facets.get(ITEM, known.get(ITEM))} is what is judged")
    added = found.added
    if open_ and not ways and len(added) == 1 and says_nothing(added[0]):
        ways = _as_roles(options, added[0], known)
    left = [one.name for one in _unexplained(table, score, known, found)]
    if left and not (added or open_ or _told_apart(table, found, known, left)):
        ways = (Meant(options, f"without {listed(left, most=4)}"), *_as_roles(options, left[0], known))
        open_.append(f"no name says what {listed(left, most=4)} {'is' if len(left) == 1 else 'are'}")
    if sum(not is_aspect(name) for name in added) > 1 and not found.tied:
        open_.append(f"rows repeat unless {listed(added)} are facets")
    if found.tied:
        open_.append(f"rows repeat, and {listed(found.tied, most=6)} may tell them apart")
    return open_, ways


def _given_where(table: Table, score: str, known: Mapping[str, str], found: Key) -> tuple[str, list[str]] | None:
    """The column of a few words that tells where a score is empty, as how bad something is where it is not bad."""
    column, used = table.column(score), {*known.values(), *found.aside, *found.facets.values()}
    few = [one for one in table.columns if one.name not in {score, *used} and 1 < len(one.words) <= _MOST_TELLING]
    if column.filled > _MOSTLY * table.rows or not column.numeric:
        return None
    empty = f"nullif(trim({table.sql(score)}::VARCHAR), '') IS NULL"
    for one in few:
        if one.numeric or one.filled < table.rows or one.distinct > len(one.words):
            continue
        word = f"lower(trim({table.sql(one.name)}::VARCHAR))"
        asked = f"{word} AS word, count(*) FILTER ({empty}) AS gone, count(*) AS every"
        counts = table.opened.relation.aggregate(asked, word).fetchall()
        without = sorted(word for word, gone, _ in counts if gone)
        if without and all(gone in (0, every) for _, gone, every in counts):
            return one.name, without
    return None


def _in_rows(
    table: Table, score: str, options: Mapping[str, Any], known: Mapping[str, str]
) -> tuple[str, tuple[Meant, ...]] | None:
    """The column that names the measure of every row, and how each is read; None where all rows are of one.

    Marks by the criteria of one rubric have a mean, as those in columns do.
    """
    facets = options.get("facets", {})
    item = facets.get(ITEM) or known.get(ITEM)
    if table.column(score).whole or OF in score or item not in table.names:
        return None
    for one in table.columns:
        few = 1 < len(one.words) <= MOST_MEASURES and not one.numeric and one.filled == table.rows
        measured = [is_criterion(word) or bool(METRICS & {*words_of(word)}) for word in one.words]
        told = plain(one.name) in _MEASURED and 2 * sum(measured) >= len(measured)
        if (
            few
            and (told or is_aspect(one.name))
            and table.keys([str(item), one.name]) > table.column(str(item)).distinct
        ):
            rest = {role: column for role, column in facets.items() if column != one.name}
            rest |= {role: "" for role, column in known.items() if column == one.name}
            users = (two.name for two in table.columns if "user" in words_of(two.name))  # who asked, and did not judge
            rest |= {JUDGE: ""} if any(table.within(str(item), user) for user in users) else {}
            more = {key: value for key, value in options.items() if key != "fixed"}
            more |= {"score": score, "facets": {ITEM: item, **rest}}
            rows = {level: condition(one.name, [level]) for level in one.words}
            return one.name, tuple(Meant({**more, "where": kept}, measure=level) for level, kept in rows.items())
    return None


def _open_of_score(
    table: Table, column: Column, options: Mapping[str, Any], found: Key, known: Mapping[str, str]
) -> tuple[str, tuple[Meant, ...]]:
    """What is open of the score, empty if nothing is, and the ways in which it may be meant."""
    score = column.name
    plainly = plain(score) in ALIASES["score"] and not is_of_machines(score)
    used = {score, *known.values(), *found.aside}
    beside = [one for one in beside_measured(table, column) if one.name not in used] if plainly else []
    free = [one for one in table.columns if one.name not in used and one.filled and not plainly]
    item = options.get("facets", {}).get(ITEM) or known.get(ITEM)
    several = item in table.names and table.column(str(item)).distinct < table.rows
    # what is the same at every judgment of an item is none, but where its name says so
    free = [one for one in free if says_score(one.name) or not (several and table.within(str(item), one.name))]
    rivals = [one.name for one in (*beside, *(one for one in free if may_be_score(table, one, column)))]
    rivals = [name for name in rivals if not is_binned(table, score, name)]
    people = [] if plainly else _people(table, score, known)
    total = count_of(table, column)
    if total is not None:
        said = f"{score} is never above {total}: perhaps a count of these, and no score"
        return said, (Meant({**options, "score": score}, "a score as it is"),)
    if people:
        said = f"{said_by_people(people[:1])}, {score} what a judge did"
        filled = table.column(people[0]).filled / table.rows
        named = "human" in words_of(people[0])
        wanted = bool(MACHINES & {*words_of(score)} and (named or (TRUE & {*words_of(people[0])} and filled == 1)))
        once = item == ROW_NUMBER or (item in table.names and table.column(str(item)).distinct == table.rows)
        return said, checked_by(options, {"human_label": people[0]}, filled, plain=wanted and once)
    whole = JUDGE in known and score == total_of(table, used - {score})
    if rivals and not whole:  # what it is the sum of is none
        return f"{listed([score, *rivals], most=6)} may each be the score", _of_rivals(
            table, [score, *rivals], options, SYSTEM in known
        )
    others = [one for one in free if _may_be_any(one)]
    named = plainly or whole or hinted(score) or is_criterion(score) or (is_less(score) and not others)
    named |= bool({*words_of(score)} & TOTALS) and not others
    named |= "overall" in words_of(score)
    named |= plain(score) in ALIASES["status"]  # which is what was judged where nothing else is
    named |= any(words_of(word)[0] in ("thumbs", "thumb") for word in column.words)
    named |= "vote" in words_of(score) and column.scale is not None
    named |= bool({*words_of(score)} & REMARKS) and column.scale is not None
    named |= says_nothing(score) and column.scored and not others and sum(one.scored for one in table.columns) == 1
    told = {*words_of(score)} & {*SAID} and not {*words_of(score)} & {*HINTS}
    named &= not (told and column.scale is not None and JUDGE not in known)  # a priority may be nobody's judgment
    if not (named or _alone(table, column, known, found)):
        if {JUDGE, SYSTEM}.isdisjoint(known) and not several and not any(map(_may_be_given, (column, *others))):
            raise Unsure(
                f"no column looks like a judgment: no name says that {score} is one, and it holds {_held(column)}; "
                "name the score, if there is one, with " + argument("score", ...)
            )
        return f"no column looks like a judgment by its name: perhaps {score} is one", _of_others(
            options, score, others
        )
    coded = column.numeric and column.whole and _FEWEST_CODES <= column.distinct <= _MOST_CODES
    if coded and words_of(score)[-1] in CODED:
        alike: dict[str, Any] = {**options, "score": score}
        each = (Meant({**alike, "labels": True}, "codes, each a label"), Meant(alike, "scores"))
        return f"{score} holds whole numbers: perhaps codes of labels", each
    doubt = _doubt_of_words(table, column, options, known)
    return doubt, ways_of_words(column, options) if doubt else ()


def _of_rivals(table: Table, names: Sequence[str], options: Mapping[str, Any], compared: bool) -> tuple[Meant, ...]:
    """The ways to read one of several scores each: measures of their own where all are numbers and more is better."""
    numbers = all(
        len(name) > 1 and table.column(name).scored and not (is_of_people(name) or (compared and is_less(name)))
        for name in names
    )
    return tuple(
        Meant(
            {**options, "score": name, **({} if table.column(name).scored else {"labels": True})},
            measure=name if numbers else "",
        )
        for name in names
    )


def _doubt_of_words(table: Table, column: Column, options: Mapping[str, Any], known: Mapping[str, str]) -> str:
    """What is open of words that are taken for labels or numbers; empty if nothing is."""
    if {"label", "labels"} & options.keys() and {*words_of(column.name)} & _WON:
        return f"{column.name} says which of two is better, and no columns name the two"
    if {*OF_WORDS} & options.keys() and (strange := no_numbers(column)):
        held = listed([f'"{word}"' for word in strange], most=3)
        return f"{column.name} holds numbers, and {held} in other rows"
    if {*OF_WORDS} & options.keys() and not is_label(table, column, options, known):
        return f"{column.name} holds words, {listed(column.words, most=4)}"
    return ""


def _may_be_given(one: Column) -> bool:
    """Whether numbers may be marks: whole and few, or shares; or a column without a name that says something."""
    if says_nothing(one.name) or not one.numeric:
        return True
    share = one.low is not None and one.high is not None and one.low >= 0 and one.high <= 1
    return share or (one.whole and one.distinct <= MOST_MARKS)


def _held(one: Column) -> str:
    return f"{'' if one.whole else 'broken '}numbers from {one.low:g} to {one.high:g}"


def _may_be_any(one: Column) -> bool:
    """Whether a column may be the score though no name says it."""
    named = no_score(one.name) or is_count(one.name) or is_judged(one.name) or DESCRIBED & {*words_of(one.name)}
    return one.scored and one.distinct > 1 and not named


def _of_others(options: Mapping[str, Any], score: str, others: Sequence[Column]) -> tuple[Meant, ...]:
    """The ways in which one column or another may be the score."""
    bare = {name: value for name, value in options.items() if name not in (*OF_WORDS, "missing")}
    ways = [Meant({**options, "score": score}), *(Meant({**bare, "score": one.name}) for one in others)]
    return tuple(ways[:_MOST_WAYS]) if len(ways) > 1 else ()


def _as_roles(options: Mapping[str, Any], name: str, known: Mapping[str, str]) -> tuple[Meant, ...]:
    """The ways in which a column may say who judged, or what was judged."""
    bare = {**options, "facets": {role: one for role, one in options.get("facets", {}).items() if one != name}}
    return tuple(
        Meant(_with(bare, {role: name}), f"{name} says {said}") for role, said in SAYS.items() if role not in known
    )


def _with(options: Mapping[str, Any], facets: Mapping[str, str]) -> dict[str, Any]:
    return {**options, "facets": {**options.get("facets", {}), **facets}}


def _granted(
    table: Table, score: str, options: Mapping[str, Any], found: Key, known: Mapping[str, str]
) -> Iterator[str]:
    """What is taken for granted, with the argument that changes it."""
    own = SYSTEM not in known and len(found.added) == 1 and is_compared(found.added[0])  # which is said to be compared
    added = [] if own else found.added
    if found.supposed:
        yield f"{found.supposed} taken for what is judged; else say " + argument("facets", {ITEM: ...})
    if added:
        tell = "tells" if len(added) == 1 else "tell"
        yield f"{listed(added)} {tell} apart rows that would repeat: taken as a facet"
    if options.get("labels"):
        share = argument("label", table.column(score).words[0])
        yield f"{score} holds words, each taken for a label; the share of one alone with " + share
    elif not (plain(score) in ALIASES["score"] or hinted(score)):
        made = TOTALS & {*words_of(score)}
        yield f"{score} taken for the score, " + ("over all by its name" if made else "the only column of marks")
    people = _people(table, score, known)
    if people:
        yield f"{people[0]} left out, which is what people said by its name"
    if "missing" in options:
        yield f"{listed(options['missing'])} in {score} taken for no score"
    left = [one.name for one in _unexplained(table, score, known, found) if not one.scored]
    if left and not added:
        yield f"{listed(left, most=4)} left out; else say " + argument("facets", {SYSTEM: left[0]})


def _alone(table: Table, score: Column, known: Mapping[str, str], found: Key) -> bool:
    """Whether nothing else holds marks, or labels, where names say what is judged and who judged."""
    used = {score.name, *known.values(), *found.facets.values(), *found.aside}
    free = [one for one in table.columns if one.distinct > 1 and one.name not in used]
    free = [one for one in free if not (is_id(one.name) or is_count(one.name) or measures(one.name))]
    free = [one for one in free if not groups_items(one.name)]
    other = any(one.scored if score.scored else one.words and not (one.numeric or is_prose(one)) for one in free)
    groups = {*words_of(score.name)} & {*GROUPS, *DESCRIBED, *OCCASIONS}
    unnamed = [name for name in found.added if not (plain(name) in OCCASIONS or is_aspect(name))]
    item = found.facets.get(ITEM) != ROW_NUMBER
    held = bool(score.words) or score.scored
    return held and found.named and item and JUDGE in known and not (other or groups or unnamed)


def is_label(table: Table, column: Column, options: Mapping[str, Any], known: Mapping[str, str]) -> bool:
    """Whether words are plainly labels that judges gave: by a name, and as they differ within what was judged."""
    item = options.get("facets", {}).get(ITEM) or known.get(ITEM)
    said = all(len(word) > 1 for word in column.words)  # letters may be answers, or the sides of a comparison
    if "labels" in options and JUDGE not in known and said and {*words_of(column.name)} & _VERDICTS:
        return True
    named = hinted(column.name) or says_nothing(column.name) or plain(column.name).startswith(_YES_OR_NO)
    if "labels" not in options or item in (None, ROW_NUMBER) or JUDGE not in known or not named:
        return False
    return table.keys([item, column.name]) > table.keys([item])


def _people(table: Table, score: str, known: Mapping[str, str]) -> list[str]:
    """Columns of what people said, by their names, on the scale of a score that is not, or in its words."""
    if is_of_people(score):
        return []
    named = [one for one in table.columns if is_of_people(one.name) and one.name not in {score, *known.values()}]
    judged = table.column(score)
    if not judged.scored:  # both chose among the same words
        return [one.name for one in named if 2 * len({*one.words} & {*judged.words}) >= len(judged.words) > 0]
    return [one.name for one in named if one.scored and same_scale(one, judged)]


def is_sentence(one: Column) -> bool:
    """Whether a column holds texts, of four words or more each on average, such as captions."""
    return is_prose(one) or sum(len(word.split()) for word in one.words) >= _FEWEST_WORDS * len(one.words) > 0


def _unexplained(table: Table, score: str, known: Mapping[str, str], found: Key) -> list[Column]:
    """Columns of few labels that nothing explains, where no column says who judged, or of which system."""
    used = {*score.split(OF), score, *known.values(), *found.facets.values()}
    used |= {*(found.aside if {JUDGE, SYSTEM} & known.keys() else ())}
    if {JUDGE, SYSTEM} <= known.keys():
        return []
    item = known.get(ITEM)
    again = item in table.names and table.column(str(item)).distinct < table.rows
    said = {*words_of(score)} & {*HINTS}  # how well it was answered
    system = known.get(SYSTEM)  # which another column may say too
    return [
        one
        for one in labels(table, used)
        if one.distinct <= (_MOST_JUDGES if one.numeric or JUDGE in known else _MOST_PEOPLE)
        and one.filled == table.rows
        and not ("." in one.name and {*words_of(one.name)} & {*REMARKS, "comment"})  # in a record
        and not (plain(one.name).startswith(_YES_OR_NO) or (one.scale is not None and one.distinct > len("01")))
        and not {*words_of(one.name)} <= _NAMES
        and not (is_sentence(one) and not {*words_of(one.name)} & (COMPARED | _ASKED_IN))
        and not (said and not one.numeric and ANSWERS & {*words_of(one.name)})
        and not ((SYSTEM in known or found.whole) and one.words and {*map(plain, one.words)} <= _TRUTHS)
        and not (same_in_rows(table, one, table.column(score)) or holds_score(table, one))
        and not (again and one.numeric and found.whole and _named(one.name))  # systems and judges are seldom numbers
        and not {*DESCRIBED, *GROUPS, *CLUSTERS, "input", "instruction", "query"} & {*words_of(one.name)}
        and not (item is not None and is_id(item) and is_sentence(one) and _SHOWN & {*words_of(one.name)})
        and not (words_of(one.name)[0] == words_of(score)[0] and words_of(one.name)[-1].isdigit())  # what it is made of
        and not (again and (groups_items(one.name) or is_sentence(one)) and table.within(str(item), one.name))
        and not (no_score(one.name) or is_count(one.name) or is_criterion(one.name) or is_judged(one.name))
        and not {*WORDS[TIE]} & {plain(word) for word in one.words}
        and not (one.words and all(re.match(r"\d+ \w", word) for word in one.words))  # marks of their own, as 3 good
        and not all(re.fullmatch(r"(https?:|.*[/\\]).*\.\w+", word) for word in one.words)  # paths of files
        and not (one.words and all(re.fullmatch(r"(?s)\[.*\]|\{.*\}", word) for word in one.words))  # lists, records
        and not (system and table.within(system, one.name))  # which describes the system
    ]


def _told_apart(table: Table, found: Key, known: Mapping[str, str], left: Sequence[str]) -> bool:
    """Whether what was judged and who judged tell every row apart, so that no other column has to."""
    item = found.facets.get(ITEM, known.get(ITEM))
    own = {JUDGE} <= known.keys() and found.named and found.whole and item not in (None, ROW_NUMBER)
    if not own or any({*words_of(name)} & COMPARED for name in left):
        return False
    if 2 * table.column(str(item)).distinct <= table.rows and all(table.within(str(item), name) for name in left):
        return True  # they say more of what is judged, which comes back
    if found.supposed:
        return False
    if table.column(str(item)).distinct == table.rows:  # beside what is another in every row they may be what is judged
        return False
    others = {*left, *(() if is_id(str(item)) else found.aside)}
    return not any(table.within(name, str(item)) for name in others)


def _named(name: str) -> bool:
    """Whether a column has a name that says something, though not to us."""
    return any(len(word) >= _FEWEST_LETTERS and word.isalpha() for word in words_of(name)) and not says_nothing(name)


def where_less(table: Table, found: Reading, known: Mapping[str, str]) -> Reading:
    """A reading of systems by scores of which less is better by their names, or may be, which is said or asked."""
    wide = found.options.get("wide", {})
    columns = wide.get(SYSTEM, ())
    if found.confidence == "unsure":
        return found
    roles = {*known, *found.options.get("facets", {}), *(part for role in wide for part in role.split(CROSSED))}
    told = [*columns, *(name for names in wide.values() for name in names), str(found.options.get("score", ""))]
    best = {first_is_best(name) for name in told if name} if SYSTEM in roles else set()
    if best in ({True}, {True, None}):
        turned = replace(found, options={**found.options, "less_is_better": True})
        return turned.granting("less is better by what the names say of the numbers")
    if False in best:
        return found
    if (said := either_way(table, found.options, known)) is not None:
        less = Meant({**found.options, "less_is_better": True}, "1 is the best")
        return replace(found, confidence="unsure", said=said, meant=(less, Meant(found.options, "more is better")))
    if not (columns and all(map(is_less, columns))):
        return found
    return of_less(columns[0], found.options, found.reasons, found.said) or found


def either_way(table: Table, options: Mapping[str, Any], known: Mapping[str, str]) -> str | None:
    """Why less of a score may be better though no name says it: marks of which 1 is the best, or places; else None."""
    return _said_of_marks(table, options, known) or _said_of_points(table, options, known)


def _said_of_points(table: Table, options: Mapping[str, Any], known: Mapping[str, str]) -> str | None:
    """That scores of systems are 1 to their number, each once for every item: places, or points; else None."""
    facets = {**known, **options.get("facets", {})}
    score, item, system = str(options.get("score", "")), facets.get(ITEM), facets.get(SYSTEM)
    if not (item and system) or not {score, item, system} <= {*table.names}:
        return None
    one, count = table.column(score), table.column(system).distinct
    each = one.whole and one.low == 1 and one.high == one.distinct == count > len("ab") and one.filled == table.rows
    if not each or table.column(item).distinct * count != table.rows or table.keys([item, score]) != table.rows:
        return None
    return f"{score} holds 1 to {count}, each once for every {item}: places, of which 1 is the best, or points"


def _said_of_marks(table: Table, options: Mapping[str, Any], known: Mapping[str, str]) -> str | None:
    """Why more may not be better of what systems were given, by names for marks and their ends; None where it is."""
    wide = options.get("wide", {})
    if SYSTEM not in {*known, *options.get("facets", {}), *(part for role in wide for part in role.split(CROSSED))}:
        return None
    score = str(options.get("score", ""))
    names = [name for columns in wide.values() for name in columns] or [score] * (plain(score) in _MARKS)
    marks = [table.column(one) for one in names if one in table.names and {*words_of(one), plain(one)} & {*_MARKS}]
    if not marks or len(marks) < len(names):
        return None
    low, high = min(one.low or 0 for one in marks), max(one.high or 0 for one in marks)
    others = spoken(name for name in table.names if name not in names)
    if others["fr"] > 1 and not others["de"]:  # what French calls a mark is more where it is better
        return None
    are = "is" if len(marks) == 1 else "are"
    said = f"{listed(names, most=6)} {are} from {low:g} to {high:g}: in Germany and Austria 1 is the best mark"
    return said if low >= 1 and high <= _WORST else None
