"""Which battles next: the page of chances of pairs, and what votes by them are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.reporting.pages.verdict import SHORT
from quorate.wording import counted, percent

if TYPE_CHECKING:
    from quorate.planning.battles import NextBattles
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

MOST_BARS, MOST_ROWS = 20, 200
_SMALL = {"A": "the sum of the variances of the ratings", "D": "the determinant of the covariance of the ratings"}


def page(result: NextBattles, table: Table | None = None) -> Page:
    """The page of the next battles."""
    facts: dict[str, object] = {"pairs": len(result.pairs), "votes so far": int(result.votes.sum())}
    facts |= {
        "votes drawn": len(result),
        "votes to come in all": result.horizon,
        "made small": _SMALL[result.criterion],
    }
    facts |= {"part of the chances that all pairs share": result.floor, "seed": result.seed}
    tiles = [
        Tile(f"{len(result):,}", "votes drawn"),
        Tile(percent(float(result.chance.max())), "chance of the likeliest"),
    ]
    tiles.append(Tile(f"{result.equal:,.0f}", f"votes by equal chances, worth {result.horizon:,} by these"))
    return Page(
        title=title_of(table, "Which battles next"),
        sentence=result.sentence,
        sections=(Section("chances", "Chances of pairs", figures=(chances(result),)),),
        facts=particulars(
            "battles-rest", f"What it rests on: {counted(int(result.votes.sum()), 'vote')}", facts.items()
        ),
        methods=methods(result),
        content=result.to_dict,
        tiles=tuple(tiles),
        source=source_of(table),
        options=f"criterion {result.criterion}, floor {result.floor:g}, horizon {result.horizon:,}",
    )


def chances(result: NextBattles) -> Figure:
    """Every pair with its votes so far, its chance and the votes drawn: the likeliest first."""
    rows: list[Row] = [
        {"pair": f"{cut(row['system_a'], SHORT)} against {cut(row['system_b'], SHORT)}"}
        | {name: row[name] for name in ("votes", "chance", "gain", "next")}
        for row in result.rows()[:MOST_ROWS]
    ]
    pairs = len(result.pairs)
    half = int(np.searchsorted(np.cumsum(result.chance), 0.5)) + 1
    lines = [f"Chance of each pair to get the next vote; equal chances would be {percent(1 / pairs)}."]
    lines += [f"The chart shows the likeliest {MOST_BARS}."] if pairs > MOST_BARS else []
    lines += [f"The table has the likeliest {MOST_ROWS}."] if pairs > MOST_ROWS else []
    lines.append(
        f"Gain: by how much one more vote lowers {_SMALL[result.criterion].replace('determinant', 'log determinant')}."
    )

    def chart() -> Spec:
        return marks.bars([row | {"colour": CORRECTED} for row in rows[:MOST_BARS]], "pair", "chance")

    heads = {"votes": "votes so far", "next": "votes drawn"}
    finding = f"Half of the votes go to {half:,} of {counted(pairs, 'pair')}"
    return Figure(
        "chances",
        Caption(finding, tuple(lines)),
        rows,
        chart,
        heads,
        unfolded=True,
        short=Short({"pair": "pair", "votes": "votes", "chance": "chance", "next": "next"}, percent=("chance",)),
    )


def methods(result: NextBattles) -> str:
    """The paragraph for a methods section."""
    return (
        f"Pairs of systems were drawn at random, by chances that make {_SMALL[result.criterion]} small after "
        f"{result.horizon:,} more votes ({result.criterion}-optimal design; Atkinson, Donev and Tobias, 2007) under "
        "Davidson's model (1970) at the ratings so far, mixed with equal chances for all pairs "
        f"(part {result.floor:g}). The chance of each was recorded, and ratings are weighted by it."
    )
