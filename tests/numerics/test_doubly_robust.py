from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.regression import doubly_robust


def by_hand(features, labels, probability, cluster):
    """Ridge regression without the row's own cluster, one row after the other."""
    known = ~np.isnan(labels)
    middle, spread = features[known].mean(axis=0), features[known].std(axis=0)
    z = np.column_stack([np.ones(len(labels)), (features - middle) / spread])
    weight = 1 / probability / np.mean(1 / probability[known])
    out = []
    for i in range(len(labels)):
        use = known & (cluster != cluster[i])
        gram = (z[use] * weight[use, None]).T @ z[use] + np.diag([1e-9] + [1.0] * features.shape[1])
        guess = z[i] @ np.linalg.solve(gram, z[use].T @ (weight[use] * labels[use]))
        out.append(guess + ((labels[i] - guess) / probability[i] if known[i] else 0))
    return np.array(out)


@pytest.mark.parametrize("groups", [60, 12])
@pytest.mark.parametrize("block", [4_000_000, 40])
def test_labels_of_the_own_cluster_are_left_out(groups, block, monkeypatch):
    monkeypatch.setattr("quorate.numerics.regression._BLOCK", block)
    rng = np.random.default_rng(groups)
    features, chance = rng.normal(size=(60, 2)), rng.uniform(0.2, 0.9, 60)
    labels = np.where(rng.random(60) < chance, features[:, 0] + rng.normal(size=60), np.nan)
    cluster = rng.permutation(np.arange(60) % groups)
    np.testing.assert_allclose(
        doubly_robust(features, labels, chance, cluster), by_hand(features, labels, chance, cluster), rtol=1e-9
    )


@given(st.integers(0, 2**32 - 1), st.floats(-5, 5), st.floats(0.1, 10))
def test_they_follow_a_change_of_scale_of_what_predicts(seed, shift, scale):
    rng = np.random.default_rng(seed)
    features, labels = rng.normal(size=(30, 2)), np.where(np.arange(30) % 2, rng.normal(size=30), np.nan)
    of = [doubly_robust(each, labels, np.full(30, 0.5), np.arange(30)) for each in (features, shift + scale * features)]
    np.testing.assert_allclose(*of, rtol=1e-6, atol=1e-6)


def test_where_all_is_labelled_they_are_the_labels():
    rng = np.random.default_rng(1)
    labels = rng.normal(size=20)
    np.testing.assert_allclose(doubly_robust(rng.normal(size=(20, 1)), labels, np.ones(20), np.arange(20)), labels)
