"""Choosing judges, against a plain loop over every subset."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.panel.subsets import BEYOND, Choice, error_correlations, exchange, exhaustive, turns

BUDGET = {"budget": 40.0, "target": None}
TARGET = {"budget": None, "target": 0.05}


def choice(seed, judges=6, asked=BUDGET, fewest=1, most=None, scale=0.3):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(judges, judges)) * scale
    centring = np.eye(judges) - 1 / judges
    price = rng.lognormal(0, 1, judges)
    error = centring @ root @ root.T @ centring
    return Choice(rng.gamma(2, 0.5, judges), error, price, **asked, fewest=fewest, most=most or judges)


def variance(made, chosen, money):
    """With the best places of the money."""
    k = len(chosen)
    share = np.sqrt(made.spread[chosen] / made.price[chosen])
    counts = share * money / (share @ made.price[chosen])
    return (made.spread[chosen] / counts).sum() / k**2 + made.error[np.ix_(chosen, chosen)].sum() / k**2


def by_loop(made):
    """Best value of every size that is within reach, and the members."""
    out = {}
    for k in range(made.fewest, made.most + 1):
        for chosen in map(list, combinations(range(len(made.price)), k)):
            left = made.error[np.ix_(chosen, chosen)].sum() / k**2
            least = made.price[chosen].sum()
            if made.budget is not None:
                value = variance(made, chosen, made.budget) if least <= made.budget else np.inf
            else:
                free = variance(made, chosen, 1.0) - left
                value = max(free / (made.target - left), least) if left < made.target else np.inf
            if value < out.get(k, (np.inf,))[0]:
                out[k] = (value, chosen)
    return out


@pytest.mark.wide(6)
@pytest.mark.parametrize("asked", [BUDGET, TARGET, {"budget": 3.0, "target": None}, {"budget": None, "target": 0.01}])
@pytest.mark.parametrize("seed", range(5))
def test_the_search_finds_what_a_loop_finds(asked, seed):
    made = choice(seed, asked=asked)
    expected = by_loop(made)
    members, values = exhaustive(made)
    assert [int(m.sum()) for m in members] == list(expected)
    assert values == pytest.approx([value for value, _ in expected.values()])
    assert [list(np.flatnonzero(m)) for m in members] == [chosen for _, chosen in expected.values()]
    assert made.of(members) == pytest.approx(values)


def test_limits_and_places_are_kept():
    members, values = exhaustive(choice(1, judges=7, fewest=2, most=4), top=3)
    assert members.sum(axis=1).tolist() == [2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert (np.diff(values.reshape(3, 3)) >= 0).all()


@pytest.mark.wide(1)
@pytest.mark.parametrize("asked", [BUDGET, TARGET])
def test_exchanging_comes_close_to_the_best(asked):
    """Errors of full rank, as those of a pilot are, and of no structure."""
    ratio = []
    for seed in range(15):
        made = choice(seed, judges=12, asked=asked, scale=0.15)
        ratio.append(exchange(made)[1].min() / exhaustive(made)[1].min())
    assert np.min(ratio) > 1 - 1e-9
    assert np.mean(np.array(ratio) < 1 + 1e-9) >= 0.9
    assert np.max(ratio) < 1.05


def test_many_choices_at_once_are_as_one_by_one():
    each = [choice(seed, judges=8) for seed in range(4)]
    price = each[0].price
    stacked = Choice(
        np.stack([c.spread for c in each]), np.stack([c.error for c in each]), price, 40.0, None, fewest=2, most=6
    )
    members, values = exchange(stacked)
    assert members.shape == (4, 5, 8)
    assert values.shape == (4, 5)
    for i, one in enumerate(each):
        alone = exchange(Choice(one.spread, one.error, price, 40.0, None, 2, 6))
        assert (members[i] == alone[0]).all()
        assert values[i] == pytest.approx(alone[1])


@pytest.mark.parametrize("cheap", [1.0, 1e-4])
def test_what_no_money_buys_is_beyond_reach(cheap):
    made = choice(2, asked={"budget": 1e-6, "target": None})
    made = replace(made, price=made.price * cheap)
    assert len(exhaustive(made)[0]) == 0
    assert (exchange(made)[1] >= BEYOND).all()


@given(st.integers(0, 1000), st.floats(1.5, 3.0))
def test_dearer_is_never_better(seed, factor):
    made = choice(seed)
    dearer = made.price.copy()
    dearer[seed % 6] *= factor
    other = Choice(made.spread, made.error, dearer, 40.0, None, 1, 6)
    assert exhaustive(other)[1].min() >= exhaustive(made)[1].min() * (1 - 1e-12)


@pytest.mark.parametrize("asked", [{"budget": 400.0, "target": None}, {"budget": None, "target": 0.002}])
@pytest.mark.parametrize("seed", range(5))
def test_whole_turns_keep_to_the_money_or_the_precision(asked, seed):
    made = choice(seed, asked=asked, scale=0.1)
    members = np.ones(6, dtype=bool)
    found = turns(made, members)
    spent, got = found.counts @ made.price, (made.spread / found.counts).sum() / 36
    assert np.gcd.reduce(found.places) == 1
    assert found.places.sum() <= 32
    if made.budget is not None:
        assert 0.9 * made.budget < spent <= made.budget
        assert got <= 1.1 * variance(made, list(range(6)), made.budget)
    else:
        assert got <= made.target
        assert spent <= 1.1 * (variance(made, list(range(6)), 1.0)) / made.target


def test_turns_at_the_edge():
    same = Choice(np.ones(3), np.zeros((3, 3)), np.ones(3), 7.5, None, 1, 3)
    all_three = np.ones(3, dtype=bool)
    assert turns(same, all_three).places.tolist() == [1, 1, 1]
    assert turns(same, all_three).cycles == 2
    assert turns(same.at(2.9), all_three) is None
    quiet = Choice(np.zeros(3), np.zeros((3, 3)), np.ones(3), 3.0, None, 1, 3)
    assert turns(quiet, all_three).counts.tolist() == [1, 1, 1]


def test_a_covariance_of_errors_is_the_mean_of_all_tetrads():
    x = np.random.default_rng(1).normal(size=(30, 5))
    c, rest = np.cov(x.T, ddof=0), (2, 3, 4)
    tetrads = [c[0, 1] - c[0, d] - c[e, 1] + c[e, d] for e in rest for d in rest if e != d]
    r, t = error_correlations(x)
    assert np.sign(r[0, 1]) == np.sign(np.mean(tetrads)) == np.sign(t[0, 1])
    assert r == pytest.approx(r.T)
    assert r == pytest.approx(error_correlations(3 * x + np.arange(30)[:, None])[0])  # what items add cancels


@pytest.mark.parametrize("noise", [(1, 1, 1, 1, 1), (0.2, 0.3, 1, 3, 3)])
def test_judges_that_are_no_copies_are_seldom_said_to_be(noise):
    rng, said = np.random.default_rng(2), 0
    for _ in range(200):
        x = rng.normal(size=(60, 1)) + rng.normal(size=(60, 5)) * noise
        r, t = error_correlations(x)
        said += bool(((r > 0.5) & (t > 3.09))[np.triu_indices(5, 1)].any())
    assert said <= 4


def test_copies_are_found():
    rng = np.random.default_rng(3)
    own = rng.normal(size=(60, 4))
    r, t = error_correlations(rng.normal(size=(60, 1)) + own[:, [0, 0, 2, 3]] + 0.2 * own)
    assert r[0, 1] > 0.8
    assert t[0, 1] > 3
