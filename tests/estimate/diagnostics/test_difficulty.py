from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.check import Residuals
from quorate.estimate.diagnostics.difficulty import curvature, interaction_by_difficulty, split_facets


def test_variance_grows_with_the_mean():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(4), odd="difficulty", items=90, judges=6)))
    assert split_facets(residuals) == ("prompt", "judge")
    check, thirds = interaction_by_difficulty(residuals, "judge")
    assert [row.third for row in thirds] == ["lowest third", "middle third", "highest third"]
    assert [row.items for row in thirds] == [60, 60, 60]
    assert thirds[0].variance < thirds[1].variance < thirds[2].variance
    assert thirds[0].mean < thirds[1].mean < thirds[2].mean
    assert check.p < 0.001


def test_tukeys_slope():
    """y = a + b + lambda a b without noise but a little: the slope is lambda."""
    rng = np.random.default_rng(5)
    item, judge = (at.ravel() for at in np.indices((40, 4)))
    a, b = np.linspace(-2, 2, 40), np.array([-1.0, -0.2, 0.4, 0.8])
    score = a[item] + b[judge] + 0.3 * a[item] * b[judge] + 0.01 * rng.normal(size=160)
    frame = pl.DataFrame({"item": item, "judge": judge, "score": score})
    found = curvature(Residuals(q.decompose(q.read(frame, announce=False))))
    assert "(Tukey's slope 0.3)" in found.seen
    assert found.p < 1e-6


def test_too_few_items():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(4), items=8)))
    for look in (curvature, lambda left: interaction_by_difficulty(left, "judge")):
        with pytest.raises(NotEstimable, match="fewer than 12 items"):
            look(residuals)
