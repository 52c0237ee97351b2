import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.differences.gaps import follow_scores
from quorate.estimate.differences.paired import sides


def apart(lacks, seed=0, items=60, judges=3):
    """Systems alike; of the second, the cells are gone that ``lacks`` says, given the scores of the first."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0, 1, (items, 1)) + rng.normal(0, 0.7, (2, items, judges))
    keep = np.stack([np.ones((items, judges), bool), ~lacks(score[0])])
    system, item, judge = (axis[keep] for axis in np.indices(score.shape))
    columns = {"system": np.array(["a", "b"])[system], "item": item, "judge": judge, "score": score[keep]}
    return sides(q.read(pl.DataFrame(columns), announce=False), "a", "b")


@pytest.mark.parametrize(
    "lacks",
    [
        lambda x: x < np.quantile(x, 0.2),  # cells
        lambda x: np.broadcast_to(x.mean(axis=1, keepdims=True) < -0.5, x.shape),  # items
        lambda x: x == x.min(axis=1, keepdims=True),  # a cell of every item
    ],
)
def test_cells_that_a_score_chose_are_seen(lacks):
    found = apart(lacks)
    assert follow_scores(found)


@pytest.mark.parametrize("whole", [False, True])
def test_cells_that_chance_chose_are_seldom_suspected(whole):
    rng = np.random.default_rng(2)
    shape = (60, 1) if whole else (60, 3)
    found = [
        follow_scores(apart(lambda x: np.broadcast_to(rng.random(shape) < 0.3, x.shape), seed)) for seed in range(200)
    ]
    assert sum(found) <= 7  # 2 expected at 1%


def test_nothing_missing_shows_nothing():
    assert not follow_scores(apart(lambda x: np.zeros(x.shape, bool)))
