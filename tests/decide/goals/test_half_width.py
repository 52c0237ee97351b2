"""Means that are known well enough."""

import pytest

from quorate.decide.goals.goal import HalfWidthGoal, Offer, Spent
from quorate.decide.goals.look import UNDECIDED
from quorate.decide.goals.parts import Precision
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import components
from quorate.simulate.crossed import draw_judgments


def test_the_usual_interval_buys_until_it_is_narrow():
    law = components({"item": 0.3, "item:judge": 0.2, "cell": 0.2}, sensitivity={"judge": 0.0})
    table = draw_judgments(law, levels={"item": 30, "judge": 3}, rng=1)
    judges = tuple(table.facet("judge").levels)
    offer = Offer((*table.facet("item").levels, *(f"more {n}" for n in range(400))), judges, calls=2000)
    asked = Precision(HalfWidthGoal(0.1), offer)
    found, cells = asked.look(table, [], Spent(90))
    usual = decompose(table).mean.half_width
    assert found.outcome == UNDECIDED
    assert (found.high - found.low) / 2 == pytest.approx(usual, rel=1e-9)
    assert found.fraction == pytest.approx((0.1 / usual) ** 2, rel=0.15)
    assert 0 < found.buys.calls == len(cells) < 2000
    once = Precision(HalfWidthGoal(usual * 1.01), Offer(offer.items, judges, calls=2000, looks=1))
    last, none = once.look(table, [], Spent(90))
    assert (last.outcome, len(none)) == ("known", 0)
    assert (last.high - last.low) / 2 == pytest.approx(usual, rel=1e-6)
    assert found.buys.calls <= 90  # no more than was spent, on the word of a pilot
    assert asked.pace(0.1, 4) < asked.pace(0.7, 3) < asked.pace(0.7, 1)
