"""The numbers of the report of votes, as rows of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.labels import shown
from quorate.estimate.votes.margin_law import EDGES
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.votes import VotesView
    from quorate.estimate.doctor.support import VotesSupport
    from quorate.estimate.votes.stability import Stability
    from quorate.reporting.page import Row

ESTIMATED, CORRECTED = "as estimated", "without the noise of votes"
MOST_STEPS = 200
"""Points of the curve of estimated margins; with more pairs, it goes through quantiles."""
LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
"""Quantiles of ratios over pairs."""


def quantiles(view: VotesView) -> list[Row]:
    """Quantiles of margins over pairs, with the votes that each needs."""
    at = view.quantiles
    columns = (at.probability, at.margin, at.low, at.high, at.corrected, map(_whole, at.n))
    names = ("share", "margin", "low", "high", "corrected", "n")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def cumulative(view: VotesView) -> list[Row]:
    """Share of pairs whose margin is at most so large: as estimated, and in the law without noise."""
    margin = view.found.margins.absolute
    at = np.linspace(0, 1, min(len(margin), MOST_STEPS) + 1)[1:]
    steps = np.quantile(margin, at, method="inverted_cdf")
    whole = np.append(0.0, np.cumsum(view.found.law.chance))
    drawn = ((ESTIMATED, np.append(0.0, steps), np.append(0.0, at)), (CORRECTED, EDGES, whole))
    return [
        {"law": law, "margin": float(x), "share": float(y)}
        for law, xs, ys in drawn
        for x, y in zip(xs, ys, strict=True)
    ]


def pairs(view: VotesView) -> list[Row]:
    """Every pair with enough votes, the closest first."""
    found, needed = view.found.margins, view.found.needed
    return [
        {
            "pair": shown(found.pairs[i]),
            "votes": int(found.n[i]),
            "margin": float(found.margin[i]),
            "low": float(found.low[i]),
            "high": float(found.high[i]),
            "implied": _whole(float(found.implied[i])),
            "needed": None if np.isnan(needed[i]) else int(needed[i]),
            "ties": float(found.tie_share[i]),
        }
        for i in np.argsort(found.absolute, kind="stable").tolist()
    ]


def decided(view: VotesView) -> list[Row]:
    """Share of pairs that so many votes each would decide."""
    found = view.found
    names = ("decided", "low", "high", "corrected", "within_reach")
    values = (found.decided, found.decided_low, found.decided_high, found.corrected, found.within_reach)
    columns = zip(*(one.tolist() for one in values), strict=True)
    return [
        {"votes": n, **dict(zip(names, row, strict=True))}
        for n, row in zip(found.budgets.tolist(), columns, strict=True)
    ]


def dependence(view: VotesView) -> list[Row]:
    """Clustered over independent standard errors, over pairs, for each facet that votes share."""
    rows = []
    for one in view.dependence:
        found = one.summary((LOW, MIDDLE, HIGH))
        low, middle, high = found.ratio
        levels = len(view.votes.facet(one.by).levels)
        row = {"by": shown(one.by), "levels": levels, "pairs": found.pairs, "ratio": middle, "low": low, "high": high}
        rows.append({**row, "design_effect": found.design_effect, "icc": found.icc, "repeated": found.repeated})
    return rows


def equal(view: VotesView) -> list[Row]:
    """How many standard errors the shares of studies are from one half, with the same votes for every pair."""
    return [{"votes": one.votes, "z": one.median, "low": one.low, "high": one.high} for one in view.equal]


def drift(found: Stability) -> list[Row]:
    """Every pair's margin in its first votes and in the others; that which changed most surely comes first."""
    names = ("early", "rest", "late", "final", "drift_p")
    return [
        {
            "pair": shown(found.pairs[i]),
            **{name: float(getattr(found, name)[i]) for name in names},
            "others": int(found.rest_n[i]),
        }
        for i in np.argsort(found.drift_p, kind="stable").tolist()
    ]


def analyses(support: VotesSupport) -> list[Row]:
    """Every analysis, those that are possible first."""
    ordered = sorted(support.analyses, key=lambda one: not one.possible)
    return [
        {"analysis": one.name, "possible": one.possible, "reason": one.reason, "to_make_it_possible": one.fix}
        for one in ordered
    ]


def read(support: VotesSupport) -> list[Row]:
    """What was read."""
    found = support.facts
    said = {
        "votes": f"{found.votes:,}: {found.decisive:,} decisive, {counted(found.ties, 'tie')}, "
        f"{found.both_bad:,} both bad",
        "without an outcome": f"{found.missing:,}",
        "models": f"{counted(found.models, 'model')} in {counted(len(found.pairs.decisive), 'pair')}",
    }
    said |= {shown(f"levels of {role}"): f"{levels:,}" for role, levels in found.roles.items()}
    return _facts(said)


def facts(view: VotesView) -> list[Row]:
    """What was read and what of it was used."""
    margins = view.found.margins
    used = {
        "pairs used": f"{len(margins):,}, with {margins.minimum:,} decisive votes or more",
        "pairs left out": f"{margins.left_out:,}, with fewer",
        "ties": "left out" if margins.ties == "drop" else margins.ties,
    }
    return [*read(view.support), *_facts(used)]


def _facts(said: dict[str, str]) -> list[Row]:
    return [{"what": what, "as_read": text} for what, text in said.items()]


def _whole(votes: float) -> float:
    """A number of votes as a whole one; infinite where no number would do."""
    return int(votes) if np.isfinite(votes) else votes
