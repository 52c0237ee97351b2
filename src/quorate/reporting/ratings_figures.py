"""Charts of a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.analysis.ratings import MOST_DRAWN
from quorate.reporting import ratings_captions, ratings_tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.theme import CORRECTED, INK, NAIVE

if TYPE_CHECKING:
    import altair as alt

    from quorate.analysis.ratings import RatingsView
    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Row

MOST_IN_GRID = 80
_MANY = 24
_SHADE = 0.07


def leaderboard(view: RatingsView) -> Chart:
    """Systems in order: dot and interval, rank groups as bands, ranks on the right."""
    rows = ratings_tables.ranking(view)[:MOST_DRAWN]
    window = marks.around(rows, "rating")
    colour = NAIVE if view.not_rankable else CORRECTED
    drawn = [{**marks.drawn(row, window, colour), "side": row["group"] % 2 * _SHADE} for row in rows]
    x = marks.axis("rating", view.unit, window)
    base = marks.chart(drawn, _rows(len(rows), "system"), step=_step(len(rows)))
    layers = [*_bands(base, len(view.found.groups)), *marks.intervals(drawn, base, x, thickness=2)]
    return marks.finish([*layers, *_column(base, drawn, "rank")], ratings_captions.leaderboard(view))


def ranks(view: RatingsView) -> Chart:
    """Ranks that every system may have, as bars."""
    import altair as alt

    rows = ratings_tables.ranks(view)[:MOST_DRAWN]
    most = len(view.found)
    scale = alt.Scale(domain=[0.5, most + 0.5], nice=False, zero=False)
    ticks = alt.Axis(values=_ticks(most), format="d", grid=True)
    x = alt.X("from:Q", title="rank", scale=scale, axis=ticks)
    drawn = [{**row, "from": row["low"] - 0.4, "text": row["high"] + 0.4} for row in rows]
    drawn = [{**row, "shown_low": row["own_low"] - 0.4, "shown_high": row["own_high"] + 0.4} for row in drawn]
    base = marks.chart(drawn, _rows(len(rows), "system"), step=_step(len(rows)))
    wide = base.mark_bar(color=CORRECTED, opacity=0.35, height={"band": 0.35}).encode(x=x, x2="text:Q")
    own = base.mark_bar(color=CORRECTED, opacity=0.9, height={"band": 0.6})
    place = base.mark_tick(color=INK, thickness=2).encode(x=_at(x, "place"))
    return marks.finish(
        [wide, own.encode(x=_at(x, "shown_low"), x2="shown_high:Q"), place], ratings_captions.ranks(view)
    )


def pairs(view: RatingsView) -> Chart:
    """Which system is surely better than which, as a grid."""
    import altair as alt

    count = len(view.found)
    rows = [{**row, "i": row["i"] + 1, "j": row["j"] + 1} for row in ratings_tables.pairs(view)]
    axis = alt.Axis(grid=False, format="d", values=_ticks(count))
    across, down = (alt.Scale(domain=ends, nice=False, zero=False) for ends in ([0.5, count + 0.5], [count + 0.5, 0.5]))
    boxes = [{**row, "left": row["j"] - 0.5, "right": row["j"] + 0.5} for row in rows]
    boxes = [{**row, "top": row["i"] - 0.5, "bottom": row["i"] + 0.5} for row in boxes]
    tips = [alt.Tooltip("better:N"), alt.Tooltip("worse:N")]
    x = alt.X("left:Q", title="place of the other system", axis=axis, scale=across)
    y = alt.Y("top:Q", title="place of the better system", axis=axis, scale=down)
    data = alt.Chart(alt.InlineData(values=boxes))
    cells = data.mark_rect(color=CORRECTED, opacity=0.85).encode(x=x, x2="right:Q", y=y, y2="bottom:Q", tooltip=tips)
    ends = alt.InlineData(values=[{"left": 0.5, "top": 0.5}, {"left": count + 0.5, "top": count + 0.5}])
    same = alt.Chart(ends).mark_line(color=INK, opacity=0.4).encode(x=x, y=y)
    return marks.finish([cells, same], ratings_captions.pairs(view), height=min(360, 60 + 12 * count))


def _bands(base: alt.Chart, groups: int) -> list[alt.Chart]:
    """Every other rank group on a shaded band."""
    import altair as alt

    if groups == 1:
        return []
    shade = alt.Opacity("side:Q", scale=None)
    return [base.mark_rect(color=INK, height={"band": 1}).encode(opacity=shade)]


def _column(base: alt.Chart, rows: Sequence[Row], title: str) -> list[alt.Chart]:
    """Ranks to the right of the plot, under their title."""
    import altair as alt

    right = alt.ExprRef("width + 10")
    text = base.mark_text(align="left", x=right, color=INK, fontSize=_size(len(rows))).encode(text=f"{title}:N")
    head = alt.Chart(alt.InlineData(values=[{"text": title}]))
    named = head.mark_text(align="left", x=right, y=-8, color=INK, opacity=0.7, fontSize=11)
    return [text, named.encode(text="text:N")]


def _rows(count: int, field: str) -> alt.Y:
    """The axis of systems, with every label however many there are."""
    import altair as alt

    axis = alt.Axis(labelFontSize=_size(count), labelOverlap=False)
    return alt.Y(f"{field}:N", sort=None, title=None, axis=axis)


def _at(x: alt.X, field: str) -> alt.X:
    import altair as alt

    return alt.X(f"{field}:Q", title=x["title"], scale=x["scale"], axis=x["axis"])


def _ticks(most: int) -> list[int]:
    """First and last rank, and round ones between that do not crowd them."""
    step = next(one for one in (1, 2, 5, 10, 20, 50, 100, 10**6) if most / one <= 12)
    return sorted({1, *range(step, most - step // 2, step), most})


def _step(count: int) -> int:
    return 26 if count <= _MANY else 17


def _size(count: int) -> int:
    return 12 if count <= _MANY else 11
