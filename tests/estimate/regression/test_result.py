from __future__ import annotations

import numpy as np
import pytest

from quorate.estimate.regression.regress import Coefficient, Regression


def test_the_sign_is_compared_with_that_of_the_judge():
    one = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, 0.5, 0.1, np.inf, np.nan, np.nan, np.nan)
    assert one.other_sign == pytest.approx(0.0227501, rel=1e-5)
    turned = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, -0.5, 0.1, np.inf, np.nan, np.nan, np.nan)
    assert turned.other_sign == pytest.approx(1 - 0.0227501, rel=1e-5)
    assert all(np.isnan(one.from_labels.ends))
    constant = Coefficient("length", 0.95, 10, 4, 0.2, 0.1, np.inf, *[np.nan] * 6)
    assert np.isnan(constant.other_sign)
    assert Regression((constant,), 10, 4, "logit", 0.95, (0.4, 0.4), (), (), ()).sentence.endswith("give no solution.")
    found = Regression((one,), 10, 4, None, 0.95, (0.4, 0.4), (), (), ())
    assert np.isnan(found.effective)
    assert found.to_dict()["coefficients"][0]["labelled"] is None
