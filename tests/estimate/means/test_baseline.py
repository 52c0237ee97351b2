"""Streams against a baseline: evidence by its definition, alarms, and where a change began."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential.confidence_sequence import STAKES, WEIGHTS, log_evidence_of_fall


def read(scores, **more):
    return q.read(
        pl.DataFrame({"item": [f"i{n}" for n in range(len(scores))], "score": scores, **more}), announce=False
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.05, 0.95))
def test_evidence_is_the_capital_of_all_beginnings(scores, baseline):
    n = len(scores)
    evidence, start = log_evidence_of_fall(scores, baseline)
    gain = (baseline - np.array(scores)) / (1 - baseline)
    for end in range(1, n + 1):
        capital = 1 / np.log2(end + 2)  # kept for beginnings still to come
        for begin in range(end):
            part = 1 / np.log2(begin + 2) - 1 / np.log2(begin + 3)
            capital += part * WEIGHTS @ np.prod(1 + STAKES[:, None] * gain[begin:end], axis=1)
        assert np.exp(evidence[end - 1]) == pytest.approx(capital)
    assert np.exp(start[0]) == pytest.approx(WEIGHTS @ np.prod(1 + STAKES[:, None] * gain, axis=1))


def test_the_capital_is_not_expected_to_grow():
    """Over all sequences of five scores of 0 and 1 with mean .8, weighed by their chances, it is 1."""
    mean = 0.0
    for code in range(32):
        scores = [code >> bit & 1 for bit in range(5)]
        mean += 0.8 ** sum(scores) * 0.2 ** (5 - sum(scores)) * np.exp(log_evidence_of_fall(scores, 0.8)[0][-1])
    assert mean == pytest.approx(1)


def test_a_fall_is_found_with_its_beginning():
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.random(300) < 0.9, rng.random(200) < 0.6]).astype(int)
    found = q.scores.against_baseline(read(scores), 0.9)
    assert (found.state, found.exit_code) == ("fell", 2)
    assert found.alarm < 400
    assert found.began.low <= 301 <= found.began.high
    assert found.began.item == f"i{found.began.place - 1}"
    assert found.sentence.startswith("The mean fell from 0.9: since item i")
    assert found.began.after == pytest.approx(scores[found.began.place - 1 :].mean())
    assert q.scores.against_baseline(read(1 - scores), 0.1).state == "rose"


def test_a_stream_that_keeps_to_it():
    scores = [0 if n % 10 == 3 else 1 for n in range(400)]
    found = q.scores.against_baseline(read(scores), 0.9)
    assert (found.state, found.began, found.alarm, found.exit_code) == ("kept", None, None, 0)
    assert found.low < 0.9 < found.high


def test_the_order_is_that_of_a_time_where_there_is_one():
    scores = [0, 1, 1, 1, 1] * 12 + [0] * 30
    shuffled = np.random.default_rng(1).permutation(90)
    table = read([scores[n] for n in shuffled], asked_at=[f"2026-01-01T00:{n // 60:02}:{n % 60:02}" for n in shuffled])
    found = q.scores.against_baseline(table, 0.8)
    assert (found.order, found.state, found.began.place) == ("asked_at", "fell", 61)


def test_items_with_several_scores_count_once():
    frame = pl.DataFrame({"item": list("aabbcc") * 1, "judge": list("xyxyxy"), "score": [1, 0, 1, 1, 0, 0]})
    found = q.scores.against_baseline(q.read(frame, announce=False), 0.5)
    assert found.means.tolist() == [0.5, 1, 0]


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(InvalidInput, match="baseline: between the ends of the scale, 0 and 1, got 1"):
        q.scores.against_baseline(read([1, 0, 1]), 1)
    with pytest.raises(InvalidInput, match="scale: the least and the greatest"):
        q.scores.against_baseline(read([-3.5, 120.25, 7]), 5)
    table = q.read(pl.DataFrame({"item": [1, 2], "score": [1, 0]}), scale=(0, 1), announce=False)
    with pytest.raises(NotEstimable):
        q.scores.against_baseline(table.keep(table.mean > 2), 0.5)
