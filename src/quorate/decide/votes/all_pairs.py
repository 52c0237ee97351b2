"""Verdicts on many pairs of systems at once, with one error rate for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.decide.votes.margin import VoteMargin, margin_of_votes
from quorate.decide.votes.verdict import Outcome, Verdict, check_question, verdict_of_margin
from quorate.errors import NotEstimable
from quorate.numerics.votes import binomial
from quorate.plan.power.sample_size import check_count
from quorate.table.votes import Encoding, Votes, checked_votes


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on several pairs that hold together.

    Parameters
    ----------
    verdicts : tuple of Verdict
        One per pair, in the order of the pairs of the votes; all at the level that Holm's procedure arrives at.
    level : float
        Chance that none of them is false, at least.
    skipped : int
        Pairs left out, for they have too few votes or one cluster.
    """

    verdicts: tuple[Verdict, ...]
    level: float
    skipped: int

    @property
    def counts(self) -> dict[str, int]:
        """Pairs per outcome."""
        said = Counter(one.outcome.value for one in self.verdicts)
        return {outcome.value: said[outcome.value] for outcome in Outcome}

    @property
    def sentence(self) -> str:
        """How many pairs are decided."""
        count = self.counts
        different = count["better"] + count["worse"]
        return (
            f"Of {len(self.verdicts):,} pairs, {different:,} differ, {count['equivalent']:,} are equivalent and "
            f"{count['undecided']:,} are undecided; all of that is true with {100 * self.level:.4g}% confidence."
        )

    def __str__(self) -> str:
        return self.sentence

    def to_frame(self) -> Any:
        """One row per pair: a, b, outcome, margin, low, high, level, n, p_difference, p_equivalence."""
        from quorate.table.frames import frame

        ends = [one.difference.interval(one.level) for one in self.verdicts]
        of = self.verdicts
        return frame(
            {
                "a": [one.a for one in of],
                "b": [one.b for one in of],
                "outcome": [one.outcome.value for one in of],
                "margin": [one.difference.value for one in of],
                "low": [low for low, _ in ends],
                "high": [high for _, high in ends],
                "level": [one.level for one in of],
                "n": [one.difference.n for one in of],
                "p_difference": [one.p_difference for one in of],
                "p_equivalence": [one.p_equivalence for one in of],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "level": self.level,
            "skipped": self.skipped,
            "counts": self.counts,
            "sentence": self.sentence,
            "verdicts": [one.to_dict() for one in self.verdicts],
        }


def compare_all(
    votes: Votes,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: str | None = None,
    power: float = 0.9,
    minimum: int = 1,
) -> Verdicts:
    """Verdicts on all pairs of systems, corrected for looking at that many.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    margin : float, optional
        Margin of equivalence, as for `quorate.compare`.
    level : float
        Chance that no verdict is false, at least.
    ties : {"drop", "half", "pessimistic"}
        How ties count.
    cluster : str, optional
        Facet whose votes may resemble each other.
    power : float
        Chance of detection that next steps are for.
    minimum : int
        Votes that must count for a pair to be judged; set before looking.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no pair has enough votes.
    UnknownTerm
        If there is no such facet.

    Notes
    -----
    Holm's procedure: all m pairs are judged at ``(1 - level) / m``. If k of them are then settled, so that nothing is
    left to claim about them, all are judged at ``(1 - level) / (m - k)``, and so on until nothing changes. Intervals
    and next steps are at the level arrived at. ``docs/methods/verdicts.md`` says what it promises.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70. Shaffer (1986), Journal of the American Statistical
    Association 81, 826-831.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read_votes import read_votes
    >>> pairs = [("x", "y", 70), ("x", "z", 61), ("y", "z", 50)]
    >>> rows = [(a, b, "model_a" if i < wins else "model_b") for a, b, wins in pairs for i in range(100)]
    >>> frame = polars.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    >>> found = compare_all(read_votes(frame, announce=False))
    >>> [one.outcome.value for one in found.verdicts]
    ['better', 'undecided', 'undecided']
    """
    checked_votes(votes)
    check_question(margin, level, None, power, None, None)
    check_count("minimum", minimum)
    names = votes.pairs().names
    judged = [one for a, b in names if (one := _margin(votes, a, b, ties, cluster, minimum)) is not None]
    if not judged:
        rule = f"votes: no pair has {minimum:,} votes that count; collect more, or lower "
        raise NotEstimable(rule + argument("minimum"))
    alpha = holm(*_p_values([found for found, _ in judged], margin), 1 - level)
    verdicts = tuple(
        verdict_of_margin(found, counting=counting, margin=margin, level=1 - alpha, power=power)
        for found, counting in judged
    )
    return Verdicts(verdicts, level, len(names) - len(judged))


def holm(p_difference: Floats, p_equivalence: Floats, alpha: float) -> float:
    """Level at which all hypotheses are tested so that no true one is rejected, but for a chance of ``alpha``.

    Of each pair at most one of two hypotheses is true, that there is no difference and that it is the margin or more;
    so a pair counts until both are rejected.

    Parameters
    ----------
    p_difference, p_equivalence : array, shape (pairs,)
        P-values of the two; the second 0 where equivalence is not asked for.
    alpha : float
        Chance of a false rejection among all of them.

    Examples
    --------
    >>> import numpy as np
    >>> round(holm(np.array([0.04, 0.001, 0.03]), np.zeros(3), 0.05), 4)
    0.025
    """
    settled_at = np.maximum(p_difference, p_equivalence)
    left = len(settled_at)
    while 0 < (now := int(np.sum(settled_at > alpha / left * binomial.SLACK))) < left:
        left = now
    return alpha / left


def _margin(
    votes: Votes, a: str, b: str, ties: Encoding, cluster: str | None, minimum: int
) -> tuple[VoteMargin, float] | None:
    """The margin of a pair with the share of its votes that count; None where there are too few."""
    pair = votes.pair(a, b)
    try:
        found = margin_of_votes(pair, a, b, ties=ties, cluster=cluster)
    except NotEstimable:
        return None
    return (found, found.n / pair.n) if found.n >= minimum else None


def _p_values(found: Sequence[VoteMargin], margin: float | None) -> tuple[Floats, Floats]:
    """Of no difference, and of a margin that is not within the one stated; 0 where that is not asked."""
    asked = [margin is not None and one.ties != "pessimistic" for one in found]
    equal = [one.p_equivalence(margin or 0.0) if ask else 0.0 for one, ask in zip(found, asked, strict=True)]
    return np.array([one.p_difference() for one in found]), np.array(equal)
