"""Aliasing: what plans leave together is what the data then leave together, and the pilot tells it."""

from __future__ import annotations

import time

import numpy as np
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.planning.assign import assign
from quorate.planning.assignment import aliasing

JUDGES, PROMPTS = ("a", "b", "c"), ("x", "y")
WHOLE = frozenset({"cell", "replicate"})
KNOWN = [
    ("factorial", PROMPTS, {}, {WHOLE}),
    ("factorial", PROMPTS, {"replicates": 2}, set()),
    ("random", (), {}, {WHOLE | {"item"}}),
    ("cyclic", (), {}, {WHOLE | {"item"}}),
    ("cyclic", (), {"replicates": 2}, {frozenset({"item", "cell"})}),
    ("cyclic", PROMPTS, {}, {frozenset({"item", "item:judge"}), WHOLE | {"item:prompt"}}),
    ("weighted", (), {"places": {"a": 3, "b": 1, "c": 1}}, {WHOLE | {"item"}}),
    ("latin", PROMPTS, {}, {WHOLE | {"item", "item:prompt", "item:judge"}}),
    ("latin", PROMPTS, {"per_item": 2}, {WHOLE | {"item:prompt", "item:judge"}}),
    ("blocks", (), {"per_item": 2}, {WHOLE}),
    ("cyclic", (), {"generations": 2}, {WHOLE | {"generation", "item:judge"}}),
    ("cyclic", (), {"generations": 6}, {WHOLE | {"generation"}}),
]


def scored(one):
    """The judgments of an assignment, read back from a table with scores."""
    import polars as pl

    frame = one.to_frame("polars").with_columns(score=pl.Series(np.random.default_rng(1).normal(size=len(one))))
    facets = {name: name for name in one.columns}
    return q.read(frame, facets=facets, nested=dict(one.nested))


@pytest.mark.parametrize(("layout", "prompts", "options", "expected"), KNOWN)
@pytest.mark.parametrize("pilot", [0, pytest.param(4, marks=pytest.mark.slow)])
def test_what_a_plan_leaves_together_the_data_leave_together(layout, prompts, options, expected, pilot):
    one = assign(items=36, judges=JUDGES, prompts=prompts, layout=layout, pilot=pilot, **options)
    found = one.aliasing
    assert set(found.aliases) == (set() if pilot else expected)
    assert set(q.decompose(scored(one)).aliases) == set(found.aliases)
    assert len(found.sentences) == len(found.aliases)


@pytest.mark.parametrize(("layout", "prompts", "options", "expected"), KNOWN)
def test_the_pilot_that_it_names_completes_it_and_a_smaller_does_not(layout, prompts, options, expected):
    plan = {"items": 36, "judges": JUDGES, "prompts": prompts, "layout": layout, **options}
    completion = assign(**plan).aliasing.completion
    if not expected:
        assert completion is None
        return
    done = assign(**plan, pilot=completion.items)
    assert done.aliasing.sentences == ()
    assert done.aliasing.completion is None
    if completion.items > 1:
        assert assign(**plan, pilot=completion.items - 1).aliasing.sentences
    first = done.column("item") == done.levels["item"][0]
    assert completion.calls == completion.items * first.sum()


def test_the_words():
    found = assign(items=141, judges=JUDGES, prompts=PROMPTS).aliasing
    (sentence,) = found.sentences
    assert sentence == (
        "only the sum item + item:prompt + item:judge + cell + replicate can be estimated: each item occurs with one "
        "prompt and one judge"
    )
    assert found.completion.sentence == (
        "pilot=1 is the least that tells them apart: 1 item x 2 prompts x 3 judges x 2 replicates, 12 calls "
        "(30 make the components worth planning with)"
    )
    assert found.remaining == ()


def test_what_no_pilot_tells():
    """With one prompt and one response there is nothing to cross."""
    found = assign(items=20, judges=JUDGES, prompts=["x"], layout="cyclic", generations=1).aliasing
    assert any("generation" in sentence for sentence in found.remaining)
    assert any("1 prompt" in sentence for sentence in found.remaining)
    single = assign(items=20, judges=["a"], layout="cyclic").aliasing
    assert any("1 judge" in sentence for sentence in single.remaining)


def test_one_item_says_so():
    found = assign(items=1, judges=JUDGES, layout="factorial").aliasing
    assert found.completion is None
    assert found.sentences == ("1 item: at least 2 are needed to estimate any variance between them",)


def test_judges_drawn_from_a_population():
    one = assign(items=30, judges=JUDGES, layout="cyclic")
    assert aliasing(one, fixed=(), period=3).aliases == (frozenset({"item", "cell", "replicate"}),)
    crossed = assign(items=30, judges=JUDGES, layout="factorial")
    assert not [one for one in aliasing(crossed, fixed=()).sentences if one.startswith("judge")]


@pytest.mark.parametrize("sizes", [[2] * 30, [1] * 60, [40, 1, 1]])
def test_categories_are_seen_however_small_they_are(sizes):
    topics = [f"t{topic}" for topic, size in enumerate(sizes) for _ in range(size)]
    one = assign(items=len(topics), categories=topics, judges=JUDGES, layout="blocks", per_item=2)
    assert set(one.aliasing.aliases) == set(q.decompose(scored(one)).aliases)


def test_a_large_plan_is_looked_at_in_a_few_periods():
    one = assign(items=200_000, judges=[f"j{i}" for i in range(10)], prompts=[f"p{i}" for i in range(10)])
    start = time.process_time()
    assert one.aliasing.completion.items == 1
    assert time.process_time() - start < 10


def test_a_period_can_be_too_large():
    one = assign(items=2000, judges=[f"j{i}" for i in range(1000)])
    with pytest.raises(NotEstimable, match=r"at most; here these have 10,000$"):
        one.aliasing  # noqa: B018
