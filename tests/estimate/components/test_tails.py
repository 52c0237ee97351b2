"""Intervals of components whose effects are not normal."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.means.prediction import level_squares, predict
from quorate.numerics.inference import jackknifed_df


def table(effects, *, keep=1.0):
    """Scores of items by 3 judges, twice, with noise of sd .3."""
    rng = np.random.default_rng(5)
    item, judge, replicate = (at.ravel() for at in np.indices((len(effects), 3, 2)))
    score = effects[item] + rng.normal(0, 0.3, len(item))
    frame = pl.DataFrame({"item": item, "judge": judge, "replicate": replicate, "score": score})
    return q.read(frame.filter(rng.random(len(item)) < keep), announce=False)


LOGNORMAL = np.exp(np.random.default_rng(2).normal(size=50))


@pytest.fixture(scope="module")
def skewed():
    return q.decompose(table(LOGNORMAL))


def item(fit):
    return next(one for one in fit.components if one.name == "item")


def test_long_tails_widen_the_interval_and_it_is_called_robust(skewed):
    normal = item(q.decompose(skewed.judgments, interval="normal"))
    assert (item(skewed).interval, normal.interval) == ("robust", "normal")
    assert item(skewed).variance == normal.variance
    assert item(skewed).low < normal.low
    assert item(skewed).high > 2 * normal.high


def test_short_tails_narrow_it_only_when_asked_for():
    judgments = table(np.linspace(-1, 1, 50))
    assert item(q.decompose(judgments)).interval == "normal"
    assert item(q.decompose(judgments, interval="robust")).high < item(q.decompose(judgments)).high


def test_the_jackknife_is_that_of_refits_without_a_level():
    """Balanced, one facet: the mean square without a level is the variance of the other means."""
    x = np.random.default_rng(3).normal(size=30)
    x -= x.mean()
    logs = np.log([np.var(np.delete(x, at), ddof=1) for at in range(30)])
    ratio = np.sum((logs - logs.mean()) ** 2) * (29 / 30) ** 2 * 29 / 2
    expected = 29 / (ratio * (1 + 3 * np.clip(ratio - 1, 0, 1)))
    assert jackknifed_df(7.0 * x**2, 29.0) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("keep", [1.0, 0.7])
def test_squares_are_those_of_predictions(keep):
    """Henderson's predictions, solved for block by block, over the component."""
    fit = q.decompose(table(LOGNORMAL, keep=keep))
    t = fit.representatives["item"]
    effect = predict(fit, "item").effect / (fit.theta[t] * fit.assembled.scale)
    np.testing.assert_allclose(np.bincount(fit.judgments.level_codes(["item"]), fit.projected), effect, atol=1e-9)
    assert np.ptp(level_squares(fit, t) / effect**2) < (1e-6 if keep == 1 else np.inf)


def test_no_other_law_than_these():
    with pytest.raises(q.InvalidInput, match="interval: one of 'normal', 'robust' is needed, got 'wide'"):
        q.decompose(table(LOGNORMAL), interval="wide")
