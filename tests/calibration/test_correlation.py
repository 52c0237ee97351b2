"""Size of Williams' test of two leaderboards against a third."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.correlation import williams


@pytest.mark.parametrize("systems", [10, 20, 55])
@pytest.mark.parametrize("noise", [0.3, 1.0])
def test_size(systems, noise):
    """Two boards with the same noise about what people say, which has noise of its own."""
    rng, studies = np.random.default_rng(systems), 10_000
    truth = rng.normal(size=(studies, 1, systems))
    boards = truth + np.array([0.2, noise, noise])[:, None] * rng.normal(size=(studies, 3, systems))
    ranks = boards.argsort(axis=-1).argsort(axis=-1).astype(float)
    sizes = []
    for values in (boards, ranks):
        z = values - values.mean(axis=-1, keepdims=True)
        z /= np.sqrt((z**2).sum(axis=-1, keepdims=True))
        r = z @ z.transpose(0, 2, 1)
        p = williams(r[:, 0, 1], r[:, 0, 2], r[:, 1, 2], systems).p
        sizes.append(float(np.mean(p[~np.isnan(p)] <= 0.05)))
    print(f"{systems} systems, noise {noise}: rejects {sizes[0]:.3f} by values, {sizes[1]:.3f} by ranks, at .05")
    assert 0.035 <= sizes[0] <= 0.06
    assert sizes[1] <= 0.14  # why leaderboards are compared by their ratings
