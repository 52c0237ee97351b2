"""Types of prompts beside a verdict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.decide.votes.by_type import types_p_value, welch
from quorate.decide.votes.verdict import verdict_of_votes
from quorate.table.read_votes import read_votes


def votes(rng, shares, n=100):
    rows = [("x", "y", f"t{t}", "xy"[int(rng.random() > p)]) for t, p in enumerate(shares) for _ in range(n)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "prompt_type", "winner"], orient="row")
    return read_votes(frame, announce=False)


def test_types_that_go_opposite_ways_are_said_beside_undecided():
    found = verdict_of_votes(votes(np.random.default_rng(1), (0.8, 0.2)), "x", "y")
    assert found.outcome.value == "undecided"
    assert found.p_types < 1e-4
    assert "differs between types of prompts (p < .0001)" in found.sentence
    assert found.to_dict()["p_types"] == found.p_types


def test_without_types_there_is_no_test(between):
    assert verdict_of_votes(between(70, 30), "x", "y").p_types is None


def test_two_means_are_the_test_of_welch():
    """Of two groups it is the t test of unequal variances, as scipy has it."""
    from scipy.stats import ttest_ind

    one, two = np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8, 10])
    means, errors = (np.array([f(one), f(two)]) for f in (np.mean, lambda x: x.std(ddof=1) / np.sqrt(len(x))))
    expected = ttest_ind(one, two, equal_var=False).pvalue
    assert welch(means, errors, np.array([3.0, 4.0])) == pytest.approx(expected)


def test_equal_types_are_seldom_told_apart():
    rng = np.random.default_rng(2)
    p = [types_p_value(votes(rng, (0.6, 0.6, 0.6), 40), "x", "y") for _ in range(40)]
    assert np.mean(np.array(p) < 0.05) < 0.2
