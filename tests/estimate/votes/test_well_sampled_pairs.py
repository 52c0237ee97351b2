from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.votes.well_sampled_pairs import labelled, well_sampled
from quorate.table.read_votes import read_votes


@pytest.fixture
def votes():
    rows = {
        "model_a": ["x", "y", "x", "x", "x", "z"],
        "model_b": ["y", "x", "y", "y", "z", "x"],
        "winner": ["x", "y", "x", "tie", "z", "z"],
        "prompt": ["p", "p", "q", "q", None, "r"],
    }
    return read_votes(pl.DataFrame(rows), announce=False)


def test_pairs_with_enough_votes(votes):
    found = well_sampled(votes, minimum=3)
    assert found.labels == ("x vs y",)
    assert (found.n.tolist(), found.wins.tolist(), found.left_out) == ([3.0], [1.0], 1)
    assert found.row.tolist() == [0, 1, 2]
    assert found.tie_share.tolist() == [0.25]


@pytest.mark.parametrize(("ties", "n", "wins"), [("drop", 3, 1), ("half", 4, 1.5), ("pessimistic", 4, 2)])
def test_ties(votes, ties, n, wins):
    found = well_sampled(votes, minimum=3, ties=ties)
    assert (found.n[0], found.wins[0]) == (n, wins)


def test_models_against_all_others(votes):
    found = well_sampled(votes, minimum=2, unit="model")
    assert found.labels == ("x", "y", "z")
    assert found.n.tolist() == [5, 3, 2]
    assert found.wins.tolist() == [2, 1, 2]


def test_counts_stand_for_votes():
    frame = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "for_x": [220], "for_y": [280]})
    found = well_sampled(read_votes(frame, wins=["for_x", "for_y"], announce=False))
    assert (found.n.tolist(), found.wins.tolist()) == ([500], [280])


def test_votes_without_a_label_are_refused(votes):
    with pytest.raises(NotEstimable, match="1 votes have no label"):
        labelled(well_sampled(votes, minimum=2), votes, "prompt")
    assert labelled(well_sampled(votes, minimum=3), votes, "prompt").tolist() == [0, 0, 1]
    with pytest.raises(UnknownTerm):
        labelled(well_sampled(votes, minimum=3), votes, "judge")


def test_refusals(votes):
    with pytest.raises(NotEstimable, match="most: 3"):
        well_sampled(votes)
    with pytest.raises(InvalidInput, match="minimum"):
        well_sampled(votes, minimum=1)
    with pytest.raises(InvalidInput, match="unit"):
        well_sampled(votes, minimum=2, unit="judge")
    with pytest.raises(InvalidInput, match="pessimistic"):
        well_sampled(votes, minimum=2, unit="model", ties="pessimistic")
    with pytest.raises(InvalidInput, match="read_votes"):
        well_sampled("votes.csv")
