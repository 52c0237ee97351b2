from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.numerics.posterior.chains import mode
from quorate.numerics.posterior.densities import Laws
from quorate.simulate import write_demo


def test_with_a_wide_prior_the_mode_is_that_of_reml(tmp_path):
    fit = q.decompose(q.read(write_demo(tmp_path / "scores.csv"), announce=False))
    kept = np.array(fit.identified.representatives)
    wide = Laws(np.full(len(kept), 1e3), np.full(len(kept), np.inf))
    top, covariance = mode(fit.assembled.problem, kept, wide)
    assert top**2 == pytest.approx(fit.theta[kept], abs=1e-3)
    error = np.sqrt(np.diag(fit.covariance))[kept] / fit.assembled.scale**2  # of a variance: 2 sd times that of an sd
    known = list(fit.variances).index("item:judge"), list(fit.variances).index("replicate")
    assert [2 * top[t] * np.sqrt(covariance[t, t]) / error[t] for t in known] == pytest.approx([1, 1], abs=0.1)
