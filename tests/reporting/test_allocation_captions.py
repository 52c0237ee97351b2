from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quorate as q
from quorate.analysis.allocation import allocation_view, view_of
from quorate.reporting import allocation_captions as captions


@pytest.fixture(scope="module")
def study(replays):
    return allocation_view(
        replays, 2000, only={"dimension": "clear"}, human="human", cycle="judge", sweep=True, runs=6
    ).studies[0]


def test_what_is_saved_is_said_first(study):
    saved = study.saved.value
    finding = captions.curve(study).finding
    assert saved > 0
    assert finding.endswith(f"{saved:.0%} saved")
    assert f"needs {round(2000 * (1 - saved)):,} of 2,000 calls" in finding


def test_nothing_saved_is_said_too(study):
    outcomes = dict(study.allocation.outcomes)
    outcomes["robin-hood"] = replace(outcomes["robin-hood"], errors=3 * outcomes["uniform"].errors)
    worse = replace(study, allocation=replace(study.allocation, outcomes=outcomes))
    assert captions.curve(worse).finding.startswith("ROBIN-HOOD saves nothing")
    assert "Thick line" not in " ".join(captions.curve(worse).lines)


def test_noise_people_constants_and_cycles(study):
    assert "33.3% of arms do not vary at all" in captions.variances(study).finding
    assert captions.means(study).finding.startswith("Means of arms go from")
    assert "by ROBIN-HOOD" in captions.human(study).finding
    assert "with delta" in captions.settings(study.sweep).finding
    assert captions.cycles(study.cycles).finding.startswith("Means by whole cycles are off by")
    quarter = np.sort(study.allocation.ideal)[-3:].sum()
    assert f"would give them {quarter:.0%}" in captions.profile(study).finding


def test_constants_that_do_not_belong_together_are_uniform_allocation():
    pool = np.random.default_rng(1).normal(0, np.repeat([0.1, 2], [40, 10])[:, None], (50, 20))
    from quorate.simulate.allocation.sweep import sweep_allocation

    said = " ".join(captions.settings(sweep_allocation(pool, 2000, runs=3)).lines)
    assert "so this is uniform allocation" in said


def test_policies_that_were_not_replayed_are_not_compared():
    pool = np.random.default_rng(1).normal(0, 1, (20, 20))
    study = view_of(q.simulate_allocation(pool, 1000, runs=2, policies="uniform")).studies[0]
    assert captions.curve(study).finding == study.allocation.sentence.rstrip(".")
    assert "every arm varies" in captions.variances(study).finding
