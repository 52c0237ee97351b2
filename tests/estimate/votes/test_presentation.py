import polars as pl
import pytest

import quorate as q


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
    assert codes(shown((160, "x", 130), (40, "y", 10))) == ["mostly-shown-first", "first-wins"]


@pytest.mark.parametrize("blocks", [((50, "x", 30), (50, "y", 30)), ((10, "x", 6), (8, "y", 5))])
def test_nothing_is_said_of_an_order_that_is_even_and_does_nothing(blocks):
    assert codes(shown(*blocks)) == []
