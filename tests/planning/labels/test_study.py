"""What money buys of labels and predictions, and what a goal costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.errors import NotEstimable
from quorate.numerics.stratified import Costs, Strata
from quorate.planning.plan_labels import Pilot, Study


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


def test_a_goal_costs_no_more_than_the_money_that_reaches_it():
    bought = study()
    best, _ = bought.within(300.0)
    reached, alone = study("half_width").reaching(bought.figure(best))
    assert bought.price(reached) == pytest.approx(bought.price(best), rel=0.01)
    assert study("half_width").figure(alone) <= bought.figure(best)


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
