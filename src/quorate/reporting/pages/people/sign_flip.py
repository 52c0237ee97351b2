"""Sign flip: the page of how likely it is that errors of labels turn the sign of a coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import significant
from quorate.reporting.page import Caption, Figure, Page, Section, Short, Tile, particulars, title_of
from quorate.wording import percent

if TYPE_CHECKING:
    from quorate.estimate.regression.surrogate import SignFlip
    from quorate.reporting.page import Row, Table


def page(result: SignFlip, table: Table | None = None) -> Page:
    """The page of a sign."""
    facts = {"coefficient": result.beta, "standard error": result.se, "share of error of labels": result.ratio}
    return Page(
        title=title_of(table, "Errors of labels, and the sign of a coefficient"),
        sentence=result.sentence,
        sections=(Section("sign", "The other sign", figures=(chances(result),)),),
        facts=particulars("rests", "What it rests on", facts.items()),
        methods=(
            "Errors of labels that have nothing to do with the regressors bring their share of the outcome's variance "
            "to that of the coefficient; the coefficient without them is normal about the one found, by a flat prior "
            "(Messing 2026, appendix M). What goes with a regressor, such as a taste for long answers, is not counted."
        ),
        content=result.to_dict,
        tiles=(
            Tile(percent(result.differs), "chance of the other sign without error of labels"),
            Tile(percent(result.again), "chance of the other sign in another run"),
        ),
    )


def chances(result: SignFlip) -> Figure:
    """Both chances, with the standard deviations that they come from."""
    rows: list[Row] = [
        {"labels": "without error", "sd": result.noise, "chance": result.differs},
        {"labels": "of another run", "sd": result.noise * 2**0.5, "chance": result.again},
    ]
    finding = f"Errors of labels move the coefficient by {significant(result.noise)}, one standard deviation"
    return Figure(
        "chances",
        Caption(finding),
        rows,
        headers={"sd": "standard deviation", "chance": "other sign"},
        short=Short({"labels": "labels", "sd": "standard deviation", "chance": "other sign"}, percent=("chance",)),
    )
