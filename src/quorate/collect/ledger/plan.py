"""Plan of a ledger: cells become its rows, once each, and nothing that was planned may change under them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from quorate.collect.budget import nano
from quorate.collect.ledger.schema import LONGEST_FACET, MOST_FACETS, RESERVED
from quorate.collect.ledger.store import Connection
from quorate.errors import InvalidInput
from quorate.roles import JUDGE
from quorate.table.cells import Cells
from quorate.table.exchange.ledger import judgments

_PLACES = ", ".join(f"f{place}" for place in range(MOST_FACETS))
_SAME = " AND ".join(f"c.f{place} = w.f{place}" for place in range(MOST_FACETS)) + " AND c.replicate = w.replicate"
_BLOCK = 4096
_quoted = json.encoder.encode_basestring
_NEW = "start a new ledger for the changed study"


class Dependency(NamedTuple):
    """Something that judgments depend on, and a hash of it.

    Parameters
    ----------
    kind : str
        What it is: ``rubric``, ``item``, ``judge`` ...
    name : str
        Which one.
    digest : str
        Hash of its content.
    """

    kind: str
    name: str
    digest: str


def digest(content: Any) -> str:
    """SHA-256 of JSON values, in hexadecimal; the order of keys does not matter.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def cell_key(rubric: str, judge: str, item: str, order: str, temperature: str, replicate: int) -> str:
    """Key of a cell: whatever changes what is asked changes the key, and replicates never share one.

    Parameters
    ----------
    rubric, judge, item : str
        Digests of the prompt's text, the judge's configuration and the item's content.
    order : str
        Order in which candidates are shown; empty where there is one.
    temperature : str
        The judge's temperature.
    replicate : int
        Which answer of the cell, from 1.
    """
    asked = map(_quoted, (rubric, judge, item, order, temperature))
    return hashlib.sha256(f"[{','.join(asked)},{int(replicate)}]".encode()).hexdigest()  # as `digest`, in less time


class Draft(NamedTuple):
    """Cells compared with a ledger; those that it does not hold are in the temporary table ``wanted``.

    Parameters
    ----------
    cells : Cells
        All of them.
    names : list of str
        Facets in the order of the ledger.
    known : list of dict
        Codes of labels, by facet; those of labels that the ledger does not have are the next ones.
    fresh : list of list of str
        Labels that it does not have, by facet.
    new : mapping of str to int
        Cells that the ledger does not hold, by judge.
    repriced : mapping of str to int
        Worst-case price, in billionths, of judges whose planned cells have another one.
    """

    cells: Cells
    names: list[str]
    known: list[dict[str, int]]
    fresh: list[list[str]]
    new: Mapping[str, int]
    repriced: Mapping[str, int | None]


# ---- what judgments depend on


def undeclared(connection: Connection, parts: Iterable[Dependency], seed: int | None) -> bool:
    """Whether some of what judgments depend on is not recorded yet; nothing that others see is written.

    Raises
    ------
    InvalidInput
        If a part or the seed differs from what was recorded.
    """
    connection.execute("DROP TABLE IF EXISTS given")
    connection.execute("CREATE TEMP TABLE given (kind TEXT, name TEXT, digest TEXT)")
    connection.executemany("INSERT INTO given VALUES (?, ?, ?)", parts)
    old = _unchanged(connection, seed)
    known = "SELECT 1 FROM parts AS p WHERE p.kind = g.kind AND p.name = g.name"
    connection.execute(f"DELETE FROM given AS g WHERE EXISTS ({known})")
    ((count,),) = connection.execute("SELECT count(*) FROM given")
    return count > 0 or (old is None and seed is not None)


def declare(connection: Connection, seed: int | None) -> None:
    """Record what `undeclared` has found.

    Raises
    ------
    InvalidInput
        If somebody else has recorded it meanwhile, and it differs.
    """
    _unchanged(connection, seed)
    connection.execute("UPDATE study SET seed = coalesce(seed, ?)", (seed,))
    connection.execute("INSERT INTO parts SELECT kind, name, digest FROM given WHERE true ON CONFLICT DO NOTHING")


def _unchanged(connection: Connection, seed: int | None) -> int | None:
    """The seed of the ledger, where neither it nor a part differs from what is given."""
    ((old,),) = connection.execute("SELECT seed FROM study")
    if old is not None and seed is not None and old != seed:
        raise InvalidInput(f"ledger: the seed was {old} when this ledger was planned, now it is {seed}; {_NEW}")
    changed = connection.execute(
        "SELECT kind, name, count(*) OVER () FROM given JOIN parts USING (kind, name) "
        "WHERE given.digest <> parts.digest ORDER BY kind, name LIMIT 1"
    ).fetchone()
    if changed:
        kind, name, count = changed
        more = f" (and {count - 1} more)" if count > 1 else ""
        shown = "prompt" if kind == "rubric" else kind
        back = "go back to the old wording" if kind == "rubric" else "take the change back"
        raise InvalidInput(f'ledger: {shown} "{name}"{more} changed since this ledger was planned; {_NEW}, or {back}')
    return None if old is None else int(old)


# ---- cells: what is there is looked up without keeping others from writing, what is new is added step by step


def compare(connection: Connection, cells: Cells, keys: Iterable[str], prices: Mapping[str, float | None]) -> Draft:
    """Find the cells that are not there yet; nothing that others see is written.

    Raises
    ------
    InvalidInput
        If the facets are not those of the ledger, a key belongs to another cell, or a cell has another key.
    """
    names = _facets(connection, cells)
    known, fresh = [], []
    for place, name in enumerate(names):
        held = _codes(connection, place)
        used = (cells.levels[name][code] for code in np.unique(cells.code(name)))
        fresh.append([label for label in used if label not in held])
        known.append(held | {label: code for code, label in enumerate(fresh[place], len(held))})
    _want(connection, cells, names, known, keys, prices)
    there = f"SELECT 1 FROM cells AS c WHERE c.key = w.key AND {_SAME}"
    connection.execute(f"DELETE FROM wanted AS w WHERE EXISTS ({there})")
    _same_cells(connection, names, known, (0, len(cells)))
    place = names.index(JUDGE)
    judges = known[place]
    counts = dict(connection.execute(f"SELECT f{place}, count(*) FROM wanted GROUP BY f{place}"))
    new = {label: counts[code] for label, code in judges.items() if code in counts}
    repriced: dict[str, int | None] = {}
    for name in cells.levels[JUDGE]:
        if name in prices and name in judges:
            price = nano(prices[name])
            other, given = ("price IS NOT NULL", ()) if price is None else ("(price IS NULL OR price <> ?)", (price,))
            query = f"SELECT 1 FROM cells WHERE state = 'planned' AND judge = ? AND {other} LIMIT 1"
            if connection.execute(query, (judges[name], *given)).fetchone() is not None:
                repriced[name] = price
    return Draft(cells, names, known, fresh, new, repriced)


def admit(connection: Connection, draft: Draft) -> None:
    """Record the facets and labels of what is to be added, and prices that have changed."""
    if _facets(connection, draft.cells) != draft.names:
        raise InvalidInput("ledger: another process planned its facets at the same time; run it again")
    if not connection.execute("SELECT 1 FROM facets").fetchone():
        rows = [(place, name, draft.cells.nested.get(name)) for place, name in enumerate(draft.names)]
        connection.executemany("INSERT INTO facets VALUES (?, ?, ?)", rows)
        connection.execute(f"CREATE VIEW judgments AS {judgments(draft.names)}")  # as a table to read
    connection.execute("DROP TABLE IF EXISTS fresh")
    connection.execute("CREATE TEMP TABLE fresh (facet INTEGER, mark INTEGER, code INTEGER, PRIMARY KEY (facet, mark))")
    for place, (known, fresh) in enumerate(zip(draft.known, draft.fresh, strict=True)):
        if not fresh:
            continue
        held = _codes(connection, place)
        added = {label: code for code, label in enumerate((label for label in fresh if label not in held), len(held))}
        new = ((place, code, label) for label, code in added.items())
        connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", new)
        codes = held | added
        moved = {label: codes[label] for label in fresh if codes[label] != known[label]}  # others added some meanwhile
        marks = ((place, known[label], code) for label, code in moved.items())
        connection.executemany("INSERT INTO fresh VALUES (?, ?, ?)", marks)
        known.update(moved)
    judges = draft.known[draft.names.index(JUDGE)]
    connection.executemany(
        "UPDATE cells SET price = ? WHERE state = 'planned' AND judge = ?",
        ((price, judges[name]) for name, price in draft.repriced.items()),
    )


def recode(connection: Connection) -> None:
    """Give new labels the codes that `admit` found for them, where others; nothing that others see is written."""
    codes = "SELECT code FROM fresh WHERE facet = {0} AND mark = f{0}"
    new = connection.execute("SELECT DISTINCT facet FROM fresh").fetchall()
    each = [f"f{place} = coalesce(({codes.format(place)}), f{place})" for (place,) in new]
    if each:
        connection.execute(f"UPDATE wanted SET {', '.join(each)}")


def add(connection: Connection, draft: Draft, span: tuple[int, int]) -> int:
    """Add those between two places in their order that are still not there; how many.

    Raises
    ------
    InvalidInput
        If somebody else has added such a cell meanwhile, and it differs.
    """
    ((count,),) = connection.execute(f"SELECT count(*) FROM wanted AS w WHERE {_within(span)}")
    added = connection.execute(
        f"INSERT INTO cells (key, judge, {_PLACES}, replicate, price) "
        f"SELECT key, f{draft.names.index(JUDGE)}, {_PLACES}, replicate, price FROM wanted AS w "
        f"WHERE {_within(span)} ORDER BY w.id ON CONFLICT DO NOTHING"
    ).rowcount
    if added < count:  # looked for only then: it takes as long as adding them
        _same_cells(connection, draft.names, draft.known, span)
    return added


def _codes(connection: Connection, place: int) -> dict[str, int]:
    """Codes of the labels of a facet that the ledger has: 0, 1 ... in the order in which they came."""
    return dict(connection.execute("SELECT label, code FROM labels WHERE facet = ?", (place,)))


def _facets(connection: Connection, cells: Cells) -> list[str]:
    """Facets of the ledger in their order: those of its first cells."""
    held = [name for (name,) in connection.execute("SELECT name FROM facets ORDER BY place")]
    if held and set(held) != set(cells.levels):
        raise InvalidInput(f"cells: the ledger has the facets {', '.join(held)}, got {', '.join(cells.levels)}; {_NEW}")
    names = list(cells.levels)
    if held:
        return held
    if JUDGE not in names:
        raise InvalidInput(f'cells: need the facet "judge", which says who is asked, got {", ".join(names)}')
    if len(names) > MOST_FACETS:
        raise InvalidInput(f"cells: a ledger holds at most {MOST_FACETS} facets, got {len(names)}")
    taken = [name for name in names if name.lower() in RESERVED]
    if taken:
        raise InvalidInput(f'cells: "{taken[0]}" is a column of every ledger and no name for a facet; rename it')
    longest = max(names, key=lambda name: len(name.encode()))
    if len(longest.encode()) > LONGEST_FACET:
        raise InvalidInput(f'cells: names of facets have at most {LONGEST_FACET} bytes, got "{longest}"; shorten it')
    if len({name.lower() for name in names}) < len(names):
        raise InvalidInput(f"cells: facets need names that differ in more than capitals, got {', '.join(names)}")
    return names


def _want(
    connection: Connection,
    cells: Cells,
    names: list[str],
    known: list[dict[str, int]],
    keys: Iterable[str],
    prices: Mapping[str, float | None],
) -> None:
    """Put cells into the temporary table ``wanted``, where every cell has one key and every key one cell."""
    columns = []
    for codes, name in zip(known, names, strict=True):
        by_level = np.array([codes.get(label, 0) for label in cells.levels[name]], dtype=np.int64)
        columns.append(by_level[cells.code(name)])
    every = [*columns, cells.replicate]
    order = np.lexsort(every)
    same = np.logical_and.reduce([column[order[1:]] == column[order[:-1]] for column in every])
    if same.any():
        again = [int(column[order[np.argmax(same)]]) for column in every]
        raise _refusal(names, known, again, "is planned twice; plan it once, or as another replicate")
    by_judge = np.array([nano(prices.get(name)) for name in cells.levels[JUDGE]], dtype=object)
    places = ", ".join(f"f{place} INTEGER" for place in range(MOST_FACETS))
    connection.execute("DROP TABLE IF EXISTS wanted")
    connection.execute(
        f"CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY, key TEXT, {places}, replicate INTEGER, price BIGINT)"
    )
    marks = ", ".join("?" * (MOST_FACETS + 4))
    rows = _rows(cells, columns, keys, by_judge[cells.code(JUDGE)])
    connection.executemany(f"INSERT INTO wanted VALUES ({marks})", rows)
    twice = connection.execute("SELECT count(*) FROM wanted GROUP BY key HAVING count(*) > 1 LIMIT 1").fetchone()
    if twice:
        raise InvalidInput(f"keys: {twice[0]} cells have one key; every cell and every replicate needs its own")


def _rows(cells: Cells, columns: list[Any], keys: Iterable[str], charges: Any) -> Iterator[tuple[Any, ...]]:
    """Rows to insert, made block by block so that their number does not show in memory."""
    more_keys = iter(keys)
    blank = [0] * _BLOCK
    for start in range(0, len(cells), _BLOCK):
        part = slice(start, start + _BLOCK)
        codes = [column[part].tolist() for column in columns]
        size = len(codes[0])
        block = list(islice(more_keys, size))
        numbers = range(start, start + size)
        if len(block) < size:
            raise InvalidInput(f"keys: one for each of the {len(cells)} cells is needed, got {start + len(block)}")
        spare = [blank[:size]] * (MOST_FACETS - len(columns))
        yield from zip(numbers, block, *codes, *spare, cells.replicate[part].tolist(), charges[part], strict=True)
    if next(more_keys, None) is not None:
        raise InvalidInput(f"keys: one for each of the {len(cells)} cells is needed, got more")


def _same_cells(connection: Connection, names: list[str], known: list[dict[str, int]], span: tuple[int, int]) -> None:
    """That the cells between two places have the keys, and the keys the cells, that were planned before."""
    other = f"FROM wanted AS w JOIN cells AS c ON c.key = w.key WHERE {_within(span)} AND NOT ({_SAME})"
    _refuse(connection, names, known, other, "has the key of another cell; give every cell its own")
    changed = f"FROM wanted AS w JOIN cells AS c ON {_SAME} WHERE {_within(span)} AND c.key <> w.key"
    why = f"changed since this ledger was planned: its prompt, item or judge is not the same; {_NEW}"
    _refuse(connection, names, known, changed, why)


def _within(span: tuple[int, int]) -> str:
    return f"w.id >= {span[0]:d} AND w.id < {span[1]:d}"


def _refuse(connection: Connection, names: list[str], known: list[dict[str, int]], which: str, reason: str) -> None:
    shown = [f"w.f{place}" for place in range(len(names))]
    row = connection.execute(f"SELECT {', '.join(shown)}, w.replicate {which} LIMIT 1").fetchone()
    if row:
        raise _refusal(names, known, row, reason)


def _refusal(names: list[str], known: list[dict[str, int]], row: Sequence[int], reason: str) -> InvalidInput:
    """What is wrong with a cell, whose codes and replicate are given."""
    labels = [
        next(label for label, code in codes.items() if code == cell_code)
        for codes, cell_code in zip(known, row, strict=False)
    ]
    roles = zip([*names, "replicate"], [*labels, row[-1]], strict=True)
    return InvalidInput(f"ledger: the cell ({', '.join(f'{name} {label}' for name, label in roles)}) {reason}")
