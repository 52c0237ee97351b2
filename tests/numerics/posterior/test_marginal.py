from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior.densities import fixed_effects, marginal_size, padded, restricted_log_likelihood
from quorate.simulate import write_demo


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """A table with gaps, so that patterns of cells differ."""
    return q.decompose(q.read(write_demo(tmp_path_factory.mktemp("scores") / "scores.csv"), announce=False))


def test_cells_that_a_pattern_lacks_are_empty(fit):
    problem = fit.assembled.problem
    data = padded(problem, np.array(fit.identified.representatives))
    assert (1 - data.empty).sum(axis=1).tolist() == np.bincount(problem.units.cell_pattern).tolist()
    assert not data.z[data.empty == 1].any()
    assert max(array.size for array in data) == marginal_size(problem)


@pytest.mark.bayes
def test_the_likelihood_is_that_of_reml(fit):
    """An independent program: differences of the criterion, its gradient, fixed effects and their covariance."""
    import jax

    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)
    data, least = padded(problem, kept), []
    with jax.enable_x64(True):
        for factor in (0.4, 1.0, 1.7):
            theta = np.zeros(problem.n_components)
            theta[kept] = factor * np.maximum(fit.theta[kept], 1e-3)
            point = evaluate(problem, theta)
            value, gradient = jax.value_and_grad(restricted_log_likelihood, argnums=1)(
                data, jax.numpy.asarray(theta[kept])
            )
            assert -2 * np.asarray(gradient) == pytest.approx(point.gradient[kept], rel=1e-8, abs=1e-8)
            least.append(point.criterion + 2 * float(value))
            mean, covariance = fixed_effects(data, theta[kept][None], problem.p)
            assert mean[0] == pytest.approx(point.effects[: problem.p], abs=1e-10)
            assert covariance[0] == pytest.approx(point.solved.dense.b[: problem.p, : problem.p], abs=1e-10)
    assert np.ptp(least) < 1e-8
