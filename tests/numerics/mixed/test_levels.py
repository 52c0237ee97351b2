from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.mixed.patterns import Levels

P, LEVELS = 2, 6


def drawn(gamma, *, reml=True, seed=0):
    """``C`` of a random design, ``B`` for these variances, and the levels."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(20, P + LEVELS))
    c = half.T @ half
    scale = np.concatenate([np.ones(P) if reml else np.zeros(P), np.sqrt(gamma)])
    system = scale[:, None] * c * scale + np.diag(np.append(np.full(P, 0.0 if reml else 1.0), np.ones(LEVELS)))
    b = scale[:, None] * np.linalg.inv(system) * scale
    return c, b, Levels(P, gamma, b, c, b, 0.0), rng


VARIANCES = {
    "strong": np.array([0.5, 0.5, 2.0, 2.0, 1.0, 1.0]),
    "none": np.zeros(LEVELS),
    "some": np.array([0.0, 0.0, 0.0, 3.0, 3.0, 3.0]),
    "hardly any": np.array([1e-9, 1e-9, 1e-9, 0.0, 1.0, 1.0]),
}


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("gamma", VARIANCES.values(), ids=VARIANCES)
def test_levels_are_what_their_definitions_say(gamma, reml):
    c, b, levels, rng = drawn(gamma, reml=reml)
    outside = (np.eye(P + LEVELS) - c @ b)[P:]
    r = rng.normal(size=c.shape)
    r = r @ r.T
    np.testing.assert_allclose(levels.outside, outside, atol=1e-11)
    np.testing.assert_allclose(levels.projected, outside @ c[:, P:], atol=1e-10)
    np.testing.assert_allclose(levels.diagonal, np.diag(outside @ c[:, P:]), atol=1e-10)
    br, out = levels.times(r)
    np.testing.assert_allclose(br, b @ r, atol=1e-11)
    np.testing.assert_allclose(out, outside @ r, atol=1e-10)


def test_without_levels():
    levels = Levels(1, np.zeros(0), *[np.ones((1, 1))] * 3, 0.0)
    assert (levels.outside.shape, levels.projected.shape, levels.diagonal.shape) == ((0, 1), (0, 0), (0,))
    assert levels.times(np.ones((1, 1)))[0].tolist() == [[1.0]]
