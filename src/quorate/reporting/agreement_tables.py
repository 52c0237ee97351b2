"""The numbers of the report on agreement with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.agreement import KINDS
from quorate.analysis.labels import distinct, shown

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView
    from quorate.reporting.page import Row

ALL = "all"


def rates(view: AgreementView) -> list[Row]:
    """One row for every pipeline, category and kind."""
    name = _names(view)
    return [
        {
            "judged_by": name[one.pipeline],
            "of": shown(one.category),
            "ties": KINDS[one.kind],
            "battles": one.n,
            "clusters": one.clusters,
            "agreement": one.value,
            "low": one.low,
            "high": one.high,
        }
        for one in view.found.rates
    ]


def differences(view: AgreementView) -> list[Row]:
    """One row for every two pipelines, category and kind; in points of percent."""
    name = _names(view)
    return [
        {
            "first": name[one.first],
            "less": name[one.second],
            "of": shown(one.category),
            "ties": KINDS[one.kind],
            "battles": one.n,
            "points": 100 * one.value,
            "low": 100 * one.low,
            "high": 100 * one.high,
            "p": one.p,
        }
        for one in view.found.differences
    ]


def ties(view: AgreementView) -> list[Row]:
    """How often every pipeline ties, beside people on the same battles."""
    name, found = _names(view), view.found
    return [
        {"judged_by": name[one], "ties": value, "people": found.human_ties[one], "threshold": found.thresholds[one]}
        for one, value in found.ties.items()
    ]


def positions(view: AgreementView) -> list[Row]:
    """Share of choices that were shown first, of every judge, in battles judged in both orders."""
    name = dict(zip((one.judge for one in view.positions), distinct([p.judge for p in view.positions]), strict=True))
    return [
        {
            "judge": name[one.judge],
            "battles": one.battles,
            "shown_first": 0.5 + one.bias,
            "low": 0.5 + one.low,
            "high": 0.5 + one.high,
            "p": one.p,
            "consistent": one.consistent,
        }
        for one in view.positions
    ]


def cells(view: AgreementView) -> list[Row]:
    """Share of right judgments in every cell, best first."""
    found = view.cells
    if found is None:
        return []
    order = sorted(found.cells, key=lambda one: -one.value)
    labels = distinct([", ".join(one.levels) for one in order])
    return [
        {
            "cell": label,
            "judgments": one.n,
            "items": one.clusters,
            "right": one.value,
            "low": one.low,
            "high": one.high,
            "all_low": one.all_low,
            "all_high": one.all_high,
        }
        for label, one in zip(labels, order, strict=True)
    ]


def facts(view: AgreementView) -> list[Row]:
    """What was compared."""
    found = view.found
    rows: dict[str, object] = {"pipelines": len(found.ties), "battles decided by both": view.best.n}
    rows |= {} if found.cluster is None else {f"clusters ({shown(found.cluster)})": view.best.clusters}
    rows |= {"categories": len(view.categories)} if view.categories else {}
    return [{"what": name, "value": value} for name, value in rows.items()]


def _names(view: AgreementView) -> dict[str, str]:
    """Pipelines fit to be shown, told apart."""
    names = list(view.found.ties)
    return dict(zip(names, distinct(names), strict=True))
