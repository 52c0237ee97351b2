"""Interim analysis: what a study that is still being filled says so far, and as its answers came in."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np

from quorate.analysis.goals.path import goal_path
from quorate.analysis.interim.result import MOST_PAIRS, Decision, Interim, Look
from quorate.analysis.interim.scores import of_scores
from quorate.decide.stop import monitor
from quorate.decide.votes import verdict_of_votes
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.agreement.coefficients import pairwise_agreement
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.inference import checked_level
from quorate.roles import JUDGE, PROMPT
from quorate.study.file import Study, load
from quorate.study.status import Status, standing
from quorate.table.arrived import ArrivedScores, ArrivedVotes, arrived
from quorate.table.votes import Votes

# Votes so far: the share for one of two systems at each look, and what is decided of every two.


def of_votes(study: Study, status: Status, found: ArrivedVotes, known: dict[int, Look], level: float) -> Interim:
    """What the votes of a study say so far; looks that are known are taken over."""
    votes, pairs = found.votes, _busiest(found.votes)
    if not pairs:
        return Interim(status, "votes", level, unknown="No vote is for one of two systems yet.", caveats=found.caveats)
    *before, now = found.sizes
    alike = _alike(study, votes)

    def look(size: int, votes: Votes) -> Look:
        return _look(size, votes, pairs[0], alike, level)

    looks = [known.get(size) or look(size, found.first(size)) for size in before]
    decided = (_decision(votes, a, b, alike, 1 - (1 - level) / len(pairs)) for a, b in pairs)
    latest = look(now, votes)
    return Interim(
        status,
        "votes",
        level,
        (*looks, latest),
        pairs[0],
        tuple(one for one in decided if one is not None),
        advice=_advice(votes, pairs[0], level),
        agreement=pairwise_agreement(votes, people=study.people, level=level),
        unknown="Votes of one judge, or on one item, give no interval yet." if math.isnan(latest.low) else "",
        caveats=found.caveats,
    )


def _alike(study: Study, votes: Votes) -> tuple[str, ...]:
    """Facets whose votes may resemble each other by the plan, so that a claim stays the same claim."""
    several = len(study.judges) > 1
    again = several or len(study.prompts) > 1 or study.replicates > 1 or study.order == "both"
    return tuple(name for name, so in ((PROMPT, again), (JUDGE, several)) if so and name in votes.names)


def _busiest(votes: Votes) -> list[tuple[str, str]]:
    """Pairs of systems with votes that count, those with the most first."""
    counts = votes.pairs()
    order = np.argsort(-counts.decisive, kind="stable")[:MOST_PAIRS]
    return [counts.names[at] for at in order.tolist() if counts.decisive[at]]


def _decision(votes: Votes, a: str, b: str, alike: tuple[str, ...], level: float) -> Decision | None:
    try:
        one = monitor(votes, a, b, level=level, cluster=alike)
    except NotEstimable:
        return None
    share = float(one.wins[-1] / one.n[-1])
    return Decision(a, b, one.outcome, share, 0.5 + float(one.low[-1]), 0.5 + float(one.high[-1]), int(one.n[-1]))


def _look(size: int, votes: Votes, pair: tuple[str, str], alike: tuple[str, ...], level: float) -> Look:
    try:
        seen = margin_of_votes(votes, *pair, cluster=alike)
        watched = monitor(votes, *pair, level=level, cluster=alike)
    except (NotEstimable, InvalidInput):  # no vote on the two counts yet, or all are of one judge
        return Look(size, _share(votes, *pair), math.nan, math.nan)
    low, high = (0.5 + end for end in seen.at(level).ends)
    always_low, always_high = (0.5 + float(end[-1]) for end in (watched.low, watched.high))
    return Look(size, 0.5 + seen.value, low, high, always_low, always_high, int(watched.n[-1]))


def _share(votes: Votes, a: str, b: str) -> float:
    """Share of decisive votes for the first; nan without any."""
    if not {a, b} <= set(votes.models):
        return math.nan
    wins, losses = votes.wins(a, b), votes.wins(b, a)
    return wins / (wins + losses) if wins + losses else math.nan


def _advice(votes: Votes, pair: tuple[str, str], level: float) -> tuple[str, ...]:
    try:
        step = verdict_of_votes(votes, *pair, level=level).next_step
    except NotEstimable:
        return ()
    return () if step is None else (step.sentence,)


def interim(study: str | os.PathLike[str] | Study, *, level: float = 0.95, earlier: Interim | None = None) -> Interim:
    """What a study says so far: its estimate as answers came in, what is decided, and how alike judges answer.

    The study may be under way, whoever answers: every cell that is finished counts, and nothing is asked or changed.

    Parameters
    ----------
    study : path or Study
        The study file.
    level : float
        Coverage of every interval.
    earlier : Interim, optional
        Of the same study, whose looks are taken over: they do not change.

    Returns
    -------
    Interim

    Raises
    ------
    InvalidInput
        If the file breaks a rule, or the ledger cannot be read.

    Notes
    -----
    Two intervals are there for two purposes. The one of an analysis that is made once is narrower, and is for watching:
    who stops when it excludes something is wrong more often than it says. The other one holds at all looks at once, so
    that stopping by it is safe; it takes items (or votes) as a sample, for the judges and prompts that were asked, and
    an order of items that has nothing to do with their scores. An item counts for it once all its cells are finished.
    """
    checked_level(level)
    loaded = study if isinstance(study, Study) else load(study)
    status = standing(loaded)
    found = _so_far(loaded, status, earlier, level)
    if loaded.goal is None:
        return found
    looks = () if loaded.goal.stages else found.looks  # a share over both stages is of what the first chose
    return replace(found, path=goal_path(loaded, status), advice=(), decisions=(), looks=looks)


def _so_far(loaded: Study, status: Status, earlier: Interim | None, level: float) -> Interim:
    """What the answers say, whatever the goal."""
    if not status.finished:
        return Interim(status, "none", level)
    known = {look.n: look for look in earlier.looks[:-1]} if earlier is not None and earlier.level == level else {}
    try:
        found = arrived(loaded.database)
    except InvalidData:  # nothing that is finished has a score
        return Interim(status, "none", level)
    if isinstance(found, ArrivedScores):
        return of_scores(loaded, status, found, known, level)
    return of_votes(loaded, status, found, known, level)
