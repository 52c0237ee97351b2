"""The screen of a page, character by character, and what there is no room for."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from rich.console import Console

from quorate.reporting.page import Caption, Figure, Page, Section, Short, Step, particulars
from quorate.reporting.print.terminal import LINES, as_text

GOLDEN = Path(__file__).with_name("terminal.txt")


def page(boards: int = 3, caveats: int = 3) -> Page:
    rows = [
        {
            "system": f"s{i}",
            "mean": 4.5 - i / 4,
            "low": 4.2 - i / 4,
            "high": 4.8 - i / 4,
            "share": 0.9 / 4**i,
            "n": 1200,
        }
        for i in range(boards)
    ]
    rows[-1] |= {"low": -math.inf, "system": "odd\x1b[31m\u202e[b]"}
    heads = {"system": "system", "mean": "mean", "low": "95% interval", "share": "best", "n": "scores"}
    board = Figure("board", Caption("s0 leads"), rows, short=Short(heads, of="mean", at=4.0, percent=("share",)))
    parts = [{"part": name, "share": share} for name, share in (("judge", 0.65), ("item", 0.35))]
    sources = Figure(
        "sources", Caption("65% is of judges", ("Of Var(mean).",)), parts, short=Short({"part": "", "share": "share"})
    )
    unseen = Figure("unseen", Caption("Not for a terminal"), parts)
    return Page(
        "scores.csv",
        "s0 is better than all others.",
        (Section("board", "The board", ("A word on it.",), (board,)), Section("why", "Why", (), (sources, unseen))),
        particulars("facts", "What was ranked", [("systems", boards), ("level", 0.95)]),
        "As usual.",
        dict,
        caveats=tuple(f"caveat {i}" for i in range(caveats)),
        next_step=Step("Next: one more judge.", "quorate plan scores.csv"),
    )


def console(encoding: str = "utf-8", width: int = 80) -> Console:
    return Console(file=io.TextIOWrapper(io.BytesIO(), encoding), width=width, highlight=False, markup=False)


def test_what_is_printed():
    """Where the golden file differs on purpose, it is what this prints: write it and look at the change."""
    read = "item = question; judge; system = model"
    shown = {
        "a screen": as_text(page(), console(), read=read),
        "all of it": as_text(page(), console(), read=read, full=True),
        "ASCII": as_text(page(), console("ascii")),
        "narrow": as_text(page(), console(width=40)),
        "many systems": as_text(page(40), console(), read=read),
    }
    text = "".join(f"=== {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in shown.items())
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("boards", [1, 4, 100])
@pytest.mark.parametrize("caveats", [0, 1, 9])
def test_a_screen_is_a_screen(boards, caveats):
    lines = as_text(page(boards, caveats), console(), read="word " * 100)
    assert len(lines) < LINES
    assert max(map(len, lines)) <= 80


def test_colour_is_left_out_when_told(monkeypatch):
    out = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False, markup=False)
    assert "\x1b[1m" in as_text(page(), out)[0]
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False, markup=False)
    assert not [line for line in as_text(page(), plain) if "\x1b[3" in line]
