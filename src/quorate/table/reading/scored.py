"""Scores in a table whose roles nobody has said: the score, what is measured, and what tells rows apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate.arguments import argument, joined
from quorate.roles import CATEGORY, DOWN, FOLDED, ITEM, JUDGE, OF, PROMPT, REPLICATE, SYSTEM, TURN
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    IDS,
    OCCASIONS,
    RESPONSES,
    is_aspect,
    is_cluster,
    is_compared,
    is_criterion,
    is_id,
    is_judge,
    is_judged,
    is_person,
    no_score,
    says_ends,
    words_of,
)
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.foreign.together import FILE
from quorate.table.exchange.rows import ROW_NUMBER, made_of
from quorate.table.exchange.wide import CROSSED
from quorate.table.facts.profile import Column, Table
from quorate.table.families import maker
from quorate.table.reading.averages import of_averages, refuse_statistics, total_of
from quorate.table.reading.compared import of_compared
from quorate.table.reading.doubt import SAYS, is_label, weighed, where_less
from quorate.table.reading.family import same_scale
from quorate.table.reading.in_words import (
    is_prose,
    likeliest_words,
    meaning,
    most_words,
)
from quorate.table.reading.key import (
    MOST_OCCASIONS,
    MOST_WORDINGS,
    Key,
    asked_again,
    attributes,
    claims_of,
    facets_of,
    identifier,
    labels,
    named_as_judged,
    said_by_labels,
)
from quorate.table.reading.levels import CRITERION
from quorate.table.reading.reading import Meant, Reading
from quorate.table.reading.recognised import (
    copies,
    filled_down,
    folded,
    id_of_asked,
    id_of_rows,
    inner_id,
    judged_once,
    met_by_several,
    no_status,
    numbers_of_rows,
    recognised,
)
from quorate.table.reading.rows import refuse_errors, refuse_peers, refuse_rows
from quorate.table.reading.score import (
    hinted,
    likeliest_score,
    numbers_of,
    on_its_scale,
    refuse_codes,
    refuse_sides,
    said_in_words,
    says_passed,
    share_of,
)
from quorate.table.reading.several import several_in
from quorate.table.reading.supposed import nameless, supposed
from quorate.table.reading.wide import (
    MOST_SHOWN,
    as_criteria,
    chosen_with,
    criteria_of_one,
    inside_one,
    named_criteria,
    side_by_side,
)
from quorate.wording import listed

_SETS = frozenset(("task", "dataset", "benchmark", "subset", "suite", "split"))
"""Words in the name of a column of sets, in each of which what is judged may be numbered from the start."""
_OF_TESTS = frozenset(("file", "module", "class", "classname", "path", "suite"))
"""Words in the name of a column of what holds tests, each with its own."""
_WHOLES = frozenset(("document", "doc", "text", "article", "story", "conversation", "dialogue", "dialog", "chapter"))
_PARTS = frozenset(("segment", "seg", "sentence", "sent", "line", "passage", "paragraph", "turn", "utterance"))
"""Words in the names of what parts are numbered in, and of these parts."""
_LONG, _MANY_EACH = 40, 5
"""Characters of a question, and answers to one, beyond which the wording of a judge's prompt is likelier."""


def scores_of(table: Table, compared: bool = False) -> Reading | None:
    """The score and the facets of a table of judgments; None if it has no column of scores or of labels.

    Parameters
    ----------
    table : Table
        Whose columns have been looked at.
    compared : bool
        Whether systems are to be compared: what they are is then asked where nothing says it.

    Raises
    ------
    Unsure
        If what its columns hold can be read in no way as it stands.
    """
    refuse_statistics(table)
    known, aside, reasons = recognised(table)
    aside |= _one_in_files(table, known) if compared else set()
    whom = _judged_by_columns(table, known)
    known = {role: name for role, name in known.items() if name not in whom.values()} | whom
    refuse_peers(table, known)
    refuse_errors(table)
    said = {role: one.name for one in table.columns if (role := said_by_labels(table, one)) and role not in known}
    reasons += [f"{name} is the {role}, by its labels" for role, name in said.items()]
    known, said = known | said, said | whom
    claims = {role: claims_of(table, role) for role in (ITEM, JUDGE, SYSTEM) if role in known}
    said |= {role: known[role] for role, named in claims.items() if len(named) > 1 or known[role] not in ("", *named)}
    rows, inner = id_of_asked(table, known) or id_of_rows(table, known), inner_id(table, known)
    if rows or inner:
        aside |= {known[ITEM]} if rows and ITEM in known else set()
        _measure(str(rows or inner), "is another in every row" if rows else "is inside it", known, said, reasons)
    aside |= copies(table)
    if {ITEM, JUDGE, SYSTEM} & known.keys() or named_as_judged(table, {*aside}, False) or asked_again(table):
        aside |= numbers_of_rows(table)
    told = supposed(table, known, compared)
    reasons += [f"{name} is the {role}, by its name or its labels" for role, name in told.items()]
    if told.get(SYSTEM) and told[SYSTEM] == known.get(PROMPT):
        known[PROMPT] = ""
    said |= told
    known |= told
    if not (rows or inner) and (asked := met_by_several(table, known)) is not None:
        aside |= {known.get(ITEM, asked)} - {asked}
        _measure(asked, f"is what every {known[SYSTEM]} was asked", known, said, reasons)
    table, made, granted = _with_made(table, known, aside)
    aside |= {part for name in made.values() for part in made_of(name).parts}
    known |= made
    said |= {role: name for role, name in made.items() if role != "score"}
    status = {"status": ""} if no_status(table, known) else {}
    if status:
        aside |= _taken_for_score(table, known)
    more = attributes(table, known)
    aside |= more
    free, outer = nameless(table, {*known.values(), *aside}, known)
    said |= outer
    known |= outer
    level = next((one for one in free if one.distinct < table.rows), None)
    if level is not None and len(free) == 1:
        return _of_level(table, level, known, said, aside, reasons, compared)
    found = _with_roles(table, known, aside, reasons) or _with_roles(table, known, aside - more, reasons)
    if found is None and {CATEGORY, JUDGE} <= known.keys():  # which is what was judged, where nothing else is
        rest = {role: name for role, name in known.items() if role != CATEGORY}
        found = _with_roles(table, {**rest, CATEGORY: ""}, aside, reasons)
    if found is None:
        return None
    found = found.granting(granted) if granted else found
    found = of_averages(table, found.naming(said).also(status))
    return where_less(table, _with_compared(table, found, known, compared), known)


def _measure(name: str, why: str, known: dict[str, str], said: dict[str, str], reasons: list[str]) -> None:
    """Take a column for what is judged, and say why it and not what is known to be so by its name."""
    instead = f", and not {known[ITEM]}, which comes back" if ITEM in known else ""
    reasons.append(f"{name} {why}: what is judged{instead}")
    said[ITEM] = known[ITEM] = name


def _with_compared(table: Table, found: Reading, known: Mapping[str, str], compared: bool) -> Reading:
    """With what is compared, where systems are, or where a column of that by its name tells apart rows that repeat."""
    if compared:
        return of_compared(table, found, known)
    if not any(role == name and is_compared(name) for role, name in found.options.get("facets", {}).items()):
        return found
    own = of_compared(table, found, known)
    return own if own.confidence != "unsure" else found


def _one_in_files(table: Table, known: dict[str, str]) -> set[str]:
    """The system that is the same in all files that are given to be compared, and so is not what is compared."""
    alike = FILE in table.names and bool(known.get(SYSTEM)) and table.column(known[SYSTEM]).distinct == 1
    return {known.pop(SYSTEM)} if alike else set()


def _judged_by_columns(table: Table, known: Mapping[str, str]) -> dict[str, str]:
    """Who answered by name, where columns of who judged stand beside: it is those whom they judged."""
    judges = [one.name for one in table.columns if is_judge(one.name) and one.scored]
    person = known.get(JUDGE, "")
    return {ITEM: person} if len(judges) > 1 and ITEM not in known and is_person(person) else {}


def _taken_for_score(table: Table, known: dict[str, str]) -> set[str]:
    """A status that is none of ours, such as passed: the score where nothing else is, else a column put aside."""
    name = known.pop("status")
    alone = "score" not in known and not any(one.scored and hinted(one.name) for one in table.columns)
    known |= {"score": name} if alone and table.column(name).scale is not None else {}
    return {name} - {known.get("score", "")}


def _with_made(table: Table, known: Mapping[str, str], aside: set[str]) -> tuple[Table, dict[str, str], str]:
    """A table with columns that are made of its own, by their roles, and what was taken for granted by that.

    The share of successes in what was tried, and names that stand once for the rows below them.
    """
    down = filled_down(table, known)
    said = [f"{listed([name.removesuffix(DOWN) for name in down.values()])} filled in down the column"] if down else []
    share = share_of(table, {*known.values(), *aside}, known.get("score"))
    if share is not None and any(map(says_passed, table.columns)):  # which is what came of it
        aside |= {*share.split(OF)}
        share = None
    if share is not None:
        said.append(f"{' of '.join(made_of(share).parts)}: the share of each row is its score")
    alike = folded(table, {role: name for role, name in known.items() if role not in down})
    names = [name.removesuffix(FOLDED) for name in alike.values()]
    said += [f"labels of {listed(names)} that differ in capitals alone are one"] if alike else []
    made = {**down, **alike, **({} if share is None else {"score": share})}
    for name in made.values():
        table = table.with_column(name)
    return table, made, "; ".join(said)


def _of_level(
    table: Table,
    level: Column,
    known: dict[str, str],
    said: dict[str, str],
    aside: set[str],
    reasons: list[str],
    compared: bool,
) -> Reading | None:
    """A table with a column that has no name of its own, such as the keys of JSON: of systems, or of who judged."""
    judge = known.get(JUDGE)
    of_each = bool(judge) and table.keys([level.name, str(judge)]) == table.rows
    by = (
        table.column(FILE if FILE in table.names else known[SYSTEM])
        if {FILE, SYSTEM} & {*table.names, *known}
        else None
    )
    met = (
        by is not None and table.keys([level.name, by.name]) == level.distinct * by.distinct > _MANY_EACH * by.distinct
    )
    if ITEM not in known and (of_each or met):
        found = _with_roles(table, {**known, ITEM: level.name}, aside, reasons)
        if found is not None:
            return found.naming({**said, ITEM: level.name}).granting(f"{level.name} taken for what is judged")
    read = [
        (role, way.naming({**said, role: level.name}))
        for role in (SYSTEM, JUDGE)
        if role not in known and (way := _with_roles(table, {**known, role: level.name}, aside, reasons)) is not None
    ]
    read = [(role, way) for role, way in read if role not in way.options.get("wide", {})] or read
    if not read:
        found = _with_roles(table, known, aside, reasons)
        return None if found is None else found.naming(said)
    if [role for role, _ in read] == [SYSTEM] and all(maker(word) is not None for word in level.words):
        return read[0][1]
    if compared and read[0][0] == SYSTEM and read[0][1].confidence != "unsure":
        return replace(read[0][1], confidence="likely", said=f"{level.name} taken for what is compared")
    meant = tuple(replace(way.ways[0], what=f"{level.name} says {SAYS[role]}") for role, way in read)
    return replace(read[0][1], confidence="unsure", said=f"no name says what {level.name} is", meant=meant)


def _with_roles(table: Table, known: dict[str, str], aside: set[str], reasons: list[str]) -> Reading | None:
    """The score and the rest, where the roles of some columns are known."""
    known, reasons = _questions(table, known, list(reasons))
    dropped = {role for role, column in known.items() if not column}
    known = {role: column for role, column in known.items() if column}
    refuse_rows(table, known)
    several = several_in(table, known, aside)
    if several is not None:
        return replace(several, reasons=(*reasons, *several.reasons)).naming(dict.fromkeys(dropped, ""))
    whole = JUDGE in known and total_of(table, {*known.values(), *aside}) is not None
    wide = None if "score" in known or whole else side_by_side(table, known, aside)
    overall = None if wide is None else _overall(wide)
    if overall is not None:
        said, *left = overall
        found = _of_rows(table, {**known, "score": said}, dropped, {*aside, *left}, reasons)
        return (
            None
            if found is None
            else found.granting(f"{said} is over all by its name: {listed(left, most=6)} left out")
        )
    if wide is not None:
        asked = {ITEM: known[ITEM]} if PROMPT in dropped and ITEM in known else {}
        return replace(wide, reasons=(*reasons, *wide.reasons)).naming({**dict.fromkeys(dropped, ""), **asked})
    return _of_rows(table, known, dropped, aside, reasons)


def _overall(wide: Reading) -> list[str] | None:
    """Of columns that may be criteria the one that is over all by its name, and then the others; None if none is."""
    if wide.confidence != "unsure" and [*wide.options.get("wide", {})] != [CRITERION]:
        return None
    columns = {tuple(names) for way in wide.ways for names in way.options.get("wide", {}).values()}
    names = columns.pop() if len(columns) == 1 else ()
    said = [name for name in names if "overall" in words_of(name)]
    return [*said, *(name for name in names if name not in said)] if len(said) == 1 and len(names) > len("ab") else None


def _of_rows(
    table: Table, known: dict[str, str], dropped: set[str], aside: set[str], reasons: list[str]
) -> Reading | None:
    """A table with a row for each judgment, or for all criteria of one, without roles that were ``dropped``."""
    once = judged_once(table, known)
    if once is not None:
        reasons.append(f"most of {once} judged once: who judged cannot be told from what is left, and is left out")
        del known[JUDGE]
        dropped, aside = {*dropped, JUDGE}, {*aside, once}
    alone = known.get(JUDGE, "") if ITEM not in known else ""
    judged = named_as_judged(table, {*known.values()}, False) if alone else []
    others = [one for one in judged if not (_is_occasion(one) or {*words_of(one.name)} <= RESPONSES)]
    each = [name for role in (JUDGE, SYSTEM, REPLICATE) if (name := known.get(role))]
    each += [one.name for one in judged if _is_occasion(one) and not others]
    if alone and table.keys(each) == table.rows and not others:
        reasons.append(f"{alone} answered once {'each' if len(each) == 1 else 'of each'}: what every row is of")
        known[ITEM] = known.pop(JUDGE)
        dropped = {*dropped, JUDGE}
    taken = {*known.values(), *aside}
    total = total_of(table, taken) if JUDGE in known and "score" not in known else None
    criteria = () if "score" in known or total else inside_one(table, taken) or named_criteria(table, taken)
    overall = [one.name for one in table.columns if one.scored and "overall" in words_of(one.name)] if criteria else []
    overall = [name for name in overall if name not in {*criteria, *taken}]
    if len(overall) == 1 and len(criteria) > 1:
        total, aside, taken, criteria = overall[0], {*aside, *criteria}, {*taken, *criteria}, ()
    if criteria and (found := facets_of(table, known, {*taken, *criteria})) is not None:
        return _of_criteria(table, criteria, known, found, reasons)
    score = known.pop("score", None) or total or said_in_words(table, known, taken, likeliest_score(table, taken))
    options = _options(table, score, known, taken, reasons)
    return None if options is None else _of_score(table, options, known, dropped, aside, reasons)


def _is_occasion(one: Column) -> bool:
    """Whether a column counts when the same was judged again, by its name and its few whole numbers."""
    return {*words_of(one.name)} - IDS <= OCCASIONS and one.whole and one.distinct <= MOST_OCCASIONS


def _options(
    table: Table, score: str | None, known: Mapping[str, str], taken: set[str], reasons: list[str]
) -> dict[str, Any] | None:
    """Arguments that say the score, and what its words stand for; None if there is none."""
    options: dict[str, Any] = {}
    if score is not None:
        refuse_sides(table, score)
        refuse_codes(table.column(score), {"score": score} if plain(score) not in ALIASES["score"] else {})
    if score is None or not table.column(score).scored:
        words = likeliest_words(table, known, taken) if score is None else table.column(score)
        if words is None or not 2 <= words.distinct <= most_words(table):
            return None
        score = words.name
        options |= {} if plain(score) in ALIASES["score"] else {"score": score}
        options |= _meaning(table, words, known, reasons)
    elif plain(score) not in ALIASES["score"] or len(claims_of(table, "score")) > 1:
        options["score"] = score
        reasons.append(_why(table, score, taken))
    if table.column(score).strays:
        options["missing"] = table.column(score).strays
        reasons.append(f"{listed(list(options['missing']))} in {score}: taken for no score")
    return {"score": score, **options}


def _of_score(
    table: Table,
    options: dict[str, Any],
    known: dict[str, str],
    dropped: set[str],
    aside: set[str],
    reasons: list[str],
) -> Reading | None:
    """The facets of scores in one column, and how sure all that is."""
    score, taken = options["score"], {*known.values(), *aside}
    if plain(score) in ALIASES["score"] and len(claims_of(table, "score")) == 1:
        del options["score"]
    # numbers on the scale of the score may be other criteria: no facets, if rows are told apart without them
    like = {
        one.name
        for one in table.columns
        if not {"label", "labels"} & options.keys() and on_its_scale(one, table.column(score), known)
    }
    without = facets_of(table, known, {*taken, score, *like}) if like else None
    told = without is not None and without.whole and without.facets.get(ITEM) != ROW_NUMBER
    found = without if told else facets_of(table, known, {*taken, score})
    if found is None:
        return None
    table, found, anew = _numbered_anew(table, replace(found, aside=frozenset(aside)), known)
    facets, reasons = {**found.facets}, [*reasons, *found.reasons]
    known |= {ITEM: facets.get(ITEM, known.get(ITEM, ""))}
    taken |= {score, *(like if found is without else ())}
    shared = _shared(table, known, facets, taken)
    facets |= {name: name for name in shared}
    reasons += _belonging(table, {**known, **facets}, taken)
    if known.get(TURN) and known[ITEM] in table.names and table.within(known[ITEM], known[TURN]):
        reasons.append(f"every {known[ITEM]} has one {known[TURN]}, which is left out")
        dropped = {*dropped, TURN}
    if _one_category_each(table, known):
        reasons.append(f"every {known[JUDGE]} met one {known[CATEGORY]} alone: it is left out")
        dropped = {*dropped, CATEGORY}
    if _in_some_categories(table, known, facets):
        anew = f"some {known[ITEM]} stand under several {known[CATEGORY]}, which is left out"
        dropped = {*dropped, CATEGORY}
    facets = {**facets, **dict.fromkeys(dropped, "")}
    options |= {"facets": facets} if facets else {}
    chosen = tuple(name for name in found.added if is_aspect(name) or any(map(is_criterion, table.column(name).words)))
    own = _one_system_each(table, known)
    if own:
        reasons.append(f"every {known[JUDGE]} met one {known[SYSTEM]} alone: they are taken as drawn")
    if own and known[ITEM] in table.names and table.within(known[ITEM], known[JUDGE]):
        options["nested"] = {ITEM: JUDGE}  # whose items come together
    if own or chosen:
        roles = {*known, *found.added} - dropped - ({JUDGE} if own else set())
        options["fixed"] = chosen_with(roles, *chosen)
    reading = _told(weighed(table, score, options, reasons, found, known), known[ITEM], shared)
    return reading.granting(anew) if anew else reading


def _numbered_anew(table: Table, found: Key, known: Mapping[str, str]) -> tuple[Table, Key, str]:
    """A key whose items are numbered from the start in each task, or set of data: an item is both together."""
    item = found.facets.get(ITEM, known.get(ITEM, ROW_NUMBER))
    sets = [name for name in found.added if {*words_of(name)} & (_SETS | _WHOLES | _OF_TESTS)]
    if item not in table.names or len(sets) != 1:
        return table, found, ""
    column, part = table.column(item), {*words_of(item)} - IDS <= _PARTS
    inside = part or (is_id(item) and {*words_of(sets[0])} & _SETS)
    counted = inside and column.numeric and column.whole and (column.low or 0) <= 1
    if not (counted or (words_of(item)[0] == "test" and {*words_of(sets[0])} <= _OF_TESTS)):
        return table, found, ""
    both = CROSSED.join((sets[0], item))
    alike = bool({*words_of(sets[0])} & (_WHOLES | _OF_TESTS))  # parts of one may be
    facets = {role: name for role, name in found.facets.items() if name != sets[0] or alike}
    said = f"{item} counts anew in each {sets[0]}: what is judged is both together"
    return table.with_column(both), replace(found, facets={**facets, ITEM: both}, named=True, tied=()), said


def _one_system_each(table: Table, known: Mapping[str, str]) -> bool:
    """Whether who judged met one system alone, as users of one version do: no mean over all judges exists."""
    if not {JUDGE, SYSTEM} <= known.keys():
        return False
    judge, system = known[JUDGE], known[SYSTEM]
    few = table.column(system).distinct
    return 1 < few < table.column(judge).distinct and table.within(judge, system)


def _one_category_each(table: Table, known: Mapping[str, str]) -> bool:
    """Whether who judged met one category alone, as the jury of a class does: no mean of all judges in all exists."""
    if not (known.get(CATEGORY) and known.get(JUDGE)):
        return False
    few = table.column(known[CATEGORY]).distinct
    return 1 < few < table.column(known[JUDGE]).distinct and table.within(known[JUDGE], known[CATEGORY])


def _in_some_categories(table: Table, known: Mapping[str, str], facets: Mapping[str, str]) -> bool:
    """Whether a few of what is judged stand under several categories, and its labels do not start again in each."""
    item, category = known[ITEM], known.get(CATEGORY)
    if not category or item not in table.names or table.within(item, category):
        return False
    others = {name for role, name in {**known, **facets}.items() if role not in ("score", "status", CATEGORY) and name}
    few = 2 * table.keys([item, category]) < 3 * table.column(item).distinct
    return few and table.keys([*others]) == table.rows


def _why(table: Table, score: str, taken: set[str]) -> str:
    """What a column holds that is taken for the score, and what else could be."""
    column = table.column(score)
    others = [name for name in numbers_of(table, {*taken, score}) if not no_score(name)]
    holds = f"words: {column.scale.words}" if column.scale else f"numbers from {column.low:g} to {column.high:g}"
    alike = [name for name in others if same_scale(table.column(name), column) and is_criterion(name)]
    also = f"; {listed(others)} could be scores too" if others else ""
    if is_criterion(score) and 0 < len(alike) < MOST_SHOWN:
        also += "; as criteria: " + argument("wide", {CRITERION: (score, *alike)})
    return f"{score} holds {holds}" + also


def _of_criteria(
    table: Table, criteria: Sequence[str], known: Mapping[str, str], found: Key, reasons: Sequence[str]
) -> Reading:
    """Columns that are criteria: taken for them where their names say it and the rest is plain, else asked about."""
    together = {**as_criteria(criteria, known), **({"facets": found.facets} if found.facets else {})}
    said = (*reasons, criteria_of_one(criteria), *found.reasons)
    left = [one.name for one in table.columns if one.scored and one.name not in {*criteria, *known.values()}]
    like = [table.column(name) for name in left if table.column(name).words]
    like = [one for one in like if same_scale(one, table.column(criteria[0])) and not no_score(one.name)]
    left = [name for name in left if hinted(name) and not no_score(name)]
    alone = {"score": criteria[0], **({"facets": found.facets} if found.facets else {})}
    plainly = all(map(is_criterion, criteria)) or all(map(says_ends, criteria))
    if plainly and not like and found.named and found.whole and not found.tied:
        tells = f"; {found.added[0]} tells rows apart: taken as a facet" if found.added else ""
        tells += f"; {listed(left)} left out" if left else ""
        one = argument("score", criteria[0])
        granted = f"{listed(criteria, most=6)} taken for criteria; one alone: " + one + tells
        return Reading(together, said, "likely", said=granted)
    ways = (Meant(together, "criteria"), Meant(alone, "one alone"))
    return Reading(together, said, said=f"{listed(criteria, most=6)} hold scores of one row each", meant=ways)


def _meaning(table: Table, words: Column, known: Mapping[str, str], reasons: list[str]) -> dict[str, Any]:
    """What words stand for: two of them too are labels where judges plainly gave them."""
    found = meaning(words, reasons)
    return {"labels": True} if "label" in found and is_label(table, words, {"labels": True}, known) else found


def _questions(table: Table, known: dict[str, str], reasons: list[str]) -> tuple[dict[str, str], list[str]]:
    """Roles without a prompt that is what was asked: text beside an answer, of which each is another question."""
    prompt = known.get(PROMPT)
    if not prompt or not _is_asked(table, prompt, known):
        return known, reasons
    again = 2 * table.column(prompt).distinct <= table.rows
    if ITEM in known or (not again and identifier(table, {*known.values()}) is not None):
        return {**known, PROMPT: ""}, [*reasons, f"{prompt} is what was asked, beside what was answered"]
    others = {role: column for role, column in known.items() if role != PROMPT}
    return {**others, ITEM: prompt, PROMPT: ""}, [*reasons, f"{prompt} is what was asked: what is judged"]


def _is_asked(table: Table, prompt: str, known: Mapping[str, str]) -> bool:
    """Whether a prompt is the question of an item, and not how its judge was asked: by its levels and their length."""
    column = table.column(prompt)
    if 2 * column.distinct > table.rows:
        return True
    if ITEM not in known and JUDGE in known and column.distinct > MOST_WORDINGS:
        return table.keys([prompt, known[JUDGE]]) == table.rows  # else nothing is what a row is
    if not any(RESPONSES & {*words_of(name)} and not is_id(name) for name in table.names if name != prompt):
        return False
    items = [one.name for one in table.columns if is_judged(one.name) and one.distinct < table.rows]
    inside = [known[ITEM]] if ITEM in known else [name for name in items if not RESPONSES & {*words_of(name)}]
    inside += [one.name for one in table.columns if {*words_of(one.name)} <= IDS and one.distinct < table.rows]
    if not all(table.within(name, prompt) for name in inside):
        return False
    long = not column.words or sum(map(len, column.words)) > _LONG * len(column.words)
    return long or column.distinct > MOST_WORDINGS or column.distinct * _MANY_EACH > table.rows


_FEWEST_SHARED = 5
"""Passages from which they show how far they differ; of fewer it is said that they are not used."""


def _shared(table: Table, known: Mapping[str, str], facets: Mapping[str, str], taken: set[str]) -> tuple[str, ...]:
    """What several items are about, as the questions of one passage are, by the name of its column; one or none."""
    item = known[ITEM]
    if item == ROW_NUMBER or {*known, *facets} & {CATEGORY}:
        return ()
    free = [one for one in labels(table, {*taken, *known.values(), *facets.values()}) if is_cluster(one.name)]
    free = [one for one in free if _FEWEST_SHARED <= one.distinct < table.column(item).distinct]
    free = [one for one in free if one.filled == table.rows and not is_prose(one)]
    own = {*words_of(item)} - IDS  # of a post its text is no passage of several
    free = [one for one in free if not own & {*words_of(one.name)}]
    return tuple(one.name for one in free if table.within(item, one.name))[:1]


def _told(reading: Reading, item: str, shared: Sequence[str]) -> Reading:
    """A reading that says that what items share is a facet."""
    if not shared or reading.confidence == "unsure":
        return reading
    said = f"every {item} belongs to one {shared[0]}, and those of one may be alike: taken as a facet"
    return replace(reading, confidence="likely", said=joined("; ", [said, *filter(None, [reading.said])]))


def _belonging(table: Table, facets: Mapping[str, str], taken: set[str]) -> list[str]:
    """Columns of which every level of a facet has one: what levels may have been drawn within."""
    names = [column for role, column in facets.items() if column and role not in ("status", REPLICATE)]
    names = [name for name in names if name != ROW_NUMBER]
    found: list[str] = []
    for one in labels(table, {*taken, *names}):
        inner = [(role, name) for role, name in facets.items() if name in names and table.within(name, one.name)]
        if inner and CATEGORY not in facets and one.distinct < table.column(inner[0][1]).distinct:
            role, name = inner[0]
            found.append(
                f"every {name} belongs to one {one.name}: " + argument("nested", {role: one.name}) + " if drawn so"
            )
    return found
