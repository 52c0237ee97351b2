"""Votes in a table whose roles nobody has said: the two sides and who won, or places in rankings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

from quorate.arguments import argument, joined
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.columns.aliases import COUNTS, SYSTEMS, SYSTEMS_TOO, claims
from quorate.table.columns.languages import plain
from quorate.table.columns.names import CRITERIA, HINTS, TOTALS, is_id, words_of
from quorate.table.columns.outcomes import WORDS
from quorate.table.columns.roles import ALIASES, FURTHER, recognise
from quorate.table.columns.vote_roles import ALIASES as VOTE_ALIASES
from quorate.table.columns.vote_roles import has_pairs, recognise_pair
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.exchange.wide import CROSSED
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.key import is_of_people
from quorate.table.reading.reading import Confidence, Meant, Reading, Unsure
from quorate.wording import listed

FEWEST_SHARED = 0.5
"""Share of the labels of one column that the other must have too, for both to name systems."""
_MOST_WAYS, _FEWEST_RANKED, _FEWEST_ROWS, _MOST_PHRASES = 3, 3, 5, 8
MOST_TRIED = 12
"""Columns of text of which every two are tried as the two sides."""
_NUMBERS: tuple[Mapping[str, float], ...] = (
    {"a": 1, "b": 0, "tie": 0.5},
    {"a": 1, "b": 2, "tie": 0},
    {"a": 1, "b": -1, "tie": 0},
)
_MARKS: Mapping[str, frozenset[str]] = {
    "a": frozenset(("a", "first", "left", "1")),
    "b": frozenset(("b", "second", "right", "2")),
    "tie": frozenset(
        ("tie", "tied", "draw", "equal", "equally", "same", "both", "neither", "similar", "difference", "neutral")
    ),
}
"""Words in a phrase that say which side it is for."""
_SIGNED = re.compile(r"\[*\s*([ab12])\s*(>{1,3}|<{1,3}|[=~≈]{1,2})\s*([ab12])\s*\]*", re.IGNORECASE)
"""Signs that say which side is better, as in ``A>>B``."""
_WON = (
    frozenset(("winner", "chosen", "preferred", "winning", "won")),
    frozenset(("loser", "rejected", "dispreferred", "losing", "lost")),
)
"""Words in the names of two columns of which the first holds who won, and the second who lost."""
_BALLOTS = ("ballots", "voters", "n", "frequency", "freq", "times")
"""What a column is called that says how many gave a ranking."""
_LISTS = frozenset(("ranking", "rankings", "ranked", "order", "ordering", "ballot"))
"""Words in the name of a column of lists that are rankings."""
MOST_SYSTEMS, _SEEN = 50, 400
_PLACES = ("rank", "place", "placing", "placement", "ranking_position")
"""What the place of a system in a ranking is called."""
_OF_SCORES = frozenset(
    name for role in (ITEM, PROMPT, JUDGE, "score") for name in (*ALIASES[role], *FURTHER.get(role, ()))
)
"""Names of columns that are no side of a comparison, nor its outcome, whatever they hold."""
_KNOWN = {word for words in WORDS.values() for word in words}


def pair_of(table: Table) -> Reading | None:
    """The columns of both models, the winner or the counts of wins; None if this is no table of votes.

    Raises
    ------
    Unsure
        If columns hold rankings that cannot be read as they stand.
    """
    if not has_pairs(table.names):
        _refuse_listed(table)
    found = _models(table)
    if found is None:
        return _ranking(table)
    a, b, reasons = found
    sides = (("model_a", a), ("model_b", b))
    named = {role: name for role, name in sides if recognise_pair(role, table.names) != name}
    if _won(a) == 0 and _won(b) == 1:
        return _votes({**named, "winner": a}, (f"{a} is better than {b} by their names",))
    wins = _counts(table, a, b)
    if wins is not None:
        wins += tuple(one.name for one in table.columns if one.whole and plain(one.name) in ("tie", "ties", "draws"))
        return _votes({**named, "wins": wins}, (*reasons, f"{wins[0]} and {wins[1]} count the wins of each side"))
    winner = _winner(table, a, b)
    return None if winner is None else _decided(table, named, winner, reasons)


def _decided(table: Table, named: Mapping[str, str], winner: _Winner, reasons: Sequence[str]) -> Reading:
    """Votes whose outcome a column says, or one of several."""
    options: dict[str, Any] = {**named}
    if recognise_pair("winner", table.names) != winner.column:
        options["winner"] = winner.column
    if winner.outcomes is not None:
        options["outcomes"] = winner.outcomes
    said = (*reasons, *([winner.reason] if winner.reason else []))
    if winner.others:
        if not {PROMPT, ITEM} & {*recognise(table.names)}:  # of several judges it matters which battle a row is
            options["facets"] = {PROMPT: ROW_NUMBER}
        ways = _by_winner(options, winner)
        columns = (winner.column, *winner.others)
        heads = {words_of(name)[0] for name in columns}
        if len(heads) == 1 and len({*map(is_of_people, columns)}) == 1 and not any(map(_of_aspect, columns)):
            taken = f"{listed(columns, most=6)} taken for what one judge said each; one alone: "
            alone = joined("; ", [*reasons, taken + argument("winner", winner.column)])
            return Reading(ways[0].options, said, "likely", "votes", alone)
        return Reading(options, said, kind="votes", said=winner.open, meant=ways)
    granted = "; ".join([*reasons, *([winner.open] if winner.open else [])])
    confidence = "likely" if reasons and winner.confidence == "sure" else winner.confidence
    return Reading(options, said, confidence, "votes", granted, winner.meant(options))


def _of_aspect(name: str) -> bool:
    """Whether a column says who won by one criterion, or over all, by its name."""
    return bool({*words_of(name)} & {*CRITERIA, *TOTALS})


def _by_winner(options: Mapping[str, Any], winner: _Winner) -> tuple[Meant, ...]:
    """Of several columns that say who won: each what one judge said, perhaps beside people, or one alone."""
    columns = (winner.column, *winner.others)
    people = [name for name in columns if is_of_people(name)]
    alone = (Meant({**options, "winner": name}, f"{name} alone") for name in columns[: _MOST_WAYS - 1])
    if people and len(people) < len(columns):
        named = " ".join(["--agree", *(f"--human {shlex.quote(name)}" for name in people)])
        return (Meant({**options, "winner": columns}, "judges against people", "judges", named), *alone)
    return (Meant({**options, "winner": columns}, "each of one judge"), *alone)


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


def _refuse_listed(table: Table) -> None:
    """Refuse three columns or more of names of which every row has each once: the first, second and third of them."""
    texts = [one for one in table.columns if not one.numeric and one.filled == table.rows >= _FEWEST_ROWS]
    for one in texts:
        same = [two.name for two in texts if {*two.words} == {*one.words}]
        if _FEWEST_RANKED <= len(same) == one.distinct:
            cells = ", ".join(f"trim({table.sql(name)}::VARCHAR)" for name in same)
            ((again,),) = table.opened.relation.aggregate(
                f"count(*) FILTER (len(list_distinct([{cells}])) < {len(same)})"
            ).fetchall()
            if not again:
                raise Unsure(
                    f"source: every row has each of {listed(one.words, most=6)} once in {listed(same, most=6)}: "
                    "perhaps rankings; give a column for each of them that holds its place, 1 the best"
                )


def _ranked_in_rows(table: Table) -> Reading | None:
    """Places that begin at 1, of what comes once in each ranking, which shared ones do not by chance."""
    place = next((one for one in table.columns if plain(one.name) in _PLACES), None)
    if place is None or not place.whole or place.low != 1 or place.distinct < 2:
        return None
    if any(one.scored and one is not place and {*words_of(one.name)} & {*HINTS} for one in table.columns):
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
    """Columns of numbers that hold 1 to their number in every row, each once, as no scores do."""
    columns = [one for one in table.columns if one.whole and (one.low or 0) >= 1 and one.filled == table.rows]
    names = [one.name for one in columns if (one.high or 0) <= len(columns)]
    if len(names) < _FEWEST_RANKED or table.rows < _FEWEST_ROWS:
        return None
    if all(table.column(name).distinct == 1 for name in names):  # which number the columns
        return None
    places = f"list_sort([{', '.join(f'TRY_CAST({table.sql(name)} AS INTEGER)' for name in names)}])"
    every = f"range(1, {len(names) + 1})::INTEGER[]"
    ((others,),) = table.opened.relation.aggregate(f"count(*) FILTER ({places} IS DISTINCT FROM {every})").fetchall()
    if others:
        return None
    row = next((one.name for one in table.columns if one.name not in names and one.distinct == table.rows), ROW_NUMBER)
    said = f"{listed(names, most=6)} hold 1 to {len(names)} in every row, each once: places of systems, 1 the best"
    options = {"rank": tuple(names), "facets": {"cluster": row}}
    return Reading(options, (said,), "likely", "votes", said)


def _ranked_in_lists(table: Table) -> Reading | None:
    """A column of which every cell names systems, each once, the best first: with > between them, or by its name."""
    for one in table.columns:
        if one.numeric or one.filled < _FEWEST_ROWS:
            continue
        named = bool({*words_of(one.name)} & _LISTS)
        text = f"trim({table.sql(one.name)}::VARCHAR)"
        cells = [cell for (cell,) in table.opened.relation.project(text).limit(_SEEN).fetchall() if cell]
        if not all(">" in cell or (named and re.search(r"[;|,]", cell)) for cell in cells):
            continue
        bare = [re.split(r">|;|\||,", re.sub(r"^[\[(]|[\])]$", "", cell)) for cell in cells]
        entries = [[part.strip(" \"'") for part in cell] for cell in bare]
        systems = {entry for cell in entries for entry in cell}
        again = any(len({*cell}) < len(cell) or "" in cell for cell in entries)
        if again or not _FEWEST_RANKED <= len(systems) <= min(MOST_SYSTEMS, len(cells)):
            continue
        said = f"every {one.name} names systems, the best first: rankings"
        times = [two for two in table.columns if two.whole and plain(two.name) in (*COUNTS, *_BALLOTS)]
        facets = {"cluster": ROW_NUMBER, **({"count": times[0].name} if len(times) == 1 else {})}
        said += f", each as often as {times[0].name} says" if len(times) == 1 else ""
        return Reading({"rank": (one.name,), "facets": facets}, (said,), "likely", "votes", said)
    return None


def _won(name: str) -> int | None:
    """0 for the name of a column of those who won, 1 for one of those who lost, such as ``chosen`` and ``rejected``."""
    words = {*words_of(name)} - {"model", "system", "id", "name"}
    return next((side for side, marks in enumerate(_WON) if words and words <= marks), None)


def _models(table: Table) -> tuple[str, str, tuple[str, ...]] | None:
    """The columns of both models: by names, theirs or of counts of wins, else two of text that share most labels."""
    by_name = [recognise_pair(role, table.names) for role in ("model_a", "model_b")]
    if has_pairs(table.names) and all(name is not None for name in by_name):
        return str(by_name[0]), str(by_name[1]), ()
    named = [one.name for one in table.columns if not one.numeric and one.words][:MOST_TRIED]
    won, lost = ([name for name in named if _won(name) == side] for side in (0, 1))
    if len(won) == len(lost) == 1 and {*table.column(won[0]).words} & {*table.column(lost[0]).words}:
        return won[0], lost[0], ()
    for name, rival in combinations(named, 2):
        if _counts(table, name, rival) is not None:
            return name, rival, (f"wins of {name} and {rival} are counted: they name the two sides of a comparison",)
    texts = [table.column(name) for name in named]
    texts = [one for one in texts if one.distinct >= 2 and plain(one.name) not in _OF_SCORES]
    for pair in combinations(texts, 2):
        one, other = pair[::-1] if _are_sides(pair[1].name, pair[0].name) else pair
        shared = len(set(one.words) & set(other.words))
        few = min(len(one.words), len(other.words))
        known = {plain(word) for word in one.words} <= _KNOWN
        if (
            few >= 2
            and shared >= FEWEST_SHARED * few
            and not known
            and not any(_numbered_with(one.name, two.name) for two in texts if two not in (one, other))
            and (_are_sides(one.name, other.name) or not _short(one, other))
            and _apart(table, one, other)
        ):
            reason = f"{one.name} and {other.name} share {shared:,} labels: they name the two sides of a comparison"
            return one.name, other.name, (reason,)
    return None


def _are_sides(one: str, other: str) -> bool:
    """Whether names differ as the two sides of a comparison do, such as ``left`` and ``right``."""
    words = [words_of(name)[-1] for name in (one, other)]
    return all(word in _MARKS[side] for word, side in zip(words, "ab", strict=True))


def _numbered_with(one: str, other: str) -> bool:
    """Whether two names differ by their number alone, as those of three things or more do."""
    words, others = words_of(one), words_of(other)
    return words[:-1] == others[:-1] != [] and words[-1].isdigit() and others[-1].isdigit()


def _short(one: Column, other: Column) -> bool:
    """Whether both hold two short answers such as yes and no, rather than names."""
    return max(len(one.words), len(other.words)) <= 2 and all(len(word) <= 5 for word in (*one.words, *other.words))


def _apart(table: Table, one: Column, other: Column) -> bool:
    """Whether no row has the same in both, as the two sides of a comparison have; answers of two judges agree."""
    a, b = (f"trim({table.sql(column.name)}::VARCHAR)" for column in (one, other))
    ((same, rows),) = table.opened.relation.aggregate(f"count(*) FILTER (WHERE {a} = {b}), count(*)").fetchall()
    return bool(same * 50 <= rows)


def _counts(table: Table, a: str, b: str) -> tuple[str, ...] | None:
    """Two columns of whole numbers that speak of wins, by their names one of each side."""
    whole = [
        column.name for column in table.columns if column.numeric and column.whole and "win" in column.name.lower()
    ]
    pairs = []
    for side in (plain(a), plain(b)):
        head = side.split("_")[0]
        begin = (name for name in whole if plain(name).startswith(head) and plain(name) != side)
        last = side.split("_")[-1]
        named = tuple(name for name in whole if plain(name) in (f"wins_{last}", f"{last}_wins", f"{side}_wins"))
        pairs.append(named or (tuple(begin) if len(head) > 1 else ()))
    return (pairs[0][0], pairs[1][0]) if len(pairs[0]) == len(pairs[1]) == 1 and pairs[0] != pairs[1] else None


def _sides_in(words: Sequence[str]) -> dict[str, str | tuple[str, ...]] | None:
    """What phrases such as "A is much better" and signs such as A>B mean; None if some name no side."""
    found: dict[str, list[str]] = {}
    for word in words:
        signed = _SIGNED.fullmatch(word.strip())
        if signed is not None:
            first, sign, _ = signed.groups()
            ahead = (first.lower() in _MARKS["a"]) == (sign[0] == ">")
            meant = ["tie" if sign[0] in "=~≈" else "a" if ahead else "b"]
        else:
            tokens = set(plain(word).split("_"))
            meant = [name for name, marks in _MARKS.items() if tokens & marks]
        if len(meant) != 1:
            return None
        found.setdefault(meant[0], []).append(word)
    if not {"a", "b"} <= found.keys():
        return None
    return {name: held[0] if len(held := found[name]) == 1 else tuple(held) for name in _MARKS if name in found}


@dataclass(frozen=True)
class _Winner:
    """The column of the outcome, what its values mean where that is not plain, why it, and what is open of it."""

    column: str
    outcomes: Mapping[str, Any] | None = None
    reason: str = ""
    confidence: Confidence = "sure"
    open: str = ""
    others: tuple[str, ...] = ()

    def meant(self, options: Mapping[str, Any]) -> tuple[Meant, ...]:
        """Both ways round, where numbers do not say which side is which."""
        if self.confidence != "unsure" or self.outcomes is None:
            return ()
        turned = {{"a": "b", "b": "a"}.get(name, name): value for name, value in self.outcomes.items()}
        ordered = {name: turned[name] for name in self.outcomes}
        first, second = (
            f"{one:g} where the first is better"
            if isinstance(one := outcomes["a"], float | int)
            else f"{'above' if one[0] > 0 else 'below'} nought where the first is better"
            for outcomes in (self.outcomes, ordered)
        )
        return Meant(options, first), Meant({**options, "outcomes": ordered}, second)


def _winner(table: Table, a: str, b: str) -> _Winner | None:
    """Who won, by words, by phrases, or by numbers; None if no column says it."""
    models = {*table.column(a).words, *table.column(b).words}
    others = [
        one for one in table.columns if one.name not in (a, b) and one.filled and plain(one.name) not in _OF_SCORES
    ]
    words = [
        column
        for column in others
        if column.words
        and all(plain(word) in _KNOWN or word in models for word in column.words)
        and not all(plain(word) in ("missing", "nan", "na") for word in column.words)
        and not column.numeric
    ]
    if words:
        best = min(words, key=lambda column: ("winner" not in plain(column.name), is_of_people(column.name)))
        rest = tuple(column.name for column in words if column is not best)
        reason = f"{best.name} says who won" + (f"; so does {', '.join(rest)}" if rest else "")
        rivals = () if recognise_pair("winner", table.names) == best.name else rest
        return (
            _Winner(best.name, None, reason, open=reason, others=rivals) if rivals else _Winner(best.name, None, reason)
        )
    for column in others:
        few = not column.numeric and 2 <= column.distinct <= len(column.words) <= _MOST_PHRASES
        said = _sides_in(column.words) if few else None
        if said is not None:
            each = [(name, one) for name, held in said.items() for one in ((held,) if isinstance(held, str) else held)]
            listed_ = ", ".join(f'"{word}" for {name}' for name, word in each)
            taken = f"{column.name} has {listed_}: taken as the outcome"
            return _Winner(column.name, said, taken, "likely", taken)
    for column in others:
        truths = {word.lower() for word in column.words} <= {"true", "false"}
        if not column.numeric or truths or column.distinct > 3 or column.low == column.high:
            continue
        values = column.values
        side = _side_of(table, column, a, b)
        if side is not None and values <= {0, 0.5, 1}:
            kept = {side: 1.0, "ba"["ab".index(side)]: 0.0} | ({"tie": 0.5} if 0.5 in values else {})
            taken = f"{column.name} is 1 where {a if side == 'a' else b} is better"
            return _Winner(column.name, kept, taken, "likely", taken)
        for meaning in _NUMBERS:
            if values <= set(meaning.values()) and {meaning["a"], meaning["b"]} <= values:
                kept = {name: value for name, value in meaning.items() if value in values}
                numbers = ", ".join(f"{value:g} for {name}" for name, value in kept.items())
                taken = f"{column.name} has {numbers}"
                held = listed([f"{value:g}" for value in sorted(values)])
                open_ = f"{column.name} holds {held}, and no name says which side is which"
                reason = f"{taken}: taken as the outcome; check which side is 1"
                return _Winner(column.name, kept, reason, "unsure", open_)
    return _signed(table, a, b)


def _signed(table: Table, a: str, b: str) -> _Winner | None:
    """Whole numbers below and above nought: how much better one side is; which, its name may say, as ``+3 = left``."""
    free = [one for one in table.columns if one.name not in (a, b) and one.whole and len(one.words) > len("ab")]
    free = [one for one in free if (one.low or 0) < 0 < (one.high or 0) and one.distinct == len(one.words)]
    if len(free) != 1:
        return None
    (one,) = free
    values = sorted(one.values)
    parts = {"a": [v for v in values if v > 0], "b": [v for v in values if v < 0], "tie": [v for v in values if v == 0]}
    kept: dict[str, float | tuple[float, ...]] = {}
    for name, held in parts.items():
        if held:
            kept[name] = held[0] if len(held) == 1 else tuple(held)
    said = re.search(r"([+-])\s*\d+\s*=\s*(\w+)", one.name)
    side = next((name for name in "ab" if said and said[2].lower() in _MARKS[name]), None)
    reason = f"{one.name} holds numbers below and above nought: how much better one side is"
    if side is not None and said is not None:
        turned = (side == "a") != (said[1] == "+")
        kept = {{"a": "b", "b": "a"}.get(name, name): value for name, value in kept.items()} if turned else kept
        return _Winner(one.name, kept, reason, "likely", reason)
    return _Winner(one.name, kept, reason, "unsure", f"{reason}, and no name says which")


def _side_of(table: Table, column: Column, a: str, b: str) -> str | None:
    """The side that a number of nought or one is for: of two columns, one for each side, that add up to one."""
    ends = {words_of(name)[-1]: side for name, side in ((a, "a"), (b, "b"))}
    words = words_of(column.name)
    mirror = [one for one in table.columns if one is not column and words_of(one.name)[:-1] == words[:-1]]
    if words[-1] not in ends or len(ends) != len("ab"):
        return None
    for one in mirror:
        if one.numeric and words_of(one.name)[-1] in ends:
            total = " + ".join(f"TRY_CAST({table.sql(name)} AS DOUBLE)" for name in (column.name, one.name))
            if table.opened.relation.aggregate(f"bool_and({total} = 1)").fetchall() == [(True,)]:
                return ends[words[-1]]
    return None


def of_one_prompt(table: Table, votes: Reading | None) -> Reading | None:
    """Votes whose prompt is the first of two columns that say the same, such as ``prompt_id`` and ``prompt``."""
    prompts = claims(table.names, VOTE_ALIASES[PROMPT])
    if votes is None or len(prompts) < 2 or PROMPT in votes.options.get("facets", {}):
        return votes
    same = all(table.keys([prompts[0], one]) == table.keys(prompts[:1]) == table.keys([one]) for one in prompts[1:])
    best = min(prompts, key=lambda name: not is_id(name))
    return votes.naming({PROMPT: best}) if same else votes


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
