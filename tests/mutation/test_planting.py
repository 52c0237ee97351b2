"""A planted module is its new text; a marked one says which statements ran and does the same."""

from __future__ import annotations

import importlib
import sys

import pytest

from mutation.planting import mark, plant

TEXT = '''"""A module."""

from __future__ import annotations


def half(x: int) -> int:
    """Half, or less."""

    def down(y: int) -> int:
        return y // 2

    if x > 2:
        return down(x)
    elif x == 2:
        return 1
    return 0
'''


@pytest.fixture
def name(tmp_path, monkeypatch):
    """A module in a file, which no other test has imported."""
    (tmp_path / "halves.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield "halves"
    sys.modules.pop("halves", None)


def test_the_mutant_is_imported_and_the_file_stays(name, tmp_path):
    plant(name, tmp_path / "halves.py", TEXT.replace("y // 2", "y * 2"))
    assert importlib.import_module(name).half(4) == 8
    assert (tmp_path / "halves.py").read_text() == TEXT


@pytest.mark.parametrize(
    ("x", "value", "lines"), [(4, 2, {6, 9, 10, 12, 13}), (2, 1, {6, 9, 12, 14, 15}), (0, 0, {6, 9, 12, 14, 16})]
)
def test_marks_are_the_statements_that_ran(name, tmp_path, x, value, lines):
    reached = set()
    mark({name: tmp_path / "halves.py"}, reached.add)
    module = importlib.import_module(name)
    assert not reached
    assert module.half(x) == value
    assert {line for _, line in reached - {("halves.py", 7)}} == lines
