"""The prize for the best of many attempts: exact where it can be, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.decide.gaming import elo_slope, gaming
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm

PARTS = {"item": 0.09, "item:judge": 0.04, "prompt": 0.001, "prompt:judge": 0.002, "cell": 0.05}
ARENA = q.components(PARTS, sensitivity={"judge": 0.003})


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged({"item": 40, "prompt": 4, "judge": 3}, seed=3, replicates=2))


def test_the_prize_is_expected_maximum_times_standard_error():
    found = gaming(ARENA, items=100, designs=[{"prompts": 2, "judges": 3}]).prizes[0]
    variance = 0.09 / 100 + 0.04 / 300 + 0.001 / 2 + 0.002 / 6 + 0.05 / 600 + 0.003 / 3
    assert found.value == pytest.approx(1.998269 * math.sqrt(variance), rel=1e-6)
    assert math.isnan(found.low)


def test_elo_at_one_half_is_seven_points_per_percentage_point():
    score, elo = (gaming(ARENA, 10, items=50, scale=scale).prizes[0].value for scale in ("score", "elo"))
    assert elo / score == pytest.approx(694.87, abs=0.01)
    assert elo_slope(0.75) == pytest.approx((400 * math.log10(0.751 / 0.249) - 400 * math.log10(3)) / 0.001, rel=2e-3)


def test_the_usual_four_designs(fit):
    found = gaming(fit, resamples=100, rng=1)
    labels = [f"{v} x {m} x 2 replicates" for m in ("1 judge", "3 judges") for v in ("1 prompt", "4 prompts")]
    assert [one.label for one in found.prizes] == labels
    values = [one.value for one in found.prizes]
    assert values[0] == max(values)
    assert values[3] == min(values)
    assert all(one.low < one.value < one.high for one in found.prizes)
    assert "best of 27 attempts" in found.sentence
    assert found.to_frame().shape == (4, 6)
    assert found.to_dict()["prizes"][0]["value"] == values[0]


def test_intervals_are_in_the_unit_of_the_prize(judged):
    table = judged({"item": 30, "judge": 4}, seed=1)
    low, high = float(np.nanmin(table.low)), float(np.nanmax(table.high))
    frame = table.mean
    frame = pl.DataFrame(
        {
            "item": [f"i{i}" for i in table.level_codes(["item"])],
            "judge": [f"j{i}" for i in table.level_codes(["judge"])],
            "score": (frame - low) / (high - low),
        }
    )
    shares = q.decompose(q.read(frame, announce=False))
    score, elo = (
        gaming(shares, designs=[{"judges": 2}], scale=scale, resamples=100, rng=1) for scale in ("score", "elo")
    )
    one, two = score.prizes[0], elo.prizes[0]
    assert (two.low, two.high) == pytest.approx((one.low * elo.slope, one.high * elo.slope))
    assert 0 < one.low < one.high
    assert elo.slope == pytest.approx(elo_slope(elo.win_rate))


def test_large_prizes_are_said_on_the_curve_too():
    found = gaming(ARENA, 27, items=3, designs=[{"judges": 1}], scale="elo", win_rate=0.6)
    rate = 0.6 + found.prizes[0].value / found.slope
    exact = 400 * math.log10(rate / (1 - rate)) - 400 * math.log10(1.5) if rate < 1 else math.inf
    assert rate > 0.7
    assert found.exact(found.prizes[0].value) == pytest.approx(exact)
    assert f"by the slope at a win rate of 0.6; {exact:.3g} on the curve" in found.sentence
    small = gaming(ARENA, 27, items=10**5, designs=[{"judges": 50}], scale="elo")
    assert "curve" not in small.sentence
    assert gaming(ARENA, 27, items=3, designs=[{"judges": 1}]).exact(0.3) == 0.3


def test_only_what_is_redrawn_counts(fit):
    def value(*names):
        return gaming(fit, designs=[{"judges": 2}], redrawn=names, resamples=100, rng=1).prizes[0].projection

    assert value().shares["replicate"] == pytest.approx(1)
    assert value("judge").shares["prompt"] == 0
    assert value("judge").shares["item"] == 0
    assert value("judge").shares["judge"] > 0
    assert value("judge").se < value("judge", "prompt").se < value("judge", "prompt", "item").se


def test_a_submission_is_one_system(judged):
    fit = q.decompose(judged({"item": 20, "system": 3, "judge": 3}, seed=1))
    found = gaming(fit, designs=[{"judges": 1}], resamples=100, rng=1)
    assert found.redrawn == ("item", "judge")
    projection = found.prizes[0].projection
    assert projection.design["system"] == 1
    assert projection.shares["system"] == 0
    assert projection.shares["system:judge"] > 0


def test_one_judge_is_not_redrawn_and_that_is_said(judged):
    fit = q.decompose(judged({"item": 20, "prompt": 3, "judge": 1}, seed=1))
    found = gaming(fit, resamples=100, rng=1)
    assert found.redrawn == ("item", "prompt")
    assert {one.code for one in found.caveats} >= {"independent-attempts", "one-level"}
    with pytest.raises(NotEstimable):
        gaming(fit, redrawn=("judge",))


def test_mitigation_is_ranked_by_what_it_buys(fit):
    found = gaming(fit, resamples=100, rng=1)
    rates = [one.rate for one in found.mitigation]
    assert rates == sorted(rates, reverse=True)
    assert found.mitigation[0].label == "3 judges in turn, one per item"
    assert found.mitigation[0].more_calls == 0
    one_more = next(one for one in found.mitigation if one.label == "one more judge")
    assert one_more.reduction == pytest.approx(found.prizes[0].value - one_more.value)
    assert one_more.rate == pytest.approx(one_more.reduction / 80)
    paid = gaming(fit, prices={"call": 0.5}, resamples=100, rng=1)
    assert next(m for m in paid.mitigation if m.label == "one more judge").rate == pytest.approx(one_more.rate / 0.5)


@given(st.integers(1, 10**6), st.integers(1, 30), st.integers(1, 30))
def test_more_attempts_gain_more_and_more_judges_leave_less(k, judges, more):
    designs = [{"judges": judges}, {"judges": judges + more}]
    first, second = gaming(ARENA, k, items=10, designs=designs).prizes
    assert (first.value > second.value) == (k > 1)
    assert gaming(ARENA, k + 1, items=10, designs=designs).prizes[0].value > first.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k: must be a whole number from 1"),
        ({"k": 2.5}, "k: must be a whole number from 1"),
        ({"scale": "log"}, 'scale: expects "score" or "elo", got \'log\''),
        ({"level": 1}, "level: must lie between 0 and 1, got 1"),
        ({"win_rate": 0.6}, 'win_rate: goes with scale="elo"'),
        ({"scale": "elo", "win_rate": 1.0}, "win_rate: a share above 0 and below 1 is needed, got 1.0"),
        ({"designs": []}, "designs: at least one design is needed"),
        ({"designs": {"judges": 3}}, "designs: a list of designs is needed, got dict"),
        ({"designs": [3]}, "designs: each is a mapping of options"),
        ({"designs": [{"judge": 3}]}, 'designs: no option "judge"; a design has items'),
        ({"redrawn": "judge"}, 'redrawn: a collection of facets is needed, got "judge"'),
        ({"items": None}, "items: the number of items is needed"),
        ({"fit": 3}, "fit: expects what decompose or components returns, got int"),
    ],
)
def test_what_is_refused(options, message):
    asked = {"fit": ARENA, "items": 20, **options}
    with pytest.raises(InvalidInput) as caught:
        gaming(asked.pop("fit"), **asked)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_an_unknown_facet_and_scores_that_are_no_outcomes(fit):
    with pytest.raises(UnknownTerm):
        gaming(ARENA, items=20, redrawn=("turn",))
    with pytest.raises(InvalidInput, match="outcomes of battles from 0 to 1, got"):
        gaming(fit, scale="elo")


def test_one_attempt_gains_nothing(fit):
    found = gaming(fit, 1, resamples=100, rng=1)
    assert [one.value for one in found.prizes] == [0.0] * 4
    assert found.sentence.endswith("2 replicates.")


def test_items_of_its_own_for_every_system():
    """60 items of 3 systems: a submission is scored on 20."""
    rng = np.random.default_rng(1)
    rows = {"item": np.repeat(np.arange(60), 3), "judge": np.tile(np.arange(3), 60)}
    frame = pl.DataFrame(rows).with_columns(system=pl.col("item") % 3, score=pl.Series(rng.normal(size=180)))
    fit = q.decompose(q.read(frame, announce=False))
    found = gaming(fit, designs=[{"judges": 2}, {"judges": 2, "items": 50}], resamples=100, rng=1)
    assert [one.projection.design["item"] for one in found.prizes] == [20, 50]
    assert found.prizes[0].projection.shares.get("system", 0) == 0
    assert found.prizes[1].label == "2 judges, 50 items"
