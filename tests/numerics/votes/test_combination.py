import numpy as np
import pytest
from scipy.stats import combine_pvalues

from quorate.numerics.votes.combination import fisher, inverse_normal, two_sided


def test_fisher_as_in_scipy():
    assert fisher(0.04, 0.2) == pytest.approx(combine_pvalues([0.04, 0.2], "fisher").pvalue)
    assert fisher(1.0, 1.0) == 1


def test_inverse_normal_as_in_scipy():
    expected = combine_pvalues([0.04, 0.2], "stouffer", weights=np.sqrt([0.3, 0.7])).pvalue
    assert inverse_normal(0.04, 0.2, 0.3) == pytest.approx(expected)
    assert inverse_normal(0.04, 0.2, 0.0) == pytest.approx(0.2)


def test_contradiction_shows_nothing():
    assert inverse_normal(0.0, 1.0, 0.5) == 1


def test_two_sided():
    assert two_sided([0.01, 0.7], [0.99, 0.6]).tolist() == [0.02, 1.0]
