"""What every figure of the report of votes says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.estimate.wording import counted
from quorate.report import votes_tables as tables
from quorate.report.captions import Caption
from quorate.report.tables import known
from quorate.report.words import number

if TYPE_CHECKING:
    from quorate.report.votes_view import VotesView


def margins(view: VotesView) -> Caption:
    """Half of the pairs are closer than so much."""
    at = dict(zip(view.quantiles.probability, view.quantiles.margin, strict=True))
    needed = dict(zip(view.quantiles.probability, view.quantiles.n, strict=True))[0.5]
    votes = f"which needs {needed:,.0f} votes" if np.isfinite(needed) else "which no number of votes can see"
    return Caption(
        f"Half of the pairs have a margin of {number(at[0.5], 3)} or less, {votes}",
        (
            f"Share of {counted(len(view.found), 'pair')} whose margin is at most so large.",
            "Margin: the share of decisive votes for the better model, less .5; noise inflates that of near ties.",
            f"Intervals: {_level(view)}, bootstrap over pairs. {_needed(view)}",
        ),
    )


def pairs(view: VotesView) -> Caption:
    """All pairs, the closest first."""
    return Caption(
        f"All {counted(len(view.found), 'pair')}, the closest first",
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
        finding = f"Even {found.budgets[-1]:,} votes each decide only {found.corrected[-1]:.0%} of the pairs"
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
    if not rows:
        return Caption("No ratio of standard errors is known", (line,))
    worst = max(rows, key=lambda row: float(row["ratio"]))
    ratio = number(worst["ratio"], 2)
    finding = f"By {worst['by']}, the standard error of the median pair is {ratio} times the independent one"
    return Caption(finding, (line,))


def analyses(view: VotesView) -> Caption:
    """How many analyses are possible."""
    possible = sum(one.possible for one in view.support.analyses)
    return Caption(f"{possible} of {len(view.support.analyses)} analyses of these votes are possible", ())


def facts(view: VotesView) -> Caption:
    """How much was read."""
    return Caption(f"{counted(view.votes.n, 'vote')} between {counted(len(view.votes.models), 'model')}", ())


def _needed(view: VotesView) -> str:
    margins = view.found.margins
    return f"Votes needed: by a test with level {margins.alpha:g} and power {margins.power:g}, at the margin."


def _level(view: VotesView) -> str:
    return f"{view.quantiles.level * 100:g}%"
