"""Which analyses votes support, and why not the others."""

from __future__ import annotations

import numpy as np

from quorate.estimate.doctor.estimable import Analysis
from quorate.table.columns.outcomes import shown
from quorate.table.facts.vote_facts import Grouping, VoteFacts
from quorate.wording import counted, listed, plural

MARGINS, SPREAD, RATINGS = "margin of each pair", "margins over pairs", "Bradley-Terry ratings"
ALLOCATION, ORDER, STABILITY, AGREEMENT = (
    "allocation over prompt types",
    "effect of the order shown",
    "early against late votes",
    "agreement of judges",
)

PILOT, WELL_SAMPLED, CLUSTERS, MOMENTS = 30, 200, 20, 2
"""Fewest decisive votes of a pair for its margin, and for counting it among well-sampled pairs; fewest clusters whose
spread tells a standard error (Cameron and Miller (2015), Journal of Human Resources 50, section VI: few is below 20 to
50); fewest distinct times."""


def vote_analyses(facts: VoteFacts) -> tuple[Analysis, ...]:
    """Every analysis of one table of votes, possible or not.

    Parameters
    ----------
    facts : VoteFacts
        Their facts.
    """
    return (
        _margins(facts),
        _spread(facts),
        _ratings(facts),
        *(_clustered(facts, role) for role in ("cluster", "prompt", "judge")),
        _allocation(facts),
        _order(facts),
        _stability(facts),
        _agreement(facts),
    )


def clustered_by(role: str) -> str:
    """Name of the analysis that lets votes of one level of a role resemble each other."""
    return f"errors clustered by {role}"


def _margins(facts: VoteFacts) -> Analysis:
    decisive = np.array(facts.pairs.decisive)
    enough, pairs = int((decisive >= PILOT).sum()), counted(len(decisive), "pair")
    if enough:
        return Analysis(MARGINS, True, f"{enough:,} of {pairs} with {PILOT} decisive votes or more")
    most = int(decisive.max(initial=0))
    reason = f"no pair has {PILOT} decisive votes, the fewest of a pilot; the most is {most}"
    return Analysis(MARGINS, False, reason, f"ask for {counted(PILOT - most, 'more decisive vote')} on one pair")


def _spread(facts: VoteFacts) -> Analysis:
    enough = sum(n >= WELL_SAMPLED for n in facts.pairs.decisive)
    reason = f"{counted(enough, 'pair')} with {WELL_SAMPLED} decisive votes or more"
    if enough >= 2:
        return Analysis(SPREAD, True, reason)
    return Analysis(SPREAD, False, reason, f"ask for {WELL_SAMPLED} decisive votes on 2 pairs or more")


def _ratings(facts: VoteFacts) -> Analysis:
    parts, sides = facts.graph.components, facts.graph.one_sided
    if facts.models < 3 and len(parts) == 1:
        return Analysis(RATINGS, False, f"{facts.models} models: the margin of their pair says it all")
    if len(parts) > 1:
        reason = f"{len(parts):,} groups of models that no vote connects: {_groups(parts)}"
        fix = f"compare {shown(parts[0][0])} with {shown(parts[1][0])}, or rate each group alone"
        return Analysis(RATINGS, False, reason, fix)
    reason = f"{counted(facts.models, 'model')}, all connected by votes"
    if len(sides) > 1:
        reason += f"; {counted(len(sides), 'group')} never lost to, or never beat, the others: only a penalty bounds it"
    return Analysis(RATINGS, True, reason)


def _groups(parts: tuple[tuple[str, ...], ...]) -> str:
    """The first groups, each by its first models."""
    texts = [
        " and ".join(map(shown, part[:2])) + (f" and {len(part) - 2:,} more" if len(part) > 2 else "")
        for part in parts[:4]
    ]
    return " | ".join(texts) + (f" | {len(parts) - 4:,} more groups" if len(parts) > 4 else "")


def _clustered(facts: VoteFacts, role: str) -> Analysis:
    name, group = clustered_by(role), facts.grouping(role)
    if group is None:
        return Analysis(name, False, f"no column has the role {role}", f'name it: {role}="..."')
    if group.groups < CLUSTERS:
        reason = f"{counted(group.groups, role)}: too few to tell how much they differ"
        return Analysis(name, False, reason, f"have votes of {CLUSTERS} {plural(role)} or more")
    return Analysis(name, True, _size(group))


def _size(group: Grouping) -> str:
    size = f"{counted(group.groups, group.role)} of {group.mean:,.1f} votes on average"
    alone = "" if group.repeated else "; each has one vote, so that nothing is clustered"
    return f"{size}, {group.most:,} at most{alone}"


def _allocation(facts: VoteFacts) -> Analysis:
    types = facts.levels.get("prompt_type")
    if types is None:
        return Analysis(ALLOCATION, False, "no column has the role prompt_type", 'name it: prompt_type="..."')
    some = sum(n > 0 for n in types.decisive)
    reason = f"{counted(some, 'prompt type')} with decisive votes"
    return Analysis(ALLOCATION, some > 1, reason, "" if some > 1 else "have votes on 2 prompt types or more")


def _order(facts: VoteFacts) -> Analysis:
    if facts.first is None:
        fix = 'name the column: order="...", or order="model_a" if the column names the model shown first'
        return Analysis(ORDER, False, "which model was shown first is not known", fix)
    decisive = facts.first.decisive
    reason = f"{counted(decisive, 'decisive vote')} with a known order"
    return Analysis(ORDER, decisive > 0, reason, "" if decisive else "record the order of the next votes")


def _stability(facts: VoteFacts) -> Analysis:
    if facts.span is None:
        return Analysis(STABILITY, False, "no column has the role time", 'name it: time="..."')
    reason = counted(facts.span.moments, "distinct time")
    if facts.span.moments < MOMENTS:
        return Analysis(STABILITY, False, reason, "have votes of 2 times or more")
    return Analysis(STABILITY, True, f"{reason}, from {facts.span.earliest} to {facts.span.latest}")


def _agreement(facts: VoteFacts) -> Analysis:
    wanting = [role for role in ("prompt", "judge") if role not in facts.roles]
    if wanting:
        reason = f"no column has the role {listed(wanting, 'or')}"
        return Analysis(AGREEMENT, False, reason, f'name it: {wanting[0]}="..."')
    shared = facts.shared
    reason = f"{counted(shared, 'combination')} of prompt and pair judged by 2 judges or more"
    return Analysis(AGREEMENT, shared > 0, reason, "" if shared else "have some prompts judged by 2 judges or more")
