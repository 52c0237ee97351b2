"""Judges of a pool that should judge the main study: what is chosen, against what, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quorate.analysis.words import significant
from quorate.caveats import weightiest_first
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, particulars, source_of, title_of
from quorate.wording import counted, whole_percent

if TYPE_CHECKING:
    from quorate.planning.panel.screening import Screening
    from quorate.planning.panel.shortlist import Shortlist
    from quorate.reporting.page import Table

_NOTHING = 1e-9
"""Standard errors up to which a bias is what rounding leaves: all judges of the pool have none."""
ALIKE = 1.1
"""Times the half-width up to which it hardly matters who judges."""


def page(result: Screening, table: Table | None = None) -> Page:
    """The page of a screening."""
    subtract = f"Subtract {significant(result.panel.bias)} from the equal-weight mean of the judges' means."
    facts = {"items of the pilot": result.items, "left out": result.left_out, "price of the pilot": result.pilot_cost}
    return Page(
        title=title_of(table, "Which judges should judge"),
        sentence=result.sentence,
        sections=(
            Section(
                "panels",
                "The panel",
                (subtract,) if result.corrected and abs(result.panel.bias) > _NOTHING * result.panel.se else (),
                (
                    panels(
                        result, "panels", "Against other ways to spend the same", (result.panel, *result.alternatives)
                    ),
                    judges(result),
                    panels(result, "frontier", "The best panel of every size", result.frontier),
                ),
            ),
            Section("sure", "How sure is the choice?", (certainty(result), *indifference(result))),
        ),
        facts=particulars("screened", f"What it rests on: {counted(result.items, 'item')}", facts.items()),
        methods="Judges were chosen by the mean squares of a crossed pilot; every item of the main study gets one.",
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        source=source_of(table),
    )


def panels(result: Screening, name: str, finding: str, lists: Sequence[Shortlist]) -> Figure:
    """Panels with what they cost and how precise they are."""
    rows: list[Row] = [
        {
            "panel": one.label,
            "judges": len(one.judges) or None,
            "items": one.items,
            "cost": one.cost,
            "half": one.half_width if result.corrected else one.half_width_uncorrected,
        }
        for one in lists
    ]
    heads = {"panel": "panel", "judges": "judges", "items": "items", "cost": "cost", "half": "half interval"}
    return Figure(name, Caption(finding), rows, headers=heads, short=Short(heads))


def judges(result: Screening) -> Figure:
    """Every judge of the pool: how lenient, how noisy, and what changing its place would give."""
    rows: list[Row] = [
        {
            "judge": one.name,
            "place": "kept" if one.kept else "left out",
            "price": one.price,
            "leniency": one.gamma,
            "se": one.gamma_se,
            "noise": one.noise**0.5,
            "otherwise": one.otherwise,
        }
        for one in sorted(result.candidates, key=lambda one: (not one.kept, one.name))
    ]
    kept = sum(one.kept for one in result.candidates)
    line = "Otherwise: what was asked for with the judge if it is left out, without it if it is kept."
    heads = {"place": " ", "price": "price", "noise": "noise SD", "leniency": "leniency", "se": "+-"}
    order = ("judge", "place", "price", "leniency", "se", "noise", "otherwise")
    short = Short({name: heads.get(name, name).strip() for name in order})
    caption = Caption(f"{kept} of {counted(len(rows), 'judge')} are kept", (line,))
    return Figure("judges", caption, rows, headers=heads, short=short)


def certainty(result: Screening) -> str:
    """How often resampled pilots choose a panel that is as good."""
    sure = result.stability
    near, loss, high = map(whole_percent, (sure.within, sure.loss, sure.loss_high))
    within = f"{near} of {sure.draws:,} resampled pilots of {result.items:,} items choose a panel that is within 5%"
    return f"{within}; the others lose {loss} on average, {high} at the 95th."


def indifference(result: Screening) -> Iterator[str]:
    """A word where it hardly matters which judges are chosen."""
    drawn = next((one for one in result.alternatives if not one.judges), None)
    ours = result.half_width
    if drawn is None:
        return
    other = drawn.half_width if result.corrected else drawn.half_width_uncorrected
    if 0 < ours < math.inf and other / ours < ALIKE:
        more = f"±{significant(other)} for the same money, {whole_percent(other / ours - 1)} wider"
        yield f"Which judges hardly matters: as many drawn at random would have an interval of {more}."
