"""Reach: which tests run which statements of a folder, and how long each test takes."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mutation.planting import mark

Place = tuple[str, int]


@dataclass
class Reach:
    """Seconds of processor time of every test that passes, and the tests that reach a statement."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[Place, set[str]] = field(default_factory=lambda: defaultdict(set))

    def of(self, path: str, statement: int | None) -> set[str]:
        """Tests that reach a statement, or any of its file: a field of a class is set when it is imported."""
        if statement is not None:
            return self.tests.get((path, statement), set())
        return {test for (one, _), tests in self.tests.items() if one == path for test in tests}

    def add(self, record: Mapping[str, Any]) -> None:
        names = list(record["seconds"])
        self.seconds.update(record["seconds"])
        for path, lines in record["reached"].items():
            for line, tests in lines.items():
                self.tests[path, int(line)].update(names[at] for at in tests)


class Recorder:
    """A pytest plugin that keeps what tests reach, a file for each module of tests when it is through.

    What a fixture of wider scope than a test reaches counts for every test that uses it, whichever ran first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now: set[Place] = set()
        self.fixtures: dict[int, set[Place]] = defaultdict(set)
        self.seconds: dict[str, float] = {}
        self.reached: dict[Place, list[int]] = defaultdict(list)
        self.passed = True

    def mark(self, place: Place) -> None:
        self.now.add(place)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        outer = self.now
        if fixturedef.scope != "function":
            self.now = self.fixtures[id(fixturedef)]
        try:
            return (yield)
        finally:
            self.now = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
        self.now, self.passed, start = set(), True, time.process_time()
        result = yield
        if self.passed:
            shared = [one for defs in item._fixtureinfo.name2fixturedefs.values() for one in defs]
            places = self.now.union(*(self.fixtures[id(one)] for one in shared if one.scope != "function"))
            for place in places:
                self.reached[place].append(len(self.seconds))
            self.seconds[item.nodeid] = round(time.process_time() - start, 4)
        if nextitem is None or nextitem.path != item.path:
            self.write(item.path)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and not report.failed

    def write(self, path: Path) -> None:
        reached: dict[str, dict[int, list[int]]] = defaultdict(dict)
        for (source, line), tests in self.reached.items():
            reached[source][line] = tests
        read = {str(one): digest(one) for one in [path.relative_to(Path.cwd()), *map(Path, reached)]}
        record = {"read": read, "seconds": self.seconds, "reached": reached}
        kept(self.folder, path).write_text(json.dumps(record))
        self.seconds, self.reached = {}, defaultdict(list)


def kept(folder: Path, path: Path) -> Path:
    """File that keeps what a module of tests reaches."""
    return folder / (".".join(path.resolve().relative_to(Path.cwd()).with_suffix("").parts) + ".json")


def stale(folder: Path, tests: Iterable[Path]) -> list[Path]:
    """Modules of tests of which it is not known what they reach, they and their sources being as they are now."""

    def known(path: Path) -> bool:
        if not kept(folder, path).exists():
            return False
        read = json.loads(kept(folder, path).read_text())["read"]
        return all(Path(one).exists() and digest(Path(one)) == text for one, text in read.items())

    return [path for path in tests if not known(path)]


def record(folder: Path, tests: list[Path], sources: Mapping[str, Path], options: list[str]) -> int:
    """Run modules of tests once, in this process, and keep what they reach."""
    recorder = Recorder(folder)
    mark(sources, recorder.mark)
    status = int(pytest.main([*map(str, tests), *options], plugins=[recorder]))
    for path in stale(folder, tests):  # all of its tests are for another day, or skipped
        recorder.write(path.resolve())
    return status


def read(folder: Path, tests: Iterable[Path]) -> Reach:
    """What has been kept, of modules of tests that are there."""
    reach = Reach()
    for path in tests:
        if kept(folder, path).exists():
            reach.add(json.loads(kept(folder, path).read_text()))
    return reach


@cache
def digest(path: Path) -> str:
    """Text of a file, in short."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
