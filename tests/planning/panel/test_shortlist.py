"""What a pilot says of a pool: variances of one answer, and the usual alternatives written out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.panel.crossed import crossed_scores
from quorate.numerics.distributions import t_quantile
from quorate.numerics.panel.grubbs import grubbs
from quorate.numerics.panel.subsets import Choice
from quorate.planning.panel.shortlist import JudgePool, alternatives, beyond_cells, facts, stability


def table(items=20, generations=1, judges=5, seed=0):
    rng = np.random.default_rng(seed)
    shape = (items, generations, judges)
    return (
        rng.normal(size=(items, 1, 1))
        + 0.5 * rng.normal(size=judges)
        + 0.7 * rng.normal(size=(items, generations, 1))
        + 0.6 * rng.normal(size=(items, 1, judges))
        + 0.8 * rng.normal(size=shape)
    )


def pool(x, budget=100.0, item=0.0, price=None, *, corrected=True):
    pilot = facts(x, np.zeros(x.shape[-1]))
    price = (np.ones(x.shape[-1]) if price is None else np.array(price, dtype=float)) + item
    choice = Choice(pilot.spread, pilot.error(corrected=corrected), price, budget, None, 1, x.shape[-1])
    return JudgePool(tuple("abcdefgh"[: x.shape[-1]]), price, item, pilot, choice, corrected, len(x))


def test_one_generation_is_a_two_way_table():
    x = table()
    found = facts(x, np.zeros(5))
    assert found.noise == pytest.approx(grubbs(x[:, 0]).shrunk(np.arange(5)))
    assert found.spread.mean() == pytest.approx(x[:, 0].var(axis=0, ddof=1).mean())
    assert found.together == pytest.approx(x[:, 0].mean(axis=1).var(ddof=1))


@pytest.mark.parametrize("generations", [2, 4])
def test_one_answer_varies_more_than_the_mean_of_several(generations):
    """Over many items: 1 + .49 + .36 + .64 for one judgment, 1 + .49 + 1 / K for the mean of all judges."""
    found = facts(table(items=20_000, generations=generations), np.zeros(5))
    assert found.spread == pytest.approx(np.full(5, 2.49), rel=0.03)
    assert float(found.together) == pytest.approx(1.49 + 1 / 5, rel=0.03)
    assert found.noise == pytest.approx(np.full(5, 0.36 + 0.64 / generations), rel=0.05)


def test_repeated_answers_are_taken_apart():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 1, 3)) + 0.5 * rng.normal(size=(400, 4, 3))
    rows = [{"item": i, "replicate": r, "judge": "abc"[j], "score": x[i, r, j]} for i, r, j in np.ndindex(x.shape)]
    judgments = q.read(pl.DataFrame(rows), announce=False)
    scores = crossed_scores(judgments)
    assert beyond_cells(judgments, scores) == pytest.approx(np.full(3, 0.25 * 3 / 4), rel=0.1)
    single = judgments.only("judge", "a")
    assert single.n.max() == 4
    once = q.read(pl.DataFrame(rows).filter(pl.col("replicate") == 0), announce=False)
    assert (beyond_cells(once, crossed_scores(once)) == 0).all()


def test_what_is_usually_done_written_out():
    x, price = table(), [1, 1, 2, 4, 10]
    made = pool(x, item=0.5, price=price)
    crossed, in_turn, single, drawn = alternatives(made, 100.0, 2)
    assert (crossed.items, crossed.calls, crossed.cost) == (5, 25, 5 * 18.5)
    assert crossed.se == pytest.approx(np.sqrt(x[:, 0].mean(axis=1).var(ddof=1) / 5))
    assert in_turn.items_per_judge == (4,) * 5
    assert in_turn.cost == pytest.approx(4 * (18 + 2.5))
    assert in_turn.se == pytest.approx(np.sqrt(made.pilot.spread.sum() / 4) / 5)
    one = "abcde".index(single.judges[0])
    assert single.se == pytest.approx(
        np.sqrt(made.pilot.spread[one] / single.items + made.pilot.effects.covariance[one, one])
    )
    assert drawn.items == int(100 / 4.1)
    tau2 = np.trace(made.pilot.error(corrected=False)) / 4
    between = tau2 * 4 / 5 / 2 * (5 - 2) / (5 - 1)  # Proposition 1, whose variance has the divisor K
    assert drawn.se_uncorrected**2 == pytest.approx(made.pilot.spread.mean() / drawn.items + between, rel=1e-6)
    assert drawn.se < drawn.se_uncorrected


def test_one_judge_at_random_is_a_single_judge_on_average():
    made = pool(table(), budget=50.0)
    drawn = list(alternatives(made, 50.0, 1))[-1]
    each = [made.panel("", np.arange(5) == j) for j in range(5)]
    assert drawn.label == "1 judge drawn at random, in turn"
    assert drawn.se**2 == pytest.approx(np.mean([panel.se**2 for panel in each]), rel=1e-6)
    assert drawn.se_uncorrected**2 == pytest.approx(np.mean([panel.se_uncorrected**2 for panel in each]), rel=1e-6)


def test_what_the_money_does_not_buy_is_left_out():
    labels = [panel.label for panel in alternatives(pool(table(), budget=3.0), 3.0, 2)]
    assert labels == ["the best single judge", "2 judges drawn at random, in turn"]


def test_the_value_is_what_was_asked_for():
    for corrected in (True, False):
        made = pool(table(), corrected=corrected)
        panel = made.panel("", np.array([True, True, False, False, False]))
        half = panel.half_width if corrected else panel.half_width_uncorrected
        assert made.half_width(panel) == made.value(panel) == half
    assert panel.half_width == pytest.approx(t_quantile(panel.df, 0.975) * panel.se)
    left = made.pilot.effects.covariance[:2, :2].sum() / 4
    parts = (panel.se**2 - left, panel.items - 2), (left, 19)
    assert panel.df == pytest.approx(panel.se**4 / sum(part**2 / df for part, df in parts))


def test_pilots_drawn_again_in_pieces_are_the_same(monkeypatch):
    x = table()
    made = pool(x)
    members = np.ones(5, dtype=bool)
    panel = made.panel("", members)
    whole = stability(made, x, np.zeros(5), panel, 6, np.random.default_rng(1))
    monkeypatch.setattr("quorate.planning.panel.shortlist._MOST_NUMBERS", 2 * x.size)
    assert stability(made, x, np.zeros(5), panel, 6, np.random.default_rng(1)) == whole
