"""What the report on two systems is made from: the verdict, the same votes counted in other ways, and all pairs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quorate.analysis.votes import VotesAnalysis, votes_view
from quorate.caveats import Caveat
from quorate.decide.outcome import TYPES
from quorate.decide.votes import Claim, Verdict, verdict_of_votes
from quorate.errors import NotEstimable
from quorate.estimate.doctor.support import VotesSupport, doctor
from quorate.estimate.votes.clustered import Cluster, clustered_by
from quorate.planning.power.prompt_types import Concentration, concentration
from quorate.simulate.two_stage import type_counts
from quorate.table.pairs import MISSING
from quorate.table.results import Result, Row
from quorate.table.votes import Encoding, Votes
from quorate.wording import listed

INDEPENDENT = "votes independent"
_TIES: tuple[Encoding, ...] = ("drop", "half")
_OF_ALL_PAIRS = ("few-votes", "missing", "not-connected", "one-sided")
"""Findings about pairs and rankings of all systems, by which two are not judged."""


@dataclass(frozen=True, eq=False)
class PairAnalysis(Result):
    """What the report on two systems shows; all but the verdict is found when it is first asked for.

    Parameters
    ----------
    votes : Votes
        The votes, of all pairs.
    verdict : Verdict
        The verdict that was asked for.
    minimum : int, optional
        Decisive votes that a pair must have to be among those the two are compared with.
    power : float
        Chance of detection that next steps are for.
    cluster : str, sequence of str, or None
        Facets whose votes may resemble each other, as asked; None for every one that repeats.
    """

    votes: Votes
    verdict: Verdict
    minimum: int | None = None
    power: float = 0.9
    cluster: Cluster | None = None

    @cached_property
    def others(self) -> tuple[tuple[str, Verdict], ...]:
        """The same votes counted in other ways, each with its name: other clusters, ties dropped or as halves."""
        votes, asked, found = self.votes, self.verdict, self.verdict.difference
        every = clustered_by(pair := votes.pair(asked.a, asked.b), None, pair.outcome != MISSING)
        clusters = dict.fromkeys([(), *((name,) for name in every), every])
        ways: list[tuple[tuple[str, ...], Encoding]] = [
            (names, found.ties) for names in clusters if names != found.cluster
        ]
        ways += [(found.cluster, ties) for ties in _TIES if ties != found.ties and pair.tie_share]
        others = []
        for cluster, ties in ways:
            with suppress(NotEstimable):
                one = verdict_of_votes(
                    votes, asked.a, asked.b, margin=asked.margin, level=asked.level, ties=ties, cluster=cluster
                )
                others.append((way(one), one))
        return tuple(others)

    @cached_property
    def support(self) -> VotesSupport:
        """What the votes support, and what is wrong with them."""
        return doctor(self.votes)

    @property
    def every(self) -> VotesAnalysis | None:
        """All pairs, for comparison; None where too few votes are on any."""
        return self._every[0]

    @property
    def every_reason(self) -> str:
        """Why there is none; empty where there is."""
        return self._every[1]

    @property
    def concentration(self) -> Concentration | None:
        """Whether few types of prompts hold most of the signal; None where types or votes of each are too few."""
        return self._concentration[0]

    @property
    def concentration_reason(self) -> str:
        """Why there is none although votes have types; empty otherwise."""
        return self._concentration[1]

    @cached_property
    def _concentration(self) -> tuple[Concentration | None, str]:
        if TYPES not in self.votes.names:
            return None, ""
        try:
            counts = type_counts(self.votes, self.verdict.a, self.verdict.b, TYPES)
            return concentration(*counts, level=self.verdict.level), ""
        except NotEstimable as error:
            return None, str(error)

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        return self.verdict.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know of the verdict, and what is wrong with the votes that two systems are judged by."""
        grave = [one for one in self.support.findings if one.severity != "note" and one.code not in _OF_ALL_PAIRS]
        of_votes = [Caveat(one.code, one.sentence) for one in grave]
        sentences = {one.sentence for one in of_votes}
        return (*(one for one in self.verdict.caveats if one.sentence not in sentences), *of_votes)

    def rows(self) -> list[Row]:
        """The verdict as asked for, then with the same votes counted in other ways."""
        rows = []
        for name, one in ((way(self.verdict), self.verdict), *self.others):
            low, high = one.difference.at(one.level).ends
            share = {"wins": 0.5 + one.difference.value, "low": 0.5 + low, "high": 0.5 + high}
            equal = {} if one.p_equivalence is None else {"p_equal": one.p_equivalence}
            rest = {"outcome": str(one.outcome.value), "votes": one.difference.n, "p": one.p_difference}
            rows.append({"way": name, **share, **rest, **equal})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values, and whether few types of prompts hold most of the signal."""
        signal = None if self.concentration is None else self.concentration.to_dict()
        return {**self.verdict.to_dict(), "concentration": signal}

    def _backend(self) -> str | None:
        return self.votes.source.backend

    @property
    def exit_code(self) -> int:
        """That of the verdict."""
        return self.verdict.exit_code

    @cached_property
    def _every(self) -> tuple[VotesAnalysis | None, str]:
        try:
            options: dict[str, Any] = {"power": self.power, "minimum": self.minimum, "cluster": self.cluster}
            return votes_view(self.votes, level=self.verdict.level, **options), ""
        except NotEstimable as error:
            return None, str(error)


def pair_view(
    votes: Votes,
    a: str,
    b: str,
    *,
    margin: float | None = None,
    level: float = 0.95,
    power: float = 0.9,
    ties: Encoding = "drop",
    cluster: Cluster | None = None,
    claim: Claim | None = None,
    budget: int | None = None,
    price: float | None = None,
    minimum: int | None = None,
) -> PairAnalysis:
    """The verdict on two systems, and all that a report says of them.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    UnknownTerm
        If a system or facet is not there.
    NotEstimable
        If no vote on the two counts, or all are of one level of a facet that is named.
    """
    verdict = verdict_of_votes(
        votes,
        a,
        b,
        margin=margin,
        level=level,
        ties=ties,
        cluster=cluster,
        claim=claim,
        power=power,
        budget=budget,
        price=price,
    )
    return PairAnalysis(votes, verdict, minimum, power, cluster)


def way(verdict: Verdict) -> str:
    """How a verdict takes its votes, in words."""
    found = verdict.difference
    ties = {"drop": "", "half": ", ties as halves", "pessimistic": ", ties as losses"}[found.ties]
    return f"{f'by {listed(found.cluster)}' if found.cluster else INDEPENDENT}{ties}"
