import polars as pl
import pytest

import quorate as q
from quorate.estimate.votes.margin import order_effect


def shown(*blocks):
    """Blocks of how many votes, which of x and y was shown first, and how many of them x won."""
    rows = [("x", "y", "model_a" if i < won else "model_b", first) for n, first, won in blocks for i in range(n)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "first"], orient="row")
    return q.read_votes(frame, order="first", announce=False)


def codes(votes):
    return [one.code for one in q.compare(votes, "x", "y").caveats]


def test_one_system_always_shown_first_is_a_caveat_of_its_lead():
    caveat = q.compare(shown((100, "x", 70)), "x", "y").caveats[0]
    assert caveat.code == "mostly-shown-first"
    assert (
        "x was shown first in 100 of 100 decisive votes (100%), so that its lead and that of being" in caveat.sentence
    )
    assert "y was shown first" in q.compare(shown((100, "y", 70)), "x", "y").caveats[0].sentence


def test_an_order_that_wins_is_a_caveat_too():
    assert codes(shown((100, "x", 75), (100, "y", 35))) == ["first-wins"]
    assert [one.code for one in q.rank(shown((100, "x", 75), (100, "y", 35))).caveats] == ["first-wins"]
    assert q.rank(shown((100, "x", 75), (100, "y", 35)), position=True).caveats == ()
    assert codes(shown((160, "x", 130), (40, "y", 10))) == ["mostly-shown-first", "first-wins"]


@pytest.mark.parametrize("blocks", [((50, "x", 30), (50, "y", 30)), ((10, "x", 6), (8, "y", 5))])
def test_nothing_is_said_of_an_order_that_is_even_and_does_nothing(blocks):
    assert codes(shown(*blocks)) == []


def of_rows(*rows, **options):
    """Rows: model written first, the other, votes for each."""
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "for_a", "for_b"], orient="row")
    return q.read_votes(frame, wins=["for_a", "for_b"], announce=False, **options)


def test_a_place_without_a_name_is_a_caveat_of_compare_and_rank_alike():
    """75% of the votes have x first, its odds there are exp(.8): it leads by its place alone."""
    votes = of_rows(("x", "y", 414, 186), ("y", "x", 138, 62))
    verdict, board = q.compare(votes, "x", "y"), q.rank(votes)
    for found in (verdict, board):
        (said,) = [one.sentence for one in found.caveats if one.code == "written-first"]
        assert said.startswith("the system written first (model_a) won 69.0% of 800 decisive votes")
    named = q.rank(of_rows(("x", "y", 414, 186), ("y", "x", 138, 62), order="model_a"), position=True)
    assert abs(named.rating[0] - named.rating[1]) < 1e-6


def test_one_stratified_test_of_the_order_as_in_r():
    """R 4.2: ``mantelhaen.test(array(c(75, 60, 25, 40, 30, 22, 10, 30), c(2, 2, 2)), correct = FALSE)`` is of the
    tables by pair and place; its chi-square by hand: (sum of a - E)^2 / sum of variances."""
    votes = of_rows(("x", "y", 75, 25), ("y", "x", 40, 60), ("y", "z", 30, 10), ("z", "y", 30, 22))
    (said,) = list(order_effect(votes))
    share = (50 * (1 + 0.75 - 0.6) + 40 * 52 / 92 * (1 + 0.75 - 22 / 52)) / (2 * (50 + 40 * 52 / 92))
    assert f"won {share:.1%} of 292 decisive votes" in said.sentence


def test_a_better_system_that_is_mostly_first_is_no_effect_of_the_order():
    assert list(order_effect(of_rows(("x", "y", 240, 60), ("y", "x", 20, 80)))) == []
    assert list(order_effect(of_rows(("x", "y", 90, 10), ("y", "z", 90, 10)))) == []


def test_the_order_is_judged_by_people_where_they_repeat():
    """Four people, of whom each decides by side: 300 of 400 votes for the first are 3 of 4 people."""
    columns = {
        "model_a": ["x", "y"] * 200,
        "model_b": ["y", "x"] * 200,
        "judge": [f"j{i % 8 // 2}" for i in range(400)],
    }
    winner = ["model_a" if i % 8 // 2 else "model_b" for i in range(400)]
    votes = q.read_votes(pl.DataFrame({**columns, "winner": winner}), order="model_a", announce=False)
    assert list(order_effect(votes)) == []
