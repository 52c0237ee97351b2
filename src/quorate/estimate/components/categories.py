"""Categories of scores: how many judgments of every cell have each of a few scores."""

from __future__ import annotations

from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.reread import answers

Link = Literal["logit", "ordinal"]
"""What the log odds are of: of the higher of two scores, or of being above each of a few."""

MOST = 20
"""Most different scores that are taken as categories."""


def categories(judgments: Judgments, link: Link) -> tuple[Floats, Floats]:
    """The scores that occur, ascending, and how many judgments have each, shape (cells, scores).

    Parameters
    ----------
    judgments : Judgments
        The answered cells.
    link : {"logit", "ordinal"}
        Two scores, or a few. Cells of at most three answers say by their mean and range which these are; single answers
        of others are read again.

    Raises
    ------
    InvalidInput
        If there are other scores than the link is for.
    """
    facts = judgments.score_facts
    if facts.binary:
        upper = np.rint(judgments.n * (judgments.mean - facts.low) / (facts.high - facts.low))
        return np.array([facts.low, facts.high]), np.column_stack([judgments.n - upper, upper])
    if link == "logit":
        raise InvalidInput(
            'link: "logit" is for scores of two values, such as 0 and 1, and these have more; a few ordered marks are '
            "for " + argument("link", "ordinal")
        )
    cell, score = _single(judgments)
    values, code = np.unique(score, return_inverse=True)
    if len(values) > MOST:
        raise InvalidInput(
            f'link: "ordinal" is for at most {MOST} different scores, and these have {len(values)}; the default link '
            "takes scores as numbers"
        )
    counts = np.bincount(cell * len(values) + code, minlength=judgments.n_cells * len(values))
    return values, counts.reshape(-1, len(values)).astype(np.float64)


def _single(judgments: Judgments) -> tuple[Floats, Floats]:
    """Cell and score of every answer, rounded to what sums of floats leave of a score."""
    n, low, high = judgments.n, judgments.low, judgments.high
    if np.any((n > 3) & (low < high)):
        found = answers(judgments)
        return np.repeat(np.arange(len(n)), np.diff(found.offsets)), found.values
    equal = low == high
    cell, score = np.repeat(np.arange(len(n)), np.where(equal, n, 0)), np.repeat(low, np.where(equal, n, 0))
    rest, three = np.flatnonzero(~equal), np.flatnonzero(~equal & (n == 3))
    middle = 3 * judgments.mean[three] - low[three] - high[three]
    cells = np.concatenate([cell, rest, rest, three])
    return cells, np.round(np.concatenate([score, low[rest], high[rest], middle]), 9)
