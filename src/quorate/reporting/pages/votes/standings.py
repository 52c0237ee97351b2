"""Standings: the page of all pairs of systems that are watched as votes come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.decide.outcome import Outcome
from quorate.decide.stop import Standings
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.reporting.pages.verdict import SHORT
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table


def page(result: Standings, table: Table | None = None) -> Page:
    """The page of standings."""
    facts: dict[str, object] = {"systems": len(result.models), "pairs that share the level": result.pairs}
    facts |= {"pairs with enough votes to be decided": len(result.monitors), "level of all together": result.level}
    tiles = ((len(result.ordered), "in a known order"), (result.undecided, "undecided"))
    return Page(
        title=title_of(table, "Standings while votes come in"),
        sentence=result.sentence,
        sections=(
            Section("ranks", "Ranks", figures=(ranks(result),)),
            Section("pairs", "Pairs", figures=(pairs(result),)),
        ),
        facts=particulars("watched", f"What was watched: {counted(len(result.models), 'system')}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=tuple(
            Tile(f"{number:,}", f"{counted(number, 'pair').partition(' ')[2]} {name}") for number, name in tiles
        ),
        source=source_of(table),
        options=f"level {result.level:g} of all together, at all times",
    )


def ranks(result: Standings) -> Figure:
    """The ranks that the orders leave open for every system."""
    rows: list[Row] = [{**row, "system": cut(str(row["system"]), SHORT)} for row in result.rows()]
    known = sum(row["best"] == row["worst"] for row in rows)

    def chart() -> Spec:
        shown = marks.spread([{**row, "middle": (row["best"] + row["worst"]) / 2} for row in rows])
        window = (0.5, len(rows) + 0.5)
        x = marks.axis("middle", "rank", window)
        drawn = [
            marks.drawn({**row, "value": row["middle"], "low": row["best"], "high": row["worst"]}, window, CORRECTED)
            for row in shown
        ]
        return marks.finish(marks.intervals(drawn, marks.chart(drawn, marks.labels("system"), step=24), x))

    line = (
        "Every system is below those that are surely preferred to it, and above those that it is surely preferred to."
    )
    heads = {"best": "best rank", "worst": "worst rank", "above": "surely above", "below": "surely below"}
    finding = f"{counted(known, 'system')} of {len(rows):,} {'has' if known == 1 else 'have'} a known rank"
    short = Short(
        {"system": "system", "best": "best rank", "worst": "worst", "above": "surely above", "below": "below"}
    )
    return Figure("standings", Caption(finding, (line,)), rows, chart, heads, unfolded=True, short=short)


def pairs(result: Standings) -> Figure:
    """Every pair with enough votes to be decided, with the interval that holds at all times."""
    rows: list[Row] = [
        {"pair": f"{cut(row['a'], SHORT)} against {cut(row['b'], SHORT)}", **row}
        for row in sorted(result.pair_rows(), key=lambda row: -abs(row["share"] - 0.5))
    ]
    shown: list[Row] = [{name: value for name, value in row.items() if name not in ("a", "b")} for row in rows]

    def chart() -> Spec:
        some = marks.spread([{**row, "value": row["share"]} for row in shown])
        window = marks.around(some, "value", 0.5)
        open_ = {Outcome.UNDECIDED.value: NAIVE, Outcome.EQUIVALENT.value: NAIVE}
        drawn = [marks.drawn(row, window, open_.get(str(row["outcome"]), CORRECTED)) for row in some]
        x = marks.axis("value", "share of votes for the first", window)
        over = [marks.line_at(0.5, x)]
        return marks.finish([*over, *marks.intervals(drawn, marks.chart(drawn, marks.labels("pair"), step=24), x)])

    lines = (
        "Share of votes for the first when it was decided, or so far, with the interval of this pair by itself.",
        "In colour: the order is stated.",
    )
    heads = {"pair": "first against second", "share": "share of votes for the first", "stopped": "looks until decided"}
    finding = f"{counted(len(rows), 'pair')} {'has' if len(rows) == 1 else 'have'} enough votes to be decided"
    return Figure(
        "watched-pairs",
        Caption(finding, lines),
        shown,
        chart if rows else None,
        heads,
        short=Short(
            {"pair": "pair", "outcome": "outcome", "share": "share", "low": "interval"},
            of="share",
            at=0.5,
            percent=("share",),
        ),
    )


def methods(result: Standings) -> str:
    """The paragraph for a methods section."""
    own = 1 - (1 - result.level) / max(result.pairs, 1)
    return (
        "Every pair of systems was tested while votes came in, by a test whose error holds at all looks together "
        f"(Robbins, 1970; Ville, 1939), at level {own:.6g}, or at what decided pairs leave of it (Holm, 1979), so that "
        f"with a chance of {result.level:g} none of the orders of {result.pairs:,} pairs that were ever stated is "
        "false."
    )
