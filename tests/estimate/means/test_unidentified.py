"""Judges with temperatures of their own: temperatures, and how judges take them, are known by their sum alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable


def split(spread, seed=8):
    """20 items; two judges at two temperatures of their own each, two others at one and the same."""
    rng = np.random.default_rng(seed)
    pairs = [("a", "0"), ("a", "1"), ("b", "2"), ("b", "3"), ("c", "4"), ("d", "4")]
    rows = [
        {"item": i, "judge": judge, "temperature": at, "replicate": r, "score": spread * int(at) + rng.normal()}
        for i in range(20)
        for judge, at in pairs
        for r in range(2)
    ]
    names = ("item", "judge", "temperature", "replicate")
    return q.decompose(
        q.read(pl.DataFrame(rows), facets={name: name for name in names}, fixed=["judge"], announce=False)
    )


def test_a_variance_that_is_left_open_says_what_to_collect():
    fit = split(2.0)
    with pytest.raises(NotEstimable, match="needs temperature and judge:temperature apart") as refused:
        fit.mean_for(temperature="population")
    low, high = refused.value.bounds
    assert low < 0.99 * high
    advice = "Collect judgments of every judge at several levels of temperature, or read the table without temperature"
    assert str(refused.value).endswith(advice)


def test_a_sum_that_is_zero_leaves_nothing_open():
    """Its range was "between .7791 and .7791", and the whole analysis was refused."""
    fit = split(0.0, seed=0)
    assert fit.variances["temperature + judge:temperature"] == pytest.approx(0, abs=1e-9)
    assert "larger-weight" in [caveat.code for caveat in fit.mean.caveats]
