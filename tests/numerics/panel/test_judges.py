"""Grubbs' estimators and the leniency of judges, against covariances, matrices and direct integration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import NotEstimable
from quorate.numerics.panel.judges import (
    correlated,
    disagreement,
    effects,
    grubbs,
    independent_judges,
    jackknifed,
    moderated,
)

R_TRANSCRIPT = """
> x <- cbind(a = c(1, 2, 3, 6), b = c(2, 2, 4, 8), c = c(1, 3, 2, 6)); s <- cov(x)
> c(s[1,1]-s[1,2]-s[1,3]+s[2,3], s[2,2]-s[1,2]-s[2,3]+s[1,3], s[3,3]-s[1,3]-s[2,3]+s[1,2], mean(s[upper.tri(s)]))
[1] -0.3333333  1.0000000  1.0000000  5.2222222
"""
SMALL = np.array([[1.0, 2, 1], [2, 2, 3], [3, 4, 2], [6, 8, 6]])


def normal(rng, tables=1, items=20, judges=6, tau=0.5, noise=None):
    v = np.ones(judges) if noise is None else noise
    gamma = rng.normal(0, tau, (tables, 1, judges))
    return rng.normal(size=(tables, items, 1)) + gamma + rng.normal(size=(tables, items, judges)) * np.sqrt(v), gamma


def test_three_judges_as_in_r():
    found = grubbs(SMALL)
    *judge, item = map(float, R_TRANSCRIPT.rsplit("[1]", maxsplit=1)[-1].split())
    assert found.judge == pytest.approx(judge, abs=1e-6)
    assert found.item == pytest.approx(item)
    assert found.df == 3


@pytest.mark.parametrize("judges", [3, 4, 7])
def test_any_number_of_judges_by_covariances(judges):
    """Grubbs (1948), N instruments: from variances and covariances of the judges' scores."""
    x = normal(np.random.default_rng(judges), judges=judges)[0][0]
    s = np.cov(x.T)
    upper = np.triu(s, 1)
    expected = [
        s[l, l]
        - 2 * (s[l].sum() - s[l, l]) / (judges - 1)
        + 2 * np.delete(np.delete(upper, l, 0), l, 1).sum() / ((judges - 1) * (judges - 2))
        for l in range(judges)  # noqa: E741
    ]
    found = grubbs(x)
    assert found.judge == pytest.approx(expected)
    assert found.item == pytest.approx(upper.sum() / (judges * (judges - 1) / 2))


def test_variances_are_unbiased_and_their_errors_right():
    v = np.array([0.2, 1.0, 3.0])
    found = grubbs(normal(np.random.default_rng(1), 20_000, 10, 3, noise=v)[0])
    assert found.judge.mean(axis=0) == pytest.approx(v, abs=0.02)
    assert found.item.mean() == pytest.approx(1, rel=0.03)
    exact = (
        2 / 9 * (v**2 + np.array([(v[0] * (v[1] + v[2]) + v[1] * v[2]) / 2] * 3))
    )  # Grubbs (1948), three instruments
    assert found.judge.var(axis=0) == pytest.approx(exact, rel=0.05)
    known = type(found)(v, np.array(1.0), 9)
    assert known.se**2 == pytest.approx(exact)


@given(st.integers(0, 10_000), st.floats(-50, 50), st.floats(0.01, 50))
def test_shifts_cancel_and_scales_carry_over(seed, shift, scale):
    x, _ = normal(np.random.default_rng(seed), items=8, judges=4)
    base = grubbs(x)
    moved = grubbs(scale * (x + shift * np.arange(4)))
    assert np.allclose(moved.judge, scale**2 * base.judge, rtol=1e-6, atol=1e-7 * scale**2)
    pulled = base.shrunk(np.arange(4))
    assert np.allclose(moved.shrunk(np.arange(4)), scale**2 * pulled, rtol=1e-6, atol=1e-7 * scale**2)
    assert (pulled > 0).all()


def test_shrinking_helps_and_does_not_move_the_mean():
    rng = np.random.default_rng(2)
    v = rng.gamma(3, 1 / 3, (500, 1, 20))
    x = rng.normal(size=(500, 20, 1)) + rng.normal(size=(500, 20, 20)) * np.sqrt(v)
    found = grubbs(x)
    shrunk = found.shrunk(np.arange(found.judge.shape[-1]))
    loss, plain = np.mean((shrunk - v[:, 0]) ** 2), np.mean((found.judge - v[:, 0]) ** 2)
    assert loss < 0.8 * plain
    assert shrunk.mean() == pytest.approx(found.judge.mean(), rel=0.01)


def test_variances_that_differ_by_chance_alone_become_equal():
    assert moderated(np.array([0.9, 1.0, 1.1]), 10, np.array(1.0)) == pytest.approx(np.ones(3))
    total = 2.0**2
    between = (total - 0.2 * 25.0 / 5) / 1.2  # five as often as ten: 2 / df times noise is 1
    assert moderated(np.array([3.0, 5.0, 7.0]), 10, np.array(5.0)) == pytest.approx(
        5 + between / total * np.array([-2, 0, 2])
    )


def test_a_negative_variance_counts_as_zero_and_does_not_stay_there():
    found = moderated(np.array([-5.0, 1.0, 10.0]), 10, np.array(0.0))
    assert found[0] == pytest.approx(2 * (1 - 1 / 1.2))
    assert (found > 0).all()


def test_effects_agree_with_direct_integration():
    """Against the whole posterior on a fine grid of (level, standard deviation), for noise with correlations."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4)) * 0.3
    noise, means = root @ root.T, np.array([0.3, -0.2, 0.9, 0.1])
    centring = np.eye(4) - 0.25
    found = effects(means, centring @ noise @ centring)
    taus, weights, first, second = np.linspace(1e-4, 400, 400_001), [], [], []
    taus = taus**2 / 400
    width = np.gradient(taus)
    contrast = np.linalg.svd(centring)[0][:, :3]
    y, n = contrast.T @ means, contrast.T @ noise @ contrast
    value, axes = np.linalg.eigh(n)
    z = axes.T @ y
    total = taus[:, None] ** 2 + value
    weights = width * np.exp(-0.5 * (np.log(total) + z**2 / total).sum(axis=1))
    weights /= weights.sum()
    first = taus[:, None] ** 2 / total * z
    mean = weights @ first
    second = np.einsum("g,gi,gj->ij", weights, first, first) + np.diag(weights @ (taus[:, None] ** 2 * value / total))
    back = contrast @ axes
    assert found.mean == pytest.approx(back @ mean, abs=2e-4)
    assert found.covariance == pytest.approx(back @ (second - np.outer(mean, mean)) @ back.T, abs=2e-4)


def test_a_known_spread_gives_the_textbook_answer():
    """So many judges that the standard deviation is known: the variance of each is s tau2 / (tau2 + s)."""
    rng = np.random.default_rng(4)
    judges, tau2, s = 400, 0.25, 0.1
    means = rng.normal(0, np.sqrt(tau2 + s), judges)
    centring = np.eye(judges) - 1 / judges
    found = effects(means, s * centring)
    assert found.tau2 == pytest.approx(tau2, rel=0.25)
    pull = found.mean @ found.gamma / (found.gamma @ found.gamma)
    assert pull == pytest.approx(tau2 / (tau2 + s), rel=0.1)
    assert np.diag(found.covariance).mean() == pytest.approx(tau2 * s / (tau2 + s), rel=0.1)
    assert found.se == pytest.approx(np.sqrt(s * (1 - 1 / judges)) * np.ones(judges))


def test_exact_means_are_believed():
    found = effects(np.array([1.0, 2.0, 4.5]), np.zeros((3, 3)))
    assert found.mean == pytest.approx([-1.5, -0.5, 2.0])
    assert np.abs(found.covariance).max() < 1e-12


@pytest.mark.slow
def test_posterior_variances_bear_choosing_the_extreme_judge():
    """The judge that looks most lenient: its plain estimate is too high, its posterior mean is not."""
    x, gamma = normal(np.random.default_rng(5), 2000, 10, 20, tau=0.3)
    noise = disagreement(x, grubbs(x).shrunk(np.arange(x.shape[-1]))) / 10
    found = effects(x.mean(axis=-2), noise)
    truth = gamma[:, 0] - gamma[:, 0].mean(axis=-1, keepdims=True)
    top = found.gamma.argmax(axis=-1)[:, None]
    over = np.take_along_axis(found.gamma - truth, top, 1).mean()
    bayes = np.take_along_axis(found.mean - truth, top, 1).mean()
    assert over > 0.25
    assert abs(bayes) < 0.05
    posterior = np.take_along_axis(np.einsum("tkk->tk", found.covariance), top, 1).mean()
    assert np.take_along_axis((found.mean - truth) ** 2, top, 1).mean() == pytest.approx(posterior, rel=0.15)


def test_judges_of_one_kind_are_seen_to_depart_together():
    rng = np.random.default_rng(6)
    kind = np.repeat([1.0, -1.0], 5)
    x = rng.normal(size=(60, 1)) + rng.normal(size=(60, 1)) * kind + 0.3 * rng.normal(size=(60, 10))
    judge = grubbs(x).shrunk(np.arange(x.shape[-1]))
    contrast = kind / 5
    alone = contrast**2 @ judge
    assert contrast @ disagreement(x, judge) @ contrast == pytest.approx(np.var(x @ contrast, ddof=1), rel=0.15)
    assert alone < 0.5 * np.var(x @ contrast, ddof=1)


def test_independent_judges_keep_their_own_variances():
    x = normal(np.random.default_rng(7), items=15, judges=12)[0][0]
    judge = grubbs(x).shrunk(np.arange(x.shape[-1]))
    centring = np.eye(12) - 1 / 12
    assert disagreement(x, judge) == pytest.approx(centring @ np.diag(judge) @ centring)


@pytest.mark.parametrize(("shape", "words"), [((5, 2), "at least 3"), ((1, 4), "at least 2 items")])
def test_too_little_is_refused(shape, words):
    with pytest.raises(NotEstimable, match=words):
        grubbs(np.ones(shape))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_panel_is_worth_its_size_over_the_design_effect(seed, judges):
    """``J / (1 + (J - 1) rho)``, and the mean variance of a judge over the variance of the mean."""
    errors = np.random.default_rng(seed).normal(size=(30, judges)) + np.random.default_rng(seed).normal(size=(30, 1))
    found = independent_judges(errors, 0.95)
    assert found.value == pytest.approx(judges / (1 + (judges - 1) * found.correlation))
    covariance = np.cov(errors.T)
    assert found.value == pytest.approx(np.diag(covariance).mean() / errors.mean(axis=1).var(ddof=1))
    assert found.low < found.value < found.high


def test_copies_are_worth_one_judge_and_independent_ones_themselves():
    one = np.random.default_rng(1).integers(0, 2, (200, 1)).astype(float)
    assert independent_judges(np.repeat(one, 4, axis=1), 0.95).value == pytest.approx(1)
    many = np.random.default_rng(2).integers(0, 2, (20_000, 4)).astype(float)
    assert independent_judges(many, 0.95).value == pytest.approx(4, abs=0.15)
    assert np.isnan(independent_judges(np.zeros((9, 3)), 0.95).value)


def test_the_interval_is_the_literal_jackknife():
    errors = np.random.default_rng(3).normal(size=(12, 3)) + np.random.default_rng(4).normal(size=(12, 1))
    left = [np.log(independent_judges(np.delete(errors, i, axis=0), 0.95).value) for i in range(12)]
    found = independent_judges(errors, 0.95)
    low, high = jackknifed(np.log(found.value), np.array(left), 0.95)
    assert (found.low, found.high) == pytest.approx((np.exp(low), np.exp(high)))


def test_a_correlation_is_pearsons_and_lies_in_its_interval():
    rng = np.random.default_rng(5)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    value, low, high = correlated(x, y, 0.95, 400, rng)
    assert value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert low < value < high
    again = correlated(x, y, 0.95, 400, np.random.default_rng(6))
    assert (low, high) == pytest.approx(again[1:], abs=0.05)
    assert np.isnan(correlated(x, np.ones(60), 0.95, 100, rng)).all()


def test_the_interval_of_a_correlation_is_fishers_in_large_samples_and_turns_with_the_sign():
    """``tanh(artanh r -+ 1.96 / sqrt(n - 3))`` for normal values."""
    x, noise = np.random.default_rng(7).normal(size=(2, 500))
    y = x + noise
    value, low, high = correlated(x, y, 0.95, 2000, np.random.default_rng(8))
    expected = np.tanh(np.arctanh(value) + np.array([-1.96, 1.96]) / np.sqrt(497))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.015)
    turned = correlated(x, -y, 0.95, 2000, np.random.default_rng(8))
    assert turned == pytest.approx((-value, -high, -low))
