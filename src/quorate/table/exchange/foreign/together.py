"""Several files of one tool as one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.roles import JUDGE, PROMPT, SYSTEM
from quorate.table.columns.aliases import JUDGES_ALONE
from quorate.table.columns.given_names import is_given
from quorate.table.columns.names import SYSTEMS, is_judge, words_of
from quorate.table.columns.roles import recognise
from quorate.table.columns.vote_roles import has_pairs
from quorate.table.exchange.format import Opened, literal, quoted, suffix_of
from quorate.table.families import maker
from quorate.table.notes import Note
from quorate.wording import listed

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

TASK = "task"
"""Column that says of which task an item is, where each task counts its items anew."""
KEY = (TASK, "category", "item", "system", "judge", "prompt", "replicate")
"""Columns that say which judgment a row is."""
HASH = "item_hash"
"""Column that says what an item is, which must be the same in all files; no table has it."""
FILE = "file"
"""Column that says in which of several files a row is, where another says which system it is of."""
SHEET = "sheet"
"""Column that says in which sheet of a workbook a row is."""
_FILE = "file among several"


def together(files: Mapping[Path, Opened]) -> Opened:
    """The rows of all files under one set of columns.

    Raises
    ------
    InvalidData
        If some hold scores and others votes, two hold the same judgment, or an item is not the same in two.
    """
    first = next(iter(files.values()))
    if len(files) == 1:
        return _without_hash(first)
    kinds = {file.kind: path for path, file in files.items()}
    if len(kinds) > 1:
        one, other = kinds.values()
        ways = [file.instead for file in files.values() if file.instead is not None]
        raise InvalidData(
            f"source: {one.name} and {other.name} do not hold the same: one has scores, one votes"
            + ("; read all as one of the two: " + argument("part", ways[0]) if ways else "")
        )
    files = _with_prompts_compared(files)
    columns = tuple(dict.fromkeys(name for file in files.values() for name in file.columns))
    parts = []
    for path, file in files.items():
        shown = (quoted(name) if name in file.columns else f"NULL AS {quoted(name)}" for name in columns)
        parts.append(file.relation.project(f"{', '.join(shown)}, {literal(str(path))} AS {quoted(_FILE)}"))
    whole = reduce(lambda one, other: one.union(other), parts)
    twice = _twice(whole, columns) if first.kind == "scores" else None
    if twice is not None and SYSTEM not in columns:
        named = zip(told_apart([*files]), files.items(), strict=True)
        return together({path: _of_system(file, name) for name, (path, file) in named})
    if twice is not None:
        raise InvalidData(f"source: {twice}; name one of the two files, or tell the runs apart in one table")
    if HASH in columns:
        _refuse_other_items(whole)
    nested = dict.fromkeys(pair for file in files.values() for pair in file.nested)
    if TASK in columns and whole.aggregate(f"count(DISTINCT {quoted(TASK)}) > 1").fetchall() == [(True,)]:
        nested["item", TASK] = None
    table = Opened(
        whole.project(", ".join(map(quoted, columns))),
        columns,
        typed=all(file.typed for file in files.values()),
        facets=tuple(dict.fromkeys(name for file in files.values() for name in file.facets)),
        caveats=tuple(dict.fromkeys(said for file in files.values() for said in file.caveats)),
        kind=first.kind,
        nested=tuple(nested),
        notes=(
            Note(f"{len(files):,} files are one table"),
            *dict.fromkeys(note for file in files.values() for note in file.notes),
        ),
    )
    return _without_hash(table)


def _with_prompts_compared(files: Mapping[Path, Opened]) -> Mapping[Path, Opened]:
    """Files of one system, each with a prompt of its own, as those of the prompts, which are then what differs."""

    def levels(file: Opened, name: str) -> list[str]:
        found = file.relation.aggregate(quoted(name)).fetchall() if name in file.columns else []
        return [str(value) for (value,) in found]

    prompts = [levels(file, PROMPT) for file in files.values()]
    systems = {name for file in files.values() for name in levels(file, SYSTEM)}
    if len(systems) > 1 or any(len(own) != 1 for own in prompts) or len({own[0] for own in prompts}) < len(files):
        return files
    said = Note("every file has a prompt of its own: what is compared")
    made = {}
    for path, file in files.items():
        kept = tuple(name for name in file.columns if name not in (SYSTEM, PROMPT))
        shown = ", ".join(map(quoted, kept)) + f", {quoted(PROMPT)} AS {quoted(SYSTEM)}"
        facets = tuple(dict.fromkeys(SYSTEM if name == PROMPT else name for name in file.facets))
        relation = file.relation.project(shown)
        made[path] = replace(file, relation=relation, columns=(*kept, SYSTEM), facets=facets, notes=(said, *file.notes))
    return made


def told_apart(files: Sequence[Path]) -> list[str]:
    """Names of files, or of folders that they are in where files of all are called alike."""
    parts = [[*file.parts[:-1], file.name[: file.name.lower().rfind(suffix_of(file) or "\0")]] for file in files]
    for depth in range(1, min(map(len, parts)) + 1):
        names = [one[-depth] for one in parts]
        if len({*names}) == len(names):
            return names
    return [str(file) for file in files]


def _without_hash(file: Opened) -> Opened:
    if HASH not in file.columns:
        return file
    columns = tuple(name for name in file.columns if name != HASH)
    return replace(file, relation=file.only(columns), columns=columns)


def _of_system(file: Opened, name: str) -> Opened:
    """The rows of a file that says no system, as those of the one that it is called after."""
    relation = file.relation.project(f"*, {literal(name)} AS {quoted(SYSTEM)}")
    said = Note("every file is of the system of its name")
    return replace(file, relation=relation, columns=(*file.columns, SYSTEM), notes=(said, *file.notes))


def _twice(whole: DuckDBPyRelation, columns: tuple[str, ...]) -> str | None:
    """Which two files hold the same judgment, of one run or of two that nothing tells apart; None if no two do."""
    key = [name for name in KEY if name in columns]
    listed = ", ".join(map(quoted, key))
    files = whole.aggregate(f"{listed}, min({quoted(_FILE)}) AS a, max({quoted(_FILE)}) AS b", listed)
    found = files.filter("a <> b").order(listed).limit(1).fetchall()
    if not found:
        return None
    (row,) = found
    which = ", ".join(f"{name} {value}" for name, value in zip(key, row, strict=False) if value is not None)
    return f"{Path(row[-2]).name} and {Path(row[-1]).name} both have {which}"


def _refuse_other_items(whole: DuckDBPyRelation) -> None:
    """Refuse an item that is another one in another file: of two versions of the data."""
    twice = (
        whole.aggregate(
            f"item, arg_min({quoted(_FILE)}, {HASH}) AS a, arg_max({quoted(_FILE)}, {HASH}) AS b, "
            f"count(DISTINCT {HASH}) AS hashes",
            "item",
        )
        .filter("hashes > 1")
        .order("item")
        .limit(1)
        .fetchall()
    )
    for item, *files, _ in twice:
        alike = len({Path(file).name for file in files}) == 1
        one, other = (Path(*Path(file).parts[-2 if alike else -1 :]) for file in files)
        raise InvalidData(
            f"source: item {item} is not the same in {one} and {other}: they are of two versions of the data; read "
            "them apart"
        )


def as_levels(tables: Mapping[str, Opened], what: str) -> Opened:
    """The rows of tables of one kind, each a level: a judge where all names are those of judges, else a system.

    Parameters
    ----------
    tables : mapping of str to Opened
        By their names.
    what : str
        What each is: a file, or a sheet; also the column of their names where another says the system.

    Raises
    ------
    InvalidInput
        If they have few columns in common.
    """
    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    columns = [name for name in first.columns if all(name in one.columns for one in tables.values())]
    every = {name for one in tables.values() for name in one.columns}
    if 2 * len(columns) < len(every):
        named = "; ".join(f"{name} has {listed(one.columns, most=6)}" for name, one in [*tables.items()][:2])
        raise InvalidInput(f"source: {what}s are not one table: {named}; name one of them")
    role = next((role for role in (SYSTEM, JUDGE) if _may_name(role, tables, columns, what)), what)
    parts, rows = [], set[int]()
    for name, one in tables.items():
        inner = one.inside
        shown = ", ".join(f"{quoted(inner[column])} AS {quoted(column)}" for column in columns)
        parts.append(one.relation.project(f"{shown}, {literal(name)} AS {quoted(role)}"))
        rows |= {int(one.relation.aggregate("count(*)").fetchall()[0][0])}
    left = sorted(every - {*columns})
    said = Note(f"{len(tables):,} {what}s, each a {role} by its name" if role != what else f"{len(tables):,} {what}s")
    notes = (said, *([Note(f"not in every {what}, and left out: {listed(left, most=6)}")] if left else []))
    return Opened(
        reduce(lambda one, other: one.union(other), parts),
        (*columns, role),
        typed=all(one.typed for one in tables.values()),
        caveats=tuple(dict.fromkeys(said for one in tables.values() for said in one.caveats)),
        notes=(*notes, *dict.fromkeys(note for one in tables.values() for note in one.notes)),
        counted_in=role if len(rows) == 1 else "",
    )


def _may_name(role: str, tables: Mapping[str, Opened], columns: Sequence[str], what: str) -> bool:
    """Whether names of tables are those of a role, of which no column of theirs tells."""
    if recognise(columns, [role]):
        return False
    judges = all(map(_judges, tables)) or _are_people(tables)
    if role == JUDGE or judges or has_pairs(columns):
        return role == JUDGE and judges
    counted = {tuple(word for word in words_of(name) if not word.isdigit()) for name in tables}
    told = all(maker(name) is not None or SYSTEMS & {*words_of(name)} for name in tables)
    return told or (what == FILE and len(counted) > 1)  # run1 and run2 are two of one


def _are_people(names: Iterable[str]) -> bool:
    """Whether half of the names of tables, without the word that all begin with, are given, and none says more."""
    split = [words_of(name) for name in names]
    heads = {words[0] for words in split}
    parts = ["_".join(words[1:] if len(heads) == 1 else words) for words in split]
    return all(map(str.isalpha, parts)) and sum(map(is_given, parts)) >= max(2, len(parts) / 2)


def _judges(name: str) -> bool:
    """Whether a table is of one judge by its name, such as ``rater2`` or ``judge_gpt-4o``."""
    first, *model = words_of(name)
    return is_judge(name) or (first in JUDGES_ALONE and maker(" ".join(model)) is not None)
