"""Adaptive allocation to a boundary: how often a side that stopped the policy is the wrong one."""

from __future__ import annotations

import numpy as np
import pytest
from policies import answered, deciding

TOLERANCE = 0.05
LOOSE = {"level": 0.5, "together": False, "tolerance": TOLERANCE, "budget": 3000}


def told(seed, *, between):
    """In one run: sides that were told at 50% each, wrong ones, and wrong ones of signs taken at the end."""
    rng = np.random.default_rng(seed)
    items = 6
    if between:
        middle, half = rng.uniform(0.3, 0.7, items), rng.choice([0.06, 0.12, 0.2], items)
        share = (middle[:, None] + half[:, None] * rng.permuted([[-0.5, 0.5]] * items, axis=1)).ravel()
        policy = deciding(arms={"item": range(items), "system": ["a", "b"]}, between="system", **LOOSE, seed=seed)
    else:
        share = 0.5 + rng.choice([-1, 1], items) * rng.choice([0.02, 0.03, 0.06], items)
        policy = deciding(arms=range(items), at=3, **LOOSE, seed=seed)
    progress = answered(policy, share, rng, 50)
    means, truth = policy.means(progress), 1 + 4 * share
    seen, true = (means[::2] - means[1::2], truth[::2] - truth[1::2]) if between else (means - 3, truth - 3)
    known = policy.enough(progress)[:: 1 + between]
    bad = known & (np.sign(seen) != np.sign(true)) & (np.abs(true) > TOLERANCE)
    return known.sum(), bad.sum()


@pytest.mark.parametrize(("between", "runs"), [(False, 60), (True, 20)], ids=["threshold", "pairs"])
def test_sides_that_are_told_are_right(between, runs):
    """Binomial scores from 1 to 5 close to the boundary; at 50% each, so that a level that does not hold is seen."""
    known, bad = np.sum([told(seed, between=between) for seed in range(runs)], axis=0)
    print(f"{known} of {6 * runs} sides told, {bad} of them wrong")
    assert known > 2 * runs
    assert bad / (6 * runs) <= 0.5
    assert bad / known < 0.2
