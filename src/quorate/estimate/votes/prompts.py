"""Prompts of a pair: what is left of a margin with one vote each, and how win rates differ between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.votes.clustered import clusters_of, median, plain
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, labelled, well_sampled
from quorate.numerics.votes import clusters as vote_clusters
from quorate.table.votes import Votes


@dataclass(frozen=True, eq=False)
class OneVoteEach:
    """Margins when every cluster keeps its first vote only (Lee 2026, D.2).

    Parameters
    ----------
    by : str
        Facet whose levels are the clusters.
    labels : tuple of str
        Pairs.
    margin, single : array, shape (pairs,)
        ``p - 1/2`` from all votes, and from the first of every cluster.
    n, kept : array, shape (pairs,)
        Votes, and those that are kept.
    """

    by: str
    labels: tuple[str, ...]
    margin: Floats
    single: Floats
    n: Floats
    kept: Floats

    @property
    def change(self) -> Floats:
        """How far ``|p - 1/2|`` moves, shape (pairs,)."""
        return np.asarray(np.abs(np.abs(self.single) - np.abs(self.margin)))

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return (
            f"With one vote for every {self.by} ({self.kept.sum():,.0f} of {self.n.sum():,.0f} votes) margins change "
            f"by {np.median(self.change):.2g} at the median, {self.change.max():.2g} at most."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        columns = {name: getattr(self, name).tolist() for name in ("margin", "single", "n", "kept", "change")}
        return {"by": self.by, "labels": list(self.labels), **columns, "sentence": self.sentence}


@dataclass(frozen=True, eq=False)
class RateVariance:
    """Variance of win rates between and within clusters (Lee 2026, Table 4), with and without noise.

    Parameters
    ----------
    by : str
        Facet whose levels are the clusters.
    labels : tuple of str
        Pairs.
    between_plain, within_plain : array, shape (pairs,)
        Variance of the clusters' win rates as they are, and mean of ``p_j (1 - p_j) / n_j``, as the paper has it. With
        one vote per cluster these are ``p (1 - p)`` and 0, whatever prompts do.
    between, within : array, shape (pairs,)
        Variance of the true win rates between clusters, below 0 at times, and of a vote within one, by analysis of
        variance; nan where no cluster has two votes.
    """

    by: str
    labels: tuple[str, ...]
    between_plain: Floats
    within_plain: Floats
    between: Floats
    within: Floats

    @property
    def medians(self) -> dict[str, float]:
        """Median of each over the pairs that have it."""
        return {name: median(getattr(self, name)) for name in _VARIANCES}

    def to_frame(self) -> Any:
        """One row for every pair."""
        from quorate.table.frames import frame

        return frame({"label": self.labels, **{name: getattr(self, name) for name in _VARIANCES}})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        columns = {name: plain(getattr(self, name)) for name in _VARIANCES}
        return {"by": self.by, "labels": list(self.labels), **columns}


_VARIANCES = ("between_plain", "within_plain", "between", "within")


def one_vote_each(votes: Votes, *, by: str = "prompt", minimum: int = MINIMUM) -> OneVoteEach:
    """Margins when every prompt keeps only its first decisive vote on a pair (Lee 2026, D.2).

    Parameters
    ----------
    votes, by, minimum
        As for `cluster_robust`.
    """
    sampled = well_sampled(votes, minimum=minimum)
    code = labelled(sampled, votes, by)
    _, first = np.unique(sampled.unit * (int(code.max()) + 1) + code, return_index=True)
    kept = np.bincount(sampled.unit[first], minlength=len(sampled)).astype(float)
    single = np.bincount(sampled.unit[first], sampled.won[first], len(sampled)) / kept - 0.5
    return OneVoteEach(by, sampled.labels, sampled.wins / sampled.n - 0.5, single, sampled.n, kept)


def rate_variance(votes: Votes, *, by: str = "prompt", minimum: int = MINIMUM) -> RateVariance:
    """Variance of win rates between and within prompts (Lee 2026, Table 4), with and without the noise of few votes.

    Parameters
    ----------
    votes, by, minimum
        As for `cluster_robust`.
    """
    sampled = well_sampled(votes, minimum=minimum)
    sums = clusters_of(sampled, votes, by)
    noisy, clean = vote_clusters.plain_variances(sums), vote_clusters.between_variance(sums)
    return RateVariance(by, sampled.labels, *noisy, *clean)
