"""Scenarios by which goals are measured."""

import pytest
from calibration.goal_scenarios import SCENARIOS, VOTE_SCENARIOS

from quorate.decide.goals.rounds import pilot


def test_every_scenario_pays_for_its_pilot_of_thirty_items():
    assert len({one.name for one in SCENARIOS}) == len(SCENARIOS) >= 12
    for one in SCENARIOS:
        cells = pilot(one.goal, one.offer)
        assert len(set(cells.code("item").tolist())) == 30
        assert 2 <= len(cells.calls("judge")) <= 5


# Scenarios of votes.


@pytest.mark.wide(6)
@pytest.mark.parametrize("one", VOTE_SCENARIOS, ids=lambda one: one.name)
def test_a_scenario_is_what_its_name_says(one):
    offer = one.offer
    assert (len(offer.people) > 0) == ("person" in one.name or "people" in one.name)
    assert (one.law.ties > 0) == ("ties" in one.name)
    assert (one.effect == 0) == ("equal" in one.name)
    assert len({name for pair in offer.pairs for name in pair}) == (int(one.name[8]) if "best" in one.name else 0)
    assert (one.fixed() is None) == (one.effect == 0 and bool(offer.pairs))
