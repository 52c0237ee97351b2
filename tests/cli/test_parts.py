from types import SimpleNamespace

import pytest

from quorate.analysis.judgments import Source
from quorate.arguments import argument
from quorate.cli.console import console
from quorate.cli.parts import dollars, show, show_changes, show_files, with_column
from quorate.plan.search.whatif import WhatIf
from quorate.table.notes import left_unused, read_as


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "unknown"), (0.0, "$0.00"), (12.345, "$12.35"), (1234.5, "$1,234"), (2e6, "$2,000,000")],
)
def test_prices_have_cents_where_they_matter(amount, shown):
    assert dollars(amount) == shown


def plan(se, calls, cost=None):
    return SimpleNamespace(se=se, calls=calls, cost=cost)


def change(label, projection, change=0.0):
    return WhatIf(label, projection, change, 0, None)


def test_changes_are_compared_with_three_digits(capsys):
    rows = [change("as it is", plan(0.0984, 100)), change("more", plan(0.0812, 2000), -0.175), change("odd", None)]
    show_changes(console(), rows, priced=False)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["as", "it", "is", "0.0984", "100"],
        ["more", "0.0812", "-18%", "2,000"],
        ["odd", "not", "known"],
    ]


def test_a_small_difference_has_no_sign(capsys):
    show_changes(console(), [change("a", plan(0.1, 3), -0.004), change("b", plan(0.1, 3), 0.006)], priced=False)
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()[1:]] == ["<1%", "+1%"]


def test_prices_are_shown_where_asked_for(capsys):
    show_changes(console(), [change("as it is", plan(0.1, 3, 0.5)), change("more", plan(0.1, 4))], priced=True)
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["price", "$0.50", "unknown"]


def analysis(**parts):
    """As much of an analysis as the terminal shows."""
    empty = {"sources": (), "what_if": (), "purchases": (), "caveats": (), "answer": None, "price": None}
    reasons = {"population": None, "population_reason": "", "panel_reason": ""}
    return SimpleNamespace(**{"sentence": "Mean 1.", **empty, **reasons, **parts})


def shown(capsys, **parts):
    show(console(), analysis(**parts))
    return capsys.readouterr().out


def test_nothing_is_said_where_there_is_nothing_to_say(capsys):
    out = shown(capsys)
    assert out.startswith("Mean 1.\n\nWhere the uncertainty comes from\n")
    assert "What to do next\n  - These data do not say" in out
    assert "Caveats" not in out


@pytest.mark.parametrize(
    ("n", "lines", "last"), [(6, 6, "s5  1%  add s5"), (7, 6, "2 others  3%"), (9, 6, "4 others  10%")]
)
def test_at_most_six_sources_and_the_rest_together(capsys, n, lines, last):
    sources = tuple(Source(f"s{i}", (n - i) / 100, 0.1, f"add s{i}") for i in range(n))
    table = shown(capsys, sources=sources).split("\n\n")[1].splitlines()[2:]
    assert len(table) == lines
    assert table[-1].split() == last.split()


def test_a_reason_for_no_interval_is_a_caveat_unless_it_is_said_already(capsys):
    told = SimpleNamespace(sentence="1 judge: the result is for this judge only")
    out = shown(capsys, population_reason="1 judge: one says nothing", caveats=(told,))
    assert "no interval for judges like these" not in out
    reason = "it needs judge apart, use " + argument("judge", "panel", group="targets")
    out = shown(capsys, population_reason=reason)
    assert "  - no interval for judges like these (it needs judge apart, use --target" in out


def test_files_are_named_one_per_line(capsys):
    show_files(console(), [])
    assert capsys.readouterr().out == ""
    show_files(console(), ["a.html", "b.md"])
    assert capsys.readouterr().out == "\nReport: a.html\nReport: b.md\n"


def test_designs_from_nothing_are_named_where_there_are_any(capsys):
    found = {"design": {"item": 74, "judge": 6, "replicate": 1}, "per_item": None, "places": None}
    best = SimpleNamespace(
        own=SimpleNamespace(se=0.14),
        same_cost=SimpleNamespace(se=0.104, calls=1680, layout="cyclic", **found),
        same_se=SimpleNamespace(se=0.138, calls=1, layout="latin", **found),
    )
    rows = (change("as it is", plan(0.14, 1800)),)
    out = shown(capsys, what_if=rows, optimum=best, priced=False)
    assert "- for the same number of calls: 74 items, 6 judges, one judge per item in turn; 1,680 calls, SE 0.104" in (
        " ".join(out.split())
    )
    assert "in turn; 1 call, SE 0.138" in " ".join(out.split())
    assert "A design from nothing" not in shown(capsys, what_if=rows, optimum=None, priced=False)


def test_a_column_that_is_used_otherwise_is_not_unused():
    notes = [read_as("judge", ["j"]), *left_unused(["human", "other"])]
    assert with_column(notes, "people", "human") == ["judge = column j", "people = column human", "not used: other"]
    assert with_column(left_unused(["human"]), "human", "human") == ["human = column human"]
    assert with_column(notes, "people", None) == notes
