from __future__ import annotations

import polars as pl
import pytest

import quorate as q


def codes(fit):
    return {caveat.code: str(caveat) for caveat in fit.caveats}


def test_a_large_complete_study_needs_none(judged):
    assert q.decompose(judged({"item": 40, "prompt": 6, "judge": 3}, replicates=2, seed=1)).caveats == ()


def test_few_items(judged):
    assert "29 items" in codes(q.decompose(judged({"item": 29, "prompt": 6}, seed=1)))["few-items"]


def test_one_and_two_levels(judged):
    found = codes(q.decompose(judged({"item": 40, "prompt": 2, "judge": 1}, seed=1)))
    assert "1 judge" in found["one-level"]
    two = codes(q.decompose(judged({"item": 40, "prompt": 2, "judge": 2}, replicates=2, seed=1)))
    assert "2 prompt levels" in two["few-levels"]
    assert "judge" not in two["few-levels"]  # a chosen panel rests on no degrees of freedom


def test_boundary_and_few_levels(judged):
    sd = {"prompt": 0.0, "item:prompt": 0.0, "prompt:judge": 0.0}
    for seed in range(20):
        fit = q.decompose(judged({"item": 40, "prompt": 3, "judge": 2}, replicates=2, sd=sd, seed=seed))
        if fit.variance("prompt") == 0:
            found = codes(fit)
            assert "prompt" in found["boundary"]
            assert "3 levels" in found["zero-few-levels"]
            return
    pytest.fail("no sample of 20 has a prompt variance at the boundary")


def test_missing_scores_are_counted(simulate):
    frame = simulate({"item": 40, "prompt": 6}, seed=1)
    frame = frame.with_columns(score=pl.when(pl.int_range(pl.len()) % 24 == 0).then(None).otherwise("score"))
    found = codes(q.decompose(q.read(frame, facets={"item": "item", "prompt": "prompt"})))
    assert "4.2%" in found["missing"]


def test_aliases_and_absorbed_terms(simulate):
    frame = simulate({"item": 45, "prompt": 3, "judge": 3}, seed=1)
    number = pl.col("item").str.slice(-4).cast(pl.Int64) % 3
    same = (number == pl.col("prompt").str.slice(-1).cast(pl.Int64)) & (
        number == pl.col("judge").str.slice(-1).cast(pl.Int64)
    )
    found = codes(q.decompose(q.read(frame.filter(same), facets={n: n for n in ("item", "prompt", "judge")})))
    assert "cell + item + item:judge + item:prompt + replicate" in found["aliased"]
    assert "prompt, prompt:judge" in found["absorbed"]


def test_a_residual_without_replicates_is_no_alias_to_mention(judged):
    assert "aliased" not in codes(q.decompose(judged({"item": 40, "prompt": 6, "judge": 3}, seed=1)))


def test_components_barely_told_apart(simulate):
    """Two judges who share one item of twelve thousand."""
    frame = simulate({"item": 12_000, "judge": 2}, seed=1)
    number = pl.col("item").str.strip_prefix("item").cast(pl.Int64)
    own = number % 2 == pl.col("judge").str.slice(-1).cast(pl.Int64)
    fit = q.decompose(q.read(frame.filter(own | (number == 0)), facets={"item": "item", "judge": "judge"}))
    assert "near-alias" in codes(fit)


def test_columns_left_over_where_rows_count_as_repeats(simulate):
    """A scale that nothing names: its levels look like replicates."""
    frame = simulate({"item": 30, "judge": 3}, replicates=2, seed=1).rename({"replicate": "scale_max"})
    facets = {"item": "item", "judge": "judge"}
    found = codes(q.decompose(q.read(frame, facets=facets, recognise=True, announce=False)))
    assert "not used so far: scale_max" in found["unnamed-replicates"]
    named = q.read(frame, facets=facets | {"scale": "scale_max"}, recognise=True, announce=False)
    assert "unnamed-replicates" not in codes(q.decompose(named))
    once = q.read(
        frame.filter(pl.col("scale_max") == frame["scale_max"][0]), facets=facets, recognise=True, announce=False
    )
    assert "unnamed-replicates" not in codes(q.decompose(once))
