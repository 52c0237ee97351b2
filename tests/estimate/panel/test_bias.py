from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.panel.bias import judge_bias
from quorate.estimate.panel.judge_means import judge_means

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "bias.json").read_text(encoding="utf-8"))
SIZES = {"item": 8, "judge": 4, "system": 3}


def of(scores, labels=None):
    """Scores of shape (items, judges, systems) as judgments; ``labels`` of the judges."""
    item, judge, system = (axis.ravel() for axis in np.indices(scores.shape))
    labels = labels or [f"j{k}" for k in range(scores.shape[1])]
    rows = {"item": item, "judge": [labels[k] for k in judge], "system": [f"s{k}" for k in system]}
    return q.read(pl.DataFrame({**rows, "score": scores.ravel()}), announce=False)


def drawn(seed, shape=(6, 4, 3)):
    return np.random.default_rng(seed).normal(size=shape)


def effects(rows):
    return np.array([row.bias for row in rows])


def test_biases_are_the_contrasts_that_r_tests():
    """R: t.test of each item's deviation of a judge from the average over judges; ``tests/reference/bias.R``."""
    wanted = REFERENCE["fits"]["by_items"]
    judgments = q.read(pl.DataFrame(REFERENCE["data"]["paired"]), announce=False)
    found = judge_bias(judgments)
    rows = [*found.overall, *found.by_system]
    np.testing.assert_allclose(effects(rows), wanted["value"][:9])
    np.testing.assert_allclose([row.se for row in rows], wanted["se"][:9])
    np.testing.assert_allclose([row.p for row in rows], wanted["p"][:9])
    assert (found.joint.statistic, found.joint.p) == pytest.approx((wanted["F"], wanted["joint_p"]))


def test_figure_1_is_the_deviation_of_each_cell_from_the_average_of_its_column():
    """Zhu et al. (2026): gamma_l = X_..l - X_... for every judge and model."""
    scores = drawn(1)
    found = judge_bias(of(scores))
    mean = scores.mean(axis=0)
    np.testing.assert_allclose(effects(found.by_system).reshape(4, 3), mean - mean.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(effects(found.overall), mean.mean(axis=1) - mean.mean(), atol=1e-12)
    np.testing.assert_allclose([row.mean for row in found.by_system], mean.ravel())
    assert [(row.judge, row.system) for row in found.by_system[:4]] == [
        ("j0", "s0"),
        ("j0", "s1"),
        ("j0", "s2"),
        ("j1", "s0"),
    ]
    assert all(row.n == 6 for row in found.by_system)
    assert all(row.n == 18 for row in found.overall)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.15]))
def test_biases_sum_to_zero_for_every_system(seed, gap):
    rng = np.random.default_rng(seed)
    judgments = of(drawn(seed, (12, 3, 2)))
    found = judge_bias(judgments.keep(rng.random(judgments.n_cells) >= gap))
    np.testing.assert_allclose(effects(found.by_system).reshape(3, 2).sum(axis=0), 0, atol=1e-9)
    assert effects(found.overall).sum() == pytest.approx(0, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(-5, 5))
def test_a_shift_of_one_judge_is_shared_out(seed, shift):
    before, scores = drawn(seed), drawn(seed)
    scores[:, 2] += shift
    moved = effects(judge_bias(of(scores)).overall) - effects(judge_bias(of(before)).overall)
    np.testing.assert_allclose(moved, shift * (np.arange(4) == 2) - shift / 4, atol=1e-9)


@given(st.integers(0, 10**6), st.permutations(range(4)))
def test_labels_do_not_matter(seed, order):
    scores = drawn(seed)
    plain = {row.judge: row for row in judge_bias(of(scores)).overall}
    renamed = judge_bias(of(scores, [f"j{k}" for k in order])).overall
    for row in renamed:
        assert (row.bias, row.se) == pytest.approx(
            (plain[f"j{order.index(int(row.judge[1]))}"].bias, plain[f"j{order.index(int(row.judge[1]))}"].se)
        )


def test_judges_declared_random_are_compared_as_they_are(judged):
    fixed, random = judge_bias(judged(SIZES)), judge_bias(judged(SIZES, fixed=()))
    assert random.overall == fixed.overall


def test_verdicts_are_looked_at_together():
    scores = 0.1 * drawn(3, (20, 4, 1))
    scores[:, 1] += 3
    found = judge_bias(of(scores))
    assert found.lenient == ("j1",)
    assert found.strict == ("j0", "j2", "j3")
    assert found.sentence.startswith("j1 (+2.2")
    assert found.sentence.endswith(
        "j0 (-0.755), j2 (-0.738) and j3 (-0.775) are strict (Holm-adjusted over 4 judges, level 0.95)."
    )
    assert found.by_system == ()
    assert found.interaction is None


def test_no_judge_stands_out_where_all_are_alike():
    found = judge_bias(of(drawn(5, (20, 4, 1))))
    assert found.lenient == found.strict == ()
    assert found.sentence == "No judge is lenient or strict (Holm-adjusted over 4 judges, level 0.95)."
    assert found.joint.p > 0.05
    assert "who differs, not who is right" in found.scope


def test_judge_by_system_shows_in_the_interaction_alone():
    scores = drawn(6, (30, 3, 2))
    scores[:, 0, 0] += 2
    scores[:, 0, 1] -= 2
    found = judge_bias(of(scores))
    assert found.interaction.p < 1e-6
    assert found.joint.p > 0.05
    assert found.interaction.df1 == 2


def test_one_judge_that_only_copies_is_not_known_to_the_last_digit():
    scores = np.repeat(drawn(7, (9, 1, 1)), 2, axis=1)
    found = judge_bias(of(scores))
    assert [row.bias for row in found.overall] == [0, 0]
    assert np.isnan([row.se for row in found.overall]).all()
    assert found.joint is None
    assert found.to_dict()["joint"] is None


def test_means_made_before_and_other_levels_serve_too(judged):
    judgments = judged(SIZES)
    wide = judge_bias(judge_means(judgments), level=0.99)
    narrow = judge_bias(judgments)
    assert all(a.low < b.low < b.high < a.high for a, b in zip(wide.overall, narrow.overall, strict=True))


def test_rows_come_back_as_a_frame(judged):
    found = judge_bias(judged(SIZES))
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.shape == (4 + 12, 12)
    assert frame["system"][:5].to_list() == ["", "", "", "", "system0000"]
    assert found.to_dict()["overall"][0]["bias"] == frame["bias"][0]
    assert found.to_dict()["caveats"] == []


def test_bad_input_is_refused(judged):
    with pytest.raises(InvalidInput, match="level"):
        judge_bias(judged(SIZES), level=1)
    with pytest.raises(InvalidInput, match="judgments"):
        judge_bias("scores.csv")
    with pytest.raises(NotEstimable, match="1 item: at least 2 are needed"):
        judge_bias(judged({"item": 1, "judge": 3}))
    with pytest.raises(NotEstimable, match="1 judge"):
        judge_bias(judged({"item": 8, "judge": 1}))
