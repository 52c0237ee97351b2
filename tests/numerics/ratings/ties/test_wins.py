from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.ties import HALF


def test_a_tie_is_half_a_win_for_each():
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    one, other = (fit(design, np.array([[votes]])[..., None]).theta for votes in ([8.0, 2.0, 4.0], [10.0, 4.0, 0.0]))
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert one[0, 0] - one[1, 0] == pytest.approx(np.log(10 / 4))
