"""Whether the precision of panels out of one group of judges, beside the best panel, is covered by its interval.

The truth is the variance of the very panels that each study chose, by the law that it was drawn from: of new items with
one judge in turn, and of the bias that the study could not know. Monte Carlo standard errors are about 1.5 points.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

STUDIES, ITEMS = 200, 60
NOISE = np.array([0.9, 0.8, 1.0, 0.4, 0.5, 0.45])
LENIENCY = np.array([0.2, -0.1, 0.0, 0.4, 0.3, -0.2])
PRICE = np.array([1.0, 1.0, 2.0, 8.0, 6.0, 8.0])
NAMES = [f"{tier}{number}" for tier in ("open", "closed") for number in range(3)]


def precision(panel, best, noise, sd):
    """Variance of the best panel over that of this one, by the law."""
    variances = []
    for one in (best, panel):
        at = np.array([NAMES.index(name) for name in one.panel.judges])
        new = np.sum((sd**2 + noise[at] ** 2) / np.array(one.panel.items_per_judge)) / len(at) ** 2
        off = np.full(len(NAMES), -1 / len(NAMES))
        off[at] += 1 / len(at)
        variances.append(new + np.sum(off**2 * noise**2) / ITEMS)
    return variances[0] / variances[1]


@pytest.mark.parametrize("law", ["normal", "skewed"])
def test_intervals_of_the_precision_of_one_group(law, capsys):
    rng, covered, off = np.random.default_rng(5), [], []
    prices = {"judge": dict(zip(NAMES, PRICE.tolist(), strict=True))}
    for _ in range(STUDIES):
        shape = (ITEMS, len(NAMES))
        noise = rng.normal(size=shape) if law == "normal" else rng.exponential(size=shape) - 1
        item = rng.normal(size=(ITEMS, 1)) if law == "normal" else rng.exponential(size=(ITEMS, 1))
        x = item + LENIENCY + NOISE * noise
        i, j = np.indices(shape).reshape(2, -1)
        frame = pl.DataFrame({"item": i, "judge": np.array(NAMES)[j], "score": x[i, j]})
        tiers = {name: name[:-1] for name in NAMES}
        found = q.judges(q.read(frame, announce=False), group=tiers, prices=prices, resamples=200).groups["all"]
        best = found.panels[0]
        for one in found.panels[1:]:
            truth = precision(one, best, NOISE, 1.0)
            covered.append(one.low <= truth <= one.high)
            off.append(one.precision / truth - 1)
    coverage, error = float(np.mean(covered)), 1.5 * (0.05 * 0.95 / STUDIES) ** 0.5
    with capsys.disabled():
        print(f"\n{law}: precision of one group is covered {coverage:.3f} of the time, off by {np.mean(off):+.1%}")
    assert 0.95 - 3 * error - 0.02 <= coverage <= 0.975 + 3 * error
