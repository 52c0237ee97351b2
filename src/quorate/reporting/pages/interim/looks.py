"""Looks: the estimate of a study as answers came in, a curve that narrows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import Caption, Figure, Row, Short
from quorate.wording import capitalised, counted

if TYPE_CHECKING:
    from quorate.analysis.interim.result import Interim
    from quorate.reporting.draw.vega import Channel, Spec

WATCH, DECIDE = "to watch", "to decide by"
"""Names of the two intervals: of an analysis that is made once, and of one who stops when it says enough."""


def looks(result: Interim) -> Figure:
    """The estimate as answers came in: a band for one look, dashed lines for all looks."""
    now = result.looks[-1]
    value, once, always = result.shown(now)
    finding = f"{cut(capitalised(result.what))} after {counted(now.n, 'answer')}: {value}"
    finding += "" if math.isnan(now.low) else f"; {once} to watch"
    finding += "" if math.isnan(now.always_low) else f", {always} to decide by"
    level = f"{100 * result.level:.4g}%"
    units = "votes on the two" if result.kind == "votes" else "items that everybody has finished"
    lines = [f"Band, to watch: the {level} interval of one analysis; who stops by it is wrong more often than that."]
    rows = result.rows()
    if marks.known(rows, "always_low"):
        lines.append(f"Dashed, to decide by: the {level} interval that holds at all looks at once, from {units}.")
    heads = {"n": "answers", "low": f"low, {WATCH}", "high": f"high, {WATCH}", "units": units}
    heads |= {"always_low": f"low, {DECIDE}", "always_high": f"high, {DECIDE}"}
    known = marks.known(rows, "value")
    return Figure(
        "looks",
        Caption(finding, tuple(lines)),
        rows,
        (lambda: curve(result)) if len(known) > 1 else None,
        heads,
        short=Short(
            {"n": "answers", "value": "so far", "low": WATCH},
            of="value",
            percent=("value",) if result.kind == "votes" else (),
        ),
    )


def curve(result: Interim) -> Spec:
    """The curve that narrows."""
    rows = marks.known(result.rows(), "value")
    banded, held = marks.known(rows, "low", "high"), marks.known(rows, "always_low", "always_high")
    edges = [end for row in banded for end in (row["low"], row["high"])] or [row["value"] for row in rows]
    edges += [end for row in held[-1:] for end in (row["always_low"], row["always_high"])]
    window = [min(edges), max(edges)] if max(edges) > min(edges) else [min(edges) - 1, max(edges) + 1]
    x = channel("n:Q", title="answers (log scale)", scale={"type": "log", "nice": False}, axis={"tickCount": 6})
    shares = {"format": "~%"} if result.kind == "votes" else {}
    scale = {"domain": window, "nice": False, "zero": False, "clamp": True}

    def y(field: str) -> Channel:
        return channel(f"{field}:Q", title=None, scale=scale, axis=shares)

    def base(of: list[Row]) -> Marks:
        finite = [{key: one if math.isfinite(one) else None for key, one in row.items()} for row in of]
        return Marks(finite)

    band = base(banded).mark("area", opacity=0.2, color=CORRECTED).encode(x=x, y=y("low"), y2="high")
    line = base(rows).mark("line", color=CORRECTED, strokeWidth=2.5, point=True).encode(x=x, y=y("value"))
    dashed = base(held).mark("line", color=MISSED, strokeWidth=2, strokeDash=[6, 4], clip=True)
    ends = [dashed.encode(x=x, y=y(f"always_{end}")) for end in ("low", "high")] if held else []
    zero = base([{"at": 0.5}]).mark("rule", color=INK, opacity=0.5).encode(y=y("at"))
    equal = [zero] if result.kind == "votes" and window[0] <= 0.5 <= window[1] else []
    return marks.finish([*equal, band, *ends, line], height=300)
