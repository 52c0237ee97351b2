"""Two-phase sampling: the closed form, bounds, and a search over every split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.prediction_powered import Costs, Split, Strata, neyman, people_alone, powered, worth_from

ONE = np.array([1.0])


def strata(weight, variance, correlation):
    weight, variance, r = (np.array(each, dtype=float) for each in (weight, variance, correlation))
    return Strata(weight, variance, variance * (1 - r**2), variance * r**2)


@pytest.mark.parametrize(("r", "price"), [(0.6, 0.01), (0.8, 0.05), (0.9, 0.3)])
def test_without_bounds_it_is_the_closed_form(r, price):
    """Cochran (1977), 12.7: variance v (sqrt(c (1 - r^2)) + r sqrt(c'))^2 / budget at the least."""
    found = powered(strata([1], [2.0], [r]), Costs(1.0, price), 500.0, 3 * ONE)
    assert found.labels.sum() / found.units == pytest.approx(np.sqrt((1 - r**2) / r**2 * price), rel=1e-4)
    assert found.variance == pytest.approx(2 * (np.sqrt(1 - r**2) + r * np.sqrt(price)) ** 2 / 500, rel=1e-8)
    assert found.cost(Costs(1.0, price)) == pytest.approx(500)


@pytest.mark.parametrize("costs", [Costs(1.0, 0.02), Costs(1.0, 0.1, 0.05), Costs(0.3, 0.29)])
def test_predictions_pay_from_the_correlation_that_is_said(costs):
    for apart in (-0.01, 0.01):
        population = strata([1], [1.0], [min(worth_from(costs) + apart, 1.0)])
        both, alone = (each(population, costs, 1000.0, 3 * ONE) for each in (powered, people_alone))
        assert (both.variance < alone.variance) == (apart > 0)


@given(st.integers(0, 10_000))
def test_no_split_of_a_fine_grid_is_better(seed):
    """By category, with bounds: the number of predicted units in 400 steps, labels of two categories in 60 each."""
    rng = np.random.default_rng(seed)
    population = strata(rng.dirichlet([2, 2]), rng.uniform(0.05, 1, 2), rng.uniform(0.1, 0.95, 2))
    costs, budget, most = Costs(1.0, rng.uniform(0.005, 0.2)), 300.0, rng.choice([400.0, np.inf])
    found = powered(population, costs, budget, np.full(2, 5.0), most_units=most)
    units = np.linspace(50, min(most, 280 / costs.prediction), 400)
    left, part = budget - costs.prediction * units, np.linspace(0.01, 0.99, 60)[:, None]
    with np.errstate(divide="ignore"):
        labels = np.minimum(np.stack([left * part, left * (1 - part)]), units * population.weight[:, None, None])
    allowed = (labels >= 5).all(axis=0) & (left > 0)
    square = (population.weight**2 * population.residual)[:, None, None]
    variance = (square / np.where(allowed, labels, 1.0)).sum(axis=0) + population.weight @ population.explained / units
    assert found.variance <= variance[allowed].min() * (1 + 1e-6)
    assert found.cost(costs) <= budget * (1 + 1e-9)


@given(st.integers(0, 10_000))
def test_labels_add_up_and_keep_their_bounds(seed):
    rng = np.random.default_rng(seed)
    least = rng.uniform(0, 20, 5)
    most = least + rng.uniform(0, 60, 5)
    total = rng.uniform(least.sum(), most.sum())
    found = neyman(total, rng.uniform(0, 1, 5) * (rng.random(5) < 0.8), least, most)
    assert found.sum() == pytest.approx(total)
    assert (found >= least - 1e-6).all()
    assert (found <= most + 1e-6).all()


def test_too_little_money_buys_nothing():
    population = strata([0.5, 0.5], [1, 1], [0.8, 0.8])
    assert powered(population, Costs(1.0, 0.1), 9.0, np.full(2, 5.0)) is None
    assert people_alone(population, Costs(1.0, 0.1), 9.0, np.full(2, 5.0)) is None
    assert people_alone(population, Costs(1.0, 0.1), 99.0, np.full(2, 5.0), most_units=8.0) is None


def test_what_people_alone_and_what_judges_too_cost():
    costs, labels = Costs(label=2.0, prediction=0.5, unit=0.25), np.array([10.0, 30.0])
    assert Split(labels, 0.0, 1.0).cost(costs) == 40 * 2.25
    assert Split(labels, 100.0, 1.0).cost(costs) == 40 * 2 + 100 * 0.75
