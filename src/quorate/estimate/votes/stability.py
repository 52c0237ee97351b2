"""Stability of margins: under three ways to count ties, and while votes come in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints, dense, one_of_each
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by
from quorate.estimate.votes.margins import Margins, NearTies, Quantiles, margins
from quorate.estimate.votes.well_sampled_pairs import MINIMUM, Random, Sampled, well_sampled
from quorate.frozen import dataclass
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.votes.clustered import by_all
from quorate.streams import stream
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Votes
from quorate.wording import listed

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

    entries = "tie_share tie_share_high near_share correlation quantiles near_ties sentence"

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        lowest = ", ".join(f"{q.margin[0]:.3f} ({WAYS[name]})" for name, q in self.quantiles.items())
        gathered = "" if math.isnan(self.correlation) else f" and correlate {self.correlation:.2f} with the margin"
        return (
            f"Ties are {self.tie_share:.1%} of votes at the median pair{gathered}; the "
            f"{self.quantiles['drop'].probability[0]:.0%} quantile of margins is {lowest}."
        )


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


_SIGNIFICANT = 0.05


_COLUMNS = ("early", "rest", "late", "final", "early_n", "rest_n", "drift_p")


@dataclass(frozen=True, eq=False)
class Stability(Result):
    """Margins of the first votes of every pair against those of its other votes.

    Parameters
    ----------
    pairs : tuple of str
        ``"x vs y"``.
    first : int
        Votes of every pair that count as early: the same number, whatever a pair has later (equal exposure).
    ordered_by : {"time", "row"}
        What said which votes came first.
    early, rest, late, final : array, shape (pairs,)
        ``p - 1/2`` of the first votes, of all others, of the last ``first`` votes, and of all.
    early_n, rest_n : array, shape (pairs,)
        Votes behind the first two.
    drift_p : array, shape (pairs,)
        p-value of the test that early votes and the others have one win rate: by Student's t, cluster-robust, where
        votes share what may make them alike.
    spearman : float
        Rank correlation of ``|early|`` and ``|rest|``, which have no vote in common; nan with one pair.
    spearman_final : float
        The same with ``|final|``, as the paper has it: higher, since the final votes hold the early ones.
    expected : float
        What ``spearman`` would be on average if nothing drifted and only the noise of the votes made them differ.
    cluster : tuple of str
        Facets whose votes may resemble each other, in ``drift_p``; none where votes are taken as independent.
    """

    pairs: tuple[str, ...]
    first: int
    ordered_by: str
    early: Floats
    rest: Floats
    late: Floats
    final: Floats
    early_n: Floats
    rest_n: Floats
    drift_p: Floats
    spearman: float
    spearman_final: float
    expected: float
    cluster: tuple[str, ...] = ()

    entries = f"pairs {' '.join(_COLUMNS)} spearman spearman_final expected first ordered_by drifting sentence"

    @property
    def taken(self) -> str:
        """How votes are taken, in words."""
        return f"clustered by {listed(self.cluster)}" if self.cluster else "taken as independent"

    @property
    def drifting(self) -> float:
        """Share of pairs whose early and other votes differ at level 0.05; about that much by chance alone."""
        return float((self.drift_p <= _SIGNIFICANT).mean())

    def persistent(self, tau: float = 0.1) -> tuple[int, int]:
        """Pairs that are near ties in all votes, of those that were in the early ones (Lee 2026, D.3)."""
        near = np.abs(self.early) <= tau
        return int((near & (np.abs(self.final) <= tau)).sum()), int(near.sum())

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return (
            f"Margins of the first {self.first:,} votes (by {self.ordered_by}) and of the others have a rank "
            f"correlation of {self.spearman:.2f}, where noise alone would leave {self.expected:.2f}; "
            f"{self.drifting:.1%} of {len(self.pairs):,} pairs drift at level {_SIGNIFICANT:g}."
        )

    def rows(self) -> list[Row]:
        """One row for every pair."""
        return rows_of({"pair": self.pairs, **{name: getattr(self, name) for name in _COLUMNS}})


def stability(
    votes: Votes,
    *,
    first: int = 50,
    minimum: int = MINIMUM,
    resamples: int = 200,
    rng: Random = None,
    cluster: Cluster | None = None,
) -> Stability:
    """Whether the margins of early votes are those of later ones (Lee 2026, D.3).

    Parameters
    ----------
    votes : Votes
        Votes, in order of their time if every vote has one, otherwise of their rows. Each row must be one vote.
    first : int
        Decisive votes of a pair that count as early; below ``minimum``.
    minimum : int
        Decisive votes that a pair must have.
    resamples : int
        Draws behind the correlation that is expected.
    rng : numpy.random.Generator or int, optional
        Source of the draws.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other; by default prompt, judge and cluster, as far as they are there and
        repeat. ``()`` takes votes as independent.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no pair has enough votes, or rows stand for several.
    """
    if not 2 <= first < minimum - 1:
        raise InvalidInput(f"first: a number of votes from 2 to minimum - 2 ({minimum - 2}), got {first}")
    sampled = well_sampled(votes, minimum=minimum)
    if (sampled.weight != 1).any():
        raise NotEstimable("count: rows that stand for several votes have no order; read one row per vote")
    rank, timed = _ranks(sampled, votes)
    parts = (rank < first, rank >= first, rank >= sampled.n[sampled.unit] - first)
    won, weight = (
        [np.bincount(sampled.unit[part], each[part], len(sampled)).astype(np.float64, copy=False) for part in parts]
        for each in (sampled.won, sampled.weight)
    )
    (early_k, rest_k, late_k), (early_n, rest_n, late_n) = won, weight
    early, rest = early_k / early_n - 0.5, rest_k / rest_n - 0.5
    final = sampled.wins / sampled.n - 0.5
    used = np.zeros(votes.rows, dtype=np.bool_)
    used[sampled.row] = True
    by = clustered_by(votes, cluster, used)
    codes = [cells(votes, name)[sampled.row] for name in by]
    drift_p = _clustered_drift(sampled, rank < first, codes) if codes else _drift(early, rest, final, early_n, rest_n)
    source = np.random.default_rng(stream(0, "stability") if rng is None else rng)
    return Stability(
        pairs=sampled.labels,
        first=first,
        ordered_by="time" if timed else "row",
        early=early,
        rest=rest,
        late=late_k / late_n - 0.5,
        final=final,
        early_n=early_n,
        rest_n=rest_n,
        drift_p=drift_p,
        spearman=of_pair(spearman, np.abs(early), np.abs(rest)),
        spearman_final=of_pair(spearman, np.abs(early), np.abs(final)),
        expected=_expected(sampled, first, resamples, source),
        cluster=by,
    )


def _ranks(sampled: Sampled, votes: Votes) -> tuple[NDArray[np.int64], bool]:
    """Place of every vote among those of its pair, from 0, and whether times said so."""
    time = None if votes.time is None else votes.time[sampled.row]
    timed = time is not None and bool(np.isfinite(time).all())
    key = time if time is not None and timed else sampled.row
    order = np.lexsort((sampled.row, key, sampled.unit))
    starts = np.cumsum(np.bincount(sampled.unit)) - np.bincount(sampled.unit)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - starts[sampled.unit[order]]
    return rank, timed


def _drift(early: Floats, rest: Floats, final: Floats, early_n: Floats, rest_n: Floats) -> Floats:
    from scipy.special import erfc

    with np.errstate(divide="ignore", invalid="ignore"):
        z = (early - rest) / np.sqrt((0.25 - final**2) * (1 / early_n + 1 / rest_n))
    return np.asarray(erfc(np.abs(np.nan_to_num(z)) / np.sqrt(2)))  # unanimous votes do not drift


def _clustered_drift(sampled: Sampled, early: Bools, codes: Sequence[Ints]) -> Floats:
    """P-values of no change, by the sums over clusters of what each vote adds to the difference of the two shares."""
    from scipy.special import stdtr

    pairs, part = len(sampled), 2 * sampled.unit + early
    n = np.bincount(part, minlength=2 * pairs)
    share = np.bincount(part, sampled.won, 2 * pairs) / n
    adds = (sampled.won - share[part]) / n[part] * np.where(early, 1, -1)

    def by(code: Ints) -> tuple[Floats, Floats]:
        place = dense(sampled.unit * (code.max() + 1) + code)
        unit = one_of_each(place, sampled.unit)
        groups = np.bincount(unit, minlength=pairs)
        spread = np.bincount(unit, np.bincount(place, adds) ** 2, pairs) * groups / np.maximum(groups - 1, 1)
        return spread, np.maximum(groups - 1.0, 1.0)

    variance, freedom = by_all(codes, by)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (share[1::2] - share[::2]) / np.sqrt(variance)
    return np.asarray(2 * stdtr(freedom, -np.abs(np.nan_to_num(t, posinf=0.0, neginf=0.0))))


def _expected(sampled: Sampled, first: int, resamples: int, rng: np.random.Generator) -> float:
    """Mean rank correlation over random orders of each pair's votes."""
    n, wins = sampled.n.astype(np.int64), sampled.wins.astype(np.int64)
    early = rng.hypergeometric(wins, n - wins, first, (resamples, len(n)))
    before, after = np.abs(early / first - 0.5), np.abs((wins - early) / (n - first) - 0.5)
    return float(np.clip(spearman(before, after), -1.0, 1.0).mean())
