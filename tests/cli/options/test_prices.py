from __future__ import annotations

import pytest

from quorate.cli.options.groups import Prices
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("call", "judges", "more", "found"),
    [
        (None, None, {}, None),
        (0.01, [], {"item": None}, {"call": 0.01}),
        (None, ["gpt=0.02", "a=b=0.5"], {"item": 1.0}, {"item": 1.0, "judge": {"gpt": 0.02, "a=b": 0.5}}),
        (None, None, {"generation": 2.0}, {"generation": 2.0, "call": 1.0}),
    ],
)
def test_prices_as_the_library_takes_them(call, judges, more, found):
    options = {f"{name}_price": price for name, price in more.items()}
    assert Prices(price=call, judge_price=judges, **options).prices() == found


@pytest.mark.parametrize(
    ("call", "judges", "message"),
    [
        (1.0, ["a=1"], "--price: give it or --judge-price, not both"),
        (None, ["a"], "--judge-price: expects a judge and a price"),
        (None, ["a=1", "a=2"], "each judge once"),
        (None, ["=1"], "expects a judge and a price"),
        (None, ["a=dear"], 'a must be an amount such as 0.01, got "dear"'),
    ],
)
def test_prices_that_are_none(call, judges, message):
    with pytest.raises(InvalidInput, match=message):
        Prices(price=call, judge_price=judges).prices()
