from __future__ import annotations

import pytest

import quorate as q
from quorate.numerics.mixed import refit
from quorate.waiting import each, watched


@pytest.fixture
def told():
    """What a watcher is told, in order."""
    calls = []
    with watched(lambda *call: calls.append(call)):
        yield calls


def test_every_step_is_told_and_the_end(told):
    assert list(each("steps", "ab")) == ["a", "b"]
    assert told == [("steps", 0, 2), ("steps", 1, 2), ("steps", 2, 2)]


def test_the_end_is_told_of_a_loop_that_is_left_or_fails(told):
    for _ in each("left", range(9)):
        break
    with pytest.raises(ZeroDivisionError):
        [1 / item for item in each("fails", [0, 1])]
    assert told == [("left", 0, 9), ("left", 9, 9), ("fails", 0, 2), ("fails", 2, 2)]


def test_the_number_of_steps_need_not_be_known(told):
    assert list(each("steps", iter("ab"))) == ["a", "b"]
    assert told == [("steps", 0, None), ("steps", 1, None), ("steps", 2, 2)]


def test_nobody_is_told_when_nobody_watches(told):
    with watched(lambda *_: None):
        assert list(each("steps", "ab")) == ["a", "b"]
    assert told == []


def test_long_computations_tell(told, judged, monkeypatch):
    monkeypatch.setattr(refit, "_STACK", 1)
    fit = q.decompose(judged({"item": 12, "judge": 3}))
    list(q.scores.leave_one_out(fit.judgments))
    assert [call for call in told if call[0] == "fits by judge"] == [("fits by judge", done, 3) for done in range(4)]
    assert {what for what, *_ in told} == {"steps of the fit", "fits by judge"}
