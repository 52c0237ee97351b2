"""Shared data, random seeds and threads, the same for every test."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings

NEEDS_SHARED = "needs QUORATE_SHARED"
ROOT = Path(__file__).parent.parent

# Two workers on two cores: a linear algebra library that starts its own threads would only slow both down.
# It reads these names when numpy is first imported, hence here.
for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(threads, "1")

# Every run draws the same examples; `pytest --hypothesis-profile explore` looks for new ones.
settings.register_profile("local", derandomize=True, deadline=None)
settings.register_profile("ci", settings.get_profile("local"), database=None, print_blob=True)
settings.register_profile("explore", derandomize=False, deadline=None, max_examples=2000)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the shared data sets and reference values; the test is skipped where there is none."""
    folder = Path(os.environ.get("QUORATE_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"{NEEDS_SHARED}: no folder {folder}")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that use shared data, before ``-m`` selects."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped because there were no shared data."""
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = sum(NEEDS_SHARED in str(report.longrepr) for report in skipped)
    terminalreporter.write_line(f"skipped for want of QUORATE_SHARED: {wanting}")
