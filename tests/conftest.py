"""Shared data, random seeds and threads, the same for every test."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.entropy import deterministic_PRNG

FOLDERS = ("calibration", "local")
"""Folders whose tests all have the mark of that name."""
NEEDS_SHARED = "needs QUORATE_SHARED"
ROOT = Path(__file__).parent.parent

# Two workers on two cores: a linear algebra library that starts its own threads would only slow both down.
# It reads these names when numpy is first imported, hence here.
for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(threads, "1")

# Every run draws the same examples, `make test-slow` more of them, `--hypothesis-profile explore` others each time.
settings.register_profile("local", derandomize=True, deadline=None, max_examples=5)
settings.register_profile("full", settings.get_profile("local"), max_examples=60)
settings.register_profile("ci", settings.get_profile("local"), database=None, print_blob=True)
settings.register_profile("explore", derandomize=False, deadline=None, max_examples=2000)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Numbers and texts of our own modules among the examples would make these depend on what a worker has imported so far;
# and to look for them takes seconds.
providers.is_local_module_file = lambda _: False

# Hypothesis looks up who holds its random numbers: among few objects, and before any are frozen, as 3.14 sees none.
with deterministic_PRNG():
    pass


# Modules and tests stay until the end: looking through them for garbage again and again is a sixth of the time. Before
# all are collected there is hardly any.
gc.set_threshold(50_000, 20, 100)
gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later search for garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER is not None:
    atexit.register(os._exit, 0)  # the last of all: to take modules and tests apart takes a worker two seconds


def pytest_unconfigure() -> None:
    """Let Python clear up at its end as always."""
    if WORKER is None:
        gc.unfreeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the shared data sets and reference values; the test is skipped where there is none."""
    folder = Path(os.environ.get("QUORATE_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"{NEEDS_SHARED}: no folder {folder}")
    return folder


@pytest.fixture
def logged() -> Iterator[list[tuple[str, str]]]:
    """What the package logs from now on: level and message."""
    log, found = logging.getLogger("quorate"), []
    handler = logging.Handler()
    handler.emit = lambda record: found.append((record.levelname, record.getMessage()))  # type: ignore[method-assign]
    level = log.level
    log.addHandler(handler)
    log.setLevel("INFO")
    yield found
    log.removeHandler(handler)
    log.setLevel(level)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A Postgres cluster of these tests' own; they are skipped where Postgres or its driver is not installed."""
    sys.path.insert(0, str(ROOT / "tests"))
    from cluster import Cluster, programs

    folder = programs()
    if folder is None or find_spec("pg8000") is None:
        pytest.skip("needs Postgres (initdb, pg_ctl) and the extra quorate[postgres]")
    made = Cluster(folder)
    yield made
    made.end()


@pytest.fixture
def log() -> Iterator[list[logging.LogRecord]]:
    """Records of everybody's log from now on, down to the least."""
    records: list[logging.LogRecord] = []
    root, handler = logging.getLogger(), logging.Handler()
    level = root.level
    handler.emit = records.append
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield records
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Any]:
    """A function that draws a crossed table from a known model."""
    return _simulate


@pytest.fixture(scope="session")
def between() -> Callable[..., Any]:
    """A function that reads votes for x, votes for y and ties, with further columns."""
    import polars as pl

    import quorate as q

    def read(wins: int, losses: int, ties: int = 0, **columns: Any) -> Any:
        winner = ["model_a"] * wins + ["model_b"] * losses + ["tie"] * ties
        frame = pl.DataFrame(
            {"model_a": ["x"] * len(winner), "model_b": ["y"] * len(winner), "winner": winner, **columns}
        )
        return q.read_votes(frame, announce=False)

    return read


@pytest.fixture(scope="session")
def votes_in_twos() -> Any:
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    import polars as pl

    import quorate as q

    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="session")
def judged(simulate) -> Callable[..., Any]:
    """A function that draws a crossed table and reads it."""
    import quorate as q

    def read(sizes, *, keep=1.0, seed=0, replicates=1, sd=None, **reading):
        frame = simulate(sizes, keep=keep, seed=seed, replicates=replicates, sd=sd)
        facets = {name: name for name in (*sizes, *(["replicate"] if replicates > 1 else []))}
        return q.read(frame, facets=facets, **reading)

    return read


def _simulate(sizes, *, keep=1.0, seed=0, replicates=1, sd=None):
    """Main effects of 1, two-way interactions of 0.6, cells of 0.5 and replicates of 0.4, or what ``sd`` says."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(seed)
    axes = np.meshgrid(*(np.arange(size) for size in sizes.values()), indexing="ij")
    codes = {name: np.repeat(axis.ravel(), replicates) for name, axis in zip(sizes, axes, strict=True)}
    rows = len(next(iter(codes.values())))
    score = np.zeros(rows)
    spread = {**dict.fromkeys(sizes, 1.0), "cell": 0.5, "replicate": 0.4, **(sd or {})}
    for name, size in sizes.items():
        score += spread[name] * rng.normal(size=size)[codes[name]]
    for a, b in combinations(sizes, 2):
        effect = rng.normal(size=(sizes[a], sizes[b]))
        score += spread.get(f"{a}:{b}", 0.6) * effect[codes[a], codes[b]]
    score += spread["cell"] * np.repeat(rng.normal(size=rows // replicates), replicates)
    score += spread["replicate"] * rng.normal(size=rows)
    columns = {name: pl.Series([f"{name}{k:04d}" for k in range(sizes[name])])[own] for name, own in codes.items()}
    frame = pl.DataFrame({**columns, "replicate": np.tile(np.arange(replicates), rows // replicates), "score": score})
    return frame.filter(pl.Series(rng.random(rows) < keep)) if keep < 1 else frame


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave alone a folder of tests of one mark where ``-m`` leaves out the mark, and files of another worker.

    To import and collect what is not run takes seconds.
    """
    if collection_path.suffix:
        return None if collection_path in getattr(config, "own_files", (collection_path,)) else True
    named = collection_path.name in FOLDERS and collection_path.parent == ROOT / "tests"
    return True if named and f"not {collection_path.name}" in config.option.markexpr else None


def own_files(worker: int, workers: int) -> set[Path]:
    """The files of one of so many workers: each has about as much of every size."""
    files = sorted(ROOT.glob("tests/**/test_*.py"), key=lambda file: (-file.stat().st_size, file))
    both_ways = [*range(workers), *reversed(range(workers))]
    return {file for place, file in enumerate(files) if both_ways[place % len(both_ways)] == worker}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker whether it runs all that it collects, and whether nothing is compiled yet."""
    node.workerinput["each"] = node.config.option.dist == "each"
    node.workerinput["cold"] = not (ROOT / "src" / "quorate" / "__pycache__").is_dir()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Count what all workers have collected, not the last of them, where each runs files of its own."""
    if config.option.dist != "each":
        return None
    from xdist.scheduler import EachScheduling

    class Shares(EachScheduling):
        def add_node_collection(self, node: Any, collection: Any) -> None:
            super().add_node_collection(node, collection)
            session = config.pluginmanager.get_plugin("dsession")._session
            session.testscollected = sum(map(len, self.node2collection.values()))

    return Shares(config, log)


def compiled(config: pytest.Config) -> Path:
    """A file that is there once the first worker has collected."""
    return Path(config.option.basetemp).parent / "compiled"


class Leader:
    """The first worker, which compiles what is imported: a half of collecting."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        compiled(session.config).touch()


class Follower:
    """A worker that lets the first one do so where nothing is compiled yet."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        began = time.monotonic()
        while not compiled(session.config).exists() and time.monotonic() < began + 60:
            time.sleep(0.01)


class Terse:
    """A worker that says of each test how it went, and not that it began, was set up, taken down and ended.

    To write, send and read these is a third of what short tests cost.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config: pytest.Config) -> None:
    """Small studies of every shape are for who runs tests, not for who deals them out to workers.

    Two workers that start on an empty cache would both compile everything.
    """
    if not config.getoption("numprocesses", None):
        config.pluginmanager.import_plugin("studies")
    if hasattr(config, "workerinput") and not (config.option.verbose > 0 or config.option.durations):
        config.pluginmanager.register(Terse())
    if (told := getattr(config, "workerinput", None)) is None:
        return
    if told["each"]:
        config.own_files = own_files(int(told["workerid"].removeprefix("gw")), told["workercount"])
    if told["cold"] and not sys.dont_write_bytecode:
        config.pluginmanager.register(Leader() if WORKER == "gw0" else Follower())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that use shared data and those of folders of one mark, before ``-m`` selects; name faults."""
    if hasattr(config, "own_files"):  # a file that the command names is collected by every worker
        items[:] = [item for item in items if item.path in config.own_files]
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("wide") is not None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        if (fault := item.get_closest_marker("fault")) is not None:
            item.user_properties.append(("fault", *fault.args))
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")
        for folder in set(FOLDERS).intersection(item.path.parts):
            item.add_marker(folder)
    for name, those in cases.items():
        for item in left_to_slow(name, those):
            item.add_marker("slow")


def left_to_slow(name: str, cases: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Cases of a wide test beyond so many, which lie evenly among all; tests of one matrix begin at other cases."""
    most = cases[0].get_closest_marker("wide").args[0]  # type: ignore[union-attr]
    start, n = crc32(name.encode()), len(cases)
    taken = {(start + i * n // most) % n for i in range(most)}
    yield from (item for place, item in enumerate(cases) if place not in taken)


def survived(stats: dict[str, list[Any]]) -> list[str]:
    """A table of the faults that tests are about: how many of each survived it, failed, and were skipped."""
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in stats.get(outcome, []):
            for fault in (value for name, value in getattr(report, "user_properties", ()) if name == "fault"):
                counts.setdefault(fault, Counter())[outcome] += 1
    columns = ("survived", "failed", "skipped")
    rows = [
        (fault, (seen["passed"], seen["failed"] + seen["error"], seen["skipped"])) for fault, seen in counts.items()
    ]
    head = f"{'fault':40}" + "".join(f"{name:>10}" for name in columns)
    return [head, *(f"{fault:40}" + "".join(f"{number:10}" for number in row) for fault, row in sorted(rows))]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what faults were survived, and how many tests were skipped because there were no shared data."""
    if "fault" in terminalreporter.config.option.markexpr.replace("not fault", ""):
        terminalreporter.section("what was survived")
        for line in survived(terminalreporter.stats):
            terminalreporter.write_line(line)
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = sum(NEEDS_SHARED in str(report.longrepr) for report in skipped)
    terminalreporter.write_line(f"skipped for want of QUORATE_SHARED: {wanting}")
