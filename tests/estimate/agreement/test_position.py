"""Position bias, by hand and on the judges of LLMBar."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.battles import position_bias
from quorate.numerics.votes.binomial import p_value


def votes_of(rows, **reading):
    columns = ["prompt", "judge", "model_a", "model_b", "swapped", "winner"]
    return q.read_votes(pl.DataFrame(rows, schema=columns, orient="row"), announce=False, **reading)


def both_orders(outcomes, judge="llm"):
    """Battles of x and y: the winner when x is shown first, and when y is."""
    return [
        (f"p{i:03d}", judge, "x", "y", swapped, winner)
        for i, pair in enumerate(outcomes)
        for swapped, winner in zip((False, True), pair, strict=True)
    ]


def test_quality_cancels():
    """x always wins: no bias, all consistent."""
    found = position_bias(votes_of(both_orders([("x", "x")] * 5)))[0]
    assert (found.bias, found.battles, found.consistent, found.p) == (0, 5, 1, 1)
    assert (found.first, found.when_first, found.when_second) == (0.5, 1, 1)


def test_first_always_wins():
    found = position_bias(votes_of(both_orders([("x", "y")] * 10)))[0]
    assert (found.bias, found.consistent) == (0.5, 0)
    assert found.p == 2**-9
    assert np.isnan(found.low)
    assert (found.when_first, found.when_second) == (1, 0)


def test_the_last_is_preferred_and_a_tie_is_half():
    rows = both_orders([("y", "x")] * 6 + [("x", "x")] * 3 + [("x", "tie")] * 3)
    found = position_bias(votes_of(rows))[0]
    lean = np.array([-0.5] * 6 + [0.0] * 3 + [0.25] * 3)
    assert found.bias == pytest.approx(lean.mean())
    assert (found.low + found.high) / 2 == pytest.approx(lean.mean())
    assert found.high - found.low == pytest.approx(2 * 2.2009852 * lean.std(ddof=1) / np.sqrt(12))  # qt(.975, 11)
    assert found.consistent == 0.25
    assert found.high <= 0.5
    assert "shows no preference" in found.sentence or "prefers the last" in found.sentence


@pytest.mark.parametrize("kept", range(4))
def test_without_ties_the_test_is_that_of_mcnemar(kept):
    """9 - kept battles for the first in both orders, kept for the last, and 5 without a bias."""
    rows = both_orders([("x", "y")] * (9 - kept) + [("y", "x")] * kept + [("x", "x")] * 5)
    assert position_bias(votes_of(rows))[0].p == pytest.approx(float(p_value(kept, 9)))


def test_fewer_battles_for_the_first_are_never_a_smaller_p():
    found = [
        position_bias(votes_of(both_orders([("x", "y")] * (20 - k) + [("x", "x")] * k)))[0] for k in range(0, 20, 3)
    ]
    assert [one.p for one in found] == sorted(one.p for one in found)
    assert all("nan" not in one.sentence and one.high <= 0.5 for one in found[1:])
    assert "nan" not in found[0].sentence


def test_ties_in_both_orders_are_no_win():
    found = position_bias(votes_of(both_orders([("tie", "tie")] * 4 + [("x", "x")])))[0]
    assert (found.consistent, found.p) == (0.2, 1)


def test_signs_of_unequal_biases_are_tried_in_every_way():
    """Biases of .5, .5 and .25: 2 of 8 ways add up to 1.25."""
    rows = both_orders([("x", "y")] * 2 + [("x", "tie")])
    assert position_bias(votes_of(rows))[0].p == 0.25


def test_many_battles_by_the_normal_law():
    exact, normal = (
        position_bias(votes_of(both_orders([("x", "y")] * n + [("y", "x")] * (m - n))))[0].p
        for n, m in ((270, 500), (271, 502))
    )
    assert exact == pytest.approx(normal, rel=0.15)


def test_orders_weigh_equally_when_votes_do_not():
    """One battle shown four times in one order, of which the first wins all, and once in the other."""
    rows = [(f"p{i}", "llm", "x", "y", False, "x") for i in (1, 2) for _ in range(4)]
    rows += [(f"p{i}", "llm", "x", "y", True, "x") for i in (1, 2)]
    assert position_bias(votes_of(rows))[0].bias == 0


def test_turning_pairs_and_orders_changes_nothing():
    rng = np.random.default_rng(1)
    pairs = [tuple("xy"[side] for side in rng.integers(2, size=2)) for _ in range(30)]
    rows = both_orders(pairs)
    turned = [(p, j, b, a, not swapped, winner) for p, j, a, b, swapped, winner in rows]
    one, two = (position_bias(votes_of(each))[0] for each in (rows, turned))
    assert one == two


def test_orders_that_were_not_both_shown():
    rows = [("p1", "llm", "x", "y", False, "x"), ("p2", "llm", "x", "y", True, "x")]
    with pytest.raises(NotEstimable, match="no battle was judged in both orders by one judge"):
        position_bias(votes_of(rows))
    with pytest.raises(InvalidInput, match="which response was shown first is not known"):
        position_bias(votes_of(rows, order=""))
    with pytest.raises(InvalidInput, match="level: must lie"):
        position_bias(votes_of(rows), level=1.5)


def test_llmbar_judges(shared):
    """Falcon picks the first response in 81% of cases; GPT-4 is nearly free of it."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    named = rows.with_columns(model_a=pl.lit("output 1"), model_b=pl.lit("output 2"))
    votes = q.read_votes(named, prompt="item", facets={"variant": "prompt"}, announce=False)
    found = {one.judge: one for one in position_bias(votes)}
    assert found["Falcon"].first == pytest.approx(0.81, abs=0.005)
    assert found["Falcon"].consistent < 0.3
    assert abs(found["GPT-4"].bias) < 0.005
    assert found["LLaMA2"].bias < 0
    assert found["LLaMA2"].p < 0.01
    assert [one.judge for one in found.values() if one.bias > 0.05] == ["ChatGPT", "ChatGPT-0301", "Falcon", "PaLM2"]
