"""Small studies of every shape, which analyses and pages are made of."""

from studies import _agreed, _ballots, _rated, _surface, analysis, demo, hostile, panel_table, replays, shape, table

__all__ = [
    "_agreed",
    "_ballots",
    "_rated",
    "_surface",
    "analysis",
    "demo",
    "hostile",
    "panel_table",
    "replays",
    "shape",
    "table",
]
