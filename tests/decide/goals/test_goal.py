"""Goals as they are stated."""

import pytest

from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal, Spent
from quorate.decide.goals.plans import crossed
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CompareGoal("x", "x"), "another system than 'x'"),
        (lambda: CompareGoal("x", "y", margin=0), "margin: a number above 0 is needed"),
        (lambda: CompareGoal("x", "y", power=1), "power: a number from 0.5"),
        (lambda: PreferGoal("x", "y", margin=0.5), "above 0 and below 0.5"),
        (lambda: HalfWidthGoal(float("inf")), "half_width: must be above 0"),
        (lambda: BestGoal(level=2), "level"),
    ],
)
def test_a_number_out_of_range_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


# What may be bought, and what a budget pays for.


def test_items_of_all_categories_come_in_turn_and_cheap_judges_first():
    groups = ("m",) * 10 + ("c",) * 10
    made = Offer([f"i{n}" for n in range(20)], ["a", "b"], categories=groups, prices={"a": 2.0, "b": 1.0}, money=9)
    assert made.judge_order == ("b", "a")
    of = dict(zip(made.items, groups, strict=True))
    assert abs(sum(of[item] == "m" for item in made.item_order[:10]) - 5) <= 1
    assert made.prices_of(2) == {"judge": {"a": 4.0, "b": 2.0}}
    cells = crossed(made, {"item": 5, "judge": 2})
    assert made.price(cells).sum() == 15
    assert len(made.affordable(cells, Spent(0, 3.0))) == 4  # two items, by both judges, for 6
    assert len(Offer(made.items, made.judges, calls=7).affordable(cells, Spent(4))) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "calls, money"),
        ({"money": 3.0}, "prices: one for each judge"),
        ({"calls": 3, "prices": {"b": 1.0}}, "'a' has none"),
        ({"calls": 3, "looks": 0}, "looks"),
        ({"calls": 3, "layouts": ("round",)}, "layouts"),
        ({"calls": 3, "categories": ("m",)}, "categories"),
    ],
)
def test_what_does_not_fit_is_refused(given, words):
    with pytest.raises(InvalidInput, match=words):
        Offer(("i", "j"), ("a",), **given)
