"""Screening a pool of judges: what is recommended, what is said of it, and what is refused."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.panel.crossed import crossed_scores
from quorate.numerics.distributions import t_quantile
from quorate.numerics.panel.judges import grubbs
from quorate.numerics.panel.subsets import Choice
from quorate.planning.panel.screening import candidate, figure, screen
from quorate.planning.panel.shortlist import JudgePool, alternatives, beyond_cells, facts, stability


def scores(items=20, judges=6, seed=0, *, tau=0.5, noise=0.5, generations=None):
    """Scores with main effects and noise, the noise one standard deviation or one by judge."""
    rng = np.random.default_rng(seed)
    shape = (items, judges) if generations is None else (items, generations, judges)
    item = rng.normal(size=(items,) + (1,) * (len(shape) - 1))
    return item + tau * rng.normal(size=judges) + noise * rng.normal(size=shape)


def read(x, keep=None):
    rows = [
        {"item": f"i{i:03d}", "judge": f"j{where[-1]:02d}", "score": x[(i, *where)]}
        | ({"generation": where[0]} if len(where) == 2 else {})
        for i, *where in np.ndindex(x.shape)
    ]
    frame = pl.DataFrame(rows)
    return q.read(frame if keep is None else frame.filter(keep), announce=False)


def named(*prices, **more):
    return {"judge": {f"j{i:02d}": price for i, price in enumerate(prices)}, **more}


def exact(panel, pilot, members, counts):
    """Standard error written out."""
    k = len(members)
    left = pilot.effects.covariance[np.ix_(members, members)].sum()
    return math.sqrt((pilot.spread[members] / counts).sum() + left) / k


def test_the_recommendation_is_the_best_of_all_panels():
    x = scores(noise=np.array([0.3, 0.3, 0.5, 0.5, 1.0, 1.5]))
    made = screen(read(x), prices=named(1, 3, 1, 20, 1, 1, item=0.5), budget=300, resamples=5, rng=1)
    pilot, price = facts(x[:, None, :], np.zeros(6)), np.array([1, 3, 1, 20, 1, 1]) + 0.5
    best = math.inf
    for k in range(1, 7):
        for members in map(list, combinations(range(6), k)):
            share = np.sqrt(pilot.spread[members] / price[members])
            best = min(best, exact(None, pilot, members, share * 300 / (share @ price[members])))
    assert best <= made.panel.se * (1 + 1e-9)
    assert made.panel.se <= best * 1.03
    members = [int(name[1:]) for name in made.panel.judges]
    counts = np.array(made.panel.items_per_judge)
    assert made.panel.se == pytest.approx(exact(made.panel, pilot, members, counts))
    assert made.panel.bias == pytest.approx(pilot.effects.mean[members].mean())
    assert made.panel.se_uncorrected == pytest.approx(math.hypot(made.panel.se, made.panel.bias))
    assert made.panel.cost == pytest.approx(counts @ price[members])
    assert 270 < made.panel.cost <= 300
    assert made.panel.items == made.panel.calls == counts.sum()
    assert (counts * made.panel.places[0] == counts[0] * np.array(made.panel.places)).all()
    assert made.pilot_cost == pytest.approx(20 * (27 + 0.5))
    assert made.cost == made.pilot_cost + made.panel.cost
    assert (made.items, made.left_out, made.exact) == (20, 0, True)


def test_a_judge_twenty_times_as_dear_is_left_out_with_a_reason():
    made = screen(read(scores()), prices=named(20, 1, 1, 1, 1, 1), budget=200, resamples=5, rng=1)
    dear = made.candidates[0]
    assert not dear.kept
    assert "j00" not in made.panel.judges
    assert dear.otherwise > 1.1 * made.half_width
    assert dear.reason == (
        "j00 costs 20 times as much as the panel's other judges and is left out: with it the interval would be "
        f"±{dear.otherwise:.3g} instead of ±{made.half_width:.3g} for the same money"
    )


@pytest.mark.slow
def test_a_judge_twenty_times_as_dear_can_earn_its_place():
    """It is all there is without noise, and the pilot is too small to know the others."""
    noise = np.array([0.05, 3, 3, 3, 3, 3])
    made = screen(read(scores(items=8, tau=2.0, noise=noise)), prices=named(20, 1, 1, 1, 1, 1), budget=20_000, rng=1)
    assert made.candidates[0].kept
    assert "costs 20 times as much as the panel's other judges and is kept: without it" in made.candidates[0].reason


@pytest.mark.slow
def test_equal_judges_at_equal_prices_all_judge():
    """The pilot of 3 items says next to nothing, and money is plenty: whatever is left out is a bias."""
    made = screen(read(scores(items=3, tau=1.0)), budget=100_000, resamples=5, rng=1)
    assert len(made.panel.judges) == 6
    assert made.panel.bias == pytest.approx(0, abs=1e-12)
    assert made.panel.se == pytest.approx(made.panel.se_uncorrected)
    assert made.tau2 > 0


@pytest.mark.slow
def test_a_pilot_without_doubt_lets_the_quietest_judge_suffice():
    noise = np.array([1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3])
    x = scores(noise=noise)
    made = screen(read(x), prices=named(2, 1, 3, 4, 5, 6), budget=100, resamples=5, rng=1)
    assert made.panel.judges == ("j01",)
    assert made.panel.se == pytest.approx(math.sqrt(x[:, 1].var(ddof=1) / 100), rel=0.05)


@pytest.mark.slow
def test_the_dearer_a_judge_the_less_it_is_used():
    share = []
    for price in (0.5, 1, 2, 5, 10, 30):
        made = screen(read(scores(seed=3)), prices=named(price, 1, 1, 1, 1, 1), budget=300, resamples=1, rng=1)
        kept = dict(zip(made.panel.judges, made.panel.items_per_judge, strict=True))
        share.append(kept.get("j00", 0) / made.panel.items)
    assert share == sorted(share, reverse=True)
    assert share[0] > share[-1] == 0


def test_a_target_is_reached_at_the_least_price():
    table, prices = read(scores()), named(20, 2, 1, 1, 1, 3)
    made = screen(table, prices=prices, half_width=0.2, resamples=5, rng=1)
    assert made.half_width <= 0.2
    assert made.panel.cost == min(panel.cost for panel in made.frontier)
    again = screen(table, prices=prices, budget=made.panel.cost * 1.05, resamples=5, rng=1)
    assert again.half_width <= 0.204
    assert "the price would be" in made.candidates[0].reason


@pytest.mark.slow
def test_without_correction_the_bias_counts():
    table = read(scores(tau=1.0))
    plain = screen(table, budget=500, uncorrected=True, resamples=5, rng=1)
    assert plain.half_width == plain.panel.half_width_uncorrected
    assert plain.half_width == min(panel.half_width_uncorrected for panel in plain.frontier)
    assert plain.half_width >= screen(table, budget=500, resamples=5, rng=1).half_width


@pytest.mark.slow
def test_alternatives_cost_the_same_and_say_more_or_less():
    made = screen(read(scores(seed=2)), prices=named(20, 1, 1, 1, 1, 1), budget=500, most=3, resamples=5, rng=1)
    labels = [panel.label for panel in made.alternatives]
    assert labels[:3] == ["all judges on every item", "all judges in turn, equally often", "the best single judge"]
    assert labels[3] == f"{len(made.panel.judges)} judges drawn at random, in turn"
    assert all(panel.cost <= made.panel.cost * (1 + 1e-9) for panel in made.alternatives)
    assert all(panel.se > made.panel.se for panel in made.alternatives)
    assert [len(panel.judges) for panel in made.frontier] == [1, 2, 3]
    assert made.panel in made.frontier


def test_stability_counts_pilots():
    clear = screen(read(scores()), prices=named(200, 1, 1, 1, 1, 1), budget=100, resamples=50, rng=1).stability
    assert (clear.draws, clear.kept["j00"]) == (50, 0.0)
    assert clear.within > 0.9
    assert 0 <= clear.loss <= clear.loss_high
    assert set(clear.kept) == {f"j{i:02d}" for i in range(6)}
    same = screen(read(scores()), prices=named(200, 1, 1, 1, 1, 1), budget=100, resamples=50, rng=1).stability
    assert same == clear


def test_what_is_left_out_of_the_pilot_is_said():
    gap = ~((pl.col("item") == "i001") & (pl.col("judge") == "j02"))
    made = screen(read(scores(items=12), keep=gap), budget=100, resamples=1)
    assert (made.items, made.left_out) == (11, 1)
    assert {"carried-over", "few-pilot-items", "unfinished-items"} <= {caveat.code for caveat in made.caveats}
    sentence = next(str(caveat) for caveat in made.caveats if caveat.code == "unfinished-items")
    assert sentence == "1 item that not every judge scored: not used in the choice"


def test_a_pilot_that_holds_the_precision_back_is_named():
    made = screen(read(scores(items=10, noise=1.0)), budget=1e6, most=2, resamples=1)
    assert "held-by-pilot" in {caveat.code for caveat in made.caveats}


def test_more_than_twenty_judges_are_searched():
    made = screen(read(scores(items=15, judges=24)), budget=500, resamples=2, rng=1)
    assert not made.exact
    assert "not-exhaustive" in {caveat.code for caveat in made.caveats}
    assert made.half_width == min(panel.half_width for panel in made.frontier)


def test_the_result_in_words_and_as_plain_values():
    made = screen(read(scores(judges=3)), prices={"call": 1}, budget=30, resamples=2, rng=1)
    assert made.sentence.startswith(f"Use {len(made.panel.judges)} judge")
    assert f"±{made.half_width:.3g} (95% interval) for {figure(made.panel.cost)}" in made.sentence
    assert made.to_dict()["panel"]["judges"] == list(made.panel.judges)
    assert made.to_dict()["half_width"] == made.half_width


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "exactly one"),
        ({"budget": 10, "half_width": 0.1}, "exactly one"),
        ({"budget": -1}, r"at most 1e\+12, got -1"),
        ({"half_width": math.nan}, "half_width: must be above 0"),
        ({"budget": True}, "got True"),
        ({"budget": 10, "most": 7}, "most: must be a whole number from 1 to 6, got 7"),
        ({"budget": 10, "fewest": 0}, "fewest: .* got 0"),
        ({"budget": 10, "fewest": 4, "most": 2}, "fewest: must be a whole number from 1 to 2, got 4"),
        ({"budget": 10, "resamples": 0}, "resamples: .* got 0"),
        ({"budget": 10, "prices": named(1, 1, 1, 1, 1)}, "prices: judge j05 of the pilot has no price"),
        ({"budget": 10, "prices": named(1, 1, -1, 1, 1, 1)}, "prices: judge must be a finite amount of at least 0"),
        ({"budget": 10, "prices": named(1, 1, 0, 1, 1, 1)}, "prices: .* j02 costs 0"),
        ({"budget": 10, "prices": {"item": 1}}, "prices: what a call costs is needed"),
        ({"budget": 10, "prices": {"call": 1, "prompt": 1}}, "prices: a screening has one prompt"),
        ({"budget": 10, "prices": 3}, "prices: a mapping"),
        ({"budget": 0.5, "prices": {"call": 1}}, "budget: one judgment by each of 1 judge costs at least 1, got 0.5"),
        ({"budget": 2.5, "fewest": 3}, "budget: one judgment by each of 3 judges costs at least 3, got 2.5"),
        ({"half_width": 1e-4, "most": 2}, "half_width: no panel of at most 2 judges has an interval of ±0.0001"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        screen(read(scores()), **options)


def test_bad_pilots_are_refused():
    with pytest.raises(NotEstimable, match="at least 3"):
        screen(read(scores(judges=2)), budget=100)
    with pytest.raises(NotEstimable, match="gave all items of the pilot one score"):
        screen(read(np.ones((5, 4)) * [1, 2, 3, 4]), budget=100)
    with pytest.raises(InvalidInput, match=r"quorate\.read"):
        screen("scores.csv", budget=100)


@pytest.mark.slow
def test_generations_of_a_pilot_count_as_one_each_in_the_main_study():
    x = scores(items=15, generations=3, noise=1.0)
    made = screen(read(x), budget=100, resamples=1, rng=1)
    once = screen(read(x[:, 0]), budget=100, resamples=1, rng=1)
    assert made.items == 15
    variance = np.mean([candidate.variance for candidate in made.candidates])
    assert variance == pytest.approx(np.mean([candidate.variance for candidate in once.candidates]), rel=0.25)
    assert made.candidates[0].gamma_se < once.candidates[0].gamma_se


def asked(x, replicates=1, failed=None, keep=None):
    """A pilot with several answers to each cell, some of them failed."""
    frame = pl.DataFrame(
        {
            "item": i,
            "judge": f"j{j:02d}",
            "score": None if failed and failed(i, j) else x[i, j] + 0.1 * r,
            "replicate": r,
        }
        for i, j in np.ndindex(x.shape)
        for r in range(replicates)
    )
    return q.read(frame if keep is None else frame.filter(keep), announce=False)


def pilot_cost(table, **prices):
    return screen(table, prices=prices, budget=100, resamples=1, rng=1).pilot_cost


def test_the_pilot_costs_all_that_it_asked_for():
    x = scores(items=20, judges=5)
    assert pilot_cost(asked(x, 3), call=1, item=2) == 20 * 5 * 3 + 20 * 2
    few = ~((pl.col("judge") == "j01") & (pl.col("item") < 10))
    assert pilot_cost(asked(x, 3, keep=few), call=1, item=2) == 270 + 20 * 2
    by_name = {f"j{i:02d}": i + 1 for i in range(5)}
    assert pilot_cost(asked(x, 3, keep=few), judge=by_name) == 60 * 15 - 30 * 2


def test_answers_that_failed_are_paid_for():
    x = scores(items=20, judges=5)
    assert pilot_cost(asked(x, failed=lambda i, j: i < 4 and j == 2), call=1, item=2) == 100 + 40


def test_a_judge_that_never_answered_is_paid_for_but_not_in_the_pool():
    table, four = asked(scores(judges=5), failed=lambda _, j: j == 4), named(1, 1, 1, 1)
    made = screen(table, prices=named(1, 1, 1, 1, 3), budget=100, resamples=1, rng=1)
    assert (len(made.candidates), made.pilot_cost) == (4, 20 * 7)
    with pytest.raises(InvalidInput, match="prices: judge j04 of the pilot has no price"):
        screen(table, prices=four, budget=100, resamples=1)


def test_a_new_item_needs_one_response():
    table = read(scores(judges=5, generations=4))
    made = screen(table, prices={"call": 1, "generation": 2}, budget=90, resamples=1, rng=1)
    assert made.pilot_cost == 20 * 4 * 5 + 20 * 4 * 2
    assert made.panel.cost == 3 * made.panel.calls <= 90
    assert all(candidate.price == 3 for candidate in made.candidates)
    crossed = next(panel for panel in made.alternatives if panel.label == "all judges on every item")
    assert crossed.cost == crossed.items * (5 + 2)


# Why a judge is in the panel or not: against the best of all panels that one change makes.


def pool(price, *, budget=100.0, target=None, noise=0.5, limits=(1, 4), seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(20, 1, 1)) + 0.5 * rng.normal(size=4) + noise * rng.normal(size=(20, 1, 4))
    pilot, prices = facts(x, np.zeros(4)), np.array(price, dtype=float)
    asked = (None, target) if target else (budget, None)
    choice = Choice(pilot.spread, pilot.error(corrected=True), prices, *asked, *limits)
    return JudgePool(tuple("abcd"), prices, 0.0, pilot, choice, True, 20)


def members(text):
    return np.array([name in text for name in "abcd"])


def look(made, panel, judge):
    subset = members(panel)
    return candidate(made, made.panel("", subset), subset, "abcd".index(judge))


@pytest.mark.parametrize(
    ("panel", "judge", "changed"),
    [("ab", "c", ("abc", "ac", "bc")), ("ab", "a", ("b", "bc", "bd")), ("a", "a", ("b", "c", "d"))],
)
def test_one_change_is_tried(panel, judge, changed):
    made = pool([1, 2, 3, 4])
    found = look(made, panel, judge)
    assert found.otherwise == min(made.panel("", members(text)).half_width for text in changed)
    assert found.kept == (judge in panel)


def test_limits_hold_for_changes():
    made = pool([1, 2, 3, 4], limits=(2, 2))
    assert look(made, "ab", "c").otherwise == min(made.panel("", members(text)).half_width for text in ("ac", "bc"))
    alone = pool([1, 1, 1, 1], limits=(4, 4))
    found = look(alone, "abcd", "a")
    assert np.isnan(found.otherwise)
    assert found.reason == "a is kept: no one change of the panel leaves it out within these limits"


def test_a_judge_that_cannot_be_paid_is_said_to_be_out_of_reach():
    found = look(pool([1, 1, 1, 1000]), "abc", "d")
    assert found.reason.endswith("is left out: no one change of the panel lets it in within these limits")
    assert found.reason.startswith("d costs 1,000 times as much as the panel's other judges and")


def test_prices_are_compared_where_they_differ_much():
    assert look(pool([1, 1, 1.4, 0.25]), "abc", "c").reason.startswith("c is kept")
    cheap = look(pool([1, 1, 1.4, 0.25]), "abcd", "d").reason
    assert cheap.startswith("d costs 0.25 of what the panel's other judges cost and is kept")


def test_a_price_is_compared_where_precision_was_asked_for():
    made = pool([1, 1, 1, 5], target=0.01)
    found = look(made, "abc", "d")
    assert found.otherwise == min(made.panel("", members(text)).cost for text in ("abcd", "abd", "acd", "bcd"))
    assert f"with it the price would be {figure(found.otherwise)} instead of" in found.reason


def test_a_near_tie_is_called_one():
    made = pool([1, 1, 1, 1], noise=1e-6, budget=1000.0)
    assert "which makes little difference" in look(made, "abcd", "a").reason


def test_the_figures_are_those_of_the_pilot():
    made = pool([1, 2, 3, 4])
    found = look(made, "ab", "b")
    effects = made.pilot.effects
    assert (found.name, found.price) == ("b", 2.0)
    assert (found.gamma, found.gamma_se, found.expected) == (effects.gamma[1], effects.se[1], effects.mean[1])
    assert found.expected_sd == pytest.approx(np.sqrt(effects.covariance[1, 1]))
    assert (found.noise, found.variance) == (made.pilot.noise[1], made.pilot.spread[1])


# What a pilot says of a pool: variances of one answer, and the usual alternatives written out.


def table(items=20, generations=1, judges=5, seed=0):
    rng = np.random.default_rng(seed)
    shape = (items, generations, judges)
    return (
        rng.normal(size=(items, 1, 1))
        + 0.5 * rng.normal(size=judges)
        + 0.7 * rng.normal(size=(items, generations, 1))
        + 0.6 * rng.normal(size=(items, 1, judges))
        + 0.8 * rng.normal(size=shape)
    )


def pool_of_shortlist(x, budget=100.0, item=0.0, price=None, *, corrected=True):
    pilot = facts(x, np.zeros(x.shape[-1]))
    price = (np.ones(x.shape[-1]) if price is None else np.array(price, dtype=float)) + item
    choice = Choice(pilot.spread, pilot.error(corrected=corrected), price, budget, None, 1, x.shape[-1])
    return JudgePool(tuple("abcdefgh"[: x.shape[-1]]), price, item, pilot, choice, corrected, len(x))


def test_one_generation_is_a_two_way_table():
    x = table()
    found = facts(x, np.zeros(5))
    assert found.noise == pytest.approx(grubbs(x[:, 0]).shrunk(np.arange(5)))
    assert found.spread.mean() == pytest.approx(x[:, 0].var(axis=0, ddof=1).mean())
    assert found.together == pytest.approx(x[:, 0].mean(axis=1).var(ddof=1))


@pytest.mark.parametrize("generations", [2, 4])
def test_one_answer_varies_more_than_the_mean_of_several(generations):
    """Over many items: 1 + .49 + .36 + .64 for one judgment, 1 + .49 + 1 / K for the mean of all judges."""
    found = facts(table(items=20_000, generations=generations), np.zeros(5))
    assert found.spread == pytest.approx(np.full(5, 2.49), rel=0.03)
    assert float(found.together) == pytest.approx(1.49 + 1 / 5, rel=0.03)
    assert found.noise == pytest.approx(np.full(5, 0.36 + 0.64 / generations), rel=0.05)


def test_repeated_answers_are_taken_apart():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 1, 3)) + 0.5 * rng.normal(size=(400, 4, 3))
    rows = [{"item": i, "replicate": r, "judge": "abc"[j], "score": x[i, r, j]} for i, r, j in np.ndindex(x.shape)]
    judgments = q.read(pl.DataFrame(rows), announce=False)
    scores = crossed_scores(judgments)
    assert beyond_cells(judgments, scores) == pytest.approx(np.full(3, 0.25 * 3 / 4), rel=0.1)
    single = judgments.only("judge", "a")
    assert single.n.max() == 4
    once = q.read(pl.DataFrame(rows).filter(pl.col("replicate") == 0), announce=False)
    assert (beyond_cells(once, crossed_scores(once)) == 0).all()


def test_what_is_usually_done_written_out():
    x, price = table(), [1, 1, 2, 4, 10]
    made = pool_of_shortlist(x, item=0.5, price=price)
    crossed, in_turn, single, drawn = alternatives(made, 100.0, 2)
    assert (crossed.items, crossed.calls, crossed.cost) == (5, 25, 5 * 18.5)
    assert crossed.se == pytest.approx(np.sqrt(x[:, 0].mean(axis=1).var(ddof=1) / 5))
    assert in_turn.items_per_judge == (4,) * 5
    assert in_turn.cost == pytest.approx(4 * (18 + 2.5))
    assert in_turn.se == pytest.approx(np.sqrt(made.pilot.spread.sum() / 4) / 5)
    one = "abcde".index(single.judges[0])
    assert single.se == pytest.approx(
        np.sqrt(made.pilot.spread[one] / single.items + made.pilot.effects.covariance[one, one])
    )
    assert drawn.items == int(100 / 4.1)
    tau2 = np.trace(made.pilot.error(corrected=False)) / 4
    between = tau2 * 4 / 5 / 2 * (5 - 2) / (5 - 1)  # Proposition 1, whose variance has the divisor K
    assert drawn.se_uncorrected**2 == pytest.approx(made.pilot.spread.mean() / drawn.items + between, rel=1e-6)
    assert drawn.se < drawn.se_uncorrected


def test_one_judge_at_random_is_a_single_judge_on_average():
    made = pool_of_shortlist(table(), budget=50.0)
    drawn = list(alternatives(made, 50.0, 1))[-1]
    each = [made.panel("", np.arange(5) == j) for j in range(5)]
    assert drawn.label == "1 judge drawn at random, in turn"
    assert drawn.se**2 == pytest.approx(np.mean([panel.se**2 for panel in each]), rel=1e-6)
    assert drawn.se_uncorrected**2 == pytest.approx(np.mean([panel.se_uncorrected**2 for panel in each]), rel=1e-6)


def test_what_the_money_does_not_buy_is_left_out():
    labels = [panel.label for panel in alternatives(pool_of_shortlist(table(), budget=3.0), 3.0, 2)]
    assert labels == ["the best single judge", "2 judges drawn at random, in turn"]


def test_the_value_is_what_was_asked_for():
    for corrected in (True, False):
        made = pool_of_shortlist(table(), corrected=corrected)
        panel = made.panel("", np.array([True, True, False, False, False]))
        half = panel.half_width if corrected else panel.half_width_uncorrected
        assert made.half_width(panel) == made.value(panel) == half
    assert panel.half_width == pytest.approx(t_quantile(panel.df, 0.975) * panel.se)
    left = made.pilot.effects.covariance[:2, :2].sum() / 4
    parts = (panel.se**2 - left, panel.items - 2), (left, 19)
    assert panel.df == pytest.approx(panel.se**4 / sum(part**2 / df for part, df in parts))


def test_pilots_drawn_again_in_pieces_are_the_same(monkeypatch):
    x = table()
    made = pool_of_shortlist(x)
    members = np.ones(5, dtype=bool)
    panel = made.panel("", members)
    whole = stability(made, x, np.zeros(5), panel, 6, np.random.default_rng(1))
    monkeypatch.setattr("quorate.planning.panel.shortlist._MOST_NUMBERS", 2 * x.size)
    assert stability(made, x, np.zeros(5), panel, 6, np.random.default_rng(1)) == whole
