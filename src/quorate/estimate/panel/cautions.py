"""What the reader of a crossed panel must know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from quorate import caveats
from quorate.caveats import Caveat
from quorate.estimate.panel.components import TERMS, PanelComponents
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.panel.crossed import CrossedScores

_FEW_SCENARIOS = 30


def panel_cautions(scores: CrossedScores, separated: PanelComponents, paper: PanelComponents) -> Iterable[Caveat]:
    """Caveats of a crossed panel: what is left out, not told apart, averaged, few, or negative."""
    n, m, _ = scores.x.shape
    if scores.left_out or scores.generations_left_out:
        yield caveats.incomplete_scenarios(scores.left_out, scores.generations_left_out)
    if m == 1:
        yield caveats.aliased([TERMS["alpha"], TERMS["beta"]])
        yield caveats.aliased([TERMS["eps"], TERMS["interaction"]])
    if scores.answers[1] > 1:
        yield caveats.averaged_answers(*scores.answers)
    if n < _FEW_SCENARIOS:
        yield caveats.few_items(n)
    below = [f"{name} ({TERMS[name]})" for name in separated.negative]
    below += [f"{name} as published ({TERMS[name]})" for name in paper.negative]
    if below:
        yield caveats.left_negative(below)


def fullest_level(judgments: Judgments, name: str) -> str:
    """The level that most judges scored, and of these the one with most cells: a slice worth looking at."""
    size = len(judgments.facet(name).levels)
    one_each = np.unique(judgments.level_codes([name, "judge"]), return_index=True)[1]
    judges = np.bincount(judgments.column(name)[one_each], minlength=size)
    cells = np.bincount(judgments.column(name), minlength=size)
    return judgments.facet(name).levels[int(np.lexsort((-np.arange(size), cells, judges))[-1])]
