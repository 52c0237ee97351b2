"""What is judged in a table of scores, and what else tells its rows apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from quorate.frozen import dataclass
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.columns.aliases import EXAMPLES, JUDGES_ALONE, claims
from quorate.table.columns.given_names import is_given
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    ACTS,
    ANSWERERS,
    ARRANGED,
    CLUSTERS,
    DESCRIBED,
    GIVEN,
    GROUPS,
    HINTS,
    IDS,
    JUDGED,
    LABEL_OF_ITEM,
    MACHINES,
    MEASURES,
    OCCASIONS,
    PEOPLE,
    REMARKS,
    RESPONSES,
    SAID,
    groups_items,
    is_aspect,
    is_criterion,
    is_id,
    is_judge,
    is_judged,
    is_person,
    measures,
    says_nothing,
    words_of,
)
from quorate.table.columns.roles import ALIASES, FURTHER
from quorate.table.exchange.format import literal
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.facts.profile import Column, Table
from quorate.table.families import maker
from quorate.table.reading.reading import Meant
from quorate.wording import listed


def is_of_people(name: str) -> bool:
    """Whether a column holds what people said, by its name.

    Examples
    --------
    >>> is_of_people("human_passed"), is_of_people("judge_passed"), is_of_people("gpt4_vs_human")
    (True, False, False)
    """
    return bool(PEOPLE & {*words_of(name)}) and not (is_of_machines(name) or is_id(name) or measures(name))


def people_beside(columns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Columns of what people said and those of judges beside them; None if there is one kind alone.

    Raters beside models are people.

    Examples
    --------
    >>> people_beside(["Reviewer 1", "Reviewer 2", "GPT-4 decision"])
    (('Reviewer 1', 'Reviewer 2'), ('GPT-4 decision',))
    """
    machines = {name for name in columns if is_of_machines(name)}
    raters = {name for name in columns if is_judge(name) or is_given(name)} - machines
    named = {name for name in columns if is_of_people(name)} or (raters if raters | machines == {*columns} else {})
    people = tuple(name for name in columns if name in named)
    judges = tuple(name for name in columns if name not in named)
    return (people, judges) if people and judges else None


def said_by_people(people: Sequence[str]) -> str:
    """That columns hold what people said."""
    return f"{listed(people)} {'is' if len(people) == 1 else 'are'} what people said by name"


def checked_by(
    options: Mapping[str, Any], said: Mapping[str, Any], filled: float, plain: bool = False
) -> tuple[Meant, ...]:
    """What is asked of judges beside people: whether they say the same, and, of labels of a part, what all would be.

    ``said`` is who the people are, as of `Meant`, and ``filled`` of which share of the rows they said something.
    """
    check = Meant(options, "judges against people", "judges", people=said, plain=plain)
    if filled == 1 or options.get("labels"):
        return (check,)
    mean = Meant(options, "the judges' mean, corrected by what people said", "analyze", people=said, plain=plain)
    return (mean, check) if 2 * filled < 1 else (check, mean)


def is_of_machines(name: str) -> bool:
    """Whether a column is of judges that are models, by its name."""
    words = {*words_of(name)}
    return bool(MACHINES & words) or any(maker(word) is not None for word in words)


def said_by_labels(table: Table, one: Column) -> str | None:
    """The role of a column without a name of its own, as its labels say it: of items, such as ``q1``, or of judges.

    Items are also what is numbered in one form, such as ``flores-001``, in more levels than judges have.
    """
    if one.numeric or not one.filled or not says_nothing(one.name):
        return None
    if one.words and all(is_judge(word) or is_given(word) for word in one.words):
        return JUDGE
    few = table.few(one.name)
    if few is not None:
        texts = {text.lower() for (text,) in few if text is not None}
        items = all(re.fullmatch(LABEL_OF_ITEM, text, re.ASCII) for text in texts)
        kinds = {re.sub("[0-9]+", "#", text) for text in texts}
        forms, shown = len(kinds), min(kinds)
    else:
        text = f"lower(trim({table.sql(one.name)}::VARCHAR))"
        form = f"regexp_replace({text}, '[0-9]+', '#', 'g')"
        fits = f"bool_and(regexp_full_match({text}, {literal(LABEL_OF_ITEM)}))"
        asked = f"{fits}, count(DISTINCT {form}), any_value({form})"
        ((items, forms, shown),) = table.opened.relation.aggregate(asked).fetchall()
    numbered = forms == 1 and "#" in shown and re.search("[a-z]", shown) and one.distinct >= _FEWEST_NUMBERED
    return ITEM if items or numbered else None


DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")
"""What a day is written like."""
_FEWEST_NUMBERED = 10
"""Labels of one form that are numbered, from which on they are of what is judged."""
MOST_OCCASIONS, MOST_WORDINGS = 10, 12
"""Levels of a column that says when, and of wordings of a judge's prompt."""
ASKED = frozenset(("question", "prompt", "instruction", "input", "inputs", "query"))
"""Words in the name of a column of what was asked."""
_MET_BY_ALL = 1.5
"""Rows to each text of a question, from which on most systems were asked it."""
_TOGETHER = frozenset(("group", "team"))
"""What a column of people is called who are judged together."""
_WANTED = frozenset(("target",))
"""What a column is called that holds the answer that was wanted, beside one of what was answered."""
_TRIES = frozenset(("attempt", "trial", "try", "repetition"))
"""What a column is called that counts tries of the same; a run or a seed is one of all items, and a facet."""
_SAMPLED = frozenset((*_TRIES, "sample", "generation", "completion", "rollout", "draw", "run", "seed", "epoch", "read"))
"""What a column is called, with a word for a number, that counts what one system answered to the same."""
_NO_ITEM = frozenset((*GROUPS, *CLUSTERS, *ARRANGED, *ANSWERERS, *DESCRIBED, *JUDGES_ALONE, "model", "system"))
"""Words in the name of an id of something else than what is judged."""
_BACKGROUND, _MANY = (
    frozenset((*DESCRIBED, "language", "lang", "locale", "platform", "device", "channel", "difficulty")),
    10,
)
"""Words in the name of a column of where what is judged comes from, and rows of each level from which on it does."""
_FEW_AGAIN = 0.02
"""Share of rows that repeat another which are no sign of a facet that tells them apart."""
_MOST_ADDED, _MOST_TRIED = 2, 12
"""Columns that are added to tell rows apart, and those that are tried for it."""


def labels(table: Table, taken: set[str], *, occasions: bool = False) -> list[Column]:
    """Columns whose values come back, as labels do; with ``occasions`` also when the same was judged again."""
    free = [one for one in table.columns if one.name not in taken and 2 <= one.distinct <= table.rows / 2]
    judged = {*HINTS, *GIVEN, *REMARKS}  # judgments, of whomever, are no facets, nor what is said of them
    free = [one for one in free if not (judged & set(plain(one.name).split("_")) or is_of_people(one.name))]
    free = [one for one in free if not (one.words and all(map(DAY.match, one.words)))]
    free = [one for one in free if not _is_remark(one, table.rows)]
    again = {one.name for one in free if occasions and one.distinct <= MOST_OCCASIONS and plain(one.name) in OCCASIONS}
    named = [one for one in free if not one.numeric or one.whole or _is_version(one)]
    return [one for one in named if one.name in again or not measures(one.name)]


def asked_again(table: Table) -> list[str]:
    """Columns of texts that were asked, by their names, each of which comes back as where several systems answer it."""
    texts = [one for one in table.columns if not one.numeric and {*words_of(one.name)} & ASKED]
    return [one.name for one in texts if one.distinct > 1 and _MET_BY_ALL * one.distinct <= table.rows]


def _is_version(one: Column) -> bool:
    """Whether a column holds a few numbers of versions, by its name, as 2.3 and 2.4 are."""
    return one.distinct <= MOST_OCCASIONS and words_of(one.name)[-1] in ("version", "release", "build")


def attributes(table: Table, known: Mapping[str, str]) -> set[str]:
    """Columns that say more of what is judged, or of who judged: the same wherever it comes back.

    What groups what is judged stays, and what is called a score where no other of that name differs: all may have said
    the same.
    """
    item = known.get(ITEM)
    if item is None:
        judged = named_as_judged(table, {*known.values()}, JUDGE in known)
        item = judged[0].name if len(judged) == 1 else None
    comes_back = [name for name in (item, known.get(JUDGE)) if name and 2 * table.column(name).distinct <= table.rows]
    free = [one for one in table.columns if one.filled and one.name not in {item, *known.values()}]
    free = [one for one in free if not (says_nothing(one.name) or is_of_people(one.name))]
    free = [one for one in free if not (is_aspect(one.name) or is_criterion(one.name))]
    scores = {one.name for one in free if {*HINTS, *GIVEN, *SAID} & {*words_of(one.name)}}
    same = {
        one.name
        for one in free
        if (one.name in scores or not groups_items(one.name))
        and any(
            table.column(name).distinct >= one.distinct and table.within(name, one.name)
            for name in comes_back
            if name == item or {*DESCRIBED, *MEASURES} & {*words_of(one.name)}  # who judged may be one for each item
        )
    }
    return same if scores - same else same - scores


_CROSSED = 0.9
"""Share of all pairs of a number and who judged that are there where the numbers are those of what all judged."""
_TRIED = frozenset(("attempt", "run", "rollout", "episode"))
"""What is another in every row and no number that counts tries names the answer of a system to a task, as logs do."""


def identifier(table: Table, taken: set[str]) -> str | None:
    """A column whose name says that it names what every row is of, and that does so; None if none or several do."""
    found = [
        one.name
        for one in table.columns
        if one.name not in taken
        and one.distinct == one.filled == table.rows > 1
        and (is_id(one.name) or is_judged(one.name) or (not one.numeric and (ASKED | _TRIED) & {*words_of(one.name)}))
    ]
    return min(found, key=lambda name: (not is_id(name), not is_judged(name), name)) if found else None


@dataclass(frozen=True)
class Key:
    """Columns that are named as facets, why, and whether they tell every row apart.

    ``named`` says whether a name or its being alone says what is judged; ``tied`` are columns that may each tell
    rows apart, ``aside`` those that say more of the roles alone. ``supposed`` is what is judged where it alone tells
    rows apart beside who judged.
    """

    facets: dict[str, str]
    reasons: list[str]
    whole: bool
    named: bool
    tied: tuple[str, ...]
    aside: frozenset[str] = frozenset()
    supposed: str = ""

    @property
    def added(self) -> list[str]:
        """Columns that are facets because rows repeat without them."""
        return [name for role, name in self.facets.items() if role == name and role not in ALIASES]


def facets_of(table: Table, known: Mapping[str, str], taken: set[str]) -> Key | None:
    """What is measured, where no name says it, and what else tells rows apart."""
    known, reasons = dict(known), []
    named = True
    facets = {role: column for role, column in known.items() if column and len(claims_of(table, role)) > 1}
    if ITEM in known and plain(known[ITEM]) not in ALIASES[ITEM]:
        facets[ITEM] = known[ITEM]
    if ITEM not in known:
        unique = identifier(table, taken)
        coming = labels(table, taken)
        judged = _judged_in(table, known, taken)
        none = {one.name for one in coming if _names_who(one.name) or _is_background(one, table.rows)}
        none |= {one.name for one in coming if JUDGE in known and _names_the_same(table, one, known[JUDGE])}
        coming = [one for one in coming if not (one.name in none or _is_remark(one, table.rows))]
        most = max(judged or coming, key=lambda one: one.distinct, default=None)
        # beside it, what is another in every row is the number of a row, or what was said of it
        id_first = unique is not None and is_id(unique)
        once = not {JUDGE, SYSTEM, PROMPT} & known.keys() and id_first and _is_named(str(unique), judged, table.rows)
        if len(judged) == 1 and not (id_first and (_is_answer(judged[0]) or _is_ward(judged[0]) or once)):
            unique = None
        named = len(judged) == 1 or (unique is not None and not _crossed(table, known, taken, coming))
        asked = PROMPT in known and table.column(known[PROMPT]).distinct > MOST_WORDINGS
        if unique is None and not judged and (asked or most is None):
            named, measured = asked, known.pop(PROMPT, None)
        else:
            measured = unique or (most.name if most else None)
        if measured is None:
            others = [one for one in table.columns if not (one.name in taken or _is_remark(one, table.rows))]
            others = [one for one in others if not (_is_payload(one) or _is_background(one, table.rows))]
            named, measured = not others, ROW_NUMBER
            reasons.append("no column says what is judged: every row is another")
        elif unique is None:
            levels = table.column(measured).distinct
            most_levels = all(one.distinct <= levels for one in coming)
            why = "has the most levels that come back" if most_levels else "is named so, and has levels that come back"
            reasons.append(f"{measured} {why} ({levels:,}): what is measured")
        else:
            reasons.append(f"{measured} is another in each of {table.rows:,} rows: what is measured, once each")
        known[ITEM] = facets[ITEM] = measured
        if measured == ROW_NUMBER:
            return Key(facets, reasons, True, named, ())
    added, tied = _telling_apart(table, known, taken, reasons)
    if known[ITEM] in facets.values() or plain(known[ITEM]) in EXAMPLES:  # what comes back less may be the item
        named &= all(table.column(name).distinct <= table.column(known[ITEM]).distinct for name in added.values())
    facets |= added
    key = [column for role, column in {**known, **facets}.items() if role not in ("status", "score") and column]
    whole = table.keys(key) == table.rows
    alone = not (named or tied) and whole and _alone(table, known, taken, {*facets.values()})
    return Key(facets, reasons, whole, named or alone, tied, supposed=known[ITEM] if alone else "")


def _judged_in(table: Table, known: Mapping[str, str], taken: set[str]) -> list[Column]:
    """Columns that may say what is judged by their names; the one that tells rows apart beside who judged, if one does.

    As each reviewer met a submission once, on every criterion that rows name.
    """
    judged = named_as_judged(table, taken, JUDGE in known)
    judged = [one for one in judged if not _answers_one(table, one, judged, known.get(SYSTEM))]
    judged = [one for one in judged if not (JUDGE in known and _names_the_same(table, one, known[JUDGE]))]
    aspects = [one.name for one in table.columns if len(one.words) > 1 and all(map(is_criterion, one.words))]
    beside = [*(known[role] for role in (JUDGE, SYSTEM) if role in known), *aspects]
    met = [one for one in judged if beside and table.keys([one.name, *beside]) == table.rows]
    return met if len(met) == 1 else judged


def _names_the_same(table: Table, one: Column, name: str) -> bool:
    """Whether a column is another name of what a column names, as an address is of who judged."""
    return one.distinct == table.column(name).distinct == table.keys([one.name, name])


def _answers_one(table: Table, one: Column, others: Sequence[Column], system: str | None) -> bool:
    """Whether a column is what one system made of what another names, such as its recording of an utterance."""
    if system is None or not table.within(one.name, system):
        return False
    asked = [two.name for two in others if two is not one and table.within(one.name, two.name)]
    return any(table.keys([name, system]) == one.distinct for name in asked)


def _alone(table: Table, known: Mapping[str, str], taken: set[str], facets: set[str]) -> bool:
    """Whether, beside who judged or which system, one column alone tells rows apart, but for occasions.

    What groups items, describes people or orders rows is none, nor what has no name that says something, nor numbers
    that few of who judged have in common.
    """
    key = [known[role] for role in (JUDGE, SYSTEM) if role in known]
    item = known[ITEM]
    again = [name for name in facets - {item, *known.values()} if not (plain(name) in OCCASIONS or _is_try(name))]
    if not key or again or not _may_be_judged(item, SYSTEM in known):
        return False
    crossed = table.keys(key) * table.column(item).distinct
    if table.column(item).numeric and not (table.column(item).whole and table.rows >= _CROSSED * crossed):
        return False
    key += [name for name in (*facets, known.get(REPLICATE, "")) if name and name not in (item, *key)]
    rest = [
        one.name for one in table.columns if one.name not in {*taken, *key, item} and 2 <= one.distinct < table.rows
    ]
    rest = [name for name in rest if not measures(name)]
    return not any(table.keys([name, *key]) == table.rows for name in rest)


def _may_be_judged(name: str, of_systems: bool) -> bool:
    """Whether a name says something, and nothing else than what is judged; of systems also groups of things are."""
    words = {*words_of(name)} - IDS - {"name", "code"}
    said = any(len(word) > 1 and word.isalpha() for word in words) and not says_nothing(name)
    other = words & {
        *GROUPS,
        *(() if of_systems else CLUSTERS),
        *ARRANGED,
        *DESCRIBED,
        *ANSWERERS,
        *MEASURES,
        *OCCASIONS,
    }
    return said and (not other or words_of(name)[-1] in JUDGED or words <= _TOGETHER)


def _crossed(table: Table, known: Mapping[str, str], taken: set[str], coming: Sequence[Column]) -> bool:
    """Whether, beside a number of each row, a column comes back once for each who judged, as what is judged does."""
    key = [known[role] for role in (JUDGE, SYSTEM, PROMPT, REPLICATE) if role in known]
    free = [one for one in coming if one.name not in taken and not {*GROUPS} & {*words_of(one.name)}]
    return bool(key) and any(table.keys([one.name, *key]) == table.rows for one in free)


def named_as_judged(table: Table, taken: set[str], judges: bool) -> list[Column]:
    """Columns whose names say what is judged, and whose values come back; of those that tell the same apart one.

    Where ``judges`` are known, people and ids of other things are what is judged; answers only where nothing else is.
    """
    again = [one for one in table.columns if one.name not in taken and 2 <= one.distinct < table.rows]
    again = [one for one in again if one.filled == table.rows]  # of every row something is judged
    named = [
        one
        for one in again
        if is_judged(one.name)
        or {*words_of(one.name)} <= IDS
        or (judges and one.name.rstrip().endswith("?") and words_of(one.name)[0] == "which")
        or (judges and is_person(one.name) and (_is_seen(one.name) or not _names_who(one.name)))
        or (judges and is_id(one.name) and not measures(one.name))
        or (is_id(one.name) and not measures(one.name) and not {*words_of(one.name)} & _NO_ITEM)
    ]
    named = [one for one in named if not {*words_of(one.name)} & ACTS] or named
    named = [one for one in named if not RESPONSES & {*words_of(one.name)}] or named
    if any(RESPONSES & {*words_of(name)} for name in table.names):  # beside it a target is what was to be answered
        named = [one for one in named if not {*words_of(one.name)} <= _WANTED]
    named = [one for one in named if not _is_text_of(table, one, named)]
    named = [one for one in named if not {*words_of(one.name)} - IDS <= ARRANGED] or named
    named = [one for one in named if not _says_more(table, one, named)]
    named.sort(key=lambda one: not is_id(one.name))
    found: list[Column] = []
    for one in named:
        if not any(one.distinct == two.distinct == table.keys([one.name, two.name]) for two in found):
            found.append(one)
    return found


def _says_more(table: Table, one: Column, others: Sequence[Column]) -> bool:
    """Whether a column is the text of what another names by an id, or a day or a try among things that come back."""
    ids = [two for two in others if two is not one and is_id(two.name) and two.distinct >= one.distinct]
    if not is_id(one.name) and any(table.within(two.name, one.name) for two in ids):
        return True
    more = any(two is not one and two.distinct > one.distinct for two in others)
    return more and ({*words_of(one.name)} <= OCCASIONS or counts_tries(one))


def _is_text_of(table: Table, one: Column, others: Sequence[Column]) -> bool:
    """Whether a column holds what who judged wrote of what an id names, such as a summary of a submission."""
    texts = sum(len(word.split()) for word in one.words) > 2 * len(one.words) > 0 and not is_id(one.name)
    judges = claims_of(table, JUDGE) if texts else []
    ids = [two.name for two in others if is_id(two.name)] if len(judges) == 1 else []
    return any(table.keys([name, *judges]) == table.rows for name in ids)


def counts_tries(one: Column) -> bool:
    """Whether a column numbers samples or tries of the same from 0 or 1, by its name and as all numbers occur."""
    words = {*words_of(one.name)}
    numbered = bool(words & _SAMPLED) and words <= _SAMPLED | IDS | {"n", "num"}
    return numbered and one.whole and one.low in (0, 1) and (one.high or 0) - (one.low or 0) == one.distinct - 1


def _is_answer(one: Column) -> bool:
    """Whether a column holds what a system answered, by its name: what was judged, and no condition of it."""
    return bool(RESPONSES & {*words_of(one.name)}) and not is_id(one.name)


def _is_seen(name: str) -> bool:
    """Whether a column is of those who took part, by its name, of whom others may judge."""
    return bool({*words_of(name)} & {"participant", "respondent", "user"})


def _names_who(name: str) -> bool:
    """Whether a column is called as those are who judge."""
    words = {*words_of(name)} - {*IDS, "name", "code"}
    return bool(words) and words <= {*JUDGES_ALONE}


def _is_remark(one: Column, rows: int) -> bool:
    """Whether a column is what was added in words to some of what is judged."""
    return bool({*words_of(one.name)} & {*REMARKS, "comment"}) and not one.numeric and one.filled < rows


def _is_named(unique: str, judged: Sequence[Column], rows: int) -> bool:
    """Whether an id says that it is of what is judged, or what else is called so comes back in a few rows alone."""
    said = is_judged(unique) and not {*words_of(unique)} & {"record", "row", "trial"}
    return said or (bool(judged) and 2 * judged[0].distinct > rows)


def _is_ward(one: Column) -> bool:
    """Whether a unit is where something happened, as the words in it say, and not one of what is judged."""
    return {*words_of(one.name)} <= {"unit"} and not all(re.search(r"\d", word) for word in one.words)


def _is_background(one: Column, rows: int) -> bool:
    """Whether a column says where much of what is judged comes from, as its language does: each level of many rows."""
    return _MANY * one.distinct <= rows and bool({*words_of(one.name)} & _BACKGROUND)


def _is_payload(one: Column) -> bool:
    """Whether a column tells nothing of who judged what: it is another in every row, a measure, or one value."""
    broken = one.numeric and not one.whole
    return one.distinct < 2 or broken or measures(one.name) or one.distinct == one.filled


def _telling_apart(
    table: Table, known: Mapping[str, str], taken: set[str], reasons: list[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Further columns as facets, where without them rows repeat a judgment: the fewest that tell most rows apart.

    With them, the columns of other choices that tell as many apart.
    """
    key = [column for role, column in known.items() if role not in ("status", "score") and column]
    apart = table.keys(key)
    if apart == table.rows:
        return {}, ()
    if table.rows - apart <= _FEW_AGAIN * table.rows and ITEM in known:
        reasons.append(f"{table.rows - apart:,} rows repeat the key of another: they count as its replicates")
        return {}, ()
    coming = labels(table, {*taken, *known.values()}, occasions=True)
    judged = [table.column(known[ITEM])] if known.get(ITEM) in table.names else []
    coming = [one for one in coming if not (is_criterion(one.name) or _is_text_of(table, one, judged))]
    free = [one.name for one in coming if not _is_answer(one)]
    free = free[:_MOST_TRIED]
    tried: dict[Sequence[str], int] = {}
    best = apart
    for size in range(1, _MOST_ADDED + 1):
        for names in combinations(free, size):
            tried[names] = table.keys([*key, *names])
        best = max(tried.values(), default=apart)
        if best == table.rows:
            break
    if best <= apart:
        if REPLICATE not in known:
            reasons.append(f"{table.rows - apart:,} rows repeat the key of another: they count as its replicates")
        return {}, ()
    fewest = min(len(names) for names, n in tried.items() if n == best)
    equal = [names for names, n in tried.items() if n == best and len(names) == fewest]
    chosen = min(equal, key=table.keys)
    rest = "every row" if best == table.rows else f"{best:,} of {table.rows:,} rows"
    reasons.append(f"with {listed(chosen)} the key tells {rest} apart; without, {table.rows - apart:,} rows repeat one")
    told = [names for names in equal if table.keys([*names, *chosen]) != table.keys(chosen)]
    tied = tuple(dict.fromkeys(name for names in (chosen, *told) for name in names)) if told else ()
    named = [table.column(name) for name in chosen]  # an id in words is of what was shown in a trial
    tries = {one.name for one in named if (counts_tries(one) if is_id(one.name) else _is_try(one.name))}
    return {REPLICATE if name in tries and REPLICATE not in known else name: name for name in chosen}, tied


def _is_try(name: str) -> bool:
    """Whether a column counts how often the same was tried, by its name."""
    return {*words_of(name)} - {*IDS, "n", "num"} <= _TRIES and bool(_TRIES & {*words_of(name)})


def claims_of(table: Table, role: str) -> list[str]:
    """Columns whose names say a role; but for the score not those that are empty."""
    names = [one.name for one in table.columns if one.filled or role == "score"]
    return claims(names, ALIASES.get(role, ()), FURTHER.get(role, ()))


def names_rows(table: Table, one: Column) -> bool:
    """Whether a column is another in every row as names and numbers of rows are, and not as scores may be."""
    if not one.distinct == one.filled == table.rows or is_judge(one.name):
        return False
    if is_criterion(one.name) and (one.numeric or not is_judged(one.name)):
        return False
    counts = one.whole and one.low is not None and one.high is not None and one.high - one.low == table.rows - 1
    named = bool(IDS & {*words_of(one.name)}) or is_judged(one.name) or is_person(one.name)
    return not one.numeric or (one.whole and (named or (counts and table.rows > 9)))
