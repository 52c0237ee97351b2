"""Studies with a goal, carried out on scores whose truth is known."""

from dataclasses import replace

import pytest

from quorate.decide.goals.goal import CompareGoal, Offer
from quorate.errors import InvalidInput
from quorate.simulate import simulate_goal

LAW = {"item": 0.1, "item:judge": 0.1, "cell": 0.2}
OFFER = Offer(tuple(f"i{n}" for n in range(300)), ("a", "b"), systems=("x", "y"), calls=1200, looks=3)


def test_rates_say_what_is_spent_and_how_often_the_goal_is_reached():
    goal = CompareGoal("x", "y", margin=0.4)
    rates = simulate_goal(goal, OFFER, LAW, effect=0.8, studies=5)
    assert rates.reached == 1
    assert replace(rates, wrong=0.05).right == pytest.approx(0.95)
    assert rates.outcomes == {"better": 1.0}
    assert 120 <= rates.calls <= rates.most_calls <= 1200
    assert sum(rates.ended.values()) == pytest.approx(1)
    assert rates.sentence.startswith(f"Expect {rates.calls:,.0f} calls")
    assert rates.error(0.5) == pytest.approx(0.5 / 5**0.5)
    assert simulate_goal(goal, OFFER, LAW, effect=0.8, studies=5) == rates
    assert simulate_goal(goal, OFFER, LAW, effect=0.8, studies=5, seed=2) != rates
    with pytest.raises(InvalidInput, match="studies"):
        simulate_goal(goal, OFFER, LAW, studies=0)
