"""A study that is still being filled: nothing, one answer, looks that are taken over."""

import math

import pytest
from under_way import scored, written

import quorate as q


def test_nothing_answered_is_said_to_be_that(tmp_path):
    rows = [{"id": "q1", "prompt": "p", "response": "r"}]
    path = written(tmp_path, rows, "items.jsonl", ["score"], 9)
    assert q.interim(path).kind == "none"
    assert q.interim(path).sentence.startswith("Nothing is asked yet")
    q.run(path, judges=dict.fromkeys("mn", lambda _: None))
    none = q.interim(path)
    assert (none.status.given_up, math.isnan(none.looks[-1].value), none.decisions) == (2, True, ())
    assert "Nothing has a score yet" in none.sentence


def test_one_answer_has_a_value_and_no_interval(tmp_path):
    one = q.interim(scored(tmp_path / "done", calls=1))
    (look,) = one.looks
    assert (look.n, math.isnan(look.low), math.isnan(look.always_low)) == (1, True, True)
    assert "at least 2 are needed" in one.sentence
    assert one.verdicts == one.advice == ()


@pytest.mark.slow
def test_looks_are_taken_over(half, found):
    again = q.interim(half, earlier=found)
    assert again.looks == found.looks
    assert all(one is other for one, other in zip(again.looks[:-1], found.looks[:-1], strict=True))
