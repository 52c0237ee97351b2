from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import Constants
from quorate.simulate.allocation.result import (
    Allocation,
    PolicyRuns,
    Saved,
    runs_note,
    saving,
    share_text,
)

SPENT = np.array([100, 200, 400])


def outcome(*errors):
    errors = np.array(errors, dtype=float)
    none = np.full(2, math.nan)
    return PolicyRuns(errors, errors.mean(axis=0) / 2, np.full((3, 3), math.nan), np.array([150.0, 250.0]), none, none)


def allocation(own, other, runs=1):
    outcomes = {"uniform": outcome(*[other] * runs), "robin-hood": outcome(*[own] * runs)}
    variances = np.array([1.0, 3.0])
    return Allocation(
        outcomes, SPENT, np.zeros(2), variances, ("a", "b"), 1, Constants(5.0, 20), 1.0, False, runs, 1, ()
    )  # fmt: skip


def test_savings_are_read_off_the_curves():
    """It has the error .4 that uniform ends with half way between 100 and 200: at 150 of 400."""
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4])
    assert found.saved().value == pytest.approx(1 - 150 / 400)
    assert math.isnan(found.saved().low)
    assert found.sentence == (
        "ROBIN-HOOD needs 150 of 400 calls for the largest error, 0.4, that uniform allocation ends with: 62% saved "
        "(fewer than 20 runs: no interval)."
    )


def test_savings_below_zero_are_read_the_other_way_round():
    """Uniform has the final .4 at 200 calls: ROBIN-HOOD would need twice the calls."""
    found = allocation([0.9, 0.6, 0.4], [0.9, 0.4, 0.2])
    assert found.saved().value == pytest.approx(-1)
    assert found.sentence.startswith("ROBIN-HOOD saves nothing: uniform allocation has its final largest error, 0.4, ")
    assert "after 200 of 400 calls (fewer than 20 runs: no interval)" in found.sentence


def test_nothing_is_saved_where_the_final_error_is_larger():
    """ROBIN-HOOD has the final .4 of uniform allocation at 200 calls, and loses it again."""
    found = allocation([0.9, 0.38, 0.45], [0.9, 0.5, 0.4])
    assert found.saved().value == pytest.approx(1 - 400 / 300)
    assert found.sentence.startswith("ROBIN-HOOD saves nothing")


def test_shares_of_next_to_nothing_have_no_sign():
    assert Saved("robin", "uniform", -0.001, -0.004, 0.004).text() == "0% saved (0% to <1%)"


def test_the_interval_is_over_runs():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.02, (2, 40, 3))
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4], runs=40)
    outcomes = {
        "uniform": outcome(*(np.array([0.9, 0.6, 0.4]) + noise[1])),
        "robin-hood": outcome(*(np.array([0.5, 0.3, 0.2]) + noise[0])),
    }
    usual, narrow, wide = (replace(found, outcomes=outcomes).saved(level=level) for level in (0.95, 0.9, 0.999))
    assert 0.6 < narrow.low < narrow.value < narrow.high < 0.65
    assert wide.low < usual.low < narrow.low < narrow.high < usual.high < wide.high
    assert usual.high - usual.low < 0.1


def test_policies_are_compared_within_the_same_runs():
    """Runs that are hard for one policy are so for the other: the difference is sure though neither error is."""
    hard = np.linspace(1, 3, 20)[:, None]
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4], runs=20)
    outcomes = {
        "uniform": outcome(*(hard * np.array([0.9, 0.6, 0.4]))),
        "robin-hood": outcome(*(hard * np.array([0.5, 0.3, 0.2]))),
    }
    saved = replace(found, outcomes=outcomes).saved()
    assert saved.low == pytest.approx(saved.value)
    assert saved.high == pytest.approx(saved.value)


def test_curves_are_columns_of_one_length():
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4], runs=2)
    assert set(found.curve) == {"policy", "spent", "wce_mean", "wce_sd", "rmse_mean"}
    assert {len(column) for column in found.curve.values()} == {6}
    assert found.to_frame().columns == list(found.curve)
    assert set(replace(found, human=True).curve) > {"pearson", "spearman", "kendall"}


def test_why_names_the_ceiling_and_the_warm_up():
    found = allocation([0.9, 0.6, 0.38], [0.9, 0.6, 0.4])
    assert found.variance_ratio == pytest.approx(2 / 3)
    assert found.warmup_share == pytest.approx(0.1)
    assert found.ideal.tolist() == [0.25, 0.75]
    first, last = found.why
    assert first.startswith("The mean variance of an arm is 67% of the largest")
    assert last.startswith("The warm-up of 20 pulls of each arm takes 10% of the budget")
    assert allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4]).why == ()


def test_known_variances_that_save_less_are_put_down_to_chance():
    found = allocation([0.9, 0.6, 0.38], [0.9, 0.6, 0.4], runs=3)
    worse = replace(found, outcomes=found.outcomes | {"robin": outcome(*[[0.9, 0.6, 0.41]] * 3)})
    assert "saves nothing; that this is less than ROBIN-HOOD may be chance, and more runs would tell." in worse.why[1]
    better = replace(found, outcomes=found.outcomes | {"robin": outcome(*[[0.9, 0.4, 0.3]] * 20)}, runs=20)
    both = {name: outcome(*[one.errors[0]] * 20) for name, one in better.outcomes.items()}
    assert replace(better, outcomes=both).why[1].endswith("saves 50% (95% interval 50% to 50%).")


def test_everything_goes_to_json():
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4])
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert said["curve"]["wce_sd"] == [None] * 6
    assert said["saved"][0]["low"] is None
    assert said["arms"]["label"] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"policy": "robin"}, 'policy: must be one of uniform, robin-hood, got "robin"'),
        ({"against": "none"}, 'against: must be one of uniform, robin-hood, got "none"'),
        ({"policy": "uniform"}, 'against: another policy than "uniform"'),
        ({"level": 1.0}, "level: must lie between 0 and 1, got 1.0"),
    ],
)
def test_savings_are_of_two_policies(given, said):
    with pytest.raises(InvalidInput, match=said):
        allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4]).saved(**given)


def test_without_uniform_only_errors_are_said():
    found = allocation([0.5, 0.3, 0.2], [0.9, 0.6, 0.4])
    alone = replace(found, outcomes={"robin-hood": found.outcomes["robin-hood"]})
    assert alone.sentence == "After 400 calls the largest error of any arm is, on average: ROBIN-HOOD 0.2."
    assert "2 arms, 400 calls, 1 run:" in repr(alone)
    assert alone.why == ()


def test_a_curve_that_is_there_from_the_first_point_needs_no_more():
    assert saving(np.array([[0.1, 0.1, 0.1]]), np.array([[0.9, 0.5, 0.3]]), SPENT).tolist() == [0.75]


def test_an_error_is_had_from_where_it_stays():
    """The target .3 is crossed at 150, lost, and crossed for good at 3 / 4 of the way from 200 to 400."""
    spent = np.array([100, 200, 300, 400])
    own, other = np.array([[0.4, 0.2, 0.5, 0.1]]), np.array([[0.9, 0.6, 0.5, 0.3]])
    assert saving(own, other, spent) == pytest.approx([1 - 350 / 400])


@pytest.mark.parametrize("final", [0.29, 0.31])
def test_a_saving_has_the_sign_of_the_difference_of_final_errors(final):
    rng = np.random.default_rng(1)
    own, other = (np.column_stack([rng.uniform(0.2, 0.9, (50, 2)), np.full(50, end)]) for end in (final, 0.3))
    assert ((saving(own, other, SPENT) > 0) == (final < 0.3)).all()


@pytest.mark.parametrize(
    ("share", "said"), [(0.009, "<1%"), (0.0, "0%"), (-0.004, "0%"), (-0.007, "-1%"), (1.0, "100%")]
)
def test_shares_are_whole_percents(share, said):
    assert share_text(share) == said


@pytest.mark.parametrize(("runs", "notes"), [(1, 1), (19, 1), (20, 1), (49, 1), (50, 0)])
def test_few_runs_are_named(runs, notes):
    assert len(runs_note(runs)) == notes
