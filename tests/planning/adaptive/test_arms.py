from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.arms import arms_of, standing
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


def test_what_a_progress_says_of_a_cell_without_answers_is_no_score():
    found = standing(arms_of(crossed(["a", "b"])), _filled(crossed(["a", "b"]), [0, 2], [7, 3], [np.nan, 2]), UNIT, 5)
    np.testing.assert_array_equal(found.mean, [[np.nan], [3]])
    assert found.variance.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("n", "failed", "lost"),
    [(0, 4, False), (0, 5, True), (1, 36, False), (1, 46, True), (20, 90, False), (20, 170, True)],
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


@pytest.mark.parametrize(("rate", "chance"), [(0.5, 0.999), (0.2, 0.097), (0.1, 0.004)])
def test_how_often_one_that_fails_at_random_is_given_up(rate, chance):
    """docs/methods/adaptive-live.md has the numbers: five failures in a row within 400 calls."""
    alive, gone = [1.0, 0.0, 0.0, 0.0, 0.0], 0.0
    for _ in range(400):
        gone += alive[-1] * rate
        alive = [sum(alive) * (1 - rate), *(share * rate for share in alive[:-1])]
    assert gone == pytest.approx(chance, abs=1e-3)


def test_failures_in_a_row_are_counted_in_their_order_whatever_the_batches():
    scores = [4, None, None, None, None, 5, None, None, None, None, None, 3]
    progress, lost = Progress.start(["a"]), []
    policy = q.scores.adaptive("uniform", arms=["a"], budget=100)
    for number, score in enumerate(scores, 1):
        progress = progress.answered(progress.roster.cells(np.array([0]), np.array([number])), [score])
        lost.append(bool(standing(policy.arms, progress, UNIT, 5).lost[0]))
    assert lost == [False] * 10 + [True, False]
    cells = progress.roster.cells(np.zeros(12, dtype=int), np.arange(1, 13))
    for size in (11, 12):
        whole = Progress.start(["a"]).answered(cells.keep(np.arange(12) < size), scores[:size])
        assert whole.in_a_row.tolist() == [5 if size == 11 else 0]
