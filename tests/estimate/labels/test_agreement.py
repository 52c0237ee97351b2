import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.labels import COEFFICIENTS, coefficients, judge_of, label_shares, pairs, ratings
from quorate.numerics.nominal import Ratings


def said(rows):
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    table = q.read(frame, labels=True, announce=False)
    return table, ratings(table, label_shares(table))


def some(seed=3, items=30, judges=4):
    rng = np.random.default_rng(seed)
    return [
        (f"i{i}", f"j{j}", "abc"[i % 3] if rng.random() < 0.6 else "abc"[rng.integers(3)])
        for i in range(items)
        for j in range(judges)
        if rng.random() < 0.9
    ]


def test_alpha_is_that_of_scores():
    rows = some()
    _, given = said(rows)
    numbers = [(item, judge, ord(label)) for item, judge, label in rows]
    table = q.read(pl.DataFrame(numbers, schema=["item", "judge", "score"], orient="row"), announce=False)
    found = {one.name: one for one in coefficients(given, 0.95)}
    assert list(found) == list(COEFFICIENTS)
    assert found["Krippendorff's alpha"].value == pytest.approx(q.agreement.alpha(table, "nominal").value, abs=1e-12)
    assert found["Krippendorff's alpha"].judges


def test_every_two_judges():
    table, given = said(some())
    found = list(pairs(given, judge_of(table)[1], table.labels, 0.95))
    assert [(one.first, one.second) for one in found][:3] == [("j0", "j1"), ("j0", "j2"), ("j0", "j3")]
    assert len(found) == 6
    assert all(one.low < one.kappa < one.high for one in found)
    assert all(one.first_says != one.second_says and one.confused >= 1 for one in found)


def test_judges_of_different_items_are_no_pair():
    table, given = said([("a", "x", "u"), ("b", "y", "v"), ("b", "x", "u"), ("c", "z", "u")])
    (one,) = pairs(given, judge_of(table)[1], table.labels, 0.95)
    assert (one.first, one.second, one.items, one.agreement, one.confused) == ("x", "y", 1, 0, 1)
    assert np.isnan(one.low)


def test_every_two_of_four_observers_as_in_r():
    """R 4.2, psych 2.2.9, on Krippendorff's 4 observers and 12 units with gaps; NA is 0 here.

    > print(cohen.kappa(t(M)), digits = 6)
             R1       R2       R3       R4
    R2 0.844828 1.000000 0.857143 0.870968
    R3 0.478261 0.542373 1.000000 0.892086
    R4 0.850000 0.870130 0.615385 1.000000
    """
    printed = {"12": 0.844828, "13": 0.478261, "14": 0.85, "23": 0.542373, "24": 0.870130, "34": 0.615385}
    observers = ("123321412000", "123322412503", "033323422510", "123324412510")
    rows = [(f"u{i}", str(1 + j), label) for j, said in enumerate(observers) for i, label in enumerate(said)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "score"], orient="row")
    table = q.read(frame, labels=True, missing=("0",), announce=False)
    table = table.keep(table.n > 0)
    found = pairs(ratings(table, label_shares(table)), judge_of(table)[1], table.labels, 0.95)
    assert {one.first + one.second: one.kappa for one in found} == pytest.approx(printed, abs=6e-7)


def test_intervals_end_where_coefficients_do():
    """Three judges, one of whom is of another mind: two degrees of freedom, and no limit beyond what can be."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 40)
    said = np.column_stack([truth, truth, np.where(rng.random(40) < 0.6, truth, rng.integers(0, 3, 40))])
    item, judge = np.indices(said.shape).reshape(2, -1)
    found = coefficients(Ratings(item, judge, said.ravel(), np.ones(120), 40, 3, 3), 0.95)
    for one in found:
        least = 0 if one.name == "agreement" else -1
        assert least <= one.low < one.value < one.high <= 1
