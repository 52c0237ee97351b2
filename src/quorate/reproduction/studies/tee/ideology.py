"""Ideology by Likert scores and by pairs: shares of the variance of the mean, and what single changes would do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from quorate.estimate.components.published import Components
from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import source_of
from quorate.reproduction.study import Drawing, Outcome, Study

PANEL = {"judge": "panel", "temperature": "panel"}


def changes(source: Components, design: Mapping[str, Any]) -> dict[str, float]:
    """Percent that the variance changes by: as the paper has it, without the spread of fixed facets, and by Eq. 3."""
    # Positions are no factor of the calls: each call has one of the two, drawn for its item.
    crossed = {name: count for name, count in design.items() if name != "levels"}
    bases: Mapping[str, Mapping[str, Any]] = {"": {**crossed, "targets": PANEL}, ", by Eq. 3": design}
    more = {
        "twice the items": {"items": 2 * design["items"]},
        "two more prompts": {"prompts": design["prompts"] + 2},
        "five more replicates": {"replicates": design["replicates"] + 5},
        "one judge": {"judges": 1},
    }
    return {
        f"{words}{way}, %": 100
        * (project(source, **{**base, **change}).variance / project(source, **base).variance - 1)
        for way, base in bases.items()
        for words, change in more.items()
    }


def outcome(name: str, figures: str, _: np.random.Generator) -> Outcome:
    """Shares and counterfactuals of one way to score."""
    source, design = source_of(name)
    moved = changes(source, design)
    values = {f"share of {term}, %": 100 * part for term, part in project(source, **design).shares.items()} | moved
    rows = [
        {"change": words.removesuffix(", %").removesuffix(", by Eq. 3"), "percent": value, "by": by}
        for words, value in moved.items()
        for by in ("Eq. 3" if "Eq. 3" in words else "the paper's baseline",)
    ]
    title = f"Change of the variance by one change of the design, {name} ({figures})"
    drawing = Drawing(f"tee.{name}", f"{name}-changes", title, rows, x="percent", y="change", by="by", mark="point")
    return Outcome(values, (drawing,))


LIKERT = Study(
    "tee.likert", "Likert ideology: shares, and changes of the design", partial(outcome, "likert", "Fig. 13")
)
PAIRWISE = Study(
    "tee.pairwise", "Pairwise ideology: shares, and changes of the design", partial(outcome, "pairwise", "Fig. 14")
)
