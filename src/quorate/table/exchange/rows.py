"""Rows of a source that are read: those for which a condition holds, which is an expression and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate import caveats
from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import AMONG, BETTER, DOWN, FOLDED, OF, PICK, SAME, VERDICT
from quorate.table.columns.words import Words, words_in
from quorate.table.exchange.engine import connection, registered
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.exchange.wide import AS_IT_IS, CROSSED, Frame, Shape, lengthened, lengthened_frame, repeated
from quorate.table.notes import Note
from quorate.wording import Brief

if TYPE_CHECKING:
    import narwhals as nw
    from duckdb import DuckDBPyConnection

ROW_NUMBER = "row number"
"""Name by which the number of a row is a column, where a table has none that says what its rows are."""
_MOST_TEXT = 10_000
IN_BRACKETS = r"\[\[\s*([^\[\]]{1,24}?)\s*\]\]"
"""A word in double brackets, as judges are asked to write their verdicts."""
PLACES = tuple(
    tuple(form for word in words_ for form in (word, word.upper(), word.capitalize()))
    for words_ in (
        ("false", "0", "no", "ab", "a_b", "listed", "original", "normal", "forward"),
        ("true", "1", "yes", "ba", "b_a", "swapped", "flipped", "reversed"),
    )
)
"""What says of two columns that they were shown in their order, and that they were exchanged."""
_PICKED = re.compile(r"([^|?]+)\|([^|?]+)\?(!?)([^|?!]+)")
"""Two columns, and one that names one of them."""
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
        name, whose empty cells hold what stands above, with ``~``, whose labels that differ in capitals alone are one,
        or with ``[[]]``, of whose texts the last word in double brackets is meant; the one of two that a third names,
        ``x|y?first``, or the other one, ``x|y?!first``, where ``:x`` is that word; or a word
        behind ``:`` that is the same in every row.
    """

    where: str | None = None
    partitions: bool = False
    part: str | None = None
    format: str | None = None
    shape: Shape = AS_IT_IS
    words: Words | None = None
    numbered: bool = False
    made: tuple[str, ...] = ()

    def of(self, opened: Opened) -> Opened:
        """The rows for which the condition holds, with a caveat that says so; one for each judgment.

        Raises
        ------
        InvalidInput
            If it is no expression over columns, or holds for no row.
        """
        if self.where is None:
            return self._shaped(opened)
        import duckdb

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

    def of_frame(self, frame: Frame) -> tuple[Frame, Rows, tuple[Note, ...]]:
        """A frame with a row for each judgment and the columns that are made, what is left to do, and what became rows.

        It stays in its own library, except where cells hold lists or counts.

        Raises
        ------
        InvalidInput
            If its own library is to choose rows, or it is not in memory and its rows need an order.
        UnknownColumn
            If a column is not there.
        """
        import narwhals as nw

        names = frame.collect_schema().names()
        rows = replace(self, shape=self.shape.among(names))
        if not (frame.implementation.is_duckdb() or rows.shape.simple):
            if isinstance(frame, nw.LazyFrame):
                raise InvalidInput("source: lists and counts are read of a frame that is in memory; collect it first")
            frame = nw.from_native(registered(connection(), frame))
        if frame.implementation.is_duckdb():
            return frame, rows, ()
        for name in ("where", "partitions", "part", "format"):
            if getattr(self, name):
                own = f"{frame.implementation.value} frame"
                raise InvalidInput(f"{name}: is for files, and this is a {own}; filter it with its own library first")
        steps = rows.shape.steps
        if self.numbered:
            frame = _in_order(frame).with_row_index(ROW_NUMBER).with_columns(nw.col(ROW_NUMBER) + 1)
        for name in self.made:
            frame = frame if name in names else _made_in_frame(frame, name)
        for step in steps:
            frame = lengthened_frame(frame, step)
        return frame, replace(self, shape=AS_IT_IS, made=(), numbered=False), tuple(step.note for step in steps)


def numbered(opened: Opened) -> Opened:
    """The same rows with their numbers, from 1, in the order of the source, or of each of its tables."""
    over = f"PARTITION BY {quoted(opened.counted_in)}" if opened.counted_in else ""
    relation = opened.relation.project(f"*, row_number() OVER ({over}) AS {quoted(ROW_NUMBER)}")
    said = (Note("rows of one number are taken for the same item"),) if opened.counted_in else ()
    return replace(opened, relation=relation, columns=(*opened.columns, ROW_NUMBER), notes=(*opened.notes, *said))


@dataclass(frozen=True)
class Made(Brief):
    """A column that no table has, by its name.

    Parameters
    ----------
    name : str
        As it was asked for.
    mark : str
        What is done: `CROSSED`, `OF`, `BETTER`, `DOWN`, `FOLDED`, `VERDICT`, `PICK` or `SAME`; empty where it is a
        column of that name.
    places : tuple of tuple of str
        The columns that it is made of, and where names rank, those that share each place.
    """

    name: str
    mark: str
    places: tuple[tuple[str, ...], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The columns that it is made of."""
        parts = [part for place in self.places for part in place]
        if self.mark == PICK:
            return tuple(part for part in parts if not part.startswith(SAME))
        return tuple(part for part in parts if part or self.mark != BETTER)

    def refuse(self, names: Iterable[str]) -> None:
        """Refuse columns that are not among these."""
        for part in self.parts:
            if part not in names:
                raise UnknownColumn(self.name, part, [*names])


def made_of(name: str) -> Made:
    """What a name says that its column is made of.

    Examples
    --------
    >>> made_of("question*rater").parts, made_of("passed/tried").parts, made_of(":gpt").parts, made_of("score").parts
    (('question', 'rater'), ('passed', 'tried'), (), ('score',))
    >>> made_of("best > good|fair > |").places
    (('best',), ('good', 'fair'), ('', ''))
    >>> made_of("new|old?shown").parts, made_of(":new|:old?shown").parts
    (('new', 'old', 'shown'), ('shown',))
    """
    picked = _PICKED.fullmatch(name)
    if picked is not None:
        return Made(name, PICK, tuple((part,) for part in picked.group(1, 2, 4)))
    if name.startswith(SAME) and name != SAME:
        return Made(name, SAME, ())
    mark = next((mark for mark in (BETTER, CROSSED, OF) if mark in name), "")
    if mark:
        places = [place.split(AMONG) if mark == BETTER else [place] for place in name.split(mark)]
        return Made(name, mark, tuple(tuple(part.strip() for part in place) for place in places))
    mark = next((mark for mark in (DOWN, FOLDED, VERDICT) if name.endswith(mark) and name != mark), "")
    return Made(name, mark, ((name.removesuffix(mark),),))


def is_made(name: str) -> bool:
    """Whether a name is that of a column which may have to be made; a share is asked for by its option alone.

    Examples
    --------
    >>> is_made("question*rater"), is_made(":gpt"), is_made("System.."), is_made("score")
    (True, True, True, False)
    """
    return made_of(name).mark not in ("", OF)


def made(opened: Opened, name: str) -> Opened:
    """The same rows with a column of two or more together, of one word, or filled downwards, unless one has that name.

    Raises
    ------
    UnknownColumn
        If one of these is not there.
    """
    if name in opened.columns:
        return opened
    one, inside = made_of(name), opened.inside
    one.refuse(opened.columns)
    columns = [quoted(inside[part]) for part in one.parts]
    texts, numbers = ([f"TRY_CAST({column} AS {kind})" for column in columns] for kind in ("VARCHAR", "DOUBLE"))
    relation = opened.relation
    if one.mark == SAME:
        value = literal(name.removeprefix(SAME))
    elif one.mark == DOWN:  # as spreadsheets mean empty cells
        relation = relation.project("*, row_number() OVER () AS place_of_row")
        text = f"nullif(trim({columns[0]}::VARCHAR), '')"
        value = f"last_value({text} IGNORE NULLS) OVER (ORDER BY place_of_row)"
    elif one.mark == FOLDED:  # as each is written most often
        value = f"mode(trim({texts[0]})) OVER (PARTITION BY lower(trim({texts[0]})))"
    elif one.mark == VERDICT:
        value = f"list_last(regexp_extract_all({texts[0]}, '{IN_BRACKETS}', 1))"
    elif one.mark == PICK:
        words = [place[0] for place in one.places]
        held = dict(zip(one.parts, (f"trim({text})" for text in texts), strict=True))
        x, y, named = (held.get(word, literal(word.removeprefix(SAME))) for word in words)
        first, other = ((x, y), (y, x))[_is_turned(name)]
        places = [", ".join(map(literal, (word, *more))) for word, more in zip(words, PLACES, strict=False)]
        says = [f"{named} IN ({known}) OR {named} = {cell}" for known, cell in zip(places, (x, y), strict=True)]
        value = f"CASE WHEN {says[0]} THEN {first} WHEN {says[1]} THEN {other} END"
    elif one.mark == OF:
        value = f"{numbers[0]} / nullif({numbers[1]}, 0)"
    else:
        places = _places(one, dict(zip(one.parts, texts, strict=True)), opened) if one.mark == BETTER else texts
        value = f"concat_ws(' {one.mark} ', {', '.join(places)})"
    kept = ", ".join(quoted(column) for column in opened.relation.columns)
    relation = relation.project(f"{kept}, {value} AS {quoted(name)}")
    return replace(opened, relation=relation, columns=(*opened.columns, name))


def _is_turned(name: str) -> bool:
    """Whether the other one is meant of two columns of which a third names one."""
    picked = _PICKED.fullmatch(name)
    return picked is not None and bool(picked[3])


def _places(one: Made, texts: Mapping[str, str], opened: Opened) -> list[str]:
    """Who has each place, in SQL: of columns that share one, of all without any, those whom no other place has."""
    marked = " OR ".join(f"contains({text}, '{mark}')" for text in texts.values() for mark in (BETTER, AMONG))
    if opened.relation.filter(marked).limit(1).fetchall():
        raise InvalidData(
            f"rank: columns of {one.name} hold names with {BETTER} or {AMONG} in them; write these otherwise"
        )
    alone = [texts[place[0]] for place in one.places if len(place) == 1 and place[0] in texts]
    out = []
    for place in one.places:
        if len(place) == 1 and place[0] in texts:
            out.append(texts[place[0]])
            continue
        shared = [texts[part] for part in place if part in texts]
        if not shared:
            named = opened.relation.project(f"unnest([{', '.join(alone)}]) AS named").filter("named IS NOT NULL")
            labels = named.distinct().order("named").limit(MOST_RANKED + 1).fetchall()
            if len(labels) > MOST_RANKED:
                raise InvalidInput(
                    f"rank: {one.name} names more than {MOST_RANKED} systems; leave out the last {AMONG}"
                )
            shared = [literal(label) for (label,) in labels]
        others = f"list_filter([{', '.join(shared)}], lambda x: NOT list_contains([{', '.join(alone)}], x))"
        out.append(f"nullif(array_to_string({others}, ' {AMONG} '), '')")
    return out


def _made_in_frame(frame: Frame, name: str) -> Frame:
    """A frame with a column that is made of others, as `made` makes it."""
    import narwhals as nw

    one = made_of(name)
    one.refuse(frame.collect_schema().names())
    if one.mark == SAME:
        return frame.with_columns(nw.lit(name.removeprefix(SAME)).alias(name))
    if one.mark == DOWN:
        return _in_order(frame).with_columns(nw.col(one.parts[0]).fill_null(strategy="forward").alias(name))
    if one.mark in (FOLDED, VERDICT):
        labels = [None if label is None else str(label).strip() for label in _in_order(frame)[one.parts[0]].to_list()]
        said = _folded(labels) if one.mark == FOLDED else [_verdict(label or "") for label in labels]
        return _in_order(frame).with_columns(nw.new_series(name, said, nw.String, backend=frame.implementation))
    if one.mark == PICK:
        words = [place[0] for place in one.places]
        held = {part: nw.col(part).cast(nw.String).str.strip_chars() for part in one.parts}
        x, y, says = (held.get(word, nw.lit(word.removeprefix(SAME))) for word in words)
        first, other = ((x, y), (y, x))[_is_turned(name)]
        told = zip(words, PLACES, (x, y), strict=False)
        is_x, is_y = (says.is_in([word, *more]) | (says == cell) for word, more, cell in told)
        return frame.with_columns(nw.when(is_x).then(first).otherwise(nw.when(is_y).then(other)).alias(name))
    values = [nw.col(part).cast(nw.Float64 if one.mark == OF else nw.String) for part in one.parts]
    if one.mark == OF:
        return frame.with_columns(nw.when(values[1] != 0).then(values[0] / values[1]).alias(name))
    return frame.with_columns(nw.concat_str(values, separator=f" {one.mark} ").alias(name))


def _folded(labels: Sequence[str | None]) -> list[str | None]:
    """Labels that differ in capitals alone as each is written most often."""
    usual = {label.lower(): label for label, _ in reversed(Counter(filter(None, labels)).most_common())}
    return [None if label is None else usual.get(label.lower(), label) for label in labels]


def _verdict(text: str) -> str | None:
    """The last word in double brackets."""
    found = re.findall(IN_BRACKETS, text)
    return found[-1] if found else None


def _in_order(frame: Frame) -> nw.DataFrame[Any]:
    """A frame whose rows have an order."""
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame):
        raise InvalidInput("source: rows of a frame that is not in memory have no order; collect it first")
    return frame


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
        return self.opened.inside[exact if exact in columns else alike[0]]

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
