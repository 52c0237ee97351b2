"""The curve of the estimate: a band to watch, dashed lines to decide by."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from under_way import scored

import quorate as q
from quorate.analysis.goals.path import GoalPath
from quorate.reporting.pages.interim import estimates, methods


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return q.interim(scored(tmp_path_factory.mktemp("study"), calls=60, items=16))


def test_the_curve_has_every_look_and_both_intervals(found):
    figure = estimates(found)
    assert [row["n"] for row in figure.rows] == [look.n for look in found.looks]
    spec = figure.chart()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["area", "line", "line", "line"]
    assert "NaN" not in json.dumps(spec)
    assert figure.headers["always_low"] == "low, to decide by"


@pytest.mark.parametrize(
    ("spending", "said"),
    [("late", "O'Brien and Fleming 1979)."), ("early", "Pocock 1977)."), (None, "one analysis was narrow enough.")],
)
def test_methods_say_how_rounds_were_analysed(found, spending, said):
    path = GoalPath("which is better", (), "calls", 400.0, spending=spending)
    assert methods(replace(found, path=path)).endswith(said)


def test_one_look_is_no_curve(found):
    assert estimates(type(found)(found.status, "scores", 0.95, found.looks[:1])).chart is None
