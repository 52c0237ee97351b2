"""Seconds until a study of a million cells is there to be looked at: sums are kept, and rows are not read.

``python benchmarks/live.py``, where ``quorate[web]`` is installed. A study of 25,000 items by 4 judges and 10
replicates, of which 900,000 cells are answered, as runners leave it. The first line is that of a ledger written before
sums were kept, as every status of so large a ledger was; the last ones are the page of the owner.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from starlette.testclient import TestClient

from quorate.collect.ledger import money
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import LINK
from quorate.web.serve import Opened, application, prepare

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


def written(folder: Path) -> Path:
    """The study."""
    rows = ({"id": f"item {number}", "prompt": "What is 1 + 1?", "response": "2"} for number in range(25_000))
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    judges = {name: {"kind": "python"} for name in "abcd"}
    content = {"items": "items.jsonl", "judges": judges, "prompts": ["score"], "replicates": 10}
    path = folder / "study.yaml"
    path.write_text(json.dumps({**content, "budget": {"calls": 2_000_000}}), encoding="utf-8")  # JSON is YAML too
    return path


def filled(path: Path) -> None:
    """Answer most of a ledger at once."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO runners (name, since, until) VALUES ('gone', 0, 0)")
        for statement in (ATTEMPTS, SETTLED):
            connection.execute(statement, (ANSWERED,))
        connection.execute("UPDATE spend SET calls = ?, money = ?", (ANSWERED, ANSWERED * 900_000))
        connection.execute("COMMIT")


def status(path: Path) -> str:
    """Seconds to open the ledger and ask how far every judge is."""
    start = clocks()
    with Ledger.open(path) as ledger:
        judges = ledger.seen(ledger.status)
    assert sum(judge.done + judge.given_up for judge in judges) == ANSWERED
    return since(start)


def clocks() -> tuple[float, float]:
    """Now, and the processor time of this process."""
    return time.perf_counter(), time.process_time()


def since(start: tuple[float, float]) -> str:
    """Seconds gone by, and those of a processor."""
    wall, used = (now - then for now, then in zip(clocks(), start, strict=True))
    return f"{wall:.2f} s ({used:.2f} s of a processor)"


def page(opened: Opened) -> tuple[str, str]:
    """Seconds until the owner has the page, the first time and once more while the estimate is made."""
    link = LINK + opened.links[""].rpartition("/")[2]
    took = []
    with TestClient(application(opened.asked), base_url="http://127.0.0.1:8000") as client:
        client.get(link)
        for _ in range(2):
            start = clocks()
            assert "finished of 1,000,000 cells" in client.get("/study").text
            took.append(since(start))
            time.sleep(3)
    return took[0], took[1]


def main() -> None:
    """Print seconds without sums and with them, and of the page."""
    with tempfile.TemporaryDirectory() as folder:
        study = written(Path(folder))
        opened = prepare(study, host="127.0.0.1", port=8000, links=True)
        place = study.with_suffix(".db")
        filled(place)
        print(f"1,000,000 cells, 900,000 answered; status from all attempts: {status(place)}")
        with Ledger.open(place) as ledger:
            ledger.whole(lambda: money.carry(ledger.store.connection, ANSWERED))
        print(f"status from sums: {status(place)}")
        first, again = page(opened)
        print(f"the owner's page: {first}, and {again} while the estimate is made")


if __name__ == "__main__":
    main()
