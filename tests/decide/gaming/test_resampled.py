"""The prize by resampling judgments against its exact value."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from calibration.resampled_prize import resampled_prize

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.numerics.reach import maximum_moments


@pytest.mark.slow
def test_items_alone_are_the_bootstrap_of_a_mean(judged):
    table = judged({"item": 300, "judge": 1}, seed=5)
    value, error = resampled_prize(table, 10, resamples=2000, rng=1)
    exact = float(maximum_moments(10)[0]) * float(np.std(table.mean)) / np.sqrt(300)
    assert value == pytest.approx(exact, abs=4 * error)


def test_judges_alone_are_a_draw_from_their_means():
    """Two judges who differ by 2: the best of 3 attempts by one judge each is +1 but for chance (1/2)^3."""
    rows = {"item": [1, 1, 2, 2], "judge": list("xyxy"), "score": [0.0, 2.0, 1.0, 3.0]}
    table = q.read(pl.DataFrame(rows), announce=False)
    value, error = resampled_prize(table, 3, judges=1, redrawn=("judge",), resamples=4000, rng=1)
    assert value == pytest.approx(1 - 2 * 0.125, abs=4 * error)


def test_with_more_attempts_than_judges_it_stops_growing():
    """Three judges who differ by 1 each: of many attempts one has the most lenient, 1 above the mean, and none more."""
    rows = {"item": [1, 1, 1, 2, 2, 2], "judge": list("xyzxyz"), "score": [0.0, 1.0, 2.0, 1.0, 2.0, 3.0]}
    table = q.read(pl.DataFrame(rows), announce=False)
    few, many, more = (
        resampled_prize(table, k, judges=1, redrawn=("judge",), resamples=500, rng=1)[0] for k in (3, 27, 500)
    )
    assert few < 0.9
    assert many == pytest.approx(1, abs=0.02)
    assert more == pytest.approx(1, abs=0.02)
    assert float(maximum_moments(500)[0]) * np.sqrt(2 / 3) > 2.4


def test_what_is_not_redrawn_gains_nothing(judged):
    value, _ = resampled_prize(judged({"item": 30, "prompt": 3, "judge": 3}), 5, redrawn=(), resamples=10, rng=1)
    assert value == pytest.approx(0, abs=1e-12)


def test_missing_cells_are_left_out_of_the_mean(judged):
    whole, part = (judged({"item": 200, "prompt": 3, "judge": 3}, keep=keep, seed=2) for keep in (1.0, 0.9))
    values = [resampled_prize(table, 10, prompts=1, judges=1, resamples=1000, rng=1)[0] for table in (whole, part)]
    assert values[1] == pytest.approx(values[0], rel=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k: must be a whole number from 1"),
        ({"judges": 1.5}, "judges: must be a whole number from 1"),
        ({"resamples": 1}, "resamples: at least 2 are needed"),
    ],
)
def test_what_is_refused(judged, options, message):
    with pytest.raises(InvalidInput, match=message):
        resampled_prize(judged({"item": 5, "judge": 2}), **options)


def test_an_unknown_facet_and_an_attempt_without_scores(judged):
    table = judged({"item": 5, "judge": 2})
    with pytest.raises(UnknownTerm):
        resampled_prize(table, redrawn=("prompt",))
    rows = {"item": [1, 2], "judge": ["x", "y"], "score": [0.0, 2.0]}
    with pytest.raises(InvalidInput, match="drew no cell with a score"):
        resampled_prize(q.read(pl.DataFrame(rows), announce=False), items=1, judges=1, rng=1)
