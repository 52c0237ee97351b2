"""Votes between two that no column names: two answers side by side, or labels of who was preferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT, SAME
from quorate.table.columns.aliases import TIMES, claims
from quorate.table.columns.languages import plain
from quorate.table.columns.names import COMPARED, IDS, PEOPLE, QUESTION, RESPONSES, is_judge, is_person, words_of
from quorate.table.columns.outcomes import MARKS, WORDS, sides_in
from quorate.table.columns.vote_roles import ALIASES as VOTE_ALIASES
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_product
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A, B
from quorate.table.reading.doubt import is_sentence
from quorate.table.reading.in_words import is_prose
from quorate.table.reading.key import claims_of, is_of_people
from quorate.table.reading.levels import are_people, stripped
from quorate.table.reading.reading import Meant, Reading
from quorate.table.reading.recognised import no_status
from quorate.table.reading.winner import KNOWN, OF_SCORES, Winner, decided
from quorate.wording import listed, words

_SHOWN = RESPONSES | {"text", "summary", "translation", "story", "solution", "message", "email", "essay", "image"}
"""Words in the names of two columns of what was compared."""
_GIVEN = PEOPLE | {"ref", "expected", "correct", "ideal", "ground", "target", "source", "original"}
"""Words in the name of an answer that others are held against."""
_CHOSEN = frozenset(
    words(
        "winner preference prefer preferred prefers pref choice chosen better best favourite favorite vote verdict "
        "pick picked winning more"
    )
)
"""Words in the name of a column that says which of two is better."""
_PREFERRED = _CHOSEN - {"choice", "chosen", "vote", "verdict", "pick", "picked", "best"}
"""Those that say it where no answers stand beside."""
_CODED = _CHOSEN | {"label", "annotation", "judgment", "judgement", "decision", "rating"}
"""Words in the name of a column beside two answers whose numbers may be the sides."""
_PREFERS = frozenset(words("prefers prefer preferred favors favours chose"))
_WON = frozenset(("wins", "won"))
"""What the name of a column begins, or ends, with that counts how often one was preferred."""
_FEWEST_ROWS = 5
"""Rows of such counts that show how far they differ beyond chance."""
_NO_SIDE = {word for meaning in (TIE, BOTH_BAD, MISSING) for word in WORDS[meaning]} - {"c"}
_PLACES = MARKS["a"] | MARKS["b"] | {"0"}
"""Words in the names of two that are sides."""
_MOST_LABELS = 8
_CODES: Mapping[tuple[float, ...], tuple[Mapping[str, Any], ...]] = {
    (0, 1): ({"a": 0, "b": 1}, {"a": 1, "b": 0}),
    (1, 2): ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    (-1, 1): ({"a": 1, "b": -1}, {"a": -1, "b": 1}),
    (-1, 0, 1): ({"a": 1, "b": -1, "tie": 0}, {"a": -1, "b": 1, "tie": 0}),
    (0, 0.5, 1): ({"a": 1, "b": 0, "tie": 0.5}, {"a": 0, "b": 1, "tie": 0.5}),
    (0, 1, 2): ({"a": 1, "b": 2, "tie": 0}, {"a": 0, "b": 1, "tie": 2}),
}
"""What numbers beside two answers may mean, the likeliest first."""


_Outcomes = dict[str, str | tuple[str, ...]] | None
"""What labels stand for, where that is not plain."""


@dataclass(frozen=True)
class _Sides:
    """Two answers side by side, by the names of their columns, and what these say of whose they are."""

    columns: tuple[str, str]
    heads: tuple[str, str]

    @property
    def numbered(self) -> tuple[float, float] | None:
        """The numbers of both, as of ``response_1`` and ``response_2``."""
        ends = [words_of(name)[-1] for name in self.columns]
        return (float(ends[0]), float(ends[1])) if all(end.isdigit() for end in ends) else None


def of_unnamed(table: Table, compared: bool) -> Reading | None:
    """Votes between two answers, or two labels; None if no column says which of two is better.

    Where systems are to be ``compared``, sides that are no more than letters or numbers are asked about.
    """
    found = _in_columns(table) or _between(table) or _counted(table)
    if found is None or not compared or found.confidence != "likely":
        return found
    names = [str(found.options[role]).removeprefix(SAME) for role in ("model_a", "model_b")]
    said = [words_of(name) for name in names]
    own = [{*one} - {*other} for one, other in zip(said, said[::-1], strict=True)]
    told = any({*one} & COMPARED or one[0] == "v" for one in said)  # a variant is no place
    if told or not all(one and one <= _PLACES for one in own):
        return found
    return replace(found, confidence="unsure", said=f"{listed(names)} are sides, and no systems by their names")


def _between(table: Table) -> Reading | None:
    """Votes between two answers, or two labels, whatever their names say."""
    sides = _answers(table)
    texts = [one for one in table.columns if not one.numeric and 2 <= one.distinct <= _MOST_LABELS and one.words]
    texts = [one for one in texts if sides or (_says_chosen(one, _PREFERRED) and plain(one.name) not in OF_SCORES)]
    said = [(one, names, outcome) for one in texts for names, outcome in _named(one, sides)]
    held = [{*one.words} for one in table.columns if one not in texts]  # two that others hold too are sides of more
    said = [way for way in said if sides or not any({*way[1]} & words for words in held)]
    if not said:
        return None if sides is None else _in_numbers(table, sides)
    best = min(said, key=lambda way: (not _says_chosen(way[0]), is_of_people(way[0].name)))
    names = best[1]
    judged = not (_says_chosen(best[0]) or is_of_people(best[0].name))  # as rater_Ana, which all who judged then are
    others = [one for one, too, _ in said if one is not best[0] and too == names]
    also = tuple(one.name for one in others if _says_chosen(one) or (judged and not is_of_people(one.name)))
    if also and any(table.keys([one]) == table.rows for one in claims_of(table, JUDGE)):
        return None  # who answered one question in each column: labels, of which each is one
    shown = f"{names[0]} and {names[1]} are compared, which no column names"
    if {plain(word) for word in best[0].words} & {*WORDS[A]} and words_of(names[0])[-1] not in _PLACES:
        shown += f", {names[0]} the first, as its column is"
    reason = f"{listed([best[0].name, *also])} {'say' if also else 'says'} which is better"
    found = Winner(best[0].name, best[2], reason, "sure", reason if also else "", also)
    return decided(table, _constant(names), found, (shown,))


def _in_columns(table: Table) -> Reading | None:
    """Votes in a column for each question that somebody answered, or for each who judged: two sides, and ties.

    A side may be spelled in several ways, and be in no label of one column.
    """
    texts = [one for one in table.columns if not one.numeric and 0 < len(one.words) == one.distinct]
    chosen = [one for one in texts if _says_chosen(one) and not is_of_people(one.name)]
    asked = [one for one in texts if QUESTION.fullmatch(plain(one.name)) and any(map(_is_tie, one.words))]
    products = asked and any(is_product(word) for word in asked[0].words)  # which two questions may be about
    texts = chosen or [one for one in texts if products and {*one.words} <= {*asked[0].words}]
    labels = {word for one in texts for word in one.words}
    ties = sorted(filter(_is_tie, labels))
    sides = _spelled(labels - {*ties})
    if len(texts) < 2 or len(sides) != 2 or not ties or {_bare(side[0]) for side in sides} & KNOWN:
        return None
    columns, names = tuple(one.name for one in texts), [side[0] for side in sides]
    people = are_people(columns, stripped(columns))
    who = [name for name in claims_of(table, JUDGE) if table.keys([name]) == table.rows]
    rows = [one.name for one in table.columns if one.distinct == table.rows]
    who = who or [name for name in rows if is_person(name)][:1] or [name for name in rows if plain(name) in TIMES]
    items = claims(table.names, VOTE_ALIASES[PROMPT]) if people else who
    if len(items) > 1 or not (people or who):
        return None
    said = f"{listed(names)} are compared in {len(columns)} columns, each of one {'judge' if people else 'question'}"
    outcomes = {**dict(zip("ab", sides, strict=True)), "tie": tuple(ties)}
    facets = {PROMPT if people else JUDGE: items[0] if items else ROW_NUMBER}
    if any(plain(name) in TIMES and name not in items for name in table.names):
        facets["time"] = ""  # when somebody sent the form is no time of a vote
    if no_status(table, dict(zip(["status"], claims(table.names, VOTE_ALIASES["status"]), strict=False))):
        facets["status"] = ""
    options = {**_constant(names), "winner": columns, "outcomes": outcomes, "facets": facets}
    return Reading(options, (said,), "likely", "votes", said)


def _is_tie(word: str) -> bool:
    """Whether a label says that neither side is better, such as ``Both the same``."""
    tokens = {*plain(word).split("_")}
    return plain(word) in _NO_SIDE or bool(tokens & MARKS["tie"] and not tokens & {*MARKS["a"], *MARKS["b"]})


def _counted(table: Table) -> Reading | None:
    """Counts of how often each of two was preferred, by names such as ``prefers_old`` and ``old_wins``."""
    whole = [one for one in table.columns if one.numeric and one.whole and (one.low or 0) >= 0]
    named = [(words_of(one.name), one.name) for one in whole]
    wins = [(words[0], words[1:], name) for words, name in named if len(words) > 1 and words[0] in _PREFERS | _WON]
    wins = wins or [(words[-1], words[:-1], name) for words, name in named if len(words) > 1 and words[-1] in _WON]
    if len(wins) != 2 or wins[0][0] != wins[1][0]:
        return None
    names = [_written(name, " ".join(rest)) for _, rest, name in wins]
    ties = [name for words, name in named if {*words} & {"tie", "ties", "tied", "draw", "draws"} or words[0] == "no"]
    count = tuple(name for *_, name in wins) + tuple(ties[:1])
    said = f"{listed(count)} count how often {names[0]} or {names[1]} was preferred"
    options: dict[str, Any] = {**_constant(names), "wins": count, "facets": {}}
    if claims(table.names, VOTE_ALIASES["count"]):  # their sum
        options["facets"]["count"] = ""
    if table.rows >= _FEWEST_ROWS and not claims(table.names, VOTE_ALIASES[PROMPT]):  # votes of one row may be alike
        rows = [one.name for one in table.columns if one.distinct == table.rows and not one.numeric]
        options["facets"]["cluster"] = rows[0] if len(rows) == 1 else ROW_NUMBER
    return Reading(options, (said,), "likely", "votes", said)


def _constant(names: Sequence[str]) -> dict[str, str]:
    return {role: SAME + name for role, name in zip(("model_a", "model_b"), names, strict=True)}


def _says_chosen(one: Column, words: frozenset[str] = _CHOSEN) -> bool:
    """Whether a column says which of two is better, by its name."""
    return bool({*words_of(one.name)} & words)


def _answers(table: Table) -> _Sides | None:
    """The two columns of answers whose names differ in one word; None if there are none, or more than two."""
    texts = [one for one in table.columns if not one.numeric]
    prose = [one for one in texts if 2 * one.distinct > table.rows or is_prose(one) or is_sentence(one)]
    texts = [one for one in prose if not {*words_of(one.name)} & IDS]
    found = [sides for one, other in combinations(texts, 2) if (sides := _sides(one.name, other.name)) is not None]
    return found[0] if len(found) == 1 else None


def _sides(one: str, other: str) -> _Sides | None:
    """Two names as those of two answers, such as ``response_a`` and ``response_b``, or ``gpt_text``, ``llama_text``."""
    words, others = words_of(one), words_of(other)
    shared = {*words} & {*others}
    heads = [" ".join(word for word in name if word not in shared) for name in (words, others)]
    if not shared & _SHOWN or not all(heads) or _GIVEN & {*words, *others}:
        return None
    places = [{head} & _PLACES for head in heads]
    if all(places):
        back = (heads[0] in MARKS["b"]) or (heads[0] != "0" and heads[1] == "0")
        return _Sides((other, one), (other, one)) if back else _Sides((one, other), (one, other))
    own = [_written(name, head) for name, head in zip((one, other), heads, strict=True)]
    return None if any(places) else _Sides((one, other), (own[0], own[1]))


def _bare(name: str) -> str:
    """A name without marks between its words."""
    return plain(name).replace("_", "")


def _written(name: str, head: str) -> str:
    """What the name of a column says of whose it is, as it is written there."""
    begin, size = plain(name).find(head.replace(" ", "_")), len(head)
    same = len(plain(name)) == len(name) and begin >= 0
    return name[begin : begin + size] if same else head


def _named(one: Column, sides: _Sides | None) -> list[tuple[tuple[str, str], _Outcomes]]:
    """The names of both sides that the labels of a column are of, and what these mean where that is not plain."""
    left = [word for word in one.words if plain(word) not in _NO_SIDE]
    said = {plain(word) for word in left}
    places = said and said <= {*WORDS[A], *WORDS[B], "c"} and said & {*WORDS[A]} and said & {*WORDS[B]}
    if sides is not None:
        if places:
            return [(sides.heads, None)]
        for names in (sides.heads, sides.columns):
            plainly = [_bare(name) for name in names]
            by = {_bare(word): word for word in left}
            if by and by.keys() <= {*plainly}:
                return [((by.get(plainly[0], names[0]), by.get(plainly[1], names[1])), None)]
        phrases = sides_in(one.words) if len(one.words) == one.distinct else None
        return _by_endings(left, sides) if phrases is None else [(sides.heads, phrases)]
    if places and len(left) == 2:
        first = next(word for word in left if plain(word) in WORDS[A])
        return [((first, next(word for word in left if word != first)), None)]
    spelled, ties = _spelled(left), tuple(word for word in one.words if word not in left)
    if len(spelled) != 2 or not (ties or "winner" in words_of(one.name)) or places:
        return []
    outcomes: _Outcomes = {"a": spelled[0], "b": spelled[1], **({"tie": ties} if ties else {})}
    return [((spelled[0][0], spelled[1][0]), None if len(left) == 2 else outcomes)]


def _spelled(words: Iterable[str]) -> list[tuple[str, ...]]:
    """Words that are one but for capitals and marks between, together, each in its spellings."""
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        found.setdefault(_bare(word), []).append(word)
    return sorted(map(tuple, found.values()))


def _by_endings(left: Sequence[str], sides: _Sides) -> list[tuple[tuple[str, str], _Outcomes]]:
    """Both sides where the names of their columns end with the two words, as ``reply_v1`` does with v1."""
    ends = [[word for word in left if len(word) > 1 and _bare(name).endswith(_bare(word))] for name in sides.columns]
    plainly = [len(words) for words in ends] == [1, 1] and {*ends[0], *ends[1]} == {*left}
    return [((ends[0][0], ends[1][0]), None)] if plainly else []


def _in_numbers(table: Table, sides: _Sides) -> Reading | None:
    """Votes that are numbers: those of the two answers, where their names say them, else asked about."""
    few = [one for one in table.columns if one.numeric and one.distinct == len(one.words) <= _MOST_LABELS]
    judges = [one for one in few if is_judge(one.name) and sorted(one.values) == sorted(few[-1].values)]
    few = [one for one in few if {*words_of(one.name)} & _CODED and one.distinct > 1] or judges
    if not few or (len(few) > 1 and few != judges):
        return None
    one = few[0]
    winner = one.name if len(few) == 1 else tuple(one.name for one in few)
    held, numbers, named = sorted(one.values), sides.numbered, _constant(sides.heads)
    rest = sorted({*held} - {*(numbers or ())})
    if numbers is not None and {*numbers} <= {*held} and rest in ([], [0.5], [max(numbers) + 1]):
        outcomes = {"a": numbers[0], "b": numbers[1], **({"tie": rest[0]} if rest else {})}
        said = f"{one.name} is the number of the better, {numbers[0]:g} or {numbers[1]:g}"
        said += f"; {rest[0]:g} taken for a tie" if rest else ""
        return Reading({**named, "winner": winner, "outcomes": outcomes}, (said,), "likely", "votes", said)
    meanings = _CODES.get(tuple(held)) or _signed(held)
    if meanings is None:
        return None
    ways = tuple(
        Meant({**named, "winner": winner, "outcomes": each}, _where(each["a"], sides.columns[0])) for each in meanings
    )
    holds = listed([f"{value:g}" for value in held])
    verbs = ("stands", "holds") if len(few) == 1 else ("stand", "hold")
    said = f"{listed([one.name for one in few])} {verbs[0]} beside {listed(list(sides.columns))} and {verbs[1]} {holds}"
    said += ": perhaps which of the two is better"
    return Reading(ways[0].options, (), "unsure", "votes", said, ways)


def _signed(held: Sequence[float]) -> tuple[Mapping[str, Any], ...] | None:
    """What numbers below and above nought may mean: how much better either is."""
    low, high = tuple(value for value in held if value < 0), tuple(value for value in held if value > 0)
    tie = {"tie": 0} if 0 in held else {}
    return ({"a": high, "b": low, **tie}, {"a": low, "b": high, **tie}) if low and high else None


def _where(numbers: float | tuple[float, ...], name: str) -> str:
    """What numbers stand for the better of two."""
    if isinstance(numbers, tuple):
        return f"{'above' if numbers[0] > 0 else 'below'} nought where {name} is better"
    return f"{numbers:g} where {name} is better"
