"""Groups of judges: what each says beside the others, what makes up its variance, what panels out of it are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.panel import SHORT, PanelAnalysis
from quorate.analysis.words import cut, number, significant
from quorate.planning.panel.groups import ANY
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import palette
from quorate.reporting.page import Caption, Figure, Short
from quorate.reporting.pages.panel.biases import estimate
from quorate.reporting.pages.panel.drawing import axis, headers
from quorate.roles import JUDGE
from quorate.wording import counted, decimals, listed, plural, whole_percent

if TYPE_CHECKING:
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row


def means(view: PanelAnalysis) -> Figure | None:
    """Every group against the average of the groups; None without groups."""
    found = view.panel.group_bias
    if found is None:
        return None
    rows: list[Row] = [
        {
            "group": cut(one.judge, 80),
            "system": "" if one.system is None else view.systems[one.system],
            **estimate(one),
        }
        for one in (*found.overall, *found.by_system)
    ]
    most = max(found.overall, key=lambda one: abs(one.bias))
    side = "above" if most.bias > 0 else "below"
    shown = "" if most.verdict else ", which may be chance"
    role = _role(view)
    finding = (
        f"{cut(most.judge, SHORT)} scores {number(abs(most.bias), decimals(most.se))} {side} the average of the "
        f"{plural(role)}{shown}"
    )
    line = f"Mean score by the judges of each {role}, who weigh equally, less the average of the {plural(role)}"
    lines = (f"{line}, with {view.coverage} intervals. {found.scope}",)

    def chart() -> Spec:
        colour = palette(view.panel.judgments.names)[JUDGE]
        drawn = [row for row in rows if not row["system"]]
        return marks.dots(drawn, "group", "bias", axis(view, f"{role} less average, in"), colour, at=0.0)

    hidden = ("system",) if view.alone else ()
    table = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    heads = headers(view) | {"system": view.system, "group": role}
    return Figure(
        "panel-groups",
        Caption(finding, lines),
        table,
        chart,
        heads,
        short=Short(
            {"group": _role(view), "system": "system", "bias": "bias", "low": "interval", "verdict": ""},
            of="bias",
            at=0.0,
        ),
    )


def variances(view: PanelAnalysis) -> Figure | None:
    """What makes up the variance of the mean by each group, in the study as it was made; None without groups."""
    found = view.panel.groups
    if not found:
        return None
    rows: list[Row] = [
        {
            "system": "" if view.alone else view.systems[system],
            "group": cut(one.group, 80),
            "judges": len(one.judges),
            "mean": one.mean,
            "se": one.se,
            "se_like_these": one.se_population,
            **{name: one.shares.get(name) for name in _terms(view)},
        }
        for system in view.order
        if system in found
        for one in found[system].variances
    ]
    system = next(name for name in view.order if name in found)
    first = found[system].variances
    named = [f"{significant(one.se, 2)} by {cut(one.group, SHORT)}" for one in first]
    finding = f"The mean{view.whose(system)} has a standard error of {listed(named)}"
    line = (
        f"Each {_role(view)} is fitted by itself. Columns of components: share of the variance of the mean for judges "
        "like these in this study; with one judge, for that judge. A few judges say little of how others like them "
        "would differ."
    )
    heads = headers(view) | {"system": view.system, "group": _role(view), "se": "standard error, these judges"}
    heads |= {"se_like_these": "judges like these"} | {name: name.replace(":", " × ") for name in _terms(view)}
    hidden = ("system",) if view.alone else ()
    shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    return Figure(
        "panel-group-variances",
        Caption(finding, (line,)),
        shown,
        None,
        heads,
        short=Short(
            {
                "system": "system",
                "group": _role(view),
                "judges": "judges",
                "mean": "mean",
                "se": "SE, these",
                "se_like_these": "like these",
            }
        ),
    )


def panels(view: PanelAnalysis) -> Figure | None:
    """What the price of the study buys out of each group, of any judges and of one of each; None where not known."""
    found = {name: view.panel.groups[name] for name in view.order if name in view.panel.groups}
    rows: list[Row] = [
        {
            "system": "" if view.alone else view.systems[system],
            "panel": cut(one.label, 80),
            "precision": one.precision,
            "low": one.low,
            "high": one.high,
            "se": one.panel.se,
            "items": one.panel.items,
            "cost": one.panel.cost,
            "judges": cut(", ".join(view.judges[name] for name in one.panel.judges), 200),
        }
        for system, groups in found.items()
        for one in groups.panels
    ]
    if not rows:
        return None
    system, first = next((name, groups) for name, groups in found.items() if groups.panels)
    alone = [one for one in first.panels if one.label in {other.group for other in first.variances}]
    best, least = max(alone, key=lambda one: one.precision), min(alone, key=lambda one: one.precision)
    finding = (
        f"For the same money, judges of {cut(best.label, SHORT)} alone buy {whole_percent(best.precision)} of the "
        f"precision of the best panel{view.whose(system)}, of {cut(least.label, SHORT)} alone "
        f"{whole_percent(least.precision)}"
    )
    line = (
        f"Precision: squared half interval of the most precise panel of {ANY}, over that of this one; each spends "
        f"{first.cost:,.4g}, what this study cost, on new {plural(cut(view.item))} with one judge in turn. All stand "
        f"for the average of {counted(len(view.judges), JUDGE)}, less the bias that this study expects. Intervals: "
        f"{view.coverage}, {view.panel.resamples:,} studies of resampled {plural(cut(view.item))}, the panels held."
    )

    def chart() -> Spec:
        drawn = [row for row in rows if row["system"] == ("" if view.alone else view.systems[system])]
        colour = palette(view.panel.judgments.names)[JUDGE]
        return marks.dots(drawn, "panel", "precision", "precision for the same money, best = 1", colour, at=1.0)

    heads = headers(view) | {"system": view.system, "panel": "panel out of", "cost": "price"}
    hidden = ("system",) if view.alone else ()
    shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    return Figure(
        "panel-group-panels",
        Caption(finding, (line,)),
        shown,
        chart,
        heads,
        short=Short(
            {
                "panel": "panel out of",
                "system": "system",
                "items": "items",
                "se": "SE",
                "precision": "precision",
                "low": "interval",
            },
            of="precision",
        ),
    )


def _role(view: PanelAnalysis) -> str:
    by = view.panel.grouping
    return cut("group" if by is None else by.role, SHORT)


def _terms(view: PanelAnalysis) -> tuple[str, ...]:
    """Components that any group has."""
    found = view.panel.groups.values()
    return tuple(dict.fromkeys(name for groups in found for one in groups.variances for name in one.shares))
