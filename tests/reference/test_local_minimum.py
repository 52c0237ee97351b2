"""A criterion with several minima, against R: lme4 1.1.31 under R 4.2.2.

`local_minimum.R` has the nine scores and the calls, `local_minimum.txt` what it printed. lme4's three optimisers end in
different minima; the lowest of the three is the reference, to seven digits, which is what they are converged to.
"""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q

NINE = {
    "item": [0, 0, 0, 0, 1, 1, 1, 1, 1],
    "prompt": [0, 1, 1, 1, 0, 0, 1, 1, 1],
    "judge": [0, 0, 2, 2, 2, 2, 0, 1, 2],
    "score": [
        *(5.777814162815541, 8.984386436256234, 6.742439402381782, 6.758264174859356, -1.6941000848270509),
        *(-1.569571306785706, 9.441042072072843, -17.815692231151452, -1.1491131991748764),
    ],
}


@pytest.mark.wide(1)
@pytest.mark.parametrize(
    ("fixed", "random", "criterion"),
    [
        (["judge"], None, 16.9218285002),
        ([], None, 34.1323689367),
        ([], ["item", "prompt", "item:judge", "prompt:judge"], 37.0080610115),
        ([], ["item", "item:prompt", "item:judge", "prompt:judge"], 37.0080610065),
    ],
)
def test_the_lowest_that_any_optimiser_of_lme4_finds(fixed, random, criterion):
    fit = q.decompose(q.read(pl.DataFrame(NINE), fixed=fixed, announce=False), random=random)
    assert fit.criterion == pytest.approx(criterion, abs=3e-7)
