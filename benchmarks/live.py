"""Seconds until the status of a study of a million cells is there: sums are kept, and rows are not read.

Run with ``make bench``. A ledger of 25,000 items by 4 judges, 2 prompts and 5 replicates, of which 900,000 cells are
answered, as runners leave it; the first line is that of a ledger written before sums were kept, as every status of
so large a ledger was.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import quorate as q
from quorate.collect.ledger import sums
from quorate.collect.ledger.ledger import Ledger

ANSWERED = 900_000
ATTEMPTS = """
INSERT INTO attempts (id, cell, try, runner, status, score, text, cut, tokens_in, tokens_out, cost, charged, latency,
                      at)
SELECT id, id, 1, 1, CASE WHEN id % 97 = 0 THEN 'unparsed' ELSE 'ok' END,
       CASE WHEN id % 97 = 0 THEN NULL ELSE 1 + abs(random()) % 10 END, 'Good, but not all of it is right. 7',
       0, 500, 20, 900000, 900000, 1.5, 1.7e9 + id * 0.01 FROM cells WHERE id <= ?
"""
SETTLED = """
UPDATE cells SET state = CASE WHEN id % 97 = 0 THEN 'given_up' ELSE 'done' END, accepted = id, asked = 1 WHERE id <= ?
"""


def filled(path: Path) -> None:
    """Plan a ledger and answer most of it at once."""
    names = [f"item {number}" for number in range(25_000)]
    cells = q.assign(items=names, judges=["a", "b", "c", "d"], prompts=["p", "q"], layout="factorial", replicates=5)
    with Ledger.open(path) as ledger:
        ledger.plan(cells, (f"{number:064x}" for number in range(len(cells))), dict.fromkeys("abcd", 0.001))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO runners VALUES (1, 'gone', 0, 0)")
        for statement in (ATTEMPTS, SETTLED):
            connection.execute(statement, (ANSWERED,))
        connection.execute("UPDATE spend SET calls = ?, money = ?", (ANSWERED, ANSWERED * 900_000))
        connection.execute("COMMIT")


def status(path: Path) -> float:
    """Seconds to open the ledger and ask how far every judge is."""
    start = time.perf_counter()
    with Ledger.open(path) as ledger:
        judges = ledger.seen(ledger.status)
    assert sum(judge.done + judge.given_up for judge in judges) == ANSWERED
    return time.perf_counter() - start


def main() -> None:
    """Print seconds without sums and with them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        filled(path)
        print(f"1,000,000 cells, 900,000 answered; status from all attempts: {status(path):.2f} s")
        with Ledger.open(path) as ledger:
            ledger.whole(lambda: sums.carry(ledger.store.connection, ANSWERED))
        print(f"status from sums: {min(status(path) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
