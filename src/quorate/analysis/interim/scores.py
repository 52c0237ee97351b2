"""Scores so far: the mean at each look for the judges that were asked, and the differences of systems."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from quorate.analysis.interim.result import MOST_PAIRS, Decision, Interim, Look
from quorate.analysis.judgments import Analysis, analyze_judgments
from quorate.collect.ledger.facts import planned_by
from quorate.collect.ledger.ledger import Ledger
from quorate.decide.anytime import anytime_difference, anytime_mean
from quorate.errors import NotEstimable
from quorate.estimate.agreement.coefficients import pairwise_agreement
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import PANEL
from quorate.roles import SYSTEM
from quorate.study.file import Study
from quorate.study.questions import prompt_of
from quorate.study.status import Status
from quorate.table.arrived import ArrivedScores
from quorate.table.judgments import Judgments
from quorate.wording import counted


def of_scores(study: Study, status: Status, found: ArrivedScores, known: dict[int, Look], level: float) -> Interim:
    """What the scores of a study say so far; looks that are known are taken over."""
    # A policy, or a goal, asks by the scores, which choose who is finished.
    scale = None if study.adaptive or study.goal else scale_of(study)
    planned = _planned(study, found.table.object)

    def look(size: int, table: Judgments, analysis: Analysis | None) -> Look:
        return _look(size, table, analysis, _finished(table, planned), scale, level)

    def earlier(size: int) -> Look:
        table = found.first(size)
        return look(size, table, _analysed(table, level)[0])

    *before, now = found.sizes
    looks = [known.get(size) or earlier(size) for size in before]
    table = found.first(now)
    analysis, why = _analysed(table, level)
    own = () if analysis is None else analysis.caveats
    return Interim(
        status,
        "scores",
        level,
        (*looks, look(now, table, analysis)),
        decisions=() if scale is None else tuple(_decided(_finished(table, planned), scale, level)),
        sources=() if analysis is None else analysis.sources,
        advice=() if analysis is None else tuple(_bought(analysis)),
        agreement=pairwise_agreement(table, people=study.people, level=level),
        unknown=why,
        caveats=tuple(dict.fromkeys((*found.caveats, *own))),
    )


def scale_of(study: Study) -> tuple[float, float]:
    """Least and greatest score that there can be."""
    expects = prompt_of(study, *next(iter(study.prompts.items()))).expects
    return expects.low, expects.high


def _planned(study: Study, facet: str) -> dict[str, int]:
    """Cells planned for every level of a facet."""
    with Ledger.open(study.database) as ledger:
        place = ledger.facets.index(facet)
        return ledger.seen(lambda: planned_by(ledger.store.connection, place))


def _analysed(table: Judgments, level: float) -> tuple[Analysis | None, str]:
    """The analysis of what there is, or why there is none."""
    try:
        systems = {SYSTEM: PANEL} if SYSTEM in table.names else {}
        analysis = analyze_judgments(table, level=level, link="identity", targets=systems)
        _of_panel(analysis)
    except NotEstimable as error:
        return None, f"{str(error)[:1].upper()}{str(error)[1:]}."
    return analysis, ""


def _finished(table: Judgments, planned: dict[str, int]) -> Judgments:
    """The judgments of items all of whose cells are finished."""
    item = table.column(table.object)
    have = np.bincount(item, table.rows, len(table.facet(table.object).levels))
    want = np.array([planned[label] for label in table.facet(table.object).levels])
    return table.keep((have >= want)[item])


def _look(
    size: int,
    table: Judgments,
    analysis: Analysis | None,
    finished: Judgments,
    scale: tuple[float, float] | None,
    level: float,
) -> Look:
    held: tuple[float, float, int] = (math.nan, math.nan, 0)
    if scale is not None and finished.n.any():
        always = anytime_mean(finished, scale, level=level)
        held = (always.low, always.high, always.items)
    if analysis is None:
        value = float(np.average(table.mean[table.n > 0], weights=table.n[table.n > 0])) if table.n.any() else math.nan
        return Look(size, value, math.nan, math.nan, *held)
    mean = _of_panel(analysis)
    low, high = mean.at(level).ends
    return Look(size, mean.value, low, high, *held)


def _of_panel(analysis: Analysis) -> Estimate:
    """The mean for the judges that were asked, which is what the interval for all looks is about too."""
    return analysis.setup


def _decided(finished: Judgments, scale: tuple[float, float], level: float) -> list[Decision]:
    """Every two systems on the items that both have finished."""
    if SYSTEM not in finished.names or len(finished.facet(SYSTEM).levels) < 2:
        return []
    pairs = list(combinations(finished.facet(SYSTEM).levels, 2))[:MOST_PAIRS]
    found = []
    for a, b in pairs:
        try:
            one = anytime_difference(finished, a, b, scale, level=1 - (1 - level) / len(pairs))
        except NotEstimable:
            continue
        found.append(Decision(a, b, one.outcome, one.value, one.low, one.high, one.items))
    return found


def _bought(analysis: Analysis) -> list[str]:
    """What to buy next, in words."""
    return [
        f"{one.label}: {-one.change:.0%} off the standard error for {counted(one.more_calls, 'more judgment')}"
        for one in analysis.purchases
    ]
