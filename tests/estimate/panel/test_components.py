"""Components of one model, and where two models differ."""

import numpy as np
import pytest

from quorate.estimate.panel.crossed import PanelComponents, differences, with_intervals

DRAWN = np.linspace(0, 1, 101)[:, None] + np.arange(5)


def components(**changed):
    """Every component at .5 in an interval from 0 to 1, unless changed."""
    values = dict.fromkeys(("alpha", "beta", "gamma", "eps", "interaction"), 0.5) | changed
    return PanelComponents(**values, intervals=dict.fromkeys(values, (0.0, 1.0)))


def test_percentile_intervals():
    found = with_intervals(np.arange(5) + 0.5, DRAWN, 0.9)
    assert (found.alpha, found.interaction) == (0.5, 4.5)
    assert found.intervals["beta"] == pytest.approx((1.05, 1.95))


def test_what_is_not_estimated_has_no_interval():
    found = with_intervals(np.array([1, np.nan, 2, 3, np.nan]), DRAWN, 0.9)
    assert set(found.intervals) == set(found.values) == {"alpha", "gamma", "eps"}
    assert found.to_dict()["gamma"] == found.gamma == 2
    assert found.to_dict()["intervals"]["gamma"] == pytest.approx([2.05, 2.95])
    assert "beta" not in found.to_dict()


def test_negative_estimates_are_named():
    assert components(beta=-0.1, gamma=0.0, interaction=-1e-9).negative == ("beta", "interaction")


@pytest.mark.parametrize("value", [-0.2, 1.2])
def test_differences_both_ways(value):
    assert differences(components(beta=value), components()) == ("beta",)
    assert differences(components(), components(beta=value)) == ("beta",)


def test_residuals_are_not_compared():
    assert differences(components(eps=9.0), components()) == ()
