"""Pooling over a facet against reading without it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.table.collapse.grouped import pooled


@pytest.mark.parametrize("last", ["day", "judge"])
def test_pooled_is_as_if_the_facet_had_not_been_read(last):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "item": rng.integers(0, 9, 200),
            "judge": rng.choice(list("abc"), 200),
            "day": rng.choice(["mon", "tue"], 200),
            "score": [None if rng.random() < 0.2 else float(rng.integers(1, 6)) for _ in range(200)],
        }
    )
    facets = {name: name for name in ("item", "judge", "day")}
    found = pooled(q.read(frame, facets=facets, announce=False), last)
    wanted = q.read(frame, facets={name: name for name in facets if name != last}, announce=False)
    assert found.names == wanted.names
    for name in ("codes", "n", "mean", "ss", "low", "high"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), err_msg=name, atol=1e-9)
    assert {name: count.tolist() for name, count in found.status.items()} == {
        name: count.tolist() for name, count in wanted.status.items()
    }
