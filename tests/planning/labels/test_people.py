"""How far people agree, from units that several labelled."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.planning.labels_plan import Persons


def test_it_is_the_textbook_alpha_and_the_variance_within_units():
    """Krippendorff (2011), example C without its missing units, by the differences of two observers."""
    one, two = np.array([1.0, 2, 3, 3, 2, 1, 4, 1, 2]), np.array([1.0, 2, 3, 3, 2, 2, 4, 1, 2])
    found = Persons(np.tile(np.arange(9), 2), np.append(one, two)).reliability(0.95)
    every = np.append(one, two)
    expected = 1 - np.mean((one - two) ** 2) / np.mean((every[:, None] - every) ** 2) * (17 / 18)
    assert found.value == pytest.approx(expected)
    assert found.within == pytest.approx(np.mean((one - two) ** 2) / 2)
    assert found.units == 9
    assert found.ceiling == pytest.approx(np.sqrt(expected))


def test_single_labels_say_nothing_and_do_not_count():
    rng = np.random.default_rng(1)
    unit, value = np.repeat(np.arange(30), 2), rng.normal(size=60)
    more = Persons(np.append(unit, np.arange(30, 90)), np.append(value, rng.normal(size=60)))
    assert more.reliability(0.95) == Persons(unit, value).reliability(0.95)
    assert more.reliability(0.95).none
    assert Persons(np.arange(60), value).reliability(0.95) is None
    assert Persons(unit[:8], value[:8]).reliability(0.95) is None  # four units
    assert Persons(unit, np.ones(60)).reliability(0.95) is None
