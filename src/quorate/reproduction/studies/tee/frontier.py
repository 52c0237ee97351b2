"""The cost frontier of the safety study: 360 designs, and fractional ones at the same price."""

from __future__ import annotations

from itertools import product

import numpy as np

from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import source_of
from quorate.reproduction.study import Drawing, Outcome, Study

ITEMS, PROMPTS, JUDGES, REPLICATES = (20, 30, 50, 75, 100, 141), (1, 2, 3, 5), (1, 2, 3), (1, 2, 3, 5, 8)


def outcome(_: np.random.Generator) -> Outcome:
    """Standard errors of the grid, and of cyclic and Latin designs of one call per item."""
    source, _design = source_of("safety")
    grid = {
        (n, v, m, r): project(source, items=n, prompts=v, judges=m, replicates=r)
        for n, v, m, r in product(ITEMS, PROMPTS, JUDGES, REPLICATES)
    }
    alone, guided, whole = grid[141, 1, 1, 1], grid[141, 3, 3, 1], grid[141, 5, 3, 8]
    best = min((one for one in grid.values() if one.calls <= alone.calls), key=lambda one: one.se)
    cyclic = project(source, items=141, prompts=1, judges=3, layout="cyclic")
    latin = project(source, items=141, prompts=5, judges=3, layout="latin")
    values = {
        "designs": float(len(grid)),
        "standard error of one prompt and judge": alone.se,
        "standard error of three prompts and judges": guided.se,
        "standard error of the full factorial": whole.se,
        "three prompts and judges save, % of the standard error": 100 * (1 - guided.se / alone.se),
        "calls of three prompts and judges, over those of one": guided.calls / alone.calls,
        "calls of the full factorial, over those of one": whole.calls / alone.calls,
        "the full factorial saves of three prompts and judges, %": 100 * (1 - whole.se / guided.se),
        "the best of the grid at the price of one saves, %": 100 * (1 - best.se / alone.se),
        "three judges save at one prompt and replicate, %": 100 * (1 - grid[141, 1, 3, 1].se / alone.se),
        "standard error of the best of the grid at that price": best.se,
        "standard error of judges in turn at that price": cyclic.se,
        "standard error of prompts and judges in turn at that price": latin.se,
        "prompts and judges in turn save at that price, %": 100 * (1 - latin.se / alone.se),
    }
    kinds = [("grid", list(grid.values())), ("in turn", [cyclic, latin])]
    rows = [{"calls": one.calls, "standard error": one.se, "designs": kind} for kind, some in kinds for one in some]
    title = "Standard error against calls, safety (Fig. 3b), with designs in turn"
    drawing = Drawing(
        "tee.frontier", "frontier", title, rows, x="calls", y="standard error", by="designs", mark="point", log=True
    )
    return Outcome(values, (drawing,))


STUDY = Study("tee.frontier", "Safety: 360 designs, and fractional ones at the same price", outcome)
