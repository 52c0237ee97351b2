"""Components of scores that those of log odds stand for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from quorate.estimate.components.marginal import Marginal

ITEM, BOTH = frozenset({"item"}), frozenset({"item", "judge"})


def share(x):
    return 1 / (1 + np.exp(-x))


def scores(at, item=1.0, both=0.5, low=0.0, steps=(1.0,)):
    levels = {"judge": np.arange(len(at))}
    return Marginal(np.array(at, dtype=float), levels, {ITEM: item, BOTH: both}, low, np.array(steps))


def test_variances_are_those_of_integrals():
    """One judge: the mean of a share and of its square, over normal log odds, by adaptive quadrature."""
    found, sd = scores([[1.2]]), np.sqrt(1.5)
    mean, square = (quad(lambda u, k=k: share(1.2 + sd * u) ** k * norm.pdf(u), -9, 9, epsabs=1e-10)[0] for k in (1, 2))
    assert found.means[0] == pytest.approx(mean, abs=1e-9)
    assert found.shared(BOTH) == pytest.approx(square - mean**2, abs=1e-9)
    assert found.variance == pytest.approx(mean * (1 - mean))


def test_judges_differ_and_agree():
    """Of two judges what an item has is what they share, and of one what it has with itself."""
    rng = np.random.default_rng(1)
    item, both = rng.normal(size=100_000), np.sqrt(0.5) * rng.normal(size=(2, 100_000))
    first, second = share(-1 + item + both[0]), share(2 + item + both[1])
    found = scores([[-1.0], [2.0]])
    assert found.shared(ITEM) == pytest.approx(np.cov(first, second)[0, 1], rel=0.03)
    assert found.shared(BOTH) == pytest.approx((first.var() + second.var()) / 2, rel=0.03)
    assert found.shared(frozenset()) == pytest.approx(0, abs=1e-12)


def test_marks():
    """Three marks, from a logistic law cut at two places."""
    rng = np.random.default_rng(2)
    item = rng.normal(size=100_000)
    seen = [item + np.sqrt(0.5) * rng.normal(size=100_000) + rng.logistic(size=100_000) for _ in range(2)]
    a, b = (1.0 + (one > -1.0) + 2.0 * (one > 0.5) for one in seen)
    found = scores([[1.0, -0.5]], low=1.0, steps=(1.0, 2.0))
    assert found.means[0] == pytest.approx(a.mean(), abs=0.02)
    assert found.variance == pytest.approx(a.var(), rel=0.03)
    assert found.shared(ITEM) == pytest.approx(np.cov(a, b)[0, 1], rel=0.05)


def test_without_effects_nothing_is_shared():
    found = scores([[0.3]], item=0.0, both=0.0)
    assert found.shared(BOTH) == pytest.approx(0, abs=1e-12)
    assert found.variance == pytest.approx(share(0.3) * share(-0.3))
