"""A caveat where more was asked of what varies more, and the first answers of each, which have no bias."""

import numpy as np
import polars as pl

import quorate as q
from quorate.estimate.components.decomposition import answers_by_scatter

ARMS, EACH, MEAN = 20, 60, 1.32
RARE = 1 + 4 * (np.arange(25) < 2)  # 5 with a chance of .08, else 1


def adaptive_ledger(seed):
    """Answers of every arm in the order in which ROBIN-HOOD asked for them."""
    rng = np.random.default_rng(seed)
    policy = q.scores.adaptive(
        arms=[f"i{at:02}" for at in range(ARMS)], budget=ARMS * EACH, scale=range(1, 6), seed=seed
    )
    progress, rows = policy.start(), []
    while not policy.done(progress):
        cells = policy.next_cells(progress, batch=20)
        scores = rng.choice(RARE, len(cells))
        rows += zip(cells.column("item"), cells.replicate.tolist(), scores.tolist(), strict=True)
        progress = progress.answered(cells, scores)
    return pl.DataFrame(rows, schema=["item", "replicate", "score"], orient="row")


def test_means_after_an_adaptive_allocation_are_off_and_the_first_answers_of_each_are_not():
    whole, first = [], []
    for seed in range(25):
        frame = adaptive_ledger(seed)
        fewest = frame.group_by("item").len()["len"].min()
        for found, kept in ((whole, frame), (first, frame.filter(pl.col("replicate") <= fewest))):
            found.append(kept.group_by("item").agg(pl.col("score").mean())["score"].mean())
    error = np.std(first, ddof=1) / 5
    assert np.mean(whole) < MEAN - 0.03
    assert abs(np.mean(first) - MEAN) < 3 * error


def test_it_is_said_with_the_command_that_mends_it():
    judgments = q.read(adaptive_ledger(1))
    [caveat] = [one for one in q.decompose(judgments).caveats if one.code == "adaptive-answers"]
    assert f'where="replicate <= {int(judgments.n.min())}"' in caveat.sentence


def test_equal_numbers_and_numbers_by_chance_say_nothing():
    rng = np.random.default_rng(2)
    for counts in (np.full(40, 30), rng.integers(10, 40, 40)):
        item = np.repeat(np.arange(40), counts)
        frame = pl.DataFrame({"item": item.astype(str), "score": rng.choice(RARE, len(item))})
        assert answers_by_scatter(q.read(frame)) == ()
