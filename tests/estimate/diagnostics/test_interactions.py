from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.diagnose import likelihood_ratio, three_way


def crossed(interaction: float, seed: int = 1) -> q.Judgments:
    """Scores by item, prompt, judge and temperature, with an interaction of the first three."""
    rng = np.random.default_rng(seed)
    item, prompt, judge, temperature = (at.ravel() for at in np.indices((15, 3, 3, 2)))
    score = rng.normal(size=15)[item] + 0.4 * rng.normal(size=(15, 3))[item, judge] + 0.5 * rng.normal(size=len(item))
    score += interaction * rng.normal(size=(15, 3, 3))[item, prompt, judge]
    columns = {"item": item, "prompt": prompt, "judge": judge, "temperature": temperature, "score": score}
    return q.read(pl.DataFrame(columns), announce=False)


def test_terms():
    assert [*three_way(q.decompose(scores(np.random.default_rng(1), items=6)))] == ["cell"]
    assert [*three_way(q.decompose(crossed(0.0)))] == [
        "item:prompt:judge",
        "item:prompt:temperature",
        "item:judge:temperature",
        "prompt:judge:temperature",
    ]


def test_p_value_is_that_of_the_f_test_of_balanced_data():
    """The likelihood ratio rises with the F of the cells over the replicates, whose law is known exactly."""
    judgments = scores(np.random.default_rng(9), items=20, judges=3, replicates=2, cell=0.2)
    values = judgments.mean.reshape(20, 3, 3)
    inner = judgments.ss.sum() / len(judgments.ss)
    for axis in range(3):
        values = values - values.mean(axis=axis, keepdims=True)
    f = 2 * np.sum(values**2) / (19 * 2 * 2) / inner
    from scipy.special import fdtrc

    expected = float(fdtrc(19 * 4, 180, f))
    found = likelihood_ratio(q.decompose(judgments), "cell", 199, np.random.default_rng(1))
    assert 0.005 < expected < 0.3
    assert found.p == pytest.approx(expected, abs=3 * max(found.p_error, 0.01))


def test_a_term_that_is_there_and_one_that_is_not():
    fit = q.decompose(crossed(0.6))
    there = likelihood_ratio(fit, "item:prompt:judge", 99, np.random.default_rng(1))
    assert there.p == 0.01
    assert "random" in there.remedy
    assert there.verdict == "stands out" or not there.in_model
    none = likelihood_ratio(fit, "item:prompt:temperature", 99, np.random.default_rng(1))
    assert none.p > 0.05


def test_what_the_design_cannot_tell():
    fit = q.decompose(scores(np.random.default_rng(1), items=6))
    with pytest.raises(NotEstimable, match="no cell was judged twice"):
        likelihood_ratio(fit, "cell", 99, np.random.default_rng(1))
