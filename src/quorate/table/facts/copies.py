"""Criteria of which one is a copy of another: equal in every row, or one a multiple of the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.table.judgments import Judgments

CRITERION = "criterion"
_FEWEST, _MOST = 10, 60
"""Scores that two criteria share, and criteria of which every two are looked at."""
_VALUES = 3
"""Values from which on scores that are all equal are no coincidence of verdicts."""
_ROUNDING = 1e-12


def with_copies(judgments: Judgments) -> Judgments:
    """The same judgments, with what is to be said of criteria that are copies of one another."""
    if CRITERION not in judgments.names or judgments.labels or judgments.object == CRITERION:
        return judgments
    pairs = [*_copies(judgments)]
    if not pairs:
        return judgments
    said = caveats.copied_criteria(pairs)
    return replace(judgments, source=replace(judgments.source, caveats=(*judgments.source.caveats, said)))


def _copies(judgments: Judgments) -> Iterator[tuple[str, str, bool]]:
    """Every two that are copies, and whether they are equal."""
    found = judgments.keep(judgments.n > 0)
    labels = found.facet(CRITERION).levels
    if not 2 <= len(labels) <= _MOST:
        return
    row = found.level_codes([name for name in found.names if name != CRITERION])
    scores: Floats = np.full((int(row.max(initial=0)) + 1, len(labels)), np.nan)
    scores[row, found.column(CRITERION)] = found.mean
    for one, other in combinations(range(len(labels)), 2):
        both = ~np.isnan(scores[:, [one, other]]).any(axis=1)
        x, y = scores[both, one], scores[both, other]
        if len(x) >= _FEWEST and len(np.unique(x)) >= _VALUES and (equal := _is_copy(x, y)) is not None:
            yield labels[one], labels[other], equal


def _is_copy(x: Floats, y: Floats) -> bool | None:
    """Whether they are equal, or a rising straight line of one another, which is not; None of neither."""
    if np.array_equal(x, y):
        return True
    x, y = x - x.mean(), y - y.mean()
    product = float(x @ y)
    return False if product > 0 and product**2 >= (1 - _ROUNDING) * float(x @ x) * float(y @ y) else None
