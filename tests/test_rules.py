"""What arguments may be: a few words, whole numbers, numbers; the same words of every refusal."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from quorate import rules
from quorate.errors import InvalidInput


@pytest.mark.parametrize("value", [0, -1, 11, 1.0, True, None, "3", float("nan")])
def test_whole_numbers(value):
    assert rules.whole("pilot", np.int64(3), 1, 10) == 3
    with pytest.raises(InvalidInput, match=r"^pilot: must be a whole number from 1 to 10, got"):
        rules.whole("pilot", value, 1, 10)


def test_numbers_of_numpy_are_numbers():
    for value in (1, 0.5, np.int64(1), np.float32(0.5)):
        rules.number("price", value, above=0)
    for value in (0, -1, True, np.True_, np.inf, np.nan, "1", None):
        with pytest.raises(InvalidInput, match=r"^price: must be above 0, got "):
            rules.number("price", value, above=0)


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_numbers_within_limits(value):
    rules.number("ratio", 1, least=0, most=1)
    with pytest.raises(InvalidInput, match=rf"^ratio: must be from 0 to 1, got {value}"):
        rules.number("ratio", value, least=0, most=1)


@pytest.mark.parametrize("choices", [("a", "b"), Literal["a", "b"], {"a": 1, "b": 2}])
def test_words(choices):
    rules.one_of("kind", "a", choices)
    with pytest.raises(InvalidInput, match=r'^kind: must be one of a, b, got "c"'):
        rules.one_of("kind", "c", choices)
