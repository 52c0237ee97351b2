"""What every figure on agreement with people says."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import number, p_value, share
from quorate.reporting import agreement_tables as tables
from quorate.reporting.page import Caption
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView

_SHORT = 40


def rates(view: AgreementView) -> Caption:
    """Which pipeline agrees most."""
    best, level = view.best, f"{100 * view.found.level:.4g}%"
    where = "" if best.clusters is None else f" in {best.clusters:,} clusters by {shown(view.found.cluster or '')}"
    finding = f"{shown(best.pipeline, _SHORT)} decides {share(best.value)} of {best.n:,} battles{where} as people do"
    lines = (
        f"Share of battles with the verdict of people, with {level} intervals for each.",
        "Circles: a tie is right where people tie. Diamonds: only battles that neither calls a tie.",
    )
    return Caption(finding, lines)


def categories(view: AgreementView) -> Caption:
    """How agreement differs between categories."""
    own = [one for one in view.found.rates if one.category != "all" and one.kind == "overall" and one.n]
    own = [one for one in own if one.pipeline == view.best.pipeline]
    low, high = (choose(own, key=lambda one: one.value) for choose in (min, max))
    name = shown(view.best.pipeline, _SHORT)
    span = (
        f"{share(low.value)} of {shown(low.category, _SHORT)} to {share(high.value)} of {shown(high.category, _SHORT)}"
    )
    level = f"{100 * view.found.level:.4g}%"
    return Caption(f"{name} agrees in {span}", (f"By category, ties included, with {level} intervals for each.",))


def differences(view: AgreementView) -> Caption:
    """Which difference is surest."""
    own = [
        one for one in view.found.differences if one.category == "all" and one.kind == "overall" and not isnan(one.p)
    ]
    lines: tuple[str, ...] = (
        "Points of percent, on the battles that people and both pipelines decided; each interval for itself.",
    )
    if not own:
        return Caption("No two pipelines can be compared", lines)
    first = min(own, key=lambda one: (one.p, -abs(one.value)))
    more, less = (first.first, first.second) if first.value >= 0 else (first.second, first.first)
    points = number(100 * abs(first.value), 1)
    said = f"{shown(more, _SHORT)} agrees in {points} points more than {shown(less, _SHORT)} ({p_value(first.p)})"
    if len(own) > 1:
        lines = (*lines, f"The title has the smallest of {len(own)} p-values, which is not corrected for the choice.")
    return Caption(said, lines)


def ties(view: AgreementView) -> Caption:
    """How ties of judges and people compare."""
    name, found = view.best.pipeline, view.found
    own, people = share(found.ties[name]), share(found.human_ties[name])
    finding = f"{shown(name, _SHORT)} calls {own} of the battles a tie, people {people}"
    return Caption(finding, ("Threshold: the least margin at which a pipeline prefers a model.",))


def positions(view: AgreementView) -> Caption:
    """Who prefers a position."""
    sure = sum(one.p < 0.05 for one in view.positions)
    finding = f"{sure} of {counted(len(view.positions), 'judge')} surely prefer a position"
    lines = (
        "Share of choices that were shown first, in battles judged in both orders; dashed: one half, no bias.",
        "Consistent: the same response wins in both orders.",
    )
    return Caption(finding, lines)


def cells(view: AgreementView) -> Caption:
    """Where judgments are right most often, and least."""
    rows, found = tables.cells(view), view.cells
    if found is None or not rows:
        return Caption("No cells", ())
    roles = " and ".join(shown(role, _SHORT) for role in found.roles)
    ends = " to ".join(f"{share(row['right'])} ({row['cell']})" for row in (rows[-1], rows[0]))
    level = f"{100 * found.level:.4g}%"
    lines = (
        f"Right judgments by {roles}, clustered by {shown(found.cluster, _SHORT)}.",
        f"Thick: {level} interval of a cell chosen beforehand; thin: for all {len(rows)} cells at once.",
    )
    return Caption(f"Judgments are right in {ends}", lines)


def facts(view: AgreementView) -> Caption:
    """What was compared."""
    return Caption(f"What was compared: {counted(len(view.found.ties), 'pipeline')} of judges with people", ())
