from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from reference.style import votes
from scipy.special import ndtri

import quorate as q
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import GLENN_DAVID, THURSTONE, summary

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
