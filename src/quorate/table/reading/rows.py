"""Rows that are no judgments: totals, checks of who judged, errors in a list, rankings side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from quorate.roles import ITEM, JUDGE, SYSTEM
from quorate.table.columns.languages import plain
from quorate.table.columns.names import HINTS, is_id, is_judged, words_of
from quorate.table.exchange.foreign.together import FILE, SHEET
from quorate.table.exchange.format import condition, literal, quoted
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.averages import STATISTICS
from quorate.table.reading.reading import Meant, Unsure
from quorate.wording import listed, words

_TOTAL_ROWS = frozenset(("total", "totals", "sum", "mean", "average", "avg", "overall", "grand total", "media", "all"))
"""What a row is called that is made of the others."""
_WHOLE = frozenset(("general", "generale", "grand", "whole", "all"))
"""What such a row is called beside."""
_NUMBERED = re.compile(r"\d[^)\]]*$")
"""A digit that stands in no bracket at the end."""
_SEVERE = frozenset(("minor", "major", "critical"))
"""What errors of a translation are."""
_DIMENSIONS = frozenset(words("accuracy fluency terminology style locale mistranslation omission punctuation"))
"""Of which kinds such errors are."""
_LONGEST_SHEET, _ROUNDED, _WHOLE_ONES, _FEWEST_LEVELS = 20_000, 0.06, 0.5, 4
"""Rows of the longest table that may end in totals, how far from these a number is that was rounded, also to a whole
one, and labels of which one may be a total."""
_KINDS = frozenset(("type", "kind", "phase", "block", "trial"))
"""Words in the name of a column that says of which kind a row is."""
_GOLDEN = frozenset(words("golden attention catch practice trap honeypot tutorial screener"))
"""Words in the name of a column that says yes of rows that check who judged."""
_CHECKS = frozenset(
    ("chk", "check", "catch", "catch_trial", "practice", "attention_check", "trap", "honeypot", "tutorial")
)
"""What rows are called that check who judged, or show how it is done."""
_TRIED_OUT = frozenset(("pilot", "practice", "tutorial", "calibration"))
"""Words for rows, or a sheet of them, by which it was tried out how to judge."""


def refuse_rows(table: Table, known: Mapping[str, str]) -> None:
    """Refuse rows that are no judgments: totals at the end, and names that spreadsheets write once for many rows."""
    for one in table.columns:
        found = () if one.numeric or not one.filled else _totals_in(table, one)
        named = one.distinct > _FEWEST_LEVELS and (is_id(one.name) or is_judged(one.name) or one.name in known.values())
        plainly = named and len(found) == 1 and {*_spelled(found[0]).split()} <= _TOTAL_ROWS | STATISTICS | _WHOLE
        if found and (plainly or _are_made(table, one, found)):
            shown, rows = (
                listed([f'"{label}"' for label in found]),
                "one row" if len(found) == 1 else f"{len(found)} rows",
            )
            keep = condition(one.name, found, out=True)
            raise Unsure(
                f"source: {one.name} is {shown} in {rows}, which may be made of the others",
                ways=(Meant({"where": keep}, "without " + ("that row" if len(found) == 1 else "those rows")),),
            )
    refuse_checks(table)
    for name in (known[role] for role in (SYSTEM, JUDGE, ITEM) if role in known):
        column = table.column(name)
        if 2 <= column.distinct == column.filled <= table.rows / 2:
            raise Unsure(
                f"source: {name} is empty in {table.rows - column.filled:,} of {table.rows:,} rows, as where a "
                "spreadsheet writes a name once for the rows below it; fill it in down the column"
            )


def refuse_checks(table: Table) -> None:
    """Refuse rows that try out or check how it is judged.

    Raises
    ------
    Unsure
        If a column says of which rows so, with the others kept.
    """
    for one in table.columns:
        checks = _checks_in(one)
        if checks:
            keep = condition(one.name, checks, out=True)
            shown = listed([f'"{label}"' for label in checks])
            said = f"source: rows whose {one.name} is {shown} try out or check, by name, how it is judged"
            raise Unsure(said, ways=(Meant({"where": keep}, "without those rows"),))


def refuse_sideless(table: Table, sides: Sequence[str]) -> None:
    """Refuse rows of which neither side is named, as a log has them of whatever else happened.

    Raises
    ------
    Unsure
        If there are such beside votes, with the others kept.
    """
    named = [f"coalesce(trim({table.sql(name)}::VARCHAR), '') <> ''" for name in sides]
    asked = f"count(*) FILTER (NOT ({' OR '.join(named)})), count(*) FILTER ({' AND '.join(named)})"
    ((neither, both),) = table.opened.relation.aggregate(asked).fetchall()
    if neither and both:
        keep = f"coalesce(trim({quoted(sides[0])}), '') <> ''"
        said = f"source: {neither:,} of {table.rows:,} rows name no system in {listed(list(sides))}"
        raise Unsure(said, ways=(Meant({"where": keep}, "without those rows"),), kind="votes")


_PLACED = frozenset(("offset", "char", "character", "pos", "position", "token"))
"""Words beside start and end in the names of columns that say where in a text something was marked."""
_LONGEST_TEXT = 1_000_000
"""Characters of the longest text; numbers beyond are times."""


def _checks_in(one: Column) -> list[str]:
    """Labels of rows that try out or check how it is judged, as ``BAD`` beside ``TGT``, ``catch``, or yes of golden."""
    kinds = one.name == SHEET or bool({*words_of(one.name)} & _KINDS)
    labels = {word: plain(word) for word in one.words} if kinds else {}
    checks = [word for word, said in labels.items() if said in _CHECKS or (said == "bad" and "tgt" in labels.values())]
    checks += [word for word in labels if word not in checks and {*words_of(word)} & _TRIED_OUT]
    if _GOLDEN & {*words_of(one.name)} and {*map(plain, one.words)} in ({"true", "false"}, {"yes", "no"}, {"0", "1"}):
        labels = {word: word for word in one.words}
        checks = [word for word in one.words if plain(word) in ("true", "yes", "1")]
    return sorted(checks) if len(checks) < len(labels) == one.distinct else []


def _totals_in(table: Table, one: Column) -> tuple[str, ...]:
    """What a column calls the rows that are made of the others, each once; none in a table longer than any sheet."""
    if table.rows > _LONGEST_SHEET:
        return ()
    totals = "|".join(sorted(_TOTAL_ROWS | STATISTICS))
    called = re.compile(f"({totals})( [a-z]+)?|[a-z]+ ({totals})")

    def is_total(text: str) -> bool:  # none is numbered, and to look that up is quicker than to spell each
        return _NUMBERED.search(text) is None and called.fullmatch(_spelled(text)) is not None

    if len(one.words) == one.distinct and not any(map(is_total, one.words)):
        return ()
    found = [text for text in table.shown(one.name, table.rows) if text and is_total(text)]
    labels = tuple(dict.fromkeys(found))
    sheets = max((table.column(name).distinct for name in (SHEET, FILE) if name in table.names), default=1)
    return labels if len(found) in (len(labels), sheets * len(labels)) else ()


def _spelled(label: str) -> str:
    """A label in small letters, and in English where its words are known."""
    return plain(label).replace("_", " ")


def _are_made(table: Table, one: Column, labels: Sequence[str]) -> bool:
    """Whether every number in these rows is the sum or the mean of its column in the others, but for other statistics.

    These stand below a mean or a sum. Of words a number may also say how often one of them was given.
    """
    made_so = [label for label in labels if _TOTAL_ROWS & {*_spelled(label).split()}]
    others = f"{table.sql(one.name)} NOT IN ({', '.join(map(literal, labels))})"
    rest, made = table.opened.relation.filter(others), table.opened.relation.filter(f"NOT ({others})")
    found: list[bool] = []
    for two in table.columns if made_so else ():
        number = f"TRY_CAST({table.sql(two.name)} AS DOUBLE)"
        given = made.filter(f"{table.sql(one.name)} IN ({', '.join(map(literal, made_so))})").project(number).fetchall()
        wanted = [value for (value,) in given if value is not None]
        if two is one or not wanted or two.filled < 2:
            continue
        if two.scored and two.scale is None:
            of_rest = rest.aggregate(f"sum({number}), avg({number})").fetchall()[0]
        else:
            of_rest = tuple(times for (times,) in rest.aggregate("count(*)", table.sql(two.name)).fetchall())
        pairs = [(value, other) for value in wanted for other in of_rest if other is not None]
        close = [abs(value - other) <= (_WHOLE_ONES if value.is_integer() else _ROUNDED) for value, other in pairs]
        found.append(sum(close) >= len(wanted))
    return bool(found) and all(found)


_SLOT = re.compile(r"(?i)(\D+?)[ _.-]?(\d+)[ _.-]?(rank|place|id|name)")


def refuse_slots(table: Table) -> None:
    """Refuse rows that each hold several systems with their places, such as ``system1Id`` and ``system1rank``.

    Raises
    ------
    Unsure
        If they do: whose a place is changes from row to row.
    """
    found = [match for name in table.names if (match := _SLOT.fullmatch(name.strip()))]
    places, names = (
        {(one[1].lower(), one[2]) for one in found if (one[3].lower() in ("rank", "place")) == placed}
        for placed in (True, False)
    )
    if len(places) > 1 and places <= names:
        raise Unsure(
            "source: every row holds several systems with their places; write a row for each system of a ranking, or "
            "one column with > between its systems, the best first",
            kind="votes",
        )


def refuse_errors(table: Table) -> None:
    """Refuse a list of errors, each with its severity, and one of marked parts of texts: what has none is not in it.

    Raises
    ------
    Unsure
        If names and labels say that rows are such.
    """
    refuse_slots(table)
    places = [(words_of(one.name), one.name) for one in table.columns if one.whole and (one.high or 0) < _LONGEST_TEXT]
    ends = {words[0]: name for words, name in places if {*words[1:]} <= _PLACED}
    marked = not any(one.scored and {*words_of(one.name)} & {*HINTS} for one in table.columns)  # and not judged too
    if {"start", "end"} <= ends.keys() and marked:
        raise Unsure(
            f"source: every row is a part of a text, from {ends['start']} to {ends['end']}, that somebody marked, and "
            "no judgment; give a row for each judgment of what was judged"
        )
    severe = [one for one in table.columns if "severity" in words_of(one.name) and {*map(plain, one.words)} & _SEVERE]
    dimensions = {one.name: {plain(word.partition("/")[0]) for word in one.words} for one in table.columns}
    kinds = [name for name, held in dimensions.items() if "error" in words_of(name) or len(held & _DIMENSIONS) > 1]
    if severe and kinds:
        raise Unsure(
            f"source: every row is an error by {listed([severe[0].name, *kinds], most=3)}, and no judgment; give a row "
            "for each judgment of what was judged, with the weights of its errors added up, 0 where there are none"
        )


def refuse_peers(table: Table, known: Mapping[str, str]) -> None:
    """Refuse peers, of whom another column holds the same: who judged whom is not said.

    Raises
    ------
    Unsure
        If so, with both ways.
    """
    peer = known.get(JUDGE, "")
    if plain(peer).split("_")[0] != "peer":
        return
    own = {*table.column(peer).words}
    other = next(
        (one.name for one in table.columns if one.name != peer and 2 * len({*one.words} & own) > len(own)), None
    )
    if own and other is not None:
        ways = tuple(Meant({"facets": {JUDGE: a, ITEM: b}}, f"{a} judged") for a, b in ((peer, other), (other, peer)))
        raise Unsure(f"source: {peer} and {other} hold the same, and no name says who judged whom", ways=ways)
