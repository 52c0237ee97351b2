"""The path of a study to its goal, in words and rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.analysis.goals.path import GoalPath, in_words
from quorate.decide.goals.goal import Spent
from quorate.decide.goals.look import Ending, Look, Power
from quorate.study.goal import Goal


def look(number, half, spent, **more):
    own = {"judgments": 10, "value": 0.2, "se": 0.1, "df": 9.0, "fraction": number / 3, "alpha": 0.01, "bound": 2.0}
    return Look(number, 3, spent=Spent(100 * number, spent), low=0.2 - half, high=0.2 + half, **own, **more)


LOOKS = (look(1, 0.9, 1.5, buys=Spent(50, 1.0)), look(2, 0.15, 2.5, outcome="better", ending=Ending.REACHED))


def test_it_says_where_it_is_and_what_stopped_it():
    path = GoalPath("which is better", LOOKS, "money", 40.0, 0.2, fixed=3.75)
    assert path.stopped == "The goal was reached, after 2 looks and 2.50 of 40.00 in money."
    assert path.sentence.startswith("Round 2 of at most 3: difference 0.2, 95% interval 0.05 to 0.35; better: the goal")
    assert path.hindsight == "A study of one look, planned with what is known now, would have cost 3.75 in money."
    first, second = path.rows()
    assert (first["round"], first["money"], first["more_calls"], first["ending"]) == (1, 1.5, 50, None)
    assert (second["calls"], second["outcome"], second["ending"]) == (200, "better", "reached")
    calls = GoalPath("which is better", LOOKS[:1], "calls", 400.0)
    assert (calls.stopped, calls.hindsight, calls.spent) == ("", "", 100)
    assert "no look yet: the pilot is not finished" in GoalPath("which is better", (), "calls", 400.0).sentence


def test_it_says_by_how_much_the_budget_falls_short():
    short = replace(LOOKS[0], power=Power(0.55, 0.02, 0.81, 0.9))
    chance = "a chance of 55% to decide (2% to 81%, as far as components are known)"
    said = f"the budget buys {chance}, less than the 90% asked for"
    assert short.sentence.endswith(f"50 more calls, 1.00 in money; {said}")
    path = GoalPath("which is better", (short, LOOKS[1]), "money", 40.0)
    assert path.shortfall == f"At look 1, {said}."
    assert (path.rows()[0]["power"], path.rows()[1]["power"]) == (0.55, None)
    assert GoalPath("which is better", LOOKS, "money", 40.0).shortfall == ""
    assert LOOKS[0].falling_short(Power(0.95, 0.7, 0.99, 0.9)) == LOOKS[0]
    assert LOOKS[0].falling_short(short.power) == short
    assert Look.from_dict(short.to_dict()) == short


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"compare": ["x", "y"]}, "which of x and y has the higher mean score, at 95%"),
        (
            {"prefer": ["x", "y"], "margin": 0.05, "level": 0.9},
            "which of x and y is preferred, or that shares are within 0.05 of one half, at 90%",
        ),
        (
            {"prefer": ["x", "y"], "stages": 2},
            (
                "which of x and y is preferred on the 20% of categories whose votes are furthest from one half in a "
                "first stage, at 95%"
            ),
        ),
        ({"half_width": 0.1}, "the mean score to within 0.1, at 95%"),
        ({"half_width": 0.1, "by": "category"}, "the mean score to within 0.1, on every category of items, at 95%"),
        (
            {"half_width": 0.1, "category_shares": {"a": 0.7, "b": 0.3}},
            "the mean score to within 0.1, where categories count a 70% and b 30%, at 95%",
        ),
        ({"rank": "best"}, "which system is best, at 95%"),
    ],
)
def test_goals_in_words(goal, words):
    assert in_words(Goal(**goal), votes=False) == words
