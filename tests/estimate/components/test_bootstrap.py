from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from examples import of_components
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components import bootstrap as module
from quorate.estimate.means.mean import contrast
from quorate.numerics.mixed.refit import refits
from quorate.numerics.mixed.reml import evaluate
from quorate.streams import stream

SIZES = {"item": 12, "prompt": 4, "judge": 3}
CHI_SQUARE = 0.12
"""Quantiles of 1,000 draws against exact ones, relative."""


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged(SIZES, replicates=2, seed=5))


@pytest.fixture(scope="module")
def draws(fit):
    return fit.bootstrap()


@pytest.fixture(scope="module")
def unbalanced(judged):
    return q.decompose(judged({"item": 14, "prompt": 4, "judge": 3}, keep=0.7, replicates=2, seed=6))


# Draws


@pytest.mark.slow
def test_every_component_and_level_is_drawn_in_score_units(fit, draws):
    assert len(draws) == 1000
    assert set(draws.components) == set(fit.variances)
    assert draws.theta.shape == (1000, len(fit.theta))
    for name, values in draws.components.items():
        assert values.mean() == pytest.approx(fit.variance(name), abs=0.15 * fit.variance(name) + 0.02)
    assert draws.level_means["judge"].shape == (1000, 3)
    means = fit.assembled.fixed.levels["judge"] @ fit.beta
    error = draws.level_means["judge"].std(axis=0) / np.sqrt(1000)
    np.testing.assert_array_less(np.abs(draws.level_means["judge"].mean(axis=0) - means), 4 * error)
    np.testing.assert_allclose(draws.level_squares["judge"], draws.level_means["judge"].var(axis=1, ddof=1))


def test_draws_spread_as_the_standard_errors_say(fit, draws):
    rows = fit.assembled.fixed.levels["judge"]
    wanted = np.sqrt(np.einsum("ij,jk,ik->i", rows, fit.beta_covariance, rows))
    np.testing.assert_allclose(draws.level_means["judge"].std(axis=0), wanted, rtol=0.1)
    for t in fit.identified.representatives:
        assert draws.scored[:, t].std() == pytest.approx(np.sqrt(fit.covariance[t, t]), rel=0.15)


def test_scores_ten_times_as_wide_are_drawn_ten_times_as_wide(simulate):
    frame, facets = simulate({"item": 12, "judge": 3}, keep=0.7, seed=6), {"item": "item", "judge": "judge"}
    one, ten = (
        q.decompose(q.read(frame.with_columns(pl.col("score") * by + by - 1), facets=facets)).bootstrap(100)
        for by in (1, 10)
    )
    assert np.abs(one.shift).max() > 1e-3
    for name, by in {"theta": 100, "scored": 100, "plausible": 100, "shift": 10}.items():
        np.testing.assert_allclose(getattr(ten, name), by * getattr(one, name), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ten.level_means["judge"], 10 * one.level_means["judge"] + 9, rtol=1e-6)
    np.testing.assert_allclose(ten.plausible_spread("judge"), 100 * one.plausible_spread("judge"), rtol=1e-6)


def test_draws_are_the_same_every_time_and_follow_a_seed(fit, draws):
    np.testing.assert_array_equal(fit.bootstrap(100).theta, fit.bootstrap(100).theta)
    seeded = fit.bootstrap(100, rng=1)
    np.testing.assert_array_equal(fit.bootstrap(100, rng=np.random.default_rng(1)).theta, seeded.theta)
    assert not np.array_equal(seeded.theta, draws.theta[:100])


def test_too_few_draws_and_fits_without_a_likelihood_are_refused(fit, judged):
    with pytest.raises(InvalidInput, match="n: must be a whole number of at least 100, got 99"):
        fit.bootstrap(99)
    with pytest.raises(InvalidInput, match="method='reml', got 'anova'"):
        q.decompose(judged(SIZES), method="anova").bootstrap()


def test_draws_that_did_not_converge_are_counted_and_shown(fit, monkeypatch):
    def some_fail(*args, **kwargs):
        found = refits(*args, **kwargs)
        return replace(found, converged=np.arange(len(found.theta)) >= 7)

    monkeypatch.setattr(module, "refits", some_fail)
    failed = fit.bootstrap(100)
    assert failed.unconverged == 7
    assert len(failed) == 100
    assert "7 not converged" in repr(failed)


# Intervals of components and shares


@pytest.mark.slow
def test_the_default_interval_of_a_component_is_that_of_its_mean_square(fit, draws):
    for c in replace(fit, interval="normal").components:
        if c.kind == "random":
            low, high = draws.interval(c.name).ends
            assert low == pytest.approx(c.low, rel=CHI_SQUARE, abs=0.02 * c.variance)
            assert high == pytest.approx(c.high, rel=2 * CHI_SQUARE)


def test_percentiles_are_those_of_the_draws(draws):
    for name, values in draws.components.items():
        assert draws.interval(name, "percentile").at(0.9).ends == pytest.approx(
            tuple(np.quantile(values, [0.05, 0.95]))
        )


def test_a_wider_level_is_a_wider_interval(draws):
    narrow, wide = draws.interval("item").at(0.5), draws.interval("item").at(0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_sensitivity_of_a_fixed_facet_has_an_interval(fit, draws):
    for method in ("pivotal", "percentile"):
        low, high = draws.interval("judge", method=method).ends
        assert draws.interval(" judge", method=method).ends == (low, high)
        assert 0 <= low < fit.variance("judge") < high


def test_plausible_components_four_times_the_true_ones_spread_level_means_twice_as_far(fit):
    draws = fit.bootstrap(100)
    vars(draws)["plausible"] = np.tile(4 * draws._truth, (100, 1))
    means = fit.assembled.fixed.levels["judge"] @ fit.beta
    wanted = 2 * np.std(means) - np.std(means + 2 * (draws.level_means["judge"] - means), axis=1)
    np.testing.assert_allclose(draws.plausible_spread("judge"), np.maximum(wanted, 0) ** 2, atol=1e-12)


def test_shares_are_fractions_around_the_shares_shown(fit, draws):
    for c in fit.components:
        found = draws.share(c.name)
        assert found.value == pytest.approx(c.share)
        assert 0 <= found.low <= c.share <= found.high <= 1
        assert draws.share(c.name, method="percentile").high <= 1


def test_shares_of_the_mean_are_fractions_around_the_shares_shown(fit, draws):
    for targets in ({}, {"judge": "population"}, {"judge": "sensitivity"}, {"judge": q.pool(20)}):
        shares, limits = fit.mean_for(**targets).shares, draws.mean_shares(**targets)
        assert shares.keys() == limits.keys()
        for name, one in limits.items():
            assert 0 <= one.low <= one.high <= 1
            assert one.low <= shares[name] == one.value <= one.high


def test_a_mean_without_variance_has_neither_shares_nor_a_studentised_interval(simulate):
    """Every level judged is all there is, and replicates repeat their cell: nothing is left to vary."""
    frame = simulate({"item": 10, "prompt": 3, "judge": 2}, replicates=2, sd={"replicate": 0.0})
    fit = q.decompose(q.read(frame, facets={name: name for name in (*SIZES, "replicate")}))
    everything = {"item": "finite", "prompt": "panel"}
    with pytest.raises(NotEstimable, match="the variance of the mean is zero for these targets"):
        fit.bootstrap(100).mean_shares(**everything)
    with pytest.raises(NotEstimable, match="the standard error is zero"):
        _ = fit.mean_for(**everything).at(method="bootstrap").ends


def test_unknown_terms_methods_and_levels_are_refused(draws):
    with pytest.raises(UnknownTerm, match='no term "annotator"'):
        draws.interval("annotator")
    with pytest.raises(InvalidInput, match='must be one of pivotal, percentile, got "wald"'):
        draws.share("item", method="wald")
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1, got 1"):
        _ = draws.interval("item").at(1)
    with pytest.raises(InvalidInput, match=r"level: 0\.999 needs at least 4000 draws, got 1000"):
        _ = draws.interval("item").at(0.999).ends


def test_intervals_as_a_frame_in_the_callers_library(fit, draws):
    frame = draws.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["term"].to_list() == [c.name for c in fit.components]
    item = frame.row(by_predicate=pl.col("term") == "item", named=True)
    assert (item["low"], item["high"]) == pytest.approx(draws.interval("item").ends)
    assert (item["share_low"], item["share_high"]) == pytest.approx(draws.share("item").ends)


# Designs


def test_sums_of_aliased_terms_are_drawn_as_one(judged):
    draws = q.decompose(judged({"item": 10, "prompt": 3, "judge": 2})).bootstrap(100)
    assert draws.interval("cell").ends == draws.interval("cell + replicate").ends
    with pytest.raises(NotEstimable, match="cannot be told apart"):
        draws.interval("replicate")


def test_residuals_by_level_are_drawn_by_level_and_averaged(judged):
    fit = q.decompose(judged({"item": 8, "judge": 2}, replicates=2), residual_by="judge")
    draws = fit.bootstrap(100)
    low, high = draws.interval("cell").ends
    assert low < fit.variance("cell") < high
    first, second = (draws.components[f"cell[judge=judge000{k}]"] for k in (0, 1))
    assert draws.interval("cell", "percentile").at(0.9).ends == pytest.approx(
        tuple(np.quantile((first + second) / 2, [0.05, 0.95]))
    )


def test_replicates_that_repeat_their_cell_have_no_interval(simulate):
    frame = simulate({"item": 10, "prompt": 3, "judge": 2}, replicates=2, sd={"replicate": 0.0})
    facets = {name: name for name in ("item", "prompt", "judge", "replicate")}
    draws = q.decompose(q.read(frame, facets=facets)).bootstrap(100)
    assert draws.interval("cell").low > 0
    with pytest.raises(NotEstimable, match="every replicate repeats its cell"):
        draws.interval("replicate")


def test_one_facet_and_its_replicates_are_enough(judged):
    fit = q.decompose(judged({"item": 20}, replicates=3))
    draws = fit.bootstrap(200)
    assert draws.level_squares == {}
    assert draws.interval("item").low < fit.variance("item") < draws.interval("item").high
    low, high = fit.mean.at(method="bootstrap").ends
    assert low < fit.mean.value < high


def test_maximum_likelihood_is_refitted_by_maximum_likelihood(judged):
    """Its estimates are too small on average; so are those of its draws."""
    judgments = judged({"item": 6, "prompt": 3}, replicates=2, seed=3)
    fit = q.decompose(judgments, method="ml")
    drawn, truth = fit.bootstrap(500).components["item"].mean(), fit.variance("item")
    assert drawn < truth * (1 - 0.1)
    assert drawn == pytest.approx(truth * 5 / 6, rel=0.15)


# The mean


def literal(fit, draws, estimate, gradients):
    """Quantile of |error over its standard error|, both as redrawn."""
    error = (draws.beta - fit.beta) @ estimate.basis.weight
    se = np.sqrt(np.sum(draws.theta * gradients, axis=1))
    return np.quantile(np.abs(error / se), 0.95) * np.sqrt(estimate.basis.plain)


def half(estimate):
    return estimate.at(method="bootstrap").half_width


def test_the_interval_of_a_mean_is_the_studentised_bootstrap(fit, draws):
    """The error of a mean from balanced data is drawn, here, and averaged over its law, there."""
    estimate = of_components(fit)
    assert half(estimate) == pytest.approx(literal(fit, draws, estimate, estimate.basis.gradient), rel=0.1)
    assert half(estimate) > estimate.at(method="wald").half_width


def test_means_moved_by_one_standard_error_have_the_interval_of_a_folded_normal(judged):
    fit = q.decompose(judged(SIZES, replicates=2, seed=5))
    draws, basis = fit.bootstrap(100), of_components(fit).basis
    weight, se = basis.weight, np.sqrt(basis.plain)
    drawn = np.tile(fit.theta * fit.assembled.scale**2, (100, 1)), np.tile(se * weight / (weight @ weight), (100, 1))
    vars(fit)["default_bootstrap"] = replace(draws, theta=drawn[0], shift=drawn[1])
    assert half(of_components(fit)) == pytest.approx(stats.foldnorm.ppf(0.95, 1) * se)


@pytest.mark.slow
def test_weights_kept_as_fitted_hardly_change_the_interval(unbalanced):
    """Against weights found anew for every draw: a second-order difference."""
    vars(unbalanced)["default_bootstrap"] = draws = unbalanced.bootstrap(200)
    problem, scale = unbalanced.assembled.problem, unbalanced.assembled.scale
    estimate = of_components(unbalanced)
    gradients = []
    for theta in draws.theta:
        point = evaluate(problem, theta / scale**2)
        again = replace(unbalanced, theta=theta / scale**2, point=point)
        gradients.append(contrast(again, unbalanced.assembled.fixed.mean, estimate.target).basis.gradient)
    wanted = literal(unbalanced, draws, estimate, np.array(gradients))
    assert half(estimate) == pytest.approx(wanted, rel=0.1)
    kept = np.sqrt(draws.theta @ estimate.basis.gradient)
    found = np.sqrt(np.sum(draws.theta * np.array(gradients), axis=1))
    assert np.median(np.abs(kept / found - 1)) < 0.02


def test_facets_limited_to_their_levels_and_drawn_from_pools_have_one_too(fit):
    estimates = [fit.mean_for(**targets) for targets in ({"item": "finite"}, {"judge": "population"})]
    estimates.append(fit.mean_for(judge=q.pool(4)))
    for estimate in estimates:
        assert estimate.at(method="wald").half_width < half(estimate) < 1.2 * estimate.half_width
    assert half(estimates[2]) < half(estimates[1])


def test_an_index_has_no_studentised_interval(fit):
    with pytest.raises(InvalidInput, match="does not apply to a sensitivity"):
        _ = fit.mean_for(judge="sensitivity").at(method="bootstrap").ends


def test_the_interval_of_a_mean_needs_draws_beyond_its_limits(fit):
    with pytest.raises(InvalidInput, match="needs at least 4000 draws"):
        _ = fit.mean.at(0.999, "bootstrap").ends


def test_redrawn_standard_errors_of_zero_are_not_divided_by(judged):
    fit = q.decompose(judged(SIZES, replicates=2))
    vars(fit)["default_bootstrap"] = replace(fit.bootstrap(100), theta=np.zeros((100, len(fit.theta))))
    with pytest.raises(NotEstimable, match="too many redrawn standard errors are zero"):
        _ = fit.mean.at(method="bootstrap").ends


def test_the_default_draws_are_made_once(fit, monkeypatch):
    assert fit.default_bootstrap is fit.default_bootstrap
    np.testing.assert_array_equal(
        fit.default_bootstrap.theta, module.bootstrap(fit, 1000, stream(0, "bootstrap")).theta
    )
    monkeypatch.setattr(module, "bootstrap", None)  # would fail if it were called again
    assert fit.mean.at(0.9, "bootstrap").ends[0] < fit.mean.value
