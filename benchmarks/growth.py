"""How CPU seconds and memory grow with rows, of every verb that reads a table, and with cells, of each step of a study.

Run with ``make bench``, or alone: ``python benchmarks/growth.py``; ``--tables`` or ``--studies`` for one of the two,
``--most 100000`` for smaller ones. Items grow with the rows. Studies: two judges behind an endpoint on the loopback
interface give every response of five systems one score. Every step is the command as it is typed, in this process, by
its CPU seconds (``time.process_time``), after one round that is not counted, so that nothing is loaded while it is
timed. The exponent is that between the last two sizes, where what every command costs matters least: 1 is linear. It
ends with exit code 1 if one is greater than 1.1. Memory is the most that a process of its own held at the largest size.
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
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import polars as pl

from quorate.cli import main as quorate
from quorate.collect.ledger.ledger import Ledger
from quorate.study.file import load
from quorate.study.loop import plan
from quorate.study.questions import questions

ENDPOINT = Path(__file__).parent.parent / "tests" / "loopback.py"
SIZES = (1000, 10_000, 100_000)
ROWS = (*SIZES, 1_000_000)
JUDGES, SYSTEMS, MOST = 2, 5, 1.1
VERBS = {
    "doctor": "doctor scores.csv",
    "doctor, votes": "doctor votes.csv",
    "analyze": "analyze scores.csv --no-report",
    "analyze, page": "analyze one.csv --report page.html",
    "analyze, wide": "analyze wide.csv --no-report",
    "analyze --runs": "analyze runs.csv --runs",
    "analyze --baseline": "analyze runs.csv --baseline 0.5",
    "judges": "judges scores.csv",
    "compare": "compare scores.csv s1 s0",
    "compare, votes": "compare votes.csv s1 s0",
    "rank": "rank scores.csv",
    "rank, votes": "rank votes.csv",
    "regress": "regress labels.csv --outcome judge --on length --labels human",
    "plan": "plan one.csv --budget 1000000",
    "assign": "assign --items items.csv --judges 5 --out calls.csv --force",
    "report": "report one.csv",
    "export": "export scores.csv out.parquet",
}
"""Commands on files whose rows grow."""


def tables(folder: Path, rows: int) -> None:
    """Files of so many rows: scores of two systems and of one, a column for each of ten judges, and others."""
    folder.mkdir()
    rng = np.random.default_rng(1)

    def named(letter: str, code: np.ndarray) -> list[str]:
        return [f"{letter}{one}" for one in code.tolist()]

    for name, systems in (("scores", 2), ("one", 1)):
        shape = (systems, rows // (systems * 5), 5)
        system, item, judge = np.indices(shape).reshape(3, -1)
        score = 5 + 0.1 * system + rng.normal(0, 1, shape[1])[item] + rng.normal(0, 0.5, shape[1:])[item, judge]
        score += rng.normal(0, 0.5, shape[:2])[system, item] + rng.normal(0, 0.6, len(item))
        columns = {"item": named("q", item), "judge": named("j", judge), "score": score.round(2)}
        if systems > 1:
            columns = {"system": named("s", system), **columns}
        pl.DataFrame(columns).write_csv(folder / f"{name}.csv")
    items = np.arange(rows // 10)
    quality = rng.normal(0, 1, len(items))
    wide = {f"judge_{judge}": (5 + quality + rng.normal(0, 1, len(items))).round(1) for judge in range(10)}
    pl.DataFrame({"item": named("q", items), **wide}).write_csv(folder / "wide.csv")
    a = rng.integers(8, size=rows)
    b = (a + rng.integers(1, 8, size=rows)) % 8
    first = rng.random(rows) < 1 / (1 + np.exp((b - a) / 4))
    votes = {"model_a": named("s", a), "model_b": named("s", b), "judge": named("j", rng.integers(4, size=rows))}
    votes |= {"item": named("q", np.arange(rows) // 5), "winner": np.where(first, "model_a", "model_b")}
    pl.DataFrame(votes).write_csv(folder / "votes.csv")
    length, human = rng.normal(0, 1, rows), np.where(rng.random(rows) < 0.1, rng.integers(1, 6, rows), -1)
    labels = {"item": named("q", np.arange(rows)), "length": length.round(2), "judge": rng.integers(1, 6, rows)}
    frame = pl.DataFrame(labels | {"human": human})
    frame.with_columns(pl.col("human").replace(-1, None)).write_csv(folder / "labels.csv")
    pl.DataFrame({"item": named("q", np.arange(rows))}).write_csv(folder / "items.csv")
    item, run = np.divmod(np.arange(rows), 5)
    right = (rng.random(rows) < rng.random(rows // 5)[item]).astype(int)
    pl.DataFrame({"item": named("q", item), "run": run, "score": right}).write_csv(folder / "runs.csv")


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


def typed(*words: str) -> Callable[[], object]:
    """A command as it is typed, silently."""

    def command() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                code = quorate([*words])
            except SystemExit as ended:
                code = ended.code
        if code not in (0, 2, None):
            raise RuntimeError(f"quorate {' '.join(words)} ended with exit code {code}: {said.getvalue()}")

    return command


def verbs(folder: Path) -> dict[str, list[str]]:
    """The commands on the files of a folder, by name; what they write is there too."""

    def there(word: str) -> str:
        return str(folder / word) if "." in word and word.rpartition(".")[2].isalpha() else word

    return {name: [*map(there, words.split())] for name, words in VERBS.items()}


ALONE = """
import atexit, sys
from quorate.cli import main
def most():
    print("\\n", next(row for row in open("/proc/self/status") if row.startswith("VmHWM")).split()[1])
atexit.register(most)
main(sys.argv[1:])
"""


def held(words: list[str]) -> float:
    """The most MB that a command holds in a process of its own."""
    said = subprocess.run([sys.executable, "-c", ALONE, *words], capture_output=True, text=True, check=False).stdout
    return int(said.split()[-1]) / 1024


def steps(path: Path) -> dict[str, Callable[[], object]]:
    """The steps by name, in their order."""
    ledger = str(path.with_suffix(".db"))

    def planned() -> None:
        loaded = load(path)
        asked = questions(loaded)
        with Ledger.open(loaded.database) as there:
            plan(there, asked)

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


def took(step: Callable[[], object]) -> float:
    """CPU seconds of a step."""
    start = time.process_time()
    step()
    return time.process_time() - start


def measured(path: Path) -> dict[str, float]:
    """CPU seconds of every step of a study."""
    found = {}
    for name, step in steps(path).items():
        found[name] = took(step)
        if name == "status":
            scored(path.with_suffix(".db"))
    return found


def printed(rows: Iterable[tuple[str, dict[int, float]]], memory: Callable[[str], float] | None = None) -> int:
    """Print a table as it comes; how many grow too fast."""
    steep, headed, last = 0, False, "" if memory is None else f"{'MB':>12}"
    for name, times in rows:
        if not headed:
            print(f"{'CPU s':20}" + "".join(f"{size:>12,}" for size in times) + f"{'exponent':>12}" + last)
            headed = True
        (small, least), (large, most) = [*times.items()][-2:]
        exponent = math.log(most / least) / math.log(large / small)
        steep += exponent > MOST
        last = "" if memory is None else f"{memory(name):12,.0f}"
        print(f"{name:20}" + "".join(f"{one:12.2f}" for one in times.values()) + f"{exponent:12.2f}" + last, flush=True)
    return steep


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=ROWS[-1], help="rows or cells of the largest")
    parser.add_argument("--tables", action="store_true", help="no studies")
    parser.add_argument("--studies", action="store_true", help="no tables")
    asked = parser.parse_known_args()[0]
    steep = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if not asked.studies:
            chosen = [size for size in ROWS if size <= asked.most]
            for size in chosen:
                tables(folder / str(size), size)
            each = {size: verbs(folder / str(size)) for size in chosen}
            for name in VERBS:
                took(typed(*each[chosen[0]][name]))
            times = ((name, {size: took(typed(*each[size][name])) for size in chosen}) for name in VERBS)
            steep += printed(times, lambda name: held(each[chosen[-1]][name]))
        if not asked.tables:
            chosen = [size for size in SIZES if size <= asked.most]
            server = subprocess.Popen([sys.executable, ENDPOINT, "0.005", "3600"], stdout=subprocess.PIPE, text=True)
            try:
                port = int(server.stdout.readline())
                measured(study(folder / "first", chosen[0], port))
                times = {size: measured(study(folder / f"study{size}", size, port)) for size in chosen}
                steep += printed((name, {size: times[size][name] for size in chosen}) for name in times[chosen[0]])
            finally:
                server.kill()
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
