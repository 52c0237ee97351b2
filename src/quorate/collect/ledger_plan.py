"""Planning: cells become rows of the ledger, once each, and nothing that was planned may change under them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from quorate.collect.budget import nano
from quorate.collect.ledger_schema import LONGEST_FACET, MOST_FACETS, RESERVED
from quorate.collect.ledger_store import Connection
from quorate.errors import InvalidInput
from quorate.table.cells import Cells
from quorate.table.files import quoted

JUDGE = "judge"
_PLACES = ", ".join(f"f{place}" for place in range(MOST_FACETS))
_SAME = " AND ".join(f"c.f{place} = w.f{place}" for place in range(MOST_FACETS)) + " AND c.replicate = w.replicate"
_BLOCK = 4096
_NEW = "start a new ledger for the changed study"


class Part(NamedTuple):
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


def cell_key(*, rubric: str, judge: str, item: str, order: str, temperature: str, replicate: int) -> str:
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
    return digest([rubric, judge, item, order, temperature, int(replicate)])


def declare(connection: Connection, parts: Iterable[Part], seed: int | None) -> None:
    """Record what the judgments depend on; new parts are added, known ones must not have changed.

    Raises
    ------
    InvalidInput
        If a part or the seed differs from what was recorded.
    """
    ((old,),) = connection.execute("SELECT seed FROM study")
    if old is not None and seed is not None and old != seed:
        raise InvalidInput(f"ledger: the seed was {old} when this ledger was planned, now it is {seed}; {_NEW}")
    connection.execute("UPDATE study SET seed = coalesce(seed, ?)", (seed,))
    connection.execute("CREATE TEMP TABLE given (kind TEXT, name TEXT, digest TEXT)")
    connection.executemany("INSERT INTO given VALUES (?, ?, ?)", parts)
    changed = connection.execute(
        "SELECT kind, name, count(*) OVER () FROM given JOIN parts USING (kind, name) "
        "WHERE given.digest <> parts.digest ORDER BY kind, name LIMIT 1"
    ).fetchone()
    if changed:
        kind, name, count = changed
        more = f" (and {count - 1} more)" if count > 1 else ""
        raise InvalidInput(f'ledger: {kind} "{name}"{more} changed since this ledger was planned; {_NEW}')
    connection.execute("INSERT INTO parts SELECT kind, name, digest FROM given WHERE true ON CONFLICT DO NOTHING")
    connection.execute("DROP TABLE given")


def plan(connection: Connection, cells: Cells, keys: Iterable[str], prices: Mapping[str, float | None]) -> int:
    """Add the cells that are not there yet, in their order; how many that were.

    Raises
    ------
    InvalidInput
        If the facets are not those of the ledger, a key belongs to another cell, or a cell has another key.
    """
    names = _facets(connection, cells)
    columns = [_codes(connection, place, name, cells) for place, name in enumerate(names)]
    places = ", ".join(f"f{place} INTEGER" for place in range(MOST_FACETS))
    connection.execute(
        f"CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY, key TEXT, judge INTEGER, {places}, replicate INTEGER, "
        "price BIGINT)"
    )
    marks = ", ".join("?" * (MOST_FACETS + 5))
    rows = _rows(cells, columns, names.index(JUDGE), keys, _charges(cells, prices))
    connection.executemany(f"INSERT INTO wanted VALUES ({marks})", rows)
    _same_cells(connection, names)
    connection.execute(
        "UPDATE cells AS c SET price = w.price FROM wanted AS w WHERE c.key = w.key AND c.state = 'planned' "
        "AND (c.price <> w.price OR (c.price IS NULL) <> (w.price IS NULL))"
    )
    columns_of = f"key, judge, {_PLACES}, replicate, price"
    added = connection.execute(
        f"INSERT INTO cells ({columns_of}) SELECT {columns_of} FROM wanted AS w "
        "WHERE NOT EXISTS (SELECT 1 FROM cells AS c WHERE c.key = w.key) ORDER BY w.id"
    ).rowcount
    connection.execute("DROP TABLE wanted")
    return added


def _facets(connection: Connection, cells: Cells) -> list[str]:
    """Facets of the ledger in their order: those of its first cells."""
    held = [name for (name,) in connection.execute("SELECT name FROM facets ORDER BY place")]
    if not held:
        held = _checked(list(cells.levels))
        rows = [(place, name, cells.nested.get(name)) for place, name in enumerate(held)]
        connection.executemany("INSERT INTO facets VALUES (?, ?, ?)", rows)
        connection.execute(_view(held))
    if set(held) != set(cells.levels):
        raise InvalidInput(f"cells: the ledger has the facets {', '.join(held)}, got {', '.join(cells.levels)}; {_NEW}")
    return held


def _checked(names: list[str]) -> list[str]:
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


def _view(names: list[str]) -> str:
    """Judgments as a table to read: one row for every cell that is finished."""
    shown = [f"l{place}.label AS {quoted(name)}" for place, name in enumerate(names)]
    joins = [f"JOIN labels l{i} ON l{i}.facet = {i} AND l{i}.code = c.f{i}" for i in range(len(names))]
    return (
        f"CREATE VIEW judgments AS SELECT {', '.join(shown)}, c.replicate AS replicate, a.score AS score, "
        "a.status AS status, CAST(a.cost AS DOUBLE PRECISION) / 1e9 AS cost, a.tokens_in AS tokens_in, "
        "a.tokens_out AS tokens_out, "
        f"a.latency AS latency, a.at AS at FROM cells c JOIN attempts a ON a.id = c.accepted {' '.join(joins)}"
    )


def _codes(connection: Connection, place: int, name: str, cells: Cells) -> Any:
    """Codes of the ledger for a facet of every cell; labels that are new get the next ones."""
    held = dict(connection.execute("SELECT label, code FROM labels WHERE facet = ?", (place,)))
    own = cells.code(name)
    used = np.unique(own)
    new = [label for label in (cells.levels[name][code] for code in used) if label not in held]
    held |= {label: code for code, label in enumerate(new, len(held))}
    connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", ((place, held[label], label) for label in new))
    codes = np.zeros(len(cells.levels[name]), dtype=np.int64)
    codes[used] = [held[cells.levels[name][code]] for code in used]
    return codes[own]


def _charges(cells: Cells, prices: Mapping[str, float | None]) -> Any:
    """Worst-case price of every cell, by its judge; None where it is not known."""
    by_label = np.array([nano(prices.get(name)) for name in cells.levels[JUDGE]], dtype=object)
    return by_label[cells.code(JUDGE)]


def _rows(cells: Cells, columns: list[Any], judge: int, keys: Iterable[str], charges: Any) -> Iterator[tuple[Any, ...]]:
    """Rows to insert, made block by block so that their number does not show in memory."""
    given = iter(keys)
    blank = [0] * _BLOCK
    for start in range(0, len(cells), _BLOCK):
        part = slice(start, start + _BLOCK)
        codes = [column[part].tolist() for column in columns]
        size = len(codes[0])
        own = list(islice(given, size))
        numbers = range(start, start + size)
        if len(own) < size:
            raise InvalidInput(f"keys: one for each of the {len(cells)} cells is needed, got {start + len(own)}")
        spare = [blank[:size]] * (MOST_FACETS - len(columns))
        replicates = cells.replicate[part].tolist()
        yield from zip(numbers, own, codes[judge], *codes, *spare, replicates, charges[part], strict=True)
    if next(given, None) is not None:
        raise InvalidInput(f"keys: one for each of the {len(cells)} cells is needed, got more")


def _same_cells(connection: Connection, names: list[str]) -> None:
    """That every cell has one key and every key one cell, here and with what was planned before."""
    twice = connection.execute("SELECT count(*) FROM wanted GROUP BY key HAVING count(*) > 1 LIMIT 1").fetchone()
    if twice:
        raise InvalidInput(f"keys: {twice[0]} cells have one key; every cell and every replicate needs its own")
    again = f"GROUP BY {_PLACES}, replicate HAVING count(*) > 1"
    _refuse(connection, names, f"FROM wanted AS w {again}", "is planned twice; plan it once, or as another replicate")
    other = f"FROM wanted AS w JOIN cells AS c ON c.key = w.key WHERE NOT ({_SAME})"
    _refuse(connection, names, other, "has the key of another cell; give every cell its own")
    changed = f"FROM wanted AS w JOIN cells AS c ON {_SAME} WHERE c.key <> w.key"
    why = f"changed since this ledger was planned: its rubric, item or judge is not the same; {_NEW}"
    _refuse(connection, names, changed, why)


def _refuse(connection: Connection, names: list[str], which: str, what: str) -> None:
    shown = [f"(SELECT label FROM labels WHERE facet = {i} AND code = w.f{i})" for i in range(len(names))]
    found = connection.execute(f"SELECT {', '.join(shown)}, w.replicate {which} LIMIT 1").fetchone()
    if found:
        said = ", ".join(f"{name} {label}" for name, label in zip([*names, "replicate"], found, strict=True))
        raise InvalidInput(f"ledger: the cell ({said}) {what}")
