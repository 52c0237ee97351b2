"""Votes of a panel, as a score's metadata keeps them: one entry for each judge that was asked, none for others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quorate.table.exchange.foreign.inspect.marks import OURS


@dataclass(frozen=True)
class Vote:
    """What came of one call.

    Parameters
    ----------
    judge, prompt : str
        Who was asked, and with which prompt.
    replicate : int
        Which of several calls of one judge with one prompt it is, from 1.
    score : float, optional
        None if it failed.
    status : {"ok", "unparsed", "refused", "error", "truncated"}
        What became of it.
    error : str, optional
        Why there is no score.
    """

    judge: str
    prompt: str
    replicate: int
    score: float | None
    status: str
    error: str | None = None


def metadata(votes: Iterable[Vote]) -> dict[str, Any]:
    """The votes as a score's metadata.

    Examples
    --------
    >>> metadata([Vote("x", "score", 1, 7.0, "ok")])["quorate"]["votes"][0]["score"]
    7.0
    """
    return {OURS: {"votes": [asdict(vote) for vote in votes]}}


def mean_of(votes: Sequence[Vote]) -> float:
    """The mean of the votes that have a score; nan if none has."""
    scores = [vote.score for vote in votes if vote.score is not None]
    return math.fsum(scores) / len(scores) if scores else math.nan
