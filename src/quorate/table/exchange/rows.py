"""Rows of a source that are read: those for which a condition holds, which is an expression and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import AMONG, BETTER, DOWN, OF, SAME
from quorate.table.columns.words import Words, words_in
from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.exchange.wide import AS_IT_IS, CROSSED, Shape, lengthened, repeated
from quorate.table.notes import Note
from quorate.wording import Brief

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROW_NUMBER = "row number"
"""Name by which the number of a row is a column, where a table has none that says what its rows are."""
_MOST_TEXT = 10_000
MOST_RANKED = 50
"""Systems of which those that a row does not name come behind those that it does."""
_CLASSES = frozenset(
    ("COLUMN_REF", "CONSTANT", "COMPARISON", "CONJUNCTION", "OPERATOR", "FUNCTION", "CAST", "TYPE", "BETWEEN", "CASE")
)
_ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%", "abs", "ceil", "floor", "mod", "round", "sign"))
_FUNCTIONS = _ARITHMETIC | frozenset(
    (
        *("~~", "!~~", "~~*", "!~~*", "||", "like_escape", "ilike_escape", "not_like_escape", "not_ilike_escape"),
        *("concat", "contains", "ends_with", "left", "length", "lower", "ltrim", "prefix", "regexp_extract"),
        *("regexp_full_match", "regexp_matches", "replace", "right", "rtrim", "split_part", "starts_with", "strlen"),
        *("substr", "substring", "suffix", "trim", "upper", "hash", "isfinite", "isinf", "isnan", "greatest", "least"),
        *("date_diff", "date_part", "date_trunc", "day", "dayofweek", "epoch", "hour", "month", "year", "isodow"),
    )
)
_TYPES = frozenset(
    (
        *("BIGINT", "BOOLEAN", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "HUGEINT", "INT", "INTEGER", "INTERVAL", "REAL"),
        *("SMALLINT", "STRING", "TEXT", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TINYINT"),
        *("UBIGINT", "UINTEGER", "VARCHAR"),
    )
)
_NO_NUMBERS = ("STRING", "NULL", "BOOLEAN", "BLOB")

Node = dict[str, Any]


@dataclass(frozen=True)
class Rows(Brief):
    """Which rows of a source are read.

    Parameters
    ----------
    where : str, optional
        A condition in DuckDB's SQL over the source's own columns.
    partitions : bool
        Whether the source is a folder, whose folders may name columns.
    part : str, optional
        Which of the scores that the log of another tool holds; several with commas.
    format : str, optional
        Name of the format, whatever the file looks like.
    shape : Shape
        How rows of several judgments become one row for each.
    words : Words, optional
        A column of words, and the numbers that stand for them.
    numbered : bool
        Whether the number of each row is a column too.
    made : tuple of str
        Columns that no table has: two or more together, named with ``*`` between their names, or with ``>`` where they
        name who is first, second and so on; the share of one in another, with ``/``; one with ``..`` behind its
        name, whose empty cells hold what stands above; or a word behind ``:`` that is the same in every row.
    about : float, optional
        The number that scores are taken from, where less is better.
    """

    where: str | None = None
    partitions: bool = False
    part: str | None = None
    format: str | None = None
    shape: Shape = AS_IT_IS
    words: Words | None = None
    numbered: bool = False
    made: tuple[str, ...] = ()
    about: float | None = None

    def refuse(self, source: str) -> None:
        """Refuse to choose rows of a source that has a library of its own for that."""
        for name in ("where", "partitions", "part", "format"):
            if getattr(self, name):
                raise InvalidInput(
                    f"{name}: is for files, and this is a {source}; filter it with its own library first"
                )

    def of(self, opened: Opened) -> Opened:
        """The rows for which the condition holds, with a caveat that says so; one for each judgment.

        Raises
        ------
        InvalidInput
            If it is no expression over columns, or holds for no row.
        """
        import duckdb

        if self.where is None:
            return self._shaped(opened)
        test = condition(self.where, opened)
        try:
            counted = opened.relation.aggregate(f"count(*), count(*) FILTER (WHERE {test})").fetchall()
        except duckdb.Error as error:
            if isinstance(error, (duckdb.BinderException, duckdb.ConversionException)):
                raise _refused(self.where, f"cannot be used ({_first_line(error)}); text columns take quotes") from None
            raise
        ((rows, kept),) = counted
        if not kept:
            raise _refused(self.where, f"holds for none of {rows:,} rows")
        said = caveats.chosen_rows(_shown(self.where), kept, rows)
        kept_rows = replace(opened, relation=opened.relation.filter(test), caveats=(*opened.caveats, said))
        return self._shaped(kept_rows)

    def _shaped(self, opened: Opened) -> Opened:
        """With a row for each judgment, the numbers of what is judged, and numbers in the place of words."""
        if self.shape.count is not None:
            opened = repeated(opened, self.shape.count)
        *first, last = self.shape.among(opened.columns).steps or (None,)
        for step in first:
            opened = lengthened(opened, step)
        opened = numbered(opened) if self.numbered else opened
        for name in self.made:
            opened = made(opened, name)
        return words_in(opened if last is None else lengthened(opened, last), self.words)


def numbered(opened: Opened) -> Opened:
    """The same rows with their numbers, from 1, in the order of the source, or of each of its tables."""
    over = f"PARTITION BY {quoted(opened.counted_in)}" if opened.counted_in else ""
    relation = opened.relation.project(f"*, row_number() OVER ({over}) AS {quoted(ROW_NUMBER)}")
    said = (Note("rows of one number are taken for the same item"),) if opened.counted_in else ()
    return replace(opened, relation=relation, columns=(*opened.columns, ROW_NUMBER), notes=(*opened.notes, *said))


def is_made(name: str) -> bool:
    """Whether a name is that of a column which may have to be made.

    Examples
    --------
    >>> is_made("question*rater"), is_made(":gpt"), is_made("System.."), is_made("score")
    (True, True, True, False)
    """
    alone = (name.startswith(SAME) and name != SAME) or (name.endswith(DOWN) and name != DOWN)
    return CROSSED in name or BETTER in name or alone


def parts_of(name: str) -> tuple[str, ...]:
    """The columns that a name is made of; itself where it is that of a column, none where it says one word.

    Examples
    --------
    >>> parts_of("question*rater"), parts_of("passed/tried"), parts_of("System.."), parts_of(":gpt"), parts_of("score")
    (('question', 'rater'), ('passed', 'tried'), ('System',), (), ('score',))
    """
    if name.startswith(SAME):
        return ()
    between = next((mark for mark in (BETTER, CROSSED, OF) if mark in name), None)
    parts = name.split(between) if between else [name.removesuffix(DOWN)]
    places = [place.split(AMONG) if between == BETTER else [place] for place in parts]
    named = [part.strip() if between else part for place in places for part in place]
    return tuple(part for part in named if part or between != BETTER)


def made(opened: Opened, name: str) -> Opened:
    """The same rows with a column of two or more together, of one word, or filled downwards, unless one has that name.

    Raises
    ------
    UnknownColumn
        If one of these is not there.
    """
    if name in opened.columns:
        return opened
    inside = dict(zip(opened.columns, opened.relation.columns, strict=True))
    parts = parts_of(name)
    for part in parts:
        if part not in inside:
            raise UnknownColumn(name, part, opened.columns)
    if name.endswith(DOWN):
        return _filled(opened, name)
    if name.startswith(SAME):
        value = literal(name.removeprefix(SAME))
    else:
        between = next(mark for mark in (BETTER, CROSSED, OF) if mark in name)
        columns = [quoted(inside[part]) for part in parts]
        texts, numbers = ([f"TRY_CAST({column} AS {kind})" for column in columns] for kind in ("VARCHAR", "DOUBLE"))
        share = f"{numbers[0]} / nullif({numbers[1]}, 0)"
        places = texts
        if between == BETTER:
            _refuse_marks(opened, name, texts)
            places = _places(name, dict(zip(parts, texts, strict=True)), opened)
        value = share if between == OF else f"concat_ws(' {between} ', {', '.join(places)})"
    relation = opened.relation.project(f"*, {value} AS {quoted(name)}")
    return replace(opened, relation=relation, columns=(*opened.columns, name))


def _refuse_marks(opened: Opened, name: str, texts: Iterable[str]) -> None:
    """Refuse names of systems in which a mark stands that is between names here."""
    marked = " OR ".join(f"contains({one}, '{mark}')" for one in texts for mark in (BETTER, AMONG))
    if opened.relation.filter(marked).limit(1).fetchall():
        raise InvalidData(f"rank: columns of {name} hold names with {BETTER} or {AMONG} in them; write these otherwise")


def _places(name: str, texts: Mapping[str, str], opened: Opened) -> list[str]:
    """Who has each place, in SQL: of columns that share one, of all without any, those whom no other place has."""
    places = [[part.strip() for part in place.split(AMONG)] for place in name.split(BETTER)]
    alone = [texts[place[0]] for place in places if len(place) == 1 and place[0] in texts]
    out = []
    for place in places:
        if len(place) == 1 and place[0] in texts:
            out.append(texts[place[0]])
            continue
        shared = [texts[part] for part in place if part in texts]
        if not shared:
            named = opened.relation.project(f"unnest([{', '.join(alone)}]) AS named").filter("named IS NOT NULL")
            labels = named.distinct().order("named").limit(MOST_RANKED + 1).fetchall()
            if len(labels) > MOST_RANKED:
                raise InvalidInput(f"rank: {name} names more than {MOST_RANKED} systems; leave out the last {AMONG}")
            shared = [literal(label) for (label,) in labels]
        others = f"list_filter([{', '.join(shared)}], lambda x: NOT list_contains([{', '.join(alone)}], x))"
        out.append(f"nullif(array_to_string({others}, ' {AMONG} '), '')")
    return out


def _filled(opened: Opened, name: str) -> Opened:
    """The same rows with a column whose empty cells hold what stands above them, as spreadsheets mean it."""
    place = opened.columns.index(name.removesuffix(DOWN))
    text = f"nullif(trim({quoted(opened.relation.columns[place])}::VARCHAR), '')"
    ordered = opened.relation.project("*, row_number() OVER () AS place_of_row")
    kept = ", ".join(quoted(column) for column in opened.relation.columns)
    filled = f"last_value({text} IGNORE NULLS) OVER (ORDER BY place_of_row)"
    relation = ordered.project(f"{kept}, {filled} AS {quoted(name)}")
    return replace(opened, relation=relation, columns=(*opened.columns, name))


def condition(where: str, opened: Opened) -> str:
    """A condition as DuckDB may be given it: made anew from its parts, each of a known kind, over known columns.

    Text compared, or computed, with a number is taken as a number, since files of text do not tell the two apart.

    Raises
    ------
    InvalidInput
        If it is anything but one expression of columns, constants, operators and functions of them.
    UnknownColumn
        If it names a column that is not there.
    """
    if not 0 < len(where.strip()) <= _MOST_TEXT:
        raise InvalidInput(f'where: expects a condition such as "score > 3", of at most {_MOST_TEXT:,} characters')
    with connection() as own:  # parses the condition, and runs nothing of it
        tree, plain, number = (_parsed(own, text) for text in (where, "1", "TRY_CAST(0 AS DOUBLE)"))
        selected = [one["node"].pop("select_list", ()) for one in (tree, plain, number)]  # a UNION has none
        if tree != plain or len(selected[0]) != 1 or selected[0][0]["alias"]:
            raise _refused(where, "must be one condition, not a statement or a list")
        columns = _Columns(where, opened, selected[2][0])
        try:
            tree["node"]["select_list"] = [columns.checked(selected[0][0])]
            text = own.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps({"statements": [tree]})])
        except RecursionError:
            raise _refused(where, "is nested too deeply") from None
        return "(" + str(text.fetchall()[0][0]).removeprefix("SELECT ") + ")"


def _parsed(own: DuckDBPyConnection, text: str) -> Node:
    """The one statement that selects an expression, as a tree."""
    import duckdb

    try:
        tree = json.loads(own.execute("SELECT json_serialize_sql(?)", [f"SELECT {text}"]).fetchall()[0][0])
    except duckdb.Error as error:
        raise _refused(text, f"cannot be read ({_first_line(error)})") from None
    except RecursionError:
        raise _refused(text, "is nested too deeply") from None
    if tree["error"]:
        raise _refused(text, f"cannot be read ({tree['error_message'].splitlines()[0]})")
    if len(tree["statements"]) != 1:
        raise _refused(text, "must be one condition, not several statements")
    statement: Node = tree["statements"][0]
    return statement


@dataclass(frozen=True)
class _Columns:
    """The columns that a condition may name, by the names in the file."""

    where: str
    opened: Opened
    number: Node

    def checked(self, node: Node) -> Node:
        """A part of the condition with the engine's names of columns, if it is of a kind that only looks at columns."""
        kind = node["class"]
        if kind not in _CLASSES:
            raise _refused(self.where, f"has a {kind.lower()} in it; only columns, values and functions of them can be")
        if kind == "COLUMN_REF":
            return {**node, "column_names": [self.name(node)]}
        if kind == "TYPE" and (node["schema"] or node["catalog"] or node["type_name"].upper() not in _TYPES):
            raise _refused(self.where, f'has a cast to "{node["type_name"]}", which is not allowed')
        if kind == "FUNCTION":
            self.refuse_function(node)
        made = {key: self.inside(value) for key, value in node.items()}
        return self.with_numbers(made)

    def inside(self, value: Any) -> Any:
        """What a part holds, with every expression in it checked."""
        if isinstance(value, list):
            return [self.inside(one) for one in value]
        if not isinstance(value, dict):
            return value
        return self.checked(value) if "class" in value else {key: self.inside(one) for key, one in value.items()}

    def name(self, node: Node) -> str:
        """The engine's name of the column that is named."""
        names = node["column_names"]
        columns, exact = self.opened.columns, ".".join(names)
        alike = [column for column in columns if column.casefold() == exact.casefold()]
        if exact not in columns and len(alike) != 1:
            raise UnknownColumn("where", exact, columns)
        return self.opened.relation.columns[columns.index(exact if exact in columns else alike[0])]

    def refuse_function(self, node: Node) -> None:
        """Refuse a function that does not only look at its arguments."""
        name = node["function_name"].lower()
        path = node.get("qualified_name", {}).get("path", [name])
        extras = node["schema"], node["catalog"], node["filter"], node["order_bys"]["orders"], node["distinct"]
        if name not in _FUNCTIONS or len(path) != 1 or any(extras):
            raise _refused(self.where, f'uses "{name}", which is not among the functions that a condition may have')

    def with_numbers(self, node: Node) -> Node:
        """Columns of text as numbers, where they stand beside a number or in arithmetic."""
        kind = node["class"]
        if kind == "FUNCTION" and node["function_name"].lower() in _ARITHMETIC:
            entries = [{**one, "expression": self.as_number(one["expression"])} for one in node["arguments"]]
            return {**node, "arguments": entries}
        sides = {"COMPARISON": ("left", "right"), "BETWEEN": ("input", "lower", "upper")}.get(kind, ())
        parts = [node[side] for side in sides] or (node["children"] if node["type"] == "COMPARE_IN" else [])
        values = [one for one in parts if one["class"] != "COLUMN_REF"]
        text = any(one["class"] == "CONSTANT" and one["literal"]["kind"] == "STRING" for one in values)
        if text or not any(_is_number(one) for one in values):
            return node
        if kind == "OPERATOR":
            return {**node, "children": [self.as_number(one) for one in parts]}
        return {**node, **{side: self.as_number(node[side]) for side in sides}}

    def as_number(self, node: Node) -> Node:
        """A column of text as a number; anything else as it is."""
        if node["class"] != "COLUMN_REF":
            return node
        relation = self.opened.relation
        text = str(relation.types[relation.columns.index(node["column_names"][0])]) == "VARCHAR"
        return {**self.number, "child": node} if text else node


def _is_number(node: Mapping[str, Any]) -> bool:
    if node["class"] == "FUNCTION":
        return str(node["function_name"]).lower() in _ARITHMETIC
    return node["class"] == "CONSTANT" and node["literal"]["kind"] not in _NO_NUMBERS


def _refused(where: str, why: str) -> InvalidInput:
    return InvalidInput(f'where: "{_shown(where)}" {why}')


def _shown(where: str) -> str:
    text = " ".join(where.split())
    return text if len(text) <= 200 else f"{text[:200]} ..."


def _first_line(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0].split("Error: ", 1)[-1]
