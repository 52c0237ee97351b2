"""What every figure of the report of votes says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import number, p_value, share
from quorate.decide.votes.margin import FEW_CLUSTERS
from quorate.reporting import votes_tables as tables
from quorate.reporting.draw.marks import known
from quorate.reporting.page import Caption
from quorate.wording import counted, listed, margin

if TYPE_CHECKING:
    from quorate.analysis.votes import VotesView
    from quorate.estimate.doctor.support import VotesSupport
    from quorate.estimate.votes.stability import Stability
    from quorate.table.votes import Votes


def margins(view: VotesView) -> Caption:
    """Half of the pairs are closer than so much."""
    at = dict(zip(view.quantiles.probability, view.quantiles.margin, strict=True))
    needed = dict(zip(view.quantiles.probability, view.quantiles.n, strict=True))[0.5]
    cost = f"which needs {counted(int(needed), 'vote')}" if np.isfinite(needed) else "which no number of votes can see"
    most = "Half of the pairs have a margin of" if len(view.found) > 1 else "The only pair has a margin of"
    return Caption(
        f"{most} {margin(at[0.5])}{' or less' * (len(view.found) > 1)}, {cost}",
        (
            f"Share of {counted(len(view.found), 'pair')} whose margin is at most so large.",
            "Margin: the share of decisive votes for the better model, less .5; noise inflates that of near ties.",
            f"Intervals: {_level(view)}, bootstrap over pairs. {_needed(view)}",
        ),
    )


def pairs(view: VotesView) -> Caption:
    """All pairs, the closest first."""
    return Caption(
        f"All {counted(len(view.found), 'pair')}, the closest first" if len(view.found) > 1 else "The only pair",
        (
            "A margin above 0: the second model is preferred. Exact intervals; votes taken as independent.",
            f"Needed, of those studied: the fewest votes from which on power is {view.found.target:g} or more.",
        ),
    )


def decided(view: VotesView) -> Caption:
    """How many votes decide half of the pairs, or what the largest study would decide."""
    found = view.found
    enough = np.flatnonzero(found.corrected >= 0.5)
    if len(enough):
        finding = f"Without the noise of the votes, half of the pairs are decided by {found.budgets[enough[0]]:,} each"
        finding = f"{finding} or fewer" if enough[0] == 0 else finding
    else:
        finding = f"Even {found.budgets[-1]:,} votes each decide only {share(found.corrected[-1])} of the pairs"
    return Caption(
        finding,
        (
            f"Mean chance over pairs that the exact test with level {found.margins.alpha:g} finds the difference.",
            f"Band: {_level(view)} bootstrap interval over pairs. Votes are taken as independent.",
            "As estimated takes every margin at its estimate, so that near ties look easier than they are.",
        ),
    )


def dependence(view: VotesView) -> Caption:
    """By which facet votes resemble each other most."""
    rows = known(tables.dependence(view), "ratio")
    line = (
        f"Clustered over independent standard errors of the share of each pair: median, and the {tables.LOW:.0%} and "
        f"{tables.HIGH:.0%} quantiles over pairs. 1: votes are as good as independent."
    )
    lines = (line, *few_levels(view))
    if not rows:
        return Caption("No ratio of standard errors is known", lines)
    worst = max(rows, key=lambda row: float(row["ratio"]))
    ratio = number(worst["ratio"], 2)
    finding = f"By {worst['by']}, the standard error of the median pair is {ratio} times the independent one"
    return Caption(finding, lines)


def few_levels(view: VotesView) -> tuple[str, ...]:
    """Facets with so few levels that their ratio says next to nothing."""
    few = [counted(row["levels"], row["by"]) for row in tables.dependence(view) if row["levels"] < FEW_CLUSTERS]
    return (f"Not to be trusted with fewer than {FEW_CLUSTERS}: {listed(few)}.",) if few else ()


def equal(view: VotesView) -> Caption:
    """What z half of the studies reach with the same votes for every pair."""
    clear = [one for one in view.equal if one.median >= view.reach]
    if clear:
        finding = f"With {clear[0].votes:,} votes for each pair, half of the studies are clear of an even split"
        finding = finding.replace("votes", "votes or fewer", 1) if clear[0] is view.equal[0] else finding
    else:
        most = view.equal[-1]
        finding = f"Even with {most.votes:,} votes for each pair, most studies cannot rule out an even split"
    reach, level = number(view.reach, 2), f"{view.found.margins.alpha:g}"
    agree = "Unbounded: all votes of the study agree."
    unanimous = (agree,) if any(np.isinf(one.high) for one in view.equal) else ()
    return Caption(
        finding,
        (
            "z: how many standard errors the share of votes in a study is from one half.",
            f"From about {reach} on (dashed), a test with level {level} finds a difference.",
            "Every pair is given the same number of votes, so that none looks clear only because it was voted on more.",
            "Dot: the median over pairs and studies; line: the 10% to the 90% quantile. Votes taken as independent.",
            *unanimous,
        ),
    )


def drift(found: Stability) -> Caption:
    """Whether early votes said what the others say."""
    first = f"the first {found.first:,} votes"
    if len(found.pairs) == 1:
        moved = f"A margin of {margin(found.early[0])} in {first}, of {margin(found.rest[0])} in the others"
        return Caption(f"{moved} ({p_value(float(found.drift_p[0]))} of no change)", _order(found))
    if not np.isfinite(found.spearman):
        return Caption("Margins cannot be ranked: all pairs have the same", (*_order(found), _chance(found)))
    noise = f"; noise alone leaves {found.expected:.2f}" if np.isfinite(found.expected) else ""
    finding = (
        f"Margins in {first} of each pair and in its others have a rank correlation of {found.spearman:.2f}{noise}"
    )
    return Caption(finding, (*_order(found), _chance(found)))


def _order(found: Stability) -> tuple[str, str]:
    """How to read the chart, and what was taken as the order."""
    rows = "of their rows, which is time only if the file is in that order"
    return (
        f"Each dot is a pair: margin in the first {found.first:,} votes against that in the others; dashed: no change.",
        f"Votes are in the order {'of time' if found.ordered_by == 'time' else rows}.",
    )


def _chance(found: Stability) -> str:
    changed = f"{share(found.drifting)} of {counted(len(found.pairs), 'pair')} changed at level 0.05"
    return f"{changed}; about 5% do by chance alone. Votes taken as independent."


def analyses(support: VotesSupport) -> Caption:
    """How many analyses are possible."""
    possible = sum(one.possible for one in support.analyses)
    return Caption(f"{possible} of {len(support.analyses)} analyses of these votes are possible", ())


def facts(votes: Votes) -> Caption:
    """How much was read."""
    return Caption(f"{counted(votes.n, 'vote')} between {counted(len(votes.models), 'model')}", ())


def _needed(view: VotesView) -> str:
    margins = view.found.margins
    return f"Votes needed: by a test with level {margins.alpha:g} and power {margins.power:g}, at the margin."


def _level(view: VotesView) -> str:
    return f"{view.quantiles.level * 100:g}%"
