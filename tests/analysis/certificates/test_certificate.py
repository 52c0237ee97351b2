import numpy as np
import pytest

from quorate.analysis.certify import Certificate, summary
from quorate.errors import NotEstimable


def test_known_standard_errors_have_width_one_and_their_coverage():
    value = np.random.default_rng(1).normal(size=20_000)
    limits = np.column_stack([value, value - 1.96, value + 1.96])
    found = summary(limits, 0.0, 0.95, "with these 3 judges", 20_010, limits[:, 1] > 0)
    assert found.coverage == pytest.approx(0.95, abs=4 * found.coverage_error)
    assert found.width == pytest.approx(1.0, abs=4 * found.width_error)
    assert found.told_apart == pytest.approx(0.025, abs=4 * found.told_apart_error)
    assert found.refused == 10
    said = Certificate("difference", 0.95, (found,), 1).sentence
    assert "of 20,000 studies drawn like yours" in said
    assert said.endswith("; 10 gave no interval.")


def test_studies_that_never_vary_certify_nothing():
    with pytest.raises(NotEstimable, match="hardly vary"):
        summary(np.zeros((1, 3)), 0.0, 0.95, "", 20, None)
