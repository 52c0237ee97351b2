from __future__ import annotations

import numpy as np
import pytest

from quorate.simulate.allocation.result import runs_note, saved_interval, saving, share_text

SPENT = np.array([100, 200, 400])


def test_a_curve_that_is_there_from_the_first_point_needs_no_more():
    assert saving(np.array([[0.1, 0.1, 0.1]]), np.array([[0.9, 0.5, 0.3]]), SPENT).tolist() == [0.75]


def test_an_error_is_had_from_where_it_stays():
    """The target .3 is crossed at 150, lost, and crossed for good at 3 / 4 of the way from 200 to 400."""
    spent = np.array([100, 200, 300, 400])
    own, other = np.array([[0.4, 0.2, 0.5, 0.1]]), np.array([[0.9, 0.6, 0.5, 0.3]])
    assert saving(own, other, spent) == pytest.approx([1 - 350 / 400])


@pytest.mark.parametrize("final", [0.29, 0.31])
def test_a_saving_has_the_sign_of_the_difference_of_final_errors(final):
    rng = np.random.default_rng(1)
    own, other = (np.column_stack([rng.uniform(0.2, 0.9, (50, 2)), np.full(50, end)]) for end in (final, 0.3))
    assert ((saving(own, other, SPENT) > 0) == (final < 0.3)).all()


def test_the_interval_follows_the_difference_of_runs():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.02, (2, 40, 3))
    own, other = np.array([0.5, 0.3, 0.2]) + noise[0], np.array([0.9, 0.6, 0.4]) + noise[1]
    point = saving(own.mean(axis=0)[None], other.mean(axis=0)[None], SPENT)[0]
    low, high = saved_interval(own, other, SPENT, 1, 0.9)
    assert 0.6 < low < point < high < 0.65


@pytest.mark.parametrize(
    ("share", "said"), [(0.009, "<1%"), (0.0, "0%"), (-0.004, "0%"), (-0.007, "-1%"), (1.0, "100%")]
)
def test_shares_are_whole_percents(share, said):
    assert share_text(share) == said


@pytest.mark.parametrize(("runs", "notes"), [(1, 1), (19, 1), (20, 1), (49, 1), (50, 0)])
def test_few_runs_are_named(runs, notes):
    assert len(runs_note(runs)) == notes
