"""Cycles on a board: named where they are, and not where ratings hold."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import quorate as q
from quorate.estimate.ratings.bradley_terry import cycles


def votes(counts):
    """Votes of pairs: wins of the first and of the second, each on a prompt of its own."""
    rows = [
        (*pair, winner) for pair, both in counts.items() for winner, n in zip("ab", both, strict=True) for _ in range(n)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    return q.read_votes(frame.with_columns(winner="model_" + pl.col("winner")), announce=False)


def test_rock_paper_scissors_by_students_law():
    """Log odds of (wins + 1/2) / (losses + 1/2) add up to 3 log(40.5 / 20.5); each has variance 1 / (n p q)."""
    [one] = cycles(votes({("r", "s"): (40, 20), ("s", "p"): (40, 20), ("p", "r"): (40, 20)}))
    assert set(one.systems) == set("rsp")
    start = one.systems.index("r")
    assert one.systems[start:] + one.systems[:start] == ("r", "s", "p")
    assert one.shares == pytest.approx((40.5 / 61,) * 3)
    p, n, wins = 40.5 / 61, 60, 40
    each = (wins * (1 - p) ** 2 + (n - wins) * p**2) / (n * p * (1 - p)) ** 2
    assert one.p == pytest.approx(2 * t.sf(3 * np.log(p / (1 - p)) / np.sqrt(3 * each), 180), rel=1e-6)


def test_ratings_that_hold_have_none():
    assert cycles(votes({("r", "s"): (40, 20), ("s", "p"): (40, 20), ("r", "p"): (48, 12)})) == ()


def test_pairs_that_hardly_met_are_not_looked_at():
    assert cycles(votes({("r", "s"): (15, 2), ("s", "p"): (15, 2), ("p", "r"): (15, 2)})) == ()


def test_votes_of_one_prompt_are_one_opinion():
    """Every prompt says the same of a pair ten times: six prompts' worth of votes, not sixty."""
    rng = np.random.default_rng(3)
    rows = [
        (f"{a}{prompt}", a, b, winner)
        for a, b in ("rs", "sp", "pr")
        for prompt in range(12)
        for winner in [("model_a", "model_b")[int(rng.random() > 0.62)]] * 10
    ]
    frame = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    table = q.read_votes(frame, announce=False)
    assert len(cycles(table, cluster=())) >= len(cycles(table))
    assert cycles(table) == ()


def test_the_board_says_so():
    table = votes({("r", "s"): (60, 20), ("s", "p"): (60, 20), ("p", "r"): (60, 20)})
    [caveat] = [one for one in q.rank(table).caveats if one.code == "goes-round"]
    assert "r beats s" in caveat.sentence
