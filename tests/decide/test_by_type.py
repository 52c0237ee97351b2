"""Types of prompts beside a verdict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.outcome import brown_forsythe, types_of_votes
from quorate.numerics.inference import holm


def votes(rng, shares, n=100, of=1):
    rows = [
        ("x", "y", f"t{t}", f"p{t}-{i // of}", "xy"[int(rng.random() > p)])
        for t, p in enumerate(shares)
        for i in range(n)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "prompt_type", "prompt", "winner"], orient="row")
    return q.read_votes(frame, announce=False)


def scores(by_category, *, items=15, judges=3):
    """Two systems that differ by so much on each category, and noise."""
    rng = np.random.default_rng(3)
    rows = [
        (s, f"{c}{i}", c, f"j{j}", rng.normal() + gap * (s == "x") + i % 4)
        for s in "xy"
        for c, gap in by_category.items()
        for i in range(items)
        for j in range(judges)
    ]
    names = ["system", "item", "category", "judge", "score"]
    return q.read(pl.DataFrame(rows, schema=names, orient="row"), announce=False)


@pytest.mark.parametrize("of", [1, 2])
def test_types_that_go_opposite_ways_are_said_beside_undecided(of):
    found = q.compare(votes(np.random.default_rng(1), (0.8, 0.2), of=of), "x", "y")
    assert found.outcome.value == "undecided"
    assert found.p_types < 1e-4
    assert "not the same on every prompt type (p < .0001): x is better on t0 and worse on t1 (Holm over 2)" in (
        found.sentence
    )
    assert found.to_dict()["types"]["each"][1]["type"] == "t1"


def test_scores_by_category_are_said_beside_the_verdict_and_held_together_by_holm():
    judgments = scores({"code": 1.5, "math": -1.5, "chat": 0.1})
    found = q.compare(judgments, "x", "y")
    assert "not the same on every category (p < .0001): x is better on code and worse on math" in found.sentence
    each = found.types.each
    assert [one.p_adjusted for one in each] == pytest.approx(holm(np.array([one.p for one in each])))
    alone = q.compare(judgments.only("category", "code"), "x", "y")
    code = next(one for one in each if one.type == "code")
    low, _ = alone.estimate.ends
    assert (code.value, code.low, code.p) == (alone.difference.value, low, alone.p_difference)


def test_without_types_or_with_few_items_of_each_there_is_no_test(between):
    assert q.compare(between(70, 30), "x", "y").types is None
    assert q.compare(scores({"code": 1.0, "math": 0.0}, items=9), "x", "y").types is None
    assert q.compare(scores({"code": 1.0}), "x", "y").p_types is None


def test_two_groups_are_the_test_of_welch():
    """Of two groups it is the t test of unequal variances, as scipy has it."""
    from scipy.stats import ttest_ind

    groups = np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8, 10])
    mean, variance = (np.array([f(one) for one in groups]) for f in (np.mean, lambda one: one.var(ddof=1)))
    n = np.array([4.0, 5.0])
    expected = ttest_ind(*groups, equal_var=False).pvalue
    assert brown_forsythe(mean, variance, n, n - 1) == pytest.approx(expected)


def test_types_without_any_spread():
    n = np.array([10.0, 10.0])
    assert brown_forsythe(np.ones(2), np.zeros(2), n, n - 1) == 1
    assert brown_forsythe(np.array([0.0, 1.0]), np.zeros(2), n, n - 1) == 0


def test_equal_types_are_seldom_told_apart():
    rng = np.random.default_rng(2)
    p = [types_of_votes(votes(rng, (0.6, 0.6, 0.6), 40), "x", "y").p for _ in range(40)]
    assert np.mean(np.array(p) < 0.05) < 0.2
