"""Replay of verdicts: how often they are wrong in smaller studies, against the answer of all votes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.decide.outcome import Outcome
from quorate.decide.votes import outcome_of
from quorate.errors import NotEstimable
from quorate.estimate.votes.margin import VoteMargin, margin_of_counts, margin_of_share
from quorate.frozen import dataclass
from quorate.numerics.roots import root
from quorate.numerics.votes import clustered
from quorate.planning.power.sample_size import check_count
from quorate.streams import stream
from quorate.table.votes import Votes, checked_votes
from quorate.waiting import each
from quorate.wording import counted, plural

INDEPENDENT = "independent"
_RATES = ("different", "equivalent", "undecided", "wrong_direction", "wrong_equivalence")


@dataclass(frozen=True)
class VerdictRates:
    """Verdicts of redrawn studies of one size, over all pairs of systems; shares of studies.

    Parameters
    ----------
    n : int
        Votes of each study, at least; the last cluster is drawn whole.
    method : str
        ``independent``, or the facet that clusters.
    pairs, studies : int
        Pairs of systems, and studies in all.
    different : float
        Better or worse.
    equivalent : float
        Equivalent within the margin.
    undecided : float
        Neither.
    wrong_direction : float
        Better where all votes say worse, or the reverse.
    wrong_equivalence : float
        Equivalent where all votes say that the margin is as large or larger.
    false_alarm : float
        Better or worse in studies that draw clusters with unequal chances, as near to equal as gives a share of
        one half: the size that the test really has with votes that resemble each other as these do. Nan if no pair
        allows it.
    tilted : int
        Pairs that ``false_alarm`` is over: those in which some clusters favour either system.
    """

    n: int
    method: str
    pairs: int
    studies: int
    different: float
    equivalent: float
    undecided: float
    wrong_direction: float
    wrong_equivalence: float
    false_alarm: float
    tilted: int

    @property
    def wrong(self) -> float:
        """Share of studies with a wrong verdict."""
        return self.wrong_direction + self.wrong_equivalence


def replay_verdicts(
    votes: Votes,
    sizes: Sequence[int] = (50, 200, 500),
    *,
    cluster: str | None = "prompt",
    margin: float = 0.05,
    level: float = 0.95,
    draws: int = 20,
    least: int = 200,
    seed: int = 1,
) -> tuple[VerdictRates, ...]:
    """How often each verdict is wrong in studies of some sizes, with clusters and without.

    For every pair of systems, all its votes are the truth. Studies draw whole clusters from them with replacement,
    until they have their votes.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    sizes : sequence of int
        Decisive votes of a study.
    cluster : str or None
        Facet whose votes may resemble each other, and are drawn together; None to draw single votes.
    margin : float
        Margin of equivalence.
    level : float
        As for `quorate.decide.votes.verdict_of_votes`.
    draws : int
        Studies per pair and size.
    least : int
        Decisive votes that a pair must have.
    seed : int
        Root of the random numbers.

    Returns
    -------
    tuple of VerdictRates
        For every size, taken as independent and, with ``cluster``, clustered.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no pair has enough votes in at least two clusters.
    UnknownTerm
        If there is no such facet.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> rows = [(i, "x", "y", "xy"[int(rng.random() > 0.6)]) for i in range(400)]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    >>> alone, clustered = replay_verdicts(q.read_votes(frame, announce=False), [50])
    >>> alone.method, alone.studies, alone.undecided
    ('independent', 20, 0.75)
    """
    check_count("draws", draws)
    rules.number("level", level, above=0.5, below=1)
    rules.number("margin", margin, above=0, below=0.5)
    pools = [pool for pool in _pools(checked_votes(votes), cluster) if pool.n >= least]
    if not pools:
        where = "" if cluster is None else f" in 2 or more {plural(cluster)}"
        raise NotEstimable(f"votes: no pair of systems has {counted(least, 'decisive vote')}{where}")
    tilted = [pool for pool in pools if pool.balance is not None]
    measured = []
    for n in each("simulated sizes", sizes):
        check_count("sizes", n)
        rng = stream(seed, f"verdicts/{n}")
        studies = [
            pool.verdict(leads, margin, 1 - level)
            for pool in pools
            for leads in pool.margins(n, cluster, pool.chances, draws, rng)
        ]
        alarms = [  # studies without a difference that find one, by both methods
            [outcome_of(lead, None, 1 - level) is not Outcome.UNDECIDED for lead in leads]
            for pool in tilted
            for leads in pool.margins(n, cluster, pool.balance, draws, rng)
        ]
        rates = np.mean(studies, axis=0)
        alarm = np.mean(alarms, axis=0).tolist() if alarms else [math.nan, math.nan]
        for i, method in enumerate((INDEPENDENT, cluster) if cluster else (INDEPENDENT,)):
            shares = dict(zip(_RATES, rates[i].tolist(), strict=True))
            measured.append(
                VerdictRates(n, method, len(pools), len(studies), **shares, false_alarm=alarm[i], tilted=len(tilted))
            )
    return tuple(measured)


class _Pool(NamedTuple):
    """What studies of a pair are drawn from.

    Wins and votes of every cluster; all votes, and their margin; chances to draw each with which the share is one half;
    chances to draw each, None where they are equal.
    """

    wins: Floats
    sizes: Floats
    n: float
    truth: float
    balance: Floats | None
    chances: Floats | None = None

    def verdict(self, leads: tuple[VoteMargin, VoteMargin], margin: float, alpha: float) -> list[list[float]]:
        """What one study says, as 0 or 1, by both methods."""
        truth, rates = self.truth, []
        for lead in leads:
            outcome = outcome_of(lead, margin, alpha)
            different = outcome in (Outcome.BETTER, Outcome.WORSE)
            equal = outcome is Outcome.EQUIVALENT
            reverse = different and (truth <= 0 if outcome is Outcome.BETTER else truth >= 0)
            verdict = (different, equal, outcome is Outcome.UNDECIDED, reverse, equal and abs(truth) >= margin)
            rates.append([float(share) for share in verdict])
        return rates

    def margins(
        self, n: int, cluster: str | None, chances: Floats | None, draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[VoteMargin, VoteMargin]]:
        """Of so many studies: as single votes, and as clusters.

        Clusters are drawn with replacement until there are n votes, and at least 2.
        """
        drawn = []
        for _ in range(draws):
            at = rng.choice(len(self.sizes), size=n, p=chances)
            enough = int(np.searchsorted(np.cumsum(self.sizes[at]), n)) + 1
            drawn.append(at[: max(enough, 2)])
        every, study = np.concatenate(drawn), np.repeat(np.arange(draws), [len(at) for at in drawn])
        shares = clustered.shares(self.wins[every], self.sizes[every], study=study)
        for place, at in enumerate(drawn):
            single = margin_of_counts(float(self.wins[at].sum()), float(self.sizes[at].sum()), "a", "b")
            yield single, margin_of_share(shares.one(place), "a", "b", cluster=cluster)


def _pools(votes: Votes, cluster: str | None) -> Iterator[_Pool]:
    """The pairs of systems, each with two clusters or more; a vote without a label is left out."""
    if cluster is None:  # every decisive vote by itself
        pairs, vote = votes.pairs(), np.array([1.0, 0.0])
        for won, n in zip(pairs.a_wins.tolist(), pairs.decisive.tolist(), strict=True):
            if n > 1:
                balance = np.array([0.5, 0.5]) if 0 < won < n else None
                yield _Pool(vote, np.ones(2), n, won / n - 0.5, balance, np.array([won, n - won]) / n)
        return
    code = votes.column(cluster).astype(np.int64)
    outcome = 1 - votes.encoded("drop")
    counts = np.isfinite(outcome) & (code >= 0)
    pair, code, outcome = votes.pairs().code[counts], code[counts], outcome[counts]
    weight = votes.weights[counts].astype(float)
    levels = int(code.max(initial=0)) + 1
    key, place = np.unique(pair * np.int64(levels) + code, return_inverse=True)
    wins, sizes = (np.bincount(place, x).astype(float) for x in (weight * outcome, weight))
    cuts = np.flatnonzero(np.diff(key // levels)) + 1
    for k, n in zip(np.split(wins, cuts), np.split(sizes, cuts), strict=True):
        if len(n) > 1:
            total = float(n.sum())
            yield _Pool(k, n, total, float(k.sum()) / total - 0.5, _balance(k - n / 2))


def _balance(lead: Floats) -> Floats | None:
    """Chances ``exp(x lead)`` with which leads are 0 on average; None where all leads have one sign."""
    from scipy.special import softmax

    if not lead.min() < 0 < lead.max():
        return None
    most = 700 / float(np.abs(lead).max())
    x = root(lambda x: float(softmax(x * lead) @ lead), -most, most)
    return np.asarray(softmax(x * lead))
