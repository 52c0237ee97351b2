"""Cluster-robust standard errors: what votes of one prompt, judge or ranking are worth if they are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, Random, Sampled, Unit, labelled, well_sampled
from quorate.numerics.votes import clusters as vote_clusters
from quorate.numerics.votes.clusters import Clusters, gather
from quorate.numerics.votes.power import effective_clusters, robust, t_reach
from quorate.streams import stream
from quorate.table.results import Result, Row, plain, rows_of
from quorate.table.votes import Encoding, Votes

SPLITS = 200
_NOTHING = 1e-9  # a standard error that is rounding alone


@dataclass(frozen=True)
class RatioSummary(Result):
    """Cluster-robust over independent standard errors, over pairs.

    Parameters
    ----------
    by : str
        Facet whose levels are the clusters.
    unit : {"pair", "model"}
        What has a win rate.
    pairs : int
        Pairs (or models) with a ratio.
    probability, ratio : tuple of float
        Quantiles of the ratio.
    design_effect, icc : float
        Medians over pairs; nan where no pair has one.
    repeated : float
        Of all clusters of a pair, those with more than one vote.
    """

    by: str
    unit: Unit
    pairs: int
    probability: tuple[float, ...]
    ratio: tuple[float, ...]
    design_effect: float
    icc: float
    repeated: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if not self.pairs and self.repeated:
            return f"Standard errors by {self.by} are not known: on no {self.unit} do its levels differ."
        if not self.repeated:
            return f"No {self.by} has two votes on one {self.unit}: errors by {self.by} are those of single votes."
        spread = ", ".join(f"{r:.3f} ({p:.0%})" for p, r in zip(self.probability, self.ratio, strict=True))
        return (
            f"Standard errors by {self.by} over those that take votes as independent: {spread} over {self.pairs:,} "
            f"{self.unit}s; median design effect {self.design_effect:.3f}, {self.repeated:.1%} of clusters have two "
            "votes or more."
        )


@dataclass(frozen=True, eq=False)
class HalfSplits(Result):
    """How often two random halves of the clusters of one pair seem to differ; they never do.

    Parameters
    ----------
    by : str
        Facet whose levels are the clusters.
    labels : tuple of str
        Pairs, or models.
    independent, clustered : array, shape (pairs,)
        Share of splits in which a difference is claimed: with votes taken as independent, and with cluster-robust
        errors; nan where a split never had two clusters in both halves.
    splits : int
        Random halves.
    alpha : float
        The share that should be claimed.
    """

    by: str
    labels: tuple[str, ...]
    independent: Floats
    clustered: Floats
    splits: int
    alpha: float

    @property
    def sizes(self) -> tuple[float, float]:
        """Mean share of claims: votes taken as independent, cluster-robust; nan where nothing could be split."""
        known = np.isfinite(self.independent)
        if not known.any():
            return float("nan"), float("nan")
        return float(self.independent[known].mean()), float(self.clustered[known].mean())

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        independent, clustered = self.sizes
        if np.isnan(independent):
            return f"Votes cannot be split by {self.by}: too few levels."
        return (
            f"Two halves of the same votes, split by {self.by}, seem to differ at level {self.alpha:g} in "
            f"{independent:.1%} of cases if votes are taken as independent, in {clustered:.1%} with cluster-robust "
            "errors."
        )

    def rows(self) -> list[Row]:
        """One row for every pair, or model."""
        return rows_of({"label": self.labels, "independent": self.independent, "clustered": self.clustered})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        names = ("by", "labels", "splits", "alpha", "independent", "clustered", "sizes", "sentence")
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False)
class ClusterRobust(Result):
    """Win rates with standard errors that allow for votes of one cluster to resemble each other.

    Parameters
    ----------
    by : str
        Facet whose levels are the clusters.
    unit : {"pair", "model"}
        What has a win rate.
    labels : tuple of str
        ``"x vs y"``, or models.
    n, clusters, repeated : array, shape (pairs,)
        Votes, clusters, and clusters with more than one vote.
    rate : array, shape (pairs,)
        Share of votes for the second model of the pair, or for the model.
    independent, error : array, shape (pairs,)
        Standard errors with votes taken as independent, ``sqrt(rate (1 - rate) / n)``, and cluster-robust; nan with one
        cluster, or where clusters do not differ, for nothing shows how far they could.
    design_effect : array, shape (pairs,)
        Variance over that of independent votes, without the bias that few clusters have.
    icc : array, shape (pairs,)
        Correlation of two votes of one cluster; nan where no cluster has two.
    level : float
        Coverage of the intervals.
    sums : Clusters
        Wins and votes of every cluster.
    """

    by: str
    unit: Unit
    labels: tuple[str, ...]
    n: Floats
    clusters: Ints
    repeated: Ints
    rate: Floats
    independent: Floats
    error: Floats
    design_effect: Floats
    icc: Floats
    level: float
    sums: Clusters

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def ratio(self) -> Floats:
        """Cluster-robust over independent standard error; nan where either is not known, or votes are unanimous."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.independent > 0, self.error / self.independent, np.nan)

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Ends of the cluster-robust t interval of the win rate; its degrees of freedom are ``effective`` less one."""
        reach = t_reach(self.effective - 1, 1 - self.level) * self.error
        return self.rate - reach, self.rate + reach

    @property
    def effective(self) -> Floats:
        """Clusters of one size that would be worth these, shape (pairs,)."""
        return effective_clusters(self.sums.sums)

    def summary(self, probabilities: Sequence[float] = (0.1, 0.5, 0.9, 0.99)) -> RatioSummary:
        """The ratio of standard errors over pairs."""
        ratio = self.ratio[np.isfinite(self.ratio)]
        quantiles = np.quantile(ratio, probabilities) if len(ratio) else np.full(len(probabilities), np.nan)
        shares = float(self.repeated.sum() / self.clusters.sum())
        effects = (median(self.design_effect), median(self.icc))
        return RatioSummary(
            self.by, self.unit, len(ratio), tuple(probabilities), tuple(quantiles.tolist()), *effects, shares
        )

    def half_splits(self, *, splits: int = SPLITS, alpha: float = 0.05, rng: Random = None) -> HalfSplits:
        """What size a test really has: how often random halves of the clusters of one pair seem to differ.

        Both halves are votes on the same pair, so every claim is an error; and votes of one cluster stay together, so
        that whatever dependence there is between them counts.

        Parameters
        ----------
        splits : int
            Random halves.
        alpha : float
            Level of the two tests.
        rng : numpy.random.Generator or int, optional
            Source of the halves.
        """
        source = np.random.default_rng(stream(0, "half splits") if rng is None else rng)
        misses = vote_clusters.half_misses(self.sums, alpha, splits, source)
        return HalfSplits(self.by, self.labels, *misses, splits, alpha)

    def rows(self) -> list[Row]:
        """One row for every pair, or model."""
        low, high = self.interval
        columns = {name: getattr(self, name) for name in (*_COLUMNS, "effective", "ratio")}
        return rows_of({"label": self.labels, **columns, "low": low, "high": high})

    def to_dict(self) -> dict[str, Any]:
        """Everything but the clusters as plain values; what is not known is None."""
        names = ("by", "unit", "labels", *_COLUMNS, "effective", "ratio", "level")
        return {name: plain(getattr(self, name)) for name in names}


_COLUMNS = ("n", "clusters", "repeated", "rate", "independent", "error", "design_effect", "icc")


def cluster_robust(
    votes: Votes, *, by: str, minimum: int = MINIMUM, ties: Encoding = "drop", unit: Unit = "pair", level: float = 0.95
) -> ClusterRobust:
    """Win rates whose standard errors allow votes of one prompt, judge or ranking to resemble each other.

    Parameters
    ----------
    votes : Votes
        Votes.
    by : str
        Facet whose levels are the clusters: ``prompt``, ``judge``, ``cluster`` or any other.
    minimum : int
        Decisive votes that a pair must have.
    ties : {"drop", "half", "pessimistic"}
        How ties count.
    unit : {"pair", "model"}
        Pairs, or every model against all others together. A ranking of several systems gives one vote to each pair, so
        that its votes meet only in the second.
    level : float
        Coverage of intervals.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes, or a vote has no label.

    References
    ----------
    Liang and Zeger (1986), Biometrika 73, 13-22. Lee (2026), How many human judgments are enough?, section 5.1.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> rows = {"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": ["x"] * 100 + ["y"] * 200}
    >>> frame = polars.DataFrame({**rows, "prompt": [i // 2 for i in range(300)]})
    >>> robust = cluster_robust(read_votes(frame, announce=False), by="prompt")
    >>> robust.ratio.round(3).tolist(), robust.icc.round(3).tolist()
    ([1.419], [1.0])
    """
    if not 0 < level < 1:
        raise InvalidInput(f"level: a number above 0 and below 1, got {level}")
    sampled = well_sampled(votes, minimum=minimum, ties=ties, unit=unit)
    sums = clusters_of(sampled, votes, by)
    rate, error = robust(sums.sums, sums.count)
    return ClusterRobust(
        by=by,
        unit=unit,
        labels=sampled.labels,
        n=sampled.n,
        clusters=sums.count,
        repeated=sums.part(sums.votes > 1).count,
        rate=rate,
        independent=np.sqrt(rate * (1 - rate) / sampled.n),
        error=np.where(error > _NOTHING, error, np.nan),
        design_effect=vote_clusters.design_effect(sums),
        icc=vote_clusters.icc(sums),
        level=level,
        sums=sums,
    )


def clusters_of(sampled: Sampled, votes: Votes, by: str) -> Clusters:
    """Wins and votes of every cluster of every pair; arguments as for `cluster_robust`."""
    return gather(sampled.unit, labelled(sampled, votes, by), sampled.won, sampled.weight, len(sampled))


def median(x: Floats) -> float:
    """Median of what is known; nan if nothing is."""
    known = x[np.isfinite(x)]
    return float(np.median(known)) if len(known) else float("nan")
