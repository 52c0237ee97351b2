"""Rows that hold several judgments each: in lists, as counts of labels, or as counts of how often they occurred."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from quorate.arguments import argument
from quorate.roles import ITEM, JUDGE, REPLICATE, SYSTEM
from quorate.table.columns.aliases import COUNTS, JUDGES_ALONE
from quorate.table.columns.languages import plain
from quorate.table.columns.names import ARRANGED, GIVEN, HINTS, HOLDERS, PEOPLE, TOTALS, is_count, is_id, words_of
from quorate.table.columns.outcomes import WORDS
from quorate.table.columns.scales import known_scale, number
from quorate.table.exchange.format import literal, quoted
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.exchange.wide import COLUMNS, COUNT, SCORE
from quorate.table.facts.profile import Column, Table
from quorate.table.pairs import MISSING
from quorate.table.reading.averages import is_made_of
from quorate.table.reading.key import checked_by, facets_of, is_of_machines, is_of_people, said_by_people
from quorate.table.reading.reading import Meant, Reading, Unsure
from quorate.wording import listed, words

_FEWEST_COUNTED, _FEWEST_SAME, _HUNDRED, _MOST_LABELS, _SEEN = 3, 5, 100, 12, 400
_NUMBER = r"-?\d+(?:\.\d+)?"
_LIST = re.compile(
    rf"\[.*\]|\(\s*{_NUMBER}(\s*,\s*{_NUMBER})*\s*,?\)|[^;|]{{1,20}}([;|][^;|]{{1,20}})+|{_NUMBER}(\s*,\s*{_NUMBER}){{2,}}",
    re.DOTALL,
)
"""Several values in a cell; two with a comma and without brackets may be one number with a decimal comma."""
_GIVEN_OFTEN = frozenset(
    ("labels", "annotations", "votes", "judgments", "judgements", "verdicts", "decisions", "marks", "passes")
)
_AGAIN = frozenset(words("sample repeat run trial epoch seed replicate attempt try draw pass passe"))
_SCORED = frozenset(("score", "grade", "reward"))
"""What lists hold of which nothing says that different judges gave them."""
_TRIED = frozenset(("result", "outcome", "success", "passed", "resolved", "solved"))
"""What lists hold that a system reached each time that it tried, one of them."""
_REACHED = frozenset(("0", "1", "true", "false"))
"""What says whether it was reached."""
_TIMES = (*COUNTS, "n", "freq", "frequency", "times", "counts", "occurrences", "num", "n_times")
"""What a column is called that may say how many times a row is meant."""
_OF_LABELS = frozenset(("count", "counts", "n", "num", "votes", "number"))
"""Words in the names of columns that count how often a label was given."""


def several_in(table: Table, known: Mapping[str, str], aside: set[str]) -> Reading | None:
    """A table whose rows hold several judgments each; None where each holds one."""
    return _cross_table(table) or _in_lists(table, known, aside) or _repeated(table, known, aside)


def counts_of_labels(table: Table, columns: Sequence[str], row: str | None, words: bool) -> Reading | None:
    """Columns that count how often each label was given: by their names, or as they add up to the same in every row."""
    free = [one for one in table.columns if one.name != row and one.numeric and one.whole and not is_id(one.name)]
    free = [one for one in free if (one.low or 0) >= 0]
    parts = [one for one in free if not {*words_of(one.name)} & TOTALS]
    if len(parts) >= _FEWEST_COUNTED:
        free = parts + [one for one in free if one not in parts and not is_made_of(table, one, parts)]
    counted = _counted(free)
    named = counted or _that_add_up(table, free)
    kinds = named or (free if {one.name for one in free} >= {*columns} else [])
    if words or not {one.name for one in kinds} & {*columns} or (len(kinds) < _FEWEST_COUNTED and not named):
        return None
    held = tuple(one.name for one in kinds)
    few = table.few(*held)
    if few is None:
        added = " + ".join(f"coalesce(TRY_CAST({table.sql(name)} AS DOUBLE), 0)" for name in held)
        ((low, high),) = table.opened.relation.aggregate(f"min({added}), max({added})").fetchall()
    else:
        sums = [sum(number(text or "") or 0.0 for text in row) for row in few]
        low, high = min(sums), max(sums)
    # a few rows have equal sums by chance, and raters who never agree on any row are scores of 0 and 1
    same = low == high > 1 and table.rows >= _FEWEST_SAME and max(one.high or 0 for one in kinds) > 1
    if not (same or kinds is named):
        return None
    adds = "count by their names" if counted else "add up to what another column counts"
    adds = f"add up to {low:g} in every row" if same else adds
    options: dict[str, Any] = {"wide": {SCORE: held}, "facets": {ITEM: row or ROW_NUMBER}}
    options |= {} if all(number(name) is not None for name in held) else {"labels": True}
    said = f"{listed(held, most=6)} {adds}: counts of labels for each {row or 'row'}"
    if low == high == _HUNDRED or (kinds is named and row is None):  # parts of a hundred are no judgments
        return Reading(options, (said,), said=said, meant=(Meant(options, "counts of labels"),))
    return Reading(options, (said,), "likely", said=said)


def _counted(free: Sequence[Column]) -> list[Column]:
    """The most columns that count labels by names of one form, such as ``n_spam`` and ``n_ham`` of one record."""
    forms: dict[tuple[str, str], list[Column]] = {}
    for one in free:
        holder, _, name = one.name.rpartition(".")
        words = words_of(name)
        counting = [place for place, word in (("first", words[0]), ("last", words[-1])) if word in _OF_LABELS]
        if len(words) > 1 and counting and not ARRANGED & {*words}:
            forms.setdefault((holder, counting[0]), []).append(one)
    return max((alike for alike in forms.values() if len(alike) > 1), key=len, default=[])


def _that_add_up(table: Table, free: Sequence[Column]) -> list[Column]:
    """Columns that a column called so counts all of: their sum in every row; one more may say which has most."""
    totals = [one for one in free if (plain(one.name) in COUNTS or is_count(one.name)) and (one.high or 0) > 1]
    parts = [one for one in free if one not in totals and not {*GIVEN} & {*words_of(one.name)}]
    if len(totals) != 1 or len(parts) < len("ab"):
        return []
    sets = [parts, *([two for two in parts if two is not one] for one in parts if len(parts) > len("abc"))]
    sums = [" + ".join(f"TRY_CAST({table.sql(one.name)} AS DOUBLE)" for one in some) for some in sets]
    same = ", ".join(f"bool_and({total} = TRY_CAST({table.sql(totals[0].name)} AS DOUBLE))" for total in sums)
    (found,) = table.opened.relation.aggregate(same).fetchall()
    return next((some for some, holds in zip(sets, found, strict=True) if holds), [])


def _meet_themselves(table: Table, rows: str, counts: Sequence[str]) -> bool:
    """Whether a square has a number where a row meets the column of its name, as no people do who judge each other."""
    cells = table.opened.relation.project(", ".join(map(table.sql, (rows, *counts)))).fetchall()
    own = {plain(name): place for place, name in enumerate(counts, 1)}
    return any(str(row[own[plain(str(row[0]).strip())]] or "").strip() for row in cells)


def _cross_table(table: Table) -> Reading | None:
    """How often two raters gave which labels: with a row and a column for each label, or a row for each two."""
    names = {plain(name) for name in table.names}
    for one in table.columns:
        levels = {plain(word) for word in one.words}
        counts = [two.name for two in table.columns if two.numeric and two.whole and plain(two.name) in levels]
        square = one.name not in counts and 2 <= len(levels) == table.rows == len(counts) and levels <= names
        if square and _meet_themselves(table, one.name, counts):
            _refuse_margins(table, one, counts)
            options: dict[str, Any] = {
                "wide": {SCORE: tuple(counts), JUDGE: (one.name, COLUMNS)},
                "facets": {ITEM: ROW_NUMBER},
                "labels": True,
            }
            said = f"rows and columns are both {listed(counts, most=6)}: a cross table of what two judges said"
            return Reading(options, (said,), "likely", said=said)
    times = _times(table, ())
    texts = [one for one in table.columns if one is not times and 2 <= len(one.words) <= _MOST_LABELS]
    both = [pair for pair in combinations(texts, 2) if {*pair[0].words} == {*pair[1].words}]
    if times is None or len(both) != 1:
        return None
    first, second = both[0]
    rest = [one.name for one in table.columns if one not in (first, second, times)]  # strata, of which each has counts
    told = (
        table.keys([first.name, second.name]) == table.rows
        if not rest
        else len(rest) == 1 and (table.keys([*rest, first.name, second.name]) == table.rows)
    )
    if not told:
        return None
    options = {
        "wide": {JUDGE: (first.name, second.name)},
        "facets": {ITEM: ROW_NUMBER, COUNT: times.name},
        "labels": True,
    }
    said = f"{times.name} counts how often {first.name} and {second.name} said what each row says"
    return Reading(options, (said,), "likely", said=said)


def _refuse_margins(table: Table, one: Column, counts: Sequence[str]) -> None:
    """Refuse a cross table with margins: a label that is the sum of all others."""
    columns = [table.column(name) for name in counts]
    for sums in columns if len(columns) > _FEWEST_COUNTED else ():
        if is_made_of(table, sums, [other for other in columns if other is not sums]):
            label = next(word for word in one.words if plain(word) == plain(sums.name))
            keep = Meant({"where": f"{quoted(one.name)} <> {literal(label)}"}, "without that row")
            raise Unsure(f'source: {one.name} is "{label}" in one row, which may be made of the others', ways=(keep,))


def _times(table: Table, taken: Sequence[str]) -> Column | None:
    """The column that may say how many times a row is meant, by its name."""
    found = [one for one in table.columns if one.name not in taken and plain(one.name) in _TIMES]
    found = [one for one in found if one.numeric and one.whole and (one.low or 0) >= 0 and (one.high or 0) > 1]
    return found[0] if len(found) == 1 else None


def _repeated(table: Table, known: Mapping[str, str], aside: set[str]) -> Reading | None:
    """Rows that say how often a score, or a label, was given to what is judged, of which each has several."""
    times, score = _times(table, [*known.values()]), known.get(SCORE)
    if score is None:
        named = [one.name for one in table.columns if {*GIVEN, *HINTS} & {*words_of(one.name)}]
        score = named[0] if len(named) == 1 else None
    if times is None or score is None or score == times.name:
        return None
    column, others = table.column(score), {role: name for role, name in known.items() if role != SCORE}
    found = facets_of(table, others, {*others.values(), *aside, score, times.name})
    if found is None or found.added or not found.named or column.distinct > _MOST_LABELS:
        return None
    key = [*{*others.values(), *found.facets.values()}]
    once = ROW_NUMBER not in key and table.keys([*key, score]) == table.rows > table.keys(key)
    if not once or (column.numeric and not column.whole):
        return None
    options: dict[str, Any] = {"facets": {**found.facets, COUNT: times.name}}
    options |= {} if score == SCORE else {"score": score}
    options |= {"labels": True} if not column.scored else {}
    said = f"{times.name} counts how often each {score} was given"
    return Reading(options, (said,), "likely", said=said)


def _in_lists(table: Table, known: Mapping[str, str], aside: set[str]) -> Reading | None:
    """Lists in the cells of a column that says what was given."""
    texts = [one for one in table.columns if not one.scored and one.filled and one.name not in aside]
    often = {*HINTS, *GIVEN, *HOLDERS, *_GIVEN_OFTEN, *_AGAIN}
    hinted = [one.name for one in texts if any({word, word.removesuffix("s")} & often for word in words_of(one.name))]
    texts = [one for one in texts if one.name in hinted or _says_who(one.name)]
    lists = _lists(table, [one.name for one in texts]) if hinted else {}
    judged = [name for name in hinted if name in lists and _are_judgments(lists[name])]
    if len(judged) != 1 or known.get(SCORE, judged[0]) != judged[0]:  # what is below a score is what it was made of
        return None
    (name,) = judged
    beside = _beside_judge(table, name)
    if beside is not None:
        return beside
    entries = [entry for cell in lists[name] for entry in cell]
    sizes = [len(cell) for cell in lists[name]]
    who = next((one for one in lists if one != name and _says_who(one) and [*map(len, lists[one])] == sizes), None)
    others = {role: column for role, column in known.items() if column not in (name, who)}
    found = facets_of(table, others, {*others.values(), *aside, name, *([who] if who else [])})
    if found is None:
        return None
    words = {entry for entry in entries if number(entry) is None and plain(entry) not in WORDS[MISSING]}
    labels = bool(words) and known_scale(sorted(words)) is None
    more = {"labels": True} if labels else {}

    def as_role(role: str) -> dict[str, Any]:
        facets = {**found.facets, **({JUDGE: who} if who else {})}
        return {"wide": {role: (name,)}, **({"facets": facets} if facets else {}), **more}

    parts = {part.removesuffix(end) for part in words_of(name) for end in ("s", "es")}
    tried = parts & _TRIED and (SYSTEM in others or {entry.lower() for entry in entries} <= _REACHED)
    if who is not None:
        role, why = JUDGE, f"{who} says who gave each"
    elif JUDGE in others or parts & _AGAIN or tried:
        role, why = REPLICATE, "each another try"
    elif parts & {*JUDGES_ALONE} and len({*sizes}) == 1:
        role, why = JUDGE, "each of one judge, by its place"
    elif not labels and not parts & {*JUDGES_ALONE, *PEOPLE} and (parts & _SCORED or len({*sizes}) > 1):
        role, why = REPLICATE, "and nothing says who gave which: taken for the same judged again"
    else:
        role, why = JUDGE, ""
    said = f"{name} holds lists, of which every entry is a judgment"
    if why and found.named and found.whole:
        other = JUDGE if role == REPLICATE else REPLICATE
        granted = f"{said}, {why}" + ("; else " + argument("wide", {other: (name,)}) if who is None else "")
        return Reading(as_role(role), (said, *found.reasons), "likely", said=granted)
    ways = (Meant(as_role(JUDGE), "a judge at each place"), Meant(as_role(REPLICATE), "the same judged again"))
    return Reading(as_role(role), (said, *found.reasons), said=said, meant=ways[: 1 if who else 2])


def _beside_judge(table: Table, name: str) -> Reading | None:
    """Lists of what people said beside the score of a judge, which is held against a mark of theirs if one is there."""
    scored = [one for one in table.columns if one.scored and one.distinct > 1]
    judges = [one.name for one in scored if is_of_machines(one.name) and {*HINTS, *GIVEN} & {*words_of(one.name)}]
    if not is_of_people(name) or len(judges) != 1:
        return None
    said, judged = f"{said_by_people([name])}, {judges[0]} what judges did", {"score": judges[0]}
    marks = [one for one in scored if is_of_people(one.name) and one.whole]
    agree = [checked_by(judged, {"human_label": one.name}, one.filled / table.rows, True) for one in marks[:1]]
    alone = (Meant({"wide": {REPLICATE: (name,)}}, "people alone"), Meant(judged, "the judge alone"))
    return Reading(judged, (said,), said=said, meant=(*chain(*agree), *alone))


def _says_who(name: str) -> bool:
    """Whether a column of lists says who gave what, by its name, such as ``annotators`` or ``rater_ids``."""
    words = [part.removesuffix("s") for part in words_of(name)]
    return words[0] in {*JUDGES_ALONE, "user", "who"} and {*words[1:]} <= {"id", "name", "model", "list"}


def _lists(table: Table, names: Sequence[str]) -> dict[str, list[list[str]]]:
    """The entries of the first cells of columns that all hold lists."""
    if not names:
        return {}
    found = {}
    for name in names:
        filled = [cell for text in table.shown(name, _SEEN) if (cell := (text or "").strip())]
        if filled and all(_LIST.fullmatch(cell) for cell in filled):
            found[name] = [_split(cell) for cell in filled]
    return found


def _split(cell: str) -> list[str]:
    bare = re.sub(r"^[\[(]|[\])]$", "", cell)
    mark = ";" if ";" in bare else "|" if "|" in bare else ","
    return [part.strip(" \"'") for part in bare.split(mark) if part.strip(" \"'")]


def _are_judgments(cells: Sequence[Sequence[str]]) -> bool:
    """Whether lists hold scores or labels: numbers, or few words of which some come twice in a list, as no tag does."""
    entries = [entry for cell in cells for entry in cell]
    if max(map(len, cells)) < 2 or any("{" in entry for entry in entries):
        return False
    if all(number(entry) is not None for entry in entries):
        return True
    again = any(len({*cell}) < len(cell) for cell in cells)
    return again and len({*entries}) <= _MOST_LABELS
