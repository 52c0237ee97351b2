from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.caveats import unequal_weights
from quorate.errors import InvalidInput

Z = stats.norm.ppf(0.975)


@pytest.fixture(scope="module")
def table():
    """Four items, two prompts, two judges: 16 scores to do sums with."""
    score = np.array([[[1, 2], [3, 2]], [[2, 4], [4, 5]], [[5, 6], [6, 9]], [[4, 4], [5, 8]]], dtype=float)
    item, prompt, judge = (axis.ravel() for axis in np.indices(score.shape))
    frame = pl.DataFrame({"item": item, "prompt": prompt, "judge": judge}).cast(pl.String)
    return score, q.read(frame.with_columns(score=score.ravel()), facets={n: n for n in ("item", "prompt", "judge")})


@pytest.fixture(scope="module")
def result(table):
    return q.scores.naive(table[1])


def test_all_judgments_as_if_independent(table, result):
    y = table[0].ravel()
    se = y.std(ddof=1) / 4
    assert result.overall.value == pytest.approx(y.mean())
    assert result.overall.se == pytest.approx(se)
    assert (result.overall.low, result.overall.high) == pytest.approx((y.mean() - Z * se, y.mean() + Z * se))
    assert result.overall.n == 16


def test_every_single_configuration(table, result):
    score, _ = table
    assert len(result.single) == 4
    for one in result.single:
        y = score[:, int(one.labels["prompt"]), int(one.labels["judge"])]
        se = y.std(ddof=1) / 2
        assert one.naive.value == pytest.approx(y.mean())
        assert one.naive.se == pytest.approx(se)
        assert one.naive.high - one.naive.low == pytest.approx(2 * Z * se)
        assert one.misses == (abs(y.mean() - score.mean()) > Z * se)


@pytest.mark.slow
def test_the_target_is_the_mean_over_all_configurations(table, result):
    assert result.target == pytest.approx(table[0].mean())
    assert result.corrected.ends == q.decompose(table[1]).mean.ends


def test_the_corrected_standard_error_is_that_of_one_configuration_drawn_from_these(table, result):
    fit = q.decompose(table[1])
    drawn = {"judge": "sensitivity", "prompt": "population"}
    wanted = q.project(fit, items=4, prompts=1, judges=1, targets=drawn).se
    for one in result.single:
        assert one.corrected.se == pytest.approx(wanted)
        assert (one.corrected.low, one.corrected.high) == pytest.approx(
            (one.naive.value - Z * wanted, one.naive.value + Z * wanted)
        )


def test_summary(result):
    ratio = np.mean([one.naive.se / one.corrected.se for one in result.single])
    assert result.width_ratio == pytest.approx(ratio)
    assert result.underestimation == pytest.approx(1 - ratio)
    assert result.naive_coverage == np.mean([not one.misses for one in result.single])
    assert result.corrected_coverage == np.mean([not one.corrected_misses for one in result.single])
    naive_half = Z * result.overall.se
    assert result.too_narrow == pytest.approx(result.corrected.at(0.95).half_width / naive_half)
    out = result.to_dict()
    assert out["configurations"] == 4
    assert out["width_ratio"] == pytest.approx(ratio)


@pytest.mark.slow
def test_level(table):
    at = q.scores.naive(table[1], level=0.5)
    assert at.overall.high - at.overall.low == pytest.approx(2 * stats.norm.ppf(0.75) * at.overall.se)
    assert at.single[0].naive.high < q.scores.naive(table[1]).single[0].naive.high


def test_replicates_do_not_count_as_items(simulate):
    frame = simulate({"item": 6, "prompt": 2}, replicates=5, seed=1)
    got = q.scores.naive(q.read(frame, facets={"item": "item", "prompt": "prompt", "replicate": "replicate"}))
    means = frame.filter(pl.col("prompt") == "prompt0000").group_by("item").agg(pl.col("score").mean())["score"]
    one = next(one for one in got.single if one.labels == {"prompt": "prompt0000"})
    assert one.naive.n == 6
    assert one.naive.se == pytest.approx(means.std() / np.sqrt(6))
    assert got.overall.n == 60


def test_the_single_configuration_is_too_narrow_on_average(judged):
    """Prompts and judges far apart: the naive interval of a configuration misses the mean over all."""
    sd = {"prompt": 3.0, "judge": 3.0, "item:prompt": 0.1, "item:judge": 0.1}
    got = q.scores.naive(judged({"item": 50, "prompt": 5, "judge": 4}, sd=sd, seed=2))
    assert got.naive_coverage < 0.3 < got.corrected_coverage
    assert got.underestimation > 0.5
    assert got.too_narrow > 1


def test_configurations_with_one_item_are_skipped_and_counted(simulate):
    frame = simulate({"item": 8, "prompt": 3}, seed=1)
    gone = (pl.col("prompt") == "prompt0002") & (pl.col("item") != "item0000")
    got = q.scores.naive(q.read(frame.filter(~gone), facets={"item": "item", "prompt": "prompt"}))
    assert len(got.single) == 2
    assert got.skipped == 1


@pytest.mark.slow
def test_one_call_per_item_is_a_single_configuration_each(simulate):
    """What varies by item is one sum, and one configuration weighs all of it alike."""
    frame = simulate({"item": 36, "prompt": 3, "judge": 3}, seed=1)
    number = pl.col("item").str.slice(-4).cast(pl.Int64)
    own = (number % 3 == pl.col("judge").str.slice(-1).cast(pl.Int64)) & (
        number // 3 % 3 == pl.col("prompt").str.slice(-1).cast(pl.Int64)
    )
    judgments = q.read(frame.filter(own), facets={name: name for name in ("item", "prompt", "judge")})
    fit, got = q.decompose(judgments), q.scores.naive(judgments)
    by_item = fit.variances["item + item:prompt + item:judge + cell + replicate"]
    others = fit.variance("prompt") + fit.variance("prompt:judge") + fit.variance("judge")
    assert [one.naive.n for one in got.single] == [4] * 9
    assert got.single[0].corrected.se == pytest.approx(math.sqrt(by_item / 4 + others))


def test_where_the_data_cannot_tell_the_corrected_interval_is_unknown(simulate):
    """One judge answered three times, the other once: what two answers of the other would give is not known."""
    frame = simulate({"item": 12, "prompt": 3, "judge": 2}, replicates=3, seed=1)
    once = frame.filter((pl.col("judge") == "judge0000") | (pl.col("replicate") == 0))
    judgments = q.read(once, facets={name: name for name in ("item", "prompt", "judge", "replicate")})
    got = q.scores.naive(judgments, q.decompose(judgments, residual_by="judge"))
    assert math.isnan(got.single[0].corrected.se)
    assert "differently" in got.reason
    assert math.isnan(got.corrected_coverage)
    assert math.isnan(got.width_ratio)
    assert 0 <= got.naive_coverage <= 1


def test_a_mean_outside_the_naive_interval_is_explained(simulate):
    """Every other item was judged ten times as often, and scores higher."""
    often = pl.col("item").str.slice(-1).cast(pl.Int64) % 2 == 0
    frame = simulate({"item": 20}, replicates=10, seed=1).with_columns(
        score=pl.col("score") + pl.when(often).then(9).otherwise(0)
    )
    facets = {"item": "item", "replicate": "replicate"}
    got = q.scores.naive(q.read(frame.filter(often | (pl.col("replicate") == 0)), facets=facets))
    assert got.target < got.overall.low
    assert got.caveats == (unequal_weights(got.overall.value, got.target),)
    assert q.scores.naive(q.read(frame, facets=facets)).caveats == ()


def test_equal_scores_need_no_explanation(table):
    same = q.scores.naive(table[1])
    flat = replace(
        same, overall=replace(same.overall, law=lambda _: (same.target, same.target), value=same.target + 1e-15)
    )
    assert flat.caveats == ()


def test_a_given_fit_is_used(table):
    fit = q.decompose(table[1], random=["item", "prompt"])
    got = q.scores.naive(table[1], fit)
    assert got.corrected.se == fit.mean.se
    assert got.single[0].corrected.se == pytest.approx(
        math.sqrt(fit.variance("item") / 4 + fit.variance("prompt") + fit.variance("judge") + fit.variance("cell") / 4)
    )


@pytest.mark.slow
def test_targets_leave_out_what_the_source_paper_leaves_out(table):
    """Messing (2026), Table 14: the spread of judges is no part of the error of one configuration there."""
    fit = q.decompose(table[1])
    found = q.scores.naive(table[1], fit, targets={"judge": "panel"})
    drawn = {"judge": "panel", "prompt": "population"}
    wanted = q.project(fit, items=4, prompts=1, judges=1, targets=drawn).se
    assert [one.corrected.se for one in found.single] == pytest.approx([wanted] * 4)
    assert wanted < q.scores.naive(table[1], fit).single[0].corrected.se


def test_the_truth_of_a_level(table, result):
    """Messing (2026), Table 14, MMLU: every system is held against its own mean."""
    score, judgments = table
    found = q.scores.naive(judgments, truth="by:judge")
    for one in found.single:
        own = score[:, :, int(one.labels["judge"])].mean()
        assert one.target == pytest.approx(own)
        assert one.misses == (abs(one.naive.value - own) > Z * one.naive.se)
    assert found.target == result.target
    assert {one.target for one in result.single} == {result.target}


@pytest.mark.parametrize("truth", ["by:item", "judge", "by:nobody", ""])
def test_a_truth_that_there_is_not(table, truth):
    with pytest.raises(InvalidInput, match='truth: "grand" or one of "by:prompt", "by:judge" is needed'):
        q.scores.naive(table[1], truth=truth)
