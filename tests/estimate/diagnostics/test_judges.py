from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from odd_scores import scores

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.check import Residuals
from quorate.estimate.diagnostics.judges import decisive_judge, noise_by_judge, odd_interaction, odd_judge, spreads


def test_distances_from_the_median():
    """Brown and Forsythe (1974): means of |x - median| by group."""
    values, group = np.array([1.0, 2, 6, 1, 1, 4, 5]), np.array([0, 0, 0, 1, 1, 1, 1])
    found = spreads(values, group, np.arange(7))
    assert found.mean == pytest.approx([5 / 3, 1.75])


@pytest.mark.parametrize("fixed", [(), ("judge",)])
def test_the_judge_apart_by_grubbs(fixed):
    """Grubbs (1950): t^2 = n (n - 2) G^2 / ((n - 1)^2 - n G^2) for G the largest deviation over the spread."""
    effects = np.array([0.0, 0.1, 0.2, 0.3, 3.0])
    rng = np.random.default_rng(1)
    item, judge = (at.ravel() for at in np.indices((30, 5)))
    noise = rng.normal(size=(30, 5))
    noise -= noise.mean(axis=0)  # so that the means of the judges are these
    frame = pl.DataFrame(
        {"item": item, "judge": judge, "score": effects[judge] + (noise + rng.normal(size=(30, 1)))[item, judge]}
    )
    found = odd_judge(Residuals(q.decompose(q.read(frame, fixed=fixed, announce=False))))
    g = np.abs(effects - effects.mean()).max() / effects.std(ddof=1)
    t = np.sqrt(5 * 3 * g**2 / (4**2 - 5 * g**2))
    assert found.statistic == pytest.approx(t, rel=1e-6)
    assert found.seen == "4 is furthest, 2.85 above the others"


def test_names_of_the_odd_ones():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(3), odd="interaction", items=150)))
    assert odd_interaction(residuals).seen.startswith("from item to item j2 varies 1.")
    assert odd_interaction(residuals).p < 0.01
    noisy = Residuals(q.decompose(scores(np.random.default_rng(3), odd="noise", items=150)))
    assert noise_by_judge(noisy).seen.startswith("j2 scatters 1.4 times as much as j")
    assert "residual_by" in noise_by_judge(noisy).remedy


def test_the_mean_without_a_judge():
    fit = q.decompose(scores(np.random.default_rng(3), odd="judge", items=20))
    found = decisive_judge(Residuals(fit))
    change = max((part.change for part in q.scores.leave_one_out(fit.judgments)), key=abs)
    assert found.statistic == pytest.approx(change / fit.mean.se)
    assert found.verdict == "described"


def test_too_few_judges():
    residuals = Residuals(q.decompose(scores(np.random.default_rng(3), judges=3, items=10)))
    with pytest.raises(NotEstimable, match="3 judges"):
        odd_judge(residuals)


def test_the_scatter_of_a_crowd_is_not_compared():
    values, group = np.ones(1002), np.repeat(np.arange(501), 2)
    assert len(spreads(values[:1000], group[:1000], np.arange(1000)).mean) == 500
    with pytest.raises(NotEstimable, match="501 judges: the scatter of at most 500 is compared"):
        spreads(values, group, np.arange(1002))
