"""Data whose truth is known."""

from quorate.simulate.demo import Coverage, demo_coverage, demo_table, demo_truth, write_demo
from quorate.simulate.panel_demo import panel_table, write_panel

__all__ = ["Coverage", "demo_coverage", "demo_table", "demo_truth", "panel_table", "write_demo", "write_panel"]
