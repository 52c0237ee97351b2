from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.components.model import build, residuals

FACETS = {name: name for name in ("item", "judge", "replicate")}


def noise_of(judgments, *, random=None, residual_by=None, scale=1.0):
    return residuals(judgments, build(judgments, random, ()), residual_by, scale)


def test_cells_and_replicates(judged):
    judgments = judged({"item": 5, "judge": 2}, replicates=3, keep=0.8, seed=1)
    noise = noise_of(judgments, scale=2.0)
    assert noise.names == ("cell", "replicate")
    np.testing.assert_allclose(noise.weight, np.column_stack([np.ones(len(judgments.n)), 1 / judgments.n]))
    np.testing.assert_allclose(noise.inside.ss, [0, judgments.ss.sum() / 4])
    np.testing.assert_allclose(noise.inside.df, [0, judgments.n_answers - judgments.n_cells])
    assert noise.inside.log_counts == pytest.approx(np.log(judgments.n).sum())
    assert noise.identical == noise.levels == ()


def test_a_model_without_the_cell_has_replicates_only(judged):
    noise = noise_of(judged({"item": 5, "judge": 2}, replicates=3), random=["item"])
    assert noise.names == ("replicate",)


def test_no_cell_judged_twice(judged):
    for random in (None, ["item"]):
        noise = noise_of(judged({"item": 5, "judge": 2}), random=random)
        assert noise.names == ("cell",)
        assert noise.inside.df.tolist() == [0]


def test_replicates_that_repeat_their_cell_are_left_out(simulate):
    frame = simulate({"item": 5, "judge": 2})
    copies = pl.concat([frame, frame.with_columns(replicate=pl.lit(1, dtype=pl.Int64))])
    noise = noise_of(q.read(copies, facets=FACETS))
    assert noise.names == ("cell",)
    assert noise.identical == ("replicate",)
    assert noise.inside.log_counts == 0.0
    np.testing.assert_array_equal(noise.weight, np.ones((10, 1)))


def test_one_judge_that_repeats_itself_and_one_that_was_asked_once(simulate):
    frame = simulate({"item": 30, "judge": 3}, replicates=2, seed=1)
    first = pl.col("score").first().over("item", "judge")
    frame = frame.with_columns(score=pl.when(pl.col("judge") == "judge0001").then(first).otherwise("score"))
    frame = frame.filter((pl.col("judge") != "judge0002") | (pl.col("replicate") == 0))
    judgments = q.read(frame, facets=FACETS)
    noise = noise_of(judgments, residual_by="judge")
    assert noise.names == (
        "cell[judge=judge0000]",
        "cell[judge=judge0001]",
        "cell[judge=judge0002]",
        "replicate[judge=judge0000]",
        "replicate[judge=judge0002]",
    )
    assert noise.identical == ("replicate[judge=judge0001]",)
    assert noise.inside.df.tolist() == [0, 0, 0, 30, 0]
    fit = q.decompose(judgments, residual_by="judge")
    assert fit.aliases == (frozenset({"cell[judge=judge0002]", "replicate[judge=judge0002]"}),)


def test_levels_of_their_own_need_a_fixed_facet(judged):
    with pytest.raises(InvalidInput, match='residual_by: "item" is random'):
        noise_of(judged({"item": 5, "judge": 2}), residual_by="item")
