"""Prediction-powered means against values worked by hand, the paper's formulas and simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quorate.numerics.prediction_powered import (
    Costs,
    Sample,
    Split,
    Strata,
    deviations,
    errors_apart,
    mean_error,
    neyman,
    people_alone,
    powered,
    powered_mean,
    rates,
    share_error,
    shares,
    worth_from,
)


def alone(y, f, others):
    n, m = len(y), len(others)
    return Sample(
        np.asarray(y, float), np.asarray(f, float), np.asarray(others, float), np.arange(n), np.arange(n, n + m)
    )


def drawn(rng, n, m, noise=0.5):
    truth = rng.normal(size=n + m)
    f = truth + noise * rng.normal(size=n + m) + 0.3
    return alone(truth[:n], f[:n], f[n:])


# ppi-python 0.2.3, numpy 2: ppi_mean_pointestimate(y, f, others, lam) and ppi_mean_ci(..., alpha=0.05, lam=lam), whose
# variances have divisors n and m where ours have n - 1 and m - 1; lam=None tunes on the labels it is used with.
Y = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
F = [0.9, 0.2, 0.6, 0.8, 0.4, 0.7, 0.1, 0.5, 0.9, 0.3, 0.4, 0.8]
OTHERS = [0.1, 0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.6, 0.9, 0.8, 0.3, 0.7, 0.6, 0.5, 0.4, 0.9, 0.8, 0.2, 0.7, 0.6]
PPI_PY = {1.0: (0.69666667, 0.49539315), 0.5: (0.68166667, 0.46377845), 0.0: (0.66666667, 0.39994935)}
TUNED = (0.69560257, 0.49446881)


@pytest.mark.parametrize("tuning", PPI_PY)
def test_the_estimate_and_error_of_ppi_python(tuning):
    found = powered_mean(alone(Y, F, OTHERS), tuning=tuning)
    residual, rest = np.array(Y) - tuning * np.array(F), tuning * np.array(OTHERS)
    theirs = (PPI_PY[tuning][0] - PPI_PY[tuning][1]) / 1.959963985
    assert found.value == pytest.approx(PPI_PY[tuning][0], abs=1e-8)
    assert np.sqrt(residual.var() / 12 + rest.var() / 20) == pytest.approx(theirs, abs=1e-8)
    assert found.se == pytest.approx(np.sqrt(residual.var(ddof=1) / 12 + rest.var(ddof=1) / 20), abs=1e-12)


def test_tuning_across_labels_is_near_tuning_on_them():
    found = powered_mean(alone(Y, F, OTHERS))
    assert found.value == pytest.approx(TUNED[0], abs=0.02)
    assert 1.959963985 * found.se == pytest.approx(TUNED[0] - TUNED[1], rel=0.12)


def test_without_weight_it_is_the_mean_of_the_labels():
    found = powered_mean(drawn(np.random.default_rng(1), 25, 300), tuning=0.0)
    assert (found.value, found.se, found.df) == pytest.approx((found.labels_value, found.labels_se, found.labels_df))
    assert found.df == pytest.approx(24)


def test_the_weight_is_the_slope_left_by_the_others():
    sample = drawn(np.random.default_rng(2), 12, 60)
    weights = []
    for i in range(12):
        y, f = np.delete(sample.y, i), np.delete(sample.predicted, i)
        weights.append(np.clip(np.cov(y, f)[0, 1] / np.var(f, ddof=1) / (1 + 12 / 60), 0, 1))
    found = powered_mean(sample)
    assert found.tuning == pytest.approx(np.mean(weights))
    value = np.mean(sample.y - np.array(weights) * (sample.predicted - sample.others.mean()))
    assert found.value == pytest.approx(value)


@pytest.mark.slow
def test_it_is_unbiased_and_its_error_is_right_with_few_labels():
    """Skewed labels, a compressed and shifted prediction, 15 labels: mean and spread over 2,000 studies."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(2000):
        y = rng.exponential(size=115)
        f = 0.5 * y + rng.normal(0.2, 0.3, size=115)
        found.append(powered_mean(alone(y[:15], f[:15], f[15:])))
    values, errors = np.array([(one.value, one.se) for one in found]).T
    assert values.mean() == pytest.approx(1.0, abs=4 * values.std() / np.sqrt(2000))
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(values.std(), rel=0.06)


def test_over_a_finite_set_the_error_vanishes_as_labels_become_complete():
    rng = np.random.default_rng(4)
    y = rng.normal(size=200)
    f = y + rng.normal(size=200)
    sample = alone(y[:198], f[:198], f[198:])
    found = powered_mean(sample, finite=True)
    assert found.labels_se == pytest.approx(np.sqrt(2 / 200 * y[:198].var(ddof=1) / 198))
    assert found.se < powered_mean(sample).se / 5
    assert abs(found.value - y.mean()) < 4 * found.se


def test_repeated_units_in_one_cluster_count_once():
    """Every unit four times, as a cluster: the error of one copy, but for the weight, which is the same."""
    sample = drawn(np.random.default_rng(5), 30, 100)
    copies = Sample(*(np.repeat(part, 4) for part in (sample.y, sample.predicted, sample.others)),
                    np.repeat(sample.cluster, 4), np.repeat(sample.others_cluster, 4))  # fmt: skip
    one, four = (powered_mean(each, tuning=0.5) for each in (sample, copies))
    assert four.value == pytest.approx(one.value)
    assert four.se == pytest.approx(one.se, rel=0.02)
    assert powered_mean(copies).tuning == pytest.approx(powered_mean(sample).tuning, abs=1e-9)


def test_one_cluster_has_no_error():
    sample = drawn(np.random.default_rng(5), 5, 10)
    together = Sample(sample.y, sample.predicted, sample.others, np.zeros(5, int), sample.others_cluster)
    assert np.isnan(powered_mean(together, tuning=1.0).se)


def test_the_error_has_each_unit_with_its_own_weight():
    sample = drawn(np.random.default_rng(6), 6, 40)
    weights = np.array(
        [
            np.clip(np.cov(y, f)[0, 1] / np.var(f, ddof=1) / (1 + 6 / 40), 0, 1)
            for y, f in ((np.delete(sample.y, i), np.delete(sample.predicted, i)) for i in range(6))
        ]
    )
    found, centre = powered_mean(sample), sample.others.mean()
    residual = sample.y - weights * (sample.predicted - centre)
    exact = residual.var(ddof=1) / 6 + weights.mean() ** 2 * sample.others.var(ddof=1) / 40
    assert found.se == pytest.approx(np.sqrt(exact))
    whole = sample.y - (1 + 6 / 40) * weights * (sample.predicted - centre)
    assert powered_mean(sample, finite=True).se == pytest.approx(np.sqrt(40 / 46 * whole.var(ddof=1) / 6))


def test_clusters_add_labelled_and_other_units_before_squaring():
    """Three clusters, each with two labelled and two other units, at a weight of 1."""
    y, f = np.array([1.0, 0, 1, 1, 0, 0]), np.array([1.0, 0, 0, 1, 1, 0])
    others, code = np.array([1.0, 1, 0, 1, 0, 0]), np.repeat(np.arange(3), 2)
    found = powered_mean(Sample(y, f, others, code, code), tuning=1.0)
    own, rest = (v - v.mean() for v in (y - f, others))
    sums = np.bincount(code, own / 6) + np.bincount(code, rest / 6)
    assert found.se == pytest.approx(np.sqrt(np.sum(sums**2) * 3 / 2))
    assert found.df == 2
    assert mean_error(y - f, code) == pytest.approx(np.sqrt(np.sum(np.bincount(code, own / 6) ** 2) * 3 / 2))
    assert np.isnan(mean_error(y, np.zeros(6, int)))
    other = np.array([0, 1, 0, 1, 1, 0])
    each = [np.sum(np.bincount(cell, own / 6) ** 2) * k / (k - 1) for cell, k in ((code, 3), (other, 2))]
    cell = np.unique(2 * code + other, return_inverse=True)[1]
    both = np.sum(np.bincount(cell, own / 6) ** 2) * 6 / 5
    assert mean_error(y - f, code, other) == pytest.approx(np.sqrt(max(sum(each) - both, *each)))


def test_a_prediction_that_goes_the_wrong_way_has_no_weight():
    sample = drawn(np.random.default_rng(7), 20, 50)
    assert powered_mean(alone(sample.y, -sample.y, -sample.others)).tuning == 0


@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(2, 200), st.floats(-5, 5), st.floats(0.1, 3))
def test_shifting_and_scaling_labels_and_predictions_together(seed, n, m, shift, scale):
    sample = drawn(np.random.default_rng(seed), n, m)
    moved = alone(*(scale * part + shift for part in (sample.y, sample.predicted, sample.others)))
    one, two = powered_mean(sample), powered_mean(moved)
    assert two.tuning == pytest.approx(one.tuning, abs=1e-6)
    assert two.value == pytest.approx(scale * one.value + shift, abs=1e-6)
    assert two.se == pytest.approx(scale * one.se, abs=1e-6)


def test_predictions_that_do_not_vary_are_of_no_use():
    found = powered_mean(alone([1, 0, 1, 1], [1, 1, 1, 1], [1, 0, 1]))
    assert found.tuning == 0
    assert found.value == 0.75


# Stratified prediction-powered means.


def strata_drawn(seed=1, labels=(30, 10), others=(60, 300)):
    rng = np.random.default_rng(seed)
    own, rest = (np.repeat(np.arange(len(count)), count) for count in (labels, others))
    y = rng.normal(own * 2.0, 1 + own)
    f = np.concatenate([y + 0.5 * rng.normal(size=len(y)), rng.normal(rest * 2.0, 1 + rest)])
    code, n = np.arange(len(own) + len(rest)), len(own)
    return Sample(y, f[:n], f[n:], code[:n], code[n:], strata=(own, rest))


def test_one_stratum_is_none():
    sample = strata_drawn(labels=(40,), others=(200,))
    plain = replace(sample, strata=None)
    for finite in (False, True):
        one, other = powered_mean(sample, finite=finite), powered_mean(plain, finite=finite)
        assert (one.value, one.se, one.df, one.labels_se, one.tuning) == pytest.approx(
            (other.value, other.se, other.df, other.labels_se, other.tuning)
        )
    half = replace(sample, y=(sample.y > 0.3) * 1.0)
    one, other = share_error(half), share_error(replace(half, strata=None))
    assert (one.trials, one.labels_trials) == pytest.approx((other.trials, other.labels_trials), rel=0.06)


def test_labels_alone_have_the_mean_and_error_of_the_textbook():
    """Cochran (1977), (5.1) and (5.12): sums over strata of W mean and W^2 s^2 / n."""
    sample = strata_drawn()
    found = powered_mean(sample, tuning=0.0)
    weight, parts = np.array([90, 310]) / 400, [sample.y[:30], sample.y[30:]]
    assert shares(sample) == pytest.approx(weight)
    assert found.value == found.labels_value == pytest.approx(weight @ [part.mean() for part in parts])
    assert found.labels_se**2 == pytest.approx(weight**2 @ [part.var(ddof=1) / len(part) for part in parts])
    assert rates(sample) @ sample.y == pytest.approx(found.value)
    finite = powered_mean(sample, tuning=0.0, finite=True)
    left = weight**2 * (1 - np.array([30 / 90, 10 / 310]))
    assert finite.se**2 == pytest.approx(left @ [part.var(ddof=1) / len(part) for part in parts])


def test_it_is_the_weighted_sum_of_the_means_of_strata():
    sample = strata_drawn()
    parts = []
    for h in (0, 1):
        at, rest = (codes == h for codes in sample.strata)
        parts.append(
            powered_mean(
                Sample(
                    sample.y[at],
                    sample.predicted[at],
                    sample.others[rest],
                    sample.cluster[at],
                    sample.others_cluster[rest],
                )
            )
        )
    found, weight = powered_mean(sample), shares(sample)
    assert found.value == pytest.approx(weight @ [part.value for part in parts])
    assert found.se**2 == pytest.approx(weight**2 @ [part.se**2 for part in parts])
    assert found.tuning == pytest.approx(weight @ [part.tuning for part in parts])


def test_a_stratum_that_is_all_labelled_has_the_mean_of_its_labels():
    sample = strata_drawn(others=(0, 300))
    assert powered_mean(sample).value == pytest.approx(
        shares(sample)[0] * sample.y[:30].mean() + shares(sample)[1] * _second(sample)
    )


def _second(sample):
    at = sample.strata[0] == 1
    part = Sample(sample.y[at], sample.predicted[at], sample.others, sample.cluster[at], sample.others_cluster)
    return powered_mean(part).value


def test_clusters_count_across_strata():
    """Two facets at once are at least the larger of one; every unit twice in one cluster is one unit."""
    sample = strata_drawn()
    code = np.arange(len(sample.cluster) + len(sample.others_cluster)) % 12
    other = np.arange(len(code)) // 3
    n = len(sample.y)
    one, two = (replace(sample, cluster=each[:n], others_cluster=each[n:]) for each in (code, other))
    both = replace(one, also=((other[:n], other[n:]),))
    assert powered_mean(both).se >= max(powered_mean(each).se for each in (one, two)) * (1 - 1e-9)
    assert powered_mean(one).df == 11


def test_errors_that_go_with_it():
    sample = strata_drawn()
    gap = sample.predicted - sample.y
    weight = shares(sample)
    parts = [each.var(ddof=0) / len(each) for each in (gap[:30], gap[30:])]
    expected = np.sqrt(weight**2 @ parts * 40 / 39)
    assert mean_error(deviations(sample, gap), np.arange(40)) == pytest.approx(expected)
    moved = replace(sample, predicted=sample.predicted + 5)
    assert errors_apart(sample) < 4 < errors_apart(moved)


# Two-phase sampling: the closed form, bounds, and a search over every split.


ONE = np.array([1.0])


def strata(weight, variance, correlation):
    weight, variance, r = (np.array(each, dtype=float) for each in (weight, variance, correlation))
    return Strata(weight, variance, variance * (1 - r**2), variance * r**2)


@pytest.mark.parametrize(("r", "price"), [(0.6, 0.01), (0.8, 0.05), (0.9, 0.3)])
def test_without_bounds_it_is_the_closed_form(r, price):
    """Cochran (1977), 12.7: variance v (sqrt(c (1 - r^2)) + r sqrt(c'))^2 / budget at the least."""
    found = powered(strata([1], [2.0], [r]), Costs(1.0, price), 500.0, 3 * ONE)
    assert found.labels.sum() / found.units == pytest.approx(np.sqrt((1 - r**2) / r**2 * price), rel=1e-4)
    assert found.variance == pytest.approx(2 * (np.sqrt(1 - r**2) + r * np.sqrt(price)) ** 2 / 500, rel=1e-8)
    assert found.cost(Costs(1.0, price)) == pytest.approx(500)


@pytest.mark.parametrize("costs", [Costs(1.0, 0.02), Costs(1.0, 0.1, 0.05), Costs(0.3, 0.29)])
def test_predictions_pay_from_the_correlation_that_is_said(costs):
    for apart in (-0.01, 0.01):
        population = strata([1], [1.0], [min(worth_from(costs) + apart, 1.0)])
        both, alone = (each(population, costs, 1000.0, 3 * ONE) for each in (powered, people_alone))
        assert (both.variance < alone.variance) == (apart > 0)


@given(st.integers(0, 10_000))
@example(6407)
def test_no_split_of_a_fine_grid_is_better(seed):
    """By category, with bounds: the number of predicted units in 400 steps, labels of two categories in 60 each."""
    rng = np.random.default_rng(seed)
    population = strata(rng.dirichlet([2, 2]), rng.uniform(0.05, 1, 2), rng.uniform(0.1, 0.95, 2))
    costs, budget, most = Costs(1.0, rng.uniform(0.005, 0.2)), 300.0, rng.choice([400.0, np.inf])
    found = powered(population, costs, budget, np.full(2, 5.0), most_units=most)
    units = np.linspace(50, min(most, 280 / costs.prediction), 400)
    left, part = budget - costs.prediction * units, np.linspace(0.01, 0.99, 60)[:, None]
    with np.errstate(divide="ignore"):
        labels = np.minimum(np.stack([left * part, left * (1 - part)]), units * population.weight[:, None, None])
    allowed = (labels >= 5).all(axis=0) & (left > 0)
    if found is None:  # one category is so rare that too many units would be predicted for five of it
        assert not allowed.any()
        return
    square = (population.weight**2 * population.residual)[:, None, None]
    variance = (square / np.where(allowed, labels, 1.0)).sum(axis=0) + population.weight @ population.explained / units
    assert found.variance <= variance[allowed].min() * (1 + 1e-6)
    assert found.cost(costs) <= budget * (1 + 1e-9)


@given(st.integers(0, 10_000))
def test_labels_add_up_and_keep_their_bounds(seed):
    rng = np.random.default_rng(seed)
    least = rng.uniform(0, 20, 5)
    most = least + rng.uniform(0, 60, 5)
    total = rng.uniform(least.sum(), most.sum())
    found = neyman(total, rng.uniform(0, 1, 5) * (rng.random(5) < 0.8), least, most)
    assert found.sum() == pytest.approx(total)
    assert (found >= least - 1e-6).all()
    assert (found <= most + 1e-6).all()


def test_too_little_money_buys_nothing():
    population = strata([0.5, 0.5], [1, 1], [0.8, 0.8])
    assert powered(population, Costs(1.0, 0.1), 9.0, np.full(2, 5.0)) is None
    assert people_alone(population, Costs(1.0, 0.1), 9.0, np.full(2, 5.0)) is None
    assert people_alone(population, Costs(1.0, 0.1), 99.0, np.full(2, 5.0), most_units=8.0) is None


def test_what_people_alone_and_what_judges_too_cost():
    costs, labels = Costs(label=2.0, prediction=0.5, unit=0.25), np.array([10.0, 30.0])
    assert Split(labels, 0.0, 1.0).cost(costs) == 40 * 2.25
    assert Split(labels, 100.0, 1.0).cost(costs) == 40 * 2 + 100 * 0.75
