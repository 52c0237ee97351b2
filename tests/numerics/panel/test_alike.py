from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.panel.subsets import error_correlations


def test_a_covariance_of_errors_is_the_mean_of_all_tetrads():
    x = np.random.default_rng(1).normal(size=(30, 5))
    c, rest = np.cov(x.T, ddof=0), (2, 3, 4)
    tetrads = [c[0, 1] - c[0, d] - c[e, 1] + c[e, d] for e in rest for d in rest if e != d]
    r, t = error_correlations(x)
    assert np.sign(r[0, 1]) == np.sign(np.mean(tetrads)) == np.sign(t[0, 1])
    assert r == pytest.approx(r.T)
    assert r == pytest.approx(error_correlations(3 * x + np.arange(30)[:, None])[0])  # what items add cancels


@pytest.mark.parametrize("noise", [(1, 1, 1, 1, 1), (0.2, 0.3, 1, 3, 3)])
def test_judges_that_are_no_copies_are_seldom_said_to_be(noise):
    rng, said = np.random.default_rng(2), 0
    for _ in range(200):
        x = rng.normal(size=(60, 1)) + rng.normal(size=(60, 5)) * noise
        r, t = error_correlations(x)
        said += bool(((r > 0.5) & (t > 3.09))[np.triu_indices(5, 1)].any())
    assert said <= 4


def test_copies_are_found():
    rng = np.random.default_rng(3)
    own = rng.normal(size=(60, 4))
    r, t = error_correlations(rng.normal(size=(60, 1)) + own[:, [0, 0, 2, 3]] + 0.2 * own)
    assert r[0, 1] > 0.8
    assert t[0, 1] > 3
