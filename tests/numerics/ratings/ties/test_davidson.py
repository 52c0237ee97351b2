from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import DAVIDSON, moments


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
