"""The law that the simulations of appendix E share, with how they fit tables and project designs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import Components, components
from quorate.planning.designs.dstudy import project
from quorate.simulate.crossed import draw_judgments
from quorate.table.judgments import Judgments

CATEGORIES = 5
SIZES = {"item": 50, "prompt": 4, "temperature": 3, "category": CATEGORIES}
REPLICATES = 5
TERMS = ("category", "item", "prompt", "item:prompt", "item:temperature", "prompt:temperature")
"""Random terms that the paper fits: no cell, so that what is left is the replicate."""
BASE = {
    "category": 0.03,
    "item": 0.05,
    "prompt": 0.04,
    "item:prompt": 0.02,
    "item:temperature": 0.015,
    "prompt:temperature": 0.005,
    "replicate": 0.06,
}
TEMPERATURES = (0.0, -0.03, 0.05)
INTERVENTIONS: Mapping[str, Mapping[str, int]] = {
    "as it is": {},
    "5 more replicates": {"replicates": 10},
    "2 more prompts": {"prompts": 6},
    "one temperature": {"temperatures": 1},
    "5 more replicates, one temperature": {"replicates": 10, "temperatures": 1},
    "twice the items": {"items": 2 * SIZES["item"]},
}
"""Changes of the design of 50 items that the paper ranks."""


def law(changes: Mapping[str, float] = BASE, levels: tuple[float, ...] = TEMPERATURES) -> Components:
    """Components with a fixed temperature, whose levels have these means."""
    return components(changes, sensitivity={"temperature": float(np.var(levels))})


def table(
    source: Components, rng: np.random.Generator, levels: tuple[float, ...] = TEMPERATURES, **sizes: int
) -> Judgments:
    """A table of the common design, or one of other ``sizes``."""
    effects = {"temperature": levels}
    replicates = sizes.pop("replicates", REPLICATES)
    return draw_judgments(source, levels={**SIZES, **sizes}, replicates=replicates, effects=effects, rng=rng)


def fitted(judgments: Judgments, terms: tuple[str, ...] = TERMS) -> dict[str, float]:
    """Variances by REML."""
    return {name: float(value) for name, value in decompose(judgments, random=terms).variances.items()}


def projected(variances: Mapping[str, float], *, conditional: bool = False) -> Floats:
    """Variance of the mean of every change of the design, categories drawn.

    Where one temperature is taken, Eq. 3 counts its interactions in full. The archived results leave them out, as if
    the mean stood for this temperature alone; ``conditional`` does so too.
    """
    out = []
    for change in INTERVENTIONS.values():
        alone = conditional and change.get("temperatures") == 1
        kept = {term: value for term, value in variances.items() if not (alone and term.endswith(":temperature"))}
        source = components(kept)
        plan = project(
            source,
            items=change.get("items", SIZES["item"]),
            prompts=change.get("prompts", SIZES["prompt"]),
            replicates=change.get("replicates", REPLICATES),
            temperatures=None if alone else change.get("temperatures", SIZES["temperature"]),
            categories=CATEGORIES,
        )
        out.append(plan.variance)
    return np.array(out)
