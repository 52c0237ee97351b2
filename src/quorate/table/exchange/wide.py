"""Tables whose rows hold several judgments, in columns, in lists or as counts, as one row for each judgment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias

from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import AMONG, JUDGE, SYSTEM
from quorate.table.columns.names import METRICS, is_criterion
from quorate.table.exchange.format import Across, Opened, literal, quoted
from quorate.table.exchange.texts import MOST, Texts
from quorate.table.notes import Note

if TYPE_CHECKING:
    import narwhals as nw

Frame: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"

CROSSED = "*"
"""Between two roles that names of columns cross."""
_GIVEN = frozenset(("score", "rating", "grade", "mark"))
"""What stands between the two parts of such a name, and says nothing."""
_MARKS = ("__", "_", ".", "-", " ", ":", "/")
SCORE, COUNT, COLUMNS = "score", "count", "columns"
"""Columns that tables get: of scores; of how often a row is meant; of the other judge in a cross table."""
MOST_COUNTED = 50_000_000
"""Judgments that a table of counts may stand for."""
PLACE, RANK = "place", "rank"
"""Role of the places of entries in lists that are rankings, and what reads them."""
SHARED = r"\s=\s"
"""Between systems that share a place in a ranking."""
BEATEN = "model_b"
"""Role of columns of a square of wins: whom the system of the row beat, as often as a cell says."""
_GRID = re.compile(r"(.*\S)\s+\[([^\[\]]+)\]\s*")
_GAVE = "(?P<given>(?i:rank(ing)?|scores?|ratings?|marks?|grades?|correct|passed))"
_OF_SYSTEMS = (
    re.compile(_GAVE + r"[\s_.:-]+(?P<level>.*[A-Za-z].+)"),
    re.compile(r"(?P<level>.*[A-Za-z].*[^\s_.:-])[\s_.:-]+" + _GAVE),
)
_WHO, _BY = "(judge|rater|grader|annotator|reviewer)", r"(?:(?:judged|rated|scored|graded)[\s_.-]*)?by"
_FEWEST = 6
"""Columns from which on one pattern says them shorter."""
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE")


@dataclass(frozen=True)
class Step:
    """Columns that become rows.

    Parameters
    ----------
    role : str
        What the columns are levels of; ``score`` where their names are the scores, which their cells count;
        ``system*judge`` where their names cross two, as ``gpt_rater1`` does.
    columns : tuple of str
        One alone holds lists, of which each entry is a judgment, unless it is a pattern, such as ``rater*``.
    names : str, optional
        The column of lists that says who, or what, each entry of the other list is of.
    """

    role: str
    columns: tuple[str, ...]
    names: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The role, or the two that names cross."""
        return tuple(self.role.split(CROSSED))

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the columns as levels: of a grid in a form, such as ``Rank both [gpt]``, what stands in brackets.

        Of systems also without a word that all begin or end with and that says what was given, as in ``rank_gpt``.
        """
        parts = [_GRID.fullmatch(name) for name in self.columns]
        found = [(part[1], part[2]) for part in parts if part]
        if len(found) == len(self.columns) > 1 and len({head for head, _ in found}) == 1:
            return tuple(level for _, level in found)
        for form in _OF_SYSTEMS if self.role == SYSTEM else ():
            bare = [form.fullmatch(name) for name in self.columns]
            if len({part["given"].lower() for part in bare if part}) == 1 and all(bare):
                return tuple(part["level"] for part in bare if part)
        said = [name.partition(":") for name in self.columns]  # as in Rating: gpt
        if self.role == SYSTEM and len({head for head, _, _ in said}) == 1 < len({own.strip() for _, _, own in said}):
            return tuple(own.strip() for _, _, own in said)
        return _without_criterion(self.columns) if self.role in (SYSTEM, JUDGE) else self.columns

    @property
    def listed(self) -> bool:
        """Whether the judgments stand in lists."""
        return len(self.columns) == 1 and CROSSED not in self.columns[0]

    def among(self, names: Sequence[str]) -> Step:
        """The same with the columns of a table that its patterns stand for, in the order of the table."""
        return replace(self, columns=among(self.columns, names))

    @property
    def note(self) -> Note:
        """What became rows."""
        if self.listed and self.role == PLACE:
            return Note(
                f"every entry of the lists in {self.columns[0]} is a system, the best first", RANK, self.columns
            )
        if self.listed:
            return Note(f"every entry of the lists in {self.columns[0]} is a judgment", self.role, self.columns)
        if self.role == BEATEN:
            said = f"{len(self.columns)} columns count wins of the row's system against theirs"
            return Note(said, BEATEN, self.columns)
        if self.role in (SCORE, COLUMNS):
            return Note(f"{len(self.columns)} columns count judgments: one row for each", SCORE, self.columns)
        named = " by ".join("criteria" if role == "criterion" else f"{role}s" for role in self.roles)
        return Note(f"{len(self.columns)} columns are {named}: one row for each judgment", self.role, self.columns)


def _without_criterion(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Names without the one criterion that all of them end with, such as ``(fluency)`` or ``_fluency``.

    Examples
    --------
    >>> _without_criterion(("gpt (fluency)", "llama (fluency)")), _without_criterion(("gpt_mini", "llama_mini"))
    (('gpt', 'llama'), ('gpt_mini', 'llama_mini'))
    """
    for mark in ("(", "[", *_MARKS):
        parts = [name.removesuffix({"(": ")", "[": "]"}.get(mark, "")).rpartition(mark) for name in columns]
        heads, ends = tuple(head.rstrip() for head, _, _ in parts), {end.strip() for _, _, end in parts}
        same = ends.pop() if len(ends) == 1 else ""
        said = bool(same) and (
            is_criterion(same) or same.lower() in METRICS or (mark == "(" and not any(map(str.isdigit, same)))
        )
        if said and all(heads) and len({*heads}) == len(columns) > 1:  # digits are the ends of a scale
            return heads
    return columns


@dataclass(frozen=True)
class Shape:
    """How rows of several judgments become one row for each.

    Parameters
    ----------
    steps : tuple of Step
        One after the other.
    count : str, optional
        Column that says how many times a row is meant.
    """

    steps: tuple[Step, ...] = ()
    count: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """Facets that the steps make."""
        return tuple(role for step in self.steps if step.role not in (SCORE, COLUMNS) for role in step.roles)

    @property
    def simple(self) -> bool:
        """Whether it is columns of scores alone, which any library of frames makes rows."""
        made = (SCORE, COLUMNS, BEATEN)
        plain = (len(step.roles) == 1 and step.role not in made and not step.listed for step in self.steps)
        return self.count is None and all(plain)

    def among(self, names: Sequence[str]) -> Shape:
        """The same with the columns of a table that patterns stand for."""
        return replace(self, steps=tuple(step.among(names) for step in self.steps))


AS_IT_IS = Shape()
"""A row for each judgment already."""


def shape_of(wide: Mapping[str, Sequence[str]] | None, facets: Mapping[str, str] | None = None) -> Shape:
    """How rows become one for each judgment, as arguments of `quorate.read` say it.

    Raises
    ------
    InvalidInput
        If roles or their columns cannot be meant so.
    """
    count = (facets or {}).get(COUNT) or None
    steps = tuple(_step(str(role), columns, facets or {}) for role, columns in (wide or {}).items())
    if len(steps) == 2 and steps[0].role == SCORE and COLUMNS in steps[1].columns:
        return Shape((replace(steps[0], role=COLUMNS), steps[1]), count)
    if len(steps) > 1 or wide == {}:
        raise InvalidInput(f'wide: expects one role with its columns, such as {{"judge": ["a", "b"]}}, got {wide!r}')
    return Shape(steps, count)


def _step(role: str, columns: Sequence[str], facets: Mapping[str, str]) -> Step:
    few = not columns or (role == SCORE and len({*columns}) < 2 and not any(CROSSED in name for name in columns))
    if isinstance(columns, str) or few or not role:
        raise InvalidInput(
            f'wide: "{role}" needs two columns or more, each once, or one whose cells hold lists, got {columns!r}'
        )
    named = tuple(dict.fromkeys(columns))
    return Step(role, named, facets.get(role) if len(named) == 1 else None)


def among(columns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Columns with those that a pattern such as ``rater*`` stands for in its place, in the order of the table.

    Raises
    ------
    UnknownColumn
        If a pattern stands for none.

    Examples
    --------
    >>> among(["gold", "rater*"], ["id", "rater1", "rater2", "gold"])
    ('gold', 'rater1', 'rater2')
    """
    out = list[str]()
    for one in columns:
        found = [one] if CROSSED not in one or one in names else [name for name in names if _alike(name, one)]
        if not found:
            raise UnknownColumn("wide", one, names)
        out.extend(found)
    return tuple(dict.fromkeys(out))


def shortened(columns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The pattern that stands for these columns of a table and no others, or the columns.

    Examples
    --------
    >>> shortened([f"rater{n}" for n in range(8)], ["id", *(f"rater{n}" for n in range(8))])
    ('rater*',)
    """
    first, last = min(columns), max(columns)  # what these two begin with alike all do
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    pattern = (f"{first[:same]}{CROSSED}",)
    short = len(columns) >= _FEWEST and same > 0 and pattern[0] not in names
    return pattern if short and {*among(pattern, names)} == {*columns} else tuple(columns)


def _alike(name: str, pattern: str) -> bool:
    """Whether a pattern stands for a name; only its stars mean anything but themselves."""
    return fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))


def crossed(columns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What names of columns cross, each with each, before and behind a mark; None if they do not.

    Examples
    --------
    >>> crossed(["gpt_a", "gpt_b", "llama_a", "llama_b"]), crossed(["gpt_a", "gpt_b", "llama_a"])
    ((('gpt', 'gpt', 'llama', 'llama'), ('a', 'b', 'a', 'b')), None)
    >>> crossed(["gpt (Rater 1)", "gpt (Rater 2)", "llama (Rater 1)", "llama (Rater 2)"])
    (('gpt', 'gpt', 'llama', 'llama'), ('Rater 1', 'Rater 2', 'Rater 1', 'Rater 2'))
    >>> crossed(["How? [Clip 1, A]", "How? [Clip 1, B]", "How? [Clip 2, A]", "How? [Clip 2, B]"])
    (('Clip 1', 'Clip 1', 'Clip 2', 'Clip 2'), ('A', 'B', 'A', 'B'))
    >>> crossed(["s.opal-judge.x", "s.opal-judge.y", "s.quartz.x", "s.quartz.y"])
    (('opal-judge', 'opal-judge', 'quartz', 'quartz'), ('x', 'y', 'x', 'y'))
    """
    grid = [_GRID.fullmatch(name) for name in columns]
    asked = {part[1] for part in grid if part} if all(grid) else set()
    if len(asked) == 1:  # what stands in the brackets of one question
        columns = [part[2] for part in grid if part]
    ends = ("[", "(") if all(grid) else ("(", "[")
    for mark in (*ends, *((", ", "; ", " - ", " \u2013 ", " | ", " / ") if asked else ()), *_MARKS):
        parts = [name.removesuffix({"(": ")", "[": "]"}.get(mark, "")).rpartition(mark) for name in columns]
        said = [re.search(rf"[\s_.-]{_WHO}[\s_.-]*$", head) for head, _, _ in parts]
        named = {found[1] for found in said if found} if all(said) else set()
        heads = tuple(re.sub(rf"([\s_.-]+{_WHO if named else _BY})?[\s_.:/|-]*$", "", head) for head, _, _ in parts)
        last = {re.split(r"[\s_.-]", head)[-1] for head in heads}
        if len(last) == 1 and last <= _GIVEN:  # as base_score_gpt4o and ft_score_gpt4o have it
            heads = tuple(re.sub(r"[\s_.-]+[^\s_.-]*$", "", head) for head in heads)
        whose = f"{named.pop()}_" if len(named) == 1 else ""  # which belongs to what stands behind
        tails = tuple(whose + tail.strip() for _, _, tail in parts)
        several = min(len({*heads}), len({*tails})) > 1 and all(heads) and all(tails)
        if several and len({*heads}) * len({*tails}) == len(columns) == len({*zip(heads, tails, strict=True)}):
            return _in_record(heads), tails
    return None


def _in_record(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without the record that holds them all, as ``scores`` of ``scores.gpt``."""
    holder, mark, _ = names[0].partition(".")
    held = mark and holder.isidentifier() and all(name.startswith(holder + mark) for name in names)
    return tuple(name.removeprefix(holder + mark) for name in names) if held else names


def _beside_wide(names: Sequence[str], step: Step) -> tuple[str, ...]:
    """The columns beside those that hold scores, if all are there and none has a name that these become.

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If the table has a column of the role's name, or of scores, already.
    """
    for name in step.columns:
        if name not in names:
            raise UnknownColumn(BEATEN if step.role == BEATEN else "wide", name, names)
    others = tuple(name for name in names if name not in step.columns)
    made = {SCORE} if step.role == SCORE else {step.role} if step.role == COLUMNS else {*step.roles, SCORE}
    for name in made & ({*others} - {step.names}):
        raise InvalidInput(f'wide: the table has a column "{name}" already, which its columns would become; rename it')
    return others


def lengthened(opened: Opened, step: Step) -> Opened:
    """A row for each judgment that a row holds.

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If the table has a column of the role's name, or of scores, already, or its cells hold no lists.
    InvalidData
        If lists that belong together are of another length, or cells that count hold something else.
    """
    others = _beside_wide(opened.columns, step)
    inside = opened.inside
    kept, noted = [quoted(inside[name]) for name in others], (*opened.notes, step.note)
    if step.listed:
        return replace(_entries(opened, step, inside), notes=noted)
    kinds = opened.kinds
    kind = "DOUBLE" if all(kinds[name] in _NUMBERS for name in step.columns) else "VARCHAR"
    values = [f"{quoted(inside[name])}::{kind}" for name in step.columns]
    # lists of one length side by side become rows together
    counts = step.role in (SCORE, COLUMNS)
    value = COUNT if counts else SCORE
    both = crossed(step.columns) if len(step.roles) > 1 else (step.levels,)
    if both is None:
        raise InvalidInput(f'wide: "{step.role}" takes names of two parts, each with each, such as a_x, a_y, b_x, b_y')
    relation, below = opened.relation, [inside[name] for name in step.columns]
    if (
        isinstance(relation, Texts)
        and len(relation) * len(below) < MOST
        and not {*step.roles, value} & {*relation.columns}
    ):
        levels = dict(zip(step.roles, both, strict=True))
        relation = relation.stacked([inside[name] for name in others], levels, below, value)
    else:
        said = zip(step.roles, (", ".join(map(literal, part)) for part in both), strict=True)
        parts = [*kept, *(f"unnest([{labels}]) AS {quoted(role)}" for role, labels in said)]
        relation = relation.project(", ".join([*parts, f"unnest([{', '.join(values)}]) AS {quoted(value)}"]))
    if step.role == BEATEN:  # nobody meets himself, for which a dash may stand
        met = f"regexp_replace({SCORE}::VARCHAR, '[\\s.\u2013\u2014-]', '', 'g')"
        relation = relation.filter(f"coalesce({met}, '') <> ''")
    long = replace(opened, relation=relation, columns=(*others, *step.roles, value), notes=noted)
    if len(step.roles) > 1 or step.role == BEATEN:
        return long
    if counts:
        return repeated(long, COUNT, listed_in=step.columns)
    scores = dict(zip(step.levels, values, strict=True))
    return replace(long, across=Across(opened.relation, {name: inside[name] for name in others}, step.role, scores))


def lengthened_frame(frame: Frame, step: Step) -> Frame:
    """As `lengthened`, of a frame in a library of its own, whose columns hold scores."""
    import narwhals as nw

    named, schema = dict(zip(step.columns, step.levels, strict=True)), frame.collect_schema()
    others = _beside_wide(schema.names(), step)
    if not all(schema[name].is_numeric() for name in step.columns):
        frame = frame.with_columns(nw.col(name).cast(nw.String) for name in step.columns)
    frame = frame.rename(named) if named.keys() != {*named.values()} else frame
    return frame.unpivot(on=[*named.values()], index=list(others), variable_name=step.role, value_name=SCORE)


def repeated(opened: Opened, count: str, *, listed_in: Sequence[str] = ()) -> Opened:
    """Every row as many times as a column says, which is then left out.

    Raises
    ------
    UnknownColumn
        If the column is not there.
    InvalidData
        If a count is no whole number, below nought, or they are too many.
    """
    if count not in opened.columns:
        raise UnknownColumn(COUNT, count, opened.columns, "facets")
    place = len(opened.columns) - 1 - opened.columns[::-1].index(count)
    text = f"nullif(trim({quoted(opened.relation.columns[place])}::VARCHAR), '')"
    number = f"TRY_CAST({text} AS DOUBLE)"
    bad = f"{text} IS NOT NULL AND NOT coalesce({number} >= 0 AND {number} = floor({number}), false)"
    asked = f"count(*) FILTER (WHERE {bad}), min({text}) FILTER (WHERE {bad}), sum({number}) FILTER (WHERE NOT ({bad}))"
    ((wrong, first, total),) = opened.relation.aggregate(asked).fetchall()
    named = f"column {listed_in[0]} and others" if listed_in else f'column "{count}"'
    if wrong:
        raise InvalidData(f'{named}: counts how often a row occurs, and holds "{first}" ({wrong:,} cells like this)')
    if (total or 0) > MOST_COUNTED:
        raise InvalidData(f"{named}: stands for {total:,.0f} judgments, at most {MOST_COUNTED:,} are read")
    kept = [quoted(name) for at, name in enumerate(opened.relation.columns) if at != place]
    again = f"unnest(range(coalesce({number}, 0)::BIGINT)) AS again"
    relation = opened.relation.project(", ".join([*kept, again])).project(", ".join(kept))
    columns = (*opened.columns[:place], *opened.columns[place + 1 :])
    said = () if listed_in else (Note(f"every row is meant as often as {count} says", COUNT, (count,)),)
    return replace(opened, relation=relation, columns=columns, notes=(*opened.notes, *said))


def _entries(opened: Opened, step: Step, inside: Mapping[str, str]) -> Opened:
    """A row for each entry of the lists in a column, with its place, or what the list beside it says."""
    (column,) = step.columns
    if step.names is not None and step.names not in inside:
        raise UnknownColumn(step.role, step.names, opened.columns, "facets")
    lists = {name: _entries_of(quoted(inside[name])) for name in (column, step.names) if name is not None}
    sizes = [f"len({one})" for one in lists.values()]
    differ = f"count(*) FILTER (WHERE {sizes[0]} <> {sizes[-1]}), coalesce(max({sizes[0]}), 0)"
    ((uneven, most),) = opened.relation.aggregate(differ).fetchall()
    if most < 2:
        raise InvalidInput(f'wide: no cell of "{column}" holds a list; "{step.role}" needs two columns or more')
    if uneven:
        raise InvalidData(f"{column} and {step.names} hold lists of another length in {uneven:,} rows")
    others = [name for name in opened.columns if name not in lists]
    made = {
        step.names or step.role: lists[step.names] if step.names else f"range(1, {sizes[0]} + 1)",
        SCORE: lists[column],
    }
    kept = [quoted(inside[name]) for name in others]
    relation = opened.relation.project(
        ", ".join([*kept, *(f"unnest({sql}) AS {quoted(k)}" for k, sql in made.items())])
    )
    if step.role == PLACE:  # which several may share: whom nobody compared, or, at a place between two, who tie
        apart = f"string_split(regexp_replace({SCORE}, '{SHARED}', '{AMONG}', 'g'), '{AMONG}')"
        each = f"unnest(list_transform({apart}, lambda x: trim(x))) AS {SCORE}"
        tied = f"regexp_matches({SCORE}, '{SHARED}') AND NOT contains({SCORE}, '{AMONG}')"
        place = f"CASE WHEN {tied} THEN {PLACE} + 0.5 ELSE {PLACE} END AS {PLACE}"
        relation = relation.project(", ".join([*kept, place, each]))
    return replace(opened, relation=relation, columns=(*others, *made))


def _entries_of(name: str) -> str:
    """The entries of a list that a cell holds, in SQL: JSON, or values with >, commas, semicolons or bars between."""
    text = f"trim({name}::VARCHAR)"
    bare = f"regexp_replace({text}, '^[\\[(]|[\\])]$', '', 'g')"
    marks = " ".join(f"WHEN contains({bare}, '{mark}') THEN '{mark}'" for mark in (">", ";", "|"))
    mark = f"CASE {marks} ELSE ',' END"
    split = f"list_transform(string_split({bare}, {mark}), lambda x: trim(x, ' \"'''))"
    as_json = f"CASE WHEN {text} LIKE '[%' AND json_valid({text}) THEN from_json({text}, '[\"VARCHAR\"]') END"
    found = f"coalesce({as_json}, {split})"
    return f"CASE WHEN len({found}) > 0 THEN {found} ELSE [NULL] END"
