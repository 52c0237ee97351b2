"""What the report of votes is made from: detectability, near ties, dependence and data health, found once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quorate.errors import NotEstimable
from quorate.estimate.clustered import ClusterRobust, cluster_robust
from quorate.estimate.margins import NearTies, Quantiles
from quorate.estimate.sampled import MINIMUM
from quorate.estimate.votes_support import VotesSupport, doctor_votes
from quorate.plan.detectability import Detectability, detectability
from quorate.table.votes import Votes

DEPENDENCE = ("prompt", "judge", "cluster")
"""Facets whose votes may resemble each other."""
NEAR = 0.1
"""Margin at which two systems count as nearly tied."""
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of margins over pairs."""


@dataclass(frozen=True, eq=False)
class VotesView:
    """All results that the report of votes shows.

    Parameters
    ----------
    votes : Votes
        The votes.
    found : Detectability
        Margins, and what numbers of votes would decide.
    near : NearTies
        Pairs that are nearly tied.
    quantiles : Quantiles
        Of margins over pairs.
    dependence : tuple of ClusterRobust
        Standard errors that allow votes to resemble each other, by every facet that votes may share.
    support : VotesSupport
        What the votes support, and what is wrong with them.
    """

    votes: Votes
    found: Detectability
    near: NearTies
    quantiles: Quantiles
    dependence: tuple[ClusterRobust, ...]
    support: VotesSupport


def votes_view(votes: Votes, *, cluster: str | None = None, minimum: int = MINIMUM) -> VotesView:
    """Everything that the report of votes shows.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    cluster : str, optional
        Facet for clustered standard errors; without it, each of prompt, judge and cluster that is there.
    minimum : int
        Decisive votes that a pair must have.

    Raises
    ------
    NotEstimable
        If no pair has enough votes, or a vote has no label of ``cluster``.
    UnknownTerm
        If there is no facet ``cluster``.
    """
    support = doctor_votes(votes)
    found = detectability(votes, minimum=minimum)
    return VotesView(
        votes=votes,
        found=found,
        near=found.margins.near_ties(NEAR),
        quantiles=found.margins.quantiles(QUANTILES),
        dependence=tuple(dependence(votes, cluster, minimum)),
        support=support,
    )


def dependence(votes: Votes, cluster: str | None, minimum: int) -> Iterator[ClusterRobust]:
    """Clustered standard errors by every facet that votes may share; by one that is asked for in any case."""
    for name in [cluster] if cluster else [name for name in DEPENDENCE if name in votes.names]:
        try:
            yield cluster_robust(votes, by=name, minimum=minimum)
        except NotEstimable:
            if cluster:
                raise
