"""Replays: what smaller studies of the votes at hand would have found, of all pairs of systems or of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.estimate.votes.clustered import Cluster
from quorate.simulate.two_stage import AllocationStudy, replay_range, replay_two_stage
from quorate.simulate.verdicts import VerdictRates, replay_verdicts
from quorate.table.votes import Votes
from quorate.wording import Brief, counted, listed


@dataclass(frozen=True)
class VerdictReplay(Brief):
    """How often verdicts of smaller studies are wrong, over all pairs of systems.

    Parameters
    ----------
    rates : tuple of VerdictRates
        By size of the study, taken as independent and clustered.
    margin : float
        Margin of equivalence.
    level : float
        Coverage of the intervals that verdicts are by.
    notes : tuple of str
        How votes were drawn, and which sizes were left out.
    """

    rates: tuple[VerdictRates, ...]
    margin: float
    level: float
    notes: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row per size and way of taking the votes."""
        return [{**vars(one), "wrong": one.wrong} for one in self.rates]


@dataclass(frozen=True)
class PairReplay(Brief):
    """How often ways to spend votes over types of prompts find the difference between two systems.

    Parameters
    ----------
    study : AllocationStudy
    notes : tuple of str
        What of the screening is unusual, and which sizes were left out.
    """

    study: AllocationStudy
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        found = self.study
        return {
            "budgets": found.budgets.tolist(),
            "power": {test: power.tolist() for test, power in found.power.items()},
            "jaccard": found.jaccard.tolist(),
            "captured": found.captured.tolist(),
            "expected_captured": found.expected_captured,
            "studies": found.studies,
            "spent": found.spent.tolist(),
        }


def replay_pairs(
    votes: Votes,
    budgets: Sequence[int] = (50, 200, 500),
    *,
    margin: float = 0.05,
    level: float = 0.95,
    cluster: Cluster | None = None,
    minimum: int = 200,
) -> VerdictReplay:
    """How often verdicts of smaller studies would be wrong, each size over the pairs that have as many votes.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    budgets : sequence of int
        Decisive votes of a study; those beyond every pair are left out.
    margin : float
        Margin of equivalence.
    level : float
        Coverage of the intervals that verdicts are by.
    cluster : str, optional
        Facet whose votes are drawn together; the prompt, if there is one, unless it is said; ``()`` for none.
    minimum : int
        Decisive votes that a pair must have.

    Raises
    ------
    InvalidInput
        If every size is left out, or an argument is out of range.
    """
    notes: list[str] = []
    facets = (cluster,) if isinstance(cluster, str) else cluster
    if facets is not None and len(facets) > 1:
        raise InvalidInput(f"cluster: studies draw whole levels of one facet, got {listed(facets)}; name one")
    if facets == ():
        notes = ["Votes are drawn one by one, and taken as independent."]
    elif facets is None and "prompt" not in votes.names:
        fix = "name a column with " + argument("prompt", ..., group="roles") + ", or another facet with "
        alone = "No prompt is known of these votes: they are drawn one by one, and taken as independent; "
        notes = [alone + fix + argument("cluster") + "."]
    drawn_by = None if notes else (facets or ("prompt",))[0]
    most = int(votes.pairs().decisive.max(initial=0))
    usable = [n for n in budgets if n <= most]
    why = f"no pair has more than {counted(most, 'decisive vote')}"
    if not usable:
        raise InvalidInput(argument("budgets") + f": {why}; a smaller study has fewer, got {min(budgets):,}")
    rates = [
        one
        for n in usable
        for one in replay_verdicts(votes, [n], cluster=drawn_by, margin=margin, level=level, least=max(minimum, n))
    ]
    return VerdictReplay(tuple(rates), margin, level, (*notes, *_left_out(budgets, usable, why)))


def replay_pair(
    votes: Votes,
    a: str,
    b: str,
    budgets: Sequence[int] = (50, 200, 500),
    *,
    by: str = "prompt_type",
    level: float = 0.95,
    c: float = 10.0,
    retained: float = 0.2,
    per_type: int | None = None,
) -> PairReplay:
    """How often studies of two systems find their difference: votes over types of prompts, or screening them first.

    Tests are at level ``1 - level``. Screening takes ``per_type`` votes of each of m types, ``ceil(c log m)`` unless
    given, and keeps the part ``retained`` of them.

    Raises
    ------
    InvalidInput
        If every size is left out.
    """
    least, most = replay_range(votes, a, b, by=by, c=c, per_type=per_type)
    usable = [n for n in budgets if least <= n <= most]
    span = f"screening takes {least - 1:,} votes of this pair, which has {most:,} decisive ones with a {by}"
    if not usable and most < least:
        raise InvalidInput(argument("budgets") + f": {span}: too few for any study; use coarser types")
    if not usable:
        asked = ", ".join(f"{n:,}" for n in budgets)
        raise InvalidInput(argument("budgets") + f": numbers from {least:,} to {most:,}, got {asked}; {span}")
    screening: dict[str, Any] = {"c": c, "retained": retained, "per_type": per_type}
    study = replay_two_stage(votes, a, b, usable, by=by, alpha=round(1 - level, 12), **screening)
    notes = (*study.notes, *_left_out(budgets, usable, span))
    if study.unequal.any():
        short = zip(study.spent[study.unequal].tolist(), study.budgets[study.unequal].tolist(), strict=True)
        listing = listed([f"{spent:,.0f} of {budget:,}" for spent, budget in short])
        why = "for the types that screening keeps have no more: they are compared with a policy that spends all"
        notes += (f"Two stages spend {listing} votes, {why}.",)
    return PairReplay(study, notes)


def _left_out(budgets: Iterable[int], usable: Iterable[int], why: str) -> tuple[str, ...]:
    left = [f"{n:,}" for n in budgets if n not in set(usable)]
    return (f"Left out: studies of {listed(left)} votes; {why}.",) if left else ()
