"""Intervals of the item component under effects that are not normal: do they cover?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from calibration.balanced import balanced

import quorate as q

SAMPLES, ITEMS = 400, 50
LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: np.exp(rng.normal(size=n)) / np.sqrt(np.e * (np.e - 1)),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "rare bad items": lambda rng, n: (rng.normal(0, 0.2, n) - (rng.random(n) < 0.08)) / np.sqrt(0.04 + 0.08 * 0.92),
}
COLUMNS = dict(zip(("item", "prompt", "judge"), (at.ravel() for at in np.indices((ITEMS, 3, 3))), strict=True))


def item(fit):
    return next(one for one in fit.components if one.name == "item")


@pytest.mark.parametrize(
    "law", [pytest.param(one, marks=() if one in ("normal", "lognormal") else pytest.mark.slow) for one in LAWS]
)
def test_item_intervals_cover_whatever_the_law(law):
    """Effects of items with variance 1, of item by prompt and of item by judge .25 each by the same law, noise .25."""
    rng, covered, plain, width, freedom = np.random.default_rng(9), [], [], [], {}
    for _ in range(SAMPLES):
        at, prompt, judge = COLUMNS.values()
        score = LAWS[law](rng, ITEMS)[at] + 0.5 * LAWS[law](rng, 3 * ITEMS)[at * 3 + prompt]
        score += 0.5 * LAWS[law](rng, 3 * ITEMS)[at * 3 + judge] + rng.normal(0, 0.5, len(at))
        judgments = q.read(pl.DataFrame(COLUMNS | {"score": score}), announce=False)
        fit = q.decompose(judgments, random=["item", "item:prompt", "item:judge"])
        one, other = (item(balanced(of, freedom)) for of in (fit, replace(fit, interval="normal")))
        covered.append(one.low <= 1 <= one.high)
        plain.append(other.low <= 1 <= other.high)
        width.append((one.high - one.low) / (other.high - other.low))
    error = np.sqrt(0.95 * 0.05 / SAMPLES)
    print(
        f"{law}: {np.mean(covered):.3f} (se {error:.3f}), normal {np.mean(plain):.3f}, width x {np.median(width):.2f}"
    )
    assert 0.90 - 2 * error <= np.mean(covered) <= 0.97 + 2 * error
