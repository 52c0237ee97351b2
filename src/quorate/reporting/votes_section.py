"""The sections of the report of votes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import share
from quorate.reporting import votes_captions as captions
from quorate.reporting import votes_figures as figures
from quorate.reporting import votes_tables as tables
from quorate.reporting.draw.marks import known
from quorate.reporting.page import Figure, Section
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.analysis.votes import VotesView
    from quorate.estimate.doctor.support import VotesSupport

_DECIDED = {
    "votes": "votes for each pair",
    "decided": "share decided, as estimated",
    "corrected": "without noise",
    "within_reach": "share with enough power",
}
_EQUAL = {"votes": "votes for each pair", "z": "z, median study", "low": "10% of studies", "high": "90% of studies"}
_STABILITY = {
    "early": "margin, first votes",
    "rest": "margin, others",
    "late": "margin, last votes",
    "final": "margin, all votes",
    "drift_p": "p of no change",
    "others": "other votes",
}
_DEPENDENCE = {
    "ratio": "ratio, median pair",
    "low": "10% of pairs",
    "high": "90% of pairs",
    "design_effect": "median design effect",
    "icc": "median ICC",
    "repeated": "clusters with several votes, share",
}


def votes_sections(view: VotesView) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    return _margins(view), _decided(view), _stability(view), _dependence(view), votes_health(view.support)


def votes_facts(view: VotesView) -> Figure:
    """What was read and used, for the section on methods."""
    return Figure("votes", captions.facts(view.votes), tables.facts(view))


def votes_health(support: VotesSupport) -> Section:
    """What the votes support, and what is wrong with them."""
    found = tuple(f"{one.severity.capitalize()}: {shown(one.sentence, 500)}." for one in support.findings)
    table = Figure("analyses", captions.analyses(support), tables.analyses(support))
    return Section("health", "Data health", found or ("Nothing was found that stands in the way.",), (table,))


def _margins(view: VotesView) -> Section:
    heads = {"share": "of pairs at most", "corrected": "without noise", "n": "votes needed"}
    chart = partial(figures.margins, view)
    main = Figure("margins", captions.margins(view), tables.quantiles(view), chart, heads, unfolded=True)
    heads = {"implied": "votes needed, by formula", "needed": "needed, of those studied", "ties": "share of ties"}
    every = Figure("pairs", captions.pairs(view), tables.pairs(view), None, heads, folded=True)
    return Section("margins", "How far apart the models are", (view.near.sentence,), (main, every))


def _decided(view: VotesView) -> Section:
    chart = Figure("decided", captions.decided(view), tables.decided(view), partial(figures.decided, view), _DECIDED)
    rows, drawn = tables.equal(view), partial(figures.equal, view) if known(tables.equal(view), "z") else None
    same = Figure("equal-budget", captions.equal(view), rows, drawn, _EQUAL, unfolded=True)
    return Section("decided", "How many votes decide", (_reach(view),), (chart, same))


def _reach(view: VotesView) -> str:
    """Share of pairs with enough power, for a few numbers of votes."""
    found = view.found
    few = dict.fromkeys((0, len(found.budgets) // 2, len(found.budgets) - 1))
    reach = listed(f"{share(found.within_reach[j])} with {found.budgets[j]:,}" for j in few)
    return f"Pairs that have power {found.target:g} or more at their estimated margin: {reach} votes each."


def _stability(view: VotesView) -> Section:
    found, title = view.stability, "Early votes and later ones"
    if found is None:
        text = f"Early votes are not compared with later ones: {shown(view.stability_reason, 500)}."
        return Section("stability", title, (text,), ())
    kept, near = found.persistent(view.near.tau)
    were = f"{kept:,} of {counted(near, 'pair')} with a margin of {view.near.tau:g} or less in the first votes"
    text = f"{were} {'has' if kept == 1 else 'have'} one in all votes." if near else "No pair was nearly tied at first."
    main = Figure("stability", captions.drift(found), tables.drift(found), partial(figures.drift, found), _STABILITY)
    return Section("stability", title, (text,), (main,))


def _dependence(view: VotesView) -> Section:
    rows, title = tables.dependence(view), "Votes that resemble each other"
    if not rows:
        reason = "Nothing is known that votes share, such as a prompt or a judge: they are taken as independent."
        return Section("dependence", title, (reason,), ())
    chart = partial(figures.dependence, view) if known(rows, "ratio") else None
    text = tuple(shown(one.summary().sentence, 500) for one in view.dependence)
    main = Figure("dependence", captions.dependence(view), rows, chart, _DEPENDENCE, unfolded=True)
    return Section("dependence", title, text, (main,))
