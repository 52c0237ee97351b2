"""Scores that are all equal: exact one-sided bounds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.estimate.means.missing_bounds import AllEqual, all_equal


def table(score, items=40, judges=2, **options):
    rows = {"item": np.repeat(np.arange(items), judges), "judge": [f"j{j}" for j in range(judges)] * items}
    return q.read(pl.DataFrame({**rows, "score": [score] * (items * judges)}), announce=False, **options)


@pytest.mark.parametrize(
    ("score", "low", "high"),
    [(1, 0.05 ** (1 / 40), 1), (0, 0, 1 - 0.05 ** (1 / 40)), (5, 1 + 4 * 0.05 ** (1 / 40), 5)],
)
def test_bounds_are_those_of_clopper_and_pearson(score, low, high):
    exact = stats.binomtest(40, 40, alternative="greater").proportion_ci(0.95, method="exact")
    found = q.analyze(table(score))
    assert isinstance(found, AllEqual)
    assert found.estimate.ends == pytest.approx((low, high), abs=1e-12)
    assert found.share == pytest.approx(exact.low, rel=1e-9)


def test_more_judges_tell_no_more_of_any_law():
    assert all_equal(table(1, judges=5)).estimate.ends == all_equal(table(1)).estimate.ends


def test_scores_without_ends_say_what_share_scores_so():
    found = all_equal(table(2.37))
    assert np.isnan(found.estimate.ends).all()
    assert found.sentence.endswith("At 95% at least 92.8% of items like these score so.")


def test_the_rule_of_three():
    """To show 99% takes 299 items, about 3 over .01."""
    assert all_equal(table(1)).items_for(0.99) == 299


def test_a_bound_is_missed_as_often_as_said():
    """Of items that pass with a chance of .95: where all 20 do, in 36%, the bound is .861."""
    rng = np.random.default_rng(1)
    passed = rng.random((20_000, 20)) < 0.05 ** (1 / 20) - 1e-9
    assert passed.all(axis=1).mean() == pytest.approx(0.05, abs=0.004)


@pytest.mark.parametrize("scores", [(1e15, 1e15 + 1), (0.0, 1e-12)])
def test_scores_that_differ_in_their_last_digits_are_not_equal(scores):
    frame = pl.DataFrame({"item": range(40), "score": [*scores] * 20})
    judgments = q.read(frame, announce=False)
    assert all_equal(judgments) is None
    assert q.decompose(judgments).mean.se > 0
