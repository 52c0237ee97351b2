"""Adaptive allocation: the page on replays of policies that ask where it is noisy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.allocation import SHORT, AllocationAnalysis, arms_text, between, final_error, view_of
from quorate.analysis.words import cut, number, significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, source_of
from quorate.reporting.pages import replays
from quorate.reporting.pages.replays import DASHED, DOTTED, POLICIES, SOLID
from quorate.reporting.paper.reproduce import titled
from quorate.simulate.allocation.result import LEAST_RUNS, ROBIN, ROBIN_HOOD, UNIFORM, Allocation, share_text
from quorate.wording import counted, decimals, percent

if TYPE_CHECKING:
    from quorate.analysis.allocation import LevelReplay
    from quorate.arrays import Floats
    from quorate.reporting.draw.vega import Spec
    from quorate.simulate.allocation.result import Saved
    from quorate.table.judgments import Judgments

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
        source=source_of(judgments),
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
        errors = {SHORT[name]: final_error(study.allocation, name)[0] for name in replays.order(study.allocation)}
        own: Row = {"level": cut(study.level), "arms": len(study.allocation.labels), **errors}
        rows.append(own | _saved(study.saved))
    studies = counted(len(rows), "level")
    finding = f"ROBIN-HOOD surely saves calls for {len(view.sure)} of {studies} of {view.by}"
    interval = "95% bootstrap intervals" if view.with_intervals else f"no intervals below {LEAST_RUNS} runs"
    line = f"Part of the budget saved at the largest error that uniform allocation ends with; {interval}."

    def chart() -> Spec:
        known = marks.known(rows, "saved", "low")
        return marks.dots(known, "level", "saved", "budget saved, %", CORRECTED, at=0.0, tall=30)

    caption = Caption(finding, (line, "Below 0: uniform allocation needs fewer calls."))
    heads = {"level": str(view.by), "saved": "saved by ROBIN-HOOD, %", "low": "low, 95%", "high": "high, 95%"}
    return Figure(
        "levels",
        caption,
        rows,
        chart if marks.known(rows, "low") else None,
        heads,
        unfolded=True,
        short=Short(
            {"level": str(view.by), "arms": "arms", "saved": "saved, %", "low": "95% interval"}, of="saved", at=0.0
        ),
    )


def curve(study: LevelReplay, mark: str = "") -> Figure:
    """Largest error of any arm by policy and calls: lines with bands, and a thick line where calls are saved."""
    found = study.allocation
    rows: list[Row] = []
    for name in replays.order(found):
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

    def chart() -> Spec:
        positive = [row for row in rows if row["error"] > 0]
        least = min(row["error"] for row in positive) / 2
        shown = [{**row, "low": max(row["low"], least)} for row in positive]
        x, y, colour = replays.calls(found.budget), replays.error("error", shown), replays.colour(POLICIES)
        band = Marks(shown).mark("area", opacity=0.18)
        wide = band.encode(x=x, y=replays.error("low", shown), y2="high", color=colour)
        means = Marks(shown).mark("line", strokeWidth=2.5)
        tips = [channel("policy:N"), channel("calls:Q", format=","), channel("error:Q", format=".3~r")]
        drawn = means.encode(x=x, y=y, color=colour, strokeDash=replays.dash(POLICIES), tooltip=tips)
        layers = [wide, drawn]
        saved = study.saved if both else None
        if saved is not None and saved.value > 0:  # a thick line from the calls that ROBIN-HOOD needs to all of them
            final = float(found.outcomes[UNIFORM].errors[:, -1].mean())
            value: Row = {"needed": found.budget * (1 - saved.value), "all": found.budget, "at": final}
            data = [{**value, "text": f"{share_text(saved.value)} saved"}]
            x, y = replays.calls(found.budget, "needed"), replays.error("at", shown)
            rule = Marks(data).mark("rule", color=INK, strokeWidth=4, opacity=0.75).encode(x=x, x2="all", y=y)
            words = Marks(data).mark("text", align="right", dy=-12, fontWeight="bold", color=INK)
            layers += [rule, words.encode(x=replays.calls(found.budget, "all"), y=y, text="text:N")]
        return marks.finish(layers, height=340)

    return Figure(f"curve{mark}", Caption(_saves(found), tuple(lines)), rows, chart)


def policies(study: LevelReplay, mark: str = "") -> Figure:
    """Every policy at the whole budget: errors, and budget saved in percent."""
    found, rows = study.allocation, []
    for name in replays.order(found):
        mean, sd = final_error(found, name)
        row: Row = {"policy": SHORT[name], "error": mean, "sd": _or_none(sd)}
        compared = name != UNIFORM and UNIFORM in found.outcomes
        row |= _saved(found.saved(name)) if compared else dict.fromkeys(("saved", "low", "high"))
        rows.append({**row, "rmse": float(found.outcomes[name].rmse[-1])})
    line = "Budget saved: at the error of uniform allocation."
    heads = {"error": "largest error, mean", "sd": "sd over runs", "rmse": "root mean square error"}
    heads |= {"saved": "budget saved, %", "low": "low, 95%", "high": "high, 95%"}
    caption = Caption(f"All policies after {found.budget:,} calls", (line,))
    short = Short(
        {"policy": "policy", "error": "largest error", "sd": "sd", "saved": "saved, %", "low": "95% interval"},
        of="saved",
        at=0.0,
    )
    return Figure(f"policies{mark}", caption, rows, headers=heads, short=short)


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
    every = {SHORT[name]: found.pulls[name] for name in replays.order(found)} | {IDEAL: found.ideal * budget}
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

    def chart() -> Spec:
        styles = {SHORT[ROBIN_HOOD]: (CORRECTED, SOLID), IDEAL: (MISSED, DASHED)}
        styles[SHORT[UNIFORM]] = (POLICIES[SHORT[UNIFORM]][0], DOTTED)
        shown = [
            {"which": name, "variance": row["variance"], "arms": row["arms"], "pulls": row[name]}
            for name in styles
            for row in rows
            if name in row
        ]
        x = channel("variance:Q", title="variance of an arm", scale={"nice": False}, axis={"grid": False})
        y = channel("pulls:Q", title="pulls of an arm", axis={"grid": True, "tickCount": 5})
        numbers = [channel(f"{name}:Q", format=".3~r") for name in ("variance", "pulls", "arms")]
        colour = replays.colour(styles, "which")
        base = Marks(shown)
        base = base.encode(x=x, y=y, color=colour, tooltip=[channel("which:N"), *numbers])
        lines = base.mark("line", strokeWidth=2).encode(strokeDash=replays.dash(styles, "which"))
        points = base.mark("point", filled=True, size=30, opacity=1)
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
        yield Section("human", "Agreement with people", figures=(replays.human(study, mark),))
    if study.sweep is not None:
        yield Section("settings", "Other constants", figures=(replays.settings(study.sweep, mark),))
    if study.cycles is not None:
        title = f"A whole panel against one {cut(study.cycles.facet, 30)}"
        yield Section("cycles", title, figures=(replays.cycles(study.cycles, mark),))


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


def _bars(rows: list[Row], title: str) -> Callable[[], Spec]:
    """Arms by value; bars have some width, also where all values are the same."""

    def chart() -> Spec:
        wide = [{**row, "to": row["to"] if row["to"] > row["from"] else row["from"] + 1e-3} for row in rows]
        tips = [channel(f"{name}:Q", format=".3~r") for name in ("from", "to")]
        tips.append(channel("arms:Q", format=","))
        scale = {"zero": False, "nice": False, "padding": 6}
        x = channel("from:Q", title=title, bin="binned", axis={"grid": False, "tickCount": 6}, scale=scale)
        y = channel("arms:Q", title="arms", axis={"grid": True, "tickCount": 4, "tickMinStep": 1})
        bar = Marks(wide).mark("bar", color=CORRECTED, opacity=0.85, binSpacing=1)
        return marks.finish([bar.encode(x=x, x2="to", y=y, tooltip=tips)], height=180)

    return chart


def _saved(found: Saved) -> Row:
    """A part of the budget in percent, with its interval."""
    values = {"saved": found.value, "low": found.low, "high": found.high}
    return {name: _or_none(100 * value) for name, value in values.items()}


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
