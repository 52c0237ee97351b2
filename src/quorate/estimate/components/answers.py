"""Numbers of answers that go with what was answered, as after an adaptive allocation."""

from __future__ import annotations

import numpy as np

from quorate import caveats
from quorate.caveats import Caveat
from quorate.numerics.correlation import of_pair, spearman
from quorate.table.judgments import Judgments

FEWEST_CELLS, FEWEST_ANSWERS = 10, 5
"""With fewer answers a cell's scatter goes with their number by itself."""
UNEVEN, ALIKE = 1.5, 0.5
"""Most answers over fewest, and rank correlation with the scatter, from which it is no chance."""


def answers_by_scatter(judgments: Judgments) -> tuple[Caveat, ...]:
    """What to know of means where cells that vary more were asked more often; nothing where they were not.

    By Wald's identity the mean of a cell is then off by ``-Cov(n, mean) / E[n]``: too low where its scatter comes from
    rare high scores, too high where it comes from rare low ones.

    Parameters
    ----------
    judgments : Judgments
        Of one or more answers per cell.
    """
    n = judgments.n[judgments.n > 0]
    if len(n) < FEWEST_CELLS or n.min() < FEWEST_ANSWERS or n.max() < UNEVEN * n.min():
        return ()
    variance = judgments.ss[judgments.n > 0] / (n - 1)
    alike = of_pair(spearman, variance, n) if np.ptp(variance) > 0 else 0.0
    return (caveats.adaptive_answers(int(n.min()), int(n.max()), alike),) if alike >= ALIKE else ()
