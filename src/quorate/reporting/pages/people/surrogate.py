"""Surrogate: the page of how far a judge's label of an item would move in another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import significant
from quorate.reporting.page import Caption, Figure, Page, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import percent

if TYPE_CHECKING:
    from quorate.estimate.regression.surrogate import Surrogate
    from quorate.reporting.page import Table


def page(result: Surrogate, table: Table | None = None) -> Page:
    """The page of a surrogate label."""
    low, high = result.estimate.ends
    facts = {f"levels of {name} in a label": count for name, count in result.levels.items()}
    facts |= {"answers of each cell": result.replicates}
    return Page(
        title=title_of(table, "A label by judges"),
        sentence=result.sentence,
        sections=(Section("error", "Error of a label", figures=(parts(result),)),),
        facts=particulars("rests", "What a label is", facts.items()),
        methods=(
            "The variance of a label about what the same judges would say of the item on average adds up components of "
            "a pilot that contain a facet whose levels might have been others, each over its levels (Messing 2026, "
            "equation 15). Its interval is by draws of the components, each from the law of its mean square."
        ),
        content=result.to_dict,
        tiles=(
            Tile(significant(result.se), "standard deviation of a label's error"),
            Tile(significant(result.variance), f"its variance; {significant(low)} to {significant(high)}"),
        ),
        source=source_of(table),
    )


def parts(result: Surrogate) -> Figure:
    """What each component brings to the variance."""
    rows = result.rows()
    most = max(rows, key=lambda row: row["variance"])
    finding = f"{percent(most['share'])} of the variance is {most['component']}"
    line = "Over the levels that a label is the mean of. What no averaging removes is bias, where it was given."
    return Figure(
        "parts",
        Caption(finding, (line,)),
        rows,
        short=Short({"component": "component", "variance": "variance", "share": "share"}, percent=("share",)),
    )
