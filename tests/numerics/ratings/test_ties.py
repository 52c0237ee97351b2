"""What every model of ties has to hold, whichever it is."""

from __future__ import annotations

from contextlib import nullcontext
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.style import votes
from scipy.special import ndtri

import quorate as q
from quorate.errors import InvalidInput
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import (
    DAVIDSON,
    GLENN_DAVID,
    HALF,
    RAO_KUPPER,
    THURSTONE,
    Ties,
    check_ties,
    moments,
    summary,
    tie_model,
)

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


def test_ties_of_equals_give_the_share_of_ties():
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), DAVIDSON)
    at = fit(design, np.array([[[20.0, 20.0, 10.0]]])[..., None])
    assert np.exp(at.theta[-1, 0]) == pytest.approx(2 * 10 / 40)
    assert at.theta[:2, 0] == pytest.approx([0, 0])


@pytest.mark.parametrize("gap", [1e-9, 1.0, 40.0, 800.0])
def test_moments_without_overflow_or_cancellation(gap):
    at = moments(np.array(gap), np.log(0.5))
    z = np.exp(-gap / 2)
    total = 1 + z * z + 0.5 * z
    assert at.variance == pytest.approx((4 * z**2 + 0.5 * z * (1 + z**2)) / (4 * total**2), rel=1e-12)
    assert at.mean == pytest.approx((1 - z * z) / (2 * total), rel=1e-6)
    assert np.isfinite(at.normaliser)


# tests/reference/thresholds.R with ordinal 2022.11-16: threshold, ratings less that of s4, coefficients, log likelihood
RECORDED = {
    "rao-kupper": (0.5283991426, [1.5221636705, 1.2229549374, 0.6968721072, 0.4414763725], 0.8254353524, 0.2727813030),
    "glenn-david": (0.3183482514, [0.9389387045, 0.7450404771, 0.4294764268, 0.2647506736], 0.5056738137, 0.1705932161),
}
LIKELIHOOD = {"rao-kupper": -816.476578868, "glenn-david": -814.217159787}


@pytest.mark.parametrize("ties", RECORDED)
def test_thresholds_are_those_of_cumulative_links_in_r(ties):
    table = q.read_votes(pl.DataFrame(votes()), covariates=["length", "lists"], announce=False)
    board = q.rank(table, ties=ties, covariates=["length", "lists"])
    threshold, ratings, length, lists = RECORDED[ties]
    last = board.rating[board.systems.index("s4")]
    found = [board.rating[board.systems.index(f"s{i}")] - last for i in range(4)]
    np.testing.assert_allclose(found, ratings, rtol=1e-8)
    assert board.values[-1] == pytest.approx(threshold, rel=1e-8)
    effects = [one.value / unit for one, unit in zip(board.coefficients.values(), board.units, strict=True)]
    assert effects == pytest.approx([length / 100, lists], rel=1e-8)
    assert board.log_likelihood == pytest.approx(LIKELIHOOD[ties], rel=1e-11)


def test_without_ties_it_is_thurstones_model():
    """In R: ``glm(..., family = binomial("probit"))``, the last of `thresholds.R`."""
    table = q.read_votes(pl.DataFrame(votes()).filter(pl.col("winner") != "tie"), announce=False)
    board = q.rank(table, ties="glenn-david")
    found = [board.difference(f"s{i}", "s4").value for i in range(4)]
    np.testing.assert_allclose(found, [-0.37071338506, -0.24594764581, -0.22219546631, -0.05682332455], rtol=1e-7)
    assert board.model is THURSTONE
    assert board.probability("s0", "s4").value == pytest.approx(board.share(found[0]))
    assert board.elo().difference("s0", "s4").value == pytest.approx(200 * 2**0.5 * found[0])
    assert board.unit == "standard deviations of a comparison"


def test_two_systems_have_a_closed_form():
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), GLENN_DAVID)
    theta = fit(design, np.array([[[50.0, 20.0, 30.0]]])[..., None]).theta[:, 0]
    assert theta[0] - theta[1] + np.array([-1, 1]) * theta[2] == pytest.approx(ndtri([0.5, 0.8]))


def test_a_threshold_below_0_has_no_likelihood():
    known = summary(np.array([[[5.0, 2.0, 3.0]]])[..., None])
    assert GLENN_DAVID.cells(known, np.zeros((1, 1, 1)), np.array([-0.1])).value == -np.inf


def test_nothing_of_thurstones_model_moves_with_a_parameter_of_ties():
    known = summary(np.array([[[5.0, 2.0, 0.0]]])[..., None])
    cells = THURSTONE.cells(known, np.full((1, 1, 1), 0.3), np.array([np.nan]))
    assert [float(one[0, 0, 0]) for one in (cells.tie_slope, cells.cross, cells.tie_curvature)] == [0, 0, 0]


def test_equals_who_tie_have_the_threshold_of_rao_and_kupper():
    """A share of ties of ``(theta - 1) / (theta + 1)``: 10 of 50 gives theta 1.5."""
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), RAO_KUPPER)
    at = fit(design, np.array([[[20.0, 20.0, 10.0]]])[..., None])
    assert np.exp(at.theta[-1, 0]) == pytest.approx(1.5)
    assert at.theta[:2, 0] == pytest.approx([0, 0])


def test_a_threshold_of_rao_and_kupper_below_0_has_no_likelihood():
    known = summary(np.array([[[5.0, 2.0, 3.0]]])[..., None])
    assert RAO_KUPPER.cells(known, np.zeros((1, 1, 1)), np.array([-0.1])).value == -np.inf


def test_every_name_has_its_model():
    assert [tie_model(name).name for name in get_args(Ties)] == list(get_args(Ties))
    assert len({tie_model(name).words for name in get_args(Ties)}) == len(get_args(Ties))


@pytest.mark.parametrize("ties", get_args(Ties))
def test_win_rates_know_the_models_without_a_parameter(ties):
    check_ties("bradley-terry", ties)
    with nullcontext() if ties in ("half", "drop") else pytest.raises(InvalidInput, match="half, drop for win rate"):
        check_ties("win rate", ties)


def test_a_tie_is_half_a_win_for_each():
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    one, other = (fit(design, np.array([[votes]])[..., None]).theta for votes in ([8.0, 2.0, 4.0], [10.0, 4.0, 0.0]))
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert one[0, 0] - one[1, 0] == pytest.approx(np.log(10 / 4))
