from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import NotConverged
from quorate.numerics.mixed import sampled as conjugate
from quorate.numerics.mixed.sampled import conjugate_gradients


def test_conjugate_gradients(monkeypatch):
    rng = np.random.default_rng(5)
    half = rng.normal(size=(60, 40))
    matrix = half.T @ half + np.diag(rng.uniform(1, 100, 40))
    right = np.column_stack([rng.normal(size=(40, 3)), np.zeros(40), matrix[:, 0]])
    got = conjugate_gradients(lambda v: matrix @ v, np.diag(matrix), right, 1e-12)
    np.testing.assert_allclose(got, np.linalg.solve(matrix, right), atol=1e-9)
    monkeypatch.setattr(conjugate, "_MOST_PRODUCTS", 3)
    with pytest.raises(NotConverged, match="effects of 40 levels were not found after 3 products"):
        conjugate_gradients(lambda v: matrix @ v, np.diag(matrix), right)
