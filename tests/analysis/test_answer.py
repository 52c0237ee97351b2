from __future__ import annotations

from quorate.analysis.answer import answer


def test_enough_is_said(demo):
    found = answer(0.2, 0.3, demo.purchases)
    assert found.met
    assert found.sentence == "Asked for an interval of ±0.30; it is ±0.20: enough."


def test_not_enough_says_what_buys_most(demo):
    found = answer(0.5, 0.3, demo.purchases)
    assert not found.met
    assert f"this buys most: {demo.purchases[0].label} (" in found.sentence


def test_nothing_to_buy_is_no_advice():
    assert answer(0.5, 0.3, ()).sentence.endswith("not enough.")
