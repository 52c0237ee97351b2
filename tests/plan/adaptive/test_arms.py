from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quorate.errors import InvalidInput, UnknownTerm
from quorate.plan.adaptive.arms import arms_of, standing
from quorate.table.progress import Progress
from quorate.table.roster import Roster, crossed

TWO = crossed({"item": ["a", "b"], "system": ["s", "t"], "judge": ["x", "y", "z"]})
UNIT = np.array([1.0])


def _filled(roster, n, mean, ss, **more):
    return replace(Progress.start(roster), n=np.array(n), mean=np.array(mean, float), ss=np.array(ss, float), **more)


def test_an_arm_is_a_cell_or_a_cycle():
    assert len(arms_of(TWO)) == 12
    panel = arms_of(TWO, cycle="judge")
    assert panel.cells.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert panel.names == ("a, s", "a, t", "b, s", "b, t")
    assert panel.parts == 3


def test_partners_differ_in_one_facet_alone():
    assert arms_of(TWO, cycle="judge", between="system").partner.tolist() == [1, 0, 3, 2]
    assert arms_of(TWO, between="system").partner.tolist() == [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]


def test_arms_that_cannot_be():
    with pytest.raises(UnknownTerm, match="prompt"):
        arms_of(TWO, cycle="prompt")
    with pytest.raises(InvalidInput, match='other than what is measured, got "item"'):
        arms_of(TWO, cycle="item")
    with pytest.raises(InvalidInput, match="between: two levels are compared, judge has 3"):
        arms_of(TWO, between="judge")
    with pytest.raises(InvalidInput, match='"system" is the cycle'):
        arms_of(TWO, cycle="system", between="system")
    with pytest.raises(InvalidInput, match="needs all 3 levels of judge; 1 of 4 lack some"):
        arms_of(Roster(TWO.levels, TWO.codes[:-1]), cycle="judge")


def test_the_variance_of_a_cycle_is_that_of_a_mean_of_independent_answers():
    roster = crossed({"item": ["a"], "judge": ["x", "y"]})
    progress = _filled(roster, [4, 5], [2, 4], [8, 10], pending=np.array([0, 1]), failed=np.array([2, 0]))
    found = standing(arms_of(roster, cycle="judge"), progress, UNIT, 5)
    assert found.n.tolist() == [4]
    assert found.asked.tolist() == [[4, 6]]
    assert found.failed.tolist() == [2]
    assert found.mean.tolist() == [[3]]
    assert found.variance.tolist() == [[(8 / 4 + 10 / 5) / 4]]


@pytest.mark.parametrize(
    ("n", "failed", "lost"), [(0, 4, False), (0, 5, True), (1, 9, False), (1, 10, True), (20, 104, False)]
)
def test_failures_until_an_arm_is_given_up(n, failed, lost):
    roster = crossed(["a"])
    progress = _filled(roster, [n], [1.0], [0.0], failed=np.array([failed]))
    assert standing(arms_of(roster), progress, UNIT, 5).lost.tolist() == [lost]


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.sampled_from([1.0, 0.1, 1 / 3, 0.25]), st.randoms())
@example([1, 1, 1], 0.1, Random(0))
@example([-1, 0, 1, 50, -50], 0.1, Random(0))
def test_the_same_bits_in_whatever_order_answers_came(scores, unit, random):
    roster = crossed(["a"])
    found = []
    for _ in range(3):
        random.shuffle(scores)
        progress = Progress.start(roster)
        cut = random.randint(0, len(scores))
        for part in (scores[:cut], scores[cut:]):
            rows = np.zeros(len(part), dtype=np.int64)
            progress = progress.answered(roster.cells(rows, rows), [score * unit for score in part])
        now = standing(arms_of(roster), progress, np.array([unit]), 5)
        found.append((now.mean.item(), now.variance.item()))
    assert found[0] == found[1] == found[2]
    assert found[0][1] == pytest.approx(np.var(np.array(scores) * unit), rel=1e-9, abs=1e-12)


@given(st.floats(1e-3, 1e6), st.lists(st.integers(1, 40), min_size=1, max_size=6))
@example(0.1, [1] * 5)
@example(0.7, [3, 4, 1])
def test_equal_scores_have_a_variance_of_exactly_0(score, parts):
    roster = crossed(["a"])
    progress = Progress.start(roster)
    for part in parts:
        rows = np.zeros(part, dtype=np.int64)
        progress = progress.answered(roster.cells(rows, rows + 1), [score] * part)
    assert standing(arms_of(roster), progress, UNIT, 5).variance.item() == 0


def test_a_small_variance_far_from_0_is_kept():
    roster = crossed(["a"])
    rows = np.zeros(4, dtype=np.int64)
    progress = Progress.start(roster).answered(roster.cells(rows, rows + 1), 1e6 + np.array([0, 0.25, 0.5, 0.75]))
    assert standing(arms_of(roster), progress, UNIT, 5).variance.item() == pytest.approx(5 / 64, rel=1e-5)


def test_one_that_answers_every_other_time_is_rarely_given_up():
    """docs/methods/adaptive-live.md has the number: the chance by all ways to fail, a half each time."""
    alive, gone = {0: 1.0}, 0.0
    for call in range(1, 400):
        after = {}
        for failed, chance in alive.items():
            for more in (0, 1):
                now = failed + more
                if now >= 5 * (call - now + 1):
                    gone += chance / 2
                else:
                    after[now] = after.get(now, 0.0) + chance / 2
        alive = after
    assert gone == pytest.approx(0.034, abs=5e-4)
    assert standing(arms_of(crossed(["a"])), _filled(crossed(["a"]), [0], [0], [0], failed=np.array([5])), UNIT, 5).lost
