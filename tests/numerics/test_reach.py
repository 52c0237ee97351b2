from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.numerics.reach import Effect, Reach
from quorate.numerics.study_power import half_widths

effects = st.lists(
    st.builds(Effect, st.floats(0, 10), st.floats(0, 10), st.integers(2, 30).map(float)), max_size=3
).map(tuple)


def test_with_nothing_drawn_it_is_students_t():
    reach = Reach(0.04, 17.0)
    assert reach.half_width(0.95) == pytest.approx(stats.t.ppf(0.975, 17) * 0.2, rel=1e-9)
    assert reach.tail(0.5) == pytest.approx(stats.t.sf(2.5, 17), rel=1e-9)
    assert reach.tail(-0.5) == pytest.approx(stats.t.cdf(2.5, 17), rel=1e-9)


def test_a_drawn_facet_by_hand():
    """Rule: t^2 of items times their variance, and beside it t^2 of the levels times (W - d / 2)."""
    reach = Reach(0.04, 17.0, (Effect(0.03, 0.01, 2.0),))
    squares = stats.t.ppf(0.975, [17, 2]) ** 2 * [0.04, 0.025]
    assert reach.half_width(0.95) == pytest.approx(np.sqrt(squares.sum()), rel=1e-9)


@given(variance=st.floats(1e-6, 10), df=st.integers(1, 500), drawn=effects, level=st.floats(0.5, 0.999))
def test_more_drawn_is_never_narrower_and_tails_turn_the_interval_round(variance, df, drawn, level):
    reach = Reach(variance, float(df), drawn)
    half = reach.half_width(level)
    for size in range(len(drawn)):
        assert Reach(variance, float(df), drawn[:size]).half_width(level) <= half * (1 + 1e-12)
    assert 2 * reach.tail(half) == pytest.approx(1 - level, rel=1e-6)


@given(variance=st.floats(1e-6, 10), df=st.integers(1, 500), drawn=effects)
def test_many_at_once_are_each_by_itself(variance, df, drawn):
    arrays = tuple((np.array([one.part, 0.0]), one.df) for one in drawn)
    found = half_widths(0.975, np.full(2, variance), np.full(2, float(df)), arrays)
    wanted = [Reach(variance, float(df), some).half_width(0.95) for some in (drawn, ())]
    assert found.tolist() == pytest.approx(wanted, rel=1e-8)
