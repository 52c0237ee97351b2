"""Judges of a study: made from its settings, and what of those settings their answers depend on."""

from __future__ import annotations

import csv
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from quorate.collect.budget import Price
from quorate.collect.judge import Judge
from quorate.collect.judges.apis import OPENAI
from quorate.collect.judges.batch import BatchJudge
from quorate.collect.judges.endpoint import Endpoint, without_keys
from quorate.collect.judges.local import LocalJudge, PythonJudge, ReplayJudge
from quorate.collect.judges.remote import EndpointJudge
from quorate.collect.ledger.plan import digest
from quorate.collect.runner.lane import Pace
from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import REPLICATE
from quorate.study import goal
from quorate.study.file import Items, Study
from quorate.table.cells import Cells
from quorate.table.columns.labels import label
from quorate.table.exchange.encoding import ordinary
from quorate.table.exchange.format import PAIR
from quorate.table.files import SUFFIXES, opened, sha256
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores

# Items of a study: rows of a file, by name and, where there are several, by system.
#
# Items that are pairs of responses by two named systems are laid out row by row.


Row = Mapping[str, Any]
Name = tuple[str, ...]
SYSTEM_A, SYSTEM_B = PAIR
_PAIR_ROLES = ("item", SYSTEM_A, SYSTEM_B)
_TEXTS = ("prompt", "conversation", "response", "response_a", "response_b")
_MOST_LINE = 16 * 1024 * 1024


@dataclass(frozen=True, eq=False)
class ItemTable:
    """What is to be judged.

    Parameters
    ----------
    fields : mapping of tuple of str to mapping
        What judges may see of each item, by its name and its system, which is empty where there is none; or by its
        name and the two systems that it compares.
    categories : mapping of str to str
        Category of each item, where there are any.
    systems : tuple of str
        Systems in the order of the file.
    empty : mapping of tuple of str to tuple
        Of items with fields without a value, such as null: the row, and these fields.
    """

    fields: Mapping[Name, Row]
    categories: Mapping[str, str]
    systems: tuple[str, ...]
    empty: Mapping[Name, tuple[int, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the items, in the order of the file."""
        return tuple(dict.fromkeys(item for item, *_ in self.fields))

    @property
    def pairs(self) -> bool:
        """Whether every item is a pair of responses whose systems are named."""
        return len(next(iter(self.fields), ())) > 2  # all rows of a file have names of one kind

    def digest(self, name: Name) -> str:
        """Hash of one item as judges see it, and of its name."""
        return digest([*name, dict(self.fields[name])])


def read_items(items: Items, folder: Path) -> ItemTable:
    """The items of a file.

    Raises
    ------
    InvalidInput
        If a column is missing, an item has no name or stands twice, or a system did not answer an item.
    """
    path = folder / items.file
    named = {role: name for role, name in vars(items).items() if role != "file" and name is not None}
    fields: dict[Name, Row] = {}
    categories: dict[str, str] = {}
    empty: dict[Name, tuple[int, tuple[str, ...]]] = {}
    for number, row in enumerate(rows_of(path), 1):
        known = {role: _label(row, name, role, f"{path}: row {number}") for role, name in named.items()}
        if "system_a" in known:
            key: Name = (known["id"], known["system_a"], known["system_b"])
        else:
            key = (known["id"], known.get("system", ""))
        if key in fields:
            raise InvalidData(f"{path}: row {number}: {shown(key)} stands twice; give every row its own name")
        if len(key) > 2 and key[1] == key[2]:
            raise InvalidData(f'{path}: row {number}: compares "{key[1]}" with itself; drop the row')
        fields[key] = {name: value for name, value in row.items() if name not in named.values() and value is not None}
        if absent := tuple(name for name, value in row.items() if value is None):
            empty[key] = number, absent
        _check_fields(fields[key], f"{path}: row {number}", key)
        if categories.setdefault(key[0], known.get("category", "")) != known.get("category", ""):
            raise InvalidData(f"{path}: row {number}: {shown(key)} has another category than before; give it one")
    if not fields:
        raise InvalidData(f"{path}: there are no items in it")
    systems = tuple(dict.fromkeys(name[1] for name in fields if len(name) == 2 and name[1]))
    for item in dict.fromkeys(item for item, *_ in fields) if systems else ():
        lacking = next((system for system in systems if (item, system) not in fields), None)
        if lacking is not None:
            raise InvalidData(
                f'{path}: "{item}" has no row for the system "{lacking}"; every system answers every item'
            )
    return ItemTable(fields, categories if items.category else {}, systems, empty)


def _check_fields(fields: Row, where: str, key: Name) -> None:
    """Refuse an item of whose usual fields none has text, or with a number that is none."""
    texts = {name: fields[name] for name in _TEXTS if name in fields}
    if texts and all(isinstance(value, str) and not value.strip() for value in texts.values()):
        raise InvalidData(
            f"{where}: {shown(key)}: {' and '.join(texts)} without text give a judge nothing to read; drop the row"
        )
    for name, value in fields.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidData(f'{where}: "{name}" is {value}, which is no number; leave it out')


def _label(row: Row, name: str, role: str, where: str) -> str:
    if name not in row:
        raise UnknownColumn(f"{where}: items.{role}", name, row)
    if row[name] is None or isinstance(row[name], (dict, list)) or not str(row[name]).strip():
        raise InvalidData(f'{where}: "{name}" must be a name, got {json.dumps(row[name])[:60]}')
    return label(row[name])


def shown(name: Name) -> str:
    """The name of an item and of its systems, in a message."""
    systems = " against ".join(f'"{system}"' for system in name[1:] if system)
    return f'"{name[0]}"' + (f" of {systems}" if systems else "")


def numbered(items: ItemTable) -> dict[str, str] | tuple[str, ...]:
    """Every row of items that are pairs under its number, with its category where there are any."""
    places = tuple(str(place) for place in range(len(items.fields)))
    if not items.categories:
        return places
    return {place: items.categories[name[0]] for place, name in zip(places, items.fields, strict=True)}


def paired(cells: Cells, items: ItemTable) -> Cells:
    """Cells of rows under their numbers, as `numbered` gives them, as cells of items and two systems."""
    rows = np.array([int(place) for place in cells.levels["item"]])[cells.code("item")]
    levels: dict[str, tuple[str, ...]] = {}
    columns = []
    for place, role in enumerate(_PAIR_ROLES):
        labels = [name[place] for name in items.fields]
        codes = {text: code for code, text in enumerate(dict.fromkeys(labels))}
        levels[role] = tuple(codes)
        columns.append(np.array([codes[text] for text in labels], dtype=np.int32)[rows])
    others = [name for name in cells.levels if name != "item"]
    columns += [cells.code(name) for name in others]
    levels |= {name: cells.levels[name] for name in others}
    return Cells(levels, np.column_stack(columns), cells.replicate, cells.nested)


# ---- reading rows


def rows_of(path: Path) -> Iterator[Row]:
    """Rows of a file of any kind that tables are read from."""
    form = SUFFIXES.get(path.suffix.lower())
    if form is not None and form.name in ("json", "csv"):
        yield from _json_rows(path) if form.name == "json" else _csv_rows(path)
        return
    with opened(path) as file:
        for row in file.relation.fetchall():
            yield dict(zip(file.columns, row, strict=True))


def _json_rows(path: Path) -> Iterator[Row]:
    """Records of JSON lines as they are: nothing that looks like a date or a number becomes one."""

    def no_constant(name: str) -> float:
        raise ValueError(f"{name} is no JSON value")

    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=no_constant)
            if "\\ud" in line.lower():  # half of a pair of escapes is no character
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise InvalidData(f"{path}: line {number} is not JSON ({error}); write one object per line") from None
        if not isinstance(row, dict):
            raise InvalidData(f"{path}: line {number} is not a JSON object; write one object per line")
        yield row


def _lines(path: Path) -> Iterator[str]:
    try:
        with ordinary(path).open(encoding="utf-8-sig", newline="\n") as stream:
            for number in count(1):
                line = stream.readline(_MOST_LINE + 1)
                if len(line) > _MOST_LINE:
                    raise InvalidData(
                        f"{path}: line {number} is longer than 16 MB; write one row per line, and shorter"
                    )
                if not line:
                    return
                yield line
    except UnicodeDecodeError:
        raise InvalidData(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read ({error.strerror}); items.file is relative to the study") from None


def _csv_rows(path: Path) -> Iterator[Row]:
    """Rows of CSV or TSV as text; a cell that is empty is absent."""
    usual = csv.field_size_limit(_MOST_LINE)  # the limit is the whole process's
    reader = csv.DictReader(_lines(path), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
    try:
        for name, times in Counter(reader.fieldnames or ()).items():
            if times > 1:
                raise InvalidData(f'{path}: two columns are called "{name}"; give each its own name')
        for row in reader:
            if None in row or None in row.values():
                raise InvalidData(f"{path}: line {reader.line_num}: more or fewer cells than the header; repair it")
            yield {name: value or None for name, value in row.items()}
    except csv.Error as error:
        raise InvalidData(f"{path}: line {reader.line_num}: {error}; quote values that hold quotes or commas") from None
    finally:
        csv.field_size_limit(usual)


Given = Mapping[str, Any]
_FREE = Price(call=0.0)
_DRAWN_AS_LATIN = str.maketrans("авекмнорстухіјѕһԁԛԝαβεηικμνορτυχγⅼɡ", "abekmhopctyxijshdqwabenikuvoptuxylg")
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d_\s-]+")
_FIRST = 64
_OF_BATCHES = {"size", "linger", "poll", "window", "line_url"}
_WAYS = {"price", "concurrency", "rate", "timeout", "key_env", "key_header", "threads", "idempotency", "minutes"}
_WAYS |= _OF_BATCHES
"""Settings that say how a judge is reached, and not what it answers."""


def made(study: Study, given: Given | None = None) -> dict[str, Judge]:
    """The judges of a study by name; people are asked by ``quorate serve`` and are not among them.

    Parameters
    ----------
    study : Study
        From `quorate.study.file.load`.
    given : mapping of str to callable, optional
        The functions behind its judges of kind ``python``; anything with ``ask`` is taken as a judge.

    Raises
    ------
    InvalidInput
        If a setting breaks its rule, a key is not in the environment, or a function is missing or not wanted.
    """
    functions = dict(given or {})
    for name in functions:
        if not isinstance(study.judges.get(name), goal.PythonSettings):
            raise InvalidInput(f'judges: the study has no judge "{name}" of kind python; add it, or leave it out')
    return {name: _judge(study, name, functions) for name in study.judges if name not in study.people}


def check(study: Study) -> None:
    """Check the settings of endpoints without their keys, and that no settings hold any."""
    weighed = [prompt for prompt, wording in study.prompts.items() if wording.expected]
    for name, settings in study.judges.items():
        if isinstance(settings, goal.RemoteSettings):
            form = endpoint(name, settings).form
            if weighed and not form.probabilities:
                raise InvalidInput(
                    f'judge "{name}": {form.name} gives no token probabilities, which prompts.{weighed[0]}.expected '
                    "needs; leave expected out, or take another judge"
                )
        else:
            without_keys(name, getattr(settings, "params", {}))


def digests(study: Study) -> dict[str, str]:
    """Hash of every judge's name and of the settings that its answers depend on."""
    hashes = {}
    for name, settings in study.judges.items():
        content: dict[str, Any] = settings.model_dump(exclude=_WAYS)
        if content.get("api") == OPENAI.name:  # as ledgers were planned with before there were others
            del content["api"]
        if isinstance(settings, goal.ReplaySettings):
            table = study.folder / settings.table
            try:
                table.stat()  # said of the study's own line, not of a source
                content["table"] = sha256(table)
            except OSError as error:
                reason = f"{table} cannot be read ({error.strerror})"
                raise InvalidInput(
                    f"{study.path}: judges.{name}.table: {reason}; it is relative to the study"
                ) from None
        if isinstance(settings, goal.PersonSettings):  # what is said to people alone
            said = {prompt: wording.instructions for prompt, wording in study.prompts.items() if wording.instructions}
            content |= {"instructions": said} if said else {}
        hashes[name] = digest([name, content])
    return hashes


def price(study: Study, name: str) -> Price:
    """What a judge's calls cost; a model in this process and a recorded table are free unless the study says so."""
    settings = study.judges[name]
    if isinstance(settings, goal.PersonSettings):
        return Price(call=settings.price)
    if settings.price is not None:
        return Price(**settings.price.model_dump())
    return _FREE if isinstance(settings, (goal.LocalSettings, goal.ReplaySettings)) else Price()


def pace(study: Study, name: str) -> Pace:
    """How hard a judge is asked: carefully at first, but for batches, which are to be full."""
    settings = study.judges[name]
    if isinstance(settings, goal.PersonSettings):
        return Pace()
    first = settings.concurrency if isinstance(settings, goal.BatchSettings) else min(settings.concurrency, _FIRST)
    return Pace(settings.concurrency, settings.rate, first)


def tag(judges: Mapping[str, Judge], ledger: str) -> None:
    """Tell judges behind batches the name of the ledger, by which a later run finds the batches of this one."""
    for name, judge in judges.items():
        if isinstance(judge, BatchJudge):
            judge.tagged(digest([ledger, name]))


def endpoint(name: str, settings: goal.RemoteSettings) -> Endpoint:
    """Settings of an endpoint in the words of the collector."""
    same = settings.model_dump(exclude={"kind", "base_url", "price", "concurrency", "rate", *_OF_BATCHES})
    cost = Price(**settings.price.model_dump()) if settings.price else Price()
    return Endpoint(name=name, url=settings.base_url, price=cost, **same)


def _judge(study: Study, name: str, functions: Given) -> Judge:
    settings = study.judges[name]
    if isinstance(settings, goal.EndpointSettings):
        return EndpointJudge(endpoint(name, settings))
    if isinstance(settings, goal.BatchSettings):
        return BatchJudge(endpoint(name, settings), **settings.model_dump(include=_OF_BATCHES))
    if isinstance(settings, goal.LocalSettings):
        path = None if settings.path is None else study.folder / settings.path
        logprobs = any(wording.expected for wording in study.prompts.values())
        options = settings.model_dump(include={"context", "threads", "params", "structured"})
        return LocalJudge(name, path, price=price(study, name), logprobs=logprobs, **options)
    if isinstance(settings, goal.ReplaySettings):
        return replayed(study, name, settings)
    return _of_function(name, functions.get(name), price(study, name))


def _of_function(name: str, function: Any, price: Price | None) -> Judge:
    """The judge that a function of the caller's is, or a judge of the caller's own.

    Raises
    ------
    InvalidInput
        If there is none, or its name is another.
    """
    if function is None:
        raise InvalidInput(
            f'judge "{name}": is a function, which a file cannot hold; '
            f'call quorate.run(path, judges={{"{name}": function}})'
        )
    if not hasattr(function, "ask"):
        return PythonJudge(name, function, price=price)
    if function.name != name:
        raise InvalidInput(f'judges: "{name}" is given a judge whose name is "{function.name}"; use one name')
    judge: Judge = function
    return judge


def replayed(study: Study, name: str, settings: goal.ReplaySettings) -> ReplayJudge:
    """The judge that gives recorded answers again."""
    path = study.folder / settings.table
    table = recorded(path) if study.items.system_a else read_scores(path, recognise=True, announce=False)
    return ReplayJudge(name, table, price=price(study, name))


def recorded(path: Path) -> Judgments:
    """A table of recorded verdicts on pairs, as scores: what tells two of them apart are its facets."""
    with opened(path) as file:
        known = file.facets or tuple(name for name in (SYSTEM_A, SYSTEM_B, "order") if name in file.columns)
        whole = bool(file.facets)
    facets = {name: name for name in known} | ({REPLICATE: REPLICATE} if whole else {})
    return read_scores(path, facets=facets, recognise=not whole, announce=False)


def alike(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that look alike, such as with a Cyrillic letter or another dash, each with the first one like it.

    Examples
    --------
    >>> alike(["gpt-4", "gpt-4o", "GPT 4"])
    (('gpt-4', 'GPT 4'),)
    """
    first: dict[str, str] = {}
    pairs = []
    for name in names:  # without case and accents' forms, with one kind of dash, and nothing that has no width
        folded = unicodedata.normalize("NFKC", name).casefold().translate(_DRAWN_AS_LATIN)
        seen = "".join(letter for letter in folded if unicodedata.category(letter) not in ("Cf", "Mn"))
        look = _DASHES.sub("-", seen).replace("0", "o").replace("1", "l")
        if first.setdefault(look, name) != name:
            pairs.append((first[look], name))
    return tuple(pairs)
