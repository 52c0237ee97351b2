import os
import signal

import numpy as np
import pytest

import quorate as q
from quorate.collect.runner_outcome import Ended
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.loop import carry_out

ROWS = [{"id": name, "prompt": "p", "response": name} for name in ("calm", "torn")]


def rule(request):
    """The same for one item, up and down for the other."""
    number = int(request.cell["replicate"])
    return 5 if request.cell["item"] == "calm" else (1, 9)[number % 2]


def adaptive(study, calls=60, **settings):
    return study(rows=ROWS, adaptive={"batch": 8, **settings}, budget={"calls": calls})


def test_more_is_asked_where_scores_vary(study):
    path = adaptive(study)
    carried = carry_out(load(path), judges={"rule": rule})
    assert (carried.outcome.complete, carried.outcome.finished, carried.outcome.calls) == (True, 60, {"rule": 60})
    assert "60 of 60 calls" in carried.reached
    found = q.read(path.with_suffix(".db"))
    n = dict(zip(found.facet("item").levels, np.bincount(found.column("item"), found.n), strict=True))
    assert n["torn"] > 1.5 * n["calm"]


def test_it_goes_on_as_if_it_had_not_been_interrupted(study):
    whole = adaptive(study)
    q.run(whole, judges={"rule": rule})
    expected = q.read(whole.with_suffix(".db"))
    whole.with_suffix(".db").unlink()
    asked = []

    def breaks(request):
        asked.append(request.key)
        if len(asked) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return rule(request)

    settings = load(adaptive(study))
    first = carry_out(settings, judges={"rule": breaks}).outcome
    assert first.ended is Ended.STOPPED
    assert 0 < first.finished < 60
    assert carry_out(settings, judges={"rule": breaks}).outcome.complete
    found = q.read(whole.with_suffix(".db"))
    assert found.n.tolist() == expected.n.tolist()
    assert len(set(asked)) == 60


def test_it_stops_at_the_target(study):
    carried = carry_out(load(adaptive(study, 2000, target=4.0)), judges={"rule": rule})
    assert carried.outcome.complete
    assert carried.outcome.finished < 1000


def test_a_target_that_is_not_reached_is_incomplete(study):
    carried = carry_out(load(adaptive(study, 40, target=0.01)), judges={"rule": rule})
    assert (carried.outcome.complete, carried.outcome.finished) == (False, 40)


def test_the_budget_must_be_in_calls_and_large_enough(study):
    with pytest.raises(InvalidInput, match=r"give budget\.calls"):
        q.run(
            study(adaptive={}, budget={"money": 1}, judges={"rule": {"kind": "python", "price": {"call": 0}}}),
            judges={"rule": rule},
        )
    with pytest.raises(InvalidInput, match="budget"):
        q.run(adaptive(study, 2), judges={"rule": rule})


def test_arms_that_are_gone_are_refused(study):
    q.run(adaptive(study), judges={"rule": rule})
    settings = {"rows": ROWS[:1], "adaptive": {"batch": 8}, "budget": {"calls": 90}}
    with pytest.raises(InvalidInput, match=r"40 of 60 are not among those that may be asked.*start a new ledger"):
        q.run(study(**settings), judges={"rule": rule})
