from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quorate.plan.adaptive.pulls import best


def one_by_one(priority, level, failed, rank, count):
    """Always the arm of the greatest priority."""
    level, out = level.copy(), []
    every = np.arange(len(level))
    for _ in range(count):
        keys = priority(every, level[:, None])[:, 0]
        if keys.max(initial=-np.inf) == -np.inf:
            break
        turn = np.where(np.isposinf(keys) | (keys == 0), level + failed, 0)
        arm = min(every.tolist(), key=lambda i: (-keys[i], turn[i], rank[i]))
        out.append((arm, int(level[arm])))
        level[arm] += 1
    return out


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=12),
    st.integers(1, 30),
    st.integers(0, 5),
    st.integers(0, 100),
)
def test_the_pulls_that_would_be_made_one_by_one(arms, count, forced, seed):
    """Many ties, pulls that must be made, and arms that are not to be pulled (of value 4) or only up to a level."""
    value, level, failed = (np.array(column) for column in zip(*arms, strict=True))
    rank = np.random.default_rng(seed).permutation(len(arms))

    def priority(some, levels):
        keys = np.where(levels < forced, np.inf, value[some, None] / np.maximum(levels, 1) ** 2)
        return np.where((value[some, None] == 4) | (levels > 9), -np.inf, keys)

    found = best(priority, level, failed, rank, count)
    assert list(zip(found.arm.tolist(), found.level.tolist(), strict=True)) == one_by_one(
        priority, level, failed, rank, count
    )
