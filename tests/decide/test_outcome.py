import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.outcome import Outcome, outcome_by


@pytest.mark.parametrize(
    ("value", "p_difference", "p_equivalence", "outcome"),
    [
        (0.3, 0.04, None, Outcome.BETTER),
        (-0.3, 0.04, None, Outcome.WORSE),
        (0.3, 0.06, None, Outcome.UNDECIDED),
        (0.3, 0.04, 0.5, Outcome.BETTER),
        (0.3, 0.04, 0.04, Outcome.EQUIVALENT),  # real, but within the margin
        (-0.3, 0.5, 0.04, Outcome.EQUIVALENT),
        (-0.3, 0.5, 0.06, Outcome.UNDECIDED),
    ],
)
def test_equivalence_comes_first_then_the_sign(value, p_difference, p_equivalence, outcome):
    assert outcome_by(value, p_difference, p_equivalence, 0.05) is outcome


@pytest.mark.slow
def test_not_worse_is_shown_by_the_interval_where_nothing_is_decided():
    d = 0.3 + np.tile([-0.6, 0.6], 6)
    rows = {"system": ["a"] * 12 + ["b"] * 12, "item": [*range(12)] * 2, "score": [*d, *np.zeros(12)]}
    scores = q.read(pl.DataFrame(rows), announce=False)
    found = q.compare(scores, "a", "b", margin=0.5, claim="not worse")
    assert found.outcome is Outcome.UNDECIDED
    assert -0.5 < found.estimate.ends[0] < 0
    assert (found.supported, found.exit_code) == (True, 0)
    assert not q.compare(scores, "b", "a", margin=0.5, claim="not worse").supported
