"""Judge effects and their tests from mean squares; the numbers are checked against R in ``test_crossed.py``."""

import numpy as np
import pytest

from quorate.estimate.panel.crossed import FTest, JudgeTest, contradictory, judge_effects, judge_tests
from quorate.numerics.panel import crossed as panel

SEES, SEES_NOT = FTest(9.0, 2, 40, 0.001), FTest(1.0, 2, 40, 0.3)


def default(p_adjusted):
    return JudgeTest(3.0, 2, 20, 0.04, 0.8, p_adjusted)


@pytest.mark.parametrize(
    ("judge", "pooled", "interaction", "expected"),
    [
        (default(0.06), SEES, SEES, True),
        (default(0.02), SEES_NOT, SEES, True),
        (default(0.02), SEES, SEES, False),
        (default(0.06), SEES, SEES_NOT, False),
        (default(0.06), SEES, None, False),
    ],
)
def test_answers_differ_because_of_an_interaction(judge, pooled, interaction, expected):
    assert contradictory(judge, pooled, interaction, 0.05) is expected


def test_two_judges_need_no_adjustment():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 2)))
    judge, _, _ = judge_tests(sums, panel.mean_squares(sums))
    assert judge.epsilon == pytest.approx(1)
    assert judge.p_adjusted == pytest.approx(judge.p)


def test_judges_who_always_agree_leave_nothing_to_test():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 1)) * np.ones(3))
    for test in judge_tests(sums, panel.mean_squares(sums)):
        assert np.isnan([test.f, test.p]).all()


def test_a_judge_who_is_always_one_higher():
    sums = panel.sums(np.random.default_rng(1).normal(size=(6, 3, 1)) + np.array([0.0, 1.0]))
    judge, pooled, _ = judge_tests(sums, panel.mean_squares(sums))
    assert (judge.f, judge.p, pooled.f, pooled.p) == (np.inf, 0, np.inf, 0)
    drawn = panel.resampled(sums, 200, np.random.default_rng(2))
    effects = judge_effects(["a", "b"], sums, drawn, 0.95)
    assert [(one.level, one.effect, one.se) for one in effects] == [
        ("a", pytest.approx(-0.5), pytest.approx(0)),
        ("b", pytest.approx(0.5), pytest.approx(0)),
    ]
