"""What a look says."""

from dataclasses import replace

from quorate.decide.goals.goal import Spent
from quorate.decide.goals.look import Ending, Look

LOOK = Look(3, 5, 900, Spent(900, 9.0), 0.21, 0.09, 20.0, 0.02, 0.4, 0.6, 0.01, 2.7, buys=Spent(310, 2.1))


def test_a_look_says_its_interval_and_what_it_buys():
    assert LOOK.sentence == (
        "round 3 of at most 5: difference 0.21, 95% interval 0.02 to 0.4; 310 more calls, 2.10 in money"
    )
    assert "too early for a 95% interval" in replace(LOOK, low=-9.0, high=9.0).sentence


def test_the_last_look_says_what_ended_the_study_and_what_the_goal_would_take():
    assert LOOK.ended(Ending.FUTILE, 700.0).sentence.endswith(
        "undecided: the goal is out of reach of the budget; reaching it would take about 700 more"
    )
    assert LOOK.ended(Ending.BUDGET, 0.0).sentence.endswith("undecided: nothing more can be bought")
    known = replace(LOOK, df=float("inf"))
    assert Look.from_dict(known.ended(Ending.BUDGET).to_dict()) == known.ended(Ending.BUDGET)
