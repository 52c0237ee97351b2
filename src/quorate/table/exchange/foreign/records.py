"""Rows of another tool's log, put together one by one and read as any table is."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.caveats import Caveat
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.roles import CATEGORY, GENERATION, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM, TEMPERATURE
from quorate.table.columns import roles, scales, vote_roles
from quorate.table.columns.languages import plain
from quorate.table.exchange.encoding import binary, encoding_of
from quorate.table.exchange.format import Kind, Opened, SeveralParts, quoted
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


MOST_BYTES = 1 << 30
"""Size of a file that is one JSON value: it takes three to five times its size in memory."""


def objects(path: Path, *wanted: str, of: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one on each line, with their line's number; blank lines are passed over.

    Parameters
    ----------
    path : Path
        The file, perhaps packed by gzip.
    *wanted : str
        Keys that every object must have.
    of : str
        Who writes them, and in which version, for the line about one that lacks.

    Raises
    ------
    InvalidData
        If a line is not an object, lacks a key, or is cut off.
    """
    with binary(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                cut = "" if line.endswith(b"\n") else "; the file is cut off: export it again"
                raise InvalidData(f"{path}: line {number} is not JSON ({why(error, at=True)}){cut}") from None
            if not isinstance(value, dict):
                raise InvalidData(f"{path}: line {number} is not a JSON object")
            refuse_lacking(value, wanted, f"{path}: line {number}", of)
            yield number, value


def refuse_lacking(record: Any, wanted: Iterable[str], where: str, of: str = "") -> None:
    """Refuse a record that lacks a key of those that are wanted, or that is no object.

    Raises
    ------
    InvalidData
        With the first one, and who writes it.
    """
    for key in wanted:
        if not isinstance(record, dict) or key not in record:
            raise InvalidData(f'{where} has no "{key}"' + (f", which {of} writes" if of else ""))


def document(path: Path, way_out: str) -> Any:
    """The one JSON value of a file.

    Parameters
    ----------
    path : Path
        The file, perhaps packed by gzip.
    way_out : str
        What to do with one that is too large to be read at once.

    Raises
    ------
    InvalidData
        If it is not JSON, or cut off.
    InvalidInput
        If it is larger than a gigabyte.
    """
    if path.stat().st_size > MOST_BYTES:
        raise InvalidInput(f"{path}: is one JSON value of more than 1 GB; {way_out}")
    with binary(path) as stream:
        text = stream.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise InvalidInput(f"{path}: is one JSON value of more than 1 GB; {way_out}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        broken = error if isinstance(error, json.JSONDecodeError) else None
        cut = (
            broken is not None
            and broken.doc.lstrip()[:1] in ("{", "[")
            and (broken.pos >= len(broken.doc.rstrip()) - 1 or broken.msg.startswith("Unterminated"))
        )
        fix = "the file is cut off: export it again" if cut else "export it again"
        raise InvalidData(f"{path}: is not JSON ({why(error, at=True)}); {fix}") from None


Row = TypeVar("Row")


def csv_rows(path: Path, read: Callable[[Iterable[str]], Iterable[Row]]) -> list[Row]:
    """The rows of a CSV file, as one of the readers of `csv` gives them.

    Raises
    ------
    InvalidData
        If it is no such text.
    """
    try:
        with io.TextIOWrapper(binary(path), encoding=encoding_of(path), newline="") as stream:
            return list(read(stream))
    except (csv.Error, UnicodeDecodeError, EOFError) as error:
        raise InvalidData(f"{path}: cannot be read as CSV ({error})") from None


def why(error: Exception, *, at: bool = False) -> str:
    """Why text is not JSON, and where on request."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}{f' at character {error.pos + 1:,}' * at}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else "a number with too many digits"


_MOST, _MOST_WORDS, _MOST_LABELS = 12, 5, 30


Given = float | str | None
"""A score: a number or a word; nan or None where there is none."""


def chosen(part: str | None, found: Mapping[str, Sequence[Given]], what: str) -> tuple[str, ...]:
    """The names that are read: those of ``part``, several with commas, or the only one of numbers, else of words.

    Numbers that are all one, such as that everybody reads English, are not taken where others chose among a few words.

    Parameters
    ----------
    part : str, optional
        As the caller gave it.
    found : mapping of str to sequence of float, str or None
        Every name that the log has with its scores, nan or None where there is none, or words.
    what : str
        What the names are, such as ``"scorer"``.

    Raises
    ------
    SeveralParts
        If there are several and none is named: they need not answer the same question. The line lists them.
    UnknownTerm
        If there is none of a name.

    Examples
    --------
    >>> chosen(None, {"match": [1.0, 0.0]}, "scorer")
    ('match',)
    >>> chosen("a, b", {"a": [1.0], "b": [0.0], "match": [1.0]}, "scorer")
    ('a', 'b')
    """
    if part is None:
        numbers = {name: scores for name, scores in found.items() if not any(isinstance(one, str) for one in scores)}
        said_alike = len(numbers) == 1 and all(
            len({score for score in scores if not absent(score)}) < 2 for scores in numbers.values()
        )
        if not (said_alike and any(_are_labels(scores) for name, scores in found.items() if name not in numbers)):
            found = numbers or found
    if part is None and len(found) == 1:
        return tuple(found)
    if part is None:
        listed = "; ".join(_described(name, scores) for name, scores in list(found.items())[:_MOST])
        more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
        scored = all(not isinstance(score, str) for scores in found.values() for score in scores)
        raise SeveralParts(
            f"part: the log has {len(found)} {what}s, which need not answer one question: {listed}{more}",
            "; name one, such as " + argument("part", next(iter(found))) + ", or several that do with commas",
            tuple(found) if scored else (),
        )
    wanted = (part,) if part in found else tuple(dict.fromkeys(name.strip() for name in part.split(",")))
    for name in wanted:
        if name not in found:
            raise UnknownTerm(name, tuple(found), what)
    return wanted


def _are_labels(scores: Sequence[Given]) -> bool:
    """Whether words come back, and not all alike, as those that were chosen among do."""
    words = [score for score in scores if isinstance(score, str)]
    return 2 <= len({*words}) <= _MOST_LABELS and 2 * len({*words}) <= len(words)


def absent(score: Given) -> bool:
    """Whether there is no score, which is a word or a number where there is one."""
    return score is None or (not isinstance(score, str) and math.isnan(score))


def no_parts(part: str | None, path: Path) -> None:
    """Refuse to choose in a log that holds one thing.

    Raises
    ------
    InvalidInput
        If a part is named.
    """
    if part is not None:
        raise InvalidInput(f'part: {path} has no parts to choose from, got "{part}"; leave it out')


def _described(name: str, scores: Sequence[Given]) -> str:
    words = dict.fromkeys(score for score in scores if isinstance(score, str))
    if words and not _are_labels(scores):
        return f"{name} ({len(scores):,} texts)"
    if words:
        return f"{name} ({len(scores):,}, words: {', '.join(list(words)[:_MOST_WORDS])})"
    known = [score for score in scores if isinstance(score, (int, float)) and not absent(score)]
    if not known:
        return f"{name} ({len(scores):,}, none with a score)"
    missing = "" if len(known) == len(scores) else f", {(len(scores) - len(known)) / len(scores):.0%} missing"
    return f"{name} ({len(scores):,}, {min(known):g} to {max(known):g}{missing})"


_WANTED = {
    "scores": {name: roles.ALIASES[name] for name in (ITEM, SYSTEM, CATEGORY, GENERATION, TEMPERATURE)},
    "votes": {
        **{name: vote_roles.PAIR[name] for name in ("model_a", "model_b")},
        **{name: vote_roles.ALIASES[name] for name in (PROMPT, "prompt_type", "cluster")},
    },
}
"""Roles that a field may have by its name; who judged, and how, the tool says itself."""
_TAKEN = {
    *(name for one in (roles.ALIASES, vote_roles.ALIASES, vote_roles.PAIR) for names in one.values() for name in names),
    *(JUDGE, REPLICATE, "score", "status", "winner", "order", "control", "criterion"),
}
_LONGEST = 120


def columns_of(fields: Iterable[str], kind: Kind) -> dict[str, str]:
    """The column of every field: a role that its name says, each role once, else a name that says no role.

    Parameters
    ----------
    fields : iterable of str
        Names as the tool has them; those that cannot be printed are left out.
    kind : {"scores", "votes"}
        What the table will hold.

    Examples
    --------
    >>> columns_of(["question", "item", "model_name", "length"], "scores")
    {'item': 'item', 'model_name': 'system', 'question': 'data.question', 'length': 'length'}
    """
    names = [name for name in dict.fromkeys(fields) if name.strip() and name.isprintable()]
    column: dict[str, str] = {}
    for role, aliases in _WANTED[kind].items():
        named = sorted((name for name in names if plain(name) in aliases), key=lambda name: aliases.index(plain(name)))
        column.update({name: role for name in named[:1] if name not in column})
    if kind == "scores" and ITEM not in column.values():  # what several systems answered, in a record each
        asked = ("prompt_id", *(("instruction",) if SYSTEM in column.values() else ()))
        column |= dict.fromkeys([name for name in names if plain(name) in asked][:1], ITEM)
    taken = {*column.values()}
    for name in names:
        if name not in column:
            own = f"data.{name}" if plain(name) in _TAKEN or name.casefold() in taken else name
            if own.casefold() not in taken:
                column[name] = own
                taken.add(own.casefold())
    return column


def beside(fields: Iterable[str], prefix: str) -> dict[str, str]:
    """The column of every field beside roles that the tool says itself: the category, or a name behind a prefix.

    Examples
    --------
    >>> beside(["Topic", "model", "topic"], "metadata")
    {'Topic': 'category', 'model': 'metadata.model'}
    """
    known: dict[str, str] = {}  # as DuckDB tells names apart
    for name in filter(str.isprintable, fields):
        known.setdefault(name.casefold(), name)
    category = next((name for name in roles.ALIASES[CATEGORY] if name in known), None)
    return {name: CATEGORY if folded == category else f"{prefix}.{name}" for folded, name in known.items()}


def labelled(record: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
    """The values of a record under their columns: what is one short value; of what is judged its text in short."""
    held: dict[str, object] = {}
    for name, column in columns.items():
        value = record.get(name)
        if isinstance(value, str) and len(value) > _LONGEST and column in (ITEM, PROMPT):
            value = identity(value)
        if isinstance(value, (int, float)) or (isinstance(value, str) and value and len(value) <= _LONGEST):
            held[column] = value
    return held


_LONGEST_SHOWN = 60


def name_at(value: Any, what: str) -> str:
    """A name or an id as it is written: text that is not blank, or a number.

    Parameters
    ----------
    value : object
        As JSON holds it.
    what : str
        Where it stands and what it is, as an error says it.

    Raises
    ------
    InvalidData
        If it is nothing, blank, or no name.

    Examples
    --------
    >>> name_at(81, "line 1: question_id"), name_at("081", "line 1: question_id")
    ('81', '081')
    """
    if isinstance(value, str) and value.strip():
        return value
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise InvalidData(f"{what} is {shown(value)}; a name or a number is needed there")


def name_or_none(value: Any, what: str) -> str | None:
    """As `name_at`; None of null."""
    return None if value is None else name_at(value, what)


def number_at(value: Any, what: str, *, truths: bool = False) -> float | None:
    """A number, also one that is written as text; None of null and NaN; ``truths`` are 1 and 0 where asked.

    Raises
    ------
    InvalidData
        If it is anything else.

    Examples
    --------
    >>> number_at("1", "record 1: preference"), number_at(None, "record 1: preference")
    (1.0, None)
    """
    if value is None:
        return None
    try:
        found = math.inf if isinstance(value, bool) and not truths else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.inf
    if math.isinf(found):
        raise InvalidData(f"{what} is {shown(value)}; a number is needed there")
    return None if math.isnan(found) else found


def object_at(value: Any, what: str) -> dict[str, Any]:
    """An object; an empty one of null.

    Raises
    ------
    InvalidData
        If it is anything else.
    """
    if value is None or isinstance(value, dict):
        return value or {}
    raise InvalidData(f"{what} is {shown(value)}; an object is needed there")


def list_at(value: Any, what: str) -> list[Any]:
    """A list; an empty one of null.

    Raises
    ------
    InvalidData
        If it is anything else.
    """
    if value is None or isinstance(value, list):
        return value or []
    raise InvalidData(f"{what} is {shown(value)}; a list is needed there")


def scores_of(words: Sequence[str | None]) -> list[float | str]:
    """Numbers, or those that words of a known scale stand for, or other words; nan where there is nothing.

    Examples
    --------
    >>> scores_of(["4", "5"]), scores_of(["good", None, "fair", "poor"]), scores_of(["blue", "red"])
    ([4.0, 5.0], [3.0, nan, 2.0, 1.0], ['blue', 'red'])
    """
    numbers = [scales.number(word) if word else math.nan for word in words]
    if None not in numbers:
        return [math.nan if one is None or math.isinf(one) else one for one in numbers]
    scale = scales.scale_of(word for word in words if word)
    return [math.nan if not word else word if scale is None else scale.numbers[word] for word in words]


def numbered(names: Iterable[str]) -> list[str]:
    """Names that are all different.

    Examples
    --------
    >>> numbered(["a", "b", "a"])
    ['a', 'b', 'a 2']
    """
    taken = Counter[str]()
    made = []
    for name in names:
        taken[name] += 1
        made.append(name if taken[name] == 1 else f"{name} {taken[name]}")
    return made


Meaning = TypeVar("Meaning")


def meant(value: Any, meanings: Mapping[str, Meaning], what: str) -> Meaning:
    """What a word stands for.

    Raises
    ------
    InvalidData
        If it is none that is known.

    Examples
    --------
    >>> meant("A=B", {"A>B": "first", "A=B": "tie"}, "line 1: decision")
    'tie'
    """
    if not isinstance(value, str) or value not in meanings:
        raise InvalidData(f"{what} {shown(value)} is not known; known are {', '.join(meanings)}")
    return meanings[value]


def unread(left: Sequence[str]) -> list[Note]:
    """What a log holds beside what is read of it."""
    return [Note(f"not read: {', '.join(left)}")] if left else []


def shown(value: Any) -> str:
    """A JSON value in a message: on one line, and not too long."""
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        text = "nested too deeply"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


NUMBERS = ("score", "time")
"""Columns of numbers, times in seconds since 1970; all others hold text, ids as they are written."""
_SHOWN_AS = {"score": "{}", "time": "make_timestamp(({} * 1000000)::BIGINT)"}
_HEX = 16
_SHOWN = 40


class Records:
    """Rows under the names of our roles, column by column.

    Parameters
    ----------
    *columns : str
        Names of the columns, each once however often it is given; ``time`` is a number, ``score`` too unless some of
        it is a word, all others text.
    """

    def __init__(self, *columns: str) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in columns}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def add(self, **values: object) -> None:
        """One row; a column that is not named is empty in it.

        Raises
        ------
        KeyError
            If there is no such column.
        """
        for name in values.keys() - self._columns.keys():
            raise KeyError(name)
        for name, entries in self._columns.items():
            value = values.get(name)
            if name in NUMBERS and not isinstance(value, str):
                entries.append(math.nan if value is None else float(value))  # type: ignore[arg-type]
            else:  # the same few labels come again and again: one text each
                entries.append(None if value is None else sys.intern(_written(str(value))))

    def opened(
        self,
        connection: duckdb.DuckDBPyConnection,
        kind: Kind,
        *,
        facets: Iterable[str] = (),
        caveats: Iterable[Caveat] = (),
        notes: Iterable[Note] = (),
        instead: str | None = None,
        nested: Mapping[str, str] | None = None,
    ) -> Opened:
        """The rows as a relation; columns without any entry are left out, but for those every table of its kind has.

        Parameters
        ----------
        connection : DuckDBPyConnection
            That the rows are shown to.
        kind : {"scores", "votes"}
            What they are.
        facets : iterable of str
            Columns that are facets though their names are no roles.
        caveats, notes, instead, nested
            As of `Opened`.
        """
        needed = "score" if kind == "scores" else "winner"
        held = {
            name: _column(entries, number=name in NUMBERS)
            for name, entries in self._columns.items()
            if name == needed or not entries or any(not _empty(entry) for entry in entries)
        }
        name = f"records {id(held)}"  # no other while the connection holds them
        connection.register(name, held)
        shown = ", ".join(f"{_SHOWN_AS.get(one, '{}::VARCHAR').format(quoted(one))} AS {quoted(one)}" for one in held)
        relation = connection.sql(f"SELECT {shown} FROM {quoted(name)}")
        own = tuple(one for one in facets if one in held)
        within = tuple((inner, outer) for inner, outer in (nested or {}).items() if {inner, outer} <= held.keys())
        return Opened(relation, tuple(held), False, own, tuple(caveats), kind, tuple(notes), instead, within)


def identity(text: str) -> str:
    """A short name for what only its text identifies: a hash of 16 digits and the first 40 characters.

    Examples
    --------
    >>> identity("Who wrote Faust?")
    '78ea432cf8cbe2a9 Who wrote Faust?'
    """
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HEX]
    return f"{digits} {' '.join(text.split())[:_SHOWN]}".strip()


def identity_in_sql(text: str) -> str:
    """The same of an expression of DuckDB; nothing where there is no text."""
    plain = rf"trim(regexp_replace({text}, '[\s\x0b]+', ' ', 'g'))"
    return f"trim(left(sha256({text}), {_HEX}) || ' ' || left({plain}, {_SHOWN}))"


def _written(text: str) -> str:
    """Text that UTF-8 can hold: half of a pair of surrogates is written as its number, so that two stay two."""
    return text.encode("utf-8", "backslashreplace").decode()


def _column(entries: list[Any], *, number: bool) -> NDArray[Any]:
    """Entries as numbers, or as text where some are words."""
    if number and not any(isinstance(entry, str) for entry in entries):
        return np.array(entries, dtype=np.float64)
    return np.array([None if _empty(entry) else str(entry) for entry in entries], dtype=object)


def _empty(entry: object) -> bool:
    return entry is None or (isinstance(entry, float) and math.isnan(entry))
