"""Margins of pairs of models, the votes that each needs, and how many pairs are near ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats, rules
from quorate.arrays import Bools, Floats, Ints, dense, occurring
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.clustered import DEPENDENCE, FEWEST_JUDGES, Cluster, cells, named
from quorate.estimate.votes.signals import GRID, MarginLaw, margin_law, share_below
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, Random, Sampled, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.votes import clusters
from quorate.numerics.votes.binomial import clopper_pearson
from quorate.numerics.votes.clustered import Multiways, Share, margin_interval, multiways, votes_per_independent
from quorate.numerics.votes.power import normal_size
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Encoding, Votes
from quorate.wording import Brief, counted, listed, percent

# Shares of the votes of every pair, by the facets that make its votes alike.


FEW_CLUSTERS = 20
"""Levels of a facet below which their spread says little."""


@dataclass(frozen=True, eq=False)
class PairShares(Brief):
    """Shares of the votes of pairs, by the facets that make votes alike.

    Parameters
    ----------
    wins, n : array, shape (pairs,)
        Votes for the second system of each, and all that count.
    shares : tuple of Share or None
        By all facets of each pair; None where its votes are taken as independent.
    facets : tuple of str
        Facets that cluster the votes of some pair.
    caveats : tuple of Caveat
        What to know before relying on them.
    """

    wins: Floats
    n: Floats
    shares: tuple[Share | None, ...]
    facets: tuple[str, ...]
    caveats: tuple[Caveat, ...]

    @property
    def effect(self) -> Floats:
        """Votes of each pair that are worth one independent vote, at least 1; shape (pairs,)."""
        return np.array([1.0 if one is None else votes_per_independent(one) for one in self.shares])

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Ends of the interval of each margin: exact where votes are independent, else as for a verdict on the two."""
        low, high = (end - 0.5 for end in clopper_pearson(self.wins, self.n, level))
        for pair, one in enumerate(self.shares):
            if one is not None:
                low[pair], high[pair] = margin_interval(one, level)
        return low, high


def pair_shares(votes: Votes, sampled: Sampled, cluster: Cluster | None = None) -> PairShares:
    """Shares of the votes of every pair, by the facets that a verdict on the two systems would cluster by.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    sampled : Sampled
        Its pairs that have enough of them.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other; by default prompt, judge and cluster, as far as they are there and
        repeat on the pair. ``()`` takes votes as independent.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If one is named twice.
    NotEstimable
        If all votes of every pair are of one level of a facet that is named.
    """
    asked = None if cluster is None else named(votes, cluster)
    there = [name for name in DEPENDENCE if name in votes.names]
    levels = {name: cells(votes, name) for name in dict.fromkeys((*there, *(asked or ())))}
    if not levels:
        return PairShares(sampled.wins, sampled.n, (None,) * len(sampled), (), ())
    code = {name: level[sampled.row] for name, level in levels.items()}
    none = np.zeros(len(sampled), dtype=np.bool_)
    varied = {name: _levels(sampled, at) > 1 for name, at in code.items()}
    repeats = {name: _repeating(votes, sampled, name) for name in there}
    if asked is None and JUDGE in repeats:  # fewer of a pair are those it has, as for `clustered_by`
        judge = votes.column(JUDGE)[sampled.row].astype(np.int64)
        labelled = _levels(sampled, judge, judge >= 0)
        repeats[JUDGE] &= (labelled >= FEWEST_JUDGES) | ~varied[JUDGE]
    wanted = repeats if asked is None else dict.fromkeys(asked, np.ones(len(sampled), dtype=np.bool_))
    by = {name: some & varied[name] for name, some in wanted.items()}
    for name in asked or ():
        if not by[name].any():
            raise NotEstimable(f"cluster: all votes are of one {name}; nothing here says what another would give")
    shares, ways = _by_facets(sampled, by, code)
    effects = {}
    for name, some in repeats.items():
        left = some & varied[name] & ~by.get(name, none)
        if left.any():
            found = _multiways(sampled, left, [code[name]])
            effects[name] = [votes_per_independent(found.share.one(at)) for at in range(int(left.sum()))]
    alone = {name: int(((wanted.get(name, none) | repeats.get(name, none)) & ~varied[name]).sum()) for name in levels}
    told = _told(len(sampled), ways, {name: count for name, count in alone.items() if count}, effects)
    return PairShares(sampled.wins, sampled.n, shares, tuple(ways), tuple(told))


def _by_facets(
    sampled: Sampled, by: Mapping[str, Bools], code: Mapping[str, Ints]
) -> tuple[tuple[Share | None, ...], dict[str, Floats]]:
    """Share of every pair by the facets that it has, and what the levels of each facet are worth, pair by pair."""
    shares: list[Share | None] = [None] * len(sampled)
    worth: dict[str, list[Floats]] = {name: [] for name, some in by.items() if some.any()}
    for names in (names for count in range(1, len(by) + 1) for names in combinations(by, count)):
        pairs = np.all([some == (name in names) for name, some in by.items()], axis=0)
        if pairs.any():
            found = _multiways(sampled, pairs, [code[name] for name in names])
            for at, pair in enumerate(np.flatnonzero(pairs).tolist()):
                one = found.share.one(at)
                shares[pair] = None if one.clusters == one.n else one
            for name, way in zip(names, found.ways, strict=True):
                worth[name].append(way.effective)
    return tuple(shares), {name: np.concatenate(each) for name, each in worth.items()}


def _levels(sampled: Sampled, level: Ints, some: Bools | slice = slice(None)) -> Ints:
    """How many levels of a facet the votes of every pair are of, or some of them."""
    unit, level = sampled.unit[some], level[some]
    cell = occurring(unit * (int(level.max(initial=0)) + 1) + level)
    return np.bincount(cell // (int(level.max(initial=0)) + 1), minlength=len(sampled))


def _repeating(votes: Votes, sampled: Sampled, name: str) -> Bools:
    """Pairs with two votes of some level of a facet; a vote without a label shares none."""
    level = votes.column(name)[sampled.row].astype(np.int64)
    some = level >= 0
    unit, out = sampled.unit[some], np.zeros(len(sampled), dtype=np.bool_)
    cell = dense(unit * (int(level.max(initial=0)) + 1) + level[some])
    often = np.bincount(cell, sampled.weight[some]) > 1
    out[unit[often[cell]]] = True
    return out


def _multiways(sampled: Sampled, pairs: Bools, codes: Sequence[Ints]) -> Multiways:
    """Shares of the votes of some pairs by the facets of these levels."""
    rows = pairs[sampled.unit]
    study = (np.cumsum(pairs) - 1)[sampled.unit[rows]]
    return multiways(study, sampled.won[rows], sampled.weight[rows], [level[rows] for level in codes])


def _told(
    pairs: int, ways: Mapping[str, Floats], alone: Mapping[str, int], effects: Mapping[str, Sequence[float]]
) -> Iterator[Caveat]:
    """What is uncertain of facets with few levels or one, and facets that are left out."""
    for name, effective in ways.items():
        few = effective[effective < FEW_CLUSTERS - 1e-9]
        if len(few):
            yield caveats.few_clusters_on_pairs(name, len(few), pairs, float(few.min()))
    for name, count in alone.items():
        yield caveats.one_level_on_pairs(name, count, pairs)
    if effects:
        medians = {name: float(np.median(each)) for name, each in effects.items()}
        yield caveats.taken_as_independent(medians, tuple(ways))


RESAMPLES = 2000
_LAWS = 400  # bootstrap samples of a law of margins: each is an EM


@dataclass(frozen=True)
class Quantiles(Result):
    """Quantiles of margins over pairs, each with a bootstrap interval over pairs and the votes it needs.

    Parameters
    ----------
    probability : tuple of float
        Which quantiles.
    margin, low, high : tuple of float
        Quantiles of ``|p - 1/2|`` as estimated, and their intervals.
    n, n_low, n_high : tuple of float
        Votes needed at the margin, and at the two ends of its interval; infinite for a margin of 0. Votes that depend
        on each other as on the median pair.
    corrected : tuple of float
        Quantiles of the law of margins without the noise of the votes; nan with fewer than 50 votes on a pair.
    level : float
        Coverage of the intervals.
    pairs : int
        Pairs.
    """

    probability: tuple[float, ...]
    margin: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n: tuple[float, ...]
    n_low: tuple[float, ...]
    n_high: tuple[float, ...]
    corrected: tuple[float, ...]
    level: float
    pairs: int

    def rows(self) -> list[Row]:
        """One row for every quantile."""
        return rows_of({name: column for name, column in asdict(self).items() if isinstance(column, tuple)})


@dataclass(frozen=True)
class NearTies(Result):
    """Pairs whose estimated margin is at most ``tau``.

    Parameters
    ----------
    tau : float
        Threshold.
    count, pairs : int
        Near ties, and all pairs.
    share, low, high : float
        Share of near ties as estimated, and its exact interval for pairs like these.
    corrected, corrected_low, corrected_high : float
        Share of near ties in the law of margins without the noise of the votes, and its bootstrap interval; nan with
        fewer than 50 votes on a pair.
    median, median_low, median_high : float
        Median margin among near ties, with a bootstrap interval; nan if there are none.
    n : float
        Votes needed at the median margin, if they depend on each other as on the median pair; nan if there are none.
    level : float
        Coverage of the intervals.
    """

    tau: float
    count: int
    pairs: int
    share: float
    low: float
    high: float
    corrected: float
    corrected_low: float
    corrected_high: float
    median: float
    median_low: float
    median_high: float
    n: float
    level: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        spread = f"{percent(self.share)}, interval {percent(self.low)} to {percent(self.high)}"
        who = f"{self.count:,} of {counted(self.pairs, 'pair')} ({spread})"
        noise = f"{percent(self.corrected)} without the noise of the votes"
        cost = f". Half of them need {self.n:,.0f} votes or more" if np.isfinite(self.n) else ""
        return (
            f"{who} {'has' if self.pairs == 1 else 'have'} an estimated margin of {self.tau:g} or less, {noise}{cost}."
        )


@dataclass(frozen=True, eq=False)
class Margins(Result):
    """Margins of pairs of models, and the votes that each needs.

    Parameters
    ----------
    pairs : tuple of str
        ``"x vs y"``; ``margin`` is positive where y, the second, is preferred.
    n, wins : array, shape (pairs,)
        Votes that count, and those for the second model.
    margin, low, high : array, shape (pairs,)
        ``p - 1/2``, signed, and its interval: by Student's t, cluster-robust, where votes of the pair share what may
        make them alike; else exact (Clopper-Pearson).
    effect : array, shape (pairs,)
        Votes that are worth one independent vote, at least 1.
    implied : array, shape (pairs,)
        Votes that a test needs at the margin as estimated, by the normal formula times ``effect``; infinite for 0. Of
        few clusters `quorate.compare` says more, by the test itself.
    tie_share : array, shape (pairs,)
        Ties, of all votes with an outcome.
    left_out : int
        Pairs with too few decisive votes.
    minimum : int
        Decisive votes that a pair must have.
    ties : str
        How ties count.
    level, alpha, power : float
        Coverage of intervals; level of the test and chance of detection behind ``implied``.
    cluster : tuple of str
        Facets whose votes may resemble each other; none where votes are taken as independent.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    pairs: tuple[str, ...]
    n: Floats
    wins: Floats
    margin: Floats
    low: Floats
    high: Floats
    effect: Floats
    implied: Floats
    tie_share: Floats
    left_out: int
    minimum: int
    ties: Encoding
    level: float
    alpha: float
    power: float
    cluster: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def worth(self) -> Floats:
        """Independent votes that those of each pair are worth."""
        return self.n / self.effect

    @property
    def typical_effect(self) -> float:
        """``effect`` of the median pair."""
        return float(np.median(self.effect))

    @property
    def taken(self) -> str:
        """How votes are taken, in words."""
        return f"clustered by {listed(self.cluster)}" if self.cluster else "taken as independent"

    @property
    def absolute(self) -> Floats:
        """``|p - 1/2|`` as estimated: above the truth on average where that is near 0."""
        return np.abs(self.margin)

    def quantiles(
        self, probabilities: Sequence[float] = (0.1, 0.25, 0.5), *, resamples: int = RESAMPLES, rng: Random = None
    ) -> Quantiles:
        """Quantiles over pairs, with a bootstrap over pairs (Lee 2026, Tables 1 and 5).

        Parameters
        ----------
        probabilities : sequence of float
            Which quantiles, from 0 to 1.
        resamples : int
            Bootstrap samples of pairs.
        rng : numpy.random.Generator or int, optional
            Source of the draws.
        """
        asked = [_share("probabilities", probability) for probability in probabilities]
        place = _source(rng, "pairs").integers(len(self), size=(resamples, len(self)))
        drawn = self.absolute[place]
        margin = np.quantile(self.absolute, asked)
        low, high = np.quantile(np.quantile(drawn, asked, axis=1), _ends(self.level), axis=1)
        law = self.law()
        n, n_low, n_high = (tuple(self._needed(x).tolist()) for x in (margin, high, low))
        return Quantiles(
            probability=tuple(asked),
            margin=tuple(margin.tolist()),
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
            n=n,
            n_low=n_low,
            n_high=n_high,
            corrected=tuple(map(law.quantile, asked)),
            level=self.level,
            pairs=len(self),
        )

    def near_ties(self, tau: float = 0.1, *, resamples: int = RESAMPLES, rng: Random = None) -> NearTies:
        """How many pairs are near ties, and what they need (Lee 2026, Table 2).

        The interval of the share is exact, since a bootstrap over pairs of a share is binomial, and empty at 0.

        Parameters
        ----------
        tau : float
            Largest margin of a near tie, above 0 and below 1/2.
        resamples : int
            Bootstrap samples of pairs.
        rng : numpy.random.Generator or int, optional
            Source of the draws.
        """
        rules.number("tau", tau, above=0, below=0.5)
        near = self.absolute <= tau
        low, high = clopper_pearson(near.sum(), len(self), self.level)
        law = self.law()
        corrected_low, corrected_high = float("nan"), float("nan")
        if law.known:
            times = _source(rng, "laws").multinomial(len(self), np.full(len(self), 1 / len(self)), _LAWS)
            laws = clusters.margin_law(clusters.margin_likelihood(self.wins / self.effect, self.worth, GRID), times)
            corrected_low, corrected_high = np.quantile(share_below(laws, tau), _ends(self.level)).tolist()
        median, median_low, median_high = (float("nan"),) * 3
        if near.any():
            margins_near = self.absolute[near]
            place = _source(rng, "near ties").integers(len(margins_near), size=(resamples, len(margins_near)))
            ends = np.quantile(np.median(margins_near[place], axis=1), _ends(self.level))
            median, median_low, median_high = float(np.median(margins_near)), float(ends[0]), float(ends[1])
        return NearTies(
            tau=tau,
            count=int(near.sum()),
            pairs=len(self),
            share=float(near.mean()),
            low=float(low),
            high=float(high),
            corrected=law.share_below(tau),
            corrected_low=corrected_low,
            corrected_high=corrected_high,
            median=median,
            median_low=median_low,
            median_high=median_high,
            n=float(self._needed(median)),
            level=self.level,
        )

    def law(self) -> MarginLaw:
        """Margins without the noise of the votes, of which each pair has as many as they are worth."""
        return margin_law(self.wins / self.effect, self.worth)

    def _needed(self, margin: ArrayLike) -> Floats:
        """Votes that the median pair needs at these margins."""
        return normal_size(margin, self.alpha, self.power, self.typical_effect)

    def rows(self) -> list[Row]:
        """One row for every pair."""
        return rows_of({"pair": self.pairs, **{name: getattr(self, name) for name in _COLUMNS}})


_COLUMNS = ("n", "wins", "margin", "low", "high", "effect", "implied", "tie_share")


def margins(
    votes: Votes,
    *,
    minimum: int = MINIMUM,
    ties: Encoding = "drop",
    level: float = 0.95,
    alpha: float = 0.05,
    power: float = 0.9,
    cluster: Cluster | None = None,
) -> Margins:
    """How far the models of each pair are apart, and how many votes a test of that needs.

    Parameters
    ----------
    votes : Votes
        Votes. Where systems of several languages or tasks share names, tell them apart first: `Votes.within`.
    minimum : int
        Decisive votes that a pair must have.
    ties : {"drop", "half", "pessimistic"}
        How ties count; left out, they give the best case for telling two models apart.
    level : float
        Coverage of intervals.
    alpha, power : float
        Level of the two-sided test, and the chance of detection wanted.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, as for `quorate.compare`: by default those of each pair that repeat.
        ``()`` takes votes as independent.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes, or all are of one level of a facet that is named.

    References
    ----------
    Lee (2026), How many human judgments are enough?, sections 4 and 5.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> frame = polars.DataFrame({"model_a": ["x"], "model_b": ["y"], "for_x": [220], "for_y": [280]})
    >>> apart = margins(read_votes(frame, wins=["for_x", "for_y"], announce=False))
    >>> apart.margin.round(3).tolist(), apart.implied.tolist()
    ([0.06], [730.0])
    """
    _share("level", level)
    _share("alpha", alpha)
    if not alpha < power < 1:
        raise InvalidInput(f"power: a number above alpha ({alpha:g}) and below 1, got {power}")
    sampled = well_sampled(votes, minimum=minimum, ties=ties)
    return of_shares(sampled, pair_shares(votes, sampled, cluster), minimum, ties, level, alpha, power)


def of_shares(
    sampled: Sampled, shares: PairShares, minimum: int, ties: Encoding, level: float, alpha: float, power: float
) -> Margins:
    """Margins of votes that were chosen already; arguments as for `margins`."""
    margin = (2 * sampled.wins - sampled.n) / (2 * sampled.n)  # the same for either order of a pair
    low, high = shares.intervals(level)
    return Margins(
        pairs=sampled.labels,
        n=sampled.n,
        wins=sampled.wins,
        margin=margin,
        low=low,
        high=high,
        effect=shares.effect,
        implied=normal_size(margin, alpha, power, shares.effect),
        tie_share=sampled.tie_share,
        left_out=sampled.left_out,
        minimum=minimum,
        ties=ties,
        level=level,
        alpha=alpha,
        power=power,
        cluster=shares.facets,
        caveats=shares.caveats,
    )


def _ends(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def _source(rng: Random, purpose: str) -> np.random.Generator:
    return np.random.default_rng(stream(0, f"margins/{purpose}") if rng is None else rng)


def _share(name: str, value: float) -> float:
    rules.number(name, value, above=0, below=1)
    return float(value)
