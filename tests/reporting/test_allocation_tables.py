from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quorate.analysis.allocation import allocation_view
from quorate.reporting import allocation_tables as tables


@pytest.fixture(scope="module")
def study(replays):
    return allocation_view(
        replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6
    ).studies[0]


def test_policies_and_curve_are_those_of_the_replay(study):
    rows = {row["policy"]: row for row in tables.policies(study)}
    assert list(rows) == ["uniform", "ROBIN-HOOD", "ROBIN"]
    errors = study.allocation.outcomes["robin-hood"].errors[:, -1]
    assert rows["ROBIN-HOOD"]["error"] == pytest.approx(errors.mean())
    assert rows["ROBIN-HOOD"]["sd"] == pytest.approx(errors.std(ddof=1))
    assert rows["ROBIN-HOOD"]["saved"] == pytest.approx(100 * study.saved.value)
    assert rows["uniform"]["saved"] is None
    last = [row for row in tables.curve(study) if row["calls"] == study.allocation.budget]
    assert [row["error"] for row in last] == pytest.approx([row["error"] for row in rows.values()])
    assert last[0]["high"] - last[0]["low"] == pytest.approx(2 * rows["uniform"]["sd"])


def test_histograms_hold_every_arm(study):
    rows = tables.histogram(study.allocation.variances)
    assert sum(row["arms"] for row in rows) == 12
    assert tables.histogram(np.full(5, 2.0)) == [{"from": 2.0, "to": 2.0, "arms": 5}]


def test_the_profile_shares_out_all_pulls(study):
    rows = tables.profile(study)
    variances = [row["variance"] for row in rows]
    assert variances == sorted(variances)
    for name in ("uniform", "ROBIN-HOOD", tables.IDEAL):
        assert sum(row["arms"] * row[name] for row in rows) == pytest.approx(1000)


def test_arms_are_taken_together_where_they_are_many(study):
    many = np.linspace(0.1, 1, 100)
    found = replace(
        study.allocation,
        variances=many,
        outcomes={name: replace(one, pulls=many) for name, one in study.allocation.outcomes.items()},
    )
    rows = tables.profile(replace(study, allocation=found))
    assert len(rows) == tables.MOST_POINTS
    assert sum(row["arms"] for row in rows) == 100


def test_people_constants_and_cycles(study):
    human = tables.human(study)
    assert len(human) == 3 * len(study.allocation.spent)
    assert human[0]["spearman"] == pytest.approx(study.allocation.outcomes["uniform"].correlations[1, 0])
    settings = tables.settings(study)
    assert [row["warmup"] for row in settings][:4] == [30, 20, 11, 5]
    assert {row["setting"] for row in tables.settings_curve(study.sweep)} > {"uniform", "ROBIN", "delta 0.07"}
    cycles = tables.cycles(study)
    assert cycles[0]["design"] == "whole cycles"
    assert cycles[0]["off"] == pytest.approx(max(study.cycles.rows[0].mse, 0) ** 0.5)


def test_levels_and_facts(replays):
    view = allocation_view(replays.only("dimension", "clear"), 400, by="judge", runs=2)
    assert [row["level"] for row in tables.levels(view)] == ["x", "y"]
    facts = {row["what"]: row["value"] for row in tables.facts(view)}
    assert facts["arms"] == "x 12; y 12"
    assert facts["warm-up"].startswith("20 pulls of every arm")
    one = allocation_view(replays.only("dimension", "clear"), 400, by="judge", runs=1)
    assert tables.levels(one)[0]["low"] is None
