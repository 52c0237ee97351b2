from __future__ import annotations

import math

from quorate.analysis.allocation import allocation_view, arms_text, between, final_error, plus_minus
from quorate.simulate.allocation.result import Saved


def test_an_arm_of_one_facet_and_of_several(replays):
    only = {"dimension": "clear"}
    (both,) = allocation_view(replays, 1200, only=only, runs=1).studies
    assert arms_text(both) == (
        "An arm is a combination of item x judge: 24 arms, 8 answers each; 1 run of 1,200 calls."
    )
    (cycled,) = allocation_view(replays, 1200, only=only, cycle="judge", runs=2).studies
    assert arms_text(cycled) == (
        "An arm is one item: 12 arms, 8 answers each from every judge; a pull asks 2 in turn; 2 runs of 1,200 calls."
    )


def test_a_single_run_has_no_deviation_and_no_interval(replays):
    (study,) = allocation_view(replays, 1200, only={"dimension": "clear"}, runs=1).studies
    mean, sd = final_error(study.allocation, "uniform")
    assert mean == study.allocation.outcomes["uniform"].errors[0, -1]
    assert math.isnan(sd)
    assert "±" not in plus_minus(mean, sd)
    assert between(study.saved) == ""
    assert between(Saved("robin", "uniform", 0.1, -0.2, 0.3)) == " (-20% to 30%)"
