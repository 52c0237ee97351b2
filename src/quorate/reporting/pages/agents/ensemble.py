"""Ensemble: the page of the mean of several agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED
from quorate.reporting.page import Caption, Figure, Page, Section, Short, Tile, particulars, source_of, title_of

if TYPE_CHECKING:
    from quorate.estimate.agents.ensemble import Ensemble
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table


def page(result: Ensemble, table: Table | None = None) -> Page:
    """The page of an ensemble."""
    facts: dict[str, object] = {"agents": result.agents, "variance of their mean": result.variance}
    facts |= {"variance of one agent": result.alone, "covariance of two": result.shared}
    return Page(
        title=title_of(table, "The mean of several agents"),
        sentence=result.sentence,
        sections=(Section("numbers", "More or fewer agents", figures=(numbers(result),)),),
        facts=particulars("rests", "What it rests on", facts.items()),
        methods=(
            f"The variance of the mean of {result.agents:,} agents on one item is the mean of their variances and "
            "covariances (Messing 2026, equation 13); what all agents share stays however many they are."
        ),
        content=result.to_dict,
        tiles=(
            Tile(significant(result.se), f"standard deviation of the mean of {result.agents:,}"),
            Tile(significant(result.worth, 2), "independent agents that would be as precise"),
            Tile(significant(result.correlation, 2), "correlation of the errors of two agents"),
        ),
        source=source_of(table),
    )


def numbers(result: Ensemble) -> Figure:
    """What the mean of each number of agents is worth."""
    rows = result.rows()
    finding = f"{result.agents:,} agents are worth {significant(result.worth, 2)} independent ones"
    line = "Standard deviation of the mean on one item, of agents like these."

    def chart() -> Spec:
        shown = [{"agents": str(row["agents"]), "se": row["se"], "low": row["se"], "high": row["se"]} for row in rows]
        return marks.dots(
            shown[: marks.MOST_ROWS], "agents", "se", "standard deviation", CORRECTED, at=None, side="agents"
        )

    heads = {"se": "standard deviation", "worth": "independent agents"}
    return Figure(
        "numbers",
        Caption(finding, (line,)),
        rows,
        chart,
        heads,
        unfolded=True,
        short=Short({"agents": "agents", "se": "standard deviation", "worth": "independent ones"}),
    )
