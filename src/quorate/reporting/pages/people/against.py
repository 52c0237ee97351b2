"""Judges against labels: configurations, their majority, and what a panel is worth; and against marks of people."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quorate.analysis.words import cut
from quorate.estimate.agreement.against import Against
from quorate.estimate.agreement.mark_gaps import TOGETHER, AgainstMarks, MarkGap
from quorate.estimate.agreement.rates import Rates, mean_pass_and_fail
from quorate.estimate.agreement.yardsticks import Flips, Measured
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, listed, percent, plural


def page(result: Against, table: Table | None = None) -> Page:
    """The page of judges against labels."""
    units = plural(result.unit)
    facts: dict[str, object] = {f"labelled {units}": result.items}
    facts |= {f"judged {units} without a label": result.unlabelled}
    facts |= {} if result.clusters == result.items else {"clusters of them that are drawn together": result.clusters}
    facts |= {f"{units} of which people tie": result.undecided, "configurations": len(result.configurations)}
    facts |= {"what tells configurations apart": listed(result.roles) if result.roles else "nothing"}
    facts |= {"best configuration on the half that chose it": percent(result.apparent)}
    facts |= {"mean correlation of two judges' errors": result.worth.correlation}
    for judge, kappa in result.kappas.items():
        ends = f"{kappa.low:.2f} to {kappa.high:.2f}"
        facts[f"kappa of {cut(judge, 30)} with people"] = f"{kappa.value:.2f}, {ends}"
    sections = []
    if result.rates:
        figures = [rates(result)] if len(result.rates) == 1 else [kappas(result), rates(result)]
        figures += [gaps(result)] if result.gaps else []
        figures += [segments(result)] if result.segments else []
        sections.append(Section("rates", "What each judge passes and fails", figures=tuple(figures)))
    if result.marks:
        sections.append(
            Section("marks", "How judges' marks differ from people's", figures=(mark_gaps(result.marks, result.level),))
        )
    if len(result.configurations) > 1 or not result.rates:
        several = len(result.configurations) > 1
        panel = len(result.configurations) > len("ab") and not result.marks  # marks are seldom just the same
        figures = [*([summary(result)] if panel else []), *([configurations(result)] if several else [])]
        figures += [] if result.rates else [kappas(result)]
        sections.append(Section("right", "How often verdicts are right", figures=tuple(figures)))
        if several:  # one never disagrees with itself
            sections.append(Section("items", f"On which {units} they are right", figures=(tertiles(result),)))
    if result.flips is not None:
        sections.append(Section("flips", "How often rewording flips a verdict", figures=(flips(result.flips),)))
    if result.stability:
        sections.append(Section("stability", "Judges under other prompts", figures=(stability(result),)))
    if result.stand_ins:
        sections.append(Section("stand-ins", "May a judge stand in for people", figures=(stand_ins(result),)))
    if result.drops:
        sections.append(Section("drops", "Which judge to drop", figures=(drops(result),)))
    rests = particulars("labels", f"What it rests on: {counted(result.items, f'labelled {result.unit}')}", facts)
    return Page.of(result, table, "Judges against labels", tuple(sections), rests, methods(result))


def _named_rates(result: Against, one: Rates) -> dict[str, Measured]:
    """What a judge does with what people pass and fail, or call the one and the other."""
    if mean_pass_and_fail((result.passes, result.fails)):
        return one.named()
    return one.named(*(f'"{cut(name, 12)}"' for name in (result.passes, result.fails)))


def rates(result: Against) -> Figure:
    """Every judge's sensitivity, specificity and false passes."""
    rows: list[Row] = []
    for one in result.rates:
        whose = f"{cut(one.judge, 30)}: " if len(result.rates) > 1 else ""
        for what, rate in _named_rates(result, one).items():
            rows.append(_row(f"{whose}{what}", rate) | {"judge": cut(one.judge), "items": one.items})
    worst = max(result.rates, key=lambda one: one.false_passes.value)
    finding = f"Of what {worst.judge} passes, {percent(worst.false_passes.value)} is what people fail"
    if not mean_pass_and_fail((result.passes, result.fails)):
        finding = f'Of what {worst.judge} calls "{result.passes}", {percent(worst.false_passes.value)} is not'
    marked = [one for one in result.rates if not math.isnan(one.threshold)]
    lines = [f'Passing is "{result.passes}"; sensitivity is of what people pass, specificity of what they fail.']
    if not mean_pass_and_fail((result.passes, result.fails)):
        lines = []
    lines += [f"{at_level(result.level)} intervals over {plural(result.unit)}."]
    lines += [f"{cut(one.judge)} passes from {one.threshold:g} on." for one in marked]
    lines += ["Rates are of marks cut by other items' thresholds."] if marked else []
    level = f"{at_level(result.level)} interval"
    caption = Caption(finding, tuple(lines))
    heads = {"what": "", "value": "share", "low": level}
    return marks.dotted(
        "rates", caption, rows, heads, "share", unfolded=True, percent="value", first=len(result.rates) == 1
    )


def gaps(result: Against) -> Figure:
    """How much more often one judge is right than another, two by two."""
    rows: list[Row] = [
        {"what": f"{cut(one.first, 30)} less {cut(one.second, 30)}", "items": one.items, "value": one.gap.value}
        | {"low": one.gap.low, "high": one.gap.high}
        for one in result.gaps
    ]
    told = sum(one.gap.low > 0 or one.gap.high < 0 for one in result.gaps)
    finding = f"{told:,} of {counted(len(rows), 'pair')} of judges {'is' if told == 1 else 'are'} told apart"
    line = f"Share of right verdicts on the same {plural(result.unit)}; intervals hold for all pairs at once."
    caption = Caption(finding, (line,))
    heads = {"what": "right verdicts", "items": "items", "value": "difference", "low": "for all at once"}
    return marks.dotted(
        "gaps", caption, rows, heads, "difference in right verdicts", titles={"what": " "}, at=0.0, percent="value"
    )


def segments(result: Against) -> Figure:
    """Where judges are right and lenient: categories, lengths and orders."""
    rows: list[Row] = [
        {"segment": f"{one.by} {cut(one.name, 30)}"}
        | picked(one, "items right=right.value p_right value=lean.value low=lean.low high=lean.high p=p_lean")
        for one in result.segments
    ]
    odd = [one for one in result.segments if min(one.p_right, one.p_lean) <= 1 - result.level]
    finding = "Judges are not shown to do otherwise in any segment"
    if odd:
        finding = f"Judges do otherwise in {listed(f'{one.by} {cut(one.name, 30)}' for one in odd)}"
    lines = (
        "Leaning: what judges pass less what people pass; above 0 judges are lenient there.",
        "p: that it is as elsewhere; all segments hold together (Holm).",
    )
    heads = Short.titles("segment", "items", "right", value="leaning", low="interval", p="p")
    titles, caption = {"p": "p of leaning", "p_right": "p of right"}, Caption(finding, lines)
    x, shares, first = "passed by judges less by people", "value right", bool(odd)
    return marks.dotted(
        "segments", caption, rows, heads, x, titles=titles, unfolded=True, at=0.0, percent=shares, first=first
    )


def stability(result: Against) -> Figure:
    """How far every judge agrees with itself under other prompts."""
    rows: list[Row] = [
        {"judge": cut(judge), "value": one.value, "low": one.low, "high": one.high}
        for judge, one in result.stability.items()
    ]
    least = min(rows, key=lambda row: row["value"])
    finding = f"{least['judge']} agrees least with itself when the prompt is reworded: {least['value']:.2f}"
    line = "Krippendorff's alpha over the prompts of each judge (prompt stability score; Barrie et al., 2024)."
    heads = Short.titles("judge", value="alpha over prompts", low="interval")
    titles = {"value": "alpha"}
    return marks.dotted("stability", Caption(finding, (line,)), rows, heads, "alpha over prompts", titles=titles)


def stand_ins(result: Against) -> Figure:
    """Whether each judge does as well as people, by the alternative annotator test."""
    rows: list[Row] = [
        {
            "judge": cut(one.model),
            "may": "may" if one.passes else "not shown",
            "as_well": f"{sum(person.beaten for person in one.each)} of {len(one.each)}",
            "advantage": one.advantage,
        }
        for one in result.stand_ins
    ]
    may = sum(one.passes for one in result.stand_ins)
    finding = f"{may:,} of {counted(len(rows), 'judge')} may stand in for people"
    first = result.stand_ins[0]
    lines = (
        f"As well: worse than a person by less than {percent(first.epsilon)} of items; half of the people are needed.",
        f"Calderon et al. (2025), with a false discovery rate of {first.rate:g} over people.",
    )
    heads = {"judge": "judge", "may": "stands in", "as_well": "as well as people", "advantage": "agrees as well"}
    return Figure.of("stand-ins", Caption(finding, lines), rows, heads, percent="advantage")


def _row(name: str, one: Measured) -> Row:
    return {"what": name, "value": one.value, "low": one.low, "high": one.high}


def summary(result: Against) -> Figure:
    """Configurations on average, their majority, and the one that half of the labels chose."""
    rows = [
        _row("one configuration, on average", result.average),
        _row("the majority of all", result.majority),
        _row("best on half, on the others", result.chosen),
    ]
    beats = percent(result.beaten.value)
    finding = f"The majority gains {100 * result.gain.value:+.1f} points and beats {beats} of configurations"
    share, level = f"Share of right verdicts on {counted(result.items, result.unit)}", f"{at_level(result.level)}"
    ends = f"{percent(result.beaten.low)} to {percent(result.beaten.high)}"
    seemed = f"The best on half of the labels looked right on {percent(result.apparent)} of these."
    lines = (
        f"{share}, with {level} intervals over {plural(result.unit)}.",
        f"Ties count half. It beats {ends} by the bootstrap. {seemed}",
    )
    caption = Caption(finding, lines)
    heads = Short.titles(what="right verdicts", value="share", low=f"{at_level(result.level)} interval")
    titles = {"what": " "}
    look = [(NAIVE, "circle"), (CORRECTED, "circle"), (NAIVE, "square")]
    title = "share of right verdicts"
    return marks.dotted(
        "summary", caption, rows, heads, title, titles=titles, unfolded=True, look=look, percent="value"
    )


def kappas(result: Against) -> Figure:
    """Every judge: how often it is right, and Cohen's kappa with people."""
    right = {one.judge: one.right.value for one in result.rates}
    if len(result.configurations) == 1:
        right = dict.fromkeys(result.kappas, result.majority.value)
    rows = [_row(cut(judge), one) | {"right": right.get(judge)} for judge, one in result.kappas.items()]
    rows.sort(key=lambda row: -float(row["value"]))
    ends = " to ".join(dict.fromkeys(f"{row['value']:.2f}" for row in (rows[-1], rows[0])))
    lines = (f"1 is agreement throughout, 0 what chance gives; {at_level(result.level)} intervals over items.",)
    caption = Caption(f"Cohen's kappa with people is {ends}", lines)
    heads = {"what": "judge", "right": "right", "value": "kappa", "low": f"{at_level(result.level)} interval"}
    drawn = marks.known(rows, "value", "low", "high")
    return marks.dotted(
        "kappas", caption, rows, heads, "kappa", drawn=drawn, line=0.0, percent="right", first=len(result.rates) > 1
    )


def configurations(result: Against) -> Figure:
    """Every configuration with its interval, the best first, beside the majority."""
    ranked = sorted(result.configurations, key=lambda one: -one.value)
    rows: list[Row] = [
        {"configuration": ", ".join(cut(level) for level in one.levels) or "all", plural(result.unit): one.n}
        | {"value": one.value, "low": one.low, "high": one.high}
        for one in ranked
    ]
    ends = f"{percent(ranked[-1].value)} to {percent(ranked[0].value)}"
    lines = [f"Share of right verdicts, with {at_level(result.level)} intervals. Dashed: the majority of all."]
    lines += [f"The chart shows {marks.MOST_ROWS} of them, evenly spaced."] if len(rows) > marks.MOST_ROWS else []
    caption = Caption(f"{counted(len(rows), 'configuration')}, right on {ends}", tuple(lines))
    units, drawn = plural(result.unit), marks.spread(marks.known(rows, "value", "low", "high"))
    heads = Short.titles("configuration", units, value="right", low=f"{at_level(result.level)} interval")
    x, line = "share of right verdicts", result.majority.value
    return marks.dotted("configurations", caption, rows, heads, x, drawn=drawn, look=NAIVE, line=line, percent="value")


def tertiles(result: Against) -> Figure:
    """How right configurations and their majority are on items that they dispute less and more."""
    rows: list[Row] = []
    for one in result.tertiles:
        for by, measured in (("one configuration", one.average), ("majority", one.majority)):
            row = _row(f"{one.name} disputed, {by}", measured)
            rows.append({**row, "items": one.n, "disagreement": one.disagreement})
    r = result.disagreement
    finding = "Configurations do not differ in how far they disagree"
    if not math.isnan(r.value):
        ends = "" if math.isnan(r.low) else f" ({r.low:.2f} to {r.high:.2f})"
        finding = f"Disagreement and right verdicts correlate by {r.value:.2f}{ends}"
    said = f"Thirds of the {plural(result.unit)} by the chance that two configurations give different verdicts"
    lines = (
        f"{said}; those that are alike stay together.",
        f"The {plural(result.unit)} in dispute are those to send to people.",
    )
    caption = Caption(finding, lines)
    heads = Short.titles(what=plural(result.unit), items="n", value="right", low=f"{at_level(result.level)} interval")
    look = [(NAIVE, "circle"), (CORRECTED, "circle")] * len(result.tertiles)
    title = "share of right verdicts"
    return marks.dotted("tertiles", caption, rows, heads, title, unfolded=True, look=look, percent="value")


def flips(found: Flips) -> Figure:
    """How often verdicts change with the wording, and by themselves."""
    rows = [_row("reworded prompt", found.reworded)]
    finding = f"Rewording flips {percent(found.reworded.value)} of verdicts; what changes by itself is not known"
    if not math.isnan(found.rerun.value):
        rows += [_row("asked again", found.rerun), _row("the first less the second", found.excess)]
        finding = (
            f"Rewording flips {percent(found.reworded.value)} of verdicts, asking again {percent(found.rerun.value)}"
        )
    lines = ("Chance that two verdicts of one judge on one item differ: under two prompts, and in two answers to one.",)
    caption = Caption(finding, lines)
    heads = Short.titles(what="verdicts that flip", value="share", low="interval")
    titles = {"what": " "}
    title = "share of pairs of verdicts"
    return marks.dotted("flips", caption, rows, heads, title, titles=titles, unfolded=True, line=0.0, percent="value")


def drops(result: Against) -> Figure:
    """What the majority gains or loses without each judge."""
    rows: list[Row] = [
        {"judge": cut(one.judge)}
        | picked(one, "value=gain.value low=gain.low high=gain.high")
        | {"more": one.more if math.isfinite(one.more) else None}
        for one in result.drops
    ]
    worth = f"{len(result.judges)} judges are worth {result.worth.value:.1f} independent ones"
    lines = (
        "Share of right verdicts of the majority without the judge, less with.",
        f"The {at_level(result.level)} intervals hold for all judges at once.",
        "More labels: those that would tell the change from none with a chance of 90%, if it is as found.",
    )
    caption = Caption(worth, lines)
    heads = Short.titles(judge="without", value="change", low="for all at once", more="labels to settle")
    titles = {"more": "more labels to settle it"}
    return marks.dotted(
        "drops", caption, rows, heads, "change without the judge", titles=titles, unfolded=True, at=0.0, percent="value"
    )


def methods(result: Against) -> str:
    """The paragraph for a methods section."""
    units, drawn = plural(result.unit), "as drawn"
    if result.clusters < result.items:
        drawn = f"as drawn in {result.clusters:,} clusters"
    marked = (
        " Marks were compared by the mean of the judge less that of people, with Student's interval over items, and by "
        "their correlation, with a studentised bootstrap interval of Fisher's z."
    )
    return (
        f"Verdicts of {counted(len(result.configurations), 'configuration')} were compared with one label for each of "
        f"{counted(result.items, result.unit)}. {capitalised(units)} are taken {drawn}, judges and prompts as these. "
        f"Shares of right verdicts have Wilson's interval with their standard error over {units}, differences "
        "Student's; those of judges left out hold for all at once (Bonferroni). The correlation of disagreement (one "
        "less the sum of squared shares of verdicts) and accuracy has a studentised bootstrap interval. A panel of J "
        "judges is worth J / (1 + (J - 1) rho) independent ones, rho the mean covariance of two judges' errors over "
        "their mean variance (Kish's design effect), with a jackknife interval. The best configuration was chosen on "
        "random halves of the labels and tested on the other halves, with the variance of Nadeau and Bengio (2003)."
        + marked
        * bool(result.marks)
    )


def marks_page(result: AgainstMarks, table: Table | None = None) -> Page:
    """The page of judges against marks that are too fine to be just the same."""
    each = (*result.marks, *([result.together] if result.together else []))
    units = plural(result.unit)
    facts: dict[str, object] = {f"{units} that people marked": result.items}
    facts |= {f"judged {units} without a mark of people": result.unlabelled}
    facts |= {} if result.clusters == result.items else {"clusters of them that are drawn together": result.clusters}
    parts = (Section("marks", "How judges' marks differ from people's", figures=(mark_gaps(each, result.level),)),)
    rests = particulars("labels", f"What it rests on: {counted(result.items, f'marked {result.unit}')}", facts)
    how = (
        f"A gap is the mean mark of a judge less that of people on the same {units}, of which people weigh "
        f"alike, and so do a judge's prompts and repeats, with Student's {at_level(result.level)} interval. "
        "The correlation over items has the studentised bootstrap interval of Fisher's z. It is lower than that with "
        "what all people would say, as far as few people marked."
    )
    return Page.of(result, table, "Judges against marks of people", parts, rests, how)


def mark_gaps(each: Sequence[MarkGap], level: float) -> Figure:
    """Every judge: how much more it gives than people, and how far it orders items as they do."""
    rows: list[Row] = [
        {"judge": cut(one.judge)}
        | picked(one, "items given said value=gap.value low=gap.low high=gap.high")
        | {
            "r": round(one.correlation.value, 2),
            "r_low": round(one.correlation.low, 2),
            "r_high": round(one.correlation.high, 2),
        }
        for one in each
    ]
    alone = [one.gap for one in each if one.judge != TOGETHER]
    off = sum(gap.low > 0 or gap.high < 0 for gap in alone)
    shown = "is" if off == 1 else "are"
    finding = f"{off:,} of {counted(len(alone), 'judge')} {shown} shown to give more or less than people"
    if len(rows) == 1:
        gap = each[0].gap.value
        more = f"{abs(gap):.2f} {'more' if gap >= 0 else 'less'}"
        finding = f"{cut(each[0].judge, 30)} gives {more} than people"
    lines = (
        f"Mean mark of the judge less people's on the same items; {100 * level:.4g}% intervals over items.",
        "r: correlation of both over items, with the studentised bootstrap of Fisher's z.",
    )
    caption = Caption(finding, lines)
    heads = Short.titles("judge", given="judge's mean", said="people's", value="more", low="interval", r="r")
    titles = {"r": "correlation", "r_low": "from", "r_high": "to"}
    return marks.dotted(
        "marks", caption, rows, heads, "judge's mark less people's", titles=titles, unfolded=True, at=0.0, first=True
    )
