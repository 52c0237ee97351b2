"""Validation: plans drawn from a table again and again, and intervals held against what is known to be true."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quorate.analysis.demo import AgainstTruth
from quorate.analysis.words import significant
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.simulate.validate import PLANS, PlanRun, Validated
from quorate.wording import at_level, counted, listed, percent, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.certify import Certificate


def certificate(found: Certificate) -> Section:
    """How often intervals hold the truth, how wide they are, and what they tell apart, of every reading."""
    rows = [
        {"scope": one.scope or "all", "coverage": f"{percent(one.coverage)} ± {100 * one.coverage_error:.1f}"}
        | {"width": f"{one.width:.2f} ± {one.width_error:.2f}", "told_apart": one.told_apart}
        | {"studies": one.studies - one.refused, "refused": one.refused}
        for one in found.found
    ]
    heads = {"scope": " ", "coverage": "hold the truth", "width": "times as wide", "told_apart": "told apart"}
    held = rows[0]["coverage"]
    finding = f"Do such intervals hold? Of studies drawn like this one {held} have one that holds the truth"
    told = "Told apart: a difference as found, or of a board the share of pairs."
    width = "±: Monte Carlo standard errors. Width: of the interval if the standard error were known."
    lines = (found.sentence, f"{width} {told}")
    figure = Figure.of("certificate", Caption(finding, lines), rows, heads | {"scope": ""}, titles={"scope": " "})
    return Section("certificate", "Do such intervals hold?", figures=(figure,))


STYLES: marks.Styles = {
    "naive": (marks.NAIVE, marks.DASHED),
    "standard": (marks.MISSED, marks.DOTTED),
    "optimal": (marks.CORRECTED, marks.SOLID),
}


def page(result: Validated, table: Table | None = None) -> Page:
    """The page of plans drawn from one table."""
    last = [one for one in result.cells if one.budget == max(result.budgets)]
    facts: dict[str, object] = {"pilots drawn": result.runs, "items of a pilot": result.pilot}
    facts |= {"items held out": result.holdout, "judgments of a pilot, on average": result.pilot_calls}
    facts |= {f"plan {name}": PLANS[name] for name in result.plans}
    facts |= {f"runs in which {name} failed": _failed(result, name) for name in result.plans if _failed(result, name)}
    return Page.of(
        result,
        table,
        "Plans on this table",
        sections=(
            Section(
                "error",
                "How far off each plan is",
                (f"A pilot asks for {result.pilot_calls:,.0f} judgments more.",),
                (errors(result),),
            ),
            Section("coverage", "Whether its intervals hold", figures=(coverage(result),)),
            Section("plans", "What each plan asked for", figures=(designs(result),)),
        ),
        facts=particulars("drawn", "How the plans were drawn", facts),
        methods=methods(result),
        tiles=tuple(
            Tile(significant(one.rmse), f"root mean squared error of {one.plan}, {one.budget:,} judgments")
            for one in last
        ),
        options=f"level {result.level:g}, {result.runs:,} runs",
    )


def _failed(result: Validated, name: str) -> int:
    return max(one.failed for one in result.cells if one.plan == name)


def errors(result: Validated) -> Figure:
    """Root mean squared error against the holdout, by budget and plan."""
    rows = [_row(one, one.rmse, one.rmse_error) | {"bias": one.bias, "claimed": one.se} for one in result.cells]
    lines = (
        "Error of each plan against the mean of all judgments held out, give or take two Monte Carlo errors.",
        f"Over {counted(result.runs, 'pilot')} drawn from this table; their judgments come on top of the budgets.",
    )
    caption = Caption(_saved(result), lines)
    heads = Short.titles(budget="judgments", plan="plan", value="error", error="+-", claimed="claimed")
    titles = {"value": "root mean squared error", "error": "Monte Carlo error", "claimed": "standard error it claims"}
    return Figure.of(
        "errors", caption, rows, heads, _drawing(rows, "root mean squared error", None), titles=titles, unfolded=True
    )


def _saved(result: Validated) -> str:
    """How much smaller the error of the best plan is at the largest budget."""
    some = sorted((one for one in result.cells if one.budget == max(result.budgets) and one.runs), key=lambda x: x.rmse)
    if len(some) < 2 or not some[-1].rmse > 0:
        return "One plan was drawn"
    best, *rest = some
    said = [f"{whole_percent(1 - best.rmse / one.rmse)} less than {one.plan}" for one in rest]
    return f"With {best.budget:,} judgments {best.plan} errs {listed(said)}"


def coverage(result: Validated) -> Figure:
    """Share of intervals that hold the holdout's mean, by budget and plan."""
    rows = [_row(one, one.coverage, one.coverage_error) | {"half_width": one.half_width} for one in result.cells]
    worst = min((one for one in result.cells if one.runs), key=lambda one: one.coverage, default=None)
    finding = "No interval was found"
    if worst is not None:
        at = f"at {worst.budget:,} judgments"
        finding = f"The least coverage is that of {worst.plan} {at}: {whole_percent(worst.coverage)}"
    lines = (
        f"Share of {at_level(result.level)} intervals that hold it, give or take two Monte Carlo errors.",
        "Dashed: what they claim.",
    )
    drawing = _drawing(rows, "share of intervals that cover", result.level)
    caption = Caption(finding, lines)
    heads = Short.titles(budget="judgments", plan="plan", value="cover", error="+-")
    titles = {"value": "share that cover", "error": "Monte Carlo error", "half_width": "half an interval"}
    return Figure.of("coverage", caption, rows, heads, drawing, titles=titles, unfolded=True, percent="value error")


def designs(result: Validated) -> Figure:
    """The design that each plan chose most often."""
    rows: list[Row] = [
        {"plan": one.plan, "budget": one.budget, "calls": one.calls, "design": one.design} for one in result.cells
    ]
    finding = f"{counted(len(result.plans), 'plan')} at {counted(len(result.budgets), 'budget')}"
    lines = ("The design that was chosen most often, and the judgments that a plan asked for on average.",)
    heads = Short.titles("plan", budget="judgments", calls="asked for", design="design")
    return Figure.of("designs", Caption(finding, lines), rows, heads, titles={"calls": "judgments asked for"})


def methods(result: Validated) -> str:
    """The paragraph for a methods section."""
    return (
        f"{counted(result.runs, 'time')} {result.pilot:,} items were drawn as a pilot and {result.holdout:,} held out. "
        f"Plans ({'; '.join(f'{name}: {PLANS[name]}' for name in result.plans)}) were drawn from the items held out "
        "and compared with the mean of all their judgments. Intervals of the pilot's plans are Student's by its "
        "components, for these items, prompts and judges as finite pools; those of the others take items as all that "
        "varies. Runs share one table, so that Monte Carlo errors are of the draws from it (after Messing, 2026)."
    )


def _row(one: PlanRun, value: float, error: float) -> Row:
    return {"plan": one.plan, "budget": one.budget, "value": value, "error": error}


def _drawing(rows: list[Row], title: str, at: float | None) -> Any:
    """A chart of a value against budgets, a line for every plan; None where nothing is known."""
    known = marks.known(rows, "value", "error")
    if not known:
        return None

    def chart() -> marks.Spec:
        shown = [
            {**row, "low": row["value"] - 2 * row["error"], "high": row["value"] + 2 * row["error"]} for row in known
        ]
        if at is not None:
            shown = [{**row, "low": max(row["low"], 0.0), "high": min(row["high"], 1.0)} for row in shown]
        styles = {name: STYLES[name] for name in STYLES if name in {row["plan"] for row in shown}}
        budgets = sorted({row["budget"] for row in shown})
        axis = {"values": budgets, "format": ",", "grid": False}
        x = marks.channel("budget:Q", title="judgments", scale={"type": "log", "nice": False, "padding": 20}, axis=axis)
        y = marks.channel("value:Q", title=title, axis={"grid": True, "tickCount": 5}, scale={"zero": at is None})
        rule = {"kind": "rule", "strokeWidth": 2, "opacity": 0.6}
        layers = marks.curves(shown, x, y, styles, "plan budget:, value:.3~r", dots=60, within=rule)
        return marks.finish([*layers, *([] if at is None else [marks.line_at(at, y, "y")])], height=300)

    return chart


def truth_section(compared: AgainstTruth) -> Section:
    """The intervals of this draw against the truth."""
    rows = [
        {**asdict(one), "holds_truth": "holds it" if one.holds_truth else "misses it"} for one in compared.intervals
    ]
    held = compared.measured
    line = (
        f"This is one draw, seed {compared.seed}. Over {held.draws:,} draws the naive interval held the truth in "
        f"{held.naive:.1%}, the one for this setup its own in {held.setup:.1%}, the one for others like it in "
        f"{held.others:.1%}. To measure again: quorate.simulate.demo_coverage()."
    )
    heads = {"interval": "", "truth": "truth", "low": "95% interval", "holds_truth": ""}
    finding = f"Which intervals hold the truth; over {held.draws:,} draws the naive one did in {held.naive:.1%}"
    figure = Figure.of("truth", Caption(finding, (line,)), rows, heads, titles={"holds_truth": "holds it"}, of="truth")
    return Section("truth", "Against the truth", figures=(figure,))
