"""Accuracy with intervals for what was drawn."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.estimate.agreement.accuracy import accuracy


@pytest.fixture(scope="module")
def llmbar(shared):
    """The complete core: 419 items, 6 judges, 8 prompts, both orders."""
    rows = pl.read_parquet(shared / "data" / "llmbar_judges_prompts.parquet")
    rows = rows.filter(pl.col("subset").cast(pl.String).str.starts_with("LLMBar"))
    judges = rows.group_by("prompt").agg(pl.col("judge").n_unique())
    rows = rows.join(judges.filter(pl.col("judge") == 6).select("prompt"), on="prompt")
    facets = {"item": "item", "judge": "judge", "prompt": "prompt", "position": "swapped"}
    right = rows.with_columns(score=pl.col("correct").cast(pl.Float64))
    return q.read(right, facets=facets, fixed=("judge", "position"), announce=False)


@pytest.mark.slow
def test_judges_and_prompts_on_llmbar(llmbar):
    found = {(one.facet, one.level): one for one in accuracy(llmbar)}
    assert len(found) == 1 + 6 + 8
    whole, best, falcon = found["all", "all"], found["judge", "GPT-4"], found["judge", "Falcon"]
    assert best.value == pytest.approx(0.836, abs=5e-4)
    assert (whole.drawn, best.drawn) == (("item", "judge", "prompt"), ("item", "prompt"))
    assert not any(one.reason for one in found.values())
    for one in found.values():
        assert one.high - one.low > 2.4 * (one.naive_high - one.naive_low)
    assert whole.high - whole.low > 4 * (falcon.high - falcon.low)  # other judges could be as bad or as good
    assert falcon.low < 0.538 < falcon.high


def test_it_is_the_mean_and_its_interval(judged):
    table = judged({"item": 40, "prompt": 3, "judge": 3}, seed=1, sd={"item": 0.1, "prompt": 0.01, "judge": 0.01})
    scaled = q.read(
        pl.DataFrame({"item": ["a", "a", "b", "b"] * 2, "judge": list("xy") * 4, "prompt": ["p"] * 4 + ["q"] * 4,
                      "score": [1, 1, 0, 1, 1, 0, 0, 1]}), announce=False)  # fmt: skip
    whole = accuracy(scaled)[0]
    estimate = q.decompose(scaled).mean_for(judge="population", prompt="population")
    assert whole.value == estimate.value
    assert whole.low == max(estimate.ends[0], 0)
    assert whole.naive_low < 0.625 < whole.naive_high
    with pytest.raises(InvalidData, match="from 0 to 1; got"):
        accuracy(table)
    with pytest.raises(InvalidInput, match="level: must lie"):
        accuracy(scaled, level=2)


def test_where_there_is_no_interval_the_reason_is_given():
    rows = {"item": ["a", "b"], "judge": ["x", "y"], "score": [1.0, 0.0]}
    found = {one.level: one for one in accuracy(q.read(pl.DataFrame(rows), announce=False))}
    assert found["x"].value == 1
    assert found["x"].reason
    assert found["x"].to_dict()["low"] is None
