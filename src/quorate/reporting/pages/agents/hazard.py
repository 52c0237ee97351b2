"""Hazard: the page of conversations that cross a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import percent

if TYPE_CHECKING:
    from quorate.estimate.agents.hazard import Hazard
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table


def page(result: Hazard, table: Table | None = None) -> Page:
    """The page of hazards."""
    last, level = result.turns[-1], f"{100 * result.level:.4g}% interval"
    side, ends = "above" if result.above else "below", " to ".join(map(percent, last.lasting.ends))
    worst = max(result.turns, key=lambda one: one.hazard.value)
    facts: dict[str, object] = {"threshold": result.threshold, "scores that count": side}
    facts |= {"share of the variance of scores that stays from turn to turn": result.between}
    facts |= {f"levels of {name} in a score": count for name, count in result.levels.items()}
    return Page(
        title=title_of(table, "Turns of a conversation"),
        sentence=result.sentence,
        sections=(
            Section("hazards", "At which turn", figures=(hazards(result),)),
            Section("survival", "How many never do", figures=(survival(result),)),
        ),
        facts=particulars("rests", f"What it rests on: {len(result.turns)} turns", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=(
            Tile(
                percent(last.lasting.value),
                f"never {side} {result.threshold:g}, as conversations differ ({level} {ends})",
            ),
            Tile(percent(last.survival.value), "the same, if turns were independent"),
            Tile(percent(worst.hazard.value), f"at turn {worst.turn}, where most are"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


def hazards(result: Hazard) -> Figure:
    """The chance to be beyond the threshold, turn by turn, and the share that was observed."""
    rows: list[Row] = [
        {
            "turn": one.turn,
            "hazard": one.hazard.value,
            "low": one.hazard.low,
            "high": one.hazard.high,
            "observed": one.observed,
        }
        | {"mean": one.mean, "sd": one.sd, "n": one.n}
        for one in result.turns
    ]
    first, last = rows[0]["hazard"], rows[-1]["hazard"]
    finding = f"From {percent(first)} at turn {rows[0]['turn']} to {percent(last)} at turn {rows[-1]['turn']}"
    side = "above" if result.above else "below"
    line = f"Chance of a score {side} {result.threshold:g} with {100 * result.level:.4g}% intervals; normal scores."

    def chart() -> Spec:
        return marks.dots(rows, "turn", "hazard", "chance", CORRECTED, at=None, side="turn")

    heads = {"mean": "mean score", "sd": "standard deviation of single scores", "n": "answers"}
    return Figure(
        "hazards",
        Caption(finding, (line,)),
        rows,
        chart,
        heads,
        unfolded=True,
        short=Short(
            {
                "turn": "turn",
                "mean": "mean",
                "observed": "observed",
                "hazard": "hazard",
                "low": f"{100 * result.level:.4g}% interval",
            },
            of="hazard",
            percent=("hazard", "observed"),
        ),
    )


def survival(result: Hazard) -> Figure:
    """The chance that no turn so far was beyond the threshold, both ways."""
    rows: list[Row] = []
    for one in result.turns:
        row: Row = {"turn": one.turn, "lasting": one.lasting.value, "low": one.lasting.low, "high": one.lasting.high}
        rows.append(row | one.survival.row("survival"))
    last = result.turns[-1]
    lasting, independent = (percent(one.value) for one in (last.lasting, last.survival))
    finding = f"{lasting} of conversations never cross; {independent} if turns were independent"
    line = (
        "Chance that no score so far was beyond the threshold, with what items, prompts and judges are like kept from "
        "turn to turn; the product over turns is beside it."
    )

    def chart() -> Spec:
        return marks.dots(rows, "turn", "lasting", "chance", CORRECTED, at=None, side="turn")

    heads = {"lasting": "none so far", "survival": "by independent turns"}
    heads |= {"survival_low": "its low", "survival_high": "its high"}
    return Figure(
        "survival",
        Caption(finding, (line,)),
        rows,
        chart,
        heads,
        short=Short(
            {"turn": "turn", "survival": "by independent turns", "lasting": "none so far", "low": "interval"},
            of="lasting",
            percent=("lasting", "survival"),
        ),
    )


def methods(result: Hazard) -> str:
    """The paragraph for a methods section."""
    side = "above" if result.above else "below"
    return (
        f"The hazard of a turn is the chance that a single score is {side} {result.threshold:g}, of a normal law with "
        "the turn's mean and the sum of the variance components of a linear mixed model (Messing 2026, equation 12). "
        "Survival is the product of their complements, and, beside it, the same chance where components without the "
        f"turn are shared by all turns of a conversation (here {percent(result.between)} of the variance). Intervals "
        "are quantiles of draws of means (Student) and components (chi-square)."
    )
