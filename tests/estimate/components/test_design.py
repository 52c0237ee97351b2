from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.components.published import design


def classes(laid):
    return {frozenset(laid.assembled.names[t] for t in members) for members in laid.identified.classes}


def test_one_judge(judged):
    laid = design(judged({"item": 8, "prompt": 3, "judge": 1}))
    assert classes(laid) == {
        frozenset({"item", "item:judge"}),
        frozenset({"prompt", "prompt:judge"}),
        frozenset({"item:prompt", "cell"}),
    }


def test_the_scores_do_not_matter(simulate):
    frame = simulate({"item": 8, "prompt": 3, "judge": 2}, keep=0.8)
    facets = {name: name for name in ("item", "prompt", "judge")}
    first, second = (design(q.read(one, facets=facets)) for one in (frame, frame.with_columns(pl.col("score") ** 2)))
    np.testing.assert_allclose(first.g, second.g, rtol=1e-9)
    assert first.identified.classes == second.identified.classes


def test_a_residual_that_fixed_effects_absorb_is_refused():
    frame = pl.DataFrame({"item": [1, 2, 3], "prompt": list("abc"), "score": [1.0, 2.0, 4.0]})
    with pytest.raises(NotEstimable, match="as many effects as cells"):
        design(q.read(frame), covariates=["prompt"])
