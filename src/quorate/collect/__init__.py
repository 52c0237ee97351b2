"""Collecting: judges are asked exactly the cells that a plan calls for, within a budget, and nothing is lost."""
