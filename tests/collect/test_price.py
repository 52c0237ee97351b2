"""Costs by the price table; what is not known is not zero."""

from __future__ import annotations

import math

import pytest

from quorate.collect.budget import Price
from quorate.errors import InvalidInput


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
