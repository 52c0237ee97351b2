"""Both readings under laws that are known: see `calibration.laws`, whose command prints the whole table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from calibration.laws import LAWS, Law, limits_of, line, row_of

STUDIES, GAPS = 1000, 60
CLOSE = 1e-8
LEAST_OF_THREE = 1.95
"""Width of t of 2 degrees of freedom, the least that three levels allow where they are all the error."""
COPIES = {name for name in LAWS if "copies" in name}
UNREAD = {name for name in LAWS if "not read" in name}
TAILS = {name for name in LAWS if "items alone" in name}


def tolerance(n: int) -> float:
    """Three Monte Carlo standard errors of 95%."""
    return 3 * math.sqrt(0.0475 / n)


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.complete])
def test_both_readings_cover(name):
    law = LAWS[name]
    row = row_of(law, STUDIES)
    print(line(name, law, row))
    off = tolerance(row.studies)
    near_an_end = law.scale is not None and (law.rate < 0.3 or law.rate > 0.7)
    if name not in UNREAD | TAILS:
        low, high, most = (0.93, 0.975, 1.15) if near_an_end else (0.94, 0.965, 1.05)
        assert low - off < row.setup.coverage < high + off
        if law.items >= 30:
            assert row.setup.width < most + 0.05
    if row.others is not None and name not in COPIES | UNREAD | TAILS:
        assert row.others.coverage > 0.93 - off
        assert row.others.width < 1.15 * LEAST_OF_THREE
    if law.gap:
        assert row.setup.power > row.setup.known - 0.1


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if not law.complete])
def test_tables_with_gaps(name):
    row = row_of(LAWS[name], GAPS)
    print(line(name, LAWS[name], row))
    assert 0.94 - tolerance(GAPS) < row.setup.coverage
    assert row.setup.width < (1.6 if LAWS[name].grouped else 1.3)  # t of 5 degrees of freedom


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.complete])
def test_studies_at_once_are_those_of_the_analysis(name):
    law, rng = LAWS[name], np.random.default_rng(5)
    for scores in law.studies(20, rng)[0]:
        at_once = limits_of(law, scores[None], rng)[0]
        if np.isfinite(at_once[0]):
            single = limits_of(_single(law), scores[None], rng)[0]
            np.testing.assert_allclose(at_once, single, rtol=CLOSE, atol=CLOSE)
            return


def _single(law: Law) -> Law:
    """The same law, whose studies are analysed one by one."""
    from dataclasses import replace

    return replace(law, missing=1e-12)
