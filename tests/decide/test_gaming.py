"""The prize for the best of many attempts: exact where it can be, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from calibration.resampled_prize import resampled_prize
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.decide.gaming import (
    Mitigation,
    Played,
    attempts_targets,
    elo_slope,
    gaming,
    mitigations,
    projected,
    standard_errors,
)
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.numerics.reach import maximum_moments

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
    narrow = gaming(shares, designs=[{"judges": 2}], resamples=100, rng=1, level=0.5).prizes[0]
    assert 0 < one.low < narrow.low < narrow.high < one.high
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_one_judge_is_not_redrawn_and_that_is_said(judged):
    fit = q.decompose(judged({"item": 20, "prompt": 3, "judge": 1}, seed=1))
    found = gaming(fit, resamples=100, rng=1)
    assert found.redrawn == ("item", "prompt")
    assert {one.code for one in found.caveats} >= {"independent-attempts", "one-level"}
    with pytest.raises(NotEstimable):
        gaming(fit, redrawn=("judge",))


@pytest.mark.slow
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


@pytest.mark.slow
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


# What differs between attempts, and the plausible standard errors behind the intervals.


DESIGNS = [
    {"prompts": 1, "judges": 1},
    {"prompts": 2, "judges": 3, "layout": "latin"},
    {"judges": 3, "layout": "cyclic", "items": 90},
    {"judges": 3, "layout": "blocks", "per_item": 2},
    {"judges": ["judge0000", "judge0002"]},
    {"judges": 3, "layout": "weighted", "places": [2, 1, 1], "balanced": 0.5},
]


@pytest.fixture(scope="module")
def fit_of_attempts(judged):
    return q.decompose(judged({"item": 60, "prompt": 4, "judge": 3}, seed=2, replicates=2))


def test_targets_of_a_fit(fit_of_attempts):
    everything = {"item": "population", "prompt": "population", "judge": "population"}
    assert attempts_targets(fit_of_attempts, None) == (everything, ("item", "prompt", "judge"), ())
    some = {"item": "finite", "prompt": "population", "judge": "population"}
    assert attempts_targets(fit_of_attempts, ("judge", "prompt")) == (some, ("prompt", "judge"), ())
    assert attempts_targets(fit_of_attempts, ())[0] == {"item": "finite", "prompt": "finite", "judge": "panel"}


@pytest.mark.parametrize(("name", "why"), [("system", "equally good"), ("topic", "it groups the items")])
def test_systems_and_groups_are_not_redrawn(name, why):
    rng = np.random.default_rng(1)
    rows = [(f"i{i:02d}", f"t{i % 3}", s, j, rng.normal()) for i in range(12) for s in "xy" for j in "abc"]
    frame = pl.DataFrame(rows, schema=["item", "topic", "system", "judge", "score"], orient="row")
    facets = {"item": "item", "topic": "topic", "system": "system", "judge": "judge"}
    table = q.decompose(q.read(frame, facets=facets, nested={"item": "topic"}, announce=False))
    with pytest.raises(InvalidInput, match=f'redrawn: "{name}" cannot be, .*{why}'):
        attempts_targets(table, (name, "item"))


def test_targets_of_published_components():
    parts = q.components({"item": 1.0, "item:judge": 1.0, "category": 0.1}, sensitivity={"judge": 0.1})
    assert attempts_targets(parts, None) == ({"judge": "sensitivity"}, ("item", "judge"), ())
    assert attempts_targets(parts, ("judge",)) == ({"item": "panel", "judge": "sensitivity"}, ("judge",), ())
    assert attempts_targets(parts, ("item",)) == ({"judge": "panel"}, ("item",), ())


def test_groups_of_items_are_the_same_for_all_attempts(judged):
    table = judged({"item": 12, "judge": 3}, seed=2)
    rows = pl.DataFrame({"item": np.repeat(np.arange(12), 3), "judge": np.tile(np.arange(3), 12), "score": table.mean})
    grouped = q.read(rows.with_columns(category=pl.col("item") % 3), announce=False)
    assert attempts_targets(q.decompose(grouped), None)[0]["category"] == "fixed"
    assert attempts_targets(q.decompose(grouped), ("judge",))[0]["category"] == "finite"


@pytest.mark.wide(1)
@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("redrawn", [None, ("prompt", "judge")], ids=str)
def test_the_median_of_plausible_errors_is_near_the_projection(fit_of_attempts, design, redrawn):
    """The same weights as `project`, on draws about the fitted components."""
    played = Played(fit_of_attempts, None, attempts_targets(fit_of_attempts, redrawn)[0], None)
    plan = projected(played, design)
    drawn = standard_errors(played, [plan], 100, 1)
    low, high = np.quantile(drawn[0], [0.1, 0.9])
    assert drawn.shape == (1, 100)
    assert low < plan.se < high


@pytest.mark.slow
def test_draws_follow_the_components(fit_of_attempts, monkeypatch):
    """With draws that are the components themselves, every draw is the projection."""
    monkeypatch.setattr(
        "quorate.decide.gaming.plausible",
        lambda source, *_: np.array(list(source.values.values()))[:, None] * np.ones(3),
    )
    played = Played(fit_of_attempts, 45, attempts_targets(fit_of_attempts, None)[0], None)
    plans = [projected(played, one) for one in DESIGNS]
    assert standard_errors(played, plans, 100, 1) == pytest.approx(np.array([[plan.se] * 3 for plan in plans]))


def test_components_without_draws_have_none():
    played = Played(q.components({"item": 1.0}), 10, {}, None)
    assert np.isnan(standard_errors(played, [projected(played, {})], 100, 1)).all()
    with pytest.raises(InvalidInput, match='designs: no option "budget"'):
        projected(played, {"budget": 3})


PARTS_ATTEMPTS = {"item": 0.09, "item:judge": 0.04, "prompt": 0.001, "replicate": 0.05}


def changes(base, prices=None, redrawn=None, items=100):
    parts = q.components(PARTS_ATTEMPTS, sensitivity={"judge": 0.003})
    targets, kept, _ = attempts_targets(parts, redrawn)
    played = Played(parts, items, targets, prices)
    return {one.label: one for one in mitigations(played, base, projected(played, base), kept, 2.0)}


def test_every_change_is_a_projection():
    found = changes({"prompts": 1, "judges": 1})
    labels = [
        *("3 judges in turn, one per item", "one more judge", "10 more items", "one more prompt"),
        "one more replicate",
    ]
    assert sorted(found) == sorted(labels)
    variance = 0.13 / 100 + 0.001 + 0.05 / 100 + 0.003
    after = variance - (0.04 / 100 + 0.003 + 0.05 / 100) / 2
    one = found["one more judge"]
    assert one.value == pytest.approx(2 * math.sqrt(after))
    assert one.reduction == pytest.approx(2 * (math.sqrt(variance) - math.sqrt(after)))
    assert one.more_calls == 100
    assert one.rate == pytest.approx(one.reduction / 100)


def test_the_order_is_that_of_what_a_change_buys():
    rates = [one.rate for one in changes({"prompts": 1, "judges": 1}).values()]
    assert rates[0] == math.inf
    assert rates == sorted(rates, reverse=True)


def test_prices_decide_where_there_are_any():
    found = changes({"prompts": 1, "judges": 1}, {"call": 0.1, "item": 5.0})
    more = found["10 more items"]
    assert more.more_cost == pytest.approx(10 * (5 + 0.1))
    assert more.rate == pytest.approx(more.reduction / 51)


def test_only_what_is_redrawn_is_worth_changing():
    kept = changes({"prompts": 1, "judges": 1}, redrawn=("item", "prompt"))
    assert not any("judge" in label for label in kept)
    found = changes({"prompts": 1, "judges": 1}, redrawn=("judge",))
    assert set(found) == {"3 judges in turn, one per item", "one more judge", "one more replicate"}


def test_a_tenth_of_the_items_is_rounded_up_and_every_judge_in_turn_has_an_item():
    found = [set(changes({"prompts": 1, "judges": 1}, items=items)) for items in (2, 3, 101)]
    assert ["3 judges in turn, one per item" in labels for labels in found] == [False, True, True]
    assert {"1 more item" in found[1], "11 more items" in found[2]} == {True}


def test_what_lowers_the_prize_by_a_hundredth_is_said():
    """A judge more than two takes a tenth of it away, one more than sixty a two-hundredth."""
    sizes = ((100, {"judges": 2}), (10**5, {"prompts": 40, "judges": 60}))
    few, many = (gaming(ARENA, items=items, designs=[design]) for items, design in sizes)
    assert few.sentence.endswith("What lowers it most for its cost: one more judge, by 0.015 for 100 more calls.")
    assert "lowers it most" not in many.sentence


def test_judges_in_turn_are_no_change_where_there_are_several():
    assert "3 judges in turn, one per item" not in changes({"judges": 2})
    assert "one more judge" not in changes({"judges": 3, "layout": "weighted", "places": [2, 1, 1]})


def test_nothing_for_nothing():
    projection = q.project(q.components({"item": 1.0}), items=10)
    assert Mitigation("", projection, 1.0, 0.0, 0, None).rate == 0
    assert Mitigation("", projection, 1.0, -0.1, 0, None).rate == -math.inf


# The prize by resampling judgments against its exact value.


@pytest.mark.slow
def test_items_alone_are_the_bootstrap_of_a_mean(judged):
    table = judged({"item": 300, "judge": 1}, seed=5)
    value, error = resampled_prize(table, 10, resamples=2000, rng=1)
    exact = float(maximum_moments(10)[0]) * float(np.std(table.mean)) / np.sqrt(300)
    assert value == pytest.approx(exact, abs=4 * error)


def test_judges_alone_are_a_draw_from_their_means():
    """Two judges who differ by 2: the best of 3 attempts by one judge each is +1 but for chance (1/2)^3."""
    rows = {"item": [1, 1, 2, 2], "judge": list("xyxy"), "score": [0.0, 2.0, 1.0, 3.0]}
    table = q.read(pl.DataFrame(rows), announce=False)
    value, error = resampled_prize(table, 3, judges=1, redrawn=("judge",), resamples=4000, rng=1)
    assert value == pytest.approx(1 - 2 * 0.125, abs=4 * error)


@pytest.mark.slow
def test_with_more_attempts_than_judges_it_stops_growing():
    """Three judges who differ by 1 each: of many attempts one has the most lenient, 1 above the mean, and none more."""
    rows = {"item": [1, 1, 1, 2, 2, 2], "judge": list("xyzxyz"), "score": [0.0, 1.0, 2.0, 1.0, 2.0, 3.0]}
    table = q.read(pl.DataFrame(rows), announce=False)
    few, many, more = (
        resampled_prize(table, k, judges=1, redrawn=("judge",), resamples=500, rng=1)[0] for k in (3, 27, 500)
    )
    assert few < 0.9
    assert many == pytest.approx(1, abs=0.02)
    assert more == pytest.approx(1, abs=0.02)
    assert float(maximum_moments(500)[0]) * np.sqrt(2 / 3) > 2.4


def test_what_is_not_redrawn_gains_nothing(judged):
    value, _ = resampled_prize(judged({"item": 30, "prompt": 3, "judge": 3}), 5, redrawn=(), resamples=10, rng=1)
    assert value == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_missing_cells_are_left_out_of_the_mean(judged):
    whole, part = (judged({"item": 200, "prompt": 3, "judge": 3}, keep=keep, seed=2) for keep in (1.0, 0.9))
    values = [resampled_prize(table, 10, prompts=1, judges=1, resamples=1000, rng=1)[0] for table in (whole, part)]
    assert values[1] == pytest.approx(values[0], rel=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k: must be a whole number from 1"),
        ({"judges": 1.5}, "judges: must be a whole number from 1"),
        ({"resamples": 1}, "resamples: at least 2 are needed"),
    ],
)
def test_what_is_refused_of_resampled(judged, options, message):
    with pytest.raises(InvalidInput, match=message):
        resampled_prize(judged({"item": 5, "judge": 2}), **options)


def test_an_unknown_facet_and_an_attempt_without_scores(judged):
    table = judged({"item": 5, "judge": 2})
    with pytest.raises(UnknownTerm):
        resampled_prize(table, redrawn=("prompt",))
    rows = {"item": [1, 2], "judge": ["x", "y"], "score": [0.0, 2.0]}
    with pytest.raises(InvalidInput, match="drew no cell with a score"):
        resampled_prize(q.read(pl.DataFrame(rows), announce=False), items=1, judges=1, rng=1)
