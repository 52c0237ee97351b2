"""What every figure says: its finding, and below it the estimand, the level and how much data is behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quorate.analysis.designs import in_words
from quorate.analysis.judgments import MOST_PARTS, Analysis
from quorate.analysis.labels import shown
from quorate.analysis.words import Reading, against_naive, number, significant, span, times
from quorate.reporting import tables
from quorate.reporting.draw.marks import known
from quorate.reporting.page import Caption
from quorate.roles import JUDGE, PROMPT
from quorate.wording import counted, decimals, listed, plural, whole_percent
from quorate.wording import percent as precise

if TYPE_CHECKING:
    from quorate.plan.designs.dstudy import Projection
    from quorate.table.facts.layout import Crossing

_SHORT = 30
_MOST_ROWS = 50


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
    return Caption(
        f"{whole_percent(first.share)} of the uncertainty comes from {origin}: {shown(first.advice, 200)}", lines
    )


def component(row: Mapping[str, Any]) -> str:
    """What stands above a component's interval."""
    if row["se"] == 0:
        return "estimated at zero, the boundary"
    return f"{whole_percent(row['share_of_variance'])} · {row['what_shrinks_it']}"


def per_judgment(analysis: Analysis) -> Caption:
    """Which component is largest in one judgment."""
    first = tables.per_judgment(analysis)[0]
    origin = _origin(analysis, first["component"])
    finding = f"{whole_percent(first['share_of_variance'])} of the variance of one judgment comes from {origin}"
    fixed = "For a fixed facet it is the spread of its levels' means, which is no sampling variance."
    return Caption(finding, (f"Share of the variance of a single score; {size(analysis)}. {fixed}",))


def what_if(analysis: Analysis) -> Caption:
    """What buys most."""
    rows = known(tables.what_if(analysis), "se", "calls")
    now = f"{counted(analysis.headline.n, 'judgment')} give a standard error of {significant(rows[0]['se'], 2)}"
    best = analysis.purchases
    finding = f"{now}; no change shown here lowers it by more than half a percent"
    if best:
        finding = (
            f"{now}; {shown(best[0].label)} takes off {whole_percent(-best[0].change)} for {best[0].more_calls:,} more"
        )
    line = "Standard error of the mean: of the study as it is, and of designs with every cell filled, as projected"
    key = (
        "Dashed: the study as it is; right: judgments in all. Colours: the facet that changes; diamonds: the best buys."
    )
    return Caption(finding, (f"{line}{_for(analysis)}.", key))


def frontier(analysis: Analysis) -> Caption:
    """What a better design would save, or gain."""
    best, unit = analysis.optimum, "price" if analysis.priced else "number of judgments"
    if best is None or best.own is None:
        return Caption("Designs within reach, by price and precision", ())
    finding = f"No design within reach is better than the study as it is, at its {unit}"
    gain, saving = _gain(best.own, best.same_cost), _saving(best.own, best.same_se)
    if gain >= 0.01 and best.same_cost is not None:
        finding = f"{_called(best.same_cost)}: {whole_percent(gain)} lower standard error at the same {unit}"
    if saving >= 0.01 and best.same_se is not None and (gain < 0.01 or saving > 3 * gain):
        finding = f"{_called(best.same_se)}: the same precision for {whole_percent(1 - saving)} of the {unit}"
    line = f"Standard error of the mean against the {unit}, of {best.candidates:,} designs within reach{_for(analysis)}"
    key = "Faint: all designs; line: those that no other beats in both; ring: the study as it is; diamonds: these two."
    plans = {f"Best at the same {unit}": best.same_cost, "Cheapest as precise": best.same_se}
    said = [f"{name}: {in_words(plan)}." for name, plan in plans.items() if plan is not None]
    more = "Levels beyond those judged are taken to be like these; the components are estimates."
    return Caption(finding, (f"{line}; projected from {size(analysis)}.", " ".join(said), f"{key} {more}"))


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


def flagged(analysis: Analysis) -> Caption:
    """How much of the disagreement is in few items, and which is the worst."""
    found = analysis.flags
    if found is None:
        return Caption("No item was judged twice", ())
    what, first = plural(shown(analysis.judgments.object)), tables.flagged(analysis)[0]
    if found.between == 0:
        finding = f"The {what} do not differ in spread by more than chance"
    else:
        name_ = shown(first["item"], _SHORT)
        worst = name_ if any(c.isalpha() for c in name_) else f"{shown(analysis.judgments.object)} {name_}"
        ends = f"{first['lowest']:.4g} to {first['highest']:.4g}"
        finding = (
            f"{len(found.flags):,} of {found.items:,} {what} have {whole_percent(found.share)} of the disagreement; "
            f"{worst} most, scored {ends}"
        )
    over = listed([plural(shown(name)) for name in found.over]) if found.over else "replicates"
    spread = f"Spread: standard deviation of one judgment of the same {shown(analysis.judgments.object)} over {over}"
    average = f"of the average one {significant(found.mean**0.5, 2)}"
    read = "Dots: configurations by mean score, larger where several agree; bar: from the least to the greatest score."
    left = f" {found.left_out:,} judged too rarely to compare." if found.left_out else ""
    return Caption(finding, (f"{spread}, after differences that all {what} share; {average}.{left}", read))


def flagged_scores(analysis: Analysis) -> Caption:
    """How the flagged items were scored."""
    most = max((one.cells for one in analysis.flags.flags), default=0) if analysis.flags is not None else 0
    cut = f"; the {tables.MOST_ENDS} lowest and highest of each" if most > 2 * tables.MOST_ENDS else ""
    what = plural(shown(analysis.judgments.object))
    return Caption(f"How these {what} were scored, configuration by configuration", (f"Mean scores{cut}.",))


def crossings(analysis: Analysis) -> Caption:
    """Whether everything was judged by everything."""
    found = [one for one in tables.facts(analysis).crossings if one.kind != "one level"]
    gaps = [one for one in found if one.kind == "partial"]
    if gaps:
        least = min(gaps, key=lambda one: one.share)
        finding = f"{_cross(least)} are crossed in part: {precise(least.share)} of the pairs occur"
    else:
        nested = [f"{shown(one.a)} in {shown(one.b)}" for one in found if one.kind == "nested"]
        finding = "All facets are crossed completely" + (f", but for {listed(nested)}" if nested else "")
    return Caption(finding, ("Pairs of levels that occur, of all pairs there could be.",))


def support(analysis: Analysis) -> Caption:
    """How many analyses are possible."""
    found = analysis.support.analyses
    able = sum(one.possible for one in found)
    return Caption(f"These judgments support {able} of {len(found)} analyses", ())


def axis(analysis: Analysis) -> str:
    """Title of an axis of means."""
    return f"mean of {shown(analysis.judgments.score, _SHORT)} (score units)"


def score_axis(analysis: Analysis) -> str:
    """Title of an axis of single scores."""
    return f"{shown(analysis.judgments.score, _SHORT)} (score units)"


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


def _cross(one: Crossing) -> str:
    return f"{plural(shown(one.a)).capitalize()} and {plural(shown(one.b))}"


def _called(plan: Projection) -> str:
    """A design by its layout, or by its size."""
    names = {"cyclic": "One judge per item in turn", "latin": "One prompt and judge per item in turn"}
    return names.get(plan.layout, in_words(plan))


def _gain(own: Projection, other: Projection | None) -> float:
    return 0.0 if other is None or own.se <= 0 else 1 - other.se / own.se


def _saving(own: Projection, other: Projection | None) -> float:
    return 0.0 if other is None or not own.cost or other.cost is None else 1 - other.cost / own.cost


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
