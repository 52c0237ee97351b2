"""Scores in a table whose roles nobody has said: the score, what is measured, and what tells rows apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.estimate.doctor.proposal.names import (
    DESCRIBED,
    GIVEN,
    HINTS,
    IDS,
    KNOWN,
    WHAT,
    is_criterion,
    measures,
    no_score,
)
from quorate.estimate.doctor.proposal.pairs import Roles
from quorate.estimate.doctor.proposal.wide import (
    CRITERION,
    MOST_SHOWN,
    as_criteria,
    criteria_of_one,
    inside_one,
    same_scale,
    side_by_side,
)
from quorate.roles import CATEGORY, ITEM, PROMPT, REPLICATE
from quorate.table.columns.aliases import claims
from quorate.table.columns.outcomes import plain
from quorate.table.columns.roles import ALIASES, FURTHER
from quorate.table.columns.scales import known_scale, letter_grades
from quorate.table.facts.profile import Column, Table
from quorate.wording import listed

_MOST_ADDED, _MOST_TRIED = 2, 12
"""Columns that are added to tell rows apart, and those that are tried for it."""


def scores_of(table: Table) -> Roles | None:
    """The score and the facets of a table of judgments; None if it has no column of scores or of labels."""
    known, aside, reasons = _recognised(table)
    wide = None if "score" in known else side_by_side(table, known, aside)
    if wide is not None:
        return Roles(wide.options, (*reasons, *wide.reasons), wide.sure)
    criteria = () if "score" in known else inside_one(table, {*known.values(), *aside})
    if criteria and (found := _facets(table, known, {*known.values(), *aside, *criteria})) is not None:
        return Roles(
            {**as_criteria(criteria, known), **({"facets": found.facets} if found.facets else {})},
            (*reasons, criteria_of_one(criteria), *found.reasons),
            sure=False,
        )
    taken = {*known.values(), *aside}
    score = known.pop("score", None) or _score(table, taken)
    options: dict[str, Any] = {}
    if score is not None and (sides := _two_responses(table)) and table.column(score).distinct <= 3:
        raise InvalidInput(
            f"source: {score} stands beside {listed(sides)} and holds {listed(sorted(table.column(score).words))}: "
            "perhaps which of the two is better; name the columns of the two systems and give every vote a winner: "
            "model_a, model_b or tie"
        )
    if score is None or not table.column(score).scored:
        words = _words(table, known, taken) if score is None else table.column(score)
        if words is None or not 2 <= words.distinct <= _most_words(table):
            return None
        score = words.name
        options |= {} if plain(score) in ALIASES["score"] else {"score": score}
        options |= _meaning(words, reasons)
    elif plain(score) not in ALIASES["score"] or len(_claims(table, "score")) > 1:
        options["score"] = score
        column = table.column(score)
        others = [name for name in _numbers(table, {*taken, score}) if not no_score(name)]
        holds = f"words: {column.scale.words}" if column.scale else f"numbers from {column.low:g} to {column.high:g}"
        alike = [name for name in others if same_scale(table.column(name), column) and is_criterion(name)]
        also = f"; {listed(others)} could be scores too" if others else ""
        if is_criterion(score) and 0 < len(alike) < MOST_SHOWN:
            also += "; as criteria: " + argument("wide", {CRITERION: (score, *alike)})
        reasons.append(f"{score} holds {holds}" + also)
    if table.column(score).strays:
        options["missing"] = table.column(score).strays
        reasons.append(f"{listed(list(options['missing']))} in {score}: taken for no score")
    # numbers on the scale of the score may be other criteria: no facets, if rows are told apart without them
    like = {
        one.name
        for one in table.columns
        if not {"label", "labels"} & options.keys() and _beside(one, table.column(score), known)
    }
    without = _facets(table, known, {*taken, score, *like}) if like else None
    found = without if without is not None and without.whole else _facets(table, known, {*taken, score})
    if found is None:
        return None
    facets, reasons = found.facets, [*reasons, *found.reasons]
    known |= {ITEM: facets.get(ITEM, known.get(ITEM, ""))}
    taken |= {score, *(like if found is without else ())}
    reasons += _belonging(table, {**known, **facets}, taken)
    plainly = {*(known[role] for role in ALIASES if role in known and role not in facets), facets.get(ITEM)}
    sure = (
        set(options) <= {"score"}
        and (plain(score) in ALIASES["score"] or bool(set(plain(score).split("_")) & {*HINTS}))
        and (ITEM not in facets or _identifier(table, {*taken} - {facets[ITEM]}) == facets[ITEM])
        and set(facets.values()) <= plainly
        and found.whole
    )
    return Roles({**options, **({"facets": facets} if facets else {})}, tuple(reasons), sure)


def _two_responses(table: Table) -> tuple[str, ...]:
    """Columns of two answers to one question, by their names, such as ``response 1`` and ``response 2``."""
    found = re.compile("(response|answer|output|completion|reply|assistant)_?(a|b|1|2)")
    sides = [name for name in table.names if found.fullmatch(plain(name))]
    return tuple(sides) if len(sides) == 2 else ()


def _claims(table: Table, role: str) -> list[str]:
    return claims(table.names, ALIASES[role], FURTHER.get(role, ()))


def _recognised(table: Table) -> tuple[dict[str, str], set[str], list[str]]:
    """Columns by the roles that their names say, columns that say the same as these, and why."""
    known: dict[str, str] = {}
    aside: set[str] = set()
    reasons = []
    for role in ALIASES:
        named = _claims(table, role)
        if not named:
            continue
        known[role] = best = min(named, key=lambda name: plain(name) != role)
        for other in named:
            if other != best:
                same = table.keys([best, other]) == table.keys([best]) == table.keys([other])
                aside |= {other} if same else set()
                reasons.append(
                    f"{best} is the {role}; {other} " + ("says the same" if same else f"could be the {role}")
                )
    return known, aside, reasons


def _meaning(column: Column, reasons: list[str]) -> dict[str, Any]:
    """What the words of a column stand for: numbers of a scale, else labels; of two words the share of one."""
    scale = known_scale(column.words, whole=False)
    few, grades = column.distinct == 2, letter_grades(column.words)
    nominal = {"label": column.words[0]} if few else {"labels": True}
    read_as = f'the share of "{column.words[0]}"' if few else "labels"
    if scale is not None and grades is not None and not {"grade", "mark", "score"} & set(plain(column.name).split("_")):
        reasons.append(
            f"{column.name} holds letters, which may be answers or the sides of a comparison: read as {read_as}; if "
            "they are grades, say " + argument("numbers", dict(grades.numbers))
        )
        return nominal
    if scale is not None and grades is not None:
        reasons.append(
            f"{column.name} holds letters, by its name grades: {scale.words}; if they are answers or the sides of a "
            "comparison, say " + argument("label", column.words[0])
        )
        return {"numbers": dict(sorted(scale.numbers.items(), key=lambda pair: pair[1]))}
    if scale is not None:
        reasons.append(f"{column.name} may be words of a scale, where {scale.words}; check that it is this one")
        return {"numbers": dict(sorted(scale.numbers.items(), key=lambda pair: pair[1]))}
    named = listed([f'"{word}"' for word in column.words[:6]])
    other = (
        "both are labels with " + argument("labels", True)
        if few
        else "the share of one alone with " + argument("label", column.words[0])
    )
    reasons.append(f"{column.name} holds words, {named}: read as {read_as}; " + other)
    return nominal


def _beside(one: Column, score: Column, known: Mapping[str, str]) -> bool:
    """Whether a column holds numbers on the scale of the score, as another criterion would."""
    few = one.numeric and score.numeric and bool(one.words) and bool(score.words)
    plays = one.name in known.values() or one.name == score.name or IDS & set(plain(one.name).split("_"))
    return few and not plays and one.distinct > 2 and same_scale(one, score) and one.low == score.low


def _most_words(table: Table) -> float:
    """Labels that a judge may choose among: few, and some given more than once."""
    return min(30, 0.75 * table.rows)


def _words(table: Table, known: Mapping[str, str], taken: set[str]) -> Column | None:
    """The likeliest column of labels given by a judge: few words, which differ within what is judged."""
    texts = [
        one
        for one in table.columns
        if not one.numeric
        and one.name not in taken
        and 2 <= one.distinct <= _most_words(table)
        and not (DESCRIBED | IDS) & set(plain(one.name).split("_"))
    ]
    key = [known[ITEM]] if ITEM in known else []
    given = [one for one in texts if not key or table.keys([*key, one.name]) > table.keys(key)]

    def rank(column: Column) -> tuple[int, int]:
        words = plain(column.name).split("_")
        hints = (*GIVEN, *HINTS)
        return next((place for place, word in enumerate(hints) if word in words), len(hints)), -column.filled

    return min(given, key=rank, default=None)


def _belonging(table: Table, facets: Mapping[str, str], taken: set[str]) -> list[str]:
    """Columns of which every level of a facet has one: what levels may have been drawn within."""
    names = [column for role, column in facets.items() if column and role not in ("status", REPLICATE)]
    found: list[str] = []
    for one in _labels(table, {*taken, *names}):
        inner = [(role, name) for role, name in facets.items() if name in names and table.within(name, one.name)]
        if inner and CATEGORY not in facets and one.distinct < table.column(inner[0][1]).distinct:
            role, name = inner[0]
            found.append(
                f"every {name} belongs to one {one.name}: " + argument("nested", {role: one.name}) + " if drawn so"
            )
    return found


def _numbers(table: Table, taken: set[str]) -> list[str]:
    return [one.name for one in table.columns if one.scored and one.distinct > 1 and one.name not in taken]


def _score(table: Table, taken: set[str]) -> str | None:
    """The likeliest column of scores: by its name, then one with broken numbers; none that is measured or an id."""

    def rank(name: str) -> tuple[bool, int, int, int]:
        words, column = plain(name).split("_"), table.column(name)
        hints = HINTS if column.scale is None else (*HINTS, *GIVEN)
        hint = next((place for place, word in enumerate(hints) if word in words), len(HINTS + GIVEN))
        marks = column.scale is not None and column.distinct > 2
        return bool(KNOWN & set(words)), hint, 0 if marks else 1 + column.whole, -column.distinct

    return min((name for name in _numbers(table, taken) if not no_score(name)), key=rank, default=None)


def _labels(table: Table, taken: set[str]) -> list[Column]:
    """Columns whose values come back, as labels do."""
    free = [one for one in table.columns if one.name not in taken and 2 <= one.distinct <= table.rows / 2]
    free = [one for one in free if not {*HINTS, *GIVEN} & set(plain(one.name).split("_"))]  # judgments are no facets
    return [one for one in free if (not one.numeric or one.whole) and not measures(one.name)]


def _identifier(table: Table, taken: set[str]) -> str | None:
    """A column whose name says that it names what every row is of, and that does so; None if none or several do."""
    found = [
        one.name
        for one in table.columns
        if one.name not in taken
        and one.distinct == one.filled == table.rows > 1
        and (IDS | WHAT) & set(plain(one.name).split("_"))
    ]
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class _Key:
    """Columns that are named as facets, why, and whether they tell every row apart."""

    facets: dict[str, str]
    reasons: list[str]
    whole: bool


def _facets(table: Table, known: Mapping[str, str], taken: set[str]) -> _Key | None:
    """What is measured, where no name says it, and what else tells rows apart; None if nothing comes back."""
    known, reasons = dict(known), []
    facets = {role: column for role, column in known.items() if len(_claims(table, role)) > 1}
    if ITEM not in known:
        unique = _identifier(table, taken)
        most = max(_labels(table, taken), key=lambda one: one.distinct, default=None)
        measured = known.pop(PROMPT, None) if most is None else most.name
        measured = measured if unique is None else unique
        if measured is None:
            return None
        known[ITEM] = facets[ITEM] = measured
        levels = table.column(measured).distinct
        if unique is None:
            reasons.append(f"{measured} has the most levels that come back ({levels:,}): what is measured")
        else:
            reasons.append(f"{measured} is another in each of {levels:,} rows: what is measured, once each")
    facets |= _telling_apart(table, known, taken, reasons)
    key = [column for role, column in {**known, **facets}.items() if role != "status"]
    return _Key(facets, reasons, table.keys(key) == table.rows)


def _telling_apart(table: Table, known: Mapping[str, str], taken: set[str], reasons: list[str]) -> dict[str, str]:
    """Further columns as facets, where without them rows repeat a judgment: the fewest that tell most rows apart."""
    key = [column for role, column in known.items() if role not in ("status", "score")]
    apart = table.keys(key)
    if apart == table.rows:
        return {}
    free = [one.name for one in _labels(table, {*taken, *known.values()})][:_MOST_TRIED]
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
        return {}
    chosen = min((names for names, n in tried.items() if n == best), key=lambda names: (len(names), table.keys(names)))
    rest = "every row" if best == table.rows else f"{best:,} of {table.rows:,} rows"
    reasons.append(f"with {listed(chosen)} the key tells {rest} apart; without, {table.rows - apart:,} rows repeat one")
    return {name: name for name in chosen}
