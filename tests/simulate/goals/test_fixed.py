"""Studies of a fixed size, with everything known."""

import pytest

from quorate.decide.goals.goal import CompareGoal, HalfWidthGoal
from quorate.decide.goals.offer import Offer
from quorate.simulate.goals.fixed import fixed_cost

OFFER = Offer(tuple(f"i{n}" for n in range(3000)), ("a", "b", "c"), systems=("x", "y"), calls=9000)
LAW = {"item": 0.2, "item:judge": 0.2, "cell": 0.2}


@pytest.mark.slow
def test_one_judge_for_each_item_in_turn_is_enough_for_a_panel():
    goal = CompareGoal("x", "y", margin=0.1)
    each = 0.6 * (1.95996 + 1.28155) ** 2 / 0.1**2  # pairs, by the normal law
    assert fixed_cost(goal, OFFER, LAW, 0.1) == pytest.approx(2 * each, rel=0.03)
    usual = (0.2 + 0.4 / 3) * (1.64485 + 1.64485) ** 2 / 0.1**2  # for equivalence, which takes more
    assert fixed_cost(goal, OFFER, LAW, 0.1, usual=True) == pytest.approx(2 * 3 * usual, rel=0.03)
    assert fixed_cost(goal, OFFER, LAW, 0.0) > fixed_cost(goal, OFFER, LAW, 0.1)
    assert fixed_cost(CompareGoal("x", "y"), OFFER, LAW, 0.0) is None


@pytest.mark.slow
def test_noise_of_one_judge_is_paid_for_and_so_is_a_narrow_interval():
    goal, mean = CompareGoal("x", "y", margin=0.1), HalfWidthGoal(0.05)
    assert fixed_cost(goal, OFFER, LAW, 0.1, noise={"a": 3.0}) > fixed_cost(goal, OFFER, LAW, 0.1)
    plain = Offer(OFFER.items, OFFER.judges, calls=9000)
    often, mostly = (fixed_cost(mean, plain, LAW, 0.0, power=power) for power in (0.5, 0.9))
    assert often == pytest.approx(0.6 * 1.96**2 / 0.05**2, rel=0.03)
    chi2 = 1 + 1.28155 * (2 / often) ** 0.5  # its 90% quantile over its degrees of freedom
    assert mostly == pytest.approx(often * chi2, rel=0.03)
