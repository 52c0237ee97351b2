"""How many labels and predictions to buy."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tables import scores_table
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.prediction_powered import Matched, of_sample
from quorate.numerics.prediction_powered import Costs, Sample, Split, Strata
from quorate.planning.labels_plan import Persons
from quorate.planning.plan_labels import Pilot, Study

PRICES = {"human": 1.0, "call": 0.02}


def scored(n=90, noise=(0.7,), people=("ann",), disagree=0.0, extra=0):
    """Scores of n items in three categories by a judge and by each person, and of ``extra`` by the judge alone."""
    rng = np.random.default_rng(1)
    truth = rng.normal(5, 1, n + extra)
    rows = [(i, "llm", truth[i] + 0.4 + noise[i % len(noise)] * rng.normal()) for i in range(n + extra)]
    rows += [(i, who, truth[i] + disagree * rng.normal()) for who in people for i in range(n)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    return q.read(frame.with_columns(category="c" + (pl.col("item") % 3).cast(pl.String)), announce=False)


@pytest.fixture(scope="module")
def pilot():
    return scored()


@pytest.fixture(scope="module")
def votes():
    """Votes on 120 battles by a judge and a person."""
    rng = np.random.default_rng(2)
    truth = rng.random(120) < 0.6
    said = np.where(rng.random(120) < 0.85, truth, True)
    frame = {"prompt": np.tile(np.arange(120), 2), "judge": ["llm"] * 120 + ["ann"] * 120}
    frame |= {"model_a": ["x"] * 240, "model_b": ["y"] * 240, "winner": np.where(np.append(said, truth), "x", "y")}
    return q.read_votes(pl.DataFrame(frame), announce=False)


def test_the_split_of_a_budget_is_the_closed_form(pilot):
    plan = q.agreement.plan_labels(pilot, "ann", prices=PRICES, budget=500)
    r = plan.correlation
    assert plan.best.labels / plan.best.units == pytest.approx(np.sqrt((1 - r**2) / r**2 * 0.02), rel=0.01)
    assert 499 < plan.best.cost <= 500
    assert plan.best.half_width < plan.people.half_width
    assert plan.best.half_width <= min(way.half_width for way in plan.same_price) * 1.002
    assert plan.people.labels == 500
    assert plan.narrowest < plan.best.half_width < plan.widest
    assert (plan.low, plan.high) == pytest.approx(
        np.tanh(np.arctanh(r) + np.array([-1, 1]) * 1.96 / np.sqrt(87)), abs=1e-4
    )
    assert plan.bias == pytest.approx(0.4, abs=3 * plan.bias_se)
    assert [row["way"] for row in plan.rows()] == ["people and judges", "people alone"]
    assert plan.saved is None


def test_the_cheapest_split_for_a_half_width_is_that_of_its_price(pilot):
    plan = q.agreement.plan_labels(pilot, "ann", prices=PRICES, half_width=0.1)
    assert 0.099 < plan.best.half_width <= 0.1
    again = q.agreement.plan_labels(pilot, "ann", prices=PRICES, budget=plan.best.cost)
    assert again.best.labels == pytest.approx(plan.best.labels, abs=2)
    assert plan.saved == pytest.approx(1 - plan.best.cost / plan.people.cost)
    assert f"people alone take {plan.people.labels} labels" in plan.sentence


def test_where_judges_say_little_people_are_asked_alone():
    plan = q.agreement.plan_labels(scored(noise=(20.0,)), "ann", prices=PRICES, half_width=0.1)
    assert plan.best.units == 0
    assert plan.best == plan.people
    assert plan.worth_from == pytest.approx(2 * np.sqrt(0.02) / 1.02)
    assert plan.correlation < plan.worth_from
    assert "no predictions" in plan.sentence


def test_what_is_at_hand_is_not_bought_again():
    """The pilot's 90 labels and 190 predictions; where it has more predictions than the plan wants, these are free."""
    pilot = scored(extra=100)
    anew, more = (
        q.agreement.plan_labels(pilot, "ann", prices=PRICES, half_width=0.1, have=each) for each in (False, True)
    )
    assert (more.best.labels, more.best.units) == (anew.best.labels, anew.best.units)
    assert more.best.cost == pytest.approx(anew.best.cost - 90 - 190 * 0.02)
    held = q.agreement.plan_labels(scored(extra=3000), "ann", prices=PRICES, half_width=0.15, have=True)
    assert (held.best.units, held.best.cost) == (3090, held.best.labels - 90)


def test_no_more_units_than_there_are(pilot):
    plan = q.agreement.plan_labels(pilot, "ann", prices=PRICES, budget=300, units=400)
    assert (plan.best.units, plan.best.labels) == (400, 292)
    with pytest.raises(NotEstimable, match=r"half_width: 0\.01 is out of reach with 400 units, which give 0\.0"):
        q.agreement.plan_labels(pilot, "ann", prices=PRICES, half_width=0.01, units=400)
    with pytest.raises(InvalidInput, match="units: how many there are is needed where predictions are free"):
        q.agreement.plan_labels(pilot, "ann", prices={"human": 1, "call": 0}, half_width=0.1)


def test_by_category_more_labels_go_where_judges_see_least():
    pilot = scored(n=150, noise=(0.3, 0.3, 5.0))
    plan = q.agreement.plan_labels(pilot, "ann", prices=PRICES, half_width=0.1, strata="category")
    assert [one.name for one in plan.strata] == ["c0", "c1", "c2"]
    first, second, third = (one.labels for one in plan.strata)
    assert third > 1.3 * max(first, second)
    assert sum(one.labels for one in plan.strata) == plan.best.labels
    whole = q.agreement.plan_labels(pilot, "ann", prices=PRICES, half_width=0.1)
    assert plan.best.cost < whole.best.cost


def test_votes_and_a_margin(votes):
    plan = q.agreement.plan_labels(votes, "ann", "x", "y", prices=PRICES, margin=0.08, power=0.8)
    assert plan.what == "win rate of x against y"
    assert plan.best.units
    more = q.agreement.plan_labels(votes, "ann", "x", "y", prices=PRICES, margin=0.08, power=0.9)
    assert more.best.cost > plan.best.cost
    assert (plan.power, more.goal) == (0.8, "margin")
    width = q.agreement.plan_labels(votes, "ann", "x", "y", prices=PRICES, half_width=1.96 * 0.08 / (1.96 + 0.8416))
    assert plan.best.cost == pytest.approx(width.best.cost, rel=0.1)


def test_a_difference_of_two_systems_is_of_items_that_have_both():
    """Labels cost two answers, predictions two calls; the items themselves drop out."""
    rng = np.random.default_rng(4)
    item, rows = rng.normal(size=60), []
    for i in range(60):
        for system, ahead in (("new", 0.5), ("old", 0.0)):
            truth = 5 + 3 * item[i] + ahead + 0.5 * rng.normal()
            rows += [(i, system, "llm", truth + 0.2 * rng.normal()), (i, system, "ann", truth)]
    table = scores_table(rows, "item system judge score")
    plan = q.agreement.plan_labels(table, "ann", "new", "old", prices=PRICES, margin=0.2)
    assert (plan.label_price, plan.prediction_price) == pytest.approx((2.0, 0.04))
    assert plan.best.labels < 100
    labelled = table.keep((table.column("judge") != table.level_index("judge", "ann")) | (table.column("item") < 30))
    found = q.agreement.corrected(labelled, "ann", "new", "old")
    assert found.value == pytest.approx(0.5, abs=4 * found.se)
    assert (found.what, found.labels) == ("mean score of new less that of old", 30)


def test_people_who_disagree_are_named():
    """Two people whose labels of an item have nothing in common; their labels also vary more."""
    plan = q.agreement.plan_labels(
        scored(people=("ann", "bob"), disagree=14.0), ["ann", "bob"], prices=PRICES, half_width=0.5
    )
    assert plan.reliability.none
    assert [one.code for one in plan.caveats] == ["people-disagree"]
    assert plan.best.units == 0
    agree = q.agreement.plan_labels(
        scored(people=("ann", "bob"), disagree=0.5), ["ann", "bob"], prices=PRICES, half_width=0.1
    )
    assert agree.reliability.value == pytest.approx(0.8, abs=0.08)
    assert agree.correlation == pytest.approx(np.sqrt(0.8 / 1.49), abs=0.1)
    assert agree.unattenuated == pytest.approx(agree.correlation / np.sqrt(agree.reliability.value))
    assert agree.caveats == ()
    assert [one.code for one in q.agreement.plan_labels(scored(), "ann", prices=PRICES, budget=99).caveats] == [
        "people-asked-once"
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "budget: exactly one of it"),
        ({"budget": 10, "half_width": 0.1}, "exactly one"),
        ({"budget": -1}, "budget: must be above 0"),
        ({"margin": 0.1}, "margin: is between two systems"),
        ({"budget": 5}, "5 does not buy a study of 10 labels"),
        ({"budget": 99, "prices": {"call": 1}}, "one of human is needed"),
        ({"budget": 99, "prices": {"human": 1, "call": 1, "judge": {"llm": 1}}}, "a call has one price"),
        ({"budget": 99, "prices": {"human": 1, "judge": {"gpt": 1}}}, "llm has no price"),
        ({"budget": 99, "prices": {"human": 0, "call": 1}}, "human must be above 0"),
        ({"budget": 99, "prices": {"human": -1, "call": 1}}, "human must be a finite amount"),
        ({"budget": 99, "prices": {"human": 1, "call": 1, "prompt": 1}}, "prompt is unknown"),
        ({"budget": 99, "units": 3}, "units: a number of at least 10"),
    ],
)
def test_what_is_refused(pilot, options, said):
    with pytest.raises((InvalidInput, NotEstimable), match=said):
        q.agreement.plan_labels(pilot, "ann", **{"prices": PRICES, **options})


def test_pilots_that_say_nothing_are_refused(pilot):
    few = pilot.keep(pilot.level_codes(["item"]) < 9)
    with pytest.raises(NotEstimable, match="the pilot has 9 units with a label and a prediction"):
        q.agreement.plan_labels(few, "ann", prices=PRICES, budget=99)


# What a pilot says of variances, and what studies of a plan find.


def drawn(n, m, seed, clusters=None):
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=clusters)[np.arange(n + m) % clusters] if clusters else 0.0
    y = rng.normal(size=n + m) + lean
    f = y + 0.75 * rng.normal(size=n + m)
    code = np.arange(n + m) % clusters if clusters else np.arange(n + m)
    return Sample(y[:n], f[:n], f[n:], code[:n], code[n:])


def pilot_of(sample, *, within=0.0, persons=1.0, share=False, groups=()):
    found = Matched(sample, dict.fromkeys(groups), 0, ())
    return Pilot.of(found, share=share, level=0.95, within=within, persons=np.full(len(sample.y), persons))


def test_variances_are_those_of_the_regression():
    sample = drawn(400, 800, 1)
    pilot = pilot_of(sample)
    y, f = sample.y, sample.predicted
    slope = np.cov(y, f)[0, 1] / f.var(ddof=1)
    left = y - y.mean() - slope * (f - f.mean())
    assert pilot.strata.variance == pytest.approx(y.var(ddof=1))
    assert pilot.strata.residual == pytest.approx(left @ left / 398)
    assert pilot.strata.variance == pytest.approx(pilot.strata.residual + pilot.strata.explained)
    assert pilot.correlation[0] == pytest.approx(0.8, abs=0.07)
    assert pilot.at_correlation(0.5).residual == pytest.approx(0.75 * pilot.strata.variance)


@pytest.mark.slow
def test_predictions_on_half_the_scale_count_once_as_they_do_in_the_analysis():
    """Their slope is 2, and the analysis trusts no prediction more than a label."""
    whole = drawn(4000, 8000, 5)
    halved = Sample(whole.y, whole.y / 2, np.tile(whole.y, 2) / 2, whole.cluster, whole.others_cluster)
    pilot = pilot_of(halved)
    assert pilot.strata.residual == pytest.approx(pilot.strata.variance / 4, rel=0.001)
    promised = pilot.precision(Split(np.array([4000.0]), 1e9, np.nan))
    many = Sample(whole.y, whole.y / 2, np.tile(whole.y, 200) / 2, whole.cluster, np.arange(4000, 804_000))
    assert promised.se == pytest.approx(of_sample(many).se, rel=0.01)


def test_a_label_by_one_person_varies_more_than_the_mean_of_several():
    sample = drawn(400, 800, 1)
    one, three = pilot_of(sample), pilot_of(sample, within=0.6, persons=3.0)
    assert three.strata.variance == pytest.approx(one.strata.variance + 0.4)
    assert three.strata.residual == pytest.approx(one.strata.residual + 0.4)
    assert three.correlation[0] < one.correlation[0]


def test_a_large_study_finds_what_was_promised():
    pilot = pilot_of(drawn(4000, 8000, 2))
    for units in (900.0, 0.0):
        promised = pilot.precision(Split(np.array([300.0]), units, np.nan))
        found = of_sample(drawn(300, 600, 3))
        se, df = (found.se, found.df) if units else (found.people_se, found.people_df)
        assert promised.se == pytest.approx(se, rel=0.08)
        assert promised.df == pytest.approx(df, rel=0.2)
        assert promised.half_width(0.95) == pytest.approx(1.97 * promised.se, rel=0.01)


def test_labels_that_resemble_each_other_are_worth_less():
    alone, alike = pilot_of(drawn(400, 800, 4)), pilot_of(drawn(400, 800, 4, clusters=20), groups=("prompt",))
    assert dict(alike.clusters) == {"prompt": 20}
    assert alike.strata.variance > 5 * alone.strata.variance
    assert alike.precision(Split(np.array([800.0]), 0.0, np.nan)).df == pytest.approx(39)


def test_shares_have_the_score_interval_with_four_more_labels():
    """Of labels alone: the half-width of Wilson's interval, .0391 for 80 of 400, with Student's quantile."""
    y = np.repeat([0.0, 1.0], [80, 20])
    pilot = pilot_of(Sample(y, y[::-1].copy(), np.empty(0), np.arange(100), np.empty(0, dtype=np.int64)), share=True)
    found = pilot.precision(Split(np.array([400.0]), 0.0, np.nan))
    assert found.trials == pytest.approx(400, rel=0.02)
    assert found.half_width(0.95) == pytest.approx(0.0391, abs=0.0008)
    assert found.detectable(0.95, 0.9) == pytest.approx((1.966 + 1.284) * 0.5 / 20, rel=0.01)


# What money buys of labels and predictions, and what a goal costs.


def study(goal="budget", r=(0.8, 0.3), have=False, most=math.inf):
    weight, r = np.array([0.7, 0.3]), np.array(r)
    strata = Strata(weight, np.ones(2), 1 - r**2, r**2)
    pilot = Pilot(("a", "b"), strata, np.zeros(2), np.array([35.0, 15]), weight * 80, (0.6, 0.4, 0.8), 0, 1, False, {})
    return Study(pilot, Costs(1.0, 0.05), most, have, goal, 0.95, 0.9)


def test_what_money_buys_is_whole_and_within_it():
    made = study()
    best, alone = made.within(300.0)
    assert all(float(each).is_integer() for each in (*best.labels, best.units))
    assert 297 < made.price(best) <= 300
    assert alone.labels.tolist() == [210, 90]
    assert made.figure(best) < made.figure(alone)
    ways = made.same_price(best)
    assert ways[-1].units == 0
    assert min(way.half_width for way in ways) > made.figure(best) * 0.998


@pytest.mark.slow
def test_a_goal_costs_no_more_than_the_money_that_reaches_it():
    bought = study()
    best, _ = bought.within(300.0)
    reached, alone = study("half_width").reaching(bought.figure(best))
    assert bought.price(reached) == pytest.approx(bought.price(best), rel=0.01)
    assert study("half_width").figure(alone) <= bought.figure(best)


@pytest.mark.slow
def test_what_is_at_hand_counts():
    anew, more = study("half_width"), study("half_width", have=True)
    (one, _), (two, alone) = anew.reaching(0.12), more.reaching(0.12)
    assert anew.price(one) - more.price(two) == pytest.approx(50 + 80 * 0.05, abs=3)
    assert more.price(alone) == alone.labels.sum() - 50


def test_money_on_top_of_what_is_at_hand_is_all_that_people_alone_spend():
    """Predictions of the pilot are no money that could buy labels: 300 buy 300 of them, beside the 50 there are."""
    more = study(have=True)
    _, alone = more.within(300.0)
    assert (alone.units, alone.labels.sum(), more.price(alone)) == (0, 350, 300.0)
    assert more.within(300.0)[0].units >= 80


@pytest.mark.parametrize("have", [False, True])
def test_other_splits_are_of_the_same_price(have):
    """But for what two strata and the units lose as whole numbers: less than two labels and a prediction."""
    made = study(have=have)
    best, _ = made.within(300.0)
    ways = made.same_price(best)
    assert len(ways) > 10
    assert all(made.price(best) - 2.05 < way.cost < made.price(best) + 1e-9 for way in ways)


def test_what_cannot_be_had():
    with pytest.raises(NotEstimable, match="does not buy a study of 10 labels"):
        study().within(8.0)
    with pytest.raises(NotEstimable, match="out of reach with 90 units"):
        study("half_width", most=90.0).reaching(0.1)


# What a plan of labels says.


@pytest.fixture(scope="module")
def plan():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=60)
    rows = [(i, "llm", truth[i] + 0.7 * rng.normal()) for i in range(60)]
    rows += [(i, who, truth[i] + 0.4 * rng.normal()) for who in ("ann", "bob") for i in range(60)]
    table = scores_table(rows, "item judge score")
    return q.agreement.plan_labels(
        table, ["ann", "bob"], prices={"human": 2, "judge": {"llm": 0.05}, "item": 0.01}, budget=400
    )


def test_the_sentence_has_the_split_and_what_people_alone_would_get(plan):
    best, alone = plan.best, plan.people
    assert plan.sentence == (
        f"{best.labels} labels by people among {best.units:,} units that judges predict, for {best.cost:.6g}: "
        f"half-width {best.half_width:.3g}; people alone get {alone.half_width:.3g} for it, with {alone.labels} labels."
    )
    assert best.cost == pytest.approx(2 * best.labels + 0.06 * best.units)
    assert "no judge can correlate more than" in plan.says[-1]
    assert "Judges alone would be off by" in plan.says[-2]


def test_other_endings(plan):
    assert "alone people cannot be as precise" in replace(plan, people=None).sentence
    assert "and no predictions" in replace(plan, best=replace(plan.best, units=0)).sentence
    assert len(replace(plan, reliability=None).says) == 3
    assert replace(plan, reliability=None).unattenuated is None


def test_rows_and_plain_values(plan):
    assert plan.to_frame("polars")["way"].to_list() == ["people and judges", "people alone"]
    values = plan.to_dict()
    assert (values["saved"], values["best"]["labels"]) == (None, plan.best.labels)
    assert values["caveats"] == []
    assert replace(plan, goal="half_width").saved == pytest.approx(1 - plan.best.cost / plan.people.cost)


# How far people agree, from units that several labelled.


def test_it_is_the_textbook_alpha_and_the_variance_within_units():
    """Krippendorff (2011), example C without its missing units, by the differences of two observers."""
    one, two = np.array([1.0, 2, 3, 3, 2, 1, 4, 1, 2]), np.array([1.0, 2, 3, 3, 2, 2, 4, 1, 2])
    found = Persons(np.tile(np.arange(9), 2), np.append(one, two)).reliability(0.95)
    every = np.append(one, two)
    expected = 1 - np.mean((one - two) ** 2) / np.mean((every[:, None] - every) ** 2) * (17 / 18)
    assert found.value == pytest.approx(expected)
    assert found.within == pytest.approx(np.mean((one - two) ** 2) / 2)
    assert found.units == 9
    assert found.ceiling == pytest.approx(np.sqrt(expected))


def test_single_labels_say_nothing_and_do_not_count():
    rng = np.random.default_rng(1)
    unit, value = np.repeat(np.arange(30), 2), rng.normal(size=60)
    more = Persons(np.append(unit, np.arange(30, 90)), np.append(value, rng.normal(size=60)))
    assert more.reliability(0.95) == Persons(unit, value).reliability(0.95)
    assert more.reliability(0.95).none
    assert Persons(np.arange(60), value).reliability(0.95) is None
    assert Persons(unit[:8], value[:8]).reliability(0.95) is None  # four units
    assert Persons(unit, np.ones(60)).reliability(0.95) is None


@pytest.fixture(scope="module")
def board():
    return q.agreement.corrected_ratings(q.read_votes(labelled(frame(2000, favour=0.5), 300), announce=False), "person")


def test_labels_for_a_half_width_are_those_of_the_variance(board):
    now = [one.half_width for one in q.agreement.plan_board_labels(board).gaps]
    same = q.agreement.plan_board_labels(board, half_width=sum(now) / len(now))
    assert 0.5 * board.labels < min(one.labels for one in same.gaps) <= max(one.labels for one in same.gaps) < 900
    tight = q.agreement.plan_board_labels(board, half_width=0.2, units=20_000, price=0.5)
    for one in tight.gaps:
        assert one.labels < one.people
    alone = board.people.difference(tight.gaps[0].first, tight.gaps[0].second)
    needed = (1.96 * alone.se / 0.2) ** 2 * board.labels
    assert tight.gaps[0].people == pytest.approx(needed, rel=0.01)
    share = tight.explained
    assert tight.gaps[0].labels == pytest.approx((1 - share) / (1 / needed - share / 20_000), rel=0.01)
    assert (tight.more, tight.cost) == (tight.labels - 300, 0.5 * (tight.labels - 300))
    assert f"{tight.labels:,} labelled battles, {tight.more:,} more than now" in tight.sentence


def test_neighbours_are_told_apart_by_their_gaps(board):
    plan = q.agreement.plan_board_labels(board)
    by_gap = sorted(plan.gaps, key=lambda one: one.gap)
    assert by_gap[0].labels == plan.labels
    likelier = q.agreement.plan_board_labels(board, power=0.5)
    assert all(one.labels < other.labels for one, other in zip(likelier.gaps, plan.gaps, strict=True))
    found = q.agreement.plan_board_labels(board, margin=by_gap[0].gap)
    same = {(one.first, one.second): one.labels for one in found.gaps}
    assert same[by_gap[0].first, by_gap[0].second] == by_gap[0].labels
    assert json.loads(json.dumps(plan.to_dict()))["labels"] == plan.labels
    assert [row["labels"] for row in plan.rows()] == [one.labels for one in plan.gaps]


def test_no_number_is_enough_for_a_gap_of_next_to_nothing(board):
    plan = q.agreement.plan_board_labels(board, half_width=1e-9)
    assert plan.labels is plan.more is plan.cost is plan.people is None
    assert "no number of labels is enough; 0 of 3 gaps have enough" in plan.sentence


def test_what_is_refused_of_board_plan(board):
    for options, message in (
        ({"half_width": 0}, "half_width: must be above 0"),
        ({"half_width": 1, "margin": 1}, "half_width: not with"),
        ({"units": 10}, "units: at least the 2,000 battles"),
        ({"price": -1}, "price: must be at least 0"),
        ({"power": 0.01}, "power"),
    ):
        with pytest.raises(q.InvalidInput, match=message):
            q.agreement.plan_board_labels(board, **options)
