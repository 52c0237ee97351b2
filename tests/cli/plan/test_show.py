from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

import quorate as q
from quorate.cli.console import console
from quorate.cli.plan.show import show_changes, show_designs
from quorate.estimate.components.published import Components
from quorate.plan.search.whatif import WhatIf


@pytest.fixture
def safety() -> Components:
    return q.components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})


def shown(designs, name, **options):
    out = Console(file=io.StringIO(), width=80)
    show_designs(out, designs, name, **options)
    return out.file.getvalue()


def test_designs_side_by_side(safety):
    designs = {
        "one": q.project(safety, items=100, judges=1, prices={"call": 0.5}),
        "two": q.project(safety, items=100, judges=3, layout="blocks", per_item=2, prices={"call": 0.5}),
    }
    lines = {line.split("  ")[1]: line.split() for line in shown(designs, "two").splitlines() if line[:2] == "  "}
    assert lines["calls"][-2:] == ["100", "200"]
    assert lines["price"][-2:] == ["$50.00", "$100.00"]
    assert lines["layout"][-4:] == ["factorial", "2", "judges", "each"]
    assert "price" not in shown(designs, "two", priced=False)


def plan(se, calls, cost=None):
    return SimpleNamespace(se=se, half_width=lambda: 2 * se, calls=calls, cost=cost)


def change(label, projection, change=0.0):
    return WhatIf(label, projection, change, 0, None)


def test_changes_are_compared_with_three_digits(capsys):
    rows = [change("as it is", plan(0.0984, 100)), change("more", plan(0.0812, 2000), -0.175), change("odd", None)]
    show_changes(console(), rows, priced=False)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["as", "it", "is", "±0.1968", "100"],
        ["more", "±0.1624", "-18%", "2,000"],
        ["odd", "not", "known"],
    ]


def test_a_small_difference_has_no_sign(capsys):
    show_changes(console(), [change("a", plan(0.1, 3), -0.004), change("b", plan(0.1, 3), 0.006)], priced=False)
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()[1:]] == ["<1%", "+1%"]


def test_prices_are_shown_where_asked_for(capsys):
    show_changes(console(), [change("as it is", plan(0.1, 3, 0.5)), change("more", plan(0.1, 4))], priced=True)
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["price", "$0.50", "unknown"]
