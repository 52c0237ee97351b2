"""Steps of Newton's method by products with a sparse information, against those by a full one."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings import bradley_terry
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import tie_model

SYSTEMS = 60


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("own_ties", [False, True])
@pytest.mark.parametrize("products", [1000, 2])
def test_conjugate_gradients_end_where_full_steps_do(monkeypatch, ridge, own_ties, products):
    rng = np.random.default_rng(1)
    near = np.arange(SYSTEMS)
    ends = [np.sort([near, (near + by) % SYSTEMS], axis=0) for by in (1, 7, 12)]
    a, b = np.concatenate(ends, axis=1)
    design = Design(SYSTEMS, a, b, np.array([1.0, -1.0]), tie_model("davidson"), own_ties=own_ties)
    counts = rng.poisson(3, (*design.shape, 1)) + 1.0
    full = fit(design, counts, ridge)
    monkeypatch.setattr(bradley_terry, "_LARGE", 10)
    monkeypatch.setattr(
        bradley_terry, "_MOST_PRODUCTS", products
    )  # of two products nothing comes, and steps are full ones
    found = fit(design, counts, ridge)
    np.testing.assert_allclose(found.theta, full.theta, atol=1e-9)
    assert found.converged.all()


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_a_step_by_products_is_the_full_one_to_rounding(monkeypatch, ridge):
    """A coarse one would take more steps of Newton's, and leave the last of them short of the maximum."""
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(SYSTEMS, 1)
    design = Design(SYSTEMS, a, b, np.zeros(1), tie_model("half"))
    counts = rng.poisson(3, (*design.shape, 1)) + 1.0
    known = design.known(counts)
    theta = 0.3 * rng.normal(size=(SYSTEMS, 1))
    _, gradient, dense = design.derivatives(known, theta)
    monkeypatch.setattr(bradley_terry, "_LARGE", 10)
    _, _, sparse = design.derivatives(known, theta)
    full = bradley_terry.solved(design, dense, gradient, ridge)
    np.testing.assert_allclose(
        bradley_terry.solved(design, sparse, gradient, ridge), full - full.mean(), rtol=1e-8, atol=1e-10
    )
