"""Cluster-robust standard errors: what votes of one prompt, judge or ranking are worth if they are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Bools, Floats, Ints, occurring
from quorate.errors import InvalidInput
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, Random, Sampled, Unit, labelled, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.votes import clusters as of_clusters
from quorate.numerics.votes.clustered import intersections
from quorate.numerics.votes.clusters import Clusters, gather
from quorate.numerics.votes.power import effective_clusters, robust, t_reach
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Encoding, Votes
from quorate.wording import counted, listed

# Facets that make votes alike: which of them clusters are by, and how much each matters.


DEPENDENCE = ("prompt", "judge", "cluster")
"""Roles of facets whose votes may resemble each other, whoever declares them."""

FEWEST_JUDGES = 6
"""Judges from which on votes may show something for judges like these: five fair ones all lean one way in 2 / 2^5 of
studies, so that no votes of so few, however many, ever would at 5%."""
Cluster = str | Sequence[str]
"""A facet whose votes may resemble each other, or several; none of them takes votes as independent."""


def clustered_by(votes: Votes, cluster: Cluster | None, used: Bools) -> tuple[str, ...]:
    """Facets that clusters are by: those that are named, or every one of `DEPENDENCE` whose levels repeat.

    Fewer judges than `FEWEST_JUDGES` are the judges there are, unless they are named.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    cluster : str, sequence of str, or None
        Facets; None for those that the data have.
    used : array of bool, shape (rows,)
        Rows that count.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    """
    if cluster is None:
        drawn = [name for name in repeating(votes, used) if name != JUDGE or not judges_alone(votes)]
        return tuple(name for name in drawn if len(occurring(cells(votes, name)[used])) > 1)
    return named(votes, cluster)


def judges_alone(votes: Votes) -> int:
    """Judges of these votes where they are too few to speak for others; else 0."""
    judges = len(votes.facet(JUDGE).levels) if JUDGE in votes.names else 0
    return judges if judges < FEWEST_JUDGES else 0


def named(votes: Votes, cluster: Cluster) -> tuple[str, ...]:
    """Facets that are named, once each.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    """
    names = (cluster,) if isinstance(cluster, str) else tuple(dict.fromkeys(cluster))
    for name in names:
        votes.facet(name)
    return names


def repeating(votes: Votes, used: Bools) -> tuple[str, ...]:
    """Facets of `DEPENDENCE` of which some level has two votes that count; a vote without a label shares none.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    used : array of bool, shape (rows,)
        Rows that count.
    """
    each, found = votes.weights[used].astype(float), []
    for name in DEPENDENCE:
        if name in votes.names:
            of_level = np.bincount(votes.column(name)[used] + 1, each)[1:]
            found += [name] if of_level.max(initial=0) > 1 else []
    return tuple(found)


def cells(votes: Votes, name: str) -> Ints:
    """Level of a facet in every row, from 0; a row without a label is a level of its own."""
    code: NDArray[np.int64] = votes.column(name).astype(np.int64)
    lone = code < 0
    return np.where(lone, code.max(initial=-1) + np.cumsum(lone), code)


SPLITS = 200
_NOTHING = 1e-9  # a standard error that is rounding alone


@dataclass(frozen=True)
class RatioSummary(Result):
    """Cluster-robust over independent standard errors, over pairs.

    Parameters
    ----------
    by : str
        Facets whose levels are the clusters, in words.
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
            f"Standard errors by {self.by} over those that take votes as independent: {spread} over "
            f"{counted(self.pairs, self.unit)}. The median design effect (variance over that of independent votes, "
            f"without the bias that few clusters have) is {self.design_effect:.3f}; {self.repeated:.1%} of clusters "
            "have two votes or more."
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

    entries = "by labels splits alpha independent clustered sizes sentence"

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


_COLUMNS = ("n", "clusters", "repeated", "rate", "independent", "error", "design_effect", "icc")


@dataclass(frozen=True, eq=False)
class ClusterRobust(Result):
    """Win rates with standard errors that allow for votes of one cluster to resemble each other.

    Parameters
    ----------
    by : str
        Facets whose levels are the clusters, in words.
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
    facets : tuple of str
        The facets of ``by``.
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
    facets: tuple[str, ...]

    entries = " ".join(("by", "unit", "labels", *_COLUMNS, "effective", "ratio", "level"))

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
        misses = of_clusters.half_misses(self.sums, alpha, splits, source)
        return HalfSplits(self.by, self.labels, *misses, splits, alpha)

    def rows(self) -> list[Row]:
        """One row for every pair, or model."""
        low, high = self.interval
        columns = {name: getattr(self, name) for name in (*_COLUMNS, "effective", "ratio")}
        return rows_of({"label": self.labels, **columns, "low": low, "high": high})


def cluster_robust(
    votes: Votes,
    *,
    by: Cluster,
    minimum: int = MINIMUM,
    ties: Encoding = "drop",
    unit: Unit = "pair",
    level: float = 0.95,
) -> ClusterRobust:
    """Win rates whose standard errors allow votes of one prompt, judge or ranking to resemble each other.

    Parameters
    ----------
    votes : Votes
        Votes.
    by : str or sequence of str
        Facets whose levels are the clusters: ``prompt``, ``judge``, ``cluster`` or any other. With several, votes that
        share any one of them may resemble each other; numbers of clusters, ``icc`` and degrees of freedom are then
        those of the facet that has the fewest.
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
    Liang and Zeger (1986), Biometrika 73, 13-22. Cameron, Gelbach and Miller (2011), Journal of Business & Economic
    Statistics 29, 238-249. Lee (2026), How many human judgments are enough?, section 5.1.

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
    rules.number("level", level, above=0, below=1)
    facets = (by,) if isinstance(by, str) else tuple(by)
    if not facets:
        raise InvalidInput("by: names a facet or several, got none")
    sampled = well_sampled(votes, minimum=minimum, ties=ties, unit=unit)
    codes = [labelled(sampled, votes, name) for name in facets]
    sets = [(count, _gathered(sampled, code)) for count, code in intersections(codes)]
    ways = [sums for count, sums in sets if count == 1]
    sums = min(ways, key=lambda way: float(effective_clusters(way.sums).sum()))
    rate = robust(sums.sums, sums.count)[0]
    variance = _total([(count, robust(way.sums, way.count)[1] ** 2) for count, way in sets])
    return ClusterRobust(
        by=listed(facets),
        unit=unit,
        labels=sampled.labels,
        n=sampled.n,
        clusters=sums.count,
        repeated=sums.part(sums.votes > 1).count,
        rate=rate,
        independent=np.sqrt(rate * (1 - rate) / sampled.n),
        # nan where clusters of each do not differ
        error=np.where(variance > _NOTHING**2, np.sqrt(variance), np.nan),
        design_effect=_total([(count, of_clusters.design_effect(way.sums)) for count, way in sets]),
        icc=of_clusters.icc(sums.sums),
        level=level,
        sums=sums,
        facets=facets,
    )


def clusters_of(sampled: Sampled, votes: Votes, by: str) -> Clusters:
    """Wins and votes of every cluster of every pair; arguments as for `cluster_robust`."""
    return _gathered(sampled, labelled(sampled, votes, by))


def _gathered(sampled: Sampled, code: Ints) -> Clusters:
    return gather(sampled.unit, code, sampled.won, sampled.weight, len(sampled))


def _total(terms: Sequence[tuple[int, Floats]]) -> Floats:
    """What sets of facets say with alternating signs, at least what each facet says; nan where none is known."""
    ways = np.stack([term for count, term in terms if count == 1])
    whole = np.sum([(-1) ** (count + 1) * term for count, term in terms], axis=0)
    known = np.fmax.reduce(ways)
    return np.asarray(np.fmax(whole, known))


def median(x: Floats) -> float:
    """Median of what is known; nan if nothing is."""
    known = x[np.isfinite(x)]
    return float(np.median(known)) if len(known) else float("nan")
