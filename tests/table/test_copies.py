from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q


def rubric(**more) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    fluency, accuracy = rng.integers(1, 6, (2, 80))
    columns = {"item": [f"q{k // 2}" for k in range(80)], "system": ["x", "y"] * 40}
    return pl.DataFrame(columns | {"fluency": fluency, "accuracy": accuracy} | {k: f(fluency) for k, f in more.items()})


def said(frame: pl.DataFrame, *names: str) -> list[str]:
    found = q.compare(q.read(frame, wide={"criterion": ["fluency", "accuracy", *names]}, announce=False), "x", "y")
    return [one.sentence for one in found.caveats if one.code == "copied-criteria"]


@pytest.mark.parametrize(
    ("copy", "how"), [(lambda x: x, "are equal"), (lambda x: 20 * x - 10, "rise in a straight line")]
)
def test_a_criterion_that_is_a_copy_is_named_once(copy, how):
    (sentence,) = said(rubric(clarity=copy), "clarity")
    assert f"all scores of clarity and fluency {how}: one may be a copy" in sentence


def test_copies_of_a_copy_are_counted_in_one_caveat():
    (sentence,) = said(rubric(clarity=lambda x: x, style=lambda x: x), "clarity", "style")
    assert "and 2 more pairs are alike" in sentence


@pytest.mark.parametrize("other", [lambda x: 6 - x, lambda x: np.minimum(x, 4), lambda x: x > 2, lambda x: 0 * x])
def test_criteria_that_only_go_together_are_left_alone(other):
    assert not said(rubric(clarity=lambda x: other(x).astype(int)), "clarity")
    assert not said(rubric())
