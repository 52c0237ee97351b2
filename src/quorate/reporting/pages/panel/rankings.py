"""Rankings: what one judge alone would rank first, and which orders it would reverse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.analysis.panel import LEAST_P, PanelAnalysis
from quorate.analysis.words import cut, number, p_text
from quorate.reporting.page import Caption, Figure, Short
from quorate.reporting.pages.panel.drawing import axis, grouped, headers, systems, tiles
from quorate.wording import counted, plural

if TYPE_CHECKING:
    from quorate.estimate.panel.reversals import Order, Reversals
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

PANEL = "whole panel"
FEW = 10
"""Rows of a table that are read at a glance."""


def rankings(view: PanelAnalysis, found: Reversals) -> Figure:
    """Mean of every system by the whole panel and by every judge, with its rank there; who would change the first."""
    orders: dict[str | None, tuple[str, ...]] = {None: found.order}
    orders |= {one.judge: one.order for one in _lenient_first(view, found.judges)}
    table = {(one.judge, one.system): one for one in found.table}
    rows: list[Row] = [
        {
            "judge": PANEL if judge is None else view.judges[judge],
            "system": view.systems[system],
            "rank": order.index(system) + 1,
            "moved": found.order.index(system) - order.index(system),
            "mean": table[judge, system].mean,
            **{name: getattr(table[judge, system], name) for name in ("se", "low", "high", "n")},
        }
        for judge, order in orders.items()
        for system in found.order
    ]
    line = f"Mean score of every {view.system} by each judge alone and by the panel, with {view.coverage} intervals"
    sure = (
        "A reversal is sure if the panel's difference and the judge's are both shown to be other than zero, looking at "
        "all judges and pairs together (Holm); otherwise it is possible, no more."
    )
    read = "Drawn: ranks, 1 the best; blue: above the rank that the panel gives, orange: below it."
    lines = (f"{line}; n = {counted(found.means.n_items, cut(view.item))}.", *([read] if view.many else []), sure)

    def chart() -> Spec:
        if view.many:
            return tiles(rows, "moved", "d", "places up", text="rank")
        return grouped(rows, "judge", "mean", systems(view), axis(view, "mean of"))

    heads = headers(view) | {"system": view.system, "moved": "places above the panel's"}
    return Figure("panel-rankings", Caption(_finding(view, found), lines), rows, chart, heads)


def orders(view: PanelAnalysis, found: Reversals) -> Figure:
    """The order that every judge alone would give, how it agrees with the panel's, and the pairs it turns round."""
    rows: list[Row] = [{"judge": PANEL, "order": _order(view, found.order)}]
    for one in _lenient_first(view, found.judges):
        sure = [reversal.sure for reversal in found.found if reversal.judge == one.judge]
        rows.append(
            {
                "judge": view.judges[one.judge],
                "order": _order(view, one.order),
                "tau": one.tau,
                "other_first": one.top_differs,
                "surely_reversed": sum(sure),
                "possibly_reversed": len(sure) - sum(sure),
            }
        )
    taus = [one.tau for one in found.judges if not math.isnan(one.tau)]
    ends = list(dict.fromkeys(number(end, 2) for end in (min(taus), max(taus)))) if taus else ["not known"]
    finding = (
        f"The order each judge alone would give agrees with the panel's with a Kendall's tau of {' to '.join(ends)}"
    )
    heads = headers(view) | {"system": view.system, "moved": "places above the panel's"}
    heads |= {"other_first": "another first", "surely_reversed": "surely reversed"}
    caption = Caption(finding, ("Best first. Tau: 1 is the same order, -1 the reverse.",))
    return Figure(
        "panel-orders",
        caption,
        rows,
        None,
        heads,
        folded=len(rows) > FEW,
        short=Short({"judge": "judge", "order": "order", "tau": "tau", "other_first": "another first"}),
    )


def reversals(view: PanelAnalysis, found: Reversals) -> Figure | None:
    """Every pair of systems that a judge alone would turn round, sure ones first; None where there is none."""
    if not found.found:
        return None
    rows: list[Row] = [
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
            "p_holm": p_text(one.p_holm, LEAST_P),
            "reversal": one.verdict,
        }
        for one in found.found
    ]
    finding = f"{counted(len(rows), 'reversal')} by single judges: {by_verdict(found)}"
    line = f"Differences between two {plural(view.system)}, by the panel and by the judge alone, with intervals"
    caption = Caption(finding, (f"{line} ({view.coverage}); p: adjusted for all judges and pairs (Holm).",))
    return Figure(
        "panel-reversals",
        caption,
        rows,
        None,
        headers(view),
        folded=True,
        short=Short(
            {
                "judge": "judge",
                "judge_has_first": "first",
                "panel_has_first": "panel",
                "judge_difference": "difference",
                "reversal": "reversal",
            }
        ),
    )


def by_verdict(found: Reversals) -> str:
    """How many reversals are sure, possible, or the same on every item."""
    flat = f", {len(found.without_spread)} with no spread to judge by" if found.without_spread else ""
    return f"{len(found.sure)} sure, {len(found.possible)} possible{flat}"


def _finding(view: PanelAnalysis, found: Reversals) -> str:
    """Who alone would put another system first, or turn any two round."""
    first, names = [one for one in found.judges if one.top_differs], view.short["system"]
    if not found.found:
        return f"No judge alone would reverse the order of any two {plural(view.system)}"
    if not first:
        return f"Every judge alone would put {names[found.order[0]]} first, but some change the order"
    if len(first) > 1:
        share = f"{len(first)} of {len(found.judges)} judges alone would put another {view.system} first than the panel"
        surely = {reversal.judge for reversal in found.found if reversal.sure}
        sure = sum(one.judge in surely for one in first)
        return f"{share}; {sure or 'none'} of them {'reverses' if sure == 1 else 'reverse'} an order for sure"
    alone = first[0]
    certain = next(r.sure for r in found.found if r.judge == alone.judge and r.second == alone.order[0])
    return (
        f"{view.short['judge'][alone.judge]} alone would put {names[alone.order[0]]} first, the panel "
        f"{names[found.order[0]]} ({'sure' if certain else 'possible'})"
    )


def _lenient_first(view: PanelAnalysis, orders: Sequence[Order]) -> list[Order]:
    """In the order in which biases are shown."""
    bias = {one.judge: one.bias for one in view.panel.bias.overall}
    return sorted(orders, key=lambda one: -bias[one.judge])


def _order(view: PanelAnalysis, labels: tuple[str, ...]) -> str:
    return cut(" > ".join(view.short["system"][name] for name in labels), 300)
