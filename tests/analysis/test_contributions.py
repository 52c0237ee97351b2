from __future__ import annotations

import numpy as np
import pytest

from quorate.analysis.judgments import contributions


def test_they_add_up_to_the_variance_of_the_mean(analysis):
    found = contributions(analysis.fit, analysis.widest)
    assert sum(one.se**2 for one in found) == pytest.approx(analysis.widest.basis.plain)
    assert sum(one.share for one in found) == pytest.approx(1)


def test_weight_times_variance_is_the_part(shape):
    estimate = shape("balanced").others
    for one in contributions(shape("balanced").fit, estimate):
        if one.fitted.kind == "random":
            assert one.weight * one.fitted.variance == pytest.approx(one.share * estimate.basis.plain)


def test_weights_of_a_balanced_study_are_one_over_levels(shape):
    found = {one.component: one.weight for one in contributions(shape("balanced").fit, shape("balanced").others)}
    assert found["judge"] == pytest.approx(1 / 3)
    assert found["item:judge"] == pytest.approx(1 / 36)
    assert found["replicate"] == pytest.approx(1 / 144)


def test_a_component_at_zero_is_kept_with_its_interval(shape):
    found = contributions(shape("balanced").fit, shape("balanced").others)
    zero = [one for one in found if one.fitted.variance == 0]
    assert zero
    assert all(one.se == 0 and one.low == 0 and one.high > 0 for one in zero)


def test_fixed_judges_are_left_out_for_the_panel(shape):
    names = {one.component for one in contributions(shape("balanced").fit, shape("balanced").setup)}
    assert "judge" not in names


def test_an_index_has_no_interval(shape):
    fit = shape("balanced").fit
    found = {one.component: one for one in contributions(fit, fit.mean_for(judge="sensitivity"))}
    assert np.isnan([found["judge"].low, found["judge"].high]).all()


def test_the_interval_of_three_drawn_judges_is_chi_square_on_two_degrees(shape):
    fit = shape("balanced").fit
    levels = fit.assembled.fixed.levels["judge"] @ fit.beta
    one = next(c for c in contributions(fit, shape("balanced").others) if c.component == "judge")
    upper = 2 * np.var(levels, ddof=1) / 0.0506356159685798  # R: qchisq(.025, 2)
    noise = np.var(levels, ddof=1) - one.se**2 * 3
    assert one.high**2 * 3 == pytest.approx(upper - noise)
