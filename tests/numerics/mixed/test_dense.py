from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.numerics.mixed.reml import Dense, evaluate


@pytest.mark.parametrize("method", ["reml", "ml"])
@pytest.mark.parametrize("by", [None, "judge"])
def test_a_dense_criterion_is_that_of_patterns(method, by):
    rng = np.random.default_rng(2)
    item, prompt, judge, replicate = (at.ravel() for at in np.indices((4, 3, 2, 2)))
    score = rng.normal(size=len(item)) + item + (2 * judge + 1) * rng.normal(size=len(item))
    columns = {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": score}
    frame = pl.DataFrame(columns).filter(pl.Series(rng.random(len(item)) < 0.8))
    fit = q.decompose(q.read(frame, fixed=["judge"], announce=False), method=method, residual_by=by)
    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)
    theta = np.exp(rng.normal(size=(5, len(kept))))
    theta[:2, 0] = 0.0
    found = Dense(problem.few, problem, kept).evaluate(theta)
    for at, place in enumerate(theta):
        full = np.zeros(problem.n_components)
        full[kept] = place
        point = evaluate(problem, full)
        assert found.criterion[at] == pytest.approx(point.criterion, rel=1e-10)
        np.testing.assert_allclose(found.gradient[at], point.gradient[kept], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found.hessian[at], point.hessian[np.ix_(kept, kept)], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found.effects[at], point.effects[: problem.p], rtol=1e-8, atol=1e-8)


def test_places_without_noise_have_no_criterion():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"item": [0, 0, 1, 1, 2, 2], "judge": [0, 1] * 3, "score": rng.normal(size=6)})
    fit = q.decompose(q.read(frame, announce=False))
    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)
    theta = np.ones((2, len(kept)))
    theta[1, -1] = 0.0
    assert np.isfinite(Dense(problem.few, problem, kept).evaluate(theta).criterion).tolist() == [True, False]
