"""Simulators: data whose truth is known, and studies redrawn from data that exist.

Names load their module when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazily import lazily

if TYPE_CHECKING:
    from quorate.simulate.allocation.cycles import Accuracy as Accuracy
    from quorate.simulate.allocation.cycles import CycleComparison as CycleComparison
    from quorate.simulate.allocation.cycles import Setting as Setting
    from quorate.simulate.allocation.cycles import Sweep as Sweep
    from quorate.simulate.allocation.cycles import compare_cycles as compare_cycles
    from quorate.simulate.allocation.cycles import sweep_allocation as sweep_allocation
    from quorate.simulate.allocation.result import PolicyRuns as PolicyRuns
    from quorate.simulate.allocation.result import Saved as Saved
    from quorate.simulate.crossed import draw_judgments as draw_judgments
    from quorate.simulate.demo import Coverage as Coverage
    from quorate.simulate.demo import demo_coverage as demo_coverage
    from quorate.simulate.demo import demo_table as demo_table
    from quorate.simulate.demo import demo_truth as demo_truth
    from quorate.simulate.demo import panel_table as panel_table
    from quorate.simulate.demo import write_demo as write_demo
    from quorate.simulate.demo import write_panel as write_panel
    from quorate.simulate.goals.goal import GoalRates as GoalRates
    from quorate.simulate.goals.goal import simulate_goal as simulate_goal
    from quorate.simulate.goals.votes import VoteLaw as VoteLaw
    from quorate.simulate.pipelines.cells import CellMargins as CellMargins
    from quorate.simulate.pipelines.cells import score_margins as score_margins
    from quorate.simulate.pipelines.cells import votes_margins as votes_margins
    from quorate.simulate.pipelines.result import PipelineErrors as PipelineErrors
    from quorate.simulate.pipelines.result import Rated as Rated
    from quorate.simulate.strategies import Check as Check
    from quorate.simulate.strategies import Promise as Promise
    from quorate.simulate.strategies import Validation as Validation
    from quorate.simulate.strategies import simulated_scores as simulated_scores
    from quorate.simulate.strategies import validate_strategies as validate_strategies
    from quorate.simulate.two_stage import AllocationStudy as AllocationStudy
    from quorate.simulate.two_stage import regime as regime
    from quorate.simulate.two_stage import replay_two_stage as replay_two_stage
    from quorate.simulate.two_stage import simulate_two_stage as simulate_two_stage
    from quorate.simulate.verdicts import VerdictRates as VerdictRates
    from quorate.simulate.verdicts import replay_verdicts as replay_verdicts

_HOMES = {
    "Accuracy": "quorate.simulate.allocation.cycles",
    "AllocationStudy": "quorate.simulate.two_stage",
    "CellMargins": "quorate.simulate.pipelines.cells",
    "Check": "quorate.simulate.strategies",
    "Coverage": "quorate.simulate.demo",
    "CycleComparison": "quorate.simulate.allocation.cycles",
    "GoalRates": "quorate.simulate.goals.goal",
    "PolicyRuns": "quorate.simulate.allocation.result",
    "PipelineErrors": "quorate.simulate.pipelines.result",
    "Promise": "quorate.simulate.strategies",
    "Rated": "quorate.simulate.pipelines.result",
    "Saved": "quorate.simulate.allocation.result",
    "Setting": "quorate.simulate.allocation.cycles",
    "Sweep": "quorate.simulate.allocation.cycles",
    "Validation": "quorate.simulate.strategies",
    "VerdictRates": "quorate.simulate.verdicts",
    "VoteLaw": "quorate.simulate.goals.votes",
    "compare_cycles": "quorate.simulate.allocation.cycles",
    "demo_coverage": "quorate.simulate.demo",
    "demo_table": "quorate.simulate.demo",
    "demo_truth": "quorate.simulate.demo",
    "draw_judgments": "quorate.simulate.crossed",
    "panel_table": "quorate.simulate.demo",
    "regime": "quorate.simulate.two_stage",
    "replay_two_stage": "quorate.simulate.two_stage",
    "replay_verdicts": "quorate.simulate.verdicts",
    "score_margins": "quorate.simulate.pipelines.cells",
    "simulate_goal": "quorate.simulate.goals.goal",
    "simulate_two_stage": "quorate.simulate.two_stage",
    "simulated_scores": "quorate.simulate.strategies",
    "sweep_allocation": "quorate.simulate.allocation.cycles",
    "validate_strategies": "quorate.simulate.strategies",
    "votes_margins": "quorate.simulate.pipelines.cells",
    "write_demo": "quorate.simulate.demo",
    "write_panel": "quorate.simulate.demo",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
