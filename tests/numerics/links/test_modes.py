"""At the modes the slope is zero; the fixed parameters are as asked for."""

import numpy as np
import pytest
from numerics.links.small import layout

from quorate.errors import NotConverged
from quorate.numerics.links import modes as of_modes
from quorate.numerics.links.modes import modes, start

VARIANCE = np.array([1.0, 0.4, 0.3, 0.2])


@pytest.mark.parametrize("free", [True, False])
def test_the_slope_at_the_modes_is_zero(free):
    laid = layout(3)
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    found = modes(laid, VARIANCE, fixed, free=free)
    slope = found.scaled.sums(found.at.score[:, None]) + found.effects * -1.0
    assert slope.dot(slope) < 1e-9
    assert np.allclose(found.border.score, 0, atol=1e-4) is free
    assert np.array_equal(found.fixed, fixed) is not free


def test_a_start_far_away_comes_to_the_same_place():
    laid = layout()
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    near = modes(laid, VARIANCE, fixed, free=False)
    far = modes(laid, VARIANCE, fixed, near.effects * 40.0, free=False)
    assert far.deviance == pytest.approx(near.deviance, abs=1e-6)


def test_modes_that_do_not_settle_are_refused(monkeypatch):
    laid = layout()
    monkeypatch.setattr(of_modes, "_MOST", 1)
    with pytest.raises(NotConverged, match="conditional modes"):
        modes(laid, VARIANCE, np.append(start(laid.counts), [0.0, 0.0]), free=True)


def test_thresholds_without_a_digit_left_are_refused():
    laid = layout()
    with pytest.raises(NotConverged, match="they run away"):
        modes(laid, 1e3 * VARIANCE, np.append(start(laid.counts) + 800.0, [0.0, 0.0]), free=False)
