import json

import pytest

from quorate.cli.console import MOST_COLUMNS, console, heading, points, print_json, say, table, whole
from quorate.wording import dollars

HOSTILE = "[red]x[/red]\x1b[31m:smile:"
SHOWN = r"[red]x[/red]\x1b[31m:smile:"


@pytest.mark.parametrize(
    "show",
    [
        lambda out: say(out, HOSTILE),
        lambda out: heading(out, HOSTILE),
        lambda out: points(out, [HOSTILE]),
        lambda out: table(out, {HOSTILE: "left"}, [["1"]]),
        lambda out: table(out, {"a": "left"}, [[HOSTILE]]),
    ],
    ids=["say", "heading", "points", "column", "cell"],
)
def test_no_label_is_taken_as_markup(capsys, show):
    show(console())
    out = capsys.readouterr().out
    assert SHOWN in out
    assert "\x1b" not in out


def test_lines_fit_and_do_not_end_in_blanks(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = console()
    say(out, "word " * 60)
    points(out, ["word " * 60])
    table(out, {"name": "left", "n": "right"}, [["long " * 60, 1], ["b", 22]])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 12
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]


def test_a_command_is_not_broken(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    whole(console(), "Next: " + "word " * 40 + HOSTILE)
    assert capsys.readouterr().out == "Next: " + "word " * 40 + SHOWN + "\n"


def test_a_wide_terminal_is_not_filled(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert console().width == MOST_COLUMNS


def test_colour_is_left_out_when_told(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not console().no_color
    monkeypatch.setenv("NO_COLOR", "1")
    assert console().no_color


def test_a_table_without_names_has_no_heading(capsys):
    table(console(), {" ": "left", "  ": "right"}, [["a", "b"]])
    assert capsys.readouterr().out == "  a  b\n"


def test_json_has_null_for_what_is_no_number(capsys):
    print_json({"a": [float("nan"), float("inf"), 1.5], "b": {"c": (1, None, "\x1b")}})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": [None, None, 1.5], "b": {"c": [1, None, "\x1b"]}}
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "unknown"), (0.0, "$0.00"), (12.345, "$12.35"), (1234.5, "$1,234"), (2e6, "$2,000,000")],
)
def test_prices_have_cents_where_they_matter(amount, shown):
    assert dollars(amount) == shown
