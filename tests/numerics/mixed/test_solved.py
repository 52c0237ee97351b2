from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.estimate.components import assemble
from quorate.numerics.mixed.solved import solve
from quorate.simulate import write_demo


def test_a_cell_without_residual_variance_is_singular(tmp_path):
    problem = q.decompose(q.read(write_demo(tmp_path / "scores.csv"))).assembled.problem
    with pytest.raises(np.linalg.LinAlgError, match="without residual variance"):
        solve(problem, np.zeros(problem.n_components))


def test_there_is_no_inverse_of_what_was_not_inverted(tmp_path, monkeypatch):
    fit = q.decompose(q.read(write_demo(tmp_path / "scores.csv")))
    assert fit.point.solved.dense is fit.point.solved.levels
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    again = q.decompose(fit.judgments)
    with pytest.raises(TypeError, match="too large for its inverse"):
        _ = again.point.solved.dense
    for name, value in fit.variances.items():
        assert again.variances[name] == pytest.approx(value, rel=0.02, abs=1e-6)
