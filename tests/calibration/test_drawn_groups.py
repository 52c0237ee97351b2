"""Means of items in categories that stand for others: figures of ``docs/methods/intervals.md``."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

STUDIES = 400
CASES = {  # items of each category, variances of a category and of an item
    "60, 30, 10": ((60, 30, 10), 0.3, 0.6),
    "60, 20, 10, 5, 5": ((60, 20, 10, 5, 5), 0.02, 0.6),
    "50, 5, 5": ((50, 5, 5), 0.005, 0.9),
    "40, 30, 20, 10, 5, 5, 4, 3, 2, 1": ((40, 30, 20, 10, 5, 5, 4, 3, 2, 1), 0.1, 0.63),
    "150, 4, 4, 4": ((150, 4, 4, 4), 0.2, 1.2),
    "10, 10, 10": ((10, 10, 10), 0.1, 1.2),
}


@pytest.mark.parametrize(
    "case", [pytest.param(one, marks=() if one in ("60, 30, 10", "50, 5, 5") else pytest.mark.slow) for one in CASES]
)
def test_means_of_drawn_groups_are_covered(case):
    """Monte Carlo error of the coverage 1.1 to 1.4 points."""
    sizes, between, within = CASES[case]
    rng, group = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes)
    covered, halves = np.zeros(STUDIES), np.zeros(STUDIES)
    for k in range(STUDIES):
        score = np.sqrt(between) * rng.normal(size=len(sizes))[group] + np.sqrt(within) * rng.normal(size=len(group))
        frame = pl.DataFrame({"item": np.arange(len(group)), "category": group, "score": score})
        mean = q.decompose(q.read(frame, announce=False), random=["item", "category"]).mean
        covered[k], halves[k] = abs(mean.value) < mean.half_width, mean.half_width
    print(f"| {case} | {between:g}, {within:g} | {100 * covered.mean():.1f} ({np.median(halves):.2f}) |")
    assert covered.mean() > 0.89
