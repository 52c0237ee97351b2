"""Ask the example's questions afresh, in this process and through a server, and write the recorded tables.

Run it from the root of the repository, with the extra ``local`` and ``llama-cpp-python[server]``::

    .venv/bin/python tests/local/record.py
"""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from server import behind, serving

from quorate.cli import main
from quorate.collect.judges.local import bundled

HOME = Path(__file__).parents[2] / "src/quorate/study/example/smollm2"
COLUMNS = "item, category, prompt, judge, temperature, replicate, CAST(score AS INTEGER) AS score, status"


def write(ledger: Path, path: Path) -> None:
    """Answers of a ledger as a table, in the order of their names."""
    held = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    found = held.execute(f"SELECT {COLUMNS} FROM judgments ORDER BY item, prompt, temperature, replicate")
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow([name for name, *_ in found.description])
        rows.writerows(found)
    held.close()


def record(folder: Path) -> None:
    """Both tables."""
    assert main(["init", str(folder), "--example"]) == 0
    assert main(["run", str(folder / "study.yaml"), "--yes"]) == 0
    write(folder / "study.db", HOME / "scores.csv")
    study = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    with serving(bundled("smollm2"), folder) as url:
        (folder / "server.yaml").write_text(
            yaml.safe_dump({**study, "judges": {"smollm2": behind(url)}}), encoding="utf-8"
        )
        assert main(["run", str(folder / "server.yaml"), "--yes"]) == 0
    write(folder / "server.db", HOME / "server.csv")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        record(Path(folder) / "smollm2")
