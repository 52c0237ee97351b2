"""Plans from fits with a link."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.components.marginal import marginal, scored
from quorate.estimate.means.intervals import wilson_limits
from quorate.planning.search.whatif import as_it_is

DESIGN = {"items": 80, "prompts": 4}


@pytest.fixture(scope="module")
def fit():
    """Thirty items, five prompts, three judges: 0/1 scores from log odds."""
    rng = np.random.default_rng(4)
    odds = 1.2 + rng.normal(size=(30, 1, 1)) + 0.5 * rng.normal(size=(1, 5, 1)) + 0.5 * rng.normal(size=(30, 1, 3))
    odds = odds + np.array([-0.3, 0.0, 0.3])
    odds = np.broadcast_to(odds, (30, 5, 3))
    at = np.indices(odds.shape).reshape(3, -1)
    columns = dict(zip(("item", "prompt", "judge"), at, strict=True))
    columns |= {"score": (rng.random(odds.size) < 1 / (1 + np.exp(-odds.ravel()))).astype(int)}
    return q.decompose(q.read(pl.DataFrame(columns), announce=False), link="logit", method="pirls")


def test_components_of_scores_add_up_to_the_variance_of_a_score(fit):
    """A share p has p (1 - p), whatever it varies with."""
    found, scores = scored(fit), marginal(fit)
    assert sum(found.variances.values()) == pytest.approx(np.mean(scores.means * (1 - scores.means)))
    assert scores.means.mean() == pytest.approx(fit.mean.value, abs=0.02)
    for name, value in found.variances.items():
        assert value == pytest.approx(fit.linear.variances[name], abs=0.03), name


def test_the_interval_is_inside_the_scale(fit):
    plan = q.project(fit, **DESIGN)
    assert plan.variance == pytest.approx(q.project(scored(fit), **DESIGN, targets={"judge": "panel"}).variance)
    one = q.project(fit, items=3, prompts=3)
    assert one.half_width < 0.5
    assert q.project(fit, items=160, prompts=8).half_width < plan.half_width


def test_a_study_of_such_a_design_has_students_interval_within_zero_and_one(fit):
    plan, level = q.project(fit, **DESIGN), 0.975
    half = stats.t.ppf(level, plan.df) * plan.se * np.sqrt(stats.chi2.median(plan.df) / plan.df)
    low, high = wilson_limits(fit.mean.value, half, plan.calls, (0.0, 1.0))
    assert plan.half_width == pytest.approx((high - low) / 2, rel=0.005)


def test_the_best_design_is_searched_and_the_study_is_at_hand(fit):
    best = q.plan(fit, half_width=0.12, limits={"items": [40, 80, 160], "prompts": [4, 6]})
    assert best.plan.half_width <= 0.12
    assert as_it_is(fit).se == fit.mean.se
    assert as_it_is(fit).found_half_width == pytest.approx(fit.mean.half_width)
    with pytest.raises(InvalidInput, match="ranking: pilots are redrawn as scores that are numbers"):
        best.ranking(100)


def test_other_targets_are_refused_by_name(fit):
    with pytest.raises(InvalidInput, match="the mean of a fit with a link has judge=panel, got population"):
        q.project(fit, **DESIGN, targets={"judge": "population"})
    with pytest.raises(InvalidInput, match="has judge=panel, got population"):
        as_it_is(fit, targets={"judge": "population"})
    q.project(fit, **DESIGN, targets={"judge": "panel"})
