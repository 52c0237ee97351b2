from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import quorate as q


def test_one_drawn_facet_has_its_levels_less_one():
    assert q.project(q.components({"item": 1.0}), items=20).df == pytest.approx(19)


def test_judges_that_stand_for_themselves_take_up_items_in_turn():
    source = q.components({"item": 1.0, "item:judge": 0.5}, sensitivity={"judge": 0.1})
    plan = q.project(source, items=20, judges=4, layout="cyclic", targets={"judge": "panel"})
    assert plan.df == pytest.approx(20 - 4)


def test_judges_that_are_drawn_and_take_turns_tell_all_by_themselves():
    plan = q.project(q.components({"item": 1.0, "judge": 0.1}), items=20, judges=4, layout="cyclic")
    assert plan.df == pytest.approx(3)


def test_two_crossed_facets_by_hand():
    """Satterthwaite of ``(MS_i + MS_p - MS_ip) / N``: mean squares 0.75, 0.55 and 0.25 in units of N."""
    plan = q.project(q.components({"item": 5.0, "prompt": 0.9, "item:prompt": 7.5}), items=10, prompts=3)
    i, p, ip = 5 / 10 + 7.5 / 30, 0.9 / 3 + 7.5 / 30, 7.5 / 30
    assert plan.se**2 == pytest.approx(i + p - ip)
    assert plan.df == pytest.approx((i + p - ip) ** 2 / (i**2 / 9 + p**2 / 2 + ip**2 / 18))


def test_those_of_a_balanced_fit_are_those_of_its_mean(simulate):
    """Replicate, item and prompt balanced: the mean's own degrees of freedom are by the same mean squares."""
    fit = q.decompose(q.read(simulate({"item": 30, "prompt": 6}, seed=3), facets={"item": "item", "prompt": "prompt"}))
    assert q.project(fit).df == pytest.approx(fit.mean.df, rel=0.02)


@given(st.integers(3, 300), st.floats(0.5, 0.999))
def test_half_an_interval_is_the_median_of_many(items, level):
    """One mean square: the middle study has its median, and Student's quantile on all its degrees of freedom."""
    plan = q.project(q.components({"item": 1.0}), items=items)
    middle = stats.t.ppf((1 + level) / 2, items - 1) * np.sqrt(stats.chi2.median(items - 1) / (items - 1))
    assert plan.half_width(level) == pytest.approx(middle * plan.se, rel=1e-6)


@pytest.mark.parametrize(("prompts", "variance"), [(2, 0.02), (2, 0.6), (3, 0.0), (3, 0.15), (6, 0.02)])
def test_the_middle_study_is_the_median_of_simulated_ones(prompts, variance):
    """Balanced mean squares drawn 20,000 times, prompts taken at three standard errors at least; by hand."""
    items, rng = 40, np.random.default_rng(5)
    plan = q.project(q.components({"item": 1.0, "prompt": variance, "item:prompt": 0.7}), items=items, prompts=prompts)
    df = np.array([items - 1, prompts - 1, (items - 1) * (prompts - 1)])
    truth = np.array([prompts + 0.7, items * variance + 0.7, 0.7])
    mean = truth * rng.chisquare(df, (20_000, 3)) / df
    mean[:, 1] = np.maximum(mean[:, 1], mean[:, 2] * (1 + 3 * np.sqrt(2 / (df[1] + 2))))
    square = mean @ [1, 1, -1]
    free = np.maximum(square**2 / (mean**2 / df).sum(axis=1), 1)
    half = np.median(stats.t.ppf(0.975, free) * np.sqrt(square / items / prompts))
    assert plan.half_width() == pytest.approx(half, rel=0.06)
