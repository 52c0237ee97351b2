"""What every model of ties has to hold, whichever it is."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.ratings.ties import Ties, summary, tie_model

MODELS = [tie_model(name) for name in get_args(Ties)]
modelled = pytest.mark.parametrize("model", [one for one in MODELS if one.modelled], ids=lambda one: one.name)
STEP = 1e-5
COUNTS = np.array([[[5.0, 2.0, 3.0]]])[..., None]


def at(model, gap, log_nu):
    return np.array([[[gap]]]), model.parameter(np.exp(np.array([log_nu])))


def single(outcome):
    return summary(np.eye(3)[outcome][None, None, :, None])


@modelled
@given(st.floats(-5, 5), st.floats(-3, 3))
def test_chances_add_up_to_1_and_swap_with_the_systems(model, gap, log_nu):
    here, parameter = at(model, gap, log_nu)
    chance, back = (np.exp(model.log_chances(x, parameter))[:, 0, 0, 0] for x in (here, -here))
    assert chance.sum() == pytest.approx(1)
    np.testing.assert_allclose(back, chance[[1, 0, 2]])
    even = model.log_chances(0 * here, parameter)[:, 0, 0, 0]
    assert even[2] - even[0] == pytest.approx(log_nu)
    assert model.log_nu(parameter)[0] == pytest.approx(log_nu)


@modelled
@given(st.floats(-5, 5), st.floats(-3, 3))
def test_the_likelihood_is_that_of_the_chances(model, gap, log_nu):
    here, parameter = at(model, gap, log_nu)
    for outcome, chance in enumerate(model.log_chances(here, parameter)):
        assert model.cells(single(outcome), here, parameter).value == pytest.approx(chance, rel=1e-9, abs=1e-12)


@modelled
@given(st.floats(-5, 5), st.floats(-3, 3))
def test_derivatives_are_those_of_the_likelihood(model, gap, log_nu):
    here, parameter = at(model, gap, log_nu)
    step = min(STEP, float(parameter[0]) / 100) if model.name == "rao-kupper" else STEP
    known = summary(COUNTS)
    exact = model.cells(known, here, parameter)
    sides = [model.cells(known, here + s * step, parameter) for s in (1, -1)]
    ties = [model.cells(known, here, parameter + s * step) for s in (1, -1)]
    close = {"rel": 2e-4, "abs": 2e-4}
    assert exact.slope == pytest.approx((sides[0].value - sides[1].value) / (2 * step), **close)
    assert exact.tie_slope == pytest.approx((ties[0].value - ties[1].value) / (2 * step), **close)
    assert exact.curvature == pytest.approx((sides[1].slope - sides[0].slope) / (2 * step), **close)
    assert exact.cross == pytest.approx((ties[1].slope - ties[0].slope) / (2 * step), **close)
    assert exact.tie_curvature == pytest.approx((ties[1].tie_slope - ties[0].tie_slope) / (2 * step), **close)
    slope, tie = model.scores(here, parameter)
    assert slope @ COUNTS[0, 0, :, 0] == pytest.approx(exact.slope)
    assert tie @ COUNTS[0, 0, :, 0] == pytest.approx(exact.tie_slope, abs=1e-9)
    assert model.log_nu(parameter)[1] == pytest.approx(
        (model.log_nu(parameter + step)[0] - model.log_nu(parameter - step)[0]) / (2 * step), **close
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
@given(st.floats(-5, 5), st.floats(-3, 3))
def test_the_likelihood_is_concave(model, gap, log_nu):
    here, parameter = at(model, gap, log_nu)
    for outcome in range(3):
        cells = model.cells(single(outcome), here, parameter)
        a, b, c = (float(x.ravel()[0]) for x in (cells.curvature, cells.cross, cells.tie_curvature))
        assert min(np.linalg.eigvalsh([[a, b], [b, c]])) > -1e-9


@pytest.mark.parametrize("gap", [1e-9, 1.0, 40.0, 800.0])
@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_far_gaps_neither_overflow_nor_cancel(model, gap):
    here, parameter = at(model, gap, np.log(0.5))
    cells = model.cells(summary(COUNTS), here, parameter)
    assert all(np.isfinite(x).all() for x in cells)
    assert gap > 700 or cells.curvature > 0
    assert model.cells(summary(COUNTS), -here, parameter).curvature == pytest.approx(
        model.cells(summary(COUNTS[:, :, [1, 0, 2]]), here, parameter).curvature
    )
