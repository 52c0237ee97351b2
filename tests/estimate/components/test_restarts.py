"""Criteria with several minima, which tiny designs have."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable

# item, prompt, judge, score
NINE = [
    (0, 0, 0, 5.777814162815541),
    (0, 1, 0, 8.984386436256234),
    (0, 1, 2, 6.742439402381782),
    (0, 1, 2, 6.758264174859356),
    (1, 0, 2, -1.6941000848270509),
    (1, 0, 2, -1.569571306785706),
    (1, 1, 0, 9.441042072072843),
    (1, 1, 1, -17.815692231151452),
    (1, 1, 2, -1.1491131991748764),
]


def read(rows, **options):
    columns = ["item", "prompt", "judge", "score"]
    return q.read(pl.DataFrame(rows, schema=columns, orient="row"), announce=False, **options)


@pytest.mark.parametrize("pair", ["prompt", "item:prompt"])
def test_the_lowest_of_two_minima(pair):
    """A search from the moment estimates alone ends at 39.950; lme4: ``tests/reference/local_minimum.txt``."""
    fit = q.decompose(read(NINE, fixed=()), random=["item", pair, "item:judge", "prompt:judge"])
    assert fit.criterion == pytest.approx(37.0080610, abs=3e-7)


def test_a_level_that_the_fixed_effects_fit_exactly_is_named():
    with pytest.raises(NotEstimable, match="judge 1 has no residual variance"):
        q.decompose(read(NINE), residual_by="judge")


def test_a_design_whose_residual_is_lowest_at_zero():
    """Seven cells: random terms can take up all there is, and no criterion is at a residual of zero itself."""
    rng = np.random.default_rng(4)
    rows = [(i, v, m, 3.0 * i + rng.normal()) for i, v, m in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 0)]]
    with pytest.raises(NotEstimable, match="residual variance is zero"):
        q.decompose(read(rows, fixed=()))
