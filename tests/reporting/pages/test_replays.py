from __future__ import annotations

import numpy as np
import pytest

from quorate.analysis.allocation import allocation_view
from quorate.reporting.pages.allocation import BIAS, VARIANCE, cycles, human, settings
from quorate.reporting.print.files import specification, svg
from quorate.simulate.allocation.sweep import sweep_allocation


@pytest.fixture(scope="module")
def study(replays):
    """A study with human scores, other constants and whole cycles."""
    found = allocation_view(
        replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6
    )
    return found.studies[0]


def drawn(figure):
    out = svg(figure, 720)
    assert "nan" not in out.lower()
    return out


def data_of(spec):
    own = [part["data"]["values"] for part in (spec, *spec["layer"]) if "values" in part.get("data", {})]
    return [*spec.get("datasets", {}).values(), *own]


def test_people(study):
    figure = human(study)
    assert len(figure.rows) == 3 * len(study.allocation.spent)
    assert figure.rows[0]["spearman"] == pytest.approx(study.allocation.outcomes["uniform"].correlations[1, 0])
    assert "by ROBIN-HOOD" in figure.caption.finding
    assert "<svg" in drawn(figure)


def test_uniform_allocation_is_drawn_wide_beneath_the_others(study):
    marks = [layer["mark"] for layer in specification(human(study))["layer"]]
    assert [mark["strokeWidth"] for mark in marks] == [6, 2, 2]


def test_human_scores_that_do_not_vary_are_a_table_alone(replays):
    found = allocation_view(replays, 1200, only={"dimension": "clear"}, human="same", runs=2)
    figure = human(found.studies[0])
    assert figure.chart is None
    assert "not known" in figure.caption.finding


def test_other_constants(study):
    figure = settings(study.sweep)
    assert [row["warmup"] for row in figure.rows][:4] == [30, 20, 11, 5]
    assert "with delta" in figure.caption.finding
    names = {row["setting"] for data in data_of(specification(figure)) for row in data}
    assert names > {"uniform", "ROBIN", "delta 0.07"}
    assert "delta 0.07" in drawn(figure)


def test_constants_that_do_not_belong_together_are_uniform_allocation():
    pool = np.random.default_rng(1).normal(0, np.repeat([0.1, 2], [40, 10])[:, None], (50, 20))
    lines = settings(sweep_allocation(pool, 2000, runs=3)).caption.lines
    assert "so this is uniform allocation" in " ".join(lines)


def test_whole_cycles(study):
    figure = cycles(study.cycles)
    assert figure.rows[0]["design"] == "whole cycles"
    assert figure.rows[0]["off"] == pytest.approx(max(study.cycles.rows[0].mse, 0) ** 0.5)
    assert figure.caption.finding.startswith("Means by whole cycles are off by")
    assert "whole cycles" in drawn(figure)
    parts = {row["part"] for data in data_of(specification(figure)) for row in data}
    assert parts == {BIAS, VARIANCE}
