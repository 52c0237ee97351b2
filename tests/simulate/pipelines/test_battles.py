"""Simulated battles have the components that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from calibration.redrawn_battles import BattleComponents, BattlePanel, draw_panel, simulate_battles


def test_panels_have_the_spreads_asked_for():
    components = BattleComponents(system=1.0, judge=0.3, prompt=0.1, position=0.5)
    panel = draw_panel(400, 50, 20, components, np.random.default_rng(1))
    assert panel.worth.std() == pytest.approx(1, rel=0.1)
    assert panel.by_judge.std() == pytest.approx(0.3, rel=0.05)
    assert panel.by_prompt.std() == pytest.approx(0.1, rel=0.05)
    assert panel.position.std() == pytest.approx(0.5, rel=0.3)


def test_a_battle_is_won_as_often_as_its_normal_law_says():
    """Worth 1 apart, variance 2 (.5^2 + .5^2) = 1: the better one wins with a chance of Phi(1) = .841."""
    components = BattleComponents(response=0.5, cell=0.5, tie=0.0)
    panel = BattlePanel(np.array([0.0, 1.0]), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(1))
    table = simulate_battles(panel, 40_000, components, np.random.default_rng(1))
    assert np.mean(table.margin < 0) == pytest.approx(0.8413, abs=0.006)
    assert table.levels == {"judge": ("judge 1",) * 2, "variant": ("variant 1",) * 2, "order": ("as listed", "swapped")}


def test_position_bias_turns_with_the_order():
    components = BattleComponents(response=0.0, cell=0.5, tie=0.0)
    panel = BattlePanel(np.zeros(2), np.zeros((1, 2)), np.zeros((1, 2)), np.array([100.0]))
    table = simulate_battles(panel, 2000, components, np.random.default_rng(1))
    np.testing.assert_array_equal(table.margin[:, 0], -table.margin[:, 1])
    assert np.mean(table.margin[:, 0] > 0) == pytest.approx(0.5, abs=0.05)  # who is listed first is drawn


def test_scores_are_whole_and_cut_at_their_ends():
    components = BattleComponents()
    panel = draw_panel(4, 3, 2, components, np.random.default_rng(1))
    table = simulate_battles(panel, 500, components, np.random.default_rng(2), kind="likert")
    assert table.margin.shape == (500, 6)
    assert set(np.unique(table.margin)) <= set(range(-4, 5))
    assert "order" not in table.levels
    assert (table.a < table.b).all()
