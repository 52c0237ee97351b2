"""Costs by the price table; what is not known is not zero."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.collect.budget import NANO, Budget, Price, affordable, nano
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    "wrong", [{"calls": -1}, {"calls": 1.5}, {"calls": True}, {"money": -0.1}, {"money": float("inf")}]
)
def test_a_limit_is_a_number_that_makes_sense(wrong):
    with pytest.raises(InvalidInput, match=r"budget: (calls|money) must be"):
        Budget(**wrong)


@pytest.mark.parametrize(("money", "billionths"), [(None, None), (0.1, 100_000_000), (1e-9, 1), (1e-10, 1), (0, 0)])
def test_money_is_counted_in_billionths_rounded_up(money, billionths):
    assert nano(money) == billionths


@given(st.lists(st.integers(0, 5 * NANO)), st.none() | st.integers(-3, 20), st.none() | st.integers(-3, 10 * NANO))
def test_what_is_admitted_fits_and_one_more_would_not(prices, calls, money):
    count = affordable(prices, calls, money)
    fits = (calls is None or count <= max(calls, 0)) and (money is None or count == 0 or sum(prices[:count]) <= money)
    assert fits
    if count < len(prices):
        assert (calls is not None and count + 1 > calls) or (money is not None and sum(prices[: count + 1]) > money)


def test_an_unknown_price_never_fits_into_money():
    assert affordable([1, None, 1], None, 10) == 1
    assert affordable([None, None], 2, None) == 2


def test_a_call_whose_price_is_just_what_is_left_is_admitted():
    assert affordable([5], None, 5) == 1
    assert affordable([2, 3, 1], None, 5) == 2


@pytest.mark.parametrize(
    ("price", "tokens", "cost"),
    [
        (Price(), (10, 10), None),
        (Price(input=1, output=2), (1_000_000, 500_000), 2.0),
        (Price(input=1, output=2), (None, 10), None),
        (Price(input=1, output=2), (10, None), None),
        (Price(input=0, output=0), (10, 10), 0.0),
        (Price(call=0.5), (None, None), 0.5),
        (Price(input=1, output=2, call=0.5), (1_000_000, 0), 1.5),
    ],
)
def test_cost(price, tokens, cost):
    assert price.cost(*tokens) == cost
    assert price.known == (price != Price())


@pytest.mark.parametrize("given", [{"call": -1}, {"call": math.nan}, {"call": math.inf}, {"input": 1}, {"output": 1}])
def test_what_is_no_price_is_refused(given):
    with pytest.raises(InvalidInput, match="price"):
        Price(**given)
