from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.panel.bias import judge_bias, self_preference
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


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.15]))
def test_biases_sum_to_zero_for_every_system(seed, gap):
    rng = np.random.default_rng(seed)
    judgments = of(drawn(seed, (12, 3, 2)))
    found = judge_bias(judgments.keep(rng.random(judgments.n_cells) >= gap))
    np.testing.assert_allclose(effects(found.by_system).reshape(3, 2).sum(axis=0), 0, atol=1e-9)
    assert effects(found.overall).sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.floats(-5, 5))
def test_a_shift_of_one_judge_is_shared_out(seed, shift):
    before, scores = drawn(seed), drawn(seed)
    scores[:, 2] += shift
    moved = effects(judge_bias(of(scores)).overall) - effects(judge_bias(of(before)).overall)
    np.testing.assert_allclose(moved, shift * (np.arange(4) == 2) - shift / 4, atol=1e-9)


@pytest.mark.slow
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


def test_bad_input_is_refused(judged):
    with pytest.raises(InvalidInput, match="level"):
        judge_bias(judged(SIZES), level=1)
    with pytest.raises(InvalidInput, match="judgments"):
        judge_bias("scores.csv")
    with pytest.raises(NotEstimable, match="1 item: at least 2 are needed"):
        judge_bias(judged({"item": 1, "judge": 3}))
    with pytest.raises(NotEstimable, match="1 judge"):
        judge_bias(judged({"item": 8, "judge": 1}))


def of_pairs(scores, judges, systems):
    """Scores of shape (items, judges, systems) as judgments."""
    item, judge, system = (axis.ravel() for axis in np.indices(scores.shape))
    rows = {"item": item, "judge": [judges[k] for k in judge], "system": [systems[k] for k in system]}
    return q.read(pl.DataFrame({**rows, "score": scores.ravel()}), announce=False)


def favouring(seed, own, *, judges=4, systems=3, noise=0.1):
    """Additive judges and systems, with ``own[k]`` for judge k on system k."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(1, judges, 1)) + rng.normal(size=(1, 1, systems)) + rng.normal(size=(10, 1, 1))
    scores = scores + noise * rng.normal(size=(10, judges, systems))
    for k, value in enumerate(own):
        scores[:, k, k] += value
    return scores


def test_table_1():
    """Zhu et al. (2026): Qwen's 8.02 for itself, against 8.39 and 6.10 by the judges of other families."""
    mean = np.array([[7.91, 7.87, 8.02], [8.81, 8.71, 8.39], [8.67, 6.90, 6.10]])
    scores = mean + 0.1 * np.random.default_rng(1).normal(size=(40, 3, 3))
    scores += mean - scores.mean(axis=0)
    found = self_preference(of_pairs(scores, ["Qwen", "Llama", "GPT"], ["gpt", "llama ", "qwen"]))
    assert found.by_label
    assert found.identities == {"GPT": "gpt", "Llama": "llama", "Qwen": "qwen"}
    qwen = next(row for row in found.preferences if row.judge == "Qwen")
    # on gpt with Llama, on llama with GPT: neither scores itself there
    wanted = ((8.02 - 8.39) - (7.91 - 8.81) + (8.02 - 6.10) - (7.87 - 6.90)) / 2
    assert qwen.effect == pytest.approx(wanted)
    assert (qwen.own, qwen.elsewhere) == pytest.approx((0.775, 0.035))
    assert qwen.lift == pytest.approx(wanted / 3)
    assert qwen in found.sure
    assert found.sentences[2].startswith("Qwen scores itself 0.74 higher than its other scores")


@given(st.integers(0, 10**6), st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_every_judge_gets_its_own_preference_back(seed, own):
    """Also where all the others prefer themselves."""
    found = self_preference(of_pairs(favouring(seed, own, noise=1e-9), "abcd", "abc"))
    np.testing.assert_allclose([row.effect for row in found.preferences], own, atol=1e-6)


def test_with_one_judge_that_is_a_system_it_is_the_bias_against_the_others():
    scores = favouring(2, [0.5])
    (row,) = self_preference(of_pairs(scores, "abcd", "axy")).preferences
    mean = scores.mean(axis=0)
    gap = mean[0] - mean[1:].mean(axis=0)
    assert (row.own, row.elsewhere) == pytest.approx((gap[0], gap[1:].mean()))
    values = scores[:, 0] - scores[:, 1:].mean(axis=1)
    values = values[:, 0] - values[:, 1:].mean(axis=1)
    assert row.effect == pytest.approx(values.mean())
    assert row.se == pytest.approx(values.std(ddof=1) / np.sqrt(10))
    assert row.df == 9
    assert row.shared_with == ()


def test_two_judges_that_are_the_two_systems_share():
    found = self_preference(of_pairs(favouring(3, [1, 0.5], judges=2, systems=2, noise=1e-3), "ab", "ab"))
    assert [row.effect for row in found.preferences] == pytest.approx([0.75, 0.75], abs=0.01)
    assert [row.shared_with for row in found.preferences] == [("b",), ("a",)]
    assert found.sentences[0].startswith("a and b on average score themselves 0.751 higher")


def test_a_third_judge_tells_them_apart():
    found = self_preference(of_pairs(favouring(3, [1, 0.5], judges=3, systems=2, noise=1e-3), "abc", "ab"))
    assert [row.effect for row in found.preferences] == pytest.approx([1, 0.5], abs=0.01)


def test_identities_are_used_as_told():
    scores = favouring(4, [0, 2], judges=3, systems=3)
    found = self_preference(of_pairs(scores, ["a", "gpt-5", "c"], ["a", "mini", "other"]), identities={"gpt-5": "mini"})
    assert not found.by_label
    assert found.identities == {"gpt-5": "mini"}
    assert found.preferences[0].effect == pytest.approx(2, abs=0.2)


def test_no_preference_may_be_chance():
    found = self_preference(of_pairs(favouring(5, [0], noise=1), "axyz", "auv"))
    assert found.sure == ()
    assert found.sentences[0].endswith(", which may be chance).")
    assert "gold labels" in found.scope


def test_what_cannot_be_answered_is_said():
    judgments = of_pairs(favouring(7, []), "wxyz", "abc")
    with pytest.raises(NotEstimable, match="no judge is one of the systems by its label"):
        self_preference(judgments)
    with pytest.raises(UnknownTerm, match="nobody"):
        self_preference(judgments, identities={"nobody": "a"})
    with pytest.raises(NotEstimable, match="every judge is a: none is left"):
        self_preference(judgments, identities=dict.fromkeys("wxyz", "a"))
    with pytest.raises(NotEstimable, match="1 system"):
        self_preference(judgments.only("system", "a"))
    with pytest.raises(InvalidInput, match="level"):
        self_preference(judgments, level=0)


def test_a_judge_who_is_the_average_of_the_others_leaves_no_test_of_all_and_no_warning():
    noise = np.random.default_rng(7).normal(size=(12, 4))
    scores = np.column_stack([noise, noise.mean(axis=1) - 0.5]) + np.arange(12)[:, None]
    rows = [(i, f"j{j}", scores[i, j]) for i, j in np.ndindex(scores.shape)]
    assert judge_bias(scores_table(rows, "item judge score")).joint is None
