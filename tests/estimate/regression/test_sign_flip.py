from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

import quorate as q
from quorate.errors import InvalidInput


def test_closed_form():
    flip = q.scores.sign_flip(-0.3, 0.2, ratio=0.25)
    assert flip.noise == pytest.approx(0.1)
    assert flip.differs == pytest.approx(norm.sf(3))
    assert flip.again == pytest.approx(norm.sf(3 / np.sqrt(2)))
    assert q.scores.sign_flip(0.3, 0.2, df=7).differs == pytest.approx(t.sf(1.5, 7))
    assert "other sign" in flip.sentence


@given(st.floats(-3, 3), st.floats(0.01, 2), st.floats(0, 1))
def test_more_error_turns_more_signs_and_another_run_more_than_none(beta, se, ratio):
    flip = q.scores.sign_flip(beta, se, ratio=ratio)
    assert 0 <= flip.differs <= flip.again <= 0.5
    assert flip.differs <= q.scores.sign_flip(beta, se).differs
    assert flip.differs == q.scores.sign_flip(-beta, se, ratio=ratio).differs


@pytest.mark.parametrize(
    ("given", "message"),
    [((np.nan, 1.0, 1.0, 5), "beta: "), ((1, 0, 1, 5), "se: "), ((1, 1, 1.2, 5), "ratio: "), ((1, 1, 1, 0), "df: ")],
)
def test_numbers_out_of_range(given, message):
    with pytest.raises(InvalidInput, match=message):
        q.scores.sign_flip(*given[:2], ratio=given[2], df=given[3])
