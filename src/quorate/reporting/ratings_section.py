"""The sections of the report of a leaderboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quorate.reporting import ratings_captions as captions
from quorate.reporting import ratings_figures as figures
from quorate.reporting import ratings_tables as tables
from quorate.reporting.page import Figure, Section

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsView

_BEST = "probability of being best"
_RANKS = {
    "low": "rank, from",
    "high": "rank, to",
    "own_low": "from, if chosen beforehand",
    "own_high": "to, if chosen beforehand",
}


def ratings_sections(view: RatingsView) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    return _leaderboard(view), _ranks(view)


def ratings_facts(view: RatingsView) -> Figure:
    """What was ranked, for the section on methods."""
    return Figure("ranked", captions.facts(view), tables.facts(view), None, {"what": " ", "value": "number or choice"})


def _leaderboard(view: RatingsView) -> Section:
    level = f"{100 * view.level:.4g}%"
    heads = {"rating": view.unit, "se": "standard error", "low": f"low, {level}", "high": f"high, {level}"}
    chart, rows = partial(figures.leaderboard, view), tables.ranking(view)
    figure = Figure("leaderboard", captions.leaderboard(view), rows, chart, heads | {"share": _BEST}, unfolded=True)
    text = tuple(one for one in (view.not_rankable, view.position_words) if one)
    return Section("leaderboard", "The leaderboard", text, (figure,))


def _ranks(view: RatingsView) -> Section:
    own = Figure("ranks", captions.ranks(view), tables.ranks(view), partial(figures.ranks, view), _RANKS)
    groups = Figure("groups", captions.groups(view), tables.groups(view), None, {"which": "systems of the group"})
    if not view.told_apart or len(view.found) > figures.MOST_IN_GRID:
        return Section("ranks", "How sure the order is", (), (own, groups))
    rows = [{name: row[name] for name in ("better", "worse")} for row in tables.pairs(view)]
    heads = {"better": "surely better", "worse": "than"}
    grid = Figure("pairs", captions.pairs(view), rows, partial(figures.pairs, view), heads)
    return Section("ranks", "How sure the order is", (), (own, groups, grid))
