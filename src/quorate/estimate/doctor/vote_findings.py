"""Findings on votes before anything is estimated: what is wrong, and what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from quorate.arguments import argument
from quorate.estimate.doctor.analyses import Supported
from quorate.estimate.doctor.findings import Finding, Severity, by_severity, share_homogeneity
from quorate.numerics.votes.binomial import clopper_pearson, p_value
from quorate.table.columns.outcomes import shown
from quorate.table.facets import OK
from quorate.table.facts.vote_facts import CONSTANT, Grouping, Sides, Tally, VoteFacts
from quorate.wording import counted, listed, percent, plural

# Support for every analysis of votes: what it rests on, or what would make it possible.


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
        *_pair_analyses(facts),
        _rating_analysis(facts),
        *(_clustered_analysis(facts, role) for role in ("cluster", "prompt", "judge")),
        *_role_analyses(facts),
    )


def clustered_by(role: str) -> str:
    """Name of the analysis that lets votes of one level of a role resemble each other."""
    return f"errors clustered by {role}"


def _pair_analyses(facts: VoteFacts) -> Iterator[Supported]:
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


def _rating_analysis(facts: VoteFacts) -> Supported:
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


def _clustered_analysis(facts: VoteFacts, role: str) -> Supported:
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


def _role_analyses(facts: VoteFacts) -> Iterator[Supported]:
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


_SIGNIFICANT, _LEVEL = 0.01, 0.95
_MUCH, _LARGE = 0.05, 0.5
_NAMED = 3


def vote_findings(facts: VoteFacts) -> tuple[Finding, ...]:
    """Everything found, errors first."""
    return by_severity(
        [
            *_outcome_findings(facts),
            *missing_findings(facts),
            *_pair_findings(facts),
            *(finding for group in facts.groupings for finding in _dependence_findings(group)),
            *_order_findings(facts),
            *_unusable_findings(facts),
        ]
    )


def share_interval(sides: Sides, level: float = _LEVEL) -> tuple[float, float, float]:
    """Share of decisive votes won by one side, and its exact interval, taking votes as independent.

    Parameters
    ----------
    sides : Sides
        Votes for that side, and all where the side is known.
    level : float
        Coverage wanted, in (0, 1).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.
    """
    if not sides.decisive:
        return float("nan"), 0.0, 1.0
    low, high = clopper_pearson(sides.won, sides.decisive, level)
    return sides.won / sides.decisive, float(low), float(high)


def _outcome_findings(facts: VoteFacts) -> Iterator[Finding]:
    """Votes of which few decide, rows that are copies, and judges who contradict themselves."""
    if not facts.decisive:
        kept = f"{counted(facts.ties + facts.both_bad, 'tie')}, {facts.missing:,} missing"
        yield Finding("no-decisive-votes", "error", f"no vote prefers a model ({kept}): there is nothing to compare")
    elif facts.ties + facts.both_bad > facts.decisive:
        share = percent((facts.ties + facts.both_bad) / facts.votes)
        yield Finding(
            "mostly-ties",
            "warning",
            f"{share} of the votes are ties: results without them describe the few votes that were decisive; compare "
            "them with ties as half votes",
        )
    repeats = facts.repeats
    if repeats is not None and repeats.rows:
        yield Finding(
            "duplicates",
            "warning",
            f"{counted(repeats.rows, 'row')} with the same judge, prompt, pair, outcome and all else that was read as "
            "another: drop them if they are copies; they count as votes",
        )
    if repeats is not None and repeats.contradicted:
        share = percent(repeats.contradicted / repeats.asked_again)
        yield Finding(
            "contradictions",
            "note",
            f"{repeats.contradicted:,} of {repeats.asked_again:,} times that a judge voted again on a prompt and pair "
            f"({share}) the outcome was another; {repeats.reversed:,} times for the other model",
        )


def missing_findings(facts: VoteFacts) -> Iterator[Finding]:
    """Votes without an outcome, and where they are missing more often."""
    if not facts.missing:
        return
    total, have = facts.votes + facts.missing, "has" if facts.missing == 1 else "have"
    reasons = ", ".join(f"{n:,} {name}" for name, n in facts.statuses.items() if name != OK)
    yield Finding(
        "missing",
        "warning" if facts.missing > _MUCH * total else "note",
        f"{facts.missing:,} of {total:,} votes ({percent(facts.missing / total)}) {have} no outcome ({reasons}): left "
        "out, never a tie, which is right only if missing at random",
    )
    for role, tally in (("pair", facts.pairs), *facts.levels.items()):
        lost = np.array(tally.missing, dtype=np.int64)
        votes = lost + np.array(tally.decisive) + np.array(tally.ties) + np.array(tally.both_bad)
        some = votes > 0
        if share_homogeneity(lost[some], votes[some]) < _SIGNIFICANT:
            worst = int(np.argmax(np.where(some, lost / np.maximum(votes, 1), -1)))
            yield Finding(
                f"missing-by-{role.replace('_', '-')}",
                "warning",
                f"votes are missing more often for some {plural(role.replace('_', ' '))} than for others, most for "
                f"{_label(tally, worst)} ({percent(lost[worst] / votes[worst])}): margins can be biased by it",
            )


def _label(tally: Tally, place: int) -> str:
    label = tally.labels[place]
    return shown(label) if isinstance(label, str) else " and ".join(map(shown, label))


def _pair_findings(facts: VoteFacts) -> Iterator[Finding]:
    """Pairs with few votes, and groups of models that no vote connects or that never lost."""
    few = [place for place, n in enumerate(facts.pairs.decisive) if n < PILOT]
    if few and facts.decisive:
        least = sorted(few, key=lambda place: facts.pairs.decisive[place])[:_NAMED]
        listed = ", ".join(f"{_label(facts.pairs, place)} {facts.pairs.decisive[place]}" for place in least)
        have, say = ("has", "its margin says") if len(few) == 1 else ("have", "their margins say")
        yield Finding(
            "few-votes",
            "warning",
            f"{len(few):,} of {counted(len(facts.pairs.decisive), 'pair')} {have} fewer than {PILOT} decisive votes "
            f"({listed}{', ...' if len(few) > _NAMED else ''}): {say} next to nothing",
        )
    parts, sides = facts.graph.components, facts.graph.one_sided
    if len(parts) > 1:
        listed = "; ".join(_few(part) for part in parts[1 : 1 + _NAMED])
        yield Finding(
            "not-connected",
            "warning",
            f"the models fall into {len(parts):,} groups that no vote connects: {listed}"
            f"{'; ...' if len(parts) > 1 + _NAMED else ''} apart from {_few(parts[0])}; no ranking holds across groups",
        )
    elif len(sides) > 1 and facts.models > 2:
        yield Finding(
            "one-sided",
            "warning",
            f"the models fall into {len(sides):,} groups of which none both beat and lost to another, such as "
            f"{_few(sides[-1])}: ratings by maximum likelihood are infinite",
        )


def _few(models: Sequence[str]) -> str:
    named = ", ".join(map(shown, models[:_NAMED]))
    return named + (f" and {len(models) - _NAMED:,} more" if len(models) > _NAMED else "")


def _dependence_findings(group: Grouping) -> Iterator[Finding]:
    """Votes that share a judge, a prompt or a cluster."""
    role = group.role
    if group.groups > 1 and group.most > _LARGE * group.votes:
        share = f"{percent(group.most / group.votes)} of the votes"
        yield Finding(
            f"largest-{role}",
            "warning",
            f"{share} are of one {role}, {shown(group.largest)}: the result is mostly about it",
        )
    if group.groups == 1 and group.votes > 1:
        yield Finding(f"one-{role}", "warning", f"1 {role}: nothing here says what another would give")
    elif group.groups < CLUSTERS and group.repeated:
        yield Finding(
            f"few-{plural(role)}",
            "warning",
            f"{counted(group.groups, role)}, worth {group.effective:.1f} of equal size: their votes say little about "
            f"other {plural(role)}, and a standard error clustered by fewer than {CLUSTERS} is not to be trusted",
        )
    if group.gathered > 1:
        in_pair = f"{group.gathered_in_pair:,.1f} times" if group.gathered_in_pair > 1 else "1 time"
        yield Finding(
            f"dependence-{role}",
            "note",
            f"{percent(group.repeated)} of the votes share their {role} with another ({group.mean:,.1f} per {role}, "
            f"{counted(group.groups, role)} worth {group.effective:,.0f} of equal size). If those were all alike, the "
            f"variance of a share over all votes would be {group.gathered:,.1f} times that of independent ones, "
            f"{in_pair} for a single pair",
        )


def _order_findings(facts: VoteFacts) -> Iterator[Finding]:
    """Wins of the model shown first; of the one written first, where the order is not known."""
    sides = facts.written if facts.first is None else facts.first
    if not sides.decisive:
        return
    share, low, high = share_interval(sides)
    won = (
        f"{percent(share)} of {counted(sides.decisive, 'decisive vote')} ({_LEVEL:.0%} interval {percent(low)} to "
        f"{percent(high)} if votes are independent)"
    )
    significant = float(p_value(sides.won, sides.decisive)) < _SIGNIFICANT
    if facts.first is not None:
        fix = "; balance the order within pairs, or margins carry it" if significant else ""
        severity: Severity = "warning" if significant else "note"
        yield Finding("order-effect", severity, f"the model shown first won {won}{fix}")
    elif significant:
        fix = "if that is shown first, say " + argument("order", "model_a", group="roles")
        yield Finding("written-first", "note", f"the model in column model_a won {won}: " + fix)


def _unusable_findings(facts: VoteFacts) -> Iterator[Finding]:
    """Judges whose votes say nothing, and models compared with themselves."""
    if facts.constant_judges:
        share = percent(facts.constant_votes / facts.votes)
        yield Finding(
            "constant-judges",
            "warning",
            f"{counted(len(facts.constant_judges), 'judge')} always chose the same side, or always tied, in {CONSTANT} "
            f"votes or more ({_few(facts.constant_judges)}), {share} of the votes: leave them out, or see whether the "
            "source sorts the two models by outcome",
        )
    if facts.itself:
        rows, verb = counted(facts.itself, "row"), "is" if facts.itself == 1 else "are"
        yield Finding("itself", "note", f"{rows} compared a model with itself and {verb} left out")
