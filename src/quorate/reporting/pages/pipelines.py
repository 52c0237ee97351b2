"""The report on leaderboards by pipelines of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan

from quorate.analysis.words import cut, distinct
from quorate.estimate.agreement.battles import ORDER
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, Spec
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.simulate.pipelines.result import PipelineErrors, Pipelines
from quorate.table.results import picked
from quorate.wording import capitalised, counted, listed, plural

LEVEL = 0.95
SEED = "none was stated; without one, it is 1"
"""What a report says of the seed of draws whose root it was not told."""
_KINDS = {"single": "one cell for all battles", "average": "the mean of all cells"}
_HEADS = {
    "naive": "se over battles",
    "aware": "se over cells too",
    "low": "low, 95%",
    "high": "high, 95%",
    "ratio": "times the naive",
}


def page(pipelines: Pipelines, table: Table | None = None) -> Page:
    """The page on leaderboards by pipelines of judges."""
    return Page.of(
        pipelines,
        table,
        "Leaderboards by judges",
        sections=tuple(sections(pipelines)),
        facts=compared(pipelines),
        methods=methods(pipelines),
        options=f"by {pipelines.by}, resamples {pipelines.resamples:,}",
        seed=SEED,
    )


def methods(pipelines: Pipelines) -> str:
    """The paragraph for a methods section."""
    unit = "Bradley-Terry ratings" if pipelines.by == "bradley-terry" else "win rates"
    every = {name for facets in pipelines.facets.values() for name in facets}
    between = [f"between levels of {listed(sorted(every - {ORDER}))}"] if every - {ORDER} else []
    between += ["for one cell, between both orders"] if ORDER in every else []
    return (
        f"Systems were ranked by {unit}. Naive standard errors are those of {pipelines.resamples:,} resamples of "
        f"battles with their verdicts. Aware ones add the variance {' and, '.join(between)}, beyond what resampled "
        "battles explain; intervals are Student's with Satterthwaite's degrees of freedom."
    )


def systems(errors: PipelineErrors) -> list[Row]:
    """One row for every system of a leaderboard, best first."""
    names = distinct([one.system for one in errors.systems])
    out = []
    for name, one in zip(names, errors.systems, strict=True):
        low, high = errors.interval(one.system).at(LEVEL).ends
        numbers = {"naive": one.naive, "aware": one.aware, "low": low, "high": high, "ratio": one.ratio}
        out.append({"system": name, "value": one.value, **numbers})
    return out


def sections(pipelines: Pipelines) -> Iterator[Section]:
    """All sections but the last, the methods' own."""
    several = len({one.pipeline for one in pipelines.errors}) > 1
    for at, one in enumerate(pipelines.errors):
        name = f"{cut(one.pipeline, 40)}: " if several else ""
        figure = board(f"{one.kind}-{at // 2 + 1}", one, pipelines.facets[one.pipeline])
        title = f"{name}{_KINDS[one.kind]}"
        yield Section(f"board-{at + 1}", capitalised(title), (), (figure,))
    if pipelines.leaderboards is None:
        return
    boards, differences = pipelines.leaderboards.boards, pipelines.leaderboards.differences
    best = max(boards, key=lambda one: one.spearman)
    rows: list[Row] = [picked(one, "leaderboard=board systems pearson spearman kendall") for one in boards]
    finding = f"Closest to people: {cut(best.board, 40)}, rank correlation {best.spearman:.2f}"
    figures = [
        Figure.of(
            "correlations",
            Caption(finding, (f"{counted(best.systems, 'system')}.",)),
            rows,
            {name: name.capitalize() for name in rows[0]},
        )
    ]
    if differences:
        rows = [
            {"first": one.first, "less": one.second, "difference": one.difference, "t": one.t, "p": one.p}
            for one in differences
        ]
        least = min(differences, key=lambda one: (isnan(one.p), one.p))
        known = "no test exists" if isnan(least.p) else f"the least p-value is {least.p:.2g}"
        caption = Caption(f"Differences of these correlations: {known}", ("Williams' test of ratings.",))
        heads = Short.titles("first", "less", "difference", "p")
        figures.append(Figure.of("correlation-differences", caption, rows, heads))
    yield Section("people", "Beside the leaderboard by people", (), tuple(figures))


def board(name: str, errors: PipelineErrors, facets: Mapping[str, int]) -> Figure:
    """Systems with both intervals: thick over battles alone, thin over cells too."""
    varied = listed(plural(facet) for facet in facets)
    finding = f"Error bars over {varied} too are {errors.ratio:.2f} times those over battles alone"
    unit = "rating, log odds" if errors.by == "bradley-terry" else "share of battles won"
    lines = [f"{capitalised(unit)}, best first. Grey: 95% interval over battles alone;"]
    others = [plural(facet) for facet in facets if facet != ORDER]
    scope = [f"{listed(others)} like these"] if others else []
    scope += ["both orders"] if ORDER in facets else []
    lines.append(f"blue: over {' and '.join(scope)} too. An arrow: the interval goes on.")
    if errors.without:
        lines.append(f"{errors.without:,} resamples without a leaderboard are left out.")
    rows = systems(errors)

    def chart() -> Spec:
        naives = [errors.interval(one.system, aware=False) for one in errors.systems]
        intervals = [
            row | {"naive_low": one.low, "naive_high": one.high} for row, one in zip(rows, naives, strict=True)
        ]
        drawn = marks.spread(intervals)
        return marks.dots(drawn, "system", "value", unit, CORRECTED, tall=24, wide=("naive", NAIVE))

    heads = Short.titles("system", "value", naive="naive se", aware="aware se", ratio="times", low="95% interval")
    return Figure.of(name, Caption(finding, tuple(lines)), rows, heads, chart, titles=_HEADS, unfolded=True, of="value")


def compared(pipelines: Pipelines) -> Figure:
    """What was compared."""
    values: dict[str, object] = {}
    for name, cells in pipelines.cells.items():
        of = f" of {name}" if len(pipelines.cells) > 1 else ""
        facets = pipelines.facets[name]
        values |= {f"{plural(facet)}{of}": size for facet, size in facets.items()}
        values[f"cells{of}: each one {listed(facets)}"] = cells
    values["systems"] = len(pipelines.errors[0].systems)
    finding = "What was compared: leaderboards by single cells of judges, and by the mean of all"
    return particulars("compared", finding, values, head="number")
