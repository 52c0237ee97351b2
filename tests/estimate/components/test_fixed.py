from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.assemble import fixed_effects, independent_columns
from quorate.estimate.components.model import build


def coded(frame, *, covariates=(), **reading):
    facets = {name: name for name in frame.columns if name not in ("score", "replicate")}
    judgments = q.read(frame, facets=facets, **reading)
    return fixed_effects(judgments, build(judgments, None, covariates)), judgments


def test_treatment_contrasts_against_the_first_level(simulate):
    fixed, judgments = coded(simulate({"item": 3, "judge": 3}))
    assert fixed.names == ("(Intercept)", "judge[judge0001]", "judge[judge0002]")
    judge = judgments.column("judge")
    np.testing.assert_array_equal(fixed.x, np.column_stack([np.ones(9), judge == 1, judge == 2]))


def test_the_mean_weighs_levels_equally_however_often_they_occur(simulate):
    frame = simulate({"item": 6, "judge": 3, "temperature": 2}, keep=0.7)
    fixed, _ = coded(frame)
    np.testing.assert_allclose(fixed.mean, [1, 1 / 3, 1 / 3, 1 / 2])
    np.testing.assert_allclose(fixed.levels["judge"].mean(axis=0), fixed.mean)
    np.testing.assert_allclose(fixed.levels["temperature"], [[1, 1 / 3, 1 / 3, 0], [1, 1 / 3, 1 / 3, 1]])


def test_numbers_are_taken_as_they_are_and_averaged(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(length=pl.Series([10, 10, 20, 20, 40, 40, 50, 50]))
    fixed, judgments = coded(frame, covariates=("length",))
    position = fixed.names.index("length")
    np.testing.assert_array_equal(
        np.sort(fixed.x[:, position]), np.sort(judgments.facet("length").values[judgments.column("length")])
    )
    assert fixed.mean[position] == pytest.approx(30)


def test_a_number_of_two_values_zero_and_one_is_a_factor(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(swapped=pl.Series([0, 1, 1, 1, 0, 1, 1, 1]))
    fixed, _ = coded(frame, covariates=("swapped",))
    assert fixed.names[-1].startswith("swapped[")
    assert fixed.mean[-1] == 0.5  # both orders weigh equally, not as often as they occur


def test_interactions_of_covariates(simulate):
    frame = simulate({"item": 4, "judge": 2, "order": 2})
    fixed, _ = coded(frame, covariates=("order", "judge:order"))
    assert fixed.names[-1] == "judge[judge0001]:order[order0001]"
    np.testing.assert_allclose(fixed.mean, [1, 0.5, 0.5, 0.25])
    np.testing.assert_allclose(fixed.levels["judge"][1], [1, 1, 0.5, 0.5])


def test_columns_that_repeat_others_are_left_out(simulate):
    length = np.repeat([10.0, 20, 40, 50], 3)
    frame = simulate({"item": 4, "judge": 3}).with_columns(length=length, tokens=3 * length + 7)
    fixed, _ = coded(frame, covariates=("length", "tokens"))
    assert fixed.names == ("(Intercept)", "judge[judge0001]", "judge[judge0002]", "length")


def test_an_attribute_of_a_fixed_facet_leaves_no_mean_over_both(simulate):
    frame = simulate({"item": 4, "judge": 3}).with_columns(family=pl.Series([0, 0, 1] * 4).cast(pl.String))
    with pytest.raises(NotEstimable, match="judge and family never occur together freely"):
        coded(frame, covariates=("family",))


def test_fixed_facets_that_never_occur_freely_have_no_mean():
    """Judge a only at temperature 0, judge b at 0 and 1, judge c at 2 only."""
    pairs = [("a", "0"), ("b", "0"), ("b", "1"), ("c", "2")]
    rows = [(f"i{i}", *pair, i + k * 0.3) for i in range(4) for k, pair in enumerate(pairs)]
    frame = pl.DataFrame(rows, schema=["item", "judge", "temperature", "score"], orient="row")
    with pytest.raises(NotEstimable, match="judge and temperature never occur together freely"):
        coded(frame)


def test_a_covariate_with_missing_values_is_refused(simulate):
    frame = simulate({"item": 4, "judge": 2}).with_columns(length=pl.Series([1.0, 1, 2, 2, 4, 4, None, None]))
    with pytest.raises(InvalidInput, match='"length" has missing values'):
        coded(frame, covariates=("length",))


def test_a_covariate_that_hardly_varies_is_refused(simulate):
    """Seconds since 1970 within one hour: their variation is lost beside their size."""
    frame = simulate({"item": 4, "judge": 2}).with_columns(time=1.7e9 + 450.0 * np.arange(8))
    with pytest.raises(InvalidInput, match=r'"time" varies by .* subtract a constant'):
        coded(frame, covariates=("time",))
    fixed, _ = coded(frame.with_columns(time=pl.col("time") - 1.7e9), covariates=("time",))
    assert "time" in fixed.names


def test_a_fixed_facet_may_have_as_many_levels_as_there_is_room_for():
    frame = pl.DataFrame({"item": [str(i % 7) for i in range(2100)], "judge": [str(i % 1050) for i in range(2100)]})
    fixed, judgments = coded(frame.with_columns(score=pl.Series(np.arange(2100.0) % 11)), fixed=("judge",))
    assert fixed.rows.shape == (1050, 1050)
    np.testing.assert_array_equal(fixed.x[:, 3], judgments.column("judge") == 3)


def test_columns_that_depend_on_earlier_ones_are_left_out_and_known_by_them():
    rng = np.random.default_rng(1)
    x, times = rng.normal(size=(12, 4)), rng.integers(1, 5, 12)
    full = np.column_stack([x[:, :2], x[:, 0] - 300 * x[:, 1], x[:, 2:], x[:, 3] + 2 * x[:, 0]])
    kept, dropped, made_of = independent_columns(full, times)
    assert (kept, dropped) == ([0, 1, 3, 4], [2, 5])
    np.testing.assert_allclose(full[:, kept] @ made_of, full[:, dropped], atol=1e-9)


def test_many_levels_are_told_apart_as_few_are():
    """Indicators of 500 levels and of their 5 groups, of which 4 follow from them."""
    level = np.arange(500)
    x = np.column_stack([np.ones(500), level[:, None] == np.arange(1, 500), level[:, None] % 5 == np.arange(1, 5)])
    kept, dropped, made_of = independent_columns(x.astype(float), 1 + level % 3)
    assert (kept, dropped) == (list(range(500)), [500, 501, 502, 503])
    np.testing.assert_allclose(x[:, kept] @ made_of, x[:, dropped], atol=1e-8)
