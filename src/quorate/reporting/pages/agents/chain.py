"""Chain: the page of where the variance of the last agent's scores comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import percent

if TYPE_CHECKING:
    from quorate.estimate.agents.chain import Chain
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table


def page(result: Chain, table: Table | None = None) -> Page:
    """The page of a chain."""
    most, last = max(result.links, key=lambda one: one.share), result.links[-1]
    level = f"{100 * result.level:.4g}% interval"
    facts: dict[str, object] = {"runs": result.n, "variance of the last stage": result.variance}
    facts |= {"runs resemble each other by": result.cluster or "nothing: taken as independent"}
    facts |= {f"degree of the polynomial in {cut(one.stage)}": one.degree for one in result.links[:-1]}
    return Page(
        title=title_of(table, "A chain of agents"),
        sentence=cut(result.sentence, 300),
        sections=(Section("stages", "What each stage adds", figures=(stages(result),)),),
        facts=particulars("rests", "What it rests on", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=(
            Tile(percent(most.share), f"from {cut(most.stage)} ({level} {percent(most.low)} to {percent(most.high)})"),
            Tile(percent(last.share), f"from {cut(last.stage)}, the last"),
            Tile(f"{result.n:,}", "runs of the chain"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


def stages(result: Chain) -> Figure:
    """Share of the variance that each stage adds."""
    rows: list[Row] = [
        {"stage": cut(one.stage), "share": one.share, "low": one.low, "high": one.high, "variance": one.variance}
        | {"so_far": one.so_far}
        for one in result.links
    ]
    most = max(result.links, key=lambda one: one.share)
    finding = f"{percent(most.share)} of the variance comes from {cut(most.stage)}"
    line = f"Share of the variance of the last stage, with {100 * result.level:.4g}% intervals; shares add up to 1."

    def chart() -> Spec:
        return marks.dots(rows, "stage", "share", "share", CORRECTED, at=0.0)

    heads = {"so_far": "with those before it"}
    return Figure(
        "stages",
        Caption(finding, (line,)),
        rows,
        chart,
        heads,
        unfolded=True,
        short=Short(
            {"stage": "stage", "share": "share", "low": f"{100 * result.level:.4g}% interval", "variance": "variance"},
            of="share",
            percent=("share",),
        ),
    )


def methods(result: Chain) -> str:
    """The paragraph for a methods section."""
    apart = f"clustered by {result.cluster}" if result.cluster else "runs as independent"
    return (
        f"The variance of the last stage over {result.n:,} runs was divided by the law of total variance, stage by "
        "stage (Messing 2026, equation 14): each adds what the mean of the last stage given it explains beyond that "
        "given the stage before. Conditional means are polynomials, or means by word, fitted without the run that they "
        "predict. "
        f"Intervals are on the scale of the angle, with standard errors of influence values, {apart}."
    )
