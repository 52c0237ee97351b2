"""What all goals have in common: how far the next look is."""

import pytest

from quorate.decide.goals.goal import CompareGoal, Offer
from quorate.decide.goals.parts import Comparison

OFFER = Offer(("i",), ("a",), calls=1)


def test_the_next_look_is_a_step_of_what_is_left():
    assert Comparison(CompareGoal("x", "y", margin=1.0), OFFER).pace(0.2, 4) == pytest.approx(0.4)
    assert Comparison(CompareGoal("x", "y"), OFFER).pace(0.0625, 4) == pytest.approx(0.125)
    assert Comparison(CompareGoal("x", "y"), OFFER).pace(0.5, 1) == 1.0
