from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.panel.bias import self_preference
from quorate.estimate.panel.judge_means import judge_means


def of(scores, judges, systems):
    """Scores of shape (items, judges, systems) as judgments."""
    item, judge, system = (axis.ravel() for axis in np.indices(scores.shape))
    rows = {"item": item, "judge": [judges[k] for k in judge], "system": [systems[k] for k in system]}
    return q.read(pl.DataFrame({**rows, "score": scores.ravel()}), announce=False)


def drawn(seed, own, *, judges=4, systems=3, noise=0.1):
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
    found = self_preference(of(scores, ["Qwen", "Llama", "GPT"], ["gpt", "llama ", "qwen"]))
    assert found.by_label
    assert found.identities == {"GPT": "gpt", "Llama": "llama ", "Qwen": "qwen"}
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
    found = self_preference(of(drawn(seed, own, noise=1e-9), "abcd", "abc"))
    np.testing.assert_allclose([row.effect for row in found.preferences], own, atol=1e-6)


def test_with_one_judge_that_is_a_system_it_is_the_bias_against_the_others():
    scores = drawn(2, [0.5])
    (row,) = self_preference(of(scores, "abcd", "axy")).preferences
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
    found = self_preference(of(drawn(3, [1, 0.5], judges=2, systems=2, noise=1e-3), "ab", "ab"))
    assert [row.effect for row in found.preferences] == pytest.approx([0.75, 0.75], abs=0.01)
    assert [row.shared_with for row in found.preferences] == [("b",), ("a",)]
    assert found.sentences[0].startswith("a and b on average score themselves 0.751 higher")


def test_a_third_judge_tells_them_apart():
    found = self_preference(of(drawn(3, [1, 0.5], judges=3, systems=2, noise=1e-3), "abc", "ab"))
    assert [row.effect for row in found.preferences] == pytest.approx([1, 0.5], abs=0.01)


def test_identities_are_used_as_told():
    scores = drawn(4, [0, 2], judges=3, systems=3)
    found = self_preference(of(scores, ["a", "gpt-5", "c"], ["a", "mini", "other"]), identities={"gpt-5": "mini"})
    assert not found.by_label
    assert found.identities == {"gpt-5": "mini"}
    assert found.preferences[0].effect == pytest.approx(2, abs=0.2)


def test_no_preference_may_be_chance():
    found = self_preference(of(drawn(5, [0], noise=1), "axyz", "auv"))
    assert found.sure == ()
    assert found.sentences[0].endswith(", which may be chance).")
    assert "gold labels" in found.scope


def test_means_and_frames():
    judgments = of(drawn(6, [1, 1]), "abcd", "abc")
    found = self_preference(judge_means(judgments), level=0.9)
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["judge"].to_list() == ["a", "b", "c"]
    assert frame["shared_with"].to_list() == ["", "", ""]
    assert found.to_dict()["rows"][0]["effect"] == frame["effect"][0]
    assert (frame["n"] == 30).all()


def test_what_cannot_be_answered_is_said():
    judgments = of(drawn(7, []), "wxyz", "abc")
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
