"""Studies of a fixed size, with everything known."""

import pytest

from quorate.decide.goals.goal import CompareGoal, HalfWidthGoal, Offer
from quorate.errors import InvalidInput
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


def test_categories_are_priced_each_by_its_own_difference_and_components():
    kinds = Offer(OFFER.items, OFFER.judges, systems=("x", "y"), categories=("p", "q", "q") * 1000, calls=9000)
    law = {"item": {"p": 0.2, "q": 0.6}, "item:judge": 0.2, "cell": {"p": 0.2, "q": 0.1}}
    goal, effect = CompareGoal("x", "y", margin=0.2, by="category"), {"p": 0.3, "q": 0.0}
    alone = CompareGoal("x", "y", margin=0.2, level=0.975)
    each = [
        fixed_cost(alone, OFFER, {"item": item, "item:judge": 0.2, "cell": cell}, difference)
        for item, cell, difference in ((0.2, 0.2, 0.3), (0.6, 0.1, 0.0))
    ]
    assert fixed_cost(goal, kinds, law, effect) == pytest.approx(sum(each), rel=0.05)
    assert fixed_cost(goal, kinds, law, {"p": 0.3, "q": 0.2}) > 1.5 * fixed_cost(goal, kinds, law, 0.3)
    for given in ((law, 0.0), (LAW, effect)):
        with pytest.raises(InvalidInput, match="by category are for goals that ask by category"):
            fixed_cost(alone, kinds, *given)
