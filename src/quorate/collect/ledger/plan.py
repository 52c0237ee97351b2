"""Plan of a ledger: cells become its rows, once each, and nothing that was planned may change under them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.collect.budget import nano
from quorate.collect.ledger.schema import LONGEST_FACET, MOST_FACETS, RESERVED, Connection
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
    """Cells compared with a ledger.

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
    lacking : array of int
        Which ones they are, in their order.
    keys : array of bytes
        Keys of all cells.
    charges : mapping of str to int
        Worst-case price of a call in billionths, by judge; None where it is not known.
    repriced : mapping of str to int
        Worst-case price, in billionths, of judges whose planned cells have another one.
    """

    cells: Cells
    names: list[str]
    known: list[dict[str, int]]
    fresh: list[list[str]]
    new: Mapping[str, int]
    lacking: NDArray[np.int64]
    keys: NDArray[np.bytes_]
    charges: Mapping[str, int | None]
    repriced: Mapping[str, int | None]


# ---- what judgments depend on


def undeclared(connection: Connection, parts: Iterable[Dependency], seed: int | None) -> tuple[list[Dependency], bool]:
    """What judgments depend on that is not recorded yet, and whether the seed is not.

    Raises
    ------
    InvalidInput
        If a part or the seed differs from what was recorded.
    """
    ((old,),) = connection.execute("SELECT seed FROM study").fetchall()
    if old is not None and seed is not None and old != seed:
        raise InvalidInput(f"ledger: the seed was {old} when this ledger was planned, now it is {seed}; {_NEW}")
    recorded = {(kind, name): held for kind, name, held in connection.execute("SELECT kind, name, digest FROM parts")}
    given = {(part.kind, part.name): part for part in parts}
    changed = sorted(key for key, part in given.items() if recorded.get(key, part.digest) != part.digest)
    if changed:
        kind, name = changed[0]
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        shown = "prompt" if kind == "rubric" else kind
        back = "go back to the old wording" if kind == "rubric" else "take the change back"
        raise InvalidInput(f'ledger: {shown} "{name}"{more} changed since this ledger was planned; {_NEW}, or {back}')
    return [part for key, part in given.items() if key not in recorded], old is None and seed is not None


def declare(connection: Connection, parts: Iterable[Dependency], seed: int | None) -> None:
    """Record what `undeclared` finds.

    Raises
    ------
    InvalidInput
        If somebody else has recorded it meanwhile, and it differs.
    """
    new, _ = undeclared(connection, parts, seed)
    connection.execute("UPDATE study SET seed = coalesce(seed, ?)", (seed,))
    connection.executemany("INSERT INTO parts VALUES (?, ?, ?)", new)


# ---- cells: what is there is looked up without keeping others from writing, what is new is added step by step


def compare(
    connection: Connection, cells: Cells, keys: NDArray[np.bytes_], prices: Mapping[str, float | None]
) -> Draft:
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
    charges = {name: nano(prices.get(name)) for name in cells.levels[JUDGE]}
    draft = Draft(cells, names, known, fresh, {}, np.arange(len(cells)), keys, charges, {})
    _refuse_twice(draft)
    if connection.execute("SELECT 1 FROM cells LIMIT 1").fetchone():
        draft = draft._replace(lacking=_lacking(connection, draft))
    judges = known[names.index(JUDGE)]
    counts = np.bincount(cells.code(JUDGE)[draft.lacking], minlength=len(cells.levels[JUDGE])).tolist()
    new = {name: count for name, count in zip(cells.levels[JUDGE], counts, strict=True) if count}
    repriced: dict[str, int | None] = {}
    for name in cells.levels[JUDGE]:
        if name in prices and name in judges:
            price = nano(prices[name])
            other, given = ("price IS NOT NULL", ()) if price is None else ("(price IS NULL OR price <> ?)", (price,))
            query = f"SELECT 1 FROM cells WHERE state = 'planned' AND judge = ? AND {other} LIMIT 1"
            if connection.execute(query, (judges[name], *given)).fetchone() is not None:
                repriced[name] = price
    return draft._replace(new=new, repriced=repriced)


def admit(connection: Connection, draft: Draft) -> None:
    """Record the facets and labels of what is to be added, and prices that have changed."""
    if _facets(connection, draft.cells) != draft.names:
        raise InvalidInput("ledger: another process planned its facets at the same time; run it again")
    if not connection.execute("SELECT 1 FROM facets").fetchone():
        rows = [(place, name, draft.cells.nested.get(name)) for place, name in enumerate(draft.names)]
        connection.executemany("INSERT INTO facets VALUES (?, ?, ?)", rows)
        connection.execute(f"CREATE VIEW judgments AS {judgments(draft.names)}")  # as a table to read
    for place, (known, fresh) in enumerate(zip(draft.known, draft.fresh, strict=True)):
        if not fresh:
            continue
        held = _codes(connection, place)
        added = {label: code for code, label in enumerate((label for label in fresh if label not in held), len(held))}
        new = ((place, code, label) for label, code in added.items())
        connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", new)
        known.update(held | added)  # others may have added some meanwhile
    judges = draft.known[draft.names.index(JUDGE)]
    connection.executemany(
        "UPDATE cells SET price = ? WHERE state = 'planned' AND judge = ?",
        ((price, judges[name]) for name, price in draft.repriced.items()),
    )


def add(connection: Connection, draft: Draft, block: slice) -> int:
    """Add some of those that are lacking, unless they are there by now; how many.

    Raises
    ------
    InvalidInput
        If somebody else has added such a cell meanwhile, and it differs.
    """
    lacking = draft.lacking[block]
    insert = (
        f"INSERT INTO cells (key, judge, {_PLACES}, replicate, price) VALUES ({', '.join('?' * (MOST_FACETS + 4))})"
    )
    added = connection.executemany(f"{insert} ON CONFLICT DO NOTHING", _rows(draft, lacking)).rowcount
    if added < len(lacking):  # looked for only then: it takes as long as adding them
        _want(connection, draft, lacking)
        _same_cells(connection, draft)
        connection.execute("DROP TABLE wanted")
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


def _by_level(draft: Draft) -> list[Ints]:
    """Code in the ledger of every level of the cells, facet by facet; 0 for those that no cell has."""
    named = zip(draft.known, draft.names, strict=True)
    return [np.array([codes.get(one, 0) for one in draft.cells.levels[name]], dtype=np.int64) for codes, name in named]


def packed(keys: Iterable[str], count: int) -> NDArray[np.bytes_]:
    """Keys as an array: a third of the memory of as many texts."""
    each = iter(keys)
    blocks = [
        np.array([key.encode() for key in islice(each, min(_BLOCK, count - done))]) for done in range(0, count, _BLOCK)
    ]
    found = np.concatenate([block for block in blocks if len(block)] or [np.empty(0, dtype=np.bytes_)])
    if len(found) < count:
        raise InvalidInput(f"keys: one for each of the {count} cells is needed, got {len(found)}")
    if next(each, None) is not None:
        raise InvalidInput(f"keys: one for each of the {count} cells is needed, got more")
    return found


def _refuse_twice(draft: Draft) -> None:
    """Refuse cells that are there twice, and keys that several have."""
    cells = draft.cells
    columns = [codes[cells.code(name)] for codes, name in zip(_by_level(draft), draft.names, strict=True)]
    columns.append(cells.replicate)
    order = np.lexsort(columns)
    same = np.logical_and.reduce([column[order[1:]] == column[order[:-1]] for column in columns])
    if same.any():
        again = [int(column[order[np.argmax(same)]]) for column in columns]
        raise _refusal(draft, again, "is planned twice; plan it once, or as another replicate")
    ordered = np.sort(draft.keys)
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(shared):
        count = np.count_nonzero(draft.keys == shared[0])
        raise InvalidInput(f"keys: {count} cells have one key; every cell and every replicate needs its own")


def _rows(draft: Draft, cells: Ints) -> Iterator[tuple[Any, ...]]:
    """Key, judge, codes, replicate and price of cells, made block by block so that they do not show in memory."""
    judge, names = draft.names.index(JUDGE), draft.cells.levels[JUDGE]
    facets = [(codes, draft.cells.code(name)) for codes, name in zip(_by_level(draft), draft.names, strict=True)]
    for start in range(0, len(cells), _BLOCK):
        block = cells[start : start + _BLOCK]
        codes = [by_level[column[block]].tolist() for by_level, column in facets]
        spare = [[0] * len(block)] * (MOST_FACETS - len(codes))
        replicate = draft.cells.replicate[block].tolist()
        keys = (key.decode() for key in draft.keys[block].tolist())
        charges = (draft.charges[names[code]] for code in draft.cells.code(JUDGE)[block].tolist())
        yield from zip(keys, codes[judge], *codes, *spare, replicate, charges, strict=True)


def _lacking(connection: Connection, draft: Draft) -> Ints:
    """Which cells the ledger does not hold."""
    _want(connection, draft, draft.lacking)
    there = f"SELECT 1 FROM cells AS c WHERE c.key = w.key AND {_SAME}"
    connection.execute(f"DELETE FROM wanted AS w WHERE EXISTS ({there})")
    _same_cells(connection, draft)
    left = [number for (number,) in connection.execute("SELECT id FROM wanted ORDER BY id")]
    connection.execute("DROP TABLE wanted")
    return np.array(left, dtype=np.int64)


def _want(connection: Connection, draft: Draft, cells: Ints) -> None:
    """Put cells into the table ``wanted``, which is gone when the transaction is, whatever its end."""
    places = ", ".join(f"f{place} INTEGER" for place in range(MOST_FACETS))
    connection.execute(
        f"CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY, key TEXT, judge INTEGER, {places}, replicate INTEGER, "
        "price BIGINT)"
    )
    rows = ((number, *row) for number, row in zip(cells.tolist(), _rows(draft, cells), strict=True))
    connection.executemany(f"INSERT INTO wanted VALUES ({', '.join('?' * (MOST_FACETS + 5))})", rows)


def _same_cells(connection: Connection, draft: Draft) -> None:
    """That wanted cells have the keys, and the keys the cells, that were planned before."""
    other = f"FROM wanted AS w JOIN cells AS c ON c.key = w.key WHERE NOT ({_SAME})"
    _refuse(connection, draft, other, "has the key of another cell; give every cell its own")
    changed = f"FROM wanted AS w JOIN cells AS c ON {_SAME} WHERE c.key <> w.key"
    why = f"changed since this ledger was planned: its prompt, item or judge is not the same; {_NEW}"
    _refuse(connection, draft, changed, why)


def _refuse(connection: Connection, draft: Draft, which: str, reason: str) -> None:
    shown = [f"w.f{place}" for place in range(len(draft.names))]
    row = connection.execute(f"SELECT {', '.join(shown)}, w.replicate {which} LIMIT 1").fetchone()
    if row:
        raise _refusal(draft, row, reason)


def _refusal(draft: Draft, row: Sequence[int], reason: str) -> InvalidInput:
    """What is wrong with a cell, whose codes and replicate are given."""
    labels = [
        next(label for label, code in codes.items() if code == cell_code)
        for codes, cell_code in zip(draft.known, row, strict=False)
    ]
    roles = zip([*draft.names, "replicate"], [*labels, row[-1]], strict=True)
    return InvalidInput(f"ledger: the cell ({', '.join(f'{name} {label}' for name, label in roles)}) {reason}")
