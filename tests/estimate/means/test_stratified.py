"""Means in which categories count for shares that are given."""

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.means.stratified import strata, stratified_mean

rng = np.random.default_rng(4)
GROUP = np.repeat([1, 2, 7], [12, 8, 5])
SCORE = rng.normal(size=25) + GROUP
FRAME = {"item": np.arange(25), "category": GROUP, "score": SCORE}
SHARES = {"1": 0.2, "2": 0.5, "7": 0.3}


def test_the_mean_is_the_textbook_one_though_categories_are_numbers():
    """Cochran (1977), 5.3, with one variance within strata."""
    table = strata(q.read(pl.DataFrame(FRAME), facets={"item": "item", "category": "category"}, announce=False))
    fit = q.decompose(table, covariates=["category"])
    found = stratified_mean(fit, SHARES, {})
    means = [SCORE[one == GROUP].mean() for one in (1, 2, 7)]
    within = sum(((SCORE[one == GROUP] - mean) ** 2).sum() for one, mean in zip((1, 2, 7), means, strict=True)) / 22
    weights = np.array([0.2, 0.5, 0.3])
    assert found.value == pytest.approx(weights @ means)
    assert found.se == pytest.approx(np.sqrt(within * (weights**2 / [12, 8, 5]).sum()), rel=1e-5)
    assert found.df == pytest.approx(22, rel=1e-4)
    with pytest.raises(NotEstimable, match='category "9" has no scores yet'):
        stratified_mean(fit, {"1": 0.5, "9": 0.5}, {})
