"""All pairs of systems at once: their verdicts, with one error rate for all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.decide.votes.margin import margin_of_votes
from quorate.decide.votes.verdict import Outcome, Verdict, check_question, verdict_of_margin
from quorate.errors import NotEstimable
from quorate.estimate.votes.dependence import Cluster
from quorate.numerics.multiplicity import holm_level
from quorate.plan.power.sample_size import check_count
from quorate.table.results import Result, Row
from quorate.table.votes import Encoding, Votes, checked_votes


@dataclass(frozen=True)
class Verdicts(Result):
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
        found = Counter(verdict.outcome.value for verdict in self.verdicts)
        return {outcome.value: found[outcome.value] for outcome in Outcome}

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

    def rows(self) -> list[Row]:
        """One row per pair: a, b, outcome, margin, low, high, level, n, p_difference, p_equivalence."""
        rows = []
        for verdict in self.verdicts:
            low, high = verdict.difference.interval(verdict.level)
            row: Row = {"a": verdict.a, "b": verdict.b, "outcome": verdict.outcome.value}
            row |= {"margin": verdict.difference.value, "low": low, "high": high, "level": verdict.level}
            row |= {"n": verdict.difference.n, "p_difference": verdict.p_difference}
            rows.append({**row, "p_equivalence": verdict.p_equivalence})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        facts = {name: getattr(self, name) for name in ("level", "skipped", "counts", "sentence")}
        return {**facts, "verdicts": [verdict.to_dict() for verdict in self.verdicts]}


def compare_all(
    votes: Votes,
    *,
    margin: float | None = None,
    level: float = 0.95,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
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
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other, as for `quorate.compare`: by default those of each pair that repeat.
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
    >>> together = compare_all(read_votes(frame, announce=False))
    >>> [one.outcome.value for one in together.verdicts]
    ['better', 'undecided', 'undecided']
    """
    checked_votes(votes)
    check_question(margin, level, None, power, None, None)
    check_count("minimum", minimum)
    names, judged = votes.pairs().names, []  # margins with the share of the pair's votes that count
    for a, b in names:
        pair = votes.pair(a, b)
        try:
            lead = margin_of_votes(pair, a, b, ties=ties, cluster=cluster)
        except NotEstimable:
            continue
        if lead.n >= minimum:
            judged.append((lead, lead.n / pair.n))
    if not judged:
        rule = f"votes: no pair has {minimum:,} votes that count; collect more, or lower "
        raise NotEstimable(rule + argument("minimum"))
    asked = [margin is not None and lead.ties != "pessimistic" for lead, _ in judged]
    p_equal = [lead.p_equivalence(margin or 0.0) if ask else 0.0 for (lead, _), ask in zip(judged, asked, strict=True)]
    alpha = holm_level(np.array([lead.p_difference() for lead, _ in judged]), np.array(p_equal), 1 - level)
    verdicts = tuple(
        verdict_of_margin(lead, counting=counting, margin=margin, level=1 - alpha, power=power)
        for lead, counting in judged
    )
    return Verdicts(verdicts, level, len(names) - len(judged))
