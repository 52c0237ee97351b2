"""Plans of 0/1 scores promise the interval that their analysis gives: two and three prompts, up to the ends."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq

import quorate as q

pytestmark = pytest.mark.calibration
STUDIES = 150
SD = {"item": 2.0, "item:judge": 1.0, "prompt": 0.6, "item:prompt": 0.5, "prompt:judge": 0.3}
"""Of log odds."""
DESIGNS = [  # rate, prompts, judges, items
    (0.5, 2, 3, 50),
    (0.5, 3, 2, 50),
    (0.5, 3, 5, 30),
    (0.8, 2, 2, 60),
    (0.8, 2, 4, 50),
    (0.8, 3, 3, 50),
    (0.95, 2, 3, 80),
    (0.95, 3, 2, 80),
    (0.95, 3, 4, 60),
]


def rate(center, judges):
    """Mean over items, prompts and these judges of the chance of 1."""
    at, weight = np.polynomial.hermite_e.hermegauss(80)
    spread = np.sqrt(sum(sd**2 for sd in SD.values()))
    chance = 1 / (1 + np.exp(-(center + np.linspace(-0.5, 0.5, judges)[:, None] + spread * at)))
    return float(np.mean(chance @ weight) / weight.sum())


def fitted(rng, items, prompts, judges, center):
    """The fit of a study by judges who are known."""
    size = {"item": items, "prompt": prompts, "judge": judges}
    odds = center + np.linspace(-0.5, 0.5, judges)
    for term, sd in SD.items():
        odds = odds + rng.normal(0, sd, [count if name in term.split(":") else 1 for name, count in size.items()])
    at = np.indices(odds.shape).reshape(3, -1)
    columns = dict(zip(size, at, strict=True)) | {"score": rng.binomial(1, 1 / (1 + np.exp(-odds))).ravel()}
    return q.decompose(q.read(pl.DataFrame(columns), announce=False), interval="normal")


@pytest.fixture(scope="module")
def ratios():
    """Half-width realised over promised, by a pilot of 800 items and 400 prompts, for every design."""
    out = []
    for share, prompts, judges, items in DESIGNS:
        rng = np.random.default_rng(5)
        center = brentq(lambda x, n=judges, p=share: rate(x, n) - p, -10, 14)
        plan = q.project(fitted(rng, 800, 400, judges, center), items=items, prompts=prompts)
        found = [fitted(rng, items, prompts, judges, center).mean.half_width() for _ in range(STUDIES)]
        out.append(float(np.median(found)) / plan.half_width())
        print(f"{share} x {prompts} prompts x {judges} judges: promised {plan.half_width():.3f}, ratio {out[-1]:.2f}")
    return np.array(out)


def test_what_is_promised_of_shares_is_realised(ratios):
    """Monte Carlo error of one median: up to 10% with two prompts, whose half-widths are of two kinds."""
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert ratios.min() > 0.8
    assert ratios.max() < 1.35
