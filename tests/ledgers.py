"""Ledgers of answers that are given, written at once: as the runner would leave them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from quorate.collect.ledger.ledger import Ledger
from quorate.table.exchange.ledger import judgments

FACTS = ("score", "status", "cost", "tokens_in", "tokens_out", "latency", "at")


def write_ledger(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """A ledger with a finished cell for every row; the columns before ``replicate`` are its facets."""
    facets = names[: names.index("replicate")]
    Ledger.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO facets VALUES (?, ?, NULL)", enumerate(facets))
        connection.execute(f"CREATE VIEW judgments AS {judgments(facets)}")
        codes: list[dict[object, int]] = [{} for _ in facets]
        for number, row in enumerate(rows, 1):
            held = [known.setdefault(label, len(known)) for known, label in zip(codes, row, strict=False)]
            facts = {"status": "ok", "at": 1e9, **dict(zip(names, row, strict=True))}
            attempt = [facts.get(name) for name in FACTS]
            connection.execute(
                "INSERT INTO attempts (id, cell, try, runner, cut, score, status, cost, tokens_in, tokens_out, "
                "latency, at) VALUES (?, ?, 1, 1, 0, ?, ?, ?, ?, ?, ?, ?)",
                (number, number, *attempt),
            )
            judge = held[facets.index("judge")] if "judge" in facets else 0
            places = ", ".join(f"f{place}" for place in range(len(facets)))
            connection.execute(
                f"INSERT INTO cells (id, key, judge, {places}, replicate, state, accepted) "
                f"VALUES (?, ?, ?, {'?, ' * len(facets)} ?, 'done', ?)",
                (number, f"key {number}", judge, *held, facts["replicate"], number),
            )
        for place, known in enumerate(codes):
            labels = ((place, code, label) for label, code in known.items())
            connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", labels)
        connection.execute("COMMIT")
    return path
