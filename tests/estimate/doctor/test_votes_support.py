from __future__ import annotations

import json
import time

import polars as pl
import pytest

from quorate.errors import InvalidInput
from quorate.estimate.doctor.vote_analyses import MARGINS, ORDER, clustered_by
from quorate.estimate.doctor.votes_support import doctor_votes
from quorate.table.read_votes import read_votes


def pair(n, **columns):
    return pl.DataFrame({"model_a": ["x"] * n, "model_b": ["y"] * n, "winner": ["a", "b"] * (n // 2), **columns})


def test_ok_needs_one_pair_with_a_margin():
    assert doctor_votes(read_votes(pair(30), announce=False)).ok
    few = doctor_votes(read_votes(pair(28), announce=False))
    assert not few.ok
    assert not few.analysis(MARGINS).possible
    assert few.finding("few-votes") is not None
    assert few.finding("constant-judges") is None


def test_everything_is_ready_for_json():
    votes = read_votes(pair(30, judge=["j", "k\n"] * 15, time=list(range(30))), announce=False)
    plain = json.loads(json.dumps(doctor_votes(votes).to_dict(), allow_nan=False))
    assert plain["ok"] is True
    assert plain["notes"] == list(votes.notes)
    assert {one["name"] for one in plain["analyses"]} >= {MARGINS, ORDER}
    assert plain["facts"]["levels"]["judge"]["labels"] == ["j", "k\n"]


def test_sentences_are_one_line_whatever_the_labels():
    nasty = pl.DataFrame(
        {
            "model_a": ["<script>\n", "a\r\nb", "c"] * 20,
            "model_b": ["q\u2028", "<script>\n", "d\n"] * 20,
            "winner": ["a", "b", None] * 20,
            "judge": ["\n" * 3 + "j"] * 60,
        }
    )
    support = doctor_votes(read_votes(nasty, announce=False))
    texts = [one.sentence for one in support.findings] + [one.reason + one.fix for one in support.analyses]
    assert not [text for text in texts if len(text.splitlines()) > 1]


def test_many_models_take_seconds():
    codes = range(100_000)
    frame = pl.DataFrame({"model_a": [f"m{i}" for i in codes], "model_b": [f"m{i + 1}" for i in codes], "winner": "a"})
    started = time.process_time()
    support = doctor_votes(read_votes(frame, announce=False))
    assert time.process_time() - started < 10
    assert len(support.facts.pairs.labels) == 100_000
    assert not support.ok


def test_what_is_no_table_of_votes():
    with pytest.raises(InvalidInput, match=r"expects what quorate\.read_votes returns, got DataFrame"):
        doctor_votes(pair(2))


def test_wmt15(shared):
    votes = read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False)
    started = time.process_time()
    support = doctor_votes(votes.within("prompt_type"))
    assert time.process_time() - started < 3
    assert support.ok
    assert support.analysis(MARGINS).reason == "723 of 724 pairs with 30 decisive votes or more"
    assert support.analysis(clustered_by("cluster")).possible
    assert not support.analysis(ORDER).possible
    assert len(support.facts.graph.components) == 10
    assert {"not-connected", "contradictions", "dependence-cluster"} <= {one.code for one in support.findings}
