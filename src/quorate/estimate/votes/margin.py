"""Margins of votes: by how much one system is preferred to another, with its tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, field, replace
from typing import Any, NamedTuple

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints, dense
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by, judges_alone, repeating
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf, t_cdf
from quorate.numerics.inference import student_limits
from quorate.numerics.votes import binomial, clustered, equivalence
from quorate.numerics.votes.binomial import p_value
from quorate.numerics.votes.clustered import Multiway, balance, multiway
from quorate.roles import JUDGE
from quorate.table.pairs import FIRST_A, A, B
from quorate.table.results import Ends, Interval, StatedInterval
from quorate.table.votes import Encoding, Votes

# Order of presentation: how often either system of a pair was shown first, and whether that decides.


SIGNIFICANT = 0.01
"""P-value below which an order is spoken of."""


def _presentation(pair: Votes, cluster: Cluster | None = None) -> Iterator[Caveat]:
    """Warnings that one of two systems was mostly shown first, or that the place of a system decides.

    Parameters
    ----------
    pair : Votes
        Votes on two systems.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other.
    """
    if pair.order is not None:
        usable = (pair.order >= FIRST_A) & (pair.outcome <= B)
        weight, ahead = pair.weights[usable], pair.order[usable] == FIRST_A
        n, first = int(weight.sum()), int(weight[ahead].sum())
        most = max(first, n - first)
        if n and float(p_value(most, n)) < SIGNIFICANT:
            yield caveats.mostly_shown_first(pair.models[0] if 2 * first >= n else pair.models[1], most, n)
    yield from order_effect(pair, cluster)


def order_effect(votes: Votes, cluster: Cluster | None = None) -> Iterator[Caveat]:
    """A warning that the place of a system decides: the first shown or, where no order is known, the first written.

    Within pairs, both orders of a pair weighing alike, so that a better system which is mostly first is no effect; of
    pairs in one order nothing is said. Votes are clustered as for ratings; independent ones have the test of Cochran,
    Mantel and Haenszel.

    Parameters
    ----------
    votes : Votes
        Votes on any systems.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other.
    """
    order = votes.swapped.astype(np.int8) if votes.order is None else votes.order
    usable = (order >= FIRST_A) & (votes.outcome <= B)
    weight, side = votes.weights[usable].astype(float), order[usable].astype(np.int64)
    pair, won = votes.pairs().code[usable].astype(np.int64), votes.outcome[usable] == A
    size = 2 * (int(pair.max(initial=0)) + 1)
    shown = np.bincount(2 * pair + side, weight, size).reshape(-1, 2)
    both = np.asarray((shown > 0).all(axis=1))
    if not both.any():
        return
    wins = np.bincount(2 * pair + side, weight * won, size).reshape(-1, 2)[both]
    kept, shown = both[pair], shown[both]
    total, ahead = shown.sum(axis=1), wins.sum(axis=1)
    alike = shown.prod(axis=1) / total
    share = float((alike * (1 + wins[:, 0] / shown[:, 0] - wins[:, 1] / shown[:, 1])).sum() / (2 * alike.sum()))
    rows = np.flatnonzero(usable)[kept]
    used = np.zeros(votes.rows, dtype=np.bool_)
    used[rows] = True
    by = clustered_by(votes, cluster, used)
    if by:
        other = np.zeros((len(both), 2))
        other[both] = shown[:, ::-1] / total[:, None]
        worth = weight * other[pair, side]
        codes = [dense(cells(votes, name)[rows]) for name in by]
        first = (won == (side == FIRST_A)).astype(float)
        p = balance(multiway(first[kept], worth[kept], codes).share, 1 - SIGNIFICANT)[2]
    else:
        variance = float((alike * ahead * (total - ahead) / (total * np.maximum(total - 1, 1))).sum())
        lead = float((wins[:, 0] - shown[:, 0] * ahead / total).sum())
        p = 2 * normal_cdf(-abs(lead) / variance**0.5) if variance > 0 else 1.0
    if p < SIGNIFICANT:
        yield caveats.first_wins(share, int(total.sum()), shown_known=votes.order is not None)


FEW_CLUSTERS = 20
FEWEST_ALIKE = 5.0
"""Effective clusters below which equivalence is not shown."""
_DOMINANT = 0.3  # part of the votes from which on one cluster is named, if it has twice as many as any other
NOTHING = 1e-9
"""A standard error that is rounding alone."""


class Exact(NamedTuple):
    """Wins among independent units of which each is won or lost: votes, or clusters that are unanimous."""

    wins: float
    n: float


@dataclass(frozen=True)
class VoteMargin(Interval):
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
    cluster : tuple of str
        Facets whose votes may resemble each other; none where votes are taken as independent.
    clusters : tuple of int
        Levels of each.
    icc : tuple of float
        Correlation of two votes of one level of each, as estimated.
    exact : Exact or None
        What the exact tests count; None where the tests are t tests.
    decisive : Exact or None
        Votes won among those without a tie, where ties count and votes are independent.
    effective : float
        Clusters of equal size that weigh as these do, of the facet that has the fewest; infinite without clusters.
    sizes : array, shape (clusters,), or None
        Votes of each cluster of that facet, where known.
    least_p : float
        Smallest p-value of a difference that so few clusters allow; 0 without clusters.
    caveats : tuple of Caveat
        What to know before relying on this.
    tied : int
        Ties, whether they count or not.
    level : float
        Coverage of the interval.
    judges : int
        Judges that it speaks for alone, which are too few to speak for others; 0 where clusters are by judge.
    """

    a: str
    b: str
    value: float
    se: float
    df: float
    n: int
    ties: Encoding
    cluster: tuple[str, ...]
    clusters: tuple[int, ...]
    icc: tuple[float, ...]
    exact: Exact | None
    caveats: tuple[Caveat, ...] = ()
    decisive: Exact | None = None
    effective: float = math.inf
    sizes: Floats | None = field(default=None, repr=False, compare=False)
    least_p: float = 0.0
    tied: int = 0
    level: float = 0.95
    judges: int = 0

    @property
    def scope(self) -> str:
        """Whom it speaks for; empty where there is nothing to add."""
        if self.judges == 1:
            return "with this judge only"
        return f"with these {self.judges} judges" if self.judges else ""

    def clusters_to_tell(self, alpha: float) -> int:
        """How many clusters by the facet that has fewest can reject at ``alpha``, where those there are never do."""
        fewest = min(self.clusters)
        return 1 + math.ceil((fewest - 1) * math.log(alpha) / math.log(self.least_p) - 1e-9)

    @property
    def effect(self) -> float:
        """Variance over that of as many fair and independent votes; votes per unit where the tests are exact."""
        return self.n / self.exact.n if self.exact else 4 * self.n * self.se**2

    def _limits(self) -> Ends:
        """Clopper and Pearson's where tests are exact, else Student's t, with 0 in it where the test leaves it open."""
        level = self.level
        if self.exact:
            low, high = (float(end) - 0.5 for end in binomial.clopper_pearson(*self.exact, level))
        else:
            low, high = student_limits(self.value, self.se, self.df, level)
            low, high = max(low, -0.5), min(high, 0.5)
        exact = self.decisive is not None and not self.exact  # with ties as halves the test is that of the other votes
        least = self.p_difference() if exact else self.least_p
        return (min(low, 0.0), max(high, 0.0)) if least > (1 - level) * binomial.SLACK else (low, high)

    def equivalence_interval(self, alpha: float = 0.05) -> Interval:
        """The margin with the interval that equivalence rests on: it is shown where this lies within the margin.

        That is the ``1 - 2 alpha`` interval, for each of the two tests is one-sided: 90% where tests are at 5%.
        """
        if self.exact or not self.decisive:
            return self.at(1 - 2 * alpha)
        wins, losses = self.decisive.wins, self.decisive.n - self.decisive.wins

        def law(level: float) -> Ends:
            tail = (1 - level) / 2
            low, high = equivalence.tango_limits(wins, losses, self.n, tail)
            return low / 2, high / 2

        return StatedInterval(self.value, self.se, self.n, 1 - 2 * alpha, law=law)

    def p_difference(self) -> float:
        """P-value of a margin of 0, two-sided.

        With ties as halves that of the sign test on the others, which is exact. With clusters at least ``least_p``.
        """
        if self.exact:
            return max(float(binomial.p_value(*self.exact)), self.least_p)
        if self.decisive:
            return float(binomial.p_value(*self.decisive)) if self.decisive.n else 1.0
        return min(1.0, max(2 * self._tail(-abs(self.value)), self.least_p))

    def p_equivalence(self, margin: float) -> float:
        """P-value of a margin that is at least this far from 0, in either direction (two one-sided tests)."""
        if self.exact:
            return float(equivalence.p_value(*self.exact, margin))
        if self.decisive:
            return equivalence.tango(self.decisive.wins, self.decisive.n - self.decisive.wins, self.n, 2 * margin)
        return 1.0 if self.effective < FEWEST_ALIKE else self._tail(abs(self.value) - margin)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; None where a number is infinite or not known."""
        values = asdict(self)
        del values["sizes"]
        for name in ("se", "df", "effective"):
            values[name] = values[name] if math.isfinite(values[name]) else None
        values |= {"low": self.low, "high": self.high, "scope": self.scope}
        counted = {"exact": self.exact, "decisive": self.decisive}
        return {**values, **{name: units and units._asdict() for name, units in counted.items()}}

    def _tail(self, distance: float) -> float:

        return t_cdf(self.df, distance / self.se)


def margin_of_votes(
    votes: Votes, a: str, b: str, *, ties: Encoding = "drop", cluster: Cluster | None = None
) -> VoteMargin:
    """The margin by which voters prefer one system to another.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    a, b : str
        The two systems.
    ties : {"drop", "half", "pessimistic"}
        How ties count; ``pessimistic`` counts them as votes for ``b``.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, nested or crossed; by default prompt, judge and cluster, as far as
        they are there and repeat. Votes are taken as independent with ``()``. A vote without a label is a cluster of
        its own.

    Raises
    ------
    UnknownTerm
        If a system or a facet is not there.
    InvalidInput
        If the two were never compared, or ``ties`` is not known.
    NotEstimable
        If no vote counts, or all are of one level of a facet that is named.

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
    lead = replace(_margin(pair, a, b, ties, cluster), judges=judges_alone(pair) if cluster is None else 0)
    lost = pair.n_missing
    missing = (caveats.missing(lost, pair.n + lost, "votes", "outcome"),) if lost else ()
    tie = np.isfinite(pair.encoded("half")) & ~np.isfinite(pair.encoded("drop"))
    said = (*votes.source.caveats, *missing, *_presentation(pair, cluster), *lead.caveats)
    return replace(lead, caveats=said, tied=int(pair.weights[tie].sum()))


def _margin(pair: Votes, a: str, b: str, ties: Encoding, cluster: Cluster | None) -> VoteMargin:
    outcome = 1 - pair.encoded(ties)
    counts = np.isfinite(outcome)
    if not counts.any():
        rule = f'votes: none between "{a}" and "{b}" counts with ' + argument("ties", ties)
        raise NotEstimable(rule + "; collect more")
    facets = clustered_by(pair, cluster, counts)
    told = tuple(_left_out(pair, counts, outcome, facets))
    outcome, weight = outcome[counts], pair.weights[counts].astype(float)
    wins, n = float(outcome @ weight), float(weight.sum())
    if facets:
        codes = [np.unique(cells(pair, name)[counts], return_inverse=True)[1] for name in facets]
        for name, code in zip(facets, codes, strict=True):
            if not code.any():
                raise NotEstimable(f"cluster: all votes are of one {name}; nothing here says what another would give")
        found = multiway(outcome, weight, codes)
        caution = (*told, *_few(found, facets), *_dominated(pair, counts, outcome, weight, facets, codes))
        made = margin_of_share(found.share, a, b, ties=ties, cluster=facets[0], caveats=caution)
        levels, icc = tuple(way.clusters for way in found.ways), tuple(way.icc for way in found.ways)
        return replace(made, cluster=facets, clusters=levels, icc=icc, sizes=found.sizes)
    if ties == "half":  # every vote is a cluster
        if n < 2:
            raise NotEstimable("votes: 1 vote has no standard error with " + argument("ties", ties) + "; collect more")
        p = wins / n
        variance = float(weight @ (outcome - p) ** 2) / (n - 1) / n
        share = clustered.Share(p, math.sqrt(variance), n - 1, 0.0, int(n), n, n)
        made = margin_of_share(share, a, b, ties=ties, caveats=told)
    else:
        made = margin_of_counts(wins, n, a, b, ties=ties, caveats=told)
    if ties == "drop":
        return made
    won = 1 - pair.encoded("drop")
    decisive = np.isfinite(won)
    weight = pair.weights[decisive].astype(float)
    return replace(made, decisive=Exact(float(won[decisive] @ weight), float(weight.sum())))


def _few(found: Multiway, facets: tuple[str, ...]) -> tuple[Caveat, ...]:
    """That a facet has few levels, of each that has."""
    each = zip(facets, found.ways, strict=True)
    return tuple(
        caveats.few_clusters(name, way.clusters, way.effective) for name, way in each if way.effective < FEW_CLUSTERS
    )


def _dominated(
    pair: Votes, counts: Bools, outcome: Floats, weight: Floats, facets: tuple[str, ...], codes: list[Ints]
) -> Iterator[Caveat]:
    """That one level of a facet has most votes, and the margin if it had as many as the next."""
    for name, code in zip(facets, codes, strict=True):
        size = np.bincount(code, weight)
        *_, second, first = np.sort(size)
        if first > _DOMINANT * size.sum() and first >= 2 * second:
            its = code == size.argmax()
            label = pair.facet(name).levels[int(pair.column(name)[counts][its][0])]
            capped = multiway(outcome, np.where(its, weight * second / first, weight), codes).share
            left = margin_of_share(capped, "a", "b", ties="half", cluster=name)
            yield caveats.dominant_cluster(name, label, first / size.sum(), second, left.value, left.p_difference())


def _left_out(pair: Votes, counts: Bools, outcome: Floats, facets: tuple[str, ...]) -> Iterator[Caveat]:
    """Warnings of facets that votes share and that no cluster is by; of several, which matters most."""
    weight, effects = pair.weights[counts].astype(float), {}
    for name in repeating(pair, counts):
        code = np.unique(cells(pair, name)[counts], return_inverse=True)[1]
        if not code.any():
            yield caveats.one_level(name)
        elif name == JUDGE and name not in facets and judges_alone(pair):
            yield caveats.few_levels(name, judges_alone(pair), "six")
        elif name not in facets:
            one = multiway(outcome[counts], weight, [code]).share
            independent = float(np.average((outcome[counts] - one.value) ** 2, weights=weight)) / one.n
            effects[name] = one.se**2 / independent if independent > 0 else 1.0
    if effects:
        yield caveats.taken_as_independent(effects, facets)


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
    units = None if found.se > NOTHING and not alone else Exact(*clustered.single_votes(found))
    clusters, icc = ((found.clusters,), (found.icc,)) if cluster else ((), ())
    value, se, n = found.value - 0.5, found.se if found.se > NOTHING else math.nan, int(found.n)
    made = VoteMargin(a, b, value, se, found.df, n, ties, (), clusters, icc, units, caveats)
    return replace(made, cluster=(cluster,), effective=found.effective, least_p=found.least_p) if cluster else made


def margin_of_counts(
    wins: float, n: float, a: str, b: str, *, ties: Encoding = "drop", caveats: tuple[Caveat, ...] = ()
) -> VoteMargin:
    """The margin of independent votes, each won or lost."""
    p = wins / n
    se = math.sqrt(p * (1 - p) / n) or math.nan
    value = (2 * wins - n) / (2 * n)
    return VoteMargin(a, b, value, se, math.inf, int(n), ties, (), (), (), Exact(wins, n), caveats)
