from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.errors import NotEstimable
from quorate.estimate.votes.signals import Measured, signals
from quorate.estimate.votes.well_sampled_pairs import well_sampled
from quorate.table.read_votes import read_votes


def table(prompts, each):
    rng = np.random.default_rng(1)
    rows = [("x", "y", f"model_{'ab'[rng.random() < 0.7]}", f"p{p}") for p in range(prompts) for _ in range(each)]
    names = ["model_a", "model_b", "winner", "prompt"]
    return read_votes(pl.DataFrame(rows, schema=names, orient="row"), announce=False)


def test_many_levels_are_left_out_in_blocks():
    votes = table(450, 2)
    found = signals(well_sampled(votes), votes, "prompt")
    assert found.levels == 450
    assert found.square.df == 199
    assert found.square.value == pytest.approx(0.04, abs=0.015)
    assert found.square.se == pytest.approx(2 * 0.2 * np.sqrt(0.21 / 900), rel=0.3)  # of (p - 1/2)^2, by its slope


def test_a_pair_of_one_prompt_is_refused():
    votes = table(6, 40)
    alone = read_votes(
        pl.DataFrame(
            [("x", "y", "model_a", f"p{p}") for p in range(6) for _ in range(10)]
            + [("x", "z", "model_a", "p1") for _ in range(60)],
            schema=["model_a", "model_b", "winner", "prompt"],
            orient="row",
        ),
        announce=False,
    )
    assert signals(well_sampled(votes), votes, "prompt").levels == 6
    with pytest.raises(NotEstimable, match='all votes on "x vs z" are of one level'):
        signals(well_sampled(alone, minimum=30), alone, "prompt")


def test_a_difference_has_the_degrees_of_freedom_of_welch():
    found = Measured(3.0, 1.0, 10.0).minus(Measured(1.0, 2.0, 20.0))
    assert (found.value, found.se) == (2.0, pytest.approx(np.sqrt(5)))
    assert found.df == pytest.approx(25 / (1 / 10 + 16 / 20))
    low, high = found.ends
    assert (low + high) / 2 == pytest.approx(2.0)
