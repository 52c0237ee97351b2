"""Boards at equal covariates: what each covariate does to votes, and how far systems move without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import distinct
from quorate.estimate.ratings.moves import Moves
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Row, Section
from quorate.wording import capitalised, counted, listed

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.reporting.draw.vega import Spec

MOST_DRAWN = 120


def section(view: RatingsAnalysis) -> Section | None:
    """What a board at equal covariates says of them; None for one without."""
    found = view.found
    if not isinstance(found, Ratings) or found.moves is None:
        return None
    named = listed(found.covariates)
    said = (found.moves.sentence, *view.covariate_words)
    return Section("moves", f"At equal {named}", said, (coefficients(found), moved(found.moves, view.unit)))


def coefficients(found: Ratings) -> Figure:
    """What having more of each covariate does to the log odds of winning."""
    rows: list[Row] = []
    for (name, one), unit in zip(found.coefficients.items(), found.units, strict=True):
        low, high = one.at(found.level).ends
        rows.append({"covariate": name, "unit": unit, "value": one.value, "se": one.se, "low": low, "high": high})
    helps, hurts = (
        [row["covariate"] for row in rows if row[end] * sign > 0] for end, sign in (("low", 1), ("high", -1))
    )
    parts = [f"more {listed(names)} {word}" for names, word in ((helps, "helps"), (hurts, "hurts")) if names]
    finding = capitalised(listed(parts)) if parts else "None of the covariates surely matters"
    line = f"{capitalised(found.model.unit)} for one unit, the root mean square of the differences between the two."
    level = f"{100 * found.level:.4g}%"
    heads = {"value": found.model.unit, "se": "standard error", "low": f"low, {level}", "high": f"high, {level}"}
    return Figure("coefficients", Caption(finding, (line,)), rows, headers=heads, unfolded=True)


def moved(moves: Moves, unit: str) -> Figure:
    """How far each system moves, with intervals in which what both ratings share has cancelled."""
    rows: list[Row] = [{**row, "system": name} for row, name in zip(moves.rows(), distinct(moves.systems), strict=True)]
    low, high = moves.intervals.T
    sure, level = int(((low > 0) | (high < 0)).sum()), f"{100 * moves.level:.4g}%"
    placed = sum(row["place"] != row["place_before"] for row in rows)
    finding = f"{counted(sure, 'system')} of {len(rows):,} surely {'moves' if sure == 1 else 'move'}, "
    finding += f"and {counted(placed, 'system')} {'changes' if placed == 1 else 'change'} place"
    line = f"Rating at equal {listed(moves.covariates)} less the rating by the same votes without, with {level} "
    lines = [f"{line}intervals for each: the error that both ratings share has cancelled."]
    lines += [f"The first {MOST_DRAWN} are drawn; the table has all."] * (len(rows) > MOST_DRAWN)

    def chart() -> Spec:
        first = rows[:MOST_DRAWN]
        window = marks.around(first, "move")
        drawn = []
        for row in first:
            certain = row["low"] > 0 or row["high"] < 0
            drawn.append(marks.drawn(row, window, CORRECTED if certain else NAIVE))
        names = channel("system:N", sort=None, title=None)
        base = marks.chart(drawn, names, step=20)
        x = marks.axis("move", unit, window, len(first))
        return marks.finish([*marks.intervals(drawn, base, x, thickness=2)])

    heads = {"place_before": "place without", "before": "rating without", "se": "standard error"}
    heads |= {"low": f"low, {level}", "high": f"high, {level}"}
    return Figure("moves", Caption(finding, tuple(lines)), rows, chart, heads)
