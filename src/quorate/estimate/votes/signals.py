"""Signal: what a vote on a pair of systems says, without noise, and how far win rates of prompts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.votes.well_sampled_pairs import Sampled, labelled
from quorate.numerics.distributions import t_quantile
from quorate.numerics.votes import signal
from quorate.numerics.votes.clusters import gather
from quorate.numerics.votes.signal import Jackknifed
from quorate.streams import stream
from quorate.table.results import Result
from quorate.table.votes import Votes

BLOCKS = 200
"""Most blocks of prompts that are left out in turn."""
FEWEST = 5


@dataclass(frozen=True)
class Measured(Result):
    """A number with its standard error.

    Parameters
    ----------
    value, se : float
        As estimated; nan where the votes do not tell.
    df : float
        Degrees of freedom of the standard error.
    left : array, shape (blocks,), or None
        The number without each block, where it is of one table.
    """

    value: float
    se: float
    df: float
    left: Floats | None = field(default=None, repr=False, compare=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval by Student's t."""
        half = t_quantile(self.df, (1 + level) / 2) * self.se
        return self.value - half, self.value + half

    def minus(self, other: Measured, *, paired: bool = False) -> Measured:
        """Difference to one of other votes: independent ones, by Welch and Satterthwaite, or of the same blocks."""
        if paired and self.left is not None and other.left is not None:
            return Measured(self.value - other.value, signal.spread(self.left - other.left), len(self.left) - 1.0)
        variances = np.array([self.se**2, other.se**2])
        parts = float(np.sum(variances**2 / np.array([self.df, other.df])))
        df = float(variances.sum() ** 2 / parts) if parts else min(self.df, other.df)
        return Measured(self.value - other.value, float(np.sqrt(variances.sum())), df)


UNKNOWN = Measured(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True, eq=False)
class Signals(Result):
    """What a vote says of pairs, by one way of collecting votes.

    Parameters
    ----------
    by : str
        What votes of one level of may be alike, such as ``prompt``; empty where votes are taken as independent.
    levels : int
        Levels of it; votes where it is empty.
    square : Measured
        Mean squared margin of the pairs (the mu_2 of Lee's proposition 3.4), without the noise of the votes.
    signal : Measured
        Mean of four times the squared margin over the votes that are worth one independent vote: what a vote adds to
        the square of a test's z.
    between : Measured
        Mean variance of the win rate between levels, without the noise of the votes; nan where none has two votes.
    squares, effects, betweens : array, shape (pairs,)
        The same of each pair, with its votes that are worth one.
    """

    by: str
    levels: int
    square: Measured
    signal: Measured
    between: Measured
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
    sums = signal.block_sums(clusters, place[level], min(levels if blocks is None else len(blocks), BLOCKS))
    whole = sums.sum(axis=0)
    alone = ((sums[..., 1] > 0).sum(axis=0) < 2).nonzero()[0]
    if len(alone):
        raise NotEstimable(f'{by or "votes"}: all votes on "{sampled.labels[alone[0]]}" are of one level')
    betweens = signal.between(whole)
    told = np.isfinite(signal.between(whole - sums)).all(axis=0)
    return Signals(
        by=by,
        levels=levels,
        square=_measured(signal.jackknife(sums, lambda left: signal.square(left).mean(axis=-1))),
        signal=_measured(signal.jackknife(sums, per_vote)),
        between=_measured(signal.jackknife(sums[:, told], lambda left: signal.between(left).mean(axis=-1)))
        if told.any()
        else UNKNOWN,
        squares=signal.square(whole),
        effects=signal.effect(whole),
        betweens=np.where(told, betweens, np.nan),
    )


def per_vote(sums: Floats) -> Floats:
    """What a vote adds to the square of z, on average over pairs."""
    return np.asarray((4 * signal.square(sums) / signal.effect(sums)).mean(axis=-1))


def _measured(found: Jackknifed) -> Measured:
    return Measured(*found)


def _blocks(levels: int) -> Ints:
    """Block of each level: one of its own, or of many levels one at random."""
    if levels <= BLOCKS:
        return np.arange(levels, dtype=np.int64)
    return np.asarray(stream(0, "blocks of prompts").permutation(levels) % BLOCKS, dtype=np.int64)
