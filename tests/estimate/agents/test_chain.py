from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownColumn


def orthogonal(n: int, k: int, seed: int = 1):
    """Columns of mean 0, variance 1 and correlation 0, exactly."""
    drawn = np.random.default_rng(seed).normal(size=(n, k))
    return np.linalg.qr(drawn - drawn.mean(axis=0))[0].T * np.sqrt(n)


def test_a_linear_gaussian_chain():
    """Closed form of y = .9 (.8 a + .6 e) + sqrt(.19) u: .81 x .64, .81 x .36 and .19; terms of order 1/n are left."""
    first, added, noise = orthogonal(8_000, 3)
    second = 0.8 * first + 0.6 * added
    last = 0.9 * second + np.sqrt(0.19) * noise
    found = q.agents.chain({"plan": first, "code": second, "test": last}, ["plan", "code", "test"])
    assert [one.share for one in found.links] == pytest.approx([0.5184, 0.2916, 0.19], abs=1e-3)
    assert sum(one.variance for one in found.links) == pytest.approx(found.variance)
    assert found.variance == pytest.approx(np.var(last, ddof=1))
    assert found.caveats == ()
    assert found.sentence.startswith("Of the variance of test over 8,000 runs, 51.8% comes from plan")


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 100), st.floats(-10, 10))
def test_shares_add_up_to_the_whole_in_any_unit(seed, scale, shift):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=60)
    b = a**2 + rng.normal(size=60)
    y = b + rng.normal(size=60)
    found = [q.agents.chain({"a": a, "b": b, "y": shift + s * y}, ["a", "b", "y"]).links for s in (1.0, scale)]
    assert sum(one.share for one in found[0]) == pytest.approx(1)
    assert [one.share for one in found[1]] == pytest.approx([one.share for one in found[0]], abs=1e-6)
    assert all(0 <= one.low <= one.high <= 1 for one in found[0])


def test_curves_words_and_several_columns():
    rng = np.random.default_rng(4)
    size, kind = rng.normal(size=3000), rng.choice(["easy", "hard"], 3000)
    score = size**2 + 2.0 * (kind == "hard") + rng.normal(size=3000)
    frame = pl.DataFrame({"size": size, "kind": kind, "score": score})
    alone = q.agents.chain(frame, ["kind", "score"]).links[0]
    assert alone.share == pytest.approx(1 / 4, abs=0.03)
    both = q.agents.chain(frame, [("size", "kind"), "score"]).links[0]
    assert both.stage == "size and kind"
    assert both.share == pytest.approx(3 / 4, abs=0.03)
    assert both.degree >= 2


def test_something_that_passes_by_a_stage_is_said():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 400))
    found = q.agents.chain({"a": a, "b": b, "y": a + 0.3 * rng.normal(size=400)}, ["a", "b", "y"])
    assert [one.code for one in found.caveats] == ["no-chain"]
    assert found.links[1].share < 0


def test_runs_that_resemble_each_other_tell_less():
    rng = np.random.default_rng(6)
    item = np.repeat(np.arange(30), 10)
    a = rng.normal(size=30)[item]
    columns = {"item": item, "a": a, "y": a + rng.normal(size=30)[item] + 0.1 * rng.normal(size=300)}
    alone, grouped = (q.agents.chain(columns, ["a", "y"], cluster=name).links[0] for name in (None, "item"))
    assert grouped.se > 2 * alone.se


def test_what_is_refused():
    columns = {
        "a": np.arange(30.0),
        "b": np.arange(30.0) ** 2,
        "word": ["x"] * 30,
        "said": ["x", "y", None] * 10,
        "hole": [None] + [1.0] * 29,
    }
    with pytest.raises(UnknownColumn, match='source: no column "c"'):
        q.agents.chain(columns, ["a", "c"])
    for stages, message in [
        (["a"], "stages: two or more"),
        (["a", "word"], "stages: the last is one column of numbers"),
        (["a", ("b", "a")], "stages: the last is one column of numbers"),
        (["hole", "b"], "stages: hole has no value in 1 of 30 rows"),
        (["a", "hole"], "stages: hole has no value in 1 of 30 rows"),
        (["said", "b"], "stages: said has no value in 10 of 30 rows"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            q.agents.chain(columns, stages)
    with pytest.raises(NotEstimable, match="stages: 10 runs, and at least 20"):
        q.agents.chain({"a": np.arange(10.0), "b": np.arange(10.0)}, ["a", "b"])
    with pytest.raises(NotEstimable, match="stages: b: all 30 values are 2"):
        q.agents.chain({"a": np.arange(30.0), "b": np.full(30, 2.0)}, ["a", "b"])
