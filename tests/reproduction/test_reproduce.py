from __future__ import annotations

import pytest

import quorate as q
from quorate.errors import InvalidInput

OPTIONS = {"reps": 10, "seed": 4}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "here"


@pytest.fixture(scope="module")
def few(kept):
    return q.reproduce(["lee.two-stages"], **OPTIONS, resume=kept)


@pytest.mark.slow
def test_a_simulation_says_its_error(few):
    [run] = few.runs
    assert (run.replicates, run.failed) == (10, 0)
    assert sum(one.error > 0 for one in few.figures) >= 10
    assert few.drawings[0].by == "study"
    assert few.seed == 4


def test_it_goes_on_where_it_was(few, kept):
    told = []
    assert len(list(kept.glob("*.npy"))) == 2
    min(kept.glob("*.npy")).unlink()
    again = q.reproduce("lee.two-stages", **OPTIONS, resume=kept, on_progress=lambda *at: told.append(at))
    assert again.rows() == few.rows()
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize("reps", [0, 9, 1.5, True])
def test_too_few_replicates(reps):
    with pytest.raises(InvalidInput, match="reps: a whole number of at least 10"):
        q.reproduce(["mc"], reps=reps)


def test_replicates_are_given_once():
    with pytest.raises(InvalidInput, match="without quick"):
        q.reproduce(["mc"], reps=100, quick=True)


@pytest.mark.slow
def test_processes_give_the_same_numbers(few):
    assert q.reproduce(["lee.two-stages"], **OPTIONS, jobs=2).rows() == few.rows()
