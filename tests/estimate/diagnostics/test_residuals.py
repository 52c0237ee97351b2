from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.estimate.diagnostics.check import Residuals


def test_fitted_and_residual_add_up_and_shifts_are_those_of_judges(judged):
    fit = q.decompose(judged({"item": 8, "prompt": 3, "judge": 3}, keep=0.9))
    left = Residuals(fit)
    np.testing.assert_allclose(left.fitted + left.residual, fit.judgments.mean)
    assert abs(left.residual.mean()) < 0.1 * left.residual.std()
    assert np.std(left.standard) == pytest.approx(1.0, abs=0.2)
    # Two cells of one judge and prompt are shifted alike, whatever the item.
    same = fit.judgments.level_codes(["prompt", "judge"]) == 0
    assert np.ptp(left.shift[same]) < 1e-12
    np.testing.assert_allclose(left.left + left.shift + fit.assembled.center, fit.judgments.mean)
