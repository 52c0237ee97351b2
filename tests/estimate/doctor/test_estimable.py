from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.estimate.doctor.estimable import class_of, component_analyses, facets_of

SIZES = {"item": 24, "prompt": 3, "judge": 4}


def entries(judgments):
    return {one.name.removeprefix("component "): one for one in component_analyses(q.decompose(judgments))}


def one_call_per_item(judged):
    judgments = judged(SIZES)
    item, prompt, judge = (judgments.column(name) for name in SIZES)
    return judgments.keep((item % 3 == prompt) & (item // 3 % 4 == judge))


def test_a_crossed_design_with_replicates_tells_everything(judged):
    got = entries(judged(SIZES, replicates=2))
    assert all(one.possible and one.fix == "" for one in got.values())
    assert got["item"].reason == "24 items"
    assert got["item:prompt"].reason == "72 combinations of item and prompt"
    assert got["replicate"].reason == "576 answers in 288 cells"
    assert got["judge"].reason.startswith("spread of 4 judges")


def test_without_replicates_the_cell_includes_them(judged):
    got = entries(judged(SIZES))
    assert got["cell"].possible
    assert got["cell"].reason == "288 cells; includes the replicate noise, as no cell was judged twice"
    assert not got["replicate"].possible
    assert "judge some cells again" in got["replicate"].fix


def test_one_judge(judged):
    got = entries(judged(SIZES | {"judge": 1}))
    assert got["item"].reason == "only the sum item + item:judge can be estimated: 1 judge"
    assert got["item:prompt"].reason == "only the sum item:prompt + cell + replicate can be estimated: 1 judge"
    assert {one.fix for name, one in got.items() if name != "replicate"} == {"use at least 2 judges"}


def test_one_prompt_is_absorbed(judged):
    got = entries(judged(SIZES | {"prompt": 1}))
    assert (got["prompt"].reason, got["prompt"].fix) == ("1 prompt", "use at least 2 prompts")


def test_one_call_per_item(judged):
    got = entries(one_call_per_item(judged))
    assert got["prompt"].possible
    assert got["item"].reason == (
        "only the sum item + item:prompt + item:judge + cell + replicate can be estimated: "
        "each item occurs with one prompt and one judge"
    )
    assert got["item"].fix == "give each item more than one prompt or judge"


def test_a_category_that_is_not_declared(simulate):
    frame = simulate({"item": 9, "judge": 3}).with_columns(topic=pl.col("item").str.slice(4).cast(int) % 3)
    got = entries(q.read(frame, facets={name: name for name in ("item", "judge", "topic")}))
    assert got["item"].reason.endswith("each item occurs with one topic")
    assert got["item"].fix.endswith('declare nested={"item": "topic"} if the topic is a property of the item')


def test_replicates_that_only_repeat_are_known_to_be_zero(simulate):
    frame = simulate(SIZES)
    twice = pl.concat([frame, frame.with_columns(replicate=pl.lit(1, dtype=pl.Int64))])
    got = entries(q.read(twice, facets={name: name for name in (*SIZES, "replicate")}))
    assert got["replicate"].possible
    assert got["replicate"].reason.startswith("zero")


@pytest.mark.parametrize("replicates", [1, 2])
def test_what_is_said_is_what_the_fit_does(judged, replicates):
    """Every component that is called possible has a variance, and no other."""
    for judgments in (judged(SIZES, replicates=replicates), judged(SIZES | {"prompt": 1}), one_call_per_item(judged)):
        fit = q.decompose(judgments)
        for name, one in entries(judgments).items():
            if one.possible:
                assert fit.variance(name) >= 0
            else:
                with pytest.raises(q.NotEstimable):
                    fit.variance(name)


def test_classes_and_facets(judged):
    fit = q.decompose(one_call_per_item(judged))
    assert set(class_of(fit, fit.assembled.names.index("item"))) >= {"item", "cell", "replicate"}
    assert facets_of(fit, "cell") == {"item", "prompt", "judge"}
    assert facets_of(fit, "item:judge") == {"item", "judge"}
