"""Many contrasts at once, against dense matrices over rows."""

from __future__ import annotations

import numpy as np
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.information import adjustment, variance_parts, weights
from quorate.numerics.mixed.reml import squares
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


@given(seed=SEEDS)
@few
def test_parts_of_many_contrasts_are_those_of_dense_matrices(kind, model, seed):
    drawn = model(kind, seed)
    contrasts = drawn.rng.normal(size=(5, drawn.dense.x.shape[1]))
    half = drawn.rng.normal(size=(len(drawn.theta), len(drawn.theta)))
    solved = solve(drawn.problem, drawn.theta)
    got = variance_parts(drawn.problem, solved, contrasts, half @ half.T)
    for contrast, own, added in zip(contrasts, *got, strict=True):
        w = drawn.dense.weights(drawn.theta, contrast)
        np.testing.assert_allclose(own, [w @ a @ w for a in drawn.dense.structures], rtol=1e-7, atol=1e-9)
        wanted = drawn.dense.adjustment(drawn.theta, contrast, half @ half.T)
        np.testing.assert_allclose(added, wanted, rtol=1e-7, atol=1e-9)


@given(seed=SEEDS)
@few
def test_parts_of_many_contrasts_are_those_of_each(kind, model, seed):
    """Also where some components are not estimated, whose rows of the covariance are zero."""
    drawn = model(kind, seed)
    contrasts = drawn.rng.normal(size=(3, drawn.dense.x.shape[1]))
    half = drawn.rng.normal(size=(len(drawn.theta), len(drawn.theta)))
    half[::2] = 0.0
    solved = solve(drawn.problem, drawn.theta)
    got = variance_parts(drawn.problem, solved, contrasts, half @ half.T)
    own = [squares(drawn.problem, weights(drawn.problem, solved, contrast)) for contrast in contrasts]
    np.testing.assert_allclose(got.squares, own, rtol=1e-10, atol=1e-12)
    added = [adjustment(drawn.problem, solved, contrast, half @ half.T) for contrast in contrasts]
    np.testing.assert_allclose(got.added, added, rtol=1e-10, atol=1e-12)
