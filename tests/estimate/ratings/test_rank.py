import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.ratings.bradley_terry import bradley_terry
from quorate.estimate.ratings.fragility import fragility
from quorate.estimate.ratings.leaderboard import leaderboard
from quorate.estimate.ratings.rank import rank


@pytest.fixture
def votes():
    rows = [("x", "y", 30, 12), ("x", "z", 25, 15), ("y", "z", 22, 20)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    return q.read_votes(frame, wins=("a", "b"), announce=False)


def test_votes_get_ratings(votes):
    options = {"ties": "half", "level": 0.9, "regularisation": 0.1}
    assert rank(votes, **options).to_dict() == bradley_terry(votes, **options).to_dict()


def test_scores_get_a_leaderboard(judged):
    scores = judged({"item": 20, "judge": 3, "model": 3}, fixed=())
    options = {"system": "model", "targets": {"judge": "panel"}, "level": 0.9}
    found = rank(scores, **options)
    assert found.to_dict() == leaderboard(scores, **options).to_dict()
    names = ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert found.to_frame().columns[:8] == names


def test_options_of_the_other_kind_are_refused(votes, judged):
    with pytest.raises(InvalidInput, match="system: not for votes; leave it out"):
        rank(votes, system="system")
    with pytest.raises(InvalidInput, match="ties: not for scores; leave it out"):
        rank(judged({"item": 5, "system": 2}, fixed=()), ties="half")


def test_anything_else_is_refused():
    with pytest.raises(InvalidInput, match=r"no such file votes\.csv"):
        rank("votes.csv")


def some_votes(*rows):
    return q.read_votes(
        pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row"), wins=("a", "b"), announce=False
    )


def test_fragility_goes_with_the_ratings_it_is_of():
    votes = some_votes(("x", "y", 12, 9), ("x", "z", 8, 4), ("y", "z", 7, 4))
    found = rank(votes, fragility=True)
    assert found.fragility == fragility(votes, by="bradley-terry", ties="davidson")
    assert found.to_dict()["fragility"]["dropped"] == found.fragility.dropped
    assert found.fragile_words.startswith("Without ")
    assert found.elo().fragility is found.fragility
    assert (rank(votes).fragility, rank(votes).fragile_words) == (None, "")
    for name, value in (("position", True), ("regularisation", 1.0), ("weights", [1.0, 1.0, 1.0])):
        with pytest.raises(InvalidInput, match=f"{name}: fragility is of ratings without"):
            rank(votes, fragility=True, **{name: value})


def test_no_votes_left_out_unseat_a_system_that_never_lost():
    """x stands above all, without a rating: the first of those that are rated is not the first of the board."""
    votes = some_votes(("x", "y", 12, 0), ("x", "z", 8, 0), ("y", "z", 7, 4), ("y", "w", 5, 3), ("w", "z", 4, 3))
    found = rank(votes, fragility=True)
    assert found.fragility is None
    assert found.fragile_words.startswith('Leaving out votes puts no other system first; votes: "x" stands above all')
    assert found.to_dict()["not_fragile"]
