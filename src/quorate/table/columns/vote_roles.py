"""Roles of the columns of votes: declared by the user, or recognised by a column's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from quorate.arguments import argument
from quorate.errors import InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT, PROPENSITY
from quorate.table.columns import aliases
from quorate.table.columns.languages import plain
from quorate.table.notes import Note, left_unused, read_as

FACETS = (PROMPT, "prompt_type", JUDGE, "cluster", PROPENSITY)
"""Roles whose labels are kept."""

ORDER, TIME, COUNT, STATUS = "order", "time", "count", "status"

ALIASES: Mapping[str, tuple[str, ...]] = {
    PROMPT: (*aliases.PROMPTS, *aliases.ASKED, *aliases.SEGMENTS),
    "prompt_type": ("prompt_type", *aliases.TYPES, *aliases.LANGUAGES),
    JUDGE: aliases.JUDGES,
    "cluster": ("cluster", "cluster_id", *aliases.RANKINGS, *aliases.SESSIONS),
    PROPENSITY: aliases.PROPENSITIES,
    ORDER: aliases.ORDERS,
    TIME: aliases.TIMES,
    COUNT: aliases.COUNTS,
    STATUS: aliases.STATUSES,
}
"""Column names recognised for each role, in lower case with words joined by underscores."""
FURTHER: Mapping[str, tuple[str, ...]] = {
    PROMPT: (*aliases.EXAMPLES, *aliases.SHOWN),
    JUDGE: (*aliases.JUDGES_TOO, "user"),
}
"""Names that say a role where no column has one of the others, and one alone one of these."""


def _sides(*marks: str) -> tuple[str, ...]:
    """What a column of the models of one side may be called."""
    of_models = [
        name
        for mark in marks
        for one in ("model", "system", "sys", "bot", "agent", "candidate")
        for name in (f"{one}_{mark}", f"{one}{mark}", f"{one}_{mark}_id", f"{one}_{mark}_name", f"{mark}_{one}")
    ]
    of_answers = [
        f"{answer}_{mark}_{one}"
        for mark in marks
        for one in ("model", "system")
        for answer in ("answer", "response", "output", "completion", "assistant")
    ]
    return (*of_models, *of_answers)


PAIR: Mapping[str, tuple[str, ...]] = {
    "model_a": (*_sides("a", "1", "left", "first", "x"), "player", "home_team"),
    "model_b": (*_sides("b", "2", "right", "second", "y"), "opponent", "away_team"),
    "winner": ("winner", "winning_model", "preference", "preferred", "vote"),
}
"""Column names recognised for the two models and the outcome."""
_THIRD = _sides("c", "3", "third")


def recognise_pair(role: str, columns: Sequence[str]) -> str | None:
    """The one column whose name says that it is a model or the winner; None if there is none, or several.

    Examples
    --------
    >>> names = ["question", "answer_a_model", "answer_b_model", "Winner"]
    >>> [recognise_pair(role, names) for role in ("model_a", "model_b", "winner")]
    ['answer_a_model', 'answer_b_model', 'Winner']
    """
    named = _pair_claims(role, columns)
    return named[0] if len(named) == 1 else None


def _pair_claims(role: str, columns: Sequence[str]) -> list[str]:
    """Columns whose names say that they are this one of the pair; the one that is called so alone, where there is."""
    named = [name for name in columns if plain(name) in PAIR[role]]
    return [name for name in named if plain(name) == role] or named


def has_pairs(columns: Sequence[str]) -> bool:
    """Whether there are columns of two models, by their names.

    Examples
    --------
    >>> has_pairs(["model_a", "model_b", "winner"]), has_pairs(["item", "score", "model"])
    (True, False)
    >>> has_pairs(["model_1", "model_2", "model_3"])  # columns of scores
    False
    """
    names = {plain(name) for name in columns}
    return not names & {*_THIRD} and all(names & {*PAIR[side]} for side in ("model_a", "model_b"))


@dataclass(frozen=True)
class VoteRoles:
    """Columns by role.

    Parameters
    ----------
    model_a, model_b : str
        Columns of the two models.
    winner : str, optional
        Column of the outcome; None where ``wins`` counts them.
    wins : tuple of str
        Columns that count votes for the first model, the second, and if there are three, ties.
    facets : mapping of str to str
        Role to column, of everything whose labels are kept.
    order, time, count, status : str, optional
        Columns.
    notes : tuple of Note
        What was recognised, and the columns that are not used.
    rank : str, optional
        Column of the place of ``model_a`` in a ranking, where rows are systems of rankings.
    """

    model_a: str
    model_b: str
    winner: str | None
    wins: tuple[str, ...]
    facets: Mapping[str, str]
    order: str | None
    time: str | None
    count: str | None
    status: str | None
    notes: tuple[Note, ...]
    rank: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns of which labels are needed, each once."""
        optional = [name for name in (self.winner, self.rank, self.order, self.status) if name is not None]
        return tuple(dict.fromkeys((self.model_a, self.model_b, *optional, *self.facets.values())))

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of which whole numbers are needed."""
        return (*((self.count,) if self.count is not None else ()), *self.wins)


def resolve_votes(
    columns: Sequence[str],
    *,
    pair: Mapping[str, str],
    wins: Sequence[str],
    facets: Mapping[str, str],
    declared: Mapping[str, str],
    covariates: Sequence[str] = (),
    rank: str | None = None,
) -> VoteRoles:
    """Columns by role, as declared in the arguments of `quorate.read_votes` or recognised by name.

    Parameters
    ----------
    columns : sequence of str
        Of the source.
    pair : mapping of str to str
        ``model_a``, ``model_b`` and ``winner`` to columns; a column that is there by its default name or not at all is
        looked for by other usual names.
    wins : sequence of str
        Columns that count wins, none, two or three.
    facets : mapping of str to str
        Further roles to columns.
    declared : mapping of str to str
        Roles of `ALIASES` to columns; an empty column leaves the role out.
    covariates : sequence of str
        Columns of differences, or names of two columns that end in ``_a`` and ``_b``.
    rank : str, optional
        Column of places, where rows are systems of rankings: there is then one column of systems.

    Raises
    ------
    InvalidInput
        If a role is not known, a column has two roles, or a name is ambiguous.
    UnknownColumn
        If a column is not there.
    """
    facets = {**facets, **_covariates(covariates, facets, columns)}
    _known_roles(declared, facets, wins)
    named = {role: column for role, column in {**declared, **facets}.items() if column}
    main = {role: column for role, column in pair.items() if not (role == "winner" and wins)}
    if rank is not None:
        main = _of_rankings(pair["model_a"], rank, {**declared, "wins": wins, "covariates": covariates}, columns)
    for role, column in main.items():
        if column == role and column not in columns:  # the default is looked for by its other usual names
            main[role] = _recognise(role, columns) or column
    if ORDER in named and named[ORDER] not in columns:  # said of a side, whatever its column is called
        named[ORDER] = main.get(named[ORDER], named[ORDER])
    for role, column in {**main, **named, **{f"wins ({column})": column for column in wins}}.items():
        if column not in columns:
            raise UnknownColumn(role, column, columns, "argument" if role in PAIR else "roles" * (role in ALIASES))
    free = [column for column in columns if column not in {*main.values(), *named.values(), *wins}]
    looked_for = ALIASES if rank is None else (*FACETS, STATUS)
    seen = {role: _recognise(role, free) for role in looked_for if role not in declared and role not in facets}
    roles = {**named, **{role: column for role, column in seen.items() if column is not None}}
    taken: dict[str, str] = {}
    for role, column in [*main.items(), *roles.items(), *(("wins", column) for column in wins)]:
        names_side = role in (ORDER, "winner")  # in winner, loser the first says who won as well
        if column in taken and not (names_side and taken[column] in ("model_a", "model_b")):
            other = argument(role, ...) if role in PAIR else argument(role, ..., group="roles")
            rule = f'{role}: column "{column}" is already {taken[column]}; a column has one role; name another, '
            raise InvalidInput(rule + other)
        taken.setdefault(column, role)
    labelled = {role: column for role, column in roles.items() if role not in (ORDER, TIME, COUNT, STATUS)}
    order = [role for role in FACETS if role in labelled]
    said = {**main, **roles} if rank is None else {"system": main["model_a"], "rank": rank, **roles}
    notes = [read_as(role, [column]) for role, column in said.items()]
    notes += [read_as("wins", wins)] if wins else []
    unused = [column for column in columns if column not in {*main.values(), *roles.values(), *wins}]
    return VoteRoles(
        model_a=main["model_a"],
        model_b=main.get("model_b", main["model_a"]),
        winner=main.get("winner"),
        wins=tuple(wins),
        facets={role: labelled[role] for role in (*order, *(role for role in labelled if role not in order))},
        order=roles.get(ORDER),
        time=roles.get(TIME),
        count=roles.get(COUNT),
        status=roles.get(STATUS),
        notes=(*notes, *left_unused(unused)),
        rank=rank,
    )


def _of_rankings(system: str, rank: str, others: Mapping[str, object], columns: Sequence[str]) -> dict[str, str]:
    """The system and its place, where rows are systems of rankings; refuses what only votes have."""
    for role in (role for role in (ORDER, TIME, COUNT, "wins", "covariates") if others.get(role)):
        raise InvalidInput(f"{role}: not with rank, where a row is a system and no vote; leave one of the two out")
    known = aliases.claims(columns, aliases.SYSTEMS)
    return {"model_a": known[0] if system == "model_a" and system not in columns and known else system, "rank": rank}


def _known_roles(declared: Mapping[str, str], facets: Mapping[str, str], wins: Sequence[str]) -> None:
    for role, column in {**declared, **facets}.items():
        if not isinstance(column, str):
            raise InvalidInput(f"{role}: expects the name of a column, got {type(column).__name__}")
    for role in declared:
        if role not in ALIASES:
            close = get_close_matches(role, ALIASES, 1)
            others = "; for other columns: " + argument("facets", {role: ...})
            raise InvalidInput(
                f'roles: "{role}" is not one of {", ".join(ALIASES)}'
                + ("; did you mean " + argument(close[0], ..., group="roles") + "?" if close else others)
            )
    for role, column in facets.items():
        if role in declared or role in PAIR or role in (ORDER, TIME, COUNT, STATUS) or not column:
            own = argument(role, ..., group="" if role in PAIR else "roles")
            raise InvalidInput(f'facets: "{role}" is no further role; give it as an argument of its own, ' + own)
    if isinstance(wins, str) or len(wins) not in (0, 2, 3):
        raise InvalidInput('wins: expects two columns of counts, or three with ties, such as ("wins_a", "wins_b")')


def _covariates(names: Sequence[str], facets: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Columns of covariates that no facet is yet: that of the difference, or those of both sides."""
    if isinstance(names, str):
        raise InvalidInput(f'covariates: expects a sequence of names, got "{names}"')
    found: dict[str, str] = {}
    for name in names:
        sides = f"{name}_a", f"{name}_b"
        if name in facets or set(sides) <= set(facets):
            continue
        if name not in columns and not set(sides) <= set(columns):
            raise UnknownColumn("covariates", name, columns)
        found |= {name: name} if name in columns else {side: side for side in sides}
    return found


def _recognise(role: str, columns: Sequence[str]) -> str | None:
    claims = _pair_claims(role, columns) if role in PAIR else aliases.claims(columns, ALIASES[role])
    if not claims and role in FURTHER:
        further = aliases.claims(columns, FURTHER[role])
        claims = further if len(further) == 1 else []
    if len(claims) > 1:
        listed = " and ".join(f'"{column}"' for column in claims)
        fix = argument(role, claims[0], group="" if role in PAIR else "roles")
        raise InvalidInput(f"{role}: {listed} could each be it; say which: " + fix)
    return claims[0] if claims else None
