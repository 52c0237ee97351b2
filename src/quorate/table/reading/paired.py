"""Votes in a table whose roles nobody has said: the two sides and who won, or places in rankings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from quorate.roles import AMONG, BETTER, ITEM, JUDGE, PROMPT, SYSTEM
from quorate.table.columns.aliases import COUNTS, SYSTEMS, SYSTEMS_TOO, TIMES, claims
from quorate.table.columns.languages import plain
from quorate.table.columns.names import HINTS, TOTALS, form_of, is_criterion, is_id, says_ends, says_nothing, words_of
from quorate.table.columns.outcomes import MARKS, WORDS, unmarked
from quorate.table.columns.vote_roles import ALIASES as VOTE_ALIASES
from quorate.table.columns.vote_roles import FURTHER as VOTE_FURTHER
from quorate.table.columns.vote_roles import has_pairs, recognise_pair
from quorate.table.exchange.format import literal
from quorate.table.exchange.rows import MOST_RANKED, ROW_NUMBER
from quorate.table.exchange.wide import BEATEN, CROSSED, SHARED
from quorate.table.facts.profile import Column, Table
from quorate.table.pairs import TIE, A, B
from quorate.table.reading.key import named_as_judged
from quorate.table.reading.reading import Meant, Reading, Unsure
from quorate.table.reading.recognised import counts_rows
from quorate.table.reading.shown import by_place
from quorate.table.reading.supposed import supposed
from quorate.table.reading.unnamed import of_unnamed
from quorate.table.reading.winner import KNOWN, OF_SCORES, SHOWN, decided, winner_of
from quorate.wording import listed

FEWEST_SHARED = 0.5
"""Share of the labels of one column that the other must have too, for both to name systems."""
_FEWEST_RANKED, _FEWEST_ROWS, _MOSTLY = 3, 5, 0.9
MOST_TRIED = 12
"""Columns of text of which every two are tried as the two sides."""
_WON = (
    frozenset(("winner", "chosen", "preferred", "winning", "won", "best")),
    frozenset(("loser", "rejected", "dispreferred", "losing", "lost", "worst")),
)
"""Words in the names of two columns of which the first holds who won, and the second who lost."""
_BALLOTS = ("ballots", "voters", "n", "frequency", "freq", "times")
"""What a column is called that says how many gave a ranking."""
_LISTS = frozenset(("ranking", "rankings", "ranked", "order", "ordering", "ballot"))
"""Words in the name of a column of lists that are rankings."""
_OF_SIDES = (MARKS["a"] | MARKS["b"]) - {"a", "b", "1", "2"}
"""Words, longer than a letter, in the names of columns of one side each."""
_TIES = ("tie", "ties", "draws", "drawn", "no_preference", "n_ties", "equal", "neither")
"""What a column that counts ties is called, beside those of wins."""
_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_RANKED = frozenset(("rank", "ranked", "ranking", "choice", "place", "placed", "preference", "top", "pick"))
"""Words beside a number in the name of a column of who has that place."""
MOST_SYSTEMS, _SEEN = 50, 400
_SAY_PLACES = frozenset(("rank", "ranks", "ranking", "ranked", "place", "position", "order", "choice", "best", "first"))
"""Words in the names of columns that say that numbers are places."""
_PLACES = ("rank", "place", "placing", "placement", "ranking_position")
"""What the place of a system in a ranking is called."""


def pair_of(table: Table, compared: bool = False) -> Reading | None:
    """The columns of both models, the winner or the counts of wins; None if this is no table of votes.

    Raises
    ------
    Unsure
        If columns hold rankings that cannot be read as they stand.
    """
    whole = by_place(table)
    if whole is None and not has_pairs(table.names):
        whole = _square_of_wins(table) or _ranked_by_names(table)
    if whole is not None:
        return whole
    found = _models(table) or _by_rows(table)
    if found is None:
        return _ranking(table) or of_unnamed(table, compared)
    a, b, reasons = found
    sides = (("model_a", a), ("model_b", b))
    named = {role: name for role, name in sides if recognise_pair(role, table.names) != name}
    if _won(a) == 0 and _won(b) == 1:
        if "best" in words_of(a):
            return _best_and_worst(table, a, b)
        return _votes({**named, "winner": a}, (f"{a} is better than {b} by their names",))
    wins = _counts(table, a, b)
    if wins is not None:
        wins += tuple(one.name for one in table.columns if one.whole and plain(one.name) in _TIES)
        more = {"facets": {"count": ""}} if claims(table.names, COUNTS) else {}  # their sum
        return _votes(
            {**named, "wins": wins, **more}, (*reasons, f"{wins[0]} and {wins[1]} count the wins of each side")
        )
    winner = winner_of(table, a, b)
    first = {"order": "model_a"} if all(SHOWN & {*words_of(name)} for name in (a, b)) else {}  # the left stood first
    return None if winner is None else decided(table, named, winner, reasons).naming(first)


def _best_and_worst(table: Table, best: str, worst: str) -> Reading:
    """The best and the worst of what each row shows: ahead of all others, and behind them, which nobody compared."""
    known = {*table.column(best).words, *table.column(worst).words}
    texts = [one for one in table.columns if one.name not in (best, worst) and len(one.words) > 1]
    shown = [one.name for one in texts if 2 * len({*one.words} & known) > len(one.words)]
    places = BETTER.join([best, *([AMONG.join(shown)] if len(shown) > 1 else []), worst])
    said = f"{best} is the best and {worst} the worst of "
    said += listed(shown, most=6) if len(shown) > 1 else "what was shown, which no columns say"
    options = {"rank": places, "facets": {"cluster": ROW_NUMBER}}
    return Reading(options, (said,), "likely", "votes", said)


def _square_of_wins(table: Table) -> Reading | None:
    """A row and a column for each system, whose cells count wins: whole numbers, and none where one meets itself.

    Who beat whom the name in the corner says, as ``winner / loser`` does; else it is asked.
    """
    for one in table.columns:
        rivals = [two.name for two in table.columns if two.name in one.words]
        if not _FEWEST_RANKED <= len(rivals) == table.rows == one.distinct:
            continue
        cells = [f"trim({table.sql(name)}::VARCHAR)" for name in rivals]
        own = [f"trim({table.sql(one.name)}::VARCHAR) = {literal(name)}" for name in rivals]
        met = [f"regexp_full_match(coalesce({cell}, ''), '(?i)[0.\\s\u2013\u2014-]*|nan')" for cell in cells]
        counts = [f"regexp_full_match(coalesce({cell}, '0'), '\\d+([.]0)?|nan')" for cell in cells]
        asked = [f"CASE WHEN {me} THEN {a} ELSE {b} END" for me, a, b in zip(own, met, counts, strict=True)]
        if table.opened.relation.aggregate(f"bool_and({' AND '.join(asked)})").fetchall() != [(True,)]:
            continue
        if any(TOTALS & {*words_of(name)} and not table.column(name).whole for name in table.names):
            continue  # whose mean stands beside them are marks
        corner = words_of(one.name)
        said = f"rows and columns are both {listed(rivals, most=6)}: who beat whom, and how often"
        options = {"model_a": one.name, "model_b": tuple(rivals)}
        turned = {**options, "winner": BEATEN}
        if {"winner", "row"} & {*corner[:1]} or {"loser", "lost"} & {*corner[-1:]} or "beats" in corner:
            return Reading(options, (said,), "likely", "votes", said)
        ways = (Meant(options, "that of the row won"), Meant(turned, "that of the column won"))
        return Reading(options, (said,), "unsure", "votes", said, ways)
    return None


def _votes(options: Mapping[str, Any], reasons: tuple[str, ...]) -> Reading:
    return Reading(options, reasons, "sure", "votes")


def _ranking(table: Table) -> Reading | None:
    """Systems of rankings: their places in rows, or in a column for each; None if there are none.

    Raises
    ------
    Unsure
        If a column holds places, and nothing says of which ranking.
    """
    return _ranked_in_rows(table) or _ranked_in_columns(table) or _ranked_in_lists(table)


def _ranked_by_names(table: Table) -> Reading | None:
    """Columns of names that are the first, second and third: of all, which every row has once, or of many.

    Raises
    ------
    Unsure
        If no name of a column says which is the first.
    """
    texts = [one for one in table.columns if not one.numeric and one.filled == table.rows >= _FEWEST_ROWS]
    if {0, 1} <= {_won(one.name) for one in texts} or recognise_pair("winner", table.names):  # others were chosen
        return None
    if any(_won(one.name) == 0 and len(one.words) > 1 for one in texts if _place_in(one.name) is None):
        return None
    if sum(one.whole and _counts_wins(one.name) for one in table.columns) > 1:  # of two sides, however they are called
        return None
    placed = sorted((place, one.name) for one in texts if (place := _place_in(one.name)) is not None)
    if [place for place, _ in placed] == [*range(1, len(placed) + 1)] and _each_once(
        table, [name for _, name in placed]
    ):
        names = [name for _, name in placed]
        said = f"{listed(names, most=6)} name who is first, second and so on: rankings"
        options = {"rank": BETTER.join(names), "facets": {"cluster": ROW_NUMBER}}
        return Reading(options, (said,), "likely", "votes", said)
    first = _first_of_many(table)
    if first:
        said = f"{listed(first, most=6)} name the first ones: taken for ahead of all others that the file names"
        options = {"rank": BETTER.join([*first, AMONG]), "facets": {"cluster": ROW_NUMBER}}
        return Reading(options, (said,), "likely", "votes", said)
    for one in texts:
        same = [two.name for two in texts if {*two.words} == {*one.words}]
        if _each_once(table, same):
            ranked = {"rank": BETTER.join(same), "facets": {"cluster": ROW_NUMBER}}
            raise Unsure(
                f"source: every row has each of {listed(one.words, most=6)} once in {listed(same, most=6)}: "
                "perhaps rankings",
                ways=(Meant(ranked, "from the best to the worst"),),
                kind="votes",
            )
    return None


def _first_of_many(table: Table) -> list[str]:
    """Columns of the first, the second and so on of more systems than there are places; the last may be empty."""
    texts = [one for one in table.columns if not one.numeric and one.words and one.distinct == len(one.words)]
    placed = sorted((place, one.name) for one in texts if (place := _place_in(one.name)) is not None)
    names = [name for _, name in placed]
    words = {word for name in names for word in table.column(name).words}
    several = [place for place, _ in placed] == [*range(1, len(placed) + 1)] and len(placed) > 1
    if not several or not len(names) <= len(words) <= min(MOST_RANKED, table.rows / 2):
        return []
    cells = ", ".join(f"nullif(trim({table.sql(name)}::VARCHAR), '')" for name in names)
    named = f"list_filter([{cells}], lambda x: x IS NOT NULL)"
    again = f"count(*) FILTER (len(list_distinct({named})) < len({named}))"
    return names if table.opened.relation.aggregate(again).fetchall() == [(0,)] else []


def _each_once(table: Table, names: Sequence[str]) -> bool:
    """Whether as many names as there are columns stand in these, three or more, in every row each once."""
    words = {word for name in names for word in table.column(name).words}
    if not _FEWEST_RANKED <= len(names) == len(words):
        return False
    cells = ", ".join(f"trim({table.sql(name)}::VARCHAR)" for name in names)
    again = f"count(*) FILTER (len(list_distinct([{cells}])) < {len(names)})"
    return table.opened.relation.aggregate(again).fetchall() == [(0,)]


def _place_in(name: str) -> int | None:
    """The place that a column holds by its name, such as ``1st choice``, ``rank_2`` and ``third``."""
    words = words_of(name)
    if {*words} & SHOWN:
        return None
    numbers = [int(number[1]) for word in words if (number := re.fullmatch(r"(\d+)(st|nd|rd|th)?", word))]
    named = [_NTH.index(word) + 1 for word in words if word in _NTH]
    ordinal = any(re.fullmatch(r"\d+(st|nd|rd|th)", word) for word in words) or bool(named)
    return (numbers + named)[0] if len(numbers + named) == 1 and (ordinal or {*words} & _RANKED) else None


def _ranked_in_rows(table: Table) -> Reading | None:
    """Places that begin at 1, of what comes once in each ranking, which shared ones do not by chance."""
    place = next((one for one in table.columns if _is_place(one.name)), None)
    if place is None or not place.whole or place.low != 1 or place.distinct < 2:
        return None
    if any(one.scored and one is not place and _is_mark(one) for one in table.columns):
        return None  # which the places are made of
    free = [one.name for one in table.columns if one is not place and 2 <= one.distinct < table.rows]
    found = [
        (system, ranking)
        for system, ranking in permutations(free, 2)
        if table.keys([ranking, system]) == table.rows
        and (place.high or 0) <= table.column(system).distinct
        and (table.keys([ranking, place.name]) == table.rows or plain(system) in SYSTEMS)
    ]
    found = [one for one in found if plain(one[0]) in SYSTEMS] or found or _of_ballots(table, place, free)
    if not found and any(plain(name) in (*SYSTEMS, *SYSTEMS_TOO) for name in free):
        raise Unsure(
            f"source: {place.name} holds places by its name, and no column says which rows are of one ranking; add one "
            "that does, such as that of who ranked joined to that of what was asked, and name it cluster"
        )
    if not found or len({system for system, _ in found}) > 1:
        return None
    system, ranking = found[0]
    options = {"rank": place.name, "facets": {"cluster": ranking}}
    options |= {} if system == "model_a" else {"model_a": system}
    return _votes(options, (f"{place.name} is the place of {system} in each {ranking}, 1 the best: rankings",))


def _is_mark(one: Column) -> bool:
    """Whether a column holds marks, by its name, or is a criterion."""
    return bool({*words_of(one.name)} & {*HINTS}) or is_criterion(one.name) or says_ends(one.name)


def _is_place(name: str) -> bool:
    """Whether a column holds places in rankings, by its name, such as ``rank`` and ``rank_given``."""
    words = {*words_of(name)}
    return plain(name) in _PLACES or (bool(words & {*_PLACES}) and words <= {*_PLACES, "given", "final", "assigned"})


def _of_ballots(table: Table, place: Column, free: Sequence[str]) -> list[tuple[str, str]]:
    """Systems, and two columns that say together which rows are of one ranking, as a question and a rater do."""
    return [
        (system, CROSSED.join(both))
        for system in free
        for both in combinations([name for name in free if name != system], 2)
        if table.keys([*both, system]) == table.keys([*both, place.name]) == table.rows
        and (place.high or 0) <= table.column(system).distinct
    ]


def _ranked_in_columns(table: Table) -> Reading | None:
    """Columns of numbers that hold 1 to their number in every row, each once or shared, as no scores do."""
    columns = [one for one in table.columns if one.whole and (one.low or 0) >= 1 and one.filled > _MOSTLY * table.rows]
    names = [one.name for one in columns if (one.high or 0) <= len(columns)]
    if len(names) < _FEWEST_RANKED or table.rows < _FEWEST_ROWS:
        return None
    if all(table.column(name).distinct == 1 for name in names):  # which number the columns
        return None
    held = f"list_sort([{', '.join(f'TRY_CAST({table.sql(name)} AS INTEGER)' for name in names)}]) AS held"
    shared = " AND ".join(f"held[{place}] IN ({place}, held[{place - 1}])" for place in range(2, len(names) + 1))
    ranked = f"bool_and(coalesce(held[1] = 1 AND {shared}, false))"  # who share a place leave the next ones free
    asked = f"{ranked}, bool_and(held = range(1, {len(names) + 1})::INTEGER[]), max(held[-1]) = {len(names)}"
    filled = table.opened.relation.project(held).filter("list_max(held) IS NOT NULL")  # who sent nothing in
    ((places, once, whole),) = filled.aggregate(asked).fetchall()
    if not (places and whole):
        return None
    unique = [one.name for one in table.columns if one.name not in names and one.distinct == table.rows]
    row = min(unique, key=lambda name: plain(name) in TIMES, default=ROW_NUMBER)
    each = "each once" if once else "where they share none"
    said = f"{listed(names, most=6)} hold 1 to {len(names)} in every row, {each}: places of systems"
    options = {"rank": tuple(names), "facets": {"cluster": row}}
    if once and not any({*words_of(name)} & _SAY_PLACES for name in table.names):
        said += ", of which 1 is the best, or points"
        points = Meant({"wide": {SYSTEM: tuple(names)}, "facets": {ITEM: row}}, "more is better")
        return Reading(options, (said,), "unsure", "votes", said, (Meant(options, "1 is the best"), points))
    said += ", 1 the best"
    return Reading(options, (said,), "likely", "votes", said)


def _ranked_in_lists(table: Table) -> Reading | None:
    """A column of which every cell names systems, each once, the best first: with > between them, or by its name."""
    for one in table.columns:
        if one.numeric or one.filled < _FEWEST_ROWS:
            continue
        named = bool({*words_of(one.name)} & _LISTS)
        cells = [cell for text in table.shown(one.name, _SEEN) if (cell := (text or "").strip())]
        if not all((">" in cell and "<" not in cell) or (named and re.search(r"[;|,]", cell)) for cell in cells):
            continue
        bare = [re.split(rf">|;|\||,|{SHARED}", re.sub(r"^[\[(]|[\])]$", "", cell)) for cell in cells]
        entries = [[part.strip(" \"'") for part in cell] for cell in bare]
        systems = {entry for cell in entries for entry in cell}
        again = any(len({*cell}) < len(cell) or "" in cell for cell in entries) or _is_told(table, one)
        if again or not _FEWEST_RANKED <= len(systems) <= min(MOST_SYSTEMS, len(cells)):
            continue
        said = f"every {one.name} names systems, the best first: rankings"
        times = [two for two in table.columns if two.whole and plain(two.name) in (*COUNTS, *_BALLOTS)]
        times = [two for two in times if not counts_rows(table, two)]
        facets = {"cluster": ROW_NUMBER, **({"count": times[0].name} if len(times) == 1 else {})}
        said += f", each as often as {times[0].name} says" if len(times) == 1 else ""
        return Reading({"rank": (one.name,), "facets": facets}, (said,), "likely", "votes", said)
    return None


def _won(name: str) -> int | None:
    """0 for the name of a column of those who won, 1 for one of those who lost, such as ``chosen`` and ``rejected``."""
    words = {*words_of(name)} - {"model", "system", "id", "name", "item", "option", "choice"}
    return next((side for side, marks in enumerate(_WON) if words and words <= marks), None)


def _is_told(table: Table, one: Column) -> bool:
    """Whether another column tells what this holds, as the settings of a run are told by its name."""
    few = [two for two in table.columns if two is not one and one.distinct <= two.distinct < table.rows]
    return any(two.words and table.within(two.name, one.name) for two in few[:MOST_TRIED])


def _models(table: Table) -> tuple[str, str, tuple[str, ...]] | None:
    """The columns of both models: by names, theirs or of counts of wins, else two of text that share most labels."""
    by_name = [recognise_pair(role, table.names) for role in ("model_a", "model_b")]
    if has_pairs(table.names) and all(name is not None for name in by_name):
        return str(by_name[0]), str(by_name[1]), ()
    named = [one.name for one in table.columns if not one.numeric and one.words]
    named = sorted(named, key=lambda name: not {*words_of(name)} & _OF_SIDES)[:MOST_TRIED]
    won, lost = ([name for name in named if _won(name) == side] for side in (0, 1))
    if len(won) == len(lost) == 1 and {*table.column(won[0]).words} & {*table.column(lost[0]).words}:
        return won[0], lost[0], ()
    for name, rival in combinations(named, 2):
        if _counts(table, name, rival) is not None:
            return name, rival, (f"wins of {name} and {rival} are counted: they name the two sides of a comparison",)
    texts = [table.column(name) for name in named]
    texts = [one for one in texts if one.distinct >= 2 and plain(one.name) not in OF_SCORES]
    for pair in combinations(texts, 2):
        one, other = pair[::-1] if _are_sides(pair[1].name, pair[0].name) else pair
        shared = len(set(one.words) & set(other.words))
        few = min(len(one.words), len(other.words))
        known = {plain(word) for word in one.words} <= KNOWN
        alike = [two for two in table.columns if two not in (one, other)]
        if (
            few >= 2
            and shared >= FEWEST_SHARED * few
            and not known
            and not any(_numbered_with(one.name, two.name) for two in alike if {*two.words} & {*one.words})
            and not any(form_of(two.name) == form_of(one.name) for two in alike)  # as questions of a form are
            and (_are_sides(one.name, other.name) or not _short(one, other))
            and _apart(table, one, other)
        ):
            reason = f"{one.name} and {other.name} share {shared:,} labels: they name the two sides of a comparison"
            return one.name, other.name, (reason,)
    return _constant_sides(table, [table.column(name) for name in named])


def _constant_sides(table: Table, texts: Sequence[Column]) -> tuple[str, str, tuple[str, ...]] | None:
    """Two columns that are sides by their names, each of one system alone, which a third column names both."""
    sides = [one for one in texts if one.distinct == 1 and one.filled == table.rows]
    labels = [{*map(unmarked, one.words)} for one in texts if one not in sides]
    for one, other in permutations(sides, 2):
        both = {unmarked(one.words[0]), unmarked(other.words[0])}
        if _are_sides(one.name, other.name) and len(both) == 2 and any(both <= held for held in labels):
            return one.name, other.name, (f"{one.name} and {other.name} name the two sides of a comparison",)
    return None


def _by_rows(table: Table) -> tuple[str, str, tuple[str, ...]] | None:
    """Two columns of which every row holds in a third one of the two, or a tie.

    By its name the third is who won, or none of them has a name of its own.
    """
    winner = recognise_pair("winner", table.names)
    free = [one for one in table.columns if not one.numeric and len(one.words) >= 2]
    free = [one for one in free if one.filled == table.rows and (winner or says_nothing(one.name))][:MOST_TRIED]
    known = [word for meaning in ((TIE,) if winner else (TIE, A, B)) for word in WORDS[meaning]]
    for won in [one for one in free if winner in (None, one.name)]:
        for a, b in combinations([one for one in free if one is not won], 2):
            if _tells_who_won(table, won, (a, b), known):
                return a.name, b.name, (f"{won.name} holds one of {a.name} and {b.name} in every row, who won",)
    return None


def _tells_who_won(table: Table, won: Column, sides: tuple[Column, Column], known: Sequence[str]) -> bool:
    """Whether a column holds one of two others, or a known word, in every row: either side wins, or no name does."""
    few = table.few(won.name, *(side.name for side in sides))
    if few is not None:
        each = all(a != b and (who in (a, b) or (who or "").lower() in known) for who, a, b in few)
        several = all(len({*column}) > 1 for column in zip(*few, strict=True))
        return each and several and any(who == a for who, a, _ in few) == any(who == b for who, _, b in few)
    third, one, other = (f"trim({table.sql(column.name)}::VARCHAR)" for column in (won, *sides))
    words = ", ".join(map(literal, known))
    test = f"{one} <> {other} AND ({third} IN ({one}, {other}) OR lower({third}) IN ({words}))"
    apart = ", ".join(f"count(DISTINCT {text}) > 1" for text in (third, one, other))
    both = f"bool_or({third} = {one}) = bool_or({third} = {other})"
    return table.opened.relation.aggregate(f"bool_and({test}), {apart}, {both}").fetchall() == [(True,) * 5]


def _are_sides(one: str, other: str) -> bool:
    """Whether names differ as the two sides of a comparison do, such as ``left`` and ``right``."""
    words, others = words_of(one), words_of(other)
    apart = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    inner = apart if len(apart) == 1 and len(words) == len(others) else []
    pairs = ((words[0], others[0]), (words[-1], others[-1]), *inner)
    return any(a in MARKS["a"] and b in MARKS["b"] for a, b in pairs)


def _numbered_with(one: str, other: str) -> bool:
    """Whether two names differ by their number alone, as those of three things or more do."""
    words, others = words_of(one), words_of(other)
    return words[:-1] == others[:-1] != [] and words[-1].isdigit() and others[-1].isdigit()


def _short(one: Column, other: Column) -> bool:
    """Whether both hold two short answers such as yes and no, rather than names."""
    return max(len(one.words), len(other.words)) <= 2 and all(len(word) <= 5 for word in (*one.words, *other.words))


def _apart(table: Table, one: Column, other: Column) -> bool:
    """Whether no row has the same in both, as the two sides of a comparison have; answers of two judges agree."""
    few = table.few(one.name, other.name)
    if few is not None:
        same = sum(a == b for a, b in few if a is not None)
    else:
        a, b = (f"trim({table.sql(column.name)}::VARCHAR)" for column in (one, other))
        ((same,),) = table.opened.relation.aggregate(f"count(*) FILTER (WHERE {a} = {b})").fetchall()
    return bool(same * 50 <= table.rows)


def _counts_wins(name: str) -> bool:
    """Whether a column counts wins of a side, by its name."""
    return "win" in name.lower() or bool({*words_of(name)} & {"won", "victories", "preferred", "preferences", "votes"})


def _counts(table: Table, a: str, b: str) -> tuple[str, ...] | None:
    """Two columns of whole numbers that speak of wins, by their names one of each side."""
    whole = [one.name for one in table.columns if one.numeric and one.whole and _counts_wins(one.name)]
    pairs = []
    for side in (plain(a), plain(b)):
        head = side.split("_")[0]
        begin = (name for name in whole if plain(name).startswith(head) and plain(name) != side)
        last = side.split("_")[-1]
        named = tuple(name for name in whole if last in words_of(name) or plain(name) == f"{side}_wins")
        pairs.append(named or (tuple(begin) if len(head) > 1 else ()))
    return (pairs[0][0], pairs[1][0]) if len(pairs[0]) == len(pairs[1]) == 1 and pairs[0] != pairs[1] else None


def of_one_prompt(table: Table, votes: Reading | None) -> Reading | None:
    """Votes whose prompt is the first of two columns that say the same, such as ``prompt_id`` and ``prompt``."""
    prompts = claims(table.names, VOTE_ALIASES[PROMPT])
    if votes is None or len(prompts) < 2 or PROMPT in votes.options.get("facets", {}):
        return votes
    best = min(prompts, key=lambda name: not is_id(name))
    same = all(table.keys([best, one]) == table.keys([best]) for one in prompts)
    whole = is_id(best) or all(table.keys([one]) == table.keys([best]) for one in prompts)
    return votes.naming({PROMPT: best}) if same and whole else votes


def of_roles(table: Table, votes: Reading | None) -> Reading | None:
    """Votes with who judged and what was asked, where names say them in other words than those of the roles."""
    if votes is None or {"wins", "rank"} & votes.options.keys():
        return votes
    facets, options = votes.options.get("facets", {}), votes.options
    values = [value for value in (*options.values(), *facets.values()) if isinstance(value, (str, tuple))]
    used = {one for value in values for one in ((value,) if isinstance(value, str) else value)}
    known = {role: found[0] for role in (PROMPT, JUDGE) if (found := claims(table.names, VOTE_ALIASES[role]))}
    if JUDGE not in {*known, *facets} and (judge := supposed(table, known, False).get(JUDGE)) not in (None, *used):
        votes = votes.naming({JUDGE: str(judge)})
        used.add(str(judge))
    judged = [one.name for one in named_as_judged(table, {*used, *known.values()}, True)]
    asked = PROMPT not in {*known, *facets} and not claims(table.names, VOTE_FURTHER[PROMPT]) and len(judged) == 1
    return votes.naming({PROMPT: judged[0]}) if asked else votes


def sides_of(table: Table) -> list[str | None]:
    """The columns of two models, by their names."""
    return [recognise_pair(role, table.names) for role in ("model_a", "model_b")]


def refuse_scored_sides(table: Table) -> None:
    """Refuse rows that hold a score of each of two models, which names of columns join."""
    numbers = [one.name for one in table.columns if one.scored and {*words_of(one.name)} & {*HINTS}]
    found = re.compile("(a|1)_|_?(a|1)$"), re.compile("(b|2)_|_?(b|2)$")
    sides = [next((name for name in numbers if side.search(plain(name))), None) for side in found]
    if None not in sides:
        models = sides_of(table)
        raise Unsure(
            f"source: {sides[0]} and {sides[1]} hold the scores of {models[0]} and {models[1]}; give each a row of its "
            "own, with columns system and score, or a column winner"
        )
