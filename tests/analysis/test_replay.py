import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.allocation import replay_pair, replay_pairs
from quorate.errors import InvalidInput


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(6)
    rows = [("x", "y", "model_a" if rng.random() < 0.7 else "model_b", f"p{i // 2}", f"t{i % 4}") for i in range(400)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt", "prompt_type"], orient="row")
    return q.read_votes(frame, announce=False)


def test_sizes_that_no_pair_has_are_left_out_and_said(votes):
    found = replay_pairs(votes, [50, 5000], minimum=100)
    assert {one.n for one in found.rates} == {50}
    assert {row["method"] for row in found.rows()} == {"independent", "prompt"}
    assert found.rows()[0]["wrong"] == found.rates[0].wrong
    assert found.notes == ("Left out: studies of 5,000 votes; no pair has more than 400 decisive votes.",)
    with pytest.raises(InvalidInput, match="budgets: no pair has more than 400 decisive votes"):
        replay_pairs(votes, [5000])


def test_votes_are_drawn_one_by_one_where_that_is_said(votes):
    found = replay_pairs(votes, [50], cluster=(), minimum=100)
    assert {one.method for one in found.rates} == {"independent"}
    assert found.notes == ("Votes are drawn one by one, and taken as independent.",)


def test_two_systems_and_types_of_prompts(votes):
    found = replay_pair(votes, "x", "y", [30, 200], by="prompt_type")
    assert found.to_dict()["budgets"] == [200]
    assert [note.split(" ")[0] for note in found.notes] == ["Left", "Two"]
    with pytest.raises(InvalidInput, match="budgets: numbers from"):
        replay_pair(votes, "x", "y", [2], by="prompt_type")


def test_screening_is_free_and_said(votes):
    found = replay_pair(votes, "x", "y", [200], by="prompt_type", per_type=3, retained=0.9)
    assert "Screening by 3 votes of each type" in found.notes[0]
    assert "Keeping" in found.notes[1]
