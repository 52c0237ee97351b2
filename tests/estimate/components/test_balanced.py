from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.components.balanced import balanced_strata


def test_mean_squares_of_a_study_with_replicates(judged):
    judgments = judged({"item": 6, "prompt": 4}, replicates=3, seed=1)
    fit = q.decompose(judgments)
    got = balanced_strata(fit.assembled)
    y = judgments.mean.reshape(6, 4)
    y = y if judgments.column("item")[1] == 0 else y.reshape(4, 6).T
    item, prompt = y.mean(axis=1), y.mean(axis=0)
    rest = y - item[:, None] - prompt + y.mean()
    squares = [4 * np.sum((item - y.mean()) ** 2), 6 * np.sum((prompt - y.mean()) ** 2), np.sum(rest**2)]
    order = [fit.assembled.names.index(name) for name in ("item", "prompt")]
    scaled = got.squares * fit.assembled.scale**2
    np.testing.assert_allclose([*scaled[order], *scaled[2:]], [*squares, judgments.ss.sum()])
    np.testing.assert_allclose(got.df, [*np.array([5, 3])[order], 15, 48])


def test_cells_with_different_numbers_of_answers(judged):
    fit = q.decompose(judged({"item": 6, "prompt": 4}, replicates=3, keep=0.9, seed=2))
    with pytest.raises(NotEstimable, match="cells differ in their number of answers"):
        balanced_strata(fit.assembled)


def test_missing_cells(judged):
    fit = q.decompose(judged({"item": 6, "prompt": 4}, keep=0.9, seed=2))
    with pytest.raises(NotEstimable, match="unbalanced"):
        balanced_strata(fit.assembled)


@pytest.mark.parametrize("options", [{"covariates": ["prompt"]}, {"residual_by": "judge"}])
def test_models_that_are_not_an_analysis_of_variance(judged, options):
    fit = q.decompose(judged({"item": 6, "prompt": 4, "judge": 2}, seed=2), **options)
    with pytest.raises(NotEstimable, match="no covariates and one residual variance"):
        balanced_strata(fit.assembled)


def test_every_item_judged_by_part_of_the_panel(simulate):
    """Balanced in every facet, and yet not orthogonal."""
    import polars as pl

    frame = simulate({"item": 6, "judge": 3}, seed=2)
    number = pl.col("item").str.slice(-1).cast(pl.Int64) % 3
    kept = frame.filter(number != pl.col("judge").str.slice(-1).cast(pl.Int64))
    fit = q.decompose(q.read(kept, facets={"item": "item", "judge": "judge"}))
    with pytest.raises(NotEstimable, match="not orthogonal"):
        balanced_strata(fit.assembled)
