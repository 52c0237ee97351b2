"""At the least deviance the gradient is zero, or points out of the bounds; the start does not matter."""

from dataclasses import replace

import numpy as np
import pytest
from numerics.links.small import layout

from quorate.errors import NotConverged
from quorate.numerics.links import search as search_module
from quorate.numerics.links.search import covariance, evaluate, search, settled


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
