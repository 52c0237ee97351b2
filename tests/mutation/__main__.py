"""``python -m mutation``: draw mutants, run the tests that reach them, print who lives."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

CACHE = Path(".cache/mutation")
LONG = {"browser", "calibration", "local"}
"""Folders of which `make test` runs nothing."""
HEAVY = (
    *("duckdb", "jinja2", "numpy", "polars", "pydantic", "scipy.optimize", "scipy.sparse.linalg", "scipy.special"),
    "scipy.stats",
)
"""Imported once, for every process that tries a mutant."""
OPTIONS = ["-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist"]


def main() -> None:
    """Go on where an earlier call stopped (Ctrl-C prints what is known): trials are kept in ``.cache/mutation``."""
    words = argparse.ArgumentParser(prog="make mutate ARGS=...", description=__doc__)
    words.add_argument("--folder", default="src/quorate/numerics", help="what is mutated")
    words.add_argument("--count", type=int, default=200, help="mutants drawn")
    words.add_argument("--seed", type=int, default=1, help="of the sample")
    words.add_argument("--tests", nargs="+", default=["tests"], help="folders or files of tests to run")
    words.add_argument("--budget", type=float, default=60, help="seconds of tests that a mutant meets at most")
    words.add_argument("--again", action="store_true", help="try those that lived again: there are new tests")
    asked = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    folder = Path(asked.folder)
    sources = {".".join(path.relative_to("src").with_suffix("").parts): path for path in sorted(folder.rglob("*.py"))}
    sources = {name.removesuffix(".__init__"): path for name, path in sources.items() if path.name != "__init__.py"}
    tests = list(dict.fromkeys(path for name in asked.tests for path in _modules(Path(name))))
    place = CACHE.absolute() / folder.as_posix().replace("/", ".")  # tests change the working directory
    (place / "reach").mkdir(parents=True, exist_ok=True)
    _reach(place, tests, sources)
    _try(place, folder, tests, asked)


def _modules(path: Path) -> list[Path]:
    found = [path] if path.is_file() else sorted(path.rglob("test_*.py"))
    return [one for one in found if not LONG.intersection(one.parts)]


def _reach(place: Path, tests: list[Path], sources: Mapping[str, Path]) -> None:
    """Record what tests reach where it is not known, in a process of its own."""
    from mutation import reach

    stale = reach.stale(place / "reach", tests)
    if not stale:
        return
    print(f"what {len(stale)} modules of tests reach ...", flush=True)
    child = os.fork()
    if not child:
        os._exit(reach.record(place / "reach", stale, sources, OPTIONS))
    os.waitpid(child, 0)


def _try(place: Path, folder: Path, tests: list[Path], asked: argparse.Namespace) -> None:
    for name in HEAVY:
        import_module(name)

    from mutation import reach
    from mutation.mutants import sample
    from mutation.report import report
    from mutation.trial import Trial, attempt

    ledger = place / "trials.jsonl"
    known = {}
    for line in ledger.read_text().splitlines() if ledger.exists() else []:
        entry = json.loads(line)
        key = entry.pop("mutant")
        known[key] = Trial(**entry)
    if asked.again:
        known = {key: trial for key, trial in known.items() if trial.outcome != "live"}
    reached = reach.read(place / "reach", tests)
    mutants, total = sample(folder, asked.count, asked.seed)
    with suppress(KeyboardInterrupt):
        for turn, mutant in enumerate(mutants, 1):
            if mutant.key not in known:
                trial = attempt(mutant, reached, budget=asked.budget, log=place / "log", options=OPTIONS)
                known[mutant.key] = trial
                with ledger.open("a") as file:
                    print(json.dumps({"mutant": mutant.key, **asdict(trial)}), file=file)
                print(f"{turn}/{len(mutants)} {mutant.module} {trial.outcome} {trial.by}", file=sys.stderr, flush=True)
    print(report([(mutant, known[mutant.key]) for mutant in mutants if mutant.key in known], total))


if __name__ == "__main__":
    main()
