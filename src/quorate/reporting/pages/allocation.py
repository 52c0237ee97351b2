"""Adaptive allocation: the page on replays of policies that ask where it is noisy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from quorate.analysis.allocation import (
    COEFFICIENTS,
    SHORT,
    AllocationAnalysis,
    LevelReplay,
    arms_text,
    between,
    final_error,
    settled,
    view_of,
)
from quorate.analysis.words import cut, number, significant
from quorate.arrays import Floats
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, source_of
from quorate.reporting.paper.reproduce import titled
from quorate.simulate.allocation.cycles import CYCLE, MIXED, CycleComparison, Sweep
from quorate.simulate.allocation.result import LEAST_RUNS, ROBIN, ROBIN_HOOD, UNIFORM, Allocation, Saved, share_text
from quorate.table.judgments import Judgments
from quorate.wording import capitalised, counted, decimals, percent, plural

IDEAL = "in proportion to variances"
BINS = 24
"""Bars of a histogram."""
MOST_POINTS = 40
"""Groups of arms of about equal variance along the profile."""
_ROBIN = "ROBIN knows all variances, ROBIN-HOOD finds them on the way."


def page(result: Allocation | AllocationAnalysis, table: Judgments | None = None) -> Page:
    """The page on adaptive allocation."""
    view = view_of(result) if isinstance(result, Allocation) else result
    judgments = table if view.judgments is None else view.judgments
    otherwise = "Adaptive allocation, answers from an array"
    return Page(
        title=otherwise if judgments is None else titled(judgments.source, "Judgments from a"),
        sentence=view.sentence,
        sections=sections(view),
        facts=replayed(view),
        methods=methods(view),
        content=view.to_dict,
        caveats=tuple(view.cautions),
        tiles=tiles(view.studies[0]) if view.by is None else (),
        source=partial(source_of, judgments),
        seed=view.studies[0].allocation.seed,
    )


def sections(view: AllocationAnalysis) -> tuple[Section, ...]:
    """All sections but the last, the methods' own: by subject for one study, by level for several."""
    if view.by is None:
        return tuple(_subjects(view.studies[0], ""))
    why = tuple(f"No study of {cut(level)}: {cut(reason, 500)}." for level, reason in view.reasons.items())
    parts = [Section("levels", f"Levels of {view.by}", why, (levels(view),))]
    for place, study in enumerate(view.studies, 1):
        subjects = list(_subjects(study, f"-{place}"))
        text = tuple(line for subject in subjects for line in subject.text)
        figures = tuple(figure for subject in subjects for figure in subject.figures)
        parts.append(Section(f"level-{place}", f"{view.by}: {cut(study.level)}", text, figures))
    return tuple(parts)


def levels(view: AllocationAnalysis) -> Figure:
    """Every study in a row: arms, final errors, and what ROBIN-HOOD saves."""
    rows: list[Row] = []
    for study in view.studies:
        errors = {SHORT[name]: final_error(study.allocation, name)[0] for name in order(study.allocation)}
        own: Row = {"level": cut(study.level), "arms": len(study.allocation.labels), **errors}
        rows.append(own | _saved(study.saved))
    studies = counted(len(rows), "level")
    finding = f"ROBIN-HOOD surely saves calls for {len(view.sure)} of {studies} of {view.by}"
    interval = "95% bootstrap intervals" if view.with_intervals else f"no intervals below {LEAST_RUNS} runs"
    line = f"Part of the budget saved at the largest error that uniform allocation ends with; {interval}."
    caption = Caption(finding, (line, "Below 0: uniform allocation needs fewer calls."))
    heads = Short.titles(level=str(view.by), arms="arms", saved="saved, %", low="95% interval")
    titles = {"saved": "saved by ROBIN-HOOD, %", "low": "low, 95%", "high": "high, 95%"}
    drawn = marks.known(rows, "saved", "low")
    title = "budget saved, %"
    return marks.dotted("levels", caption, rows, heads, title, titles=titles, unfolded=True, drawn=drawn, at=0.0)


def curve(study: LevelReplay, mark: str = "") -> Figure:
    """Largest error of any arm by policy and calls: lines with bands, and a thick line where calls are saved."""
    found = study.allocation
    rows: list[Row] = []
    for name in order(found):
        errors = found.outcomes[name].errors
        mean = errors.mean(axis=0)
        sd = errors.std(axis=0, ddof=1) if len(errors) > 1 else np.zeros(len(mean))
        every = zip(found.spent.tolist(), mean.tolist(), (mean - sd).tolist(), (mean + sd).tolist(), strict=True)
        rows += [
            {"policy": SHORT[name], "calls": n, "error": at, "low": low, "high": high} for n, at, low, high in every
        ]
    both = {UNIFORM, ROBIN_HOOD} <= set(found.outcomes)
    line = "Largest error of any arm against calls spent: mean over runs, band of one standard deviation"
    lines = [f"{line}; {counted(found.runs, 'run')}, {counted(len(found.labels), 'arm')}."]
    if both:
        thick = "Thick line: calls saved, at the error that uniform allocation ends with. "
        lines.append(f"{thick if found.saved().value > 0 else ''}{_ROBIN}")

    def chart() -> marks.Spec:
        positive = [row for row in rows if row["error"] > 0]
        least = min(row["error"] for row in positive) / 2
        shown = [{**row, "low": max(row["low"], least)} for row in positive]
        x, y, area = calls(found.budget), error(shown), {"kind": "area", "opacity": 0.18}
        layers = marks.curves(shown, x, y, POLICIES, "policy calls:, error:.3~r", within=area)
        saved = study.saved if both else None
        if saved is not None and saved.value > 0:  # a thick line from the calls that ROBIN-HOOD needs to all of them
            final = float(found.outcomes[UNIFORM].errors[:, -1].mean())
            needed = found.budget * (1 - saved.value)
            value: Row = {"needed": needed, "middle": (needed + found.budget) / 2, "all": found.budget, "at": final}
            data = [{**value, "text": f"{share_text(saved.value)} saved"}]
            base = marks.Marks(data).encode(y=marks.like(y, "at"))
            rule = base.mark("rule", color=marks.INK, strokeWidth=4, opacity=0.75)
            words = base.mark("text", align="center", dy=12, fontWeight="bold", color=marks.INK)
            layers.append(rule.encode(x=marks.like(x, "needed"), x2="all"))
            layers.append(words.encode(x=marks.like(x, "middle"), text="text:N"))
        return marks.finish(layers, height=340)

    return Figure(f"curve{mark}", Caption(_saves(found), tuple(lines)), rows, chart)


def policies(study: LevelReplay, mark: str = "") -> Figure:
    """Every policy at the whole budget: errors, and budget saved in percent."""
    found, rows = study.allocation, []
    for name in order(found):
        mean, sd = final_error(found, name)
        row: Row = {"policy": SHORT[name], "error": mean, "sd": _or_none(sd)}
        compared = name != UNIFORM and UNIFORM in found.outcomes
        row |= _saved(found.saved(name)) if compared else dict.fromkeys(("saved", "low", "high"))
        rows.append({**row, "rmse": float(found.outcomes[name].rmse[-1])})
    line = "Budget saved: at the error of uniform allocation."
    caption = Caption(f"All policies after {found.budget:,} calls", (line,))
    heads = Short.titles("policy", error="largest error", sd="sd", saved="saved, %", low="95% interval")
    titles = {"error": "largest error, mean", "sd": "sd over runs", "rmse": "root mean square error"}
    titles |= {"saved": "budget saved, %", "low": "low, 95%", "high": "high, 95%"}
    return Figure.of(f"policies{mark}", caption, rows, heads, titles=titles, of="saved", at=0.0)


def variances(study: LevelReplay, mark: str = "") -> Figure:
    """Arms by variance: how unequal their noise is, on which everything rests."""
    found = study.allocation
    flat = float(np.mean(found.variances == 0))
    constant = f"; {percent(flat)} of arms do not vary at all" if flat else "; every arm varies"
    finding = f"The mean variance of an arm is {share_text(found.variance_ratio)} of the largest{constant}"
    line = "Variance of the answers of an arm, over arms. The more unequal these are, the more there is to save."
    rows = histogram(found.variances)
    return Figure(f"variances{mark}", Caption(finding, (line,)), rows, _bars(rows, "variance of an arm"))


def means(study: LevelReplay, mark: str = "") -> Figure:
    """Arms by mean."""
    values = study.allocation.means
    span = f"{significant(float(values.min()))} to {significant(float(values.max()))}"
    finding = f"Means of arms go from {span}, half of them below {significant(float(np.median(values)))}"
    line = "Mean of all answers of an arm, over arms: the truth of the replay."
    rows = histogram(values)
    return Figure(f"means{mark}", Caption(finding, (line,)), rows, _bars(rows, "mean of an arm"))


def profile(study: LevelReplay, mark: str = "") -> Figure:
    """Pulls of arms by their variance, in groups of neighbours, beside what is ideal for equal standard errors."""
    found = study.allocation
    along = np.argsort(found.variances, kind="stable")
    budget = found.budget / found.calls_per_pull
    every = {SHORT[name]: found.pulls[name] for name in order(found)} | {IDEAL: found.ideal * budget}
    rows: list[Row] = [
        {"variance": float(found.variances[part].mean()), "arms": len(part)}
        | {name: float(values[part].mean()) for name, values in every.items()}
        for part in np.array_split(along, min(MOST_POINTS, len(along)))
        if len(part)
    ]
    most = found.variances >= np.quantile(found.variances, 0.75)
    finding = (
        f"The quarter of arms that vary most get {share_text(found.pulls[ROBIN_HOOD][most].sum() / budget)} of the "
        f"pulls from ROBIN-HOOD; equal standard errors would give them {share_text(found.ideal[most].sum())}"
    )
    line = "Pulls of an arm against its variance, arms of about equal variance taken together."

    def chart() -> marks.Spec:
        styles = {SHORT[ROBIN_HOOD]: (marks.CORRECTED, marks.SOLID), IDEAL: (marks.MISSED, marks.DASHED)}
        styles[SHORT[UNIFORM]] = (POLICIES[SHORT[UNIFORM]][0], marks.DOTTED)
        shown = [
            {"which": name, "variance": row["variance"], "arms": row["arms"], "pulls": row[name]}
            for name in styles
            for row in rows
            if name in row
        ]
        x = marks.channel("variance:Q", title="variance of an arm", scale={"nice": False}, axis={"grid": False})
        y = marks.channel("pulls:Q", title="pulls of an arm", axis={"grid": True, "tickCount": 5})
        tips = "which variance:.3~r pulls:.3~r arms:.3~r"
        lines, points = marks.curves(shown, x, y, styles, tips, dots=30)
        lines = lines.encode(tooltip=tips)
        return marks.finish([lines, points.only(lambda row: row["which"] == SHORT[ROBIN_HOOD])], height=300)

    return Figure(f"profile{mark}", Caption(finding, (line,)), rows, chart)


def replayed(view: AllocationAnalysis) -> Figure:
    """What was replayed."""
    first = view.studies[0].allocation
    constants = first.constants
    values = {
        "replay": f"{first.budget:,} calls in {counted(first.runs, 'run')}, seed {first.seed}",
        "arms": "; ".join(f"{cut(one.level)} {len(one.allocation.labels):,}".strip() for one in view.studies),
        "calls per pull": f"{first.calls_per_pull}",
        "warm-up": f"{counted(constants.warmup, 'pull')} of every arm; lam {constants.lam:.4g}",
        "floor of variances": "none" if first.step is None else f"for scores {first.step:.4g} apart",
    }
    return Figure(
        "replay", Caption("What was replayed"), [{"what": what, "value": one} for what, one in values.items()]
    )


def histogram(values: Floats) -> list[Row]:
    """Arms by value, in bars of equal width; one bar where all are the same."""
    if np.ptp(values) == 0:
        return [{"from": float(values[0]), "to": float(values[0]), "arms": len(values)}]
    counts, edges = np.histogram(values, BINS)
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    return [{"from": low, "to": high, "arms": count} for low, high, count in ends]


def _subjects(study: LevelReplay, mark: str) -> Iterator[Section]:
    found = study.allocation
    said = (arms_text(study), *found.notes, *found.why)
    yield Section("saving", "What it saves", said, (curve(study, mark), policies(study, mark)))
    arms = [variances(study, mark), means(study, mark)]
    arms += [profile(study, mark)] if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes) else []
    yield Section("arms", "Where the noise is", figures=tuple(arms))
    if found.human:
        yield Section("human", "Agreement with people", figures=(human(study, mark),))
    if study.sweep is not None:
        yield Section("settings", "Other constants", figures=(settings(study.sweep, mark),))
    if study.cycles is not None:
        title = f"A whole panel against one {cut(study.cycles.facet, 30)}"
        yield Section("cycles", title, figures=(cycles(study.cycles, mark),))


def methods(view: AllocationAnalysis) -> str:
    """The paragraph for a methods section."""
    found = view.studies[0].allocation
    floor = "no floor" if found.step is None else "a floor of variances for discrete scores"
    interval = ", with a 95% bootstrap interval over runs" if view.with_intervals else ""
    human = " Means were correlated with human scores (Pearson, Spearman, Kendall's tau-b)." if found.human else ""
    return (
        f"Uniform allocation, ROBIN (known variances) and ROBIN-HOOD (variances estimated on the way; warm-up of "
        f"{counted(found.constants.warmup, 'pull')} per arm, lam {found.constants.lam:.3g}, {floor}) were replayed on "
        f"the answers at hand, drawn with replacement, in {counted(found.runs, 'run')} of {found.budget:,} calls with "
        "the same draws for all policies. The error is the largest absolute difference of any arm's mean from the mean "
        "of all its answers; the budget saved is taken where the mean error falls for good to the final one of uniform "
        f"allocation{interval} (LLM-as-Judge on a Budget, 2026).{human}"
    )


def tiles(study: LevelReplay) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    found = study.allocation
    numbers: list[Tile] = []
    if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        label = f"of {found.budget:,} calls saved by ROBIN-HOOD{between(study.saved)}"
        numbers.append(Tile(share_text(study.saved.value) if study.saved.value > 0 else "nothing", label))
    for name, label in ((UNIFORM, "uniform"), (ROBIN_HOOD, "ROBIN-HOOD"), (ROBIN, "ROBIN, variances known")):
        if name in found.outcomes:
            value, sd = final_error(found, name)
            places = decimals(sd)
            spread = "" if math.isnan(sd) else f"± {number(sd, places)} "
            numbers.append(Tile(number(value, places), f"{spread}largest error, {label}"))
    return tuple(numbers)


def _saves(found: Allocation) -> str:
    """What ROBIN-HOOD saves."""
    if not {UNIFORM, ROBIN_HOOD} <= set(found.outcomes):
        return found.sentence.rstrip(".")
    saved = found.saved()
    if saved.value <= 0:
        return "ROBIN-HOOD saves nothing: its largest error ends no lower than that of uniform allocation"
    needed, error = round(found.budget * (1 - saved.value)), significant(final_error(found, UNIFORM)[0])
    calls = f"{needed:,} of {found.budget:,} calls for a largest error of {error}"
    return f"ROBIN-HOOD needs {calls}: {share_text(saved.value)} saved"


def _bars(rows: list[Row], title: str) -> Callable[[], marks.Spec]:
    """Arms by value; bars have some width, also where all values are the same."""

    def chart() -> marks.Spec:
        wide = [{**row, "to": row["to"] if row["to"] > row["from"] else row["from"] + 1e-3} for row in rows]
        scale = {"zero": False, "nice": False, "padding": 6}
        x = marks.channel("from:Q", title=title, bin="binned", axis={"grid": False, "tickCount": 6}, scale=scale)
        y = marks.channel("arms:Q", title="arms", axis={"grid": True, "tickCount": 4, "tickMinStep": 1})
        bar = marks.Marks(wide).mark("bar", color=marks.CORRECTED, opacity=0.85, binSpacing=1)
        return marks.finish([bar.encode(x=x, x2="to", y=y, tooltip="from:.3~r to:.3~r arms:,")], height=180)

    return chart


def _saved(found: Saved) -> Row:
    """A part of the budget in percent, with its interval."""
    values = {"saved": found.value, "low": found.low, "high": found.high}
    return {name: _or_none(100 * value) for name, value in values.items()}


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


POLICIES: marks.Styles = {
    SHORT[UNIFORM]: (marks.NAIVE, marks.DASHED),
    SHORT[ROBIN_HOOD]: (marks.CORRECTED, marks.SOLID),
    SHORT[ROBIN]: (marks.MISSED, marks.DOTTED),
}
SHADES = ("#CC79A7", marks.CORRECTED, "#2F9C95", "#999933", "#8C6BB1")
"""Of deltas, from small ones on; dashed where one comes again with another warm-up."""
BIAS, VARIANCE = "squared bias", "variance"
_UNIFORM_SLACK = 0.01
"""Relative difference of errors below which constants did nothing."""


def human(study: LevelReplay, mark: str = "") -> Figure:
    """Correlations with human scores by policy and calls."""
    found = study.allocation
    rows: list[Row] = [
        {"policy": SHORT[name], "calls": calls, **dict(zip(COEFFICIENTS, values, strict=True))}
        for name in order(found)
        for calls, values in zip(found.spent.tolist(), found.outcomes[name].correlations.T.tolist(), strict=True)
    ]
    caption = Caption("The correlation with human scores is not known: one of the two does not vary")
    if any(np.isfinite(one.correlations).any() for one in found.outcomes.values()):
        last = {name: float(found.outcomes[name].correlations[1, -1]) for name in order(found)}
        said = [f"{settled(last[name])} by {SHORT[name]}" for name in (ROBIN_HOOD, UNIFORM) if name in last]
        lines = (
            "Correlations of the means of arms with human scores, averaged over runs.",
            "Uniform allocation is drawn wide, beneath the others.",
        )
        finding = f"Rank correlation with human scores after {found.budget:,} calls: {', '.join(said)}"
        caption = Caption(finding, lines)

    def chart() -> marks.Spec:
        known = [
            {"policy": row["policy"], "calls": row["calls"], "coefficient": title, "correlation": row[name]}
            for row in rows
            for name, title in COEFFICIENTS.items()
            if row[name] == row[name]
        ]
        dashes = dict(zip(COEFFICIENTS.values(), (marks.SOLID, marks.DASHED, marks.DOTTED), strict=True))
        legend = {"title": None, "symbolType": "stroke", "orient": "bottom"}
        kinds = {"domain": list(dashes), "range": list(dashes.values())}
        strokes = marks.channel("coefficient:N", scale=kinds, legend=legend)
        axis = {"grid": True, "tickCount": 5}
        y = marks.channel("correlation:Q", title="correlation with human scores", scale={"zero": False}, axis=axis)
        layers = []
        for name in dict.fromkeys(row["policy"] for row in known):
            width, opacity = (6.0, 0.55) if name == SHORT[UNIFORM] else (2.0, 1.0)
            line = marks.Marks([row for row in known if row["policy"] == name])
            line = line.mark("line", strokeWidth=width, opacity=opacity)
            encoded = {"x": calls(found.budget), "y": y, "color": marks.coloured(POLICIES), "strokeDash": strokes}
            layers.append(line.encode(**encoded, tooltip="policy coefficient calls:, correlation:.3f"))
        return marks.finish(layers, height=320)

    drawable = chart if marks.known(rows, *COEFFICIENTS) else None
    heads = {"policy": "policy", "calls": "calls"} | dict(COEFFICIENTS)
    return Figure.of(f"human{mark}", caption, rows, heads, drawable, titles=dict(COEFFICIENTS))


def settings(sweep: Sweep, mark: str = "") -> Figure:
    """Every setting of the sweep: its constants, error and budget saved, drawn against calls."""
    columns: Mapping[str, list[Any]] = sweep.table
    table = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rows: list[Row] = [
        {name: value for name, value in row.items() if name not in ("floor", "delta")} | {"saved": 100 * row["saved"]}
        for row in table
    ]
    ranked = sorted(sweep.settings, key=sweep.final)
    said = [f"{significant(sweep.final(name))} with {name}" for name in dict.fromkeys((ranked[0], ranked[-1]))]
    finding = f"After {int(sweep.spent[-1]):,} calls the largest error is {', '.join(said)}"
    line = (
        "Mean largest error of any arm against calls, on the same draws. delta: chance of failure; lam = log(1/delta)"
    )
    lines = [f"{line}, warm-up 4 lam pulls of every arm, rounded up, unless another is named."]
    if MIXED in sweep.settings and abs(sweep.final(MIXED) / sweep.final(UNIFORM) - 1) < _UNIFORM_SLACK:
        mixed = f"{capitalised(MIXED)}: constants that do not belong together. "
        why = "The bound is infinite until every arm has its equal share, so this is uniform allocation."
        lines.append(f"{mixed}{why}")

    def chart() -> marks.Spec:
        curve = sweep.curve
        points = zip(curve["setting"], curve["spent"].tolist(), curve["wce_mean"].tolist(), strict=True)
        known = [{"setting": SHORT.get(name, name), "calls": n, "error": at} for name, n, at in points if at > 0]
        x, y, tips = calls(int(sweep.spent[-1])), error(known), "setting calls:, error:.3~r"
        return marks.finish(marks.curves(known, x, y, _styles(sweep), tips, columns=2), height=340)

    heads = Short.titles("setting", warmup="warm-up", wce_mean="error", saved="saved, %")
    titles = {"warmup": "warm-up, pulls", "wce_mean": "largest error, mean", "saved": "budget saved, %"}
    caption = Caption(finding, tuple(lines))
    return Figure.of(f"settings{mark}", caption, rows, heads, chart, titles=titles, unfolded=True)


def cycles(found: CycleComparison, mark: str = "") -> Figure:
    """Whole cycles and single judges, by policy: bias and variance of the error against the mean of the panel."""
    rows: list[Row] = [
        {"design": cut(row.design), "policy": SHORT[row.policy], "shift": row.shift}
        | {"bias_squared": max(row.bias_squared, 0.0), "variance": row.variance}
        | {"off": math.sqrt(max(row.mse, 0.0)), "largest": row.wce}
        for row in found.rows
    ]
    alone = [row for row in found.rows if row.design != CYCLE and row.policy == ROBIN_HOOD]
    best, facet = min(alone, key=lambda row: row.mse), cut(found.facet, 30)
    off = [significant(max(row.mse, 0.0) ** 0.5, 2) for row in (found.row(), best)]
    single = f"the best single {facet}, {cut(best.design, 40)},"
    line = f"Mean squared error against the mean of all {plural(facet)}, by ROBIN-HOOD with the same number of calls"
    lines = (
        f"{line}; dark: squared bias, which no budget mends; light: variance.",
        f"{CYCLE.capitalize()}: each pull asks every {facet} once.",
        *found.below_zero,
    )

    def chart() -> marks.Spec:
        parts = {BIAS: "bias_squared", VARIANCE: "variance"}
        drawn = [
            {"design": row["design"], "part": part, "order": i, "of_error": max(row[name], 0.0)}
            for row in rows
            if row["policy"] == SHORT[ROBIN_HOOD]
            for i, (part, name) in enumerate(parts.items())
        ]
        scale = {"domain": list(parts), "range": [marks.CORRECTED, "#8FC1E3"]}
        fill = marks.channel("part:N", scale=scale, legend={"title": None})
        title = "mean squared error against the whole panel"
        x = marks.channel("of_error:Q", title=title, stack="zero", axis={"grid": True})
        base = marks.chart(drawn, marks.labels("design"), step=30)
        return marks.finish([base.mark("bar").encode(x=x, color=fill, order="order:Q")])

    finding = f"Means by whole cycles are off by {off[0]}, by {single} by {off[1]} with as many calls"
    heads = Short.titles(design="asked", policy="policy", bias_squared="squared bias", variance="variance")
    titles = {"shift": "mean bias", "off": "root mean square error", "largest": "largest error"}
    return Figure.of(f"cycles{mark}", Caption(finding, lines), rows, heads, chart, titles=titles, unfolded=True)


def order(found: Allocation) -> list[str]:
    """Policies that were replayed, in the order in which they are listed."""
    return [name for name in SHORT if name in found.outcomes]


def calls(budget: int) -> marks.Channel:
    """The axis of calls, as far as the budget."""
    axis = {"format": ",.0f", "grid": False}
    return marks.channel("calls:Q", title="judge calls", axis=axis, scale={"domain": [0, budget], "nice": False})


def error(rows: Sequence[Row]) -> marks.Channel:
    """The axis of errors."""
    ends = [row[name] for row in rows for name in ("low", "error", "high") if row.get(name)]
    scale = {"type": "log", "domain": [0.95 * min(ends), 1.05 * max(ends)], "nice": False}
    axis = {"grid": True, "tickCount": 6, "format": "~g"}
    return marks.channel("error:Q", title="largest error of any arm (log scale)", scale=scale, axis=axis)


def _styles(sweep: Sweep) -> marks.Styles:
    """A colour for every delta; dashes where it comes again."""
    deltas = {name: one.delta for name, one in sweep.settings.items() if name != MIXED}
    seen = list(deltas.values())
    shades = {delta: SHADES[min(i, len(SHADES) - 1)] for i, delta in enumerate(dict.fromkeys(seen))}
    styles: marks.Styles = {
        name: (shades[delta], marks.DASHED if delta in seen[:i] else marks.SOLID)
        for i, (name, delta) in enumerate(deltas.items())
    }
    styles |= {MIXED: ("#CC5566", marks.DOTTED)} if MIXED in sweep.settings else {}
    return styles | {SHORT[UNIFORM]: (marks.NAIVE, marks.DASHED), SHORT[ROBIN]: (marks.MISSED, marks.DOTTED)}
