"""Exponent of every step of a study in the number of its cells: quote, plan, run, status, analyze, rank, report.

Run with ``make bench``, or alone: ``python benchmarks/growth.py``. Items grow with the cells: two judges behind an
endpoint on the loopback interface give every response of five systems one score. Every step is the command as it is
typed, in this process, by its CPU seconds (``time.process_time``), after one study that is not counted, so that
nothing is loaded while it is timed. The exponent is that between the last two sizes, where what every command costs
matters least: 1 is linear. It ends with exit code 1 if one is greater than 1.2.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from quorate.cli import main as quorate
from quorate.collect.ledger.ledger import Ledger
from quorate.study.file import load
from quorate.study.loop import plan
from quorate.study.questions import questions
from quorate.study.quote import sizes, worst

ENDPOINT = Path(__file__).parent.parent / "tests" / "collect" / "loopback.py"
SIZES = (1000, 10_000, 100_000)
JUDGES, SYSTEMS, MOST = 2, 5, 1.2


def study(folder: Path, cells: int, port: int) -> Path:
    """A study file whose layout has so many cells."""
    folder.mkdir()
    items = cells // (JUDGES * SYSTEMS)
    with (folder / "items.jsonl").open("w", encoding="utf-8") as stream:
        for item in range(items):
            for system in range(SYSTEMS):
                answer = f"{item} and {system} are {item + system}. " * (1 + (item + system) % 4)
                row = {"id": f"q{item}", "system": f"s{system}", "prompt": f"What is {item} + {system}?"}
                stream.write(json.dumps(row | {"response": answer}) + "\n")
    judge = {"kind": "endpoint", "base_url": f"http://127.0.0.1:{port}/v1", "concurrency": 64}
    content = {
        "items": {"file": "items.jsonl", "system": "system"},
        "judges": {f"j{n}": {**judge, "model": f"m{n}"} for n in range(JUDGES)},
        "prompts": ["score"],
        "budget": {"calls": 10 * cells},
    }
    path = folder / "study.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")  # which is YAML too
    return path


def steps(path: Path) -> dict[str, Callable[[], object]]:
    """The steps by name, in their order."""
    ledger = str(path.with_suffix(".db"))

    def planned() -> None:
        loaded = load(path)
        asked = questions(loaded)
        with Ledger.open(loaded.database) as there:
            plan(there, asked, worst(asked, sizes(asked)))

    def typed(*words: str) -> Callable[[], object]:
        def command() -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    code = quorate([*words])
                except SystemExit as ended:
                    code = ended.code
            if code not in (0, 2, None):
                raise RuntimeError(f"quorate {' '.join(words)} ended with exit code {code}")

        return command

    return {
        "quote": typed("run", str(path), "--quote"),
        "plan": planned,
        "run": typed("run", str(path), "--yes"),
        "status": typed("status", str(path)),
        "analyze": typed("analyze", ledger, "--no-report"),
        "rank": typed("rank", ledger),
        "report": typed("analyze", ledger, "--report", str(path.with_suffix(".html"))),
    }


def scored(path: Path) -> None:
    """Scores that differ, in place of the endpoint's sevens: what is analysed is to be estimated."""
    with Ledger.open(path) as ledger:
        connection = ledger.store.connection
        connection.execute("DROP TRIGGER attempts_stay")
        connection.execute("UPDATE attempts SET score = 1 + (cell * 7919 + cell / 10 * 104729) % 10")


def measured(path: Path) -> dict[str, float]:
    """CPU seconds of every step."""
    found = {}
    for name, step in steps(path).items():
        start = time.process_time()
        step()
        found[name] = time.process_time() - start
        if name == "status":
            scored(path.with_suffix(".db"))
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=SIZES[-1], help="cells of the largest study")
    most = parser.parse_known_args()[0].most
    chosen = [size for size in SIZES if size <= most]
    server = subprocess.Popen([sys.executable, ENDPOINT, "0.005", "3600"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        with tempfile.TemporaryDirectory() as folder:
            measured(study(Path(folder) / "first", chosen[0], port))
            times = {size: measured(study(Path(folder) / str(size), size, port)) for size in chosen}
    finally:
        server.kill()
    print(f"{'CPU s':10}" + "".join(f"{size:>12,}" for size in chosen) + f"{'exponent':>12}")
    small, large = chosen[-2:]
    steep = 0
    for name in times[large]:
        exponent = math.log(times[large][name] / times[small][name]) / math.log(large / small)
        steep += exponent > MOST
        print(f"{name:10}" + "".join(f"{times[size][name]:12.2f}" for size in chosen) + f"{exponent:12.2f}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
