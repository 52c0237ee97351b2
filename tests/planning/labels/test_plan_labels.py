"""How many labels and predictions to buy."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable

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
    table = q.read(pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row"), announce=False)
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
        ({"budget": -1}, "budget: a number above 0"),
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
