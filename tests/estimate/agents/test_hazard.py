from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal, norm

import quorate as q
from quorate.errors import InvalidInput, NotEstimable


def talks(n=40, turns=3, judges=2, seed=2, noise=None):
    rng = np.random.default_rng(seed)
    own, both = rng.normal(size=n), rng.normal(0, 0.5, (n, turns))
    spread = [1.0] * turns if noise is None else noise
    rows = [
        (i, t + 1, j, own[i] + both[i, t] + 0.5 * t + 0.3 * j + spread[t] * rng.normal(0, 0.6))
        for i, t, j in product(range(n), range(turns), range(judges))
    ]
    return pl.DataFrame(rows, schema=["item", "turn", "judge", "score"], orient="row")


@pytest.fixture(scope="module")
def fit():
    return q.decompose(q.read(talks(), announce=False))


def test_turns_are_recognised_as_chosen_and_in_order():
    judgments = q.read(talks(n=5, turns=11), announce=False)
    turn = judgments.facet("turn")
    assert turn.fixed
    assert turn.levels == tuple(str(one) for one in range(1, 12))


def test_equation_12_and_its_product(fit):
    found = q.agents.hazard(fit, 2.0)
    total = sum(fit.variances.values()) + fit.sensitivity("judge")
    mean = fit.assembled.fixed.levels["turn"] @ fit.beta
    expected = norm.cdf((mean - 2.0) / np.sqrt(total))
    assert [one.hazard.value for one in found.turns] == pytest.approx(expected)
    assert [one.survival.value for one in found.turns] == pytest.approx(np.cumprod(1 - expected))
    assert [one.mean for one in found.turns] == pytest.approx(mean)
    assert all(one.hazard.low < one.hazard.value < one.hazard.high for one in found.turns)
    assert all(one.survival.low < one.survival.value < one.survival.high for one in found.turns)
    assert found.turns[0].lasting.value == pytest.approx(found.turns[0].survival.value)
    assert "turn 3" in found.sentence


def test_what_stays_is_shared_by_all_turns(fit):
    """scipy's multivariate normal distribution: the chance that no turn is beyond the threshold. Tolerance: its own."""
    found = q.agents.hazard(fit, 2.0)
    stays = sum(
        value
        for name, value in fit.variances.items()
        if "turn" not in name.split(":") and name in ("item", "item:judge")
    )
    stays += fit.sensitivity("judge")
    total = sum(fit.variances.values()) + fit.sensitivity("judge")
    covariance = np.full((3, 3), stays) + (total - stays) * np.eye(3)
    mean = [one.mean for one in found.turns]
    expected = multivariate_normal(mean, covariance).cdf([2.0] * 3)
    assert found.turns[-1].lasting.value == pytest.approx(expected, abs=2e-4)
    assert found.turns[-1].lasting.value > found.turns[-1].survival.value
    assert found.between == pytest.approx(stays / total)


def test_panels_are_less_noisy_and_below_mirrors_above(fit):
    one, three = q.agents.hazard(fit, 3.0), q.agents.hazard(fit, 3.0, levels={"judge": 3})
    assert three.turns[0].sd < one.turns[0].sd
    assert three.turns[0].hazard.value < one.turns[0].hazard.value
    assert np.isnan(three.turns[0].observed)
    mirrored = q.decompose(q.read(talks().with_columns(score=-pl.col("score")), announce=False))
    below = q.agents.hazard(mirrored, -3.0, below=True)
    assert [turn.hazard.value for turn in below.turns] == pytest.approx([turn.hazard.value for turn in one.turns])
    assert [turn.observed for turn in below.turns] == [turn.observed for turn in one.turns]


@pytest.mark.slow
def test_one_judge_who_is_named():
    named = q.read(talks(n=30, judges=1), announce=False)
    unnamed = q.read(talks(n=30, judges=1).drop("judge"), announce=False)
    one, other = (q.agents.hazard(q.decompose(table), 2.0).turns[-1] for table in (named, unnamed))
    assert (one.hazard.value, one.lasting.value) == pytest.approx((other.hazard.value, other.lasting.value), rel=1e-6)


def test_noise_of_its_own_for_each_turn():
    frame = talks(judges=3, noise=[1.0, 1.0, 3.0])
    fit = q.decompose(q.read(frame, announce=False), residual_by="turn")
    first, _, last = q.agents.hazard(fit, 2.0).turns
    assert last.sd > 1.3 * first.sd


def test_conversations_that_end_have_a_caveat():
    frame = talks(n=60).filter(~((pl.col("item") < 20) & (pl.col("turn") == 3)))
    found = q.agents.hazard(q.decompose(q.read(frame, announce=False)), 2.0)
    assert [one.code for one in found.caveats] == ["turns-that-end"]
    marks = talks().with_columns(score=(pl.col("score") > 0).cast(pl.Float64))
    coarse = q.agents.hazard(q.decompose(q.read(marks, announce=False)), 0.5)
    assert [one.code for one in coarse.caveats] == ["few-scores"]


def test_what_is_refused(fit):
    with pytest.raises(InvalidInput, match="threshold: a score is needed, got nan"):
        q.agents.hazard(fit, np.nan)
    with pytest.raises(InvalidInput, match="turns: they are chosen levels, and item is drawn"):
        q.agents.hazard(fit, 2, turns="item")
    with pytest.raises(InvalidInput, match="levels: a score is of 1 or more levels of judge, got turn: 2"):
        q.agents.hazard(fit, 2, levels={"turn": 2})
    named = q.decompose(q.read(talks().with_columns(turn=pl.concat_str(pl.lit("t"), "turn")), announce=False))
    with pytest.raises(InvalidInput, match='turn: levels in the order of the conversation are numbers, got "t1"'):
        q.agents.hazard(named, 2)
    once = q.decompose(q.read(talks(turns=1), announce=False))
    with pytest.raises(NotEstimable, match="turn: one level"):
        q.agents.hazard(once, 2)
