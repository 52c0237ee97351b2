"""Means over unequal groups of items: intervals no wider than what a mean of their means has."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import of_components

import quorate as q
from quorate.numerics.distributions import t_quantile


def fit(sizes, seed, spread):
    """One score of every item; the groups differ by ``spread``."""
    rng, category = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    score = rng.normal(size=len(category)) + spread * rng.normal(size=len(sizes))[category]
    rows = {"item": np.arange(len(category)), "category": category, "score": score}
    table = q.read(pl.DataFrame(rows), facets={"item": "item"}, nested={"item": "category"}, fixed=(), announce=False)
    return q.decompose(table)


def test_groups_that_show_no_variance_do_not_make_an_interval_endless():
    """50, 5 and 5 items: at most that of the mean of three means, on 2 degrees of freedom; it was 5 times as wide."""
    found = fit((50, 5, 5), 1, 0.0)
    assert found.variance("category") == 0
    mean, noise = of_components(found), found.variance("item")
    of_means = np.sqrt(noise * (1 / 50 + 1 / 5 + 1 / 5)) / 3
    assert mean.df == pytest.approx(2, rel=0.05)
    assert np.sqrt(mean.basis.plain) < mean.se <= of_means * (1 + 1e-6)
    assert mean.at(method="satterthwaite").half_width == pytest.approx(t_quantile(mean.df, 0.975) * mean.se)


def test_groups_that_differ_have_the_degrees_of_freedom_of_their_number():
    mean = of_components(fit((50, 20, 10, 5), 2, 3.0))
    assert mean.df == pytest.approx(3, rel=0.01)
    assert mean.se == pytest.approx(np.sqrt(mean.basis.plain), rel=0.01)


def test_equal_groups_are_as_they_were():
    """The adjustment is none, and degrees of freedom those of the mean square between groups."""
    mean = of_components(fit((10, 10, 10), 1, 0.0))
    assert mean.variance == pytest.approx(mean.basis.plain, rel=1e-9)
    assert mean.df == pytest.approx(2, rel=0.05)
