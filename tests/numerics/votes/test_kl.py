from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.votes import binomial


def test_divergence_by_its_definition():
    d = np.array([-0.49, -0.25, -0.06, 0.03, 0.2, 0.4])
    p = 0.5 + d
    assert binomial.divergence(d) == pytest.approx(p * np.log(2 * p) + (1 - p) * np.log(2 * (1 - p)), rel=1e-12)


def test_divergence_at_its_ends_and_near_zero():
    assert binomial.divergence([-0.5, 0.0, 0.5]) == pytest.approx([np.log(2), 0, np.log(2)])
    assert binomial.divergence(1e-9) == pytest.approx(2e-18, rel=1e-9)


@given(st.floats(-0.25, 0.25))
def test_it_lies_between_two_parabolas_up_to_a_quarter(d):
    """Lee (2026), Lemma 3.1."""
    assert 2 * d**2 * (1 - 1e-12) <= binomial.divergence(d) + 1e-300
    assert binomial.divergence(d) <= 9 / 4 * d**2 * (1 + 1e-12) + 1e-300


@pytest.mark.parametrize("margins", [(0.1, -0.2, 0.05), (0.25,) * 6, (0.4, 0.4, -0.3, 0.1)])
def test_no_test_has_less_error_than_the_floor(margins):
    """The best test rejects where the alternative is likelier: its error rates sum to the overlap of the two laws."""
    d = np.array(margins)
    y = np.array(list(product([0, 1], repeat=len(d))))
    alternative = np.prod(np.where(y == 1, 0.5 + d, 0.5 - d), axis=1)
    overlap = np.minimum(alternative, 0.5 ** len(d)).sum()
    assert np.exp(-binomial.divergence(d).sum()) / 2 <= overlap
