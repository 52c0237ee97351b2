"""Codes and places of whole numbers, compact or not, are those that np.unique finds."""

import numpy as np
import pytest

from quorate.arrays import dense, first_of_each, in_order, occurring


@pytest.fixture(params=[0, 3, 40, 10**7, 2**62], ids=["none", "few", "compact", "wide", "widest"])
def key(request):
    rng = np.random.default_rng(1)
    return rng.integers(request.param + 1, size=500)[: 500 if request.param else 0]


def test_values_codes_and_first_places(key):
    value, first, code = np.unique(key, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(occurring(key), value)
    np.testing.assert_array_equal(first_of_each(key), first)
    np.testing.assert_array_equal(dense(key), code)


def test_equal_values_keep_their_order(key):
    value, place = in_order(key)
    np.testing.assert_array_equal(place, np.argsort(key, kind="stable"))
    np.testing.assert_array_equal(value, key[place])
