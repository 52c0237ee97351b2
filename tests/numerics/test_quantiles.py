from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from quorate.numerics.study_power import mean_squares, t_quantiles

DF = np.concatenate([np.linspace(1, 30, 500), np.geomspace(30, 1e9, 50)])


@pytest.mark.parametrize("df", [1, 1.5, 2, 7, 400, 3000, 1e7])
def test_mean_squares_are_chi_square(df):
    chance = (0.001, 0.01, 0.5, 0.99, 0.999)
    wanted = stats.chi2.ppf(chance, df) / df
    assert mean_squares(chance, df) == pytest.approx(wanted, abs=1e-6)


def test_no_degrees_of_freedom_tell_nothing():
    assert mean_squares((0.1, 0.9), [[0.0, 5.0]])[:, 0, 0].tolist() == [1.0, 1.0]
    assert mean_squares((0.1, 0.9), np.ones((3, 4))).shape == (2, 3, 4)


@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.9995, 1 - 1e-7])
def test_quantiles_of_many_are_those_of_each(probability):
    assert t_quantiles(DF, probability) == pytest.approx(stats.t.ppf(probability, DF), rel=1e-8)
