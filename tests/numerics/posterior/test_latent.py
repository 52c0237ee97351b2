from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.links import modes
from quorate.numerics.links.modes import Layout
from quorate.numerics.posterior import densities
from quorate.numerics.posterior.densities import Laws, log_density


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
