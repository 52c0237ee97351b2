"""Support for every analysis of votes: what it rests on, or what would make it possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quorate.arguments import argument
from quorate.estimate.doctor.analyses import Supported
from quorate.table.columns.outcomes import shown
from quorate.table.facts.vote_facts import VoteFacts
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


def vote_analyses(facts: VoteFacts) -> tuple[Supported, ...]:
    """Every analysis of one table of votes, possible or not."""
    return (
        *pair_analyses(facts),
        rating_analysis(facts),
        *(clustered_analysis(facts, role) for role in ("cluster", "prompt", "judge")),
        *role_analyses(facts),
    )


def clustered_by(role: str) -> str:
    """Name of the analysis that lets votes of one level of a role resemble each other."""
    return f"errors clustered by {role}"


def pair_analyses(facts: VoteFacts) -> Iterator[Supported]:
    """The margin of each pair, and the spread of margins over pairs."""
    decisive = np.array(facts.pairs.decisive)
    enough, pairs = int((decisive >= PILOT).sum()), counted(len(decisive), "pair")
    if enough:
        yield Supported(MARGINS, True, f"{enough:,} of {pairs} with {PILOT} decisive votes or more")
    else:
        most = int(decisive.max(initial=0))
        reason = f"no pair has {PILOT} decisive votes, the fewest of a pilot; the most is {most}"
        yield Supported(MARGINS, False, reason, f"ask for {counted(PILOT - most, 'more decisive vote')} on one pair")
    enough = int((decisive >= WELL_SAMPLED).sum())
    reason = f"{counted(enough, 'pair')} with {WELL_SAMPLED} decisive votes or more"
    fix = f"ask for {WELL_SAMPLED} decisive votes on 2 pairs or more"
    yield Supported(SPREAD, enough > 1, reason, "" if enough > 1 else fix)


def rating_analysis(facts: VoteFacts) -> Supported:
    """Ratings, which need models that votes connect."""
    parts, sides = facts.graph.components, facts.graph.one_sided
    if facts.models < 3 and len(parts) == 1:
        return Supported(RATINGS, False, f"{facts.models} models: the margin of their pair says it all")
    if len(parts) > 1:
        groups = [
            " and ".join(map(shown, part[:2])) + (f" and {len(part) - 2:,} more" if len(part) > 2 else "")
            for part in parts[:4]
        ]
        more = f" | {len(parts) - 4:,} more groups" if len(parts) > 4 else ""
        reason = f"{len(parts):,} groups of models that no vote connects: {' | '.join(groups)}{more}"
        fix = f"compare {shown(parts[0][0])} with {shown(parts[1][0])}, or rate each group alone"
        return Supported(RATINGS, False, reason, fix)
    reason = f"{counted(facts.models, 'model')}, all connected by votes"
    if len(sides) > 1:
        reason += f"; {counted(len(sides), 'group')} never lost to, or never beat, the others: only a penalty bounds it"
    return Supported(RATINGS, True, reason)


def _named(role: str) -> str:
    """What to do about a role that no column has."""
    return "name it: " + argument(role, ..., group="roles")


def clustered_analysis(facts: VoteFacts, role: str) -> Supported:
    """Standard errors clustered by a role, which need enough of its levels."""
    name, group = clustered_by(role), facts.grouping(role)
    if group is None:
        return Supported(name, False, f"no column has the role {role}", _named(role))
    if group.groups < CLUSTERS:
        reason = f"{counted(group.groups, role)}: too few to tell how much they differ"
        return Supported(name, False, reason, f"have votes of {CLUSTERS} {plural(role)} or more")
    alone = "" if group.repeated else "; each has one vote, so that nothing is clustered"
    size = f"{counted(group.groups, role)} of {group.mean:,.1f} votes on average, {group.most:,} at most{alone}"
    return Supported(name, True, size)


def role_analyses(facts: VoteFacts) -> Iterator[Supported]:
    """Analyses that need a column: types of prompts, the order shown, the time, prompts with judges."""
    types = facts.levels.get("prompt_type")
    if types is None:
        yield Supported(ALLOCATION, False, "no column has the role prompt_type", _named("prompt_type"))
    else:
        some = sum(n > 0 for n in types.decisive)
        reason, fix = f"{counted(some, 'prompt type')} with decisive votes", "have votes on 2 prompt types or more"
        yield Supported(ALLOCATION, some > 1, reason, "" if some > 1 else fix)
    if facts.first is None:
        column, model_a = (argument("order", value, group="roles") for value in (..., "model_a"))
        fix = "name the column: " + column + ", or " + model_a + " if the column names the model shown first"
        yield Supported(ORDER, False, "which model was shown first is not known", fix)
    else:
        reason = f"{counted(facts.first.decisive, 'decisive vote')} with a known order"
        fix = "" if facts.first.decisive else "record the order of the next votes"
        yield Supported(ORDER, facts.first.decisive > 0, reason, fix)
    if facts.span is None:
        yield Supported(STABILITY, False, "no column has the role time", _named("time"))
    else:
        few, reason = facts.span.moments < MOMENTS, counted(facts.span.moments, "distinct time")
        span = "" if few else f", from {facts.span.earliest} to {facts.span.latest}"
        yield Supported(STABILITY, not few, reason + span, "have votes of 2 times or more" if few else "")
    if wanting := [role for role in ("prompt", "judge") if role not in facts.roles]:
        reason = f"no column has the role {listed(wanting, 'or')}"
        yield Supported(AGREEMENT, False, reason, _named(wanting[0]))
    else:
        reason = f"{counted(facts.shared, 'combination')} of prompt and pair judged by 2 judges or more"
        fix = "" if facts.shared else "have some prompts judged by 2 judges or more"
        yield Supported(AGREEMENT, facts.shared > 0, reason, fix)
