"""Scenarios of votes."""

import pytest
from calibration.goal_scenarios import VOTE_SCENARIOS


@pytest.mark.parametrize("one", VOTE_SCENARIOS, ids=lambda one: one.name)
def test_a_scenario_is_what_its_name_says(one):
    offer = one.offer
    assert (len(offer.people) > 0) == ("person" in one.name or "people" in one.name)
    assert (one.law.ties > 0) == ("ties" in one.name)
    assert (one.effect == 0) == ("equal" in one.name)
    assert len({name for pair in offer.pairs for name in pair}) == (int(one.name[8]) if "best" in one.name else 0)
    assert (one.fixed() is None) == (one.effect == 0 and bool(offer.pairs))
