"""Means: the pages of a mean whose variance a pilot knows, and of scores that are held against a baseline."""

from __future__ import annotations

import math

import numpy as np

from quorate.analysis.words import cut, number, significant
from quorate.estimate.means.baseline import AgainstBaseline
from quorate.estimate.means.mean_from import MeanFrom
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, Spec
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import Interval
from quorate.wording import at_level, counted, decimals, percent, plural, whole_percent

MOST_PARTS = 12


def baseline_page(result: AgainstBaseline, table: Table | None = None) -> Page:
    """The page of a stream against a baseline."""
    facts: dict[str, object] = {
        "baseline": result.baseline,
        plural(result.unit): result.n,
        "in the order of": result.order or "rows",
        "largest evidence of a fall": f"{math.exp(min(float(result.path[:, 0].max()), 700.0)):.3g}",
        "largest evidence of a rise": f"{math.exp(min(float(result.path[:, 1].max()), 700.0)):.3g}",
        "evidence that is an alarm": f"{math.exp(result.limit):.3g}",
    }
    ends = f"{significant(result.low)} to {significant(result.high)}"
    parts = (Section("stream", "Along the stream", figures=(stream(result),)),)
    rests = particulars("rests", f"What it rests on: {counted(result.n, result.unit)}", facts)
    tiles = (
        Tile(result.state, f"against a baseline of {result.baseline:g}"),
        Tile(significant(result.value), f"mean of all ({at_level(result.level)} interval at any look {ends})"),
    )
    how = (
        f"Scores in their order were held against a mean of {result.baseline:g}. From every place on a part of a "
        "capital is bet at several stakes on scores below it, and another on scores above it. While no score's mean, "
        "given those before, is beyond the baseline, neither is expected to grow, so that by Ville's inequality "
        f"either is ever multiplied by {math.exp(result.limit):.3g} with a chance of at most "
        f"{percent((1 - result.level) / 2)}. Where a change began is the place that explains the scores best, with "
        "those that hold it with the level's chance if every place is as likely."
    )
    return Page.of(result, table, "A stream against a baseline", parts, rests, how, tiles=tiles)


def stream(result: AgainstBaseline) -> Figure:
    """Means of equal parts of the stream, beside the baseline, with the evidence at their ends."""
    edges = np.unique(np.linspace(0, result.n, min(MOST_PARTS, result.n) + 1).astype(int))
    began = result.began
    rows: list[Row] = [
        {
            "part": f"{start + 1:,} to {end:,}",
            "mean": float(result.means[start:end].mean()),
            "fall": math.exp(min(float(result.path[end - 1, 0]), 700.0)),
            "rise": math.exp(min(float(result.path[end - 1, 1]), 700.0)),
        }
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    finding = f"The baseline of {result.baseline:g} is kept"
    if began is not None:
        finding = f"From {result.unit} {cut(began.item)} on the mean is {significant(began.after)}"
    lines = (
        "Means of equal parts, in order. Dashed: the baseline.",
        f"Evidence of {math.exp(result.limit):.3g} or more, of a fall or of a rise, is an alarm.",
        f"It is false in at most {percent(1 - result.level)} of streams.",
    )

    def chart() -> Spec:
        ends = edges[1:].tolist()
        looks = [(CORRECTED if began is not None and end >= began.place else NAIVE, "circle") for end in ends]
        drawn = [{**row, "low": row["mean"], "high": row["mean"]} for row in rows]
        return marks.dots(drawn, "part", "mean", "mean score", looks, at=result.baseline)

    heads = Short.titles(part=plural(result.unit), mean="mean", fall="evidence of a fall", rise="of a rise")
    return Figure.of("stream", Caption(finding, lines), rows, heads, chart, unfolded=True)


def mean_from_page(result: MeanFrom, table: Table | None = None) -> Page:
    """The page of a mean by a pilot."""
    low, high = result.estimate.ends
    places = 1 + decimals((high - low) / 2)
    level = f"{at_level(result.level)} interval"
    alone = result.alone
    why = (f"Alone, the production scores do not tell: {alone}.",) if isinstance(alone, str) else ()
    spread = f"{result.spread:.2f} (standard error {result.spread_se:.2f})"
    facts: dict[str, object] = {
        "production answers": result.estimate.n,
        "pilot answers": result.pilot.judgments.n_answers,
    }
    facts |= {"standard error": result.estimate.se, "degrees of freedom": result.weighed.df}
    facts |= {"spread of production scores over what the pilot says": spread}
    facts |= {f"{one.facet} stands for": str(one.target) for one in result.levels}
    parts = (
        Section("mean", "The mean", why, (means(result),)),
        Section("sources", "Where its uncertainty comes from", figures=(components(result),)),
        Section("levels", "What the two tables share", figures=(levels(result),)),
    )
    rests = particulars("rests", "What it rests on", facts)
    tiles = (
        Tile(number(result.estimate.value, places), f"{level} {number(low, places)} to {number(high, places)}"),
        Tile(
            significant(result.estimate.se),
            f"standard error, on {result.weighed.df:.3g} degrees of freedom of the pilot",
        ),
        Tile(f"{result.spread:.2f}", "times as much do scores vary as the pilot says"),
    )
    return Page.of(result, table, "The mean, by a pilot", parts, rests, methods(result), tiles=tiles)


def means(result: MeanFrom) -> Figure:
    """The mean by the pilot's components, by its own where it has any, and the pilot's mean."""
    pilot = result.pilot.mean_for(**{one.facet: one.target for one in result.levels})
    each: list[tuple[str, Interval, float]] = [("production, by the pilot", result.estimate, result.weighed.df)]
    if not isinstance(result.alone, str):
        each.append(("production, by its own components", result.alone.at(result.level), result.alone.df))
    each.append(("the pilot itself", pilot.at(result.level), pilot.df))
    rows: list[Row] = [
        {"by": name, "value": one.value, "low": one.low, "high": one.high, "se": one.se, "df": df, "n": one.n}
        for name, one, df in each
    ]
    half, alone = (float(row["high"] - row["low"]) / 2 for row in (rows[0], rows[-1]))
    finding = f"Half an interval is {significant(half)}; that of the pilot's own mean is {significant(alone)}"
    lines = (f"Mean score with {at_level(result.level)} intervals for the same targets.",)
    caption = Caption(finding, lines)
    heads = Short.titles("by", value="mean", low=f"{at_level(result.level)} interval")
    titles = {"se": "standard error", "df": "degrees of freedom"}
    look = [(CORRECTED, "circle")] + [(NAIVE, "circle")] * (len(rows) - 1)
    return marks.dotted("means", caption, rows, heads, "mean score", titles=titles, unfolded=True, look=look)


def components(result: MeanFrom) -> Figure:
    """What each component of the pilot brings to the variance of the production mean."""
    pilot, shares = result.pilot, result.weighed.shares
    values = {**pilot.variances, **{one.name: one.variance for one in pilot.components if one.kind != "random"}}
    rows: list[Row] = [
        {
            "component": cut(name),
            "share": share,
            "se": result.estimate.se * float(np.sqrt(share)),
            "variance": values.get(name, np.nan),
        }
        for name, share in sorted(shares.items(), key=lambda one: -one[1])
        if share > 0
    ]
    finding = "No component was found to differ from zero"
    if rows:
        finding = f"{whole_percent(rows[0]['share'])} of the variance of the mean comes from {rows[0]['component']}"
    line = "Share of the variance of the production mean: components of the pilot times their weights in these scores."
    chart = marks.bars(rows, "component", "share", result.production.names)
    caption = Caption(finding, (line,))
    heads = {"component": "source", "share": "share"}
    titles = {"share": "share of Var(mean)", "se": "standard error it brings", "variance": "variance, of the pilot"}
    return Figure.of(
        "components", caption, rows, heads, chart if rows else None, titles=titles, percent="share", most=6
    )


def levels(result: MeanFrom) -> Figure:
    """Levels of every facet in both tables."""
    new = [one for one in result.levels if one.shared < one.production]
    finding = "All levels were in the pilot"
    if new:
        finding = f"{counted(len(new), 'facet')} with levels that the pilot did not see"
    lines = ("Levels may be shared or new: what counts is that they are of the same kind.",)
    heads = Short.titles("facet", "pilot", "production", shared="in both", target="stands for")
    titles = {"pilot": "levels in the pilot", "production": "in production", "shared": "labels in both"}
    return Figure.of("levels", Caption(finding, lines), result.rows(), heads, titles=titles)


def methods(result: MeanFrom) -> str:
    """The paragraph for a methods section."""
    pilot = result.pilot.judgments
    return (
        f"The mean of {counted(result.estimate.n, 'answer')} is the generalised least squares estimate at the variance "
        f"components of a pilot ({counted(pilot.n_answers, 'answer')}; {result.pilot.method.upper()}), which also give "
        "its standard error and Satterthwaite's degrees of freedom. Both tables are taken as samples of the same kinds "
        "of items, prompts and judges. The scores of the mean vary "
        f"{result.spread:.2f} times as much as these components say (standard error {result.spread_se:.2f})."
    )
