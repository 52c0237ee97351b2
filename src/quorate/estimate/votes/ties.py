"""Tie sensitivity: margins under three ways to count ties, and where ties occur."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margins import Margins, NearTies, Quantiles, margins
from quorate.estimate.votes.well_sampled_pairs import MINIMUM
from quorate.table.results import Result, plain
from quorate.table.votes import Votes

WAYS = {"drop": "ties left out", "half": "ties as halves", "pessimistic": "ties as losses of the first"}
"""What each way to count ties is called."""


@dataclass(frozen=True)
class TieSensitivity(Result):
    """Margins under three ways to count ties, and where ties occur (Lee 2026, D.6).

    Parameters
    ----------
    margins : dict
        ``Margins`` by encoding: drop, half, pessimistic; the same pairs in each.
    quantiles, near_ties : dict
        Quantiles of margins, and near ties, by encoding.
    tie_share, tie_share_high : float
        Median and 90th percentile of the tie share over pairs.
    near_share : float
        Median tie share among near ties; nan if there are none.
    correlation : float
        Correlation (Pearson) of tie share and estimated margin, ties dropped; nan without ties or with one pair.
    """

    margins: dict[str, Margins]
    quantiles: dict[str, Quantiles]
    near_ties: dict[str, NearTies]
    tie_share: float
    tie_share_high: float
    near_share: float
    correlation: float

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        lowest = ", ".join(f"{q.margin[0]:.3f} ({WAYS[name]})" for name, q in self.quantiles.items())
        gathered = "" if math.isnan(self.correlation) else f" and correlate {self.correlation:.2f} with the margin"
        return (
            f"Ties are {self.tie_share:.1%} of votes at the median pair{gathered}; the "
            f"{self.quantiles['drop'].probability[0]:.0%} quantile of margins is {lowest}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the margins of single pairs as plain values."""
        numbers = ("tie_share", "tie_share_high", "near_share", "correlation")
        return {name: plain(getattr(self, name)) for name in (*numbers, "quantiles", "near_ties", "sentence")}


def tie_sensitivity(
    votes: Votes, *, minimum: int = MINIMUM, tau: float = 0.1, cluster: Cluster | None = None
) -> TieSensitivity:
    """What ties do to margins and to the votes that are needed, and whether they gather at near ties (Lee 2026, D.6).

    Parameters
    ----------
    votes : Votes
        Votes. The pessimistic encoding counts ties against the first model of each pair.
    minimum : int
        Decisive votes that a pair must have.
    tau : float
        Largest margin of a near tie.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, as for `margins`.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no pair has enough votes.

    References
    ----------
    Lee (2026), How many human judgments are enough?, appendix D.6.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> rows = {"model_a": ["x"] * 400, "model_b": ["y"] * 400, "winner": ["x"] * 90 + ["y"] * 210 + ["tie"] * 100}
    >>> ties = tie_sensitivity(read_votes(polars.DataFrame(rows), announce=False))
    >>> ties.tie_share, {way: round(float(one.margin[0]), 3) for way, one in ties.margins.items()}
    (0.25, {'drop': 0.2, 'half': 0.15, 'pessimistic': 0.275})
    """
    ways: tuple[Any, ...] = ("drop", "half", "pessimistic")
    by_way = {way: margins(votes, minimum=minimum, ties=way, cluster=cluster) for way in ways}
    dropped = by_way["drop"]
    share, apart = dropped.tie_share, dropped.absolute
    varied = len(share) > 1 and np.ptp(share) > 0 and np.ptp(apart) > 0
    near = dropped.tie_share[dropped.absolute <= tau]
    return TieSensitivity(
        margins=by_way,
        quantiles={way: pairs.quantiles() for way, pairs in by_way.items()},
        near_ties={way: pairs.near_ties(tau) for way, pairs in by_way.items()},
        tie_share=float(np.median(dropped.tie_share)),
        tie_share_high=float(np.quantile(dropped.tie_share, 0.9)),
        near_share=float(np.median(near)) if len(near) else float("nan"),
        correlation=float(np.corrcoef(share, apart)[0, 1]) if varied else float("nan"),
    )
