"""Judgments below a key, in lists or as counts: read as one each, asked about, or refused."""

from __future__ import annotations

import json

import polars as pl
import pytest
from sheets import N, mark

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.reread import answers

EACH = [(i, {"judge": judge, "score": mark(i, at)}) for i in range(N) for at, judge in enumerate("abc")]
NESTED = {
    "lists of records": (
        [{"id": f"q{i}", "judgments": [one for at, one in EACH if at == i]} for i in range(N)],
        {"item": "id", "judge": "judge"},
    ),
    "names below": (
        [
            {"id": i, "model": f"m{i % 2}", "ratings": [{"model": j, "rating": mark(i, ord(j))} for j in "ab"]}
            for i in range(N)
        ],
        {"item": "id", "judge": "ratings.model", "system": "model"},
    ),
    "lists in lists": (
        [
            {
                "id": i,
                "judges": [{"name": j, "scores": [{"criterion": c, "score": mark(i)} for c in "xy"]} for j in "ab"],
            }
            for i in range(N)
        ],
        {"item": "id", "judge": "judges.name", "criterion": "criterion"},
    ),
    "judges by name": (
        [{"id": i, "judges": {j: {"score": mark(i, at)} for at, j in enumerate(("one", "two"))}} for i in range(N)],
        {"item": "id", "judge": "judge"},
    ),
    "levels of keys": (
        {
            f"q{i}": {
                "rater1": {"helpful": mark(i), "clear": mark(i, 1)},
                "rater2": {"helpful": mark(i, 2), "clear": 3},
            }
            for i in range(N)
        },
        {"item": "key", "judge": "key 2", "criterion": "criterion"},
    ),
    "models below what is judged": (
        {
            f"q{i}": {m: {"score": mark(i, at), "judge": "a"} for at, m in enumerate(("gpt-4", "llama"))}
            for i in range(N)
        },
        {"item": "key", "judge": "judge", "system": "key 2"},
    ),
    "judges below models": (
        {
            m: {f"q{i}": {f"judge-{j}": mark(i, at, j) for j in (1, 2)} for i in range(N)}
            for at, m in enumerate(("gpt-4", "llama"))
        },
        {"item": "key 2", "judge": "judge", "system": "key"},
    ),
    "columns": (
        {
            "item": [i for i, _ in EACH],
            "judge": [one["judge"] for _, one in EACH],
            "score": [one["score"] for _, one in EACH],
        },
        {"item": "item", "judge": "judge"},
    ),
    "columns of pandas": (
        {
            "item": {str(at): i for at, (i, _) in enumerate(EACH)},
            "score": {str(at): one["score"] for at, (_, one) in enumerate(EACH)},
        },
        {"item": "item"},
    ),
    "rows of pandas": (
        {"columns": ["item", "judge", "score"], "data": [[i, one["judge"], one["score"]] for i, one in EACH]},
        {"item": "item", "judge": "judge"},
    ),
    "results beside what was run": (
        {"model": "gpt", "results": [{"id": i, **one} for i, one in EACH]},
        {"item": "id", "judge": "judge"},
    ),
    "a score beside what it was made of": (
        [
            {"id": i, "score": mark(i), "criteria": [{"name": c, "score": mark(i, ord(c))} for c in "xy"]}
            for i in range(N)
        ],
        {"item": "id"},
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_judgments_below_what_is_judged(tmp_path, name):
    content, roles = NESTED[name]
    path = tmp_path / "table.json"
    path.write_text(json.dumps(content))
    table = q.read(path, announce=False)
    assert isinstance(table, Judgments)
    assert {facet.name: facet.column for facet in table.facets} == roles
    assert table.n_levels("item") == N


def test_votes_below_a_key(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"battles": [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * N}))
    assert q.read(path, announce=False).n_decisive == N


KEYED = [
    {"gpt": {"acc": 0.7, "f1": 0.6}, "claude": {"acc": 0.8, "f1": 0.7}},
    {f"q{i}": {"gpt": mark(i), "claude": mark(i, 1)} for i in range(N)},
    [{"id": i, "ratings": {"gpt": mark(i), "claude": mark(i, 1)}} for i in range(N)],
    {m: {f"q{i}": mark(i, at) for i in range(N)} for at, m in enumerate(("gpt-4", "llama-3"))},
    {"results": {m: {f"q{i}": {"score": mark(i), "ms": i % 9} for i in range(N)} for m in ("gpt-4", "llama-3")}},
]


@pytest.mark.parametrize("content", KEYED)
def test_keys_that_may_be_anything_are_asked_about(tmp_path, content):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidInput, match=r"may be meant as|perhaps averages"):
        q.read(path, announce=False)


def test_lists_of_frames_are_read_as_those_of_files():
    frame = pl.DataFrame({"id": ["a", "b"], "scores": [[1, 2], [3, 4]]})
    table = q.read(frame, wide={"judge": ["scores"]}, facets={"item": "id"}, announce=False)
    assert answers(table).values.tolist() == [1, 2, 3, 4]
    assert table.source.backend == "polars"


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        ({"id": ["a"], "s": ["[1, 2]"], "who": ["[x]"]}, {"facets": {"judge": "who"}}, "another length in 1 rows"),
        ({"item": ["a"], "score": [1], "n": [1.5]}, {"facets": {"count": "n"}}, 'holds "1.5"'),
        ({"item": ["a"], "score": [1], "n": [10**9]}, {"facets": {"count": "n"}}, "stands for 1,000,000,000"),
    ],
)
def test_counts_and_lists_that_cannot_be_meant(frame, options, said):
    wide = {"wide": {"judge": ["s"]}} if "s" in frame else {}
    with pytest.raises(InvalidData, match=said):
        q.read(pl.DataFrame(frame), recognise=True, announce=False, **options, **wide)
