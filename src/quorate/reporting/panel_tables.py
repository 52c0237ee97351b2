"""The numbers behind the figures on the panel of judges, as rows of plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.panel import APART, PUBLISHED, PanelView
from quorate.estimate.panel.components import TERMS
from quorate.reporting.page import Row

if TYPE_CHECKING:
    from quorate.estimate.panel.bias import Bias
    from quorate.estimate.panel.crossed import Crossed
    from quorate.estimate.panel.reversals import Order

ALL_SYSTEMS = "on average"
PANEL = "whole panel"
LEAST_P = 1e-16
"""Below this a tail of F is no more than the arithmetic can tell from zero."""
MOST_DRAWN = 50
"""Rows of components that a chart has room for."""
_NUMBERS = ("se", "low", "high")


def bias(view: PanelView) -> list[Row]:
    """Every judge against the panel, on average and by system: the most lenient first."""
    found = view.panel.bias
    by_judge = {one.judge: [one] for one in sorted(found.overall, key=lambda one: -one.bias)}
    for one in sorted(found.by_system, key=lambda one: view.order.index(str(one.system))):
        by_judge[one.judge].append(one)
    return [_bias(view, one) for rows in by_judge.values() for one in rows]


def tests(view: PanelView) -> list[Row]:
    """Whether judges differ at all, by system: F and p against judge by item, and as published."""
    return [
        {
            "system": view.systems[name],
            "f": one.judge_test.f,
            "df": one.judge_test.df,
            "df_error": one.judge_test.df_error,
            "p": p_text(one.judge_test.p_adjusted),
            "f_published": one.paper_test.f,
            "df_error_published": one.paper_test.df_error,
            "p_published": p_text(one.paper_test.p),
            "models_differ": one.disagree,
        }
        for name, one in ordered(view)
    ]


def rankings(view: PanelView) -> list[Row]:
    """Mean of every system by the whole panel and by every judge, with its rank there; systems in the panel's order."""
    found = view.panel.reversals
    if found is None:
        return []
    orders: dict[str | None, tuple[str, ...]] = {None: found.order}
    orders |= {one.judge: one.order for one in _lenient_first(view, found.judges)}
    table = {(one.judge, one.system): one for one in found.table}
    return [
        {
            "judge": PANEL if judge is None else view.judges[judge],
            "system": view.systems[system],
            "rank": orders[judge].index(system) + 1,
            "moved": found.order.index(system) - orders[judge].index(system),
            "mean": table[judge, system].mean,
            **{name: getattr(table[judge, system], name) for name in (*_NUMBERS, "n")},
        }
        for judge in orders
        for system in found.order
    ]


def orders(view: PanelView) -> list[Row]:
    """The order that every judge alone would give, how it agrees with the panel's, and the pairs it turns round."""
    found = view.panel.reversals
    if found is None:
        return []
    rows: list[Row] = [{"judge": PANEL, "order": _order(view, found.order)}]
    for one in _lenient_first(view, found.judges):
        own = [r.sure for r in found.found if r.judge == one.judge]
        rows.append(
            {
                "judge": view.judges[one.judge],
                "order": _order(view, one.order),
                "tau": one.tau,
                "other_first": one.top_differs,
                "surely_reversed": sum(own),
                "possibly_reversed": len(own) - sum(own),
            }
        )
    return rows


def reversals(view: PanelView) -> list[Row]:
    """Every pair of systems that a judge alone would turn round, sure ones first."""
    found = view.panel.reversals
    return [
        {
            "judge": view.judges[one.judge],
            "panel_has_first": view.systems[one.first],
            "judge_has_first": view.systems[one.second],
            "panel_difference": one.panel.value,
            "panel_low": one.panel.low,
            "panel_high": one.panel.high,
            "judge_difference": one.alone.value,
            "judge_low": one.alone.low,
            "judge_high": one.alone.high,
            "p_holm": p_text(one.p_holm),
            "reversal": one.verdict,
        }
        for one in (found.found if found else ())
    ]


def preference(view: PanelView) -> list[Row]:
    """Every judge on the system that it is, the strongest preference first."""
    found = view.panel.self_preference
    return [
        {
            "judge": view.judges[one.judge],
            "system": view.systems[one.system],
            "effect": one.effect,
            **{name: getattr(one, name) for name in _NUMBERS},
            "p_holm": p_text(one.p_holm),
            "own": one.own,
            "elsewhere": one.elsewhere,
            "lift": one.lift,
            "shared_with": shown(", ".join(view.judges[name] for name in one.shared_with), 200),
        }
        for one in sorted(found.preferences if found else (), key=lambda one: -one.effect)
    ]


def components(view: PanelView) -> list[Row]:
    """Components under both models, of the systems for which they answer differently."""
    return [
        {
            "component": term(view, name) + ("" if view.alone else f" · {view.systems[system]}"),
            "model": model,
            "variance": found.values[name],
            "low": found.intervals[name][0],
            "high": found.intervals[name][1],
        }
        for system, one in ordered(view)
        if one.disagree
        for name in one.separated.values
        for model, found in ((APART, one.separated), (PUBLISHED, one.paper))
        if name in found.values
    ]


def strategies(view: PanelView) -> list[Row]:
    """Standard error by strategy and calls per item: over these items, redrawn, and over items like these."""
    check, drawn = view.check, view.drawn
    seen = {} if check is None else {(one.strategy, one.budget): one for one in check.checks}
    out = []
    for name in sorted(view.panel.strategies, key=lambda name: (name != drawn, view.order.index(name))):
        for plan in view.panel.strategies[name].rows:
            one = seen.get((plan.name, plan.budget)) if name == drawn else None
            row: Row = {"system": "" if view.alone else view.systems[name], "strategy": plan.name}
            row |= {"calls": plan.budget, "se": None, "redrawn": None, "error": None}
            if one is not None:
                se = math.sqrt(one.empirical)
                row |= {"se": math.sqrt(one.predicted), "redrawn": se, "error": one.error / (2 * se) if se > 0 else 0.0}
            out.append(row | {"se_like_these": plan.projection.se, "cost": plan.projection.cost})
    return out


def sharings(view: PanelView) -> list[Row]:
    """Ways to share the calls out over the items: standard error for this panel, calls and price."""
    found = view.panel.sharings
    return [
        {
            "system": "" if view.alone else view.systems[name],
            "sharing": shown(one.label, 200),
            "se": one.projection.se,
            "calls": one.projection.calls,
            "cost": one.projection.cost,
        }
        for name in view.order
        for one in found.get(name, ())
    ]


def ordered(view: PanelView) -> list[tuple[str, Crossed]]:
    """What is known of the crossed scores of every system, in the order of the panel."""
    found = view.panel.crossed
    return [(name, found[name]) for name in view.order if name in found]


def term(view: PanelView, component: str) -> str:
    """A component of a crossed panel by what it is the variance of."""
    return TERMS[component].replace("scenario", shown(view.item, 30)).replace(":", " × ")


def p_text(p: float) -> str:
    """A p-value, never as zero.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.0), p_text(float("nan"))
    ('0.031', '< 1e-16', 'not known')
    """
    if math.isnan(p):
        return "not known"
    return f"< {LEAST_P:g}" if p < LEAST_P else f"{p:.2g}"


def _bias(view: PanelView, one: Bias) -> Row:
    return {
        "judge": view.judges[one.judge],
        "system": ALL_SYSTEMS if one.system is None else view.systems[one.system],
        "bias": one.bias,
        **{name: getattr(one, name) for name in _NUMBERS},
        "p_holm": p_text(one.p_holm),
        "verdict": one.verdict,
        "mean": one.mean,
        "n": one.n,
    }


def _lenient_first(view: PanelView, orders: Sequence[Order]) -> list[Order]:
    """In the order in which biases are shown."""
    bias = {one.judge: one.bias for one in view.panel.bias.overall}
    return sorted(orders, key=lambda one: -bias[one.judge])


def _order(view: PanelView, systems: tuple[str, ...]) -> str:
    return shown(" > ".join(view.short["system"][name] for name in systems), 300)
