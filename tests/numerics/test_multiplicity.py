from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.inference import benjamini_yekutieli, holm, holm_level


def test_holm_is_that_of_r():
    """R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.5), "holm")"""
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.5])), [0.04, 0.09, 0.09, 0.5])


def test_holm_counts_what_is_not_known():
    np.testing.assert_array_equal(holm(np.array([0.01, np.nan])), [0.02, np.nan])


def test_the_level_is_that_of_r():
    """R: p.adjust(c(.01, .04, .03, .005), "holm") is .03, .06, .06, .02: at .05 the first and the last are rejected."""
    p = np.array([0.01, 0.04, 0.03, 0.005])
    assert (p <= holm_level(p, np.zeros(4), 0.05)).tolist() == [True, False, False, True]
    assert holm_level(p, np.zeros(4), 0.05) == pytest.approx(0.025)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_adjusted_p_values_and_the_level_say_the_same(p, alpha):
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = steps
    level = holm_level(np.array(p), np.zeros(len(p)), alpha)
    clear = np.abs(adjusted - alpha) > 1e-9
    assert ((np.array(p) <= level) == (adjusted <= alpha))[clear].all()


def test_a_pair_counts_until_no_claim_about_it_could_be_false():
    """A difference that is shown leaves open whether it is within the margin, so nothing is gained for the others."""
    differ, open_ = np.array([0.001, 0.001, 0.04]), np.array([0.9, 0.9, 0.9])
    assert holm_level(differ, open_, 0.05) == pytest.approx(0.05 / 3)
    assert holm_level(differ, np.zeros(3), 0.05) == pytest.approx(0.05)
    assert holm_level(differ, np.array([0.001, 0.9, 0.9]), 0.05) == pytest.approx(0.025)


def test_benjamini_yekutieli_of_r():
    """R 4.3: p.adjust(c(.01, .02, .03, .04, .05), "BY") is 0.1141667 five times; c(.001, .3, .02): .0055, .55, .055."""
    assert benjamini_yekutieli(np.array([0.01, 0.02, 0.03, 0.04, 0.05])) == pytest.approx(
        np.full(5, 0.1141667), abs=1e-7
    )
    assert benjamini_yekutieli(np.array([0.001, 0.3, 0.02])) == pytest.approx([0.0055, 0.55, 0.055])
