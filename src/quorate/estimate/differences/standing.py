"""Standing of systems by their mean scores: which leads, and the two that are hardest to tell apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from quorate import caveats
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments


def by_mean(judgments: Judgments) -> dict[str, float]:
    """Mean score of every system over its answers, the highest first."""
    code, answers = judgments.column(SYSTEM), judgments.n
    count = np.bincount(code, answers)
    means = np.bincount(code, answers * np.where(answers > 0, judgments.mean, 0.0)) / np.maximum(count, 1)
    order = [at for at in np.argsort(-means, kind="stable").tolist() if count[at]]
    return {judgments.facet(SYSTEM).levels[at]: float(means[at]) for at in order}


def closest(judgments: Judgments, **options: Any) -> SystemDifference:
    """The difference of two systems, the higher first; of more, of the two whose means differ least, which is said.

    Options are those of `quorate.estimate.differences.difference.difference`.
    """
    means = by_mean(judgments)
    a, b = min(pairwise(means), key=lambda two: means[two[0]] - means[two[1]])
    found = difference(judgments, a, b, **options)
    if len(means) == 2:
        return found
    return replace(found, caveats=(caveats.closest_two(a, b, len(means)), *found.caveats))
