"""CSV and TSV: every column as text, by the names of the first line."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.table.columns.names import form_of, words_of
from quorate.table.columns.scales import number
from quorate.table.exchange.encoding import Encoding, binary, encoding_of, notes_of
from quorate.table.exchange.foreign.together import SHEET, as_levels
from quorate.table.exchange.format import Format, Opened, head, literal, pattern, quoted, refuse_matrix, suffix_of
from quorate.table.exchange.platforms import of_limesurvey, of_toloka
from quorate.table.exchange.texts import MOST, texts
from quorate.table.notes import Note
from quorate.wording import counted, listed

if TYPE_CHECKING:
    import duckdb


def open_sheets(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None = None) -> Opened:
    """The sheet that holds a table, or sheets with the same columns, each a level.

    Raises
    ------
    InvalidData
        If it is no spreadsheet, or no sheet holds a table.
    InvalidInput
        If its sheets are not one table and ``part`` does not say which are meant.
    """
    import python_calamine

    try:
        book = python_calamine.load_workbook(str(path))
        found = {name: _rows(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names}
    except python_calamine.CalamineError as error:
        raise InvalidData(f"{path}: is no spreadsheet that can be read ({error}); save it anew or export it") from error
    tables = {name: rows for name, rows in found.items() if len(rows) > 1}
    wanted = _of_judgments(tables) if part is None else [name.strip() for name in part.split(",")]
    for name in wanted:
        if name not in tables:
            raise InvalidInput(f'part: no sheet "{name}" with a table in {path.name}; it has {listed(list(tables))}')
    if not wanted:
        raise InvalidData(f"{path}: no sheet holds a table; the first row must name the columns")
    opened = {name: of_rows(connection, path, tables[name]) for name in wanted}
    columns = {name: one.columns for name, one in opened.items()}
    alike = max(columns.values(), key=[*columns.values()].count)
    of_one = [name for name in wanted if columns[name] == alike]
    if part is None and len(of_one) == 1:  # a summary of what another holds is far shorter
        of_one = [max(wanted, key=lambda name: len(tables[name]))]
    others = [name for name in wanted if name not in of_one]
    if others and part is None and _are_longer(tables, of_one, others, len(of_one) == 1):
        wanted = of_one
    elif others:
        raise InvalidInput(
            f"source: sheets of {path.name} are not one table ({listed(wanted, most=6)}); name those that are, such as "
            + argument("part", ",".join(of_one))
        )
    opened = {name: opened[name] for name in wanted}
    whole = as_levels(opened, SHEET)
    left = [name for name in tables if part is None and name not in wanted]
    if not left:
        return whole
    has = "has" if len(left) == 1 else "have"
    said = Note(f"{listed(left, most=6)} left out, which {has} other columns and fewer rows")
    return replace(whole, notes=(said, *whole.notes))


def _are_longer(tables: Mapping[str, list[list[str]]], sheets: Sequence[str], others: Sequence[str], far: bool) -> bool:
    """Whether every one of some sheets has more rows, or ``far`` more, than each of the others, which say of them."""
    longest = max(len(tables[name]) for name in others)
    return min(len(tables[name]) for name in sheets) > (_FAR_LONGER * longest if far else longest)


def _of_judgments(tables: Mapping[str, list[list[str]]]) -> list[str]:
    """Sheets without those of remarks, which have one column, and keys to words, of two columns and fewer rows."""
    wide = [name for name, rows in tables.items() if len(rows[0]) > 1]
    main = [name for name in wide if len(tables[name][0]) > len(("word", "meaning"))]
    keys = [name for name in wide if name not in main]
    shortest = min((len(tables[name]) for name in main), default=0)
    return main if keys and all(len(tables[name]) < shortest for name in keys) else wide or [*tables]


def of_rows(connection: duckdb.DuckDBPyConnection, path: Path, rows: list[list[str]]) -> Opened:
    """A table of rows of text whose first may name the columns."""
    joined = (_grouped(rows[0], rows[1]) or _answers_named(rows[0], rows[1])) if len(rows) > 1 else None
    rows = rows if joined is None else [joined, *rows[2:]]
    names, said = columns_by(path, rows[0], rows[1:])
    held = rows if said else rows[1:]
    columns = [[row[place] or None for row in held] for place in range(len(names))]
    return _with_points(Opened(texts(connection, columns), names, typed=False, notes=said), held[:LOOKED_AT], ",")


def _rows(cells: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Cells as text, without empty rows and columns, and without a title above the names of the columns."""
    rows = [[_text(cell) for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    filled = [place for place in range(max(map(len, rows), default=0)) if any(row[place] for row in rows)]
    rows = [[row[place] for place in filled] for row in rows]
    titles = takewhile(lambda row: len(filled) > 1 and sum(map(bool, row)) == 1, rows)
    return rows[len([*titles]) :]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return str(cell).strip()


SHEETS = Format("sheets", open_sheets, suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), packed=False, sheets=True)


SUFFIXES = (".csv", ".tsv", ".txt")
_DIGIT = re.compile(r"\d")
_MOST_WORDS, _ALIKE = 2, 0.95
"""Words among numbers that may stand for none, and share of decimals that have as many signs behind."""
_DECIMAL = re.compile(r"[+-]?\d+,\d+")
LOOKED_AT = 2_000
_FAR_LONGER = 4
"""Times the rows of another sheet from which on that is taken for a summary."""
_MOST_TITLES, _FEWEST_BELOW, _MOST_FIELDS = 5, 3, 20
"""Lines at the beginning that tell how a file is written; titles above a header, rows below it, fields of a record."""
_MOST_PLAIN = 1 << 18
"""Characters of a text that is held here, which is then as long as what is looked at."""
_DELIMITERS = (",", "\t", ";", "|")
UNNAMED = Note("the first line holds values, not names: columns are numbered")


def open_csv(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """Lines of delimited text: with tabs where the name says TSV, else with what its header has most of."""
    encoding = encoding_of(path)
    text = head(path, encoding)
    delimiter = delimiter_of(path, text)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        first = next(lines, [])
    except csv.Error as error:
        raise InvalidData(f"{path}: line 1 is not a header ({error})") from error
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # the last line may be cut off, and what is broken is for the engine
        rows.extend(islice(lines, LOOKED_AT))
    plain = encoding == "utf-8-sig" and _is_plain(text, delimiter, [first, *rows])
    comments = _comments([first, *rows])
    above = len(comments) or _titles([first, *rows])
    if comments:  # there may be others at the end
        rows = [row for row in rows if row not in comments and not (row and row[0].startswith("#") and len(row) == 1)]
        first = rows.pop(0)
    elif above:
        first, *rows = [first, *rows][above:]
    joined = (_grouped(first, rows[0]) or _answers_named(first, rows[0])) if rows else None
    if joined is not None:
        first, rows, above = joined, rows[1:], above + 1
    of_rows = len(rows) >= _FEWEST_BELOW and {*map(len, rows[:-1])} == {len(first) + 1}  # names that R writes
    columns, said = columns_by(path, ["", *first] if of_rows else first, rows)
    if of_rows:
        relation = _in_memory(connection, path, encoding, delimiter, len(columns), above + 1)
        said = (*said, Note("every row has a name before its values"))
    elif above:
        titles = above - (joined is not None)
        relation = _in_memory(connection, path, encoding, delimiter, len(columns), above + (not said))
        said = (*said, *([Note(f"{counted(titles, 'line')} above the header left out")] if titles else []))
        said = (*said, *([Note("heads of two lines are one")] if joined is not None else []))
    elif plain:
        held = [first, *rows] if said else rows
        relation = texts(connection, [[row[place] or None for row in held] for place in range(len(columns))])
    elif encoding == "utf-8-sig" and not _ends_differ(text):
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
        relation = connection.sql(
            f"SELECT * FROM read_csv({pattern(path)}, delim={literal(delimiter)}, quote='\"', escape='\"', "
            f"header={'false' if said else 'true'}, auto_detect=false, hive_partitioning=false, columns={{{types}}})"
        )
    else:
        relation = _in_memory(connection, path, encoding, delimiter, len(columns), int(not said))
    opened = _below_header(Opened(relation, columns, typed=False, notes=(*said, *notes_of(encoding))), rows)
    opened = _with_digits(_with_fields(opened, rows), rows)
    return of_limesurvey(of_toloka(_with_points(opened, rows, delimiter)))


def _is_plain(text: str, delimiter: str, rows: Sequence[Sequence[str]]) -> bool:
    r"""Whether these are all rows of a text, and few, that nobody reads in another way: as long, and quotes in place.

    Examples
    --------
    >>> _is_plain("a,b\n1,2\n", ",", [["a", "b"], ["1", "2"]]), _is_plain('a,b\n1,x"\n', ",", [["a", "b"], ["1", 'x"']])
    (True, False)
    """
    ends = {text.count(end) for end in ("\r\n", "\r", "\n")}
    if len(text) >= _MOST_PLAIN or len(rows) > MOST or not ends <= {0, text.count("\n")}:
        return False
    mark = re.escape(delimiter)
    return {*map(len, rows)} == {len(rows[0])} and (
        '"' not in text or '"' not in re.sub(rf'(?<![^{mark}\r\n])"(?:[^"]|"")++"(?![^{mark}\r\n])', "", text)
    )


def columns_by(
    path: Path, first: Sequence[str], below: Sequence[Sequence[str]]
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Names of the columns by the first line; where that holds values their numbers, and the note that says so.

    Raises
    ------
    InvalidData
        If there is no first line, or two columns have one name.
    """
    if not first:
        raise InvalidData(f"{path}: is empty; the first line must name the columns")
    refuse_matrix(path, len(first))
    if _are_values(first, below):
        return tuple(f"column{place}" for place in range(1, len(first) + 1)), (UNNAMED,)
    columns = tuple(" ".join(name.split()) or f"column{place}" for place, name in enumerate(first, 1))
    repeated = next((name for name, times in Counter(columns).items() if times > 1), None)
    if repeated is not None:
        raise InvalidData(f'{path}: two columns are named "{repeated}"; rename one')
    return columns, ()


def _comments(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The lines at the beginning that begin with #, of which a single one as long as those below is the header.

    Examples
    --------
    >>> len(_comments([["# of May", " all"], ["# 0 to 9"], ["id", "a", "b"], ["1", "2", "3"]]))
    2
    >>> _comments([["#", "a", "b"], ["1", "2", "3"], ["2", "3", "4"]])
    []
    """
    marked = [*takewhile(lambda row: bool(row) and row[0].startswith("#"), rows)]
    header = len(marked) == 1 and len(rows) > 1 and len(marked[0]) == len(rows[1])
    return [] if header or len(marked) == len(rows) else marked


def _titles(rows: Sequence[Sequence[str]]) -> int:
    """How many lines stand above the header: of one cell or none, or shorter ones than all that follow.

    Examples
    --------
    >>> _titles([["Ratings, May"], [], ["id", "a", "b"], ["1", "2", "3"], ["2", "3", "4"], ["3", "4", "5"]])
    2
    """
    padded = [*takewhile(lambda row: len(row) > 1 and sum(map(bool, row)) <= 1, rows)]  # as spreadsheets export them
    if 0 < len(padded) <= _MOST_TITLES and len(rows) - len(padded) > _FEWEST_BELOW:
        return len(padded)
    empty = max((place for place, row in enumerate(rows[: _MOST_TITLES + 1]) if not row), default=-1)
    widths = [*map(len, rows)]
    longer = next((place for place, width in enumerate(widths) if width > widths[0]), 0) if widths else 0
    begin = empty + 1 if empty > 0 else longer
    below = widths[begin:]
    if not 0 < begin <= _MOST_TITLES or len({*below}) != 1 or len(below) <= _FEWEST_BELOW:
        return 0
    above = [row for row in rows[:begin] if row]  # a line as long as those below may be the header, or a row
    single = empty > 0 or len(rows[0]) < len("ab") or not all(rows[0])
    return begin if single and all(len(row) != below[0] for row in above) else 0


def _grouped(groups: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """Names of columns that come back under names of groups, which spreadsheets merge; None where they do not.

    Examples
    --------
    >>> _grouped(["", "gpt", "", "llama", ""], ["id", "Ana", "Ben", "Ana", "Ben"])
    ['id', 'gpt (Ana)', 'gpt (Ben)', 'llama (Ana)', 'llama (Ben)']
    """
    again = {name for name, times in Counter(names).items() if name and times > 1}
    above = [*groups, *[""] * (len(names) - len(groups))]
    if not again or len(above) != len(names):
        return None
    joined, held = [], defaultdict[str, list[str]](list)
    group = ""
    for over, name in zip(above, names, strict=True):
        group = over or group
        if name in again:
            held[group].append(name)
        joined.append(f"{group} ({name})" if group and name in again else name or over)
    spans = [*map(tuple, held.values())]
    heads = sum(bool(over) for over, name in zip(above, names, strict=True) if name in again)
    merged = heads == len(held) and len({*spans}) == 1 and min(len(spans), len(spans[0])) > 1
    return joined if merged and len({*joined}) == len(joined) else None


def _answers_named(questions: Sequence[str], answers: Sequence[str]) -> list[str] | None:
    """Names of columns whose questions stand above what was asked about, as surveys have them; None of other lines.

    Examples
    --------
    >>> _answers_named(["id", "How good is", "", "Anything else?"], ["", "Ada", "Bly", "Open-Ended Response"])
    ['id', 'How good is [Ada]', 'How good is [Bly]', 'Anything else?']
    >>> _answers_named(["id", "old", "", "new"], ["1", "4", "5", "3"]) is None
    True
    """
    if len(answers) != len(questions) or not questions or not questions[0] or answers[0]:
        return None
    held: list[list[int]] = []
    for place, question in enumerate(questions):
        if question:
            held.append([place])
        else:
            held[-1].append(place)
    grids = [places for places in held if len(places) > 1]
    named = [[answers[place].strip() for place in places] for places in grids]
    numbers = any(number(name) is not None for names in named for name in names)
    alone = [answers[places[0]].strip() for places in held if len(places) == 1]
    if not grids or numbers or not all(all(names) and len({*names}) == len(names) for names in named):
        return None
    if 2 * sum(not name or "response" in name.lower() for name in alone) <= len(alone):
        return None
    joined = [*questions]
    for places, names in zip(grids, named, strict=True):
        for place, name in zip(places, names, strict=True):
            joined[place] = f"{questions[places[0]]} [{name}]"
    return joined if len({*joined}) == len(joined) else None


def _are_values(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a first line holds values: numbers alone, or words that stand below it too and numbers above numbers.

    Numbers that count columns, beside an empty name, are names, and so is a word above numbers.

    Examples
    --------
    >>> _are_values(["1", "3", "2"], []), _are_values(["", "0", "1", "2"], []), _are_values(["id", "1", "2"], [])
    (True, False, False)
    >>> _are_values(["q1", "gpt", "4"], [["q1", "claude", "5"], ["q2", "gpt", "3"]])
    True
    """
    filled = [name.strip() for name in names if name.strip()]
    counting = [[str(place + start) for place in range(len(filled))] for start in (0, 1)]
    if not filled or (len(filled) == len(names) - 1 and not names[0].strip() and filled in counting):
        return False
    if all(number(name) is not None for name in filled):
        return True
    # tables below one another repeat their names, and words in one column come back
    others = [row for row in below if row != names] if len(names) > 1 else below
    columns, again = [*islice(zip_longest(*others, fillvalue=""), len(names))], 0
    for place, name in enumerate(names):
        held = [*filter(None, map(str.strip, columns[place]))] if place < len(columns) else []
        numbers = bool(held) and all(number(value) is not None for value in held)
        if numbers and number(name) is None and name.strip():
            return False
        own = name.strip()
        again += own in held or (numbers and bool(own)) or _is_one_of(own, held)
    return (again > 1 or len(filled) == 1) and 2 * again > len(filled)


def _is_one_of(name: str, held: Sequence[str]) -> bool:
    """Whether a word is written as those below it: with numbers in the same places, or as long a sentence as they are.

    Examples
    --------
    >>> _is_one_of("task/0", ["task/1", "task/2"]), _is_one_of("task", ["task/1", "task/2"])
    (True, False)
    """
    if not held or name.endswith("?"):
        return False
    if len(name) > _SENTENCE and all(len(value) > _SENTENCE for value in held):
        return True
    form = form_of(name)
    if form == name or not all(map(_DIGIT.search, held)):
        return False
    return any(form_of(value) == form for value in held)


_SENTENCE = 40
"""Characters of a sentence, which names no column where all below it are as long."""


def _in_memory(
    connection: duckdb.DuckDBPyConnection, path: Path, encoding: Encoding, delimiter: str, columns: int, above: int
) -> duckdb.DuckDBPyRelation:
    """The rows of text that the engine does not read, below some lines: not UTF-8, or with titles above its header."""
    held: list[list[str | None]] = [[] for _ in range(columns)]
    try:
        with io.TextIOWrapper(binary(path), encoding=encoding, newline="") as stream:
            rows = csv.reader(stream, delimiter=delimiter)
            for row in islice(rows, above, None):
                if row and len(row) != columns and row[0].startswith("#"):
                    continue
                if row and len(row) != columns:
                    raise InvalidData(
                        f"{path}: line {rows.line_num}: the header has {columns} columns, this line {len(row)}; "
                        "repair or drop the line"
                    )
                for column, value in zip(held, row, strict=False):
                    column.append(value or None)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidData(f"{path}: cannot be read as CSV ({error}); save the file as UTF-8") from None
    return texts(connection, held)


def _below_header(opened: Opened, rows: Sequence[Sequence[str]]) -> Opened:
    """Without the two lines that Qualtrics writes below the header: questions, and their ids as JSON."""
    if len(rows) < 2 or not rows[1] or not all('"ImportId"' in cell for cell in rows[1] if cell):
        return opened
    first, second = (quoted(name) for name in (*opened.relation.columns[:1], opened.relation.columns[-1]))
    ids = f"starts_with({first}, '{{\"ImportId\"')"
    questions = f"({first} = {literal(rows[0][0])} AND coalesce({second}, '') = {literal(rows[0][-1])})"
    kept = opened.relation.filter(f"NOT coalesce({ids} OR {questions}, false)")
    note = Note("Qualtrics: the two lines below the header, of questions and their ids, left out")
    return replace(opened, relation=kept, notes=(*opened.notes, note))


def _with_fields(opened: Opened, rows: Sequence[Sequence[str]]) -> Opened:
    """Records that are written as JSON in a column, with a column for each of their fields: ``a.b``, as of JSON lines.

    Those of a column whose cells, as far as the beginning shows, all are records of few fields with one value each.
    """
    shown: dict[str, str] = {}
    found = []
    for place, (name, inner) in enumerate(opened.inside.items()):
        fields = _fields_of(cell for row in rows if place < len(row) and (cell := row[place].strip()))
        if fields and not {f"{name}.{field}" for field in fields} & {*opened.columns}:
            found.append(name)
            held = f"TRY_CAST({quoted(inner)} AS JSON)"
            pointers = {field: literal("/" + field.replace("~", "~0").replace("/", "~1")) for field in fields}
            shown |= {f"{name}.{field}": f"json_extract_string({held}, {at})" for field, at in pointers.items()}
        else:
            shown[name] = quoted(inner)
    if not found:
        return opened
    relation = opened.relation.project(", ".join(f"{sql} AS c{at}" for at, sql in enumerate(shown.values())))
    note = Note(f"records in {listed(found)}: each field is a column")
    return replace(opened, relation=relation, columns=tuple(shown), notes=(*opened.notes, note))


def _fields_of(cells: Iterable[str]) -> list[str]:
    """The fields of records that are written as JSON in these cells; none if some are none, or hold more than values.

    Examples
    --------
    >>> _fields_of(['{"a": 1}', '{"a": 2, "b": "x"}']), _fields_of(['{"a": [1]}']), _fields_of(["{}"])
    (['a', 'b'], [], [])
    """
    fields: dict[str, None] = {}
    for cell in cells:
        try:
            record = json.loads(cell) if cell[:1] == "{" else None
        except (ValueError, RecursionError):
            return []
        if not isinstance(record, dict) or any(isinstance(value, (dict, list)) for value in record.values()):
            return []
        fields.update(dict.fromkeys(record))
        if len(fields) > _MOST_FIELDS:
            return []
    return [*fields]


_DIGITS = "".join(chr(start + n) for start in (0x0660, 0x06F0, 0xFF10) for n in range(10))
"""Arabic, Persian and wide digits, each from 0 to 9."""
_OTHER_DIGITS = re.compile(rf"[-+]?[{_DIGITS}]+(?:[.,\u066b][{_DIGITS}]+)?")


def _with_digits(opened: Opened, rows: Sequence[Sequence[str]]) -> Opened:
    """Numbers in the digits that all readers know, where columns have them in those of another script."""
    found, shown = [], []
    for at, (name, inner) in enumerate(zip(opened.columns, opened.relation.columns, strict=True)):
        values = [cell for row in rows if at < len(row) and (cell := row[at].strip())]
        numbers = [value for value in values if _OTHER_DIGITS.fullmatch(value)]
        others = {value for value in values if not any(map(str.isdigit, value))}
        if 2 * len(numbers) > len(values) and len(numbers) + sum(value in others for value in values) == len(values):
            found.append(name)
            plainly = f"translate({quoted(inner)}, {literal(_DIGITS + chr(0x066B))}, {literal('0123456789' * 3 + '.')})"
            shown.append(f"{plainly} AS {quoted(inner)}")
        else:
            shown.append(quoted(inner))
    if not found:
        return opened
    note = Note(f"digits of another script are read as 0 to 9 in {', '.join(found)}")
    return replace(opened, relation=opened.relation.project(", ".join(shown)), notes=(*opened.notes, note))


def _with_points(opened: Opened, rows: Sequence[Sequence[str]], delimiter: str) -> Opened:
    """Decimals with points, where columns have them with commas, as far as their beginning shows.

    What stands between other marks than semicolons may be a list, but for what no list holds, and for a column beside
    which others of its name hold such numbers.
    """
    shown, found = [], []
    if not any("," in cell for row in rows for cell in row):
        return opened
    held = [[cell for row in rows if at < len(row) and (cell := row[at].strip())] for at in range(len(opened.columns))]
    for name, inner, values in zip(opened.columns, opened.relation.columns, held, strict=True):
        decimal = [value for value in values if _DECIMAL.fullmatch(value)]
        numbers = [value for value in values if _DECIMAL.fullmatch(value) or value.lstrip("+-").isdigit()]
        others = {value for value in values if not (_DIGIT.search(value) or "," in value)}  # such as n/a
        if (
            decimal
            and len(numbers) + sum(value in others for value in values) == len(values) < 2 * len(numbers)
            and len(others) <= _MOST_WORDS
            and (
                delimiter == ";"
                or _are_no_lists(decimal)
                or _holds_alike(name, numbers, dict(zip(opened.columns, held, strict=True)))
            )
        ):
            found.append(name)
            shown.append(f"replace({quoted(inner)}, ',', '.') AS {quoted(inner)}")
        else:
            shown.append(quoted(inner))
    if not found:
        return opened
    note = Note(f"decimals are written with a comma in {', '.join(found)}")
    return replace(opened, relation=opened.relation.project(", ".join(shown)), notes=(*opened.notes, note))


def _are_no_lists(decimals: Sequence[str]) -> bool:
    """Whether two numbers each are decimals: all have as many signs behind, of some a 0, and in no order."""
    pairs = [value.lstrip("+-").split(",") for value in decimals]
    ends = {after for _, after in pairs}
    falling = any(int(after) < int(before) for before, after in pairs)
    alike = max(Counter(len(after) for _, after in pairs).values())  # all but a mean below them
    return falling and alike >= _ALIKE * len(pairs) and any(after[-1] == "0" for after in ends)


def _holds_alike(name: str, values: Sequence[str], columns: Mapping[str, Sequence[str]]) -> bool:
    """Whether a column of the same name but for its last word holds numbers with points, and these between its ends."""
    own = [float(value.replace(",", ".")) for value in values]
    for other, cells in columns.items():
        alike = other != name and words_of(other)[:-1] == words_of(name)[:-1] != []
        numbers = [value for cell in cells if alike and (value := number(cell)) is not None]
        if numbers and len(numbers) == len(cells):
            low, high = min(numbers), max(numbers)
            if 2 * low - high <= min(own) and max(own) <= 2 * high - low:
                return True
    return False


def _ends_differ(text: str) -> bool:
    """Whether lines end in two ways, as in files that two systems wrote, which the engine does not read."""
    unquoted = re.sub(r'"[^"]*("|$)', "", text)
    return "\r\n" in unquoted and re.search(r"(?<!\r)\n", unquoted) is not None


def delimiter_of(path: Path, text: str) -> str:
    """What stands between the columns of a file that begins like this."""
    unquoted = re.sub(r'"[^"]*"', "", text)
    lines = re.split(r"[\r\n]+", unquoted.lstrip("\r\n"))[: _MOST_TITLES + 1]
    bare = [line for line in lines if not line.startswith("#")]  # which comments do
    header = next((line for line in bare or lines if any(mark in line for mark in _DELIMITERS)), None)
    if suffix_of(path) == ".tsv":
        return "\t"
    return max(_DELIMITERS, key=header.count) if header else " " if _are_spaced(text) else ","


def _are_spaced(text: str) -> bool:
    r"""Whether lines hold as many values with one space between them as their header has names, or one more.

    Examples
    --------
    >>> _are_spaced('"a" "b"\n"1" 3 4\n"2" 4 NA\n"3" 2 2'), _are_spaced("text\nas it is\nand more\nor so")
    (True, False)
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=" ")
    with contextlib.suppress(csv.Error):
        header, *widths = [len(line) for line in islice(lines, LOOKED_AT) if line][:-1] or [0]
        return len(widths) >= _FEWEST_BELOW - 1 and header > 1 and {*widths} in ({header}, {header + 1})
    return False


FORMAT = Format("csv", open_csv, suffixes=SUFFIXES)
