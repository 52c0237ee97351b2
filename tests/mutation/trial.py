"""Trial of a mutant: tests that reach it run in a process of their own until one fails."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from mutation.mutants import Mutant
from mutation.planting import plant
from mutation.reach import Reach

MEMORY = 12 * 2**30
"""Bytes of address space that a mutant may take before Python says that there is no more."""

Outcome = Literal["killed", "live", "timed out", "the same"]


@dataclass(frozen=True)
class Trial:
    """What became of a mutant, after how many tests, and which one failed."""

    outcome: Outcome
    tests: int
    reaching: int
    by: str
    seconds: float


class Chosen:
    """A pytest plugin that runs these tests, in this order, and writes down the one that fails."""

    def __init__(self, tests: list[str], note: Path) -> None:
        self.order, self.note = {test: at for at, test in enumerate(tests)}, note

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note.write_text(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.note.write_text(report.nodeid)


def batches(mutant: Mutant, reach: Reach, budget: float) -> list[list[str]]:
    """Tests that reach ``mutant``, the quickest first and modules kept together, up to ``budget`` seconds; growing.

    The module that mirrors the mutant's comes first, and whole: functions that it caches reach for whom asks first.
    """
    found = reach.of(str(mutant.path), mutant.statement)
    parts = Path(mutant.module.replace(".", "/")).parts[1:]
    mirror = str(Path("tests", *parts[:-1], f"test_{parts[-1]}.py"))
    if any(test.startswith(f"{mirror}::") for test in found):
        found = found | {test for test in reach.seconds if test.startswith(f"{mirror}::")}
    modules: dict[str, list[str]] = {}
    for test in sorted(found, key=reach.seconds.__getitem__):
        modules.setdefault(test.split("::")[0], []).append(test)
    times = {name: sum(reach.seconds[test] for test in tests) for name, tests in modules.items()}
    order = sorted(modules, key=lambda name: (name != mirror, times[name]))
    left, size, result = budget, 1, []
    while order:
        batch: list[str] = []
        for name in order[:size]:
            for test in modules[name]:
                left -= reach.seconds[test]
                batch += [test] if left > 0 else []
        result += [batch] if batch else []
        order, size = order[size:], size * 4
    return result


def attempt(mutant: Mutant, reach: Reach, *, budget: float, log: Path, options: list[str]) -> Trial:
    """Run the tests that reach ``mutant`` until one fails; what takes ten times as long as it should is stopped."""
    start, run, by = time.monotonic(), 0, log.with_suffix(".by")
    by.unlink(missing_ok=True)
    if mutant.same:
        return Trial("the same", 0, 0, "", 0.0)
    groups = batches(mutant, reach, budget)
    outcome: Outcome = "live"
    for tests in groups:
        run += len(tests)
        seconds = 20 + 10 * sum(reach.seconds[test] for test in tests)
        status = _child(mutant, tests, seconds, log, by, options)
        if status in {-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL}:
            outcome = "timed out"
            break
        if status:
            if not by.exists() and status > 0:
                raise RuntimeError(f"pytest failed and no test did: see {log}")
            outcome = "killed"
            break
    failing = by.read_text() if by.exists() else ""
    return Trial(outcome, run, sum(map(len, groups)), failing, round(time.monotonic() - start, 1))


def _child(mutant: Mutant, tests: list[str], seconds: float, log: Path, by: Path, options: list[str]) -> int:
    """Exit status of pytest on ``tests`` with the mutant planted; minus a signal that ended it."""
    child = os.fork()
    if not child:
        with log.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(int(60 + 20 * seconds))  # for one that waits and does not compute
        status = 70  # of a child that does not come as far as pytest's own
        try:
            plant(mutant.module, mutant.path, mutant.new)
            status = int(pytest.main([*_modules(tests), "-x", *options], plugins=[Chosen(tests, by)]))
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _modules(tests: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(test.split("::")[0] for test in tests))
