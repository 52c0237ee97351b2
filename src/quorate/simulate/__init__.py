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
    from quorate.simulate.demo import Coverage as Coverage
    from quorate.simulate.demo import demo_coverage as demo_coverage
    from quorate.simulate.demo import demo_table as demo_table
    from quorate.simulate.demo import demo_truth as demo_truth
    from quorate.simulate.demo import draw_judgments as draw_judgments
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

__all__, __getattr__, __dir__ = lazily(__name__)
