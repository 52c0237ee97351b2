"""Standard errors of a regression without random effects to speak of are those of maximum likelihood."""

import numpy as np
import pytest

from quorate.numerics.links.modes import Layout
from quorate.numerics.links.search import covariance, search


def test_fixed_effects_of_equal_groups():
    """Twelve groups of the same counts: no variance between them, and the errors of two independent shares."""
    counts = np.tile([[60.0, 40.0], [30.0, 70.0]], (12, 1))
    x, group = np.tile([0.0, 1.0], 12)[:, None], np.repeat(np.arange(12), 2)
    laid = Layout(counts, x, group, group[:, None], np.zeros((24, 0), dtype=np.int64), cells=False)
    found = search(laid, np.ones(1), inside=False)
    assert found.variance[0] == 0
    assert found.fixed == pytest.approx([np.log(60 / 40), np.log(7 / 3) - np.log(4 / 6)], abs=1e-4)
    cov = covariance(laid, found, inside=False)
    first, second = 1 / 720 + 1 / 480, 1 / 360 + 1 / 840
    assert np.diag(cov)[1:] == pytest.approx([first, first + second], rel=2e-3)
