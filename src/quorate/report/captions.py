"""What every figure says: its finding, and below it the estimand, the level and how much data is behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.estimate.wording import counted, listed, plural
from quorate.estimate.wording import percent as precise
from quorate.report import tables
from quorate.report.labels import shown
from quorate.report.summary import MOST_PARTS, PROMPT, Analysis
from quorate.report.tables import known
from quorate.report.views import JUDGE
from quorate.report.words import Reading, against_naive, decimals, number, percent, significant, span, times

_SHORT = 30
_MOST_ROWS = 50


@dataclass(frozen=True)
class Caption:
    """Title and small print of a figure.

    Parameters
    ----------
    finding : str
        What the numbers say.
    lines : tuple of str
        Estimand, level, n; how to read the marks.
    """

    finding: str
    lines: tuple[str, ...]


def intervals(analysis: Analysis) -> Caption:
    """The verdict on the naive interval."""
    ratio = analysis.readings[0].half_width / analysis.naive_reading.half_width
    scope = analysis.readings[0].scope.replace("for this judge only", "even for this judge only")
    if ratio >= 1.05:
        finding = f"The naive interval is {times(ratio)} times too narrow {scope}".rstrip()
    else:
        finding = against_naive(analysis.readings[0], analysis.naive_reading, places(analysis)).rstrip(".")
    estimand = f"Mean of {shown(analysis.judgments.score)} with {_level(analysis)} intervals; {size(analysis)}."
    beyond = "An arrow: the interval goes on beyond the scores that occur."
    scores = tables.facts(analysis).scores
    clipped = any(row["low"] < scores.low or row["high"] > scores.high for row in tables.intervals(analysis))
    return Caption(finding, (estimand, _generalising(analysis), *([beyond] if clipped else [])))


def components(analysis: Analysis) -> Caption:
    """Which component brings most of the uncertainty."""
    lines = (
        f"Standard error that each component alone would leave in the mean {analysis.readings[0].scope}".rstrip()
        + f", with 95% intervals, and its share of the variance of the mean; {size(analysis)}.",
        "Circles: main effects; diamonds: interactions; squares: noise. An arrow: the interval goes on.",
    )
    if not analysis.sources:
        return Caption("No component was found to differ from zero", lines)
    first = analysis.sources[0]
    origin = _origin(analysis, first.component)
    return Caption(f"{percent(first.share)} of the uncertainty comes from {origin}: {shown(first.advice, 200)}", lines)


def component(row: Mapping[str, Any]) -> str:
    """What stands above a component's interval."""
    if row["se"] == 0:
        return "estimated at zero, the boundary"
    return f"{percent(row['share_of_variance'])} · {row['what_shrinks_it']}"


def per_judgment(analysis: Analysis) -> Caption:
    """Which component is largest in one judgment."""
    first = tables.per_judgment(analysis)[0]
    origin = _origin(analysis, first["component"])
    finding = f"{percent(first['share_of_variance'])} of the variance of one judgment comes from {origin}"
    fixed = "For a fixed facet it is the spread of its levels' means, which is no sampling variance."
    return Caption(finding, (f"Share of the variance of a single score; {size(analysis)}. {fixed}",))


def what_if(analysis: Analysis) -> Caption:
    """What buys most."""
    rows = known(tables.what_if(analysis), "se", "calls")
    now = f"{counted(analysis.headline.n, 'judgment')} give a standard error of {significant(rows[0]['se'], 2)}"
    best = analysis.purchases
    finding = f"{now}; no change shown here lowers it by more than half a percent"
    if best:
        finding = f"{now}; {shown(best[0].label)} takes off {percent(-best[0].change)} for {best[0].more_calls:,} more"
    line = "Standard error of the mean: of the study as it is, and of designs with every cell filled, as projected"
    key = "Numbers as in the table; colours: the facet that changes; large: the study as it is and what buys most."
    return Caption(finding, (f"{line}{_for(analysis)}.", key))


def effects(analysis: Analysis, facet: str) -> Caption:
    """Who is furthest from the others."""
    rows = tables.effects(analysis, facet)
    apart = [row for row in rows if row["low"] > 0 or row["high"] < 0]
    if not known(rows, "se"):
        finding = f"No differences between {plural(facet)} were found: their variance is estimated at zero"
    elif apart:
        furthest = max(apart, key=lambda row: abs(row["effect"]))
        way = "above" if furthest["effect"] > 0 else "below"
        by = number(abs(furthest["effect"]), decimals(furthest["se"]))
        finding = f"{shown(furthest['level'], _SHORT)} scores {by} {way} the mean of the {plural(facet)}"
    else:
        finding = f"No {facet} stands apart: every interval holds the mean of the {plural(facet)}"
    predicted = ", drawn towards it as far as the data are thin" if len(rows) > MOST_PARTS else ""
    line = f"Difference from the mean over {counted(len(rows), facet)}{predicted}, with {_level(analysis)} intervals"
    return Caption(finding, (f"{line}; {size(analysis)}.", *_more(rows)))


def means(analysis: Analysis) -> Caption:
    """Which combinations score lowest and highest."""
    rows = known(tables.means(analysis), "mean")
    low, high = (pick(rows, key=lambda row: row["mean"]) for pick in (min, max))
    p = places(analysis)
    ends = [
        f"{number(row['mean'], p)} ({shown(row['row'], _SHORT)}, {shown(row['column'], _SHORT)})" for row in (low, high)
    ]
    line = f"Mean of {shown(analysis.judgments.score)} by {JUDGE} and {PROMPT}; {size(analysis)}."
    empty = ["Empty places were never judged."] if len(rows) < len(tables.means(analysis)) else []
    hidden = max(len({row[side] for row in rows}) for side in ("row", "column")) > _MOST_ROWS
    more = [f"The first {_MOST_ROWS} are drawn; the table has all."] if hidden else []
    return Caption(f"Means run from {ends[0]} to {ends[1]}", (line, *empty, *more))


def leave_one_out(analysis: Analysis) -> Caption:
    """Whose absence moves the mean most."""
    rows = known(tables.leave_one_out(analysis), "mean")
    most = max(rows, key=lambda row: abs(row["change"]))
    by = number(most["change"], places(analysis))
    finding = f"Without {shown(most['level'], _SHORT)} the mean moves most, by {by if by.startswith('-') else '+' + by}"
    line = f"Mean without one {JUDGE} at a time, for the rest as a panel, with {_level(analysis)} intervals"
    return Caption(finding, (f"{line}; dashed: the mean with all {len(rows)}.", *_more(rows)))


def by_category(analysis: Analysis) -> Caption:
    """From where to where the means of the categories run."""
    rows = known(tables.by_category(analysis), "mean")
    low, high = (pick(rows, key=lambda row: row["mean"]) for pick in (min, max))
    p = places(analysis)
    ends = [f"{number(row['mean'], p)} ({shown(row['level'], _SHORT)})" for row in (low, high)]
    grouping = shown(str(analysis.grouping), _SHORT)
    finding = f"{plural(grouping).capitalize()} run from {ends[0]} to {ends[1]}"
    line = f"Mean within each {grouping}, fitted on its own, with {_level(analysis)} intervals"
    return Caption(finding, (f"{line}; dashed: the mean over all; {size(analysis)}.", *_more(rows)))


def single(analysis: Analysis) -> Caption:
    """How many single configurations would have misled."""
    found = analysis.naive.single
    misses = sum(one.misses for one in found)
    finding = f"{misses} of {counted(len(found), 'single configuration')} would have missed the mean of all"
    line = (
        f"Thick: naive {_level(analysis)} interval, s/√N over items; thin: corrected for the choice of configuration. "
        f"Dashed: the mean over all configurations, {number(analysis.naive.target, places(analysis))}."
    )
    return Caption(finding, (line, *_more(tables.single(analysis), "evenly spaced ones are shown")))


def missing(analysis: Analysis, facet: str) -> Caption:
    """Where scores are missing."""
    rows = tables.missing(analysis, facet)
    ends = [precise(rows[i]["share"]) for i in (-1, 0)]
    shares = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    finding = f"{shares} of the judgments have no usable score, depending on the {facet}"
    some = [row for row in rows if row["without_score"]]
    line = f"Share of rows without a usable score, by {facet}; {counted(sum(row['rows'] for row in rows), 'row')}."
    whole = f"Not drawn: {counted(len(rows) - len(some), facet)} with every score." if len(some) < len(rows) else ""
    return Caption(finding, (line, *([whole] if whole else []), *_more(some)))


def support(analysis: Analysis) -> Caption:
    """How many analyses are possible."""
    found = analysis.support.analyses
    able = sum(one.possible for one in found)
    return Caption(f"These judgments support {able} of {len(found)} analyses", ())


def axis(analysis: Analysis) -> str:
    """Title of an axis of means."""
    return f"mean of {shown(analysis.judgments.score, _SHORT)} (score units)"


def se_axis(analysis: Analysis) -> str:
    """Title of an axis of standard errors."""
    return f"standard error of the mean of {shown(analysis.judgments.score, _SHORT)} (score units)"


def effect_axis(analysis: Analysis) -> str:
    """Title of an axis of differences."""
    return f"difference in {shown(analysis.judgments.score, _SHORT)} (score units)"


def facet_of(analysis: Analysis, side: str) -> str:
    """Facet on one side of the table of means."""
    grid = analysis.means
    return "" if grid is None else (grid.row_facet if side == "row" else grid.column_facet)


def limits(analysis: Analysis, row: Mapping[str, Any]) -> str:
    """Limits of an interval as text."""
    return span(Reading(row["low"], row["high"], ""), places(analysis))


def places(analysis: Analysis) -> int:
    """Decimals for means, from the standard error of the headline."""
    return decimals(analysis.readings[0].half_width / 2)


def size(analysis: Analysis) -> str:
    """How much data there is: judgments and levels of every facet."""
    j = analysis.fit.judgments
    levels = [counted(j.n_levels(one), shown(one, _SHORT)) for one in j.names]
    return f"n = {counted(j.n_answers, 'judgment')} ({', '.join(levels)})"


def name(component: str) -> str:
    """A component in a sentence."""
    return shown(component.replace(":", " × "))


def _origin(analysis: Analysis, component: str) -> str:
    return f"the choice of {plural(shown(component))}" if component in analysis.judgments.names else name(component)


def _level(analysis: Analysis) -> str:
    return f"{analysis.level * 100:g}%"


def _for(analysis: Analysis) -> str:
    return f", {analysis.readings[0].scope}" if analysis.readings[0].scope else ""


def _generalising(analysis: Analysis) -> str:
    """What each view speaks for."""
    target = analysis.headline.target
    drawn = [plural(shown(facet, _SHORT)) for facet, to in target.items() if to == "population"]
    if not drawn:
        return "The corrected interval is for exactly these levels."
    both = analysis.population is not None and analysis.panel is not None
    return f"Speaks for {listed(drawn)} like these{'; this panel: for exactly these judges' * both}."


def _more(rows: Sequence[Any], how: str = "the table has all") -> tuple[str, ...]:
    hidden = len(rows) - _MOST_ROWS
    return (f"And {hidden:,} more: {how}.",) if hidden > 0 else ()
