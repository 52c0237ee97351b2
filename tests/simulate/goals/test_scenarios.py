"""Scenarios by which goals are measured."""

from calibration.goal_scenarios import SCENARIOS

from quorate.decide.goals.rounds import pilot


def test_every_scenario_pays_for_its_pilot_of_thirty_items():
    assert len({one.name for one in SCENARIOS}) == len(SCENARIOS) >= 12
    for one in SCENARIOS:
        cells = pilot(one.goal, one.offer)
        assert len(set(cells.code("item").tolist())) == 30
        assert 2 <= len(cells.calls("judge")) <= 5
