"""The section on the panel of judges: who is off, what one alone would turn round, how to share the calls out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from quorate.analysis.judgments import MOST_PARTS
from quorate.analysis.labels import shown
from quorate.analysis.panel import PanelView
from quorate.caveats import Caveat
from quorate.reporting import panel_captions as captions
from quorate.reporting import panel_figures as figures
from quorate.reporting import panel_tables as tables
from quorate.reporting.draw.marks import known
from quorate.reporting.page import Figure, Section
from quorate.reporting.panel_words import paragraphs
from quorate.roles import JUDGE
from quorate.wording import counted, plural

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis

OF_COMPONENTS = ("left-negative", "averaged-answers", "aliased")
"""Caveats about components, which are shown only where the models disagree on them."""
FEW = 10
"""Rows of a table that are read at a glance."""
_SE = {"low": "low, {}", "high": "high, {}", "se": "standard error", "p_holm": "p (Holm)"}


def panel_section(analysis: Analysis) -> Section | None:
    """The section, or None where there are no two judges."""
    view, title = analysis.judge_panel, "The panel of judges"
    if view is None:
        reason = analysis.judge_panel_reason
        text = f"The judges are not compared as a panel: {shown(reason, 500)}."
        return Section("panel", title, (text,), ()) if reason else None
    found = [*_biases(view, analysis), *_rankings(view), *_preference(view), *_components(view), *_strategies(view)]
    return Section("panel", title, tuple(paragraphs(view)), tuple(found))


def panel_caveats(analysis: Analysis) -> tuple[Caveat, ...]:
    """What the reader of the section must know and is not told already, as far as the section shows it."""
    view, said = analysis.judge_panel, {caveat.code for caveat in analysis.caveats}
    found: dict[str, list[tuple[str, Caveat]]] = {}
    for name, one in () if view is None else tables.ordered(view):
        for caveat in one.caveats:
            if caveat.code not in said and (one.disagree or caveat.code not in OF_COMPONENTS):
                found.setdefault(caveat.code, []).append((name, caveat))
    return tuple(_of_panel(view, several) for several in found.values() if view is not None)


def _of_panel(view: PanelView, several: list[tuple[str, Caveat]]) -> Caveat:
    """One caveat for all systems that it is about, with the figures of the first."""
    name, first = several[0]
    more = f" and {counted(len(several) - 1, f'more {_role(view)}')}" if len(several) > 1 else ""
    whose = "" if view.alone else f", {view.short['system'][name]}{more}"
    return Caveat(first.code, f"panel of judges{whose}: {first.sentence}")


def _biases(view: PanelView, analysis: Analysis) -> Iterator[Figure]:
    """Biases and tests by system. With one system, the chart of the effects of judges says the same if there is one."""
    heads = _headers(view) | {"system": _role(view)}
    if not view.alone or JUDGE not in analysis.effects or len(view.judges) > MOST_PARTS:
        rows = [
            {name: value for name, value in row.items() if name != "system" or not view.alone}
            for row in tables.bias(view)
        ]
        yield Figure("panel-bias", captions.bias(view), rows, partial(figures.bias, view), heads)
    if len(view.panel.crossed) > 1:
        heads |= {"f": "F", "df_error": "error df", "p": "p", "f_published": "F, published"}
        heads |= {"df_error_published": "error df, published", "p_published": "p, published"}
        yield Figure("panel-tests", captions.tests(view), tables.tests(view), None, heads, folded=True)


def _rankings(view: PanelView) -> Iterator[Figure]:
    if view.panel.reversals is None:
        return
    heads = _headers(view) | {"system": _role(view), "moved": "places above the panel's"}
    yield Figure(
        "panel-rankings", captions.rankings(view), tables.rankings(view), partial(figures.rankings, view), heads
    )
    heads |= {"other_first": "another first", "surely_reversed": "surely reversed"}
    orders = tables.orders(view)
    yield Figure("panel-orders", captions.orders(view), orders, None, heads, folded=len(orders) > FEW)
    if view.panel.reversals.found:
        yield Figure("panel-reversals", captions.reversals(view), tables.reversals(view), None, heads, folded=True)


def _preference(view: PanelView) -> Iterator[Figure]:
    if view.panel.self_preference is not None:
        heads = _headers(view) | {"system": _role(view), "effect": "self-preference", "own": "on itself"}
        heads |= {"lift": "what it adds to the panel's mean"}
        chart = partial(figures.preference, view)
        yield Figure("panel-preference", captions.preference(view), tables.preference(view), chart, heads)


def _components(view: PanelView) -> Iterator[Figure]:
    rows = tables.components(view)
    if rows:
        yield Figure(
            "panel-components", captions.components(view), rows, partial(figures.components, view), _headers(view)
        )


def _strategies(view: PanelView) -> Iterator[Figure]:
    """Strategies for the same calls; without several responses to an item, ways to share the calls out over items."""
    item = shown(view.item, 30)
    heads = {"system": _role(view), "se": "standard error", "cost": "price, USD", "sharing": "who judges what"}
    if view.drawn is None:
        rows = tables.sharings(view)
        if rows:
            yield Figure("panel-sharings", captions.sharings(view), rows, None, heads, folded=len(rows) > FEW)
        return
    heads |= {"calls": f"calls per {item}", "se": f"these {plural(item)}, predicted", "redrawn": "redrawn"}
    heads |= {"error": "± Monte Carlo", "se_like_these": f"{plural(item)} like these"}
    rows = tables.strategies(view)
    chart = partial(figures.strategies, view) if _varies(view) else None
    yield Figure("panel-strategies", captions.strategies(view), rows, chart, heads)


def _varies(view: PanelView) -> bool:
    """Whether there is anything for a log axis to show."""
    return any(row[name] > 0 for name in ("se", "se_like_these") for row in known(tables.strategies(view), name))


def _role(view: PanelView) -> str:
    return shown(view.panel.means.system or "system", 30)


def _headers(view: PanelView) -> dict[str, str]:
    level = f"{view.panel.level * 100:g}%"
    return {name: title.format(level) for name, title in _SE.items()}
