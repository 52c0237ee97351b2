"""Stratified prediction-powered means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quorate.numerics.prediction_powered import (
    Sample,
    deviations,
    errors_apart,
    mean_error,
    powered_mean,
    rates,
    share_error,
    shares,
    stratified_mean,
    stratified_share_error,
)


def drawn(seed=1, labels=(30, 10), others=(60, 300)):
    rng = np.random.default_rng(seed)
    own, rest = (np.repeat(np.arange(len(count)), count) for count in (labels, others))
    y = rng.normal(own * 2.0, 1 + own)
    f = np.concatenate([y + 0.5 * rng.normal(size=len(y)), rng.normal(rest * 2.0, 1 + rest)])
    code, n = np.arange(len(own) + len(rest)), len(own)
    return Sample(y, f[:n], f[n:], code[:n], code[n:], strata=(own, rest))


def test_one_stratum_is_none():
    sample = drawn(labels=(40,), others=(200,))
    plain = replace(sample, strata=None)
    for finite in (False, True):
        one, other = stratified_mean(sample, finite=finite), powered_mean(plain, finite=finite)
        assert (one.value, one.se, one.df, one.labels_se, one.tuning) == pytest.approx(
            (other.value, other.se, other.df, other.labels_se, other.tuning)
        )
    half = replace(sample, y=(sample.y > 0.3) * 1.0)
    one, other = stratified_share_error(half), share_error(replace(half, strata=None))
    assert (one.trials, one.labels_trials) == pytest.approx((other.trials, other.labels_trials), rel=0.06)


def test_labels_alone_have_the_mean_and_error_of_the_textbook():
    """Cochran (1977), (5.1) and (5.12): sums over strata of W mean and W^2 s^2 / n."""
    sample = drawn()
    found = stratified_mean(sample, tuning=0.0)
    weight, parts = np.array([90, 310]) / 400, [sample.y[:30], sample.y[30:]]
    assert shares(sample) == pytest.approx(weight)
    assert found.value == found.labels_value == pytest.approx(weight @ [part.mean() for part in parts])
    assert found.labels_se**2 == pytest.approx(weight**2 @ [part.var(ddof=1) / len(part) for part in parts])
    assert rates(sample) @ sample.y == pytest.approx(found.value)
    finite = stratified_mean(sample, tuning=0.0, finite=True)
    left = weight**2 * (1 - np.array([30 / 90, 10 / 310]))
    assert finite.se**2 == pytest.approx(left @ [part.var(ddof=1) / len(part) for part in parts])


def test_it_is_the_weighted_sum_of_the_means_of_strata():
    sample = drawn()
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
    found, weight = stratified_mean(sample), shares(sample)
    assert found.value == pytest.approx(weight @ [part.value for part in parts])
    assert found.se**2 == pytest.approx(weight**2 @ [part.se**2 for part in parts])
    assert found.tuning == pytest.approx(weight @ [part.tuning for part in parts])


def test_a_stratum_that_is_all_labelled_has_the_mean_of_its_labels():
    sample = drawn(others=(0, 300))
    assert stratified_mean(sample).value == pytest.approx(
        shares(sample)[0] * sample.y[:30].mean() + shares(sample)[1] * _second(sample)
    )


def _second(sample):
    at = sample.strata[0] == 1
    part = Sample(sample.y[at], sample.predicted[at], sample.others, sample.cluster[at], sample.others_cluster)
    return powered_mean(part).value


def test_clusters_count_across_strata():
    """Two facets at once are at least the larger of one; every unit twice in one cluster is one unit."""
    sample = drawn()
    code = np.arange(len(sample.cluster) + len(sample.others_cluster)) % 12
    other = np.arange(len(code)) // 3
    n = len(sample.y)
    one, two = (replace(sample, cluster=each[:n], others_cluster=each[n:]) for each in (code, other))
    both = replace(one, also=((other[:n], other[n:]),))
    assert stratified_mean(both).se >= max(stratified_mean(each).se for each in (one, two)) * (1 - 1e-9)
    assert stratified_mean(one).df == 11


def test_errors_that_go_with_it():
    sample = drawn()
    gap = sample.predicted - sample.y
    weight = shares(sample)
    parts = [each.var(ddof=0) / len(each) for each in (gap[:30], gap[30:])]
    expected = np.sqrt(weight**2 @ parts * 40 / 39)
    assert mean_error(deviations(sample, gap), np.arange(40)) == pytest.approx(expected)
    moved = replace(sample, predicted=sample.predicted + 5)
    assert errors_apart(sample) < 4 < errors_apart(moved)
