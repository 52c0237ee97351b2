"""The margin by which one system is preferred to another in a table of votes, with its tests."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.numerics import binomial, clustered, equivalence
from quorate.numerics.inference import t_quantile
from quorate.plan.power import detectable_margin
from quorate.table.votes import Encoding, Votes

Floats = NDArray[np.float64]
FEW_CLUSTERS = 20
_DEPENDENCE = ("cluster", "prompt", "judge")


class Exact(NamedTuple):
    """Wins among independent units of which each is won or lost: votes, or clusters that are unanimous."""

    wins: float
    n: float


@dataclass(frozen=True)
class VoteMargin:
    """How far the share of votes for the first system is from one half.

    Parameters
    ----------
    a, b : str
        The two systems; the margin is positive where ``a`` is preferred.
    value : float
        ``p - 1/2``, from -1/2 to 1/2.
    se : float
        Standard error; nan where all votes agree, for nothing shows how far they could differ.
    df : float
        Degrees of freedom; infinite for independent votes that are won or lost, whose tests are exact.
    n : int
        Votes used.
    ties : str
        How ties count, as for `Votes.encoded`.
    cluster : str or None
        Facet whose votes may resemble each other; None where votes are taken as independent.
    clusters : int or None
        Its levels.
    icc : float or None
        Correlation of two votes of one cluster, as estimated.
    exact : Exact or None
        What the exact tests count; None where the tests are t tests.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    a: str
    b: str
    value: float
    se: float
    df: float
    n: int
    ties: Encoding
    cluster: str | None
    clusters: int | None
    icc: float | None
    exact: Exact | None
    caveats: tuple[Caveat, ...] = ()

    @property
    def effect(self) -> float:
        """Variance over that of as many fair and independent votes; votes per unit where the tests are exact."""
        return self.n / self.exact.n if self.exact else 4 * self.n * self.se**2

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the margin: Clopper and Pearson's where tests are exact, else Student's t.

        Parameters
        ----------
        level : float
            Coverage wanted, in (0, 1).
        """
        if self.exact:
            low, high = binomial.clopper_pearson(*self.exact, level)
            return float(low) - 0.5, float(high) - 0.5
        half = t_quantile(self.df, (1 + level) / 2) * self.se
        return max(self.value - half, -0.5), min(self.value + half, 0.5)

    def p_difference(self) -> float:
        """P-value of a margin of 0, two-sided."""
        if self.exact:
            return float(binomial.p_value(*self.exact))
        return min(1.0, 2 * self._tail(-abs(self.value)))

    def p_equivalence(self, margin: float) -> float:
        """P-value of a margin that is at least this far from 0, in either direction (two one-sided tests).

        Parameters
        ----------
        margin : float
            Margin of equivalence.
        """
        if self.exact:
            return float(equivalence.p_value(*self.exact, margin))
        return self._tail(abs(self.value) - margin)

    def detectable(self, alpha: float, power: float) -> float | None:
        """Smallest margin that so many such votes detect; None if there is none.

        Parameters
        ----------
        alpha, power : float
            Level of the test, and the chance of detection wanted.
        """
        if not self.exact:
            seen = (t_quantile(self.df, 1 - alpha / 2) + t_quantile(self.df, power)) * self.se
            return seen if seen <= 0.5 else None
        try:
            return detectable_margin(int(self.exact.n), alpha=alpha, power=power, method="exact")
        except NotEstimable:
            return None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; None where a number is infinite or not known."""
        said = asdict(self)
        for name in ("se", "df"):
            said[name] = said[name] if math.isfinite(said[name]) else None
        return {**said, "exact": self.exact and self.exact._asdict()}

    def _tail(self, distance: float) -> float:
        from scipy.special import stdtr

        return float(stdtr(self.df, distance / self.se))


def margin_of_votes(votes: Votes, a: str, b: str, *, ties: Encoding = "drop", cluster: str | None = None) -> VoteMargin:
    """The margin by which voters prefer one system to another.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    a, b : str
        The two systems.
    ties : {"drop", "half", "pessimistic"}
        How ties count; ``pessimistic`` counts them as votes for ``b``.
    cluster : str, optional
        Facet, such as ``prompt`` or ``judge``, whose votes may resemble each other; a vote without a label is a cluster
        of its own. Without it votes are taken as independent.

    Raises
    ------
    UnknownTerm
        If a system or the facet is not there.
    InvalidInput
        If the two were never compared, or ``ties`` is not known.
    NotEstimable
        If no vote counts, or all are of one cluster.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> columns = {"model_a": ["x"] * 10, "model_b": ["y"] * 10, "winner": ["model_a"] * 8 + ["tie"] * 2}
    >>> votes = read_votes(polars.DataFrame(columns), announce=False)
    >>> margin_of_votes(votes, "x", "y").value, margin_of_votes(votes, "x", "y", ties="pessimistic").value
    (0.5, 0.3)
    """
    pair = votes.pair(a, b)
    outcome = 1 - pair.encoded(ties)
    counts = np.isfinite(outcome)
    if not counts.any():
        raise NotEstimable(f'votes: none between "{a}" and "{b}" counts with ties="{ties}"; collect more')
    weight = pair.weights[counts].astype(float)
    if cluster is not None:
        found = _by_cluster(outcome[counts], weight, pair.column(cluster)[counts], cluster)
    elif ties == "half":
        found = _single(outcome[counts], weight)
    else:
        wins, n = float(outcome[counts] @ weight), float(weight.sum())
        return margin_of_counts(wins, n, a, b, ties=ties, caveats=_independence(pair))
    caveats = _few(found.clusters, cluster) if cluster else _independence(pair)
    return margin_of_share(found, a, b, ties=ties, cluster=cluster, caveats=caveats)


def margin_of_share(
    found: clustered.Share,
    a: str,
    b: str,
    *,
    ties: Encoding = "drop",
    cluster: str | None = None,
    caveats: tuple[Caveat, ...] = (),
) -> VoteMargin:
    """The margin of a share with a standard error; exact where clusters are single votes.

    Clusters that all agree count as one vote each, for nothing shows how far they could differ.

    Parameters
    ----------
    found : Share
        Share of votes for the first system.
    a, b, ties, cluster, caveats
        As for `VoteMargin`; without ``cluster`` the clusters are single votes.
    """
    alone = found.clusters == found.n and ties != "half"
    units = None if found.se > 0 and not alone else Exact(round(2 * found.value * found.clusters) / 2, found.clusters)
    clusters, icc = (found.clusters, found.icc) if cluster else (None, None)
    value, se, n = found.value - 0.5, found.se or math.nan, int(found.n)
    return VoteMargin(a, b, value, se, found.df, n, ties, cluster, clusters, icc, units, caveats)


def margin_of_counts(
    wins: float, n: float, a: str, b: str, *, ties: Encoding = "drop", caveats: tuple[Caveat, ...] = ()
) -> VoteMargin:
    """The margin of independent votes, each won or lost.

    Parameters
    ----------
    wins, n : float
        Votes for the first system, and votes.
    a, b, ties, caveats
        As for `VoteMargin`.
    """
    p = wins / n
    se = math.sqrt(p * (1 - p) / n) or math.nan
    value = (2 * wins - n) / (2 * n)
    return VoteMargin(a, b, value, se, math.inf, int(n), ties, None, None, None, Exact(wins, n), caveats)


def _single(outcome: Floats, weight: Floats) -> clustered.Share:
    """Independent votes with halves: every vote is a cluster."""
    n = float(weight.sum())
    if n < 2:
        raise NotEstimable('votes: 1 vote has no standard error with ties="half"; collect more')
    p = float(outcome @ weight) / n
    variance = float(weight @ (outcome - p) ** 2) / (n - 1) / n
    return clustered.Share(p, math.sqrt(variance), n - 1, 0.0, int(n), n)


def _by_cluster(outcome: Floats, weight: Floats, code: NDArray[np.int32], cluster: str) -> clustered.Share:
    lone = code < 0
    label = np.where(lone, code.max(initial=-1) + np.cumsum(lone), code)
    _, place = np.unique(label, return_inverse=True)
    wins, sizes, squares = (
        np.bincount(place, weight * x).astype(float) for x in (outcome, np.ones_like(outcome), outcome**2)
    )
    if len(sizes) < 2:
        raise NotEstimable(f"cluster: all votes are of one {cluster}; nothing here says what another would give")
    return clustered.share(wins, sizes, squares)


def _few(clusters: int, name: str) -> tuple[Caveat, ...]:
    if clusters >= FEW_CLUSTERS:
        return ()
    return (caveats.few_clusters(name, clusters),)


def _independence(pair: Votes) -> tuple[Caveat, ...]:
    """A warning where votes share what may make them alike."""
    shared = [name for name in _DEPENDENCE if name in pair.names and _repeats(pair.column(name))]
    if not shared:
        return ()
    return (caveats.taken_as_independent(shared),)


def _repeats(code: NDArray[np.int32]) -> bool:
    return bool(np.bincount(code[code >= 0]).max(initial=0) > 1)
