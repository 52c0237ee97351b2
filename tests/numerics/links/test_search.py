"""At the least deviance the gradient is zero, or points out of the bounds; the start does not matter."""

from dataclasses import replace

import numpy as np
import pytest
from numerics.links.small import layout
from scipy.integrate import quad

from quorate.errors import NotConverged
from quorate.numerics.links import search as search_module
from quorate.numerics.links.modes import Layout, start
from quorate.numerics.links.search import covariance, evaluate, logistic_normal, search, settled


@pytest.mark.parametrize("inside", [True, False])
def test_the_minimum(inside):
    laid = layout(3, cells=False, seed=8)
    found = search(laid, np.ones(3), inside=inside)
    slope, at = found.point.gradient[:3], found.variance
    assert np.all(np.where(at > 0, np.abs(slope) < 1e-2, slope > -1e-6))
    again = search(laid, np.array([0.01, 3.0, 0.2]), inside=inside)
    assert again.point.criterion == pytest.approx(found.point.criterion, abs=1e-5)


def test_a_search_that_goes_too_far_comes_back(monkeypatch):
    """Its second step from here finds no modes, and the third a higher deviance: after shorter ones it is the same."""
    laid, met = layout(3, seed=4), []

    def watched(*asked, **options):
        met.append(np.inf)
        point = evaluate(*asked, **options)
        met[-1] = point.criterion
        return point

    monkeypatch.setattr(search_module, "evaluate", watched)
    found = search(laid, np.array([53.5176, 0.2087, 0.0173, 293.0642]), inside=False)
    assert np.isinf(met[2])
    assert met[1] < met[3] < np.inf
    assert len(met) < 30
    assert found.point.criterion == pytest.approx(search(laid, np.ones(4), inside=False).point.criterion, abs=1e-5)


@pytest.mark.parametrize("by", [0, 3])
def test_fixed_parameters_settle_where_the_deviance_is_flat(by):
    """Also from where the first whole step would double the deviance."""
    laid = layout(3, cells=False, seed=8)
    found = search(laid, np.ones(3), inside=True)
    point = settled(laid, replace(found, fixed=found.fixed + by))
    assert np.abs(point.gradient[3:]).max() < 1e-3
    assert point.criterion == pytest.approx(found.point.criterion, abs=1e-6)


def test_covariance_of_what_is_not_zero():
    laid = layout(3, cells=False, seed=8)
    found = search(laid, np.ones(3), inside=False)
    cov = covariance(laid, found, inside=False)
    assert np.all((np.diag(cov)[:3] > 0) == (found.variance > 0))
    assert np.all(np.linalg.eigvalsh(cov) > -1e-12)


def test_a_search_that_runs_out_is_refused(monkeypatch):
    monkeypatch.setattr(search_module, "_MOST", 1)
    with pytest.raises(NotConverged, match="latent components"):
        search(layout(), np.ones(4), inside=True)


# The exact gradient against differences of the deviance, and the deviance against quadrature.


@pytest.mark.wide(2)
@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("categories", [2, 4])
@pytest.mark.parametrize("inside", [True, False])
def test_the_gradient_is_exact(categories, cells, inside):
    laid = layout(categories, cells=cells)
    variance = np.array([1.0, 0.4, 0.3, 0.2])[: laid.n_terms]
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    point = evaluate(laid, variance, fixed, None, inside=inside)
    place, n = np.append(variance, fixed), laid.n_terms
    for t, slope in enumerate(point.gradient):
        sides = []
        for step in (1e-4, -1e-4):
            there = place.copy()
            there[t] += step
            near = point.modes.effects
            sides.append(evaluate(laid, there[:n], there[n:], near, inside=inside).criterion)
        assert slope == pytest.approx((sides[0] - sides[1]) / 2e-4, abs=2e-5, rel=1e-6)


def test_the_deviance_of_many_answers_is_that_of_quadrature():
    """One effect with many answers is nearly normal, where Laplace's approximation is all but exact."""
    right, n, variance, threshold = 130.0, 200.0, 0.7, -0.4
    laid = Layout(
        np.array([[n - right, right]]),
        np.zeros((1, 0)),
        np.zeros(1, int),
        np.zeros((1, 1), int),
        np.zeros((1, 0), int),
        False,
    )

    def density(u):
        eta = np.sqrt(variance) * u - threshold
        log = right * eta - n * np.logaddexp(0, eta) - u * u / 2 - right * np.log(0.65) - (n - right) * np.log(0.35)
        return np.exp(log) / np.sqrt(2 * np.pi)

    exact = -2 * (np.log(quad(density, -8, 8, points=[0.2])[0]) + right * np.log(0.65) + (n - right) * np.log(0.35))
    assert evaluate(laid, np.array([variance]), np.array([threshold]), None, inside=False).criterion == pytest.approx(
        exact, abs=0.01
    )


# The logistic-normal integral against adaptive quadrature and its own derivatives.


@pytest.mark.parametrize(("at", "variance"), [(0.3, 0.5), (-4.0, 3.0), (2.0, 60.0), (1.0, 400.0), (0.7, 0.0)])
def test_share_and_derivatives(at, variance):
    def exact(at, variance):
        def density(z):
            return np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / (1 + np.exp(-(at + np.sqrt(variance) * z)))

        return quad(density, -12, 12, points=[-at / np.sqrt(max(variance, 0.1))], epsabs=1e-14, limit=500)[0]

    share, slope, bend = logistic_normal(np.array([at]), variance)
    assert share[0] == pytest.approx(exact(at, variance), abs=1e-10)
    assert slope[0] == pytest.approx((exact(at + 1e-4, variance) - exact(at - 1e-4, variance)) / 2e-4, abs=1e-8)
    if variance:
        assert bend[0] == pytest.approx((exact(at, variance + 1e-3) - exact(at, variance - 1e-3)) / 2e-3, abs=1e-7)


# Standard errors of a regression without random effects to speak of are those of maximum likelihood.


def test_fixed_effects_of_equal_groups():
    """Twelve groups of the same counts: no variance between them, and the errors of two independent shares."""
    counts = np.tile([[60.0, 40.0], [30.0, 70.0]], (12, 1))
    x, group = np.tile([0.0, 1.0], 12)[:, None], np.repeat(np.arange(12), 2)
    laid = Layout(counts, x, group, group[:, None], np.zeros((24, 0), dtype=np.int64), cells=False)
    found = search(laid, np.ones(1), inside=False)
    assert found.variance[0] == 0
    assert found.fixed == pytest.approx([np.log(60 / 40), np.log(7 / 3) - np.log(4 / 6)], abs=1e-4)
    cov = covariance(laid, found, inside=False)
    first, second = 1 / 720 + 1 / 480, 1 / 360 + 1 / 840
    assert np.diag(cov)[1:] == pytest.approx([first, first + second], rel=2e-3)
