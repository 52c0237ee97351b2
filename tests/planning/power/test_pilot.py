from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.votes import binomial
from quorate.planning.power.pilot import Reach, feasibility
from quorate.planning.power.sample_size import detectable_margin, sample_size
from quorate.table.read_votes import read_votes


def test_the_worked_example_is_a_range():
    found = feasibility(28, 50, budget=500)
    assert (found.needed, found.needed_low, found.needed_high) == (749, 70, None)
    assert found.reach is Reach.UNDERPOWERED
    assert found.power_at_budget == pytest.approx(0.7507, abs=5e-5)
    assert found.sentence == (
        "Underpowered: at 500 judgments you would see a margin of 0.073 or more (power 0.9). "
        "The pilot of 50 says a margin of 0.060 (-0.087 to 0.200). You need 749 (from 70 to no finite number)."
    )


def test_the_interval_is_the_exact_one():
    found = feasibility(28, 50, level=0.8)
    low, high = binomial.clopper_pearson(28, 50, 0.8)
    assert (found.margin, found.low, found.high) == pytest.approx((0.06, low - 0.5, high - 0.5))


@pytest.mark.wide(4)
@pytest.mark.parametrize(
    ("wins", "n", "budget", "reach"),
    [
        (40, 50, 106, Reach.FEASIBLE),
        (40, 50, 105, Reach.IF_PILOT_HOLDS),
        (28, 50, 10**9, Reach.IF_PILOT_HOLDS),
        (28, 50, 749, Reach.IF_PILOT_HOLDS),
        (28, 50, 748, Reach.UNDERPOWERED),
        (28, 50, 70, Reach.UNDERPOWERED),
        (28, 50, 69, Reach.OUT_OF_REACH),
        (25, 50, 10**9, Reach.UNDERPOWERED),
        (28, 50, None, Reach.NO_BUDGET),
    ],
)
def test_what_a_budget_can_do(wins, n, budget, reach):
    assert feasibility(wins, n, budget=budget).reach is reach


def test_an_even_pilot_is_not_called_no_difference():
    found = feasibility(25, 50, budget=500)
    assert found.needed is None
    assert found.needed_high is None
    assert "No number of judgments shows a margin of 0; at 0.145, the far end, 132 would show it." in found.sentence
    assert found.sentence.startswith("Underpowered: ")


def test_a_budget_that_sees_nothing_says_so():
    found = feasibility(28, 50, budget=3)
    assert found.detectable is None
    assert "at 3 judgments you would see nothing, even if all agreed (power 0.9)" in found.sentence
    assert found.power_at_budget == 0


def test_without_a_budget_the_sentence_is_about_the_pilot():
    found = feasibility(28, 50)
    assert found.detectable is found.power_at_budget is None
    assert found.sentence == (
        "The pilot of 50 says a margin of 0.060 (-0.087 to 0.200). You need 749 (from 70 to no finite number)."
    )


@given(st.integers(1, 300), st.data(), st.sampled_from(["normal", "variance", "exact"]))
def test_the_range_holds_the_number_and_mirrors(n, data, method):
    wins = data.draw(st.integers(0, n))
    found = feasibility(wins, n, budget=200, method=method)
    needed = np.inf if found.needed is None else found.needed
    high = np.inf if found.needed_high is None else found.needed_high
    assert found.needed_low <= needed <= high
    assert (found.needed_high is None) == (found.low <= 0 <= found.high)
    other = feasibility(n - wins, n, budget=200, method=method)
    assert (other.needed, other.needed_low, other.needed_high, other.reach) == (
        found.needed,
        found.needed_low,
        found.needed_high,
        found.reach,
    )
    assert "no difference" not in found.sentence


@pytest.mark.slow
def test_an_interval_that_ends_next_to_zero_has_a_number_by_any_method():
    """81 of 190: the interval ends at -0.00005, beyond the exact search, where the normal number is as good."""
    exact, normal = (feasibility(81, 190, method=method) for method in ("exact", "normal"))
    assert -5e-5 < exact.high < 0
    assert exact.needed_high == normal.needed_high > 10**9
    assert exact.needed > normal.needed
    assert sample_size(1e-4, method="exact") == pytest.approx(sample_size(1e-4, method="normal"), rel=1e-4)


def test_options_reach_the_numbers():
    found = feasibility(70, 100, budget=60, alpha=0.01, power=0.8, method="exact")
    options = {"alpha": 0.01, "power": 0.8, "method": "exact"}
    assert found.needed == sample_size(0.2, **options)
    assert found.needed_high == sample_size(found.low, **options)
    assert found.detectable == detectable_margin(60, **options)
    assert found.power_at_budget == binomial.power(60, 0.7, 0.01)


def test_clusters_widen_the_interval_and_raise_the_range():
    wins, n = [8, 4, 6, 7, 3, 9, 5, 6, 7, 5, 8, 4], [10] * 12
    found, single = feasibility(wins, n, budget=500), feasibility(72, 120, budget=500)
    shares = np.array(wins) / 10
    half = stdtrit(11, 0.975) * shares.std(ddof=1) / np.sqrt(12)
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert found.effect == pytest.approx(120 * shares.var(ddof=1) / 12 / 0.24)
    assert (found.wins, found.n, found.clusters, found.margin) == (72, 120, 12, single.margin)
    assert found.needed == np.ceil(single.needed * found.effect)
    assert found.detectable == detectable_margin(int(500 / found.effect))
    assert "The pilot of 120 in 12 clusters says a margin of 0.100" in found.sentence


def test_clusters_of_one_judgment_are_independent():
    single = feasibility(28, 50, budget=500).to_dict()
    alone = feasibility([1] * 28 + [0] * 22, [1] * 50, budget=500).to_dict()
    different = {key for key in single if single[key] != alone[key]}
    assert different == {"clusters", "sentence"}


def test_clusters_that_do_not_differ_count_as_one_judgment_each():
    found = feasibility([5] * 8, [5] * 8)
    assert (found.low + 0.5, found.effect) == (pytest.approx(0.025 ** (1 / 8)), 5)
    assert feasibility([5] * 3, [5] * 3).needed_high is None


def test_few_clusters_say_nothing_of_a_direction():
    found = feasibility([9, 10, 9, 9], [10] * 4)
    assert found.low <= 0
    assert found.needed_high is None


def test_a_budget_below_one_independent_judgment_sees_nothing():
    found = feasibility([10, 0, 10, 9], [10] * 4, budget=3)
    assert (found.detectable, found.power_at_budget) == (None, 0)


@pytest.mark.parametrize(
    ("wins", "n", "error", "message"),
    [
        ([3, 11], [10, 10], InvalidInput, "got 11 of 10 in cluster 2"),
        ([3, 1.5], [10, 10], InvalidInput, "got 1.5 of 10 in cluster 2"),
        ([3, np.nan], [10, 10], InvalidInput, "got nan of 10 in cluster 2"),
        ([0, 1], [0, 10], InvalidInput, "got 0 of 0 in cluster 1"),
        ([3, 4], [10], InvalidInput, "wins, n: one number each"),
        (3, [10, 10], InvalidInput, "wins, n: one number each"),
        ([3], [10], NotEstimable, "at least 2 clusters"),
    ],
)
def test_bad_clusters(wins, n, error, message):
    with pytest.raises(error, match=message):
        feasibility(wins, n)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((28, 0), {}, "n: a number of judgments"),
        ((51, 50), {}, r"wins: a number of judgments, whole, from 0 to n \(50\), got 51"),
        ((27.5, 50), {}, "wins: a number of judgments, whole"),
        ((np.nan, 50), {}, "wins: a number of judgments, whole"),
        ((28, 50), {"budget": 0}, "budget: a number of judgments"),
        ((28, 50), {"alpha": 0}, "alpha: must lie between 0 and 1"),
        ((28, 50), {"power": 1}, "power: a number above alpha"),
        ((28, 50), {"level": 95}, "level: must lie between 0 and 1, got 95"),
        ((28, 50), {"method": "wald"}, "method: must be one of"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(InvalidInput, match=message):
        feasibility(*arguments, **options)


def test_a_pilot_by_several_facets_is_the_verdict_on_its_votes():
    """30 prompts by 8 people: interval, numbers of votes and words are those of `compare` on the same votes."""
    rng = np.random.default_rng(2)
    prompt, judge = (x.ravel() for x in np.meshgrid(np.arange(30), np.arange(8), indexing="ij"))
    rate = 0.62 + rng.normal(0, 0.15, 30)[prompt] + rng.normal(0, 0.2, 8)[judge]
    won = (rng.random(240) < rate).astype(int)
    columns = {"model_a": ["x"] * 240, "model_b": ["y"] * 240, "winner": np.where(won, "x", "y")}
    votes = read_votes(pl.DataFrame({**columns, "prompt": prompt, "judge": judge}), announce=False)
    margin = margin_of_votes(votes, "x", "y")
    found = feasibility(won, np.ones(240, int), by={"prompt": prompt, "judge": judge})
    assert (found.low, found.high) == pytest.approx(margin.ends)
    assert "in 30 prompts and 8 judges" in found.sentence
    assert found.clusters == {"prompt": 30, "judge": 8}
    one = feasibility(won.reshape(30, 8).sum(axis=1), np.full(30, 8))
    same = feasibility(won.reshape(30, 8).sum(axis=1), np.full(30, 8), by={"prompt": range(30)})
    assert (same.low, same.high, same.effect) == pytest.approx((one.low, one.high, one.effect))
    assert found.effect >= one.effect * (1 - 1e-12)
    assert found.needed > feasibility(int(won.sum()), 240).needed


def test_a_pilot_whose_votes_are_worth_fewer_has_a_wider_interval():
    assert feasibility(60, 100, worth=50).low == pytest.approx(feasibility(30, 50).low)
    with pytest.raises(InvalidInput, match="worth: a number of judgments, above 0"):
        feasibility(60, 100, worth=101)
    with pytest.raises(InvalidInput, match="worth: is for one number"):
        feasibility([6, 5], [10, 10], worth=5)
    with pytest.raises(InvalidInput, match="a level of prompt for every number"):
        feasibility([6, 5], [10, 10], by={"prompt": [1]})
    with pytest.raises(NotEstimable, match="one prompt"):
        feasibility([6, 5], [10, 10], by={"prompt": [1, 1]})
