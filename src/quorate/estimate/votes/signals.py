"""Signal: what votes say without their noise, of a pair of systems, of all margins, and of win rates of prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import ArrayLike

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.votes.clustered import clusters_of, median
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, Sampled, labelled, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.inference import student_limits
from quorate.numerics.votes import clusters as of_clusters
from quorate.numerics.votes.clusters import Jackknifed, gather
from quorate.streams import stream
from quorate.table.results import Ends, Interval, Result, Row, rows_of
from quorate.table.votes import Votes

EDGES = np.linspace(0.0, 0.5, 101)
"""Ends of the steps in which a law of margins has its chances."""

LEAST_VOTES = 50
"""Votes that every pair must have for the law to be known: with fewer it depends on where EM stops."""

GRID = (EDGES[1:] + EDGES[:-1]) / 2
"""Middles of the steps."""


@dataclass(frozen=True, eq=False)
class MarginLaw(Result):
    """Chances of the margins behind those that were estimated, in steps of 0.005, smoothed.

    Parameters
    ----------
    margin, chance : array, shape (margins,)
        Middles of the steps from 0 to 1/2, and the chance of each; nan where a pair has fewer than 50 votes.
    mean_square : float
        Mean squared margin over pairs without the noise, by moments; below 0 where noise is all there is to see, nan
        where votes of a pair are worth one.
    mean_square_raw : float
        Mean squared margin as estimated.
    """

    margin: Floats
    chance: Floats
    mean_square: float
    mean_square_raw: float

    @property
    def known(self) -> bool:
        """Whether every pair has votes enough."""
        return bool(np.isfinite(self.chance).all())

    def share_below(self, tau: float) -> float:
        """Chance of a margin of at most ``tau``; nan where the law is not known."""
        return float(share_below(self.chance, tau))

    def quantile(self, probability: float) -> float:
        """The margin that is not exceeded with this chance; nan where the law is not known."""
        if not self.known:
            return float("nan")
        return float(np.interp(probability, np.append(0.0, np.cumsum(self.chance)), EDGES))

    def rows(self) -> list[Row]:
        """One row a step: its middle and its chance."""
        return rows_of({"margin": self.margin, "chance": self.chance})


def margin_law(wins: ArrayLike, n: ArrayLike) -> MarginLaw:
    """The law of margins behind the votes of pairs.

    Parameters
    ----------
    wins, n : array, shape (pairs,)
        Wins and votes, taken as independent. With fewer than 50 votes on a pair chances are nan.
    """
    k, votes = np.asarray(wins, dtype=float), np.asarray(n, dtype=float)
    known = votes.min() >= LEAST_VOTES
    law = of_clusters.margin_law(of_clusters.margin_likelihood(k, votes, GRID)) if known else np.full(len(GRID), np.nan)
    raw = float(np.mean((k / votes - 0.5) ** 2))
    squared = of_clusters.mean_square(k, votes) if votes.min() > 1 else float("nan")
    return MarginLaw(GRID, law, squared, raw)


def share_below(chance: Floats, tau: float) -> Floats:
    """Chance of a margin of at most tau; within a step, in proportion.

    Parameters
    ----------
    chance : array, shape (..., margins)
        Chances of the steps of `EDGES`.
    tau : float
        Margin.
    """
    covered = np.clip((tau - EDGES[:-1]) / np.diff(EDGES), 0.0, 1.0)
    return np.asarray(chance @ covered)


BLOCKS = 200
"""Most blocks of prompts that are left out in turn."""
FEWEST = 5


@dataclass(frozen=True)
class Moment(Interval):
    """A number with its standard error.

    Parameters
    ----------
    value, se : float
        As estimated; nan where the votes do not tell.
    df : float
        Degrees of freedom of the standard error.
    left : array, shape (blocks,), or None
        The number without each block, where it is of one table.
    level : float
        Coverage of the interval.
    """

    value: float
    se: float
    df: float
    left: Floats | None = field(default=None, repr=False, compare=False)
    level: float = 0.95

    @property
    def n(self) -> int:
        """Not known: votes weigh unequally."""
        return 0

    def _limits(self) -> Ends:
        """Student's t."""
        return student_limits(self.value, self.se, self.df, self.level)

    def minus(self, other: Moment, *, paired: bool = False) -> Moment:
        """Difference to one of other votes: independent ones, by Welch and Satterthwaite, or of the same blocks."""
        if paired and self.left is not None and other.left is not None:
            return Moment(self.value - other.value, of_clusters.spread(self.left - other.left), len(self.left) - 1.0)
        variances = np.array([self.se**2, other.se**2])
        parts = float(np.sum(variances**2 / np.array([self.df, other.df])))
        df = float(variances.sum() ** 2 / parts) if parts else min(self.df, other.df)
        return Moment(self.value - other.value, float(np.sqrt(variances.sum())), df)


UNKNOWN = Moment(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True, eq=False)
class Signals(Result):
    """What a vote says of pairs, by one way of collecting votes.

    Parameters
    ----------
    by : str
        What votes of one level of may be alike, such as ``prompt``; empty where votes are taken as independent.
    levels : int
        Levels of it; votes where it is empty.
    square : Moment
        Mean squared margin of the pairs (the mu_2 of Lee's proposition 3.4), without the noise of the votes.
    signal : Moment
        Mean of four times the squared margin over the votes that are worth one independent vote: what a vote adds to
        the square of a test's z.
    between : Moment
        Mean variance of the win rate between levels, without the noise of the votes; nan where none has two votes.
    squares, effects, betweens : array, shape (pairs,)
        The same of each pair, with its votes that are worth one.
    """

    by: str
    levels: int
    square: Moment
    signal: Moment
    between: Moment
    squares: Floats
    effects: Floats
    betweens: Floats

    def ordered(self, order: Ints) -> Signals:
        """The same with pairs in another order."""
        own = {name: getattr(self, name)[order] for name in ("squares", "effects", "betweens")}
        return replace(self, **own)


def signals(sampled: Sampled, votes: Votes, by: str, blocks: Sequence[str] | None = None) -> Signals:
    """What a vote says of the pairs that are well sampled.

    Parameters
    ----------
    sampled : Sampled
        Votes of the pairs.
    votes : Votes
        The table that they are of.
    by : str
        Facet whose levels are drawn with all of their votes; empty for votes that are drawn one by one.
    blocks : sequence of str, optional
        Levels that are left out in turn, where another table has the same: those that either has.

    Raises
    ------
    NotEstimable
        If a row stands for several votes whose facet is not known, or there are fewer than 5 levels, or a pair has all
        of its votes in one of the blocks that are left out in turn.
    """
    if by:
        code = labelled(sampled, votes, by)
    elif (sampled.weight > 1).any():
        raise NotEstimable(
            "votes: rows count several votes, and nothing says which are of one prompt; name its column with "
            + argument("by", ...)
            + ", or give a row for every vote"
        )
    else:
        code = np.arange(len(sampled.unit))
    used, code = np.unique(code, return_inverse=True)
    levels = len(used)
    if levels < FEWEST:
        raise NotEstimable(f"{by or 'votes'}: {levels} levels; how far they differ takes at least {FEWEST}")
    clusters = gather(sampled.unit, code, sampled.won, sampled.weight, len(sampled))
    level = np.unique(sampled.unit.astype(np.int64) * levels + code) % levels
    place = _blocks(levels)
    if blocks is not None:
        at = dict(zip(blocks, _blocks(len(blocks)).tolist(), strict=True))
        place = np.array([at[votes.facet(by).levels[one]] for one in used.tolist()])
    sums = of_clusters.block_sums(clusters, place[level], min(levels if blocks is None else len(blocks), BLOCKS))
    whole = sums.sum(axis=0)
    alone = ((sums[..., 1] > 0).sum(axis=0) < 2).nonzero()[0]
    if len(alone):
        raise NotEstimable(f'{by or "votes"}: all votes on "{sampled.labels[alone[0]]}" are of one level')
    betweens = of_clusters.between(whole)
    told = np.isfinite(of_clusters.between(whole - sums)).all(axis=0)
    return Signals(
        by=by,
        levels=levels,
        square=_moment(of_clusters.jackknife(sums, lambda left: of_clusters.square(left).mean(axis=-1))),
        signal=_moment(of_clusters.jackknife(sums, per_vote)),
        between=_moment(of_clusters.jackknife(sums[:, told], lambda left: of_clusters.between(left).mean(axis=-1)))
        if told.any()
        else UNKNOWN,
        squares=of_clusters.square(whole),
        effects=of_clusters.effect(whole),
        betweens=np.where(told, betweens, np.nan),
    )


def per_vote(sums: Floats) -> Floats:
    """What a vote adds to the square of z, on average over pairs."""
    return np.asarray((4 * of_clusters.square(sums) / of_clusters.effect(sums)).mean(axis=-1))


def _moment(found: Jackknifed) -> Moment:
    return Moment(*found)


def _blocks(levels: int) -> Ints:
    """Block of each level: one of its own, or of many levels one at random."""
    if levels <= BLOCKS:
        return np.arange(levels, dtype=np.int64)
    return np.asarray(stream(0, "blocks of prompts").permutation(levels) % BLOCKS, dtype=np.int64)


# Prompts of a pair: what is left of a margin with one vote each, and how win rates differ between them.


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
    noisy, within = of_clusters.plain_variances(sums), of_clusters.mean_squares(sums.sums)[1]
    return RateVariance(by, sampled.labels, *noisy, of_clusters.between(sums.sums), within)
