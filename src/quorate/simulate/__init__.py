"""Data whose truth is known."""

from quorate.simulate.demo import Coverage, demo_coverage, demo_table, demo_truth, write_demo

__all__ = ["Coverage", "demo_coverage", "demo_table", "demo_truth", "write_demo"]
