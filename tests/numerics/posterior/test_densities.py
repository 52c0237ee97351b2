from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.numerics.links import modes
from quorate.numerics.links.modes import Layout
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior import densities
from quorate.numerics.posterior.densities import (
    Laws,
    fixed_effects,
    log_density,
    marginal_size,
    padded,
    quantile,
    redrawn,
    restricted_log_likelihood,
    slope,
    widened,
)
from quorate.simulate import write_demo


def layout(items: int = 12, each: int = 40, categories: int = 3) -> Layout:
    """Items that differ much, within five prompts that do not, and a covariate."""
    rng = np.random.default_rng(2)
    item, prompt = (axis.ravel() for axis in np.indices((items, 5)))
    x = rng.standard_normal((len(item), 1))
    eta = rng.normal(0, 1.5, items)[item] + 0.4 * x[:, 0]
    above = 1 / (1 + np.exp(np.linspace(-1, 1, categories - 1) - eta[:, None]))
    shares = -np.diff(above, axis=1, prepend=1.0, append=0.0)
    counts = rng.multinomial(each, shares).astype(float)
    return Layout(counts, x, item, item[:, None], prompt[:, None], cells=True)


LAWS = Laws(np.full(6, 2.5), np.full(6, np.inf))


def test_well_known_terms_are_centred_and_others_not():
    data, middle = densities.counted(layout(), LAWS)
    assert data.signed.tolist() == [False, True, True]
    assert all(power > 0.9 for power in data.power[0])
    assert not np.any(np.concatenate(data.power[1:]))
    sd, thresholds, effects = densities.parameters(data, middle)
    assert 1 < sd[0] < 2.5
    assert max(sd[1:]) < 0.5
    assert np.all(np.diff(thresholds) > 0)
    assert effects.tolist() == [0.0]
    known = densities.counted(layout(), Laws(LAWS.scale, np.full(6, 0.3)))[0]
    assert not known.signed.any()


def test_a_category_without_judgments_leaves_a_start():
    none = layout()
    none.counts[:, 1] = 0
    data, middle = densities.counted(none, LAWS)
    assert np.isfinite(densities.starts(data, middle, 4, np.random.default_rng(1))).all()


@pytest.mark.bayes
@pytest.mark.parametrize("categories", [2, 4])
def test_the_likelihood_is_that_of_the_fit(categories):
    import jax

    laid = layout(categories=categories)
    thresholds, eta = np.linspace(-1, 1.5, categories - 1), np.random.default_rng(3).standard_normal(len(laid.x))
    with jax.enable_x64(True):
        found = float(densities.counts_log_likelihood(laid.counts, thresholds, eta))
    assert found == pytest.approx(modes.likelihood(laid.counts, thresholds, eta).value, rel=1e-12)


@pytest.mark.bayes
def test_however_effects_are_sampled_the_density_is_the_same():
    """Priors of effects, of their standard deviations and Jacobians, added up by hand for both ways."""
    import jax

    laid = layout()
    data, middle = densities.counted(laid, LAWS)
    position = densities.starts(data, middle, 1, np.random.default_rng(4))[0]
    sd, thresholds, effects = densities.parameters(data, position)
    at, eta, log = len(middle), laid.x @ effects, 0.0
    for term, (level, power) in enumerate(zip(data.levels, data.power, strict=True)):
        own = position[at : at + len(power)]
        at += len(power)
        size = position[term] if data.signed[term] else sd[term]
        b = own * size if data.signed[term] else own * sd[term] ** (1 - power)
        stretch = np.abs(size) * np.ones(len(power)) if data.signed[term] else sd[term] ** (1 - power)
        log += np.sum(-((b / sd[term]) ** 2) / 2 - np.log(sd[term]) + np.log(stretch))
        log += 0.0 if data.signed[term] else np.log(sd[term])
        eta = eta + b[level]
    log += float(np.sum(log_density(np.concatenate([sd, thresholds, effects]), LAWS)))
    log += float(np.sum(np.log(np.diff(thresholds)))) + modes.likelihood(laid.counts, thresholds, eta).value
    with jax.enable_x64(True):
        arrays = jax.tree.map(jax.numpy.asarray, data)
        assert float(densities.log_posterior(arrays, jax.numpy.asarray(position))) == pytest.approx(log, rel=1e-10)


SCALED = Laws(np.array([0.7, 0.4]), np.array([np.inf, 0.3]))  # half-t, lognormal


@pytest.mark.slow
def test_densities_are_laws():
    sd = np.linspace(1e-6, 400, 2_000_001)
    density = np.exp(log_density(np.stack([sd, sd], axis=1), SCALED))
    assert np.trapezoid(density, sd, axis=0) == pytest.approx([1, 1], abs=1e-4)
    for place, (scale, width) in enumerate(zip(*SCALED, strict=True)):
        below = sd <= quantile(np.array(0.8), scale, width)
        assert np.trapezoid(density[below, place], sd[below]) == pytest.approx(0.8, abs=1e-3)


def test_the_slope_is_that_of_the_density():
    sd, step = np.array([0.5, 0.35]), 1e-6
    for sign in (1, -1):
        numeric = (log_density(sign * sd + step, SCALED) - log_density(sign * sd - step, SCALED)) / (2 * step)
        assert slope(sign * sd, SCALED) == pytest.approx(numeric, rel=1e-5)


def test_draws_follow_the_laws():
    draws = redrawn(SCALED, 40_000, np.random.default_rng(1))
    wanted = [float(quantile(np.array(0.5), *law)) for law in zip(*SCALED, strict=True)]
    assert np.median(draws, axis=0) == pytest.approx(wanted, rel=0.02)  # standard error 0.6%


def test_wider_laws_keep_where_a_pilot_is():
    wide = widened(SCALED, 2.0)
    assert wide.scale.tolist() == [1.4, 0.4]
    assert wide.width.tolist() == [np.inf, 0.6]


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
