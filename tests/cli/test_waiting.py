from __future__ import annotations

import pytest

from quorate.cli import entry as waiting
from quorate.cli.entry import Bar, main

GONE = "\x1b[2K"
"""What clears a line of the terminal."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand, at a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    now = [100.0]
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_shown_of_what_is_quick(clock, capsys):
    bar = Bar()
    for done in range(5):
        bar("draws", done, 4)
        clock[0] += 0.4
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_is_shown_on_standard_error_and_cleared(clock, capsys):
    bar = Bar()
    for done in range(4):
        bar("draws", done, 3)
        bar("inner", 0, 2)
        bar("inner", 2, 2)
        clock[0] += 1.5
    out, err = capsys.readouterr()
    assert out == ""
    assert "draws" in err
    assert "2/3" in err, "after two seconds"
    assert "1/3" not in err, "and not before"
    assert "inner" not in err, "the outer one alone"
    assert err.endswith(GONE)


def test_what_cannot_say_how_long_it_takes_says_its_step(clock, capsys):
    bar = Bar()
    for done in range(3):
        bar("steps", done, None)
        clock[0] += 1.5
    bar("steps", 3, 3)
    assert "2/?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "terminal", "shown"), [([], True, True), (["--quiet"], True, False), ([], False, False)]
)
def test_it_is_for_terminals_and_not_for_the_quiet(words, terminal, shown, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    monkeypatch.setattr(waiting, "EVERY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    rows = [f"{i},{j},{(i * 7 + j * 3) % 5}" for i in range(6) for j in (1, 2)]
    (tmp_path / "scores.csv").write_text("\n".join(["item,judge,score", *rows]))
    assert main([*words, "doctor", "scores.csv"]) in {0, 2}
    assert ("0/" in capsys.readouterr().err) == shown
