"""Repeated runs: pass^k and pass@k against their definition, flips, and whose fault they are."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.shares import share_of

FACETS = {"item": "item", "run": "run"}


def table(passed, facets=FACETS):
    """Runs of items, shape (items, runs, ...)."""
    passed = np.asarray(passed)
    names = ("item", "run", "judge")[: passed.ndim]
    codes = dict(zip(names, np.indices(passed.shape).reshape(passed.ndim, -1), strict=True))
    frame = pl.DataFrame({name: [f"{name}{at}" for at in code] for name, code in codes.items()})
    return q.read(frame.with_columns(score=passed.ravel()), facets={name: name for name in names}, announce=False)


@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=2, max_size=8), st.integers(1, 4))
def test_they_are_means_over_all_choices_of_k_runs(passed, k):
    [one] = q.agents.repeated_runs(table(passed), k=[k]).systems[0].passing
    each = [[[run[at] for at in some] for some in combinations(range(4), k)] for run in passed]
    assert one.all.value == pytest.approx(np.mean([np.mean([all(some) for some in item]) for item in each]))
    assert one.any.value == pytest.approx(np.mean([np.mean([any(some) for some in item]) for item in each]))
    assert 0 <= one.all.low <= one.all.value + 1e-12
    assert one.any.value - 1e-12 <= one.any.high <= 1


def test_humaneval_of_a_hundred_runs():
    """Chen et al. (2021), Figure 3 code, pass_at_k: 1 - prod(1 - k / arange(n - c + 1, n + 1)); c of 100 runs."""
    passed = [np.arange(100) < c for c in (3, 40)]
    [one] = q.agents.repeated_runs(table(np.array(passed, dtype=int)), k=[10]).systems[0].passing
    assert one.any.value == pytest.approx(np.mean([1 - np.prod(1 - 10 / np.arange(100 - c + 1, 101)) for c in (3, 40)]))


def test_items_that_flip_come_first_where_they_are_most_divided():
    found = q.agents.repeated_runs(table([[1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])).systems[0]
    assert [tuple(one) for one in found.flips] == [("item2", 2, 4), ("item1", 1, 4)]
    assert found.differ.value == pytest.approx((3 / 6 + 4 / 6) / 4)
    assert found.own is None


def test_runs_or_judges():
    rng = np.random.default_rng(1)
    runs = np.repeat(rng.integers(0, 2, (40, 4, 1)), 3, axis=2)
    judges = rng.integers(0, 2, (40, 4, 3))
    assert q.agents.repeated_runs(table(runs)).systems[0].own.value == pytest.approx(1)
    found = q.agents.repeated_runs(table(judges)).systems[0]
    assert found.own.low == pytest.approx(0, abs=0.05)
    assert found.own.value < 0.35
    strict = judges.copy()
    strict[..., 0] = 0  # a judge who is always the same makes no run differ
    assert q.agents.repeated_runs(table(strict)).systems[0].own.value == pytest.approx(0, abs=0.35)


def test_marks_need_a_mark_that_passes():
    marks = table([[1, 5, 4], [2, 2, 3]])
    with pytest.raises(InvalidInput, match="passes: scores are not 0 and 1"):
        q.agents.repeated_runs(marks)
    assert q.agents.repeated_runs(marks, passes=4).systems[0].passing[0].all.value == pytest.approx(1 / 3)


def test_what_cannot_be_known_is_refused():
    with pytest.raises(NotEstimable, match="run"):
        q.agents.repeated_runs(table([[1], [0]]))
    with pytest.raises(InvalidInput, match="k: whole numbers from 1 to 2"):
        q.agents.repeated_runs(table([[1, 0], [1, 1]]), k=[3])


def test_systems_stand_side_by_side():
    rows = [(s, i, r, int(s == "a")) for s in "ab" for i in "xyz" for r in "12"]
    frame = pl.DataFrame(rows, schema=["system", "item", "run", "score"], orient="row")
    facets = {"system": "system", **FACETS}
    found = q.agents.repeated_runs(q.read(frame, facets=facets, announce=False))
    assert [one.passing[-1].all.value for one in found.systems] == [1, 0]
    assert found.systems[0].passing[-1].all.low == pytest.approx(0.05 ** (1 / 3))  # three items without an exception


@pytest.mark.calibration
def test_intervals_cover():
    rng = np.random.default_rng(1)
    hits, truth = [], (3 / 4) * (4 / 5) * (5 / 6)  # E p^3 of a beta law (3, 1)
    for _ in range(1000):
        c = rng.binomial(4, rng.beta(3, 1, 100))
        found = share_of(np.array([0, 0, 0, 1 / 4, 1.0])[c], np.arange(100), 0.95)
        hits.append(found.low <= truth <= found.high)
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)
