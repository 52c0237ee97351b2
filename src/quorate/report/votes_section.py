"""The sections of the report of votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.estimate.wording import listed
from quorate.report import votes_captions as captions
from quorate.report import votes_figures as figures
from quorate.report import votes_tables as tables
from quorate.report.labels import shown
from quorate.report.section import Figure, Section
from quorate.report.tables import known

if TYPE_CHECKING:
    from quorate.report.votes_view import VotesView

_DECIDED = {
    "votes": "votes for each pair",
    "decided": "share decided, as estimated",
    "corrected": "without noise",
    "within_reach": "share with enough power",
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
    return _margins(view), _decided(view), _dependence(view), _health(view)


def votes_facts(view: VotesView) -> Figure:
    """What was read and used, for the section on methods."""
    return Figure("votes", captions.facts(view), tables.facts(view))


def _margins(view: VotesView) -> Section:
    heads = {"share": "of pairs at most", "corrected": "without noise", "n": "votes needed"}
    chart = figures.margins(view)
    main = Figure("margins", captions.margins(view), tables.quantiles(view), chart, heads, unfolded=True)
    heads = {"implied": "votes needed, by formula", "needed": "needed, of those studied", "ties": "share of ties"}
    every = Figure("pairs", captions.pairs(view), tables.pairs(view), None, heads, folded=True)
    return Section("margins", "How far apart the models are", (view.near.sentence,), (main, every))


def _decided(view: VotesView) -> Section:
    chart = Figure("decided", captions.decided(view), tables.decided(view), figures.decided(view), _DECIDED)
    return Section("decided", "How many votes decide", (_reach(view),), (chart,))


def _reach(view: VotesView) -> str:
    """Share of pairs with enough power, for a few numbers of votes."""
    found = view.found
    few = dict.fromkeys((0, len(found.budgets) // 2, len(found.budgets) - 1))
    reach = listed(f"{found.within_reach[j]:.0%} with {found.budgets[j]:,}" for j in few)
    return f"Pairs that have power {found.target:g} or more at their estimated margin: {reach} votes each."


def _dependence(view: VotesView) -> Section:
    rows, title = tables.dependence(view), "Votes that resemble each other"
    if not rows:
        reason = "Nothing is known that votes share, such as a prompt or a judge: they are taken as independent."
        return Section("dependence", title, (reason,), ())
    chart = figures.dependence(view) if known(rows, "ratio") else None
    text = tuple(shown(one.summary().sentence, 500) for one in view.dependence)
    main = Figure("dependence", captions.dependence(view), rows, chart, _DEPENDENCE, unfolded=True)
    return Section("dependence", title, text, (main,))


def _health(view: VotesView) -> Section:
    found = tuple(f"{one.severity.capitalize()}: {shown(one.sentence, 500)}." for one in view.support.findings)
    table = Figure("analyses", captions.analyses(view), tables.analyses(view))
    return Section("health", "Data health", found or ("Nothing was found that stands in the way.",), (table,))
