from __future__ import annotations

import math

import pytest

import quorate as q
from quorate.study.inspect.deal import Scored, Vote, mean_of, mean_with_error, metadata


def scored(item: int, marks: dict[str, float]) -> Scored:
    votes = [Vote(judge, "s", 1, mark, "ok") for judge, mark in marks.items()]
    return Scored(f"q{item}", mean_of(votes), metadata(votes), {})


def test_the_figures_are_those_of_the_same_table(tmp_path):
    marks = [{"x": float(3 + k % 4), "y": float(5 + (k * k) % 3)} for k in range(12)]
    found = mean_with_error(scored(item, given) for item, given in enumerate(marks))
    lines = [f"q{item},{judge},{mark}\n" for item, given in enumerate(marks) for judge, mark in given.items()]
    (tmp_path / "table.csv").write_text("item,judge,score\n" + "".join(lines))
    estimate = q.decompose(q.read(tmp_path / "table.csv", announce=False)).mean
    assert (found["mean"], found["standard_error"]) == pytest.approx((estimate.value, estimate.se))
    assert (found["low"], found["high"]) == pytest.approx(estimate.ends)


def test_without_scores_or_with_one_no_error_is_known():
    assert all(map(math.isnan, mean_with_error([]).values()))
    assert all(map(math.isnan, mean_with_error([scored(1, {"x": 3.0})]).values()))
