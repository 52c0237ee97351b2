"""Prompts of a pair: what is left of a margin with one vote each, and how win rates differ between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.votes.clustered import clusters_of, median
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, labelled, well_sampled
from quorate.numerics.votes import clusters as vote_clusters
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Votes


@dataclass(frozen=True, eq=False)
class OneVoteEach(Result):
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

    derived = ("change", "sentence")

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

    def rows(self) -> list[Row]:
        """One row for every pair."""
        names = ("margin", "single", "n", "kept", "change")
        return rows_of({"label": self.labels, **{name: getattr(self, name) for name in names}})


@dataclass(frozen=True, eq=False)
class RateVariance(Result):
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

    def rows(self) -> list[Row]:
        """One row for every pair."""
        return rows_of({"label": self.labels, **{name: getattr(self, name) for name in _VARIANCES}})


_VARIANCES = ("between_plain", "within_plain", "between", "within")


def one_vote_each(votes: Votes, *, by: str = "prompt", minimum: int = MINIMUM) -> OneVoteEach:
    """Margins when every prompt keeps only its first decisive vote on a pair, and how far that moves them.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    by : str
        Facet of which every level keeps one vote on a pair.
    minimum : int
        Decisive votes that a pair must have.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes, or a vote has no label.

    References
    ----------
    Lee (2026), How many human judgments are enough?, appendix D.2.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> rows = {"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": ["x", "y", "y"] * 100}
    >>> frame = polars.DataFrame({**rows, "prompt": [i // 2 for i in range(300)]})
    >>> one_vote_each(read_votes(frame, announce=False)).kept.tolist()
    [150.0]
    """
    sampled = well_sampled(votes, minimum=minimum)
    code = labelled(sampled, votes, by)
    _, first = np.unique(sampled.unit * (int(code.max()) + 1) + code, return_index=True)
    kept = np.bincount(sampled.unit[first], minlength=len(sampled)).astype(float)
    single = np.bincount(sampled.unit[first], sampled.won[first], len(sampled)) / kept - 0.5
    return OneVoteEach(by, sampled.labels, sampled.wins / sampled.n - 0.5, single, sampled.n, kept)


def rate_variance(votes: Votes, *, by: str = "prompt", minimum: int = MINIMUM) -> RateVariance:
    """Variance of win rates between and within prompts, with and without the noise of few votes.

    Parameters
    ----------
    votes, by, minimum
        As for `one_vote_each`.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes, or a vote has no label.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Table 4. The variance between prompts without noise is that of an
    analysis of variance: Searle, Casella and McCulloch (1992), Variance Components, section 3.6.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> rows = {"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": ["x", "x", "y", "y"] * 75}
    >>> frame = polars.DataFrame({**rows, "prompt": [i // 2 for i in range(300)]})
    >>> rate_variance(read_votes(frame, announce=False)).within.tolist()
    [0.0]
    """
    sampled = well_sampled(votes, minimum=minimum)
    sums = clusters_of(sampled, votes, by)
    noisy, clean = vote_clusters.plain_variances(sums), vote_clusters.between_variance(sums)
    return RateVariance(by, sampled.labels, *noisy, *clean)
