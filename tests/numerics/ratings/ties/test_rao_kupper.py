from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import RAO_KUPPER, summary


def test_equals_who_tie_have_the_threshold_of_rao_and_kupper():
    """A share of ties of ``(theta - 1) / (theta + 1)``: 10 of 50 gives theta 1.5."""
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), RAO_KUPPER)
    at = fit(design, np.array([[[20.0, 20.0, 10.0]]])[..., None])
    assert np.exp(at.theta[-1, 0]) == pytest.approx(1.5)
    assert at.theta[:2, 0] == pytest.approx([0, 0])


def test_a_threshold_below_0_has_no_likelihood():
    known = summary(np.array([[[5.0, 2.0, 3.0]]])[..., None])
    assert RAO_KUPPER.cells(known, np.zeros((1, 1, 1)), np.array([-0.1])).value == -np.inf
