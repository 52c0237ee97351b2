"""Intervals for items one after the other: the sequence of `bounded_mean`, over items and differences of items."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.decide.anytime import anytime_difference, anytime_mean
from quorate.decide.outcome import Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential.confidence_sequence import bounded_mean

ITEMS = 80


@pytest.fixture(scope="module")
def table():
    """Amber is better by 2, give or take 1, on items that the two share; a judge is left out of some."""
    rows = [
        {"item": f"i{i:02}", "system": name, "judge": judge, "score": 5.0 + 2 * (name == "amber") + (i % 3 - 1) * sign}
        for i in range(ITEMS)
        for name, sign in (("amber", 1), ("basalt", 0))
        for judge in "mn"[: 1 + (i % 4 > 0)]
    ]
    return q.read(pl.DataFrame(rows), announce=False)


def test_every_item_counts_once(table):
    found = anytime_mean(table, (1, 9))
    means = [(5.0 + 7.0 + (i % 3 - 1)) / 2 for i in range(ITEMS)]
    share = [(mean - 1) / 8 for mean in means]
    mean = sum(share) / ITEMS
    low, high = bounded_mean(ITEMS, mean, sum((one - mean) ** 2 for one in share), 0.05)
    assert (found.value, found.items) == (pytest.approx(sum(means) / ITEMS), ITEMS)
    assert (found.low, found.high) == pytest.approx((1 + 8 * float(low), 1 + 8 * float(high)))


def test_a_difference_is_decided_in_both_directions(table):
    better, worse = (anytime_difference(table, *pair, (1, 9)) for pair in (("amber", "basalt"), ("basalt", "amber")))
    assert (better.outcome, worse.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert (better.value, better.items) == (pytest.approx(2 - 1 / ITEMS), ITEMS)
    assert (better.low, better.high) == pytest.approx((-worse.high, -worse.low))
    few = table.keep(table.column("item") < 5)
    assert anytime_difference(few, "amber", "basalt", (1, 9)).outcome is Outcome.UNDECIDED


def test_what_cannot_be_compared_is_said(table):
    alone = (table.column("item") % 2 == 0) == (table.column("system") == 0)
    with pytest.raises(NotEstimable, match="no item has scores of both"):
        anytime_difference(table.keep(alone), "amber", "basalt", (1, 9))
    with pytest.raises(InvalidInput, match="scores are from 1 to 5"):
        anytime_mean(table, (1, 5))
    none = anytime_mean(table.keep(table.n < 0), (1, 9))
    assert (none.items, none.low, none.high) == (0, 1, 9)
