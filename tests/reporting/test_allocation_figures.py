from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quorate.analysis.allocation import allocation_view
from quorate.reporting import allocation_captions as captions
from quorate.reporting import allocation_figures as figures
from quorate.reporting import allocation_tables as tables


@pytest.fixture(scope="module")
def study(replays):
    return allocation_view(
        replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6
    ).studies[0]


def _drawn(chart):
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(chart.to_dict())
    assert "NaN" not in drawn
    return drawn


def _data(spec):
    own = [part["data"]["values"] for part in (spec, *spec["layer"]) if "values" in part.get("data", {})]
    return [*spec.get("datasets", {}).values(), *own]


@pytest.mark.parametrize("name", ["curve", "human", "profile"])
def test_charts_of_a_study(study, name):
    assert "<svg" in _drawn(getattr(figures, name)(study))


def test_what_is_saved_is_a_line_at_the_final_error_of_uniform_allocation(study):
    spec = figures.curve(study).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "rule", "text"]
    (mark,) = next(data for data in _data(spec) if "needed" in data[0])
    assert mark["at"] == pytest.approx(study.allocation.outcomes["uniform"].errors[:, -1].mean())
    assert mark["needed"] == pytest.approx(2000 * (1 - study.saved.value))
    assert mark["text"] == f"{study.saved.value:.0%} saved"


def test_no_line_where_nothing_is_saved(study):
    outcomes = dict(study.allocation.outcomes)
    outcomes["robin-hood"] = replace(outcomes["robin-hood"], errors=3 * outcomes["uniform"].errors)
    worse = replace(study, allocation=replace(study.allocation, outcomes=outcomes))
    spec = figures.curve(worse).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line"]


def test_uniform_allocation_is_drawn_wide_beneath_the_others(study):
    marks = [layer["mark"] for layer in figures.human(study).to_dict()["layer"]]
    assert [mark["strokeWidth"] for mark in marks] == [6, 2, 2]


def test_histograms_with_a_single_value_too(study):
    caption = captions.variances(study)
    assert "<svg" in _drawn(figures.histogram(study.allocation.variances, "variance", caption))
    assert "<svg" in _drawn(figures.histogram(np.full(4, 0.5), "variance", caption))


def test_constants_and_cycles(study):
    assert "delta 0.07" in _drawn(figures.settings(study.sweep))
    rows = tables.cycles(study)
    spec = figures.cycles(study.cycles, rows).to_dict()
    assert "whole cycles" in _drawn(figures.cycles(study.cycles, rows))
    assert {row["part"] for data in _data(spec) for row in data} == {figures.BIAS, figures.VARIANCE}


def test_levels_and_a_single_run(replays):
    clear = replays.only("dimension", "clear")
    assert "<svg" in _drawn(figures.levels(allocation_view(clear, 600, by="judge", runs=20)))
    single = allocation_view(clear, 600, by="judge", runs=1).studies[0]
    assert "<svg" in _drawn(figures.curve(single))
