from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.panel.reversals import reversals

TABLE_1 = {"Qwen": (7.91, 7.87, 8.02), "Llama": (8.81, 8.71, 8.39), "GPT": (8.67, 6.90, 6.10)}
"""Zhu et al. (2026), Table 1: mean score by each judge of GPT, Llama and Qwen."""
SYSTEMS = ("GPT", "Llama", "Qwen")


def of(scores, judges, systems):
    """Scores of shape (items, judges, systems) as judgments."""
    item, judge, system = (axis.ravel() for axis in np.indices(scores.shape))
    rows = {"item": item, "judge": [judges[k] for k in judge], "system": [systems[k] for k in system]}
    return q.read(pl.DataFrame({**rows, "score": scores.ravel()}), announce=False)


def exactly(mean, noise, items=80, seed=1):
    """Scores whose means are as given."""
    mean = np.array(mean)
    scores = noise * np.random.default_rng(seed).normal(size=(items, *mean.shape))
    return scores - scores.mean(axis=0) + mean


def table_1(noise):
    return of(exactly(list(TABLE_1.values()), noise), list(TABLE_1), SYSTEMS)


def test_table_1_qwen_alone_would_put_qwen_first():
    found = reversals(table_1(0.2))
    assert found.order == ("GPT", "Llama", "Qwen")
    by = {one.judge: one for one in found.judges}
    assert by["Qwen"].order == ("Qwen", "GPT", "Llama")
    assert by["Llama"].order == by["GPT"].order == found.order
    assert [one.top_differs for one in (by["Qwen"], by["Llama"], by["GPT"])] == [True, False, False]
    assert (by["Qwen"].tau, by["Llama"].tau, by["GPT"].tau) == pytest.approx((-1 / 3, 1, 1))
    assert {(one.judge, one.first, one.second) for one in found.sure} == {
        ("Qwen", "GPT", "Qwen"),
        ("Qwen", "Llama", "Qwen"),
    }
    assert found.sentence == "Qwen alone would put Qwen first; the panel puts GPT first (sure)."


def test_table_1_holds_the_means_and_those_of_the_panel():
    found = reversals(table_1(0.7))
    at = {(one.judge, one.system): one for one in found.table}
    for judge, row in TABLE_1.items():
        assert [at[judge, system].mean for system in SYSTEMS] == pytest.approx(row)
    assert at[None, "Qwen"].mean == pytest.approx((8.02 + 8.39 + 6.10) / 3)
    one = at["Qwen", "GPT"]
    assert one.high - one.low == pytest.approx(2 * stats.t.ppf(0.975, 79) * one.se)
    assert (one.n, at[None, "GPT"].n, one.df) == (80, 240, 79)


def test_systems_that_are_equal_are_said_to_be():
    """The last judge has x and y equal, and z before both; another has y first with z."""
    means = [[2.0, 1.0, 0.0], [3.0, 1.0, 0.0], [1.0, 1.0, 2.0], [0.0, 2.0, 2.0]]
    found = reversals(of(exactly(means, 0.0, items=4) + np.arange(4)[:, None, None], list("abcd"), tuple("zyx")))
    assert (found.order, found.tied) == (("z", "y", "x"), ())
    assert {one.judge: (one.order, one.tied) for one in found.judges} == {
        "a": (("z", "y", "x"), ()),
        "b": (("z", "y", "x"), ()),
        "c": (("x", "z", "y"), ("y",)),
        "d": (("y", "x", "z"), ("x",)),
    }
    equal = reversals(of(exactly([[1.0, 2.0], [2.0, 1.0]], 0.0, items=4), ("a", "b"), ("x", "y")))
    assert equal.tied == ("y",)
    assert not any(one.top_differs for one in equal.judges)


def test_with_more_noise_the_same_reversal_is_possible_only():
    """The paper's interval for Qwen on itself is 0.16 to each side: a standard deviation of 0.73 by scenario."""
    found = reversals(table_1(0.73))
    assert found.sure == ()
    assert found.possible[0].alone.value == pytest.approx(-0.15, abs=0.05)
    assert found.sentence == "Qwen alone would put Qwen first; the panel puts GPT first (possible)."


def test_differences_are_the_paired_t_of_both_sides():
    scores = exactly(list(TABLE_1.values()), 0.5)
    one = next(r for r in reversals(of(scores, list(TABLE_1), SYSTEMS)).found if r.first == "GPT")
    for side, values in ((one.panel, scores.mean(axis=1)), (one.alone, scores[:, 0])):
        wanted = stats.ttest_rel(values[:, 0], values[:, 2])
        assert (side.p, side.df) == pytest.approx((wanted.pvalue, 79))
        assert side.value == pytest.approx(wanted.statistic * side.se)
    assert one.panel.value > 0 > one.alone.value
    assert one.p_holm == pytest.approx(min(9 * max(one.panel.p, one.alone.p), 1))


def test_a_judge_that_carries_the_panel_is_seen_against_the_others_only():
    scores = of(exactly([[9, 5], [4, 5], [4, 5]], 0.2), "abc", "xy")
    assert {one.judge for one in reversals(scores).found} == {"b", "c"}
    others = reversals(scores, against="others")
    assert {(one.judge, one.first) for one in others.found} == {("a", "y"), ("b", "x"), ("c", "x")}
    assert others.sentences[0] == "a alone would put x first; the others put y first (sure)."
    assert [one.top_differs for one in others.judges] == [False, True, True]
    assert [one.top_differs_from_others for one in others.judges] == [True, True, True]
    assert [one.tau_others for one in others.judges] == [-1, -1, -1]


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_what_reverses_the_panel_reverses_the_others(seed):
    scores = of(np.random.default_rng(seed).normal(size=(8, 3, 4)), "abc", "wxyz")
    whole, others = (
        {(one.judge, one.first, one.second) for one in reversals(scores, against=against).found}
        for against in ("panel", "others")
    )
    assert whole <= others


@given(st.integers(0, 10**6))
def test_tau_counts_the_reversals(seed):
    found = reversals(of(np.random.default_rng(seed).normal(size=(8, 3, 4)), "abc", "wxyz"))
    for one in found.judges:
        swapped = sum(reversal.judge == one.judge for reversal in found.found)
        assert one.tau == pytest.approx(1 - 2 * swapped / 6)


def test_ties_reverse_nothing():
    found = reversals(of(exactly([[5, 5, 1], [6, 4, 1]], 0.1), "ab", "xyz"))
    assert found.found == ()
    assert found.judges[0].tau_others == pytest.approx(stats.kendalltau([5, 5, 1], [6, 4, 1]).statistic)
    flat = reversals(of(np.tile([[5.0, 5.0], [6.0, 4.0]], (3, 1, 1)) + np.arange(3.0)[:, None, None], "ab", "xy"))
    assert flat.found == ()
    assert not any(one.top_differs for one in flat.judges)
    assert np.isnan(flat.judges[0].tau)
    assert flat.sentence == "No judge alone would reverse the order of any two systems."


def test_pairs_below_the_top_are_told_too():
    found = reversals(of(exactly([[9, 5, 4], [9, 5, 4], [9, 4, 4.5]], 0.05), "abc", "xyz"))
    assert found.sentence == "c alone would put z above y (sure)."


def test_a_reversal_without_spread_is_not_called_chance():
    """Judge c puts y above x by 1 on every item."""
    scores = exactly([[9, 5], [9, 5], [4, 5]], 0.2)
    scores[:, 2, 1] = scores[:, 2, 0] + 1
    found = reversals(of(scores, "abc", "xy"))
    (one,) = found.without_spread
    assert (one.judge, one.verdict, one.sure, one.alone.value) == (
        "c",
        "no spread to judge by",
        False,
        pytest.approx(-1),
    )
    assert found.possible == found.sure == ()
    assert found.sentence == "c alone would put y first; the panel puts x first (no spread to judge by)."


def test_reversals_without_spread_are_counted_apart():
    mean = np.array([[9, 5, 4, 3, 2], [9, 5, 4, 3, 2], [9, 2, 3, 4, 5.0]])
    scores = exactly(mean, 0.05)
    scores[:, 2] = scores[:, 2, :1] + mean[2] - mean[2, 0]
    found = reversals(of(scores, "abc", "vwxyz"))
    assert found.sentence == "c alone would reverse 6 of 10 pairs, 0 of them for sure, 6 with no spread to judge by."


def test_many_pairs_are_counted():
    mean = [[9, 5, 4, 3, 2], [9, 5, 4, 3, 2], [9, 2, 3, 4, 5.0]]
    found = reversals(of(exactly(mean, 0.05), "abc", "vwxyz"))
    assert found.sentence == "c alone would reverse 6 of 10 pairs, 6 of them for sure."


def test_bad_input_is_refused(judged):
    judgments = judged({"item": 8, "judge": 3, "system": 2})
    with pytest.raises(InvalidInput, match="against: must be one of"):
        reversals(judgments, against="all")
    with pytest.raises(NotEstimable, match="1 system"):
        reversals(judgments.only("system", "system0000"))
    with pytest.raises(InvalidInput, match="level"):
        reversals(judgments, level=2)


@pytest.mark.slow
def test_one_judge_of_five_turns_two_subsets_round(shared):
    """RewardBench 2, base prompt: Math above Factuality for the panel; claude-haiku-4.5 sees it the other way."""
    frame = pl.read_parquet(shared / "data" / "rewardbench2_judges_k8.parquet").with_columns(
        pl.col("prompt", "judge", "subset").cast(pl.String)
    )
    frame = frame.filter(
        (pl.col("prompt") == "base") & (pl.col("temperature").is_null() | (pl.col("temperature") == 1))
    )
    roles = ("item", "response", "judge", "replicate", "subset")
    nested = {"response": "item", "item": "subset"}
    judgments = q.read(frame, facets={role: role for role in roles}, nested=nested, announce=False)
    found = reversals(judgments, system="subset")
    (one,) = found.sure
    assert (one.judge, one.first, one.second) == ("claude-haiku-4.5", "Math", "Factuality")
    assert (one.panel.value, one.alone.value) == pytest.approx((0.516, -0.379), abs=0.001)
    assert one.p_holm == pytest.approx(0.005, abs=0.001)
    assert [(r.judge, r.first, r.second) for r in found.possible] == [("gpt-5.4-nano", "Precise IF", "Math")]


def test_of_many_judges_it_is_said_how_many_would_reverse_an_order():
    rng = np.random.default_rng(3)
    rows = [
        (f"i{i}", f"j{j}", s, 3 * (s == "ab"[j % 2]) + rng.normal()) for i in range(40) for j in range(7) for s in "ab"
    ]
    found = reversals(scores_table(rows, "item judge system score"))
    assert len(found.sentences) == 3
    said = "3 of 7 judges alone would reverse the order of some systems, 3 of them for sure: j1, j3 and j5."
    assert found.sentence == said


def test_of_many_judges_none_of_whom_surely_turns_an_order_that_is_said():
    """Each of three gives its own answers a little more, and systems are alike otherwise."""
    rng, names = np.random.default_rng(3), ("a", "b", "c")
    rows = [(i, s, j, 5 + 0.3 * (s == j) + rng.normal()) for i in range(12) for s in names for j in names]
    frame = pl.DataFrame(rows, schema=["item", "system", "judge", "score"], orient="row")
    found = reversals(q.read(frame, announce=False))
    assert len(found.sentences) == 3
    assert not found.sure
    assert found.sentence == "3 of 3 judges alone would reverse the order of some systems, none of them for sure."
