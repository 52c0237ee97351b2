import numpy as np
import polars as pl
import pytest

from quorate.errors import UnknownTerm
from quorate.estimate.votes.clustered import cells, clustered_by, repeating
from quorate.table.read_votes import read_votes


def votes_with(**columns):
    rows = len(next(iter(columns.values())))
    frame = {"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": ["model_a"] * rows}
    return read_votes(pl.DataFrame({**frame, **columns}), announce=False)


def test_facets_whose_levels_repeat_are_found():
    votes = votes_with(prompt=["p", "p", "q", "r"], judge=["a", "b", "c", "d"], prompt_type=["m", "m", "n", "n"])
    every = np.ones(4, dtype=bool)
    assert repeating(votes, every) == clustered_by(votes, None, every) == ("prompt",)
    assert clustered_by(votes, None, np.array([True, False, True, True])) == ()
    assert clustered_by(votes, (), every) == ()
    assert clustered_by(votes, ("judge", "prompt"), every) == ("judge", "prompt")
    assert clustered_by(votes, "prompt_type", every) == ("prompt_type",)


def test_one_level_is_no_cluster():
    votes = votes_with(prompt=["p", "p", "q", "r"], judge=["a"] * 4)
    every = np.ones(4, dtype=bool)
    assert repeating(votes, every) == ("prompt", "judge")
    assert clustered_by(votes, None, every) == ("prompt",)


def test_names_are_checked():
    votes, every = votes_with(prompt=["p", "p", "q"]), np.ones(3, dtype=bool)
    with pytest.raises(UnknownTerm):
        clustered_by(votes, ("prompt", "judge"), every)
    assert clustered_by(votes, ("prompt", "prompt"), every) == ("prompt",)


def test_a_row_without_a_label_is_a_level_of_its_own():
    votes = votes_with(prompt=["p", None, "q", "p", None])
    assert len(set(cells(votes, "prompt").tolist())) == 4
    assert repeating(votes, np.ones(5, dtype=bool)) == ("prompt",)
    assert repeating(votes, np.array([True, True, True, False, True])) == ()
