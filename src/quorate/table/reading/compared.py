"""What is compared in a table of scores, where systems are to be compared: by names, else asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate.arguments import argument, joined
from quorate.roles import ITEM, JUDGE, SYSTEM
from quorate.table.columns.aliases import REPLICATES
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    ARRANGED,
    ASKED_PEOPLE,
    COMPARED,
    CONTESTANTS,
    DESCRIBED,
    OCCASIONS,
    QUESTION,
    RESOLVED,
    RESPONSES,
    TRUE,
    form_of,
    groups_items,
    is_aspect,
    is_compared,
    is_criterion,
    is_id,
    is_judge,
    is_judged,
    is_person,
    words_of,
)
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.exchange.wide import CROSSED, crossed
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_model, maker
from quorate.table.reading.averages import is_made_of, total_of, totals_in
from quorate.table.reading.doubt import MOST_MARKS, is_sentence, of_less
from quorate.table.reading.key import claims_of, labels, named_as_judged
from quorate.table.reading.levels import CRITERION, are_people, part_of, stripped, varying
from quorate.table.reading.reading import Meant, Reading
from quorate.table.reading.wide import ANSWERS
from quorate.wording import listed

_MOST, _MOST_WAYS, _FEWEST_LETTERS, _MOST_TRIED = 50, 3, 2, 12
_TRUTHS = frozenset(("yes", "no", "true", "false", "y", "n"))
"""What a column holds that says yes or no of something."""


def of_compared(table: Table, found: Reading, known: Mapping[str, str]) -> Reading:
    """A reading in which something is compared: as it is, of columns that are models by their names, or asked for."""
    way = next((way for way in found.ways if SYSTEM in _of_columns(way.options)), None)
    each = bool(found.meant) and all(one.measure for one in found.meant)
    if found.confidence == "unsure" and way is not None and not each and _told(table, way, known):
        columns = [name for names in way.options["wide"].values() for name in names]
        open_ = JUDGE not in known and [*way.options["wide"]] == [SYSTEM]  # they may be those of who judged
        else_ = [argument("wide", {JUDGE: columns})] if open_ else []
        taken = joined("; else ", [f"{listed(columns, most=6)} taken for what is compared", *else_])
        return replace(found, options=way.options, confidence="likely", said=taken, meant=())
    if SYSTEM in {*known, *_roles(found.options)}:
        return found
    if found.confidence == "unsure":
        return _by_each_measure(table, found, known)
    asked = found.options.get("wide", {}).get(ITEM, ())
    if asked and JUDGE in {*known, *found.options.get("facets", {})} and _of_names(asked):
        (way,) = _otherwise(table, found, known)
        said = f"{way.what}, of which everybody was asked the same"
        return replace(found, options=way.options, confidence="likely", said=said, meant=())
    ways, alone = _ways(table, found, known)
    if alone:
        swapped = ways[0].options["facets"].get(ITEM) != {**known, **found.options.get("facets", {})}.get(ITEM)
        rest = [] if swapped else [*filter(None, [found.said])]  # which says that it is what is judged
        granted = joined("; ", [f"{alone} taken for what is compared", *rest])
        score = str(found.options.get("score", known.get("score", "")))
        less = of_less(score, ways[0].options, found.reasons, granted)
        return less or replace(found, options=ways[0].options, confidence="likely", said=granted)
    said = "no name says what is compared"
    ways = ways or _otherwise(table, found, known)
    return replace(found, confidence="unsure", said=said, meant=ways) if ways else found


def _of_names(columns: Sequence[str]) -> bool:
    """Whether questions are one, but for a name in each: a word in capitals that is none of a criterion or a number."""
    words = [{*re.findall(r"\w+", column)} for column in columns]
    own = [[*one.difference(*(other for other in words if other is not one))] for one in words]
    alike = set[str]().union(*words).difference(*own)
    return bool(alike) and all(len(one) == 1 and one[0].istitle() and not is_criterion(one[0]) for one in own)


def _by_each_measure(table: Table, found: Reading, known: Mapping[str, str]) -> Reading:
    """A reading of several measures with what is compared by each, where one column surely says it."""
    if not (found.meant and all(way.measure for way in found.meant)):
        return found
    alone = _ways(table, replace(found, options=found.meant[0].options), known)[1]

    def with_system(way: Meant) -> Meant:
        facets = {role: name for role, name in way.options.get("facets", {}).items() if name != alone}
        return replace(way, options={**way.options, "facets": {**facets, SYSTEM: alone}})

    return replace(found, meant=tuple(map(with_system, found.meant))) if alone else found


def _otherwise(table: Table, found: Reading, known: Mapping[str, str]) -> tuple[Meant, ...]:
    """What may be compared where no column is left: the questions that everybody answered, or who judged."""
    facets = {**known, **found.options.get("facets", {})}
    judge, wide = facets.get(JUDGE), found.options.get("wide", {})
    if not judge or JUDGE in _of_columns(found.options):
        return ()
    if [*wide] == [ITEM]:
        answered = {"wide": {SYSTEM: wide[ITEM]}, "facets": {ITEM: judge, JUDGE: ""}}
        return (Meant({**found.options, **answered}, f"{listed(wide[ITEM], most=4)} are compared"),)
    if table.column(judge).distinct > _MOST:
        return ()
    fixed = tuple(role for role in found.options.get("fixed", ()) if role != JUDGE)
    options = {**found.options, "facets": {ITEM: facets.get(ITEM, ROW_NUMBER), JUDGE: "", SYSTEM: judge}}
    return (Meant({**options, **({"fixed": fixed} if fixed else {})}, f"{judge} is compared"),)


def of_judged(table: Table, found: Reading) -> Reading:
    """A reading where judges are asked about: of columns that no name says more of, as those of who judged."""
    if (who := _who_judged(table, found)) is not None:
        return who
    if (each := _each_a_label(table, found)) is not None:
        return each
    shown = {tuple(names) for way in found.ways for names in way.options.get("wide", {}).values()}
    judges = [way for way in found.ways if [*way.options.get("wide", {})] == [JUDGE]]
    if found.confidence != "unsure" or len(judges) != 1 or any(way.verb or way.people for way in found.ways):
        return found
    (way,) = judges
    columns = way.options["wide"][JUDGE]
    others = {name for names in shown for name in names} - {*columns}
    of_people = bool(ASKED_PEOPLE & {*words_of(str(way.options.get("facets", {}).get(ITEM, "")))})
    if len(found.ways) == 1 or (of_people and not others) or not all(RESOLVED & {*words_of(name)} for name in others):
        return found  # of pupils columns may be subjects
    measured = [one for one in map(table.column, columns) if one.numeric and one.distinct > MOST_MARKS]
    if measured and len({form_of(name) for name in varying(columns)}) > 1 and not are_people(columns, columns):
        return found  # numbers finer than marks, which may be measured
    said = f"{listed(columns, most=6)} taken for judges"
    said += f"; {listed(sorted(others))} left out, by its name what they came to together" if others else ""
    return replace(found, options=way.options, confidence="likely", said=said, meant=())


def _each_a_label(table: Table, found: Reading) -> Reading | None:
    """A reading of two words of which each is a label, which judges agree on whatever they mean; else None."""
    score = found.options.get("score")
    if not claims_of(table, JUDGE) or score not in table.names or {*words_of(str(score))} & RESPONSES:
        return None
    column = table.column(str(score))
    if column.distinct != len(column.words) or len({*map(plain, column.words)}) != len("ab"):
        return None
    labels = [way for way in found.ways if way.options.get("labels")]
    shares = [way for way in found.ways if "label" in way.options]
    if found.confidence != "unsure" or (len(labels), len(shares), len(found.ways)) != (1, 1, 2):
        return None
    rest = [{name: value for name, value in way.options.items() if name[:5] != "label"} for way in found.ways]
    if rest[0] != rest[1]:
        return None
    return replace(found, options=labels[0].options, confidence="likely", said="each word is a label", meant=())


def _who_judged(table: Table, found: Reading) -> Reading | None:
    """A reading where one column of words tells rows of what is judged apart, and none says who judged; else None."""
    named = "wide" in found.options or JUDGE in _roles(found.options) or claims_of(table, JUDGE)
    if named or found.confidence == "unsure":
        return None
    score = found.options.get("score", "")
    taken = {score, *(name for role in (SYSTEM, *REPLICATES) for name in claims_of(table, role))}
    free = [one for one in labels(table, taken) if one.words and not (one.numeric or is_id(one.name))]
    pairs = [
        (item.name, one.name)
        for item in named_as_judged(table, taken, True)
        for one in free[:_MOST_TRIED]
        if is_id(item.name)
        and not is_compared(one.name)
        and table.keys([item.name, one.name]) == table.rows > table.column(item.name).distinct
    ]
    if len(pairs) != 1:
        return None
    ((item, who),) = pairs
    said = f"{who} taken for who judged, once each {item}; else say " + argument("facets", {JUDGE: ...})
    options = {**found.options, "facets": {ITEM: item, JUDGE: who}}
    return replace(found, options=options, confidence="likely", said=said, meant=())


def _roles(options: Mapping[str, Any]) -> set[str]:
    """Roles that arguments name, also those that names of columns cross."""
    return {*options.get("facets", {}), *_of_columns(options)}


def _of_columns(options: Mapping[str, Any]) -> set[str]:
    """Roles whose levels are columns."""
    return {part for role in options.get("wide", {}) for part in role.split(CROSSED)}


def _told(table: Table, way: Meant, known: Mapping[str, str]) -> bool:
    """Whether columns are plainly what is compared: models by their names, or words of what each row is judged on.

    Judges, criteria and numbered columns are none, and where no name says what a row is the rows may be compared.
    """
    columns = [name for names in way.options["wide"].values() for name in names]
    models = any(all(map(is_model, names)) for names in (columns, stripped(columns)))
    if models and not any(CROSSED in role for role in way.options["wide"]):
        return True
    parts = [table.column(name) for name in columns]
    finer = all(one.numeric and not one.whole and one.distinct > MOST_MARKS for one in parts)  # than anybody judges
    if not finer and any(is_made_of(table, table.column(name), parts) for name in totals_in(table, set())):
        return False  # a mean over who judged, or over criteria
    own = {word for name in varying(columns) for word in name.split(".")[-1:]}
    row = str({**known, **way.options.get("facets", {})}.get(ITEM, ""))
    named = is_id(row) or is_judged(row) or plain(row) in ALIASES[ITEM]
    plainly = not any(is_judge(name) or is_criterion(name) or QUESTION.fullmatch(plain(name)) for name in own)
    plainly &= {*own}.isdisjoint(("best", "worst"))  # which say what was chosen
    if any(CROSSED in role for role in way.options["wide"]):
        told = [part_of([*dict.fromkeys(part)]) for part in crossed(columns) or ()]
        if CRITERION in told and None in told and SYSTEM in _roles(way.options):
            return True
        by = all("by" in words_of(name) for name in columns)  # of which that behind it judged
        return JUDGE in _roles(way.options) and (by or (len({*told}) > 1 and bool({JUDGE, SYSTEM} & {*told})))
    versions = all({*words_of(name)} & (COMPARED | {"v"}) for name in columns)  # as of a prompt, numbered
    long = [len(name) > _FEWEST_LETTERS + 1 or (len(name) > 1 and not name.isascii()) or maker(name) for name in own]
    return named and plainly and (versions or all(long) or (finer and any(long)))


def _ways(table: Table, found: Reading, known: Mapping[str, str]) -> tuple[tuple[Meant, ...], str]:
    """The columns that may say what is compared, the likeliest first, and the one that surely does, if one does.

    Last what is judged, by who judged it. One that alone tells rows apart that would repeat is what is compared.
    """
    facets = {**known, **found.options.get("facets", {})}
    item, judge = facets.get(ITEM, ROW_NUMBER), facets.get(JUDGE, "")
    used = {item, judge, found.options.get("score", known.get("score", "")), *found.options.get("wide", {})}
    used |= {name for columns in found.options.get("wide", {}).values() for name in columns}
    free = [one for one in labels(table, used) if one.distinct <= _MOST and not is_person(one.name)]
    free = [one for one in free if plain(one.name) not in REPLICATES and 2 * one.filled > table.rows]
    free = [one for one in free if not (one.words and {*map(plain, one.words)} <= _TRUTHS)]  # as of headphones worn
    free = [one for one in free if not ({*words_of(one.name)} & ARRANGED or is_criterion(one.name))]
    free = [one for one in free if not (QUESTION.fullmatch(plain(one.name)) or one.name.rstrip().endswith("?"))]
    free = [one for one in free if not {*words_of(one.name)} <= ANSWERS | TRUE]
    free = [one for one in free if not is_aspect(one.name)] or free
    free = [one for one in free if not {*words_of(one.name)} & DESCRIBED] or free
    if found.options.get("score") == total_of(table, {item, judge, *known.values()}):  # what it is the sum of is none
        free = [one for one in free if not one.numeric]
    free = [one for one in free if not (is_sentence(one) or _says_the_same(table, one, str(item)))]
    free.sort(key=lambda one: not _crosses(table, one, str(item)))
    own = found.options.get("facets", {})

    def reading(system: str) -> dict[str, Any]:
        kept = {role: name for role, name in own.items() if name != system}
        fixed = tuple(role for role in found.options.get("fixed", ()) if role != system)
        return {**found.options, **({"fixed": fixed} if fixed else {}), "facets": {ITEM: item, **kept, SYSTEM: system}}

    ways = [Meant(reading(one.name), f"{one.name} is compared") for one in free[: _MOST_WAYS - 1]]
    if item != ROW_NUMBER and found.options.get("wide", {}).keys() == {JUDGE}:
        kept = {role: name for role, name in own.items() if role != ITEM}
        columns = {"wide": {ITEM: found.options["wide"][JUDGE]}, "facets": {**kept, SYSTEM: item}}
        ways.append(Meant({**found.options, **columns}, f"{item} is compared"))
    elif judge and item != ROW_NUMBER and not found.options.get("wide"):
        swapped = {**{role: name for role, name in own.items() if role not in (ITEM, JUDGE)}, ITEM: judge, JUDGE: ""}
        ways.append(Meant({**found.options, "facets": {**swapped, SYSTEM: item}}, f"{item} is compared"))
    rounds = [name for role, name in own.items() if role == name]
    if {*words_of(str(item))} <= CONTESTANTS and found.options.get("wide", {}).keys() == {JUDGE} and len(rounds) == 1:
        facets = {role: name for role, name in own.items() if role not in (ITEM, rounds[0])}
        options = {**found.options, "facets": {**facets, ITEM: rounds[0], SYSTEM: item}}
        return (Meant(options, f"{item} is compared"),), str(item)
    crossing = [one.name for one in free if own.get(one.name) == one.name]
    first = free[0].name if free and crossing == [free[0].name] and not is_aspect(free[0].name) else ""
    named = not (is_id(str(item)) and judge == "" and "wide" in found.options)  # no id of texts that judges saw
    if not free and ways and named and table.column(str(item)).distinct <= _MOST:  # there is nothing else
        return tuple(ways), str(item)
    rivals = [one.name for one in free if {*words_of(one.name)} <= CONTESTANTS]
    alone = [one.name for one in free] if not first and len(free) == 1 else []
    first = rivals[0] if len(rivals) == 1 else first or next((name for name in alone if not groups_items(name)), "")
    if rivals == [first]:
        ways.insert(0, Meant(reading(first), f"{first} is compared"))
    told = judge or any(len(word) > _FEWEST_LETTERS and word.isalpha() for word in words_of(first))
    return tuple(ways), first if told and plain(first) not in OCCASIONS else ""


def _says_the_same(table: Table, one: Column, item: str) -> bool:
    """Whether a column is another name of what is judged, such as its title."""
    return item in table.names and one.distinct == table.column(item).distinct == table.keys([item, one.name])


def _crosses(table: Table, one: Column, item: str) -> bool:
    """Whether what is judged comes with several levels of a column."""
    return item in table.names and not table.within(item, one.name)
