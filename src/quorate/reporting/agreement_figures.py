"""Charts of agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.analysis.agreement import KINDS
from quorate.reporting import agreement_captions as captions
from quorate.reporting import agreement_tables as tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, NAIVE

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView
    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Caption, Row

_STEP = 24


def rates(view: AgreementView) -> Chart | None:
    """Agreement of every pipeline on all battles, with ties and without; None where no share is known."""
    rows = [row for row in known(tables.rates(view), "agreement") if row["of"] == tables.ALL]
    rows = [{"pipeline": f"{row['judged_by']}, {row['ties']}", **row} for row in rows]
    return _dots(rows, ("pipeline", "agreement"), "share of battles decided as people do", captions.rates(view))


def categories(view: AgreementView) -> Chart | None:
    """Agreement of every pipeline by category, ties included."""
    overall = KINDS["overall"]
    rows = [row for row in known(tables.rates(view), "agreement") if row["of"] != tables.ALL and row["ties"] == overall]
    rows = [{"part": f"{row['judged_by']}, {row['of']}", **row} for row in rows]
    return _dots(rows, ("part", "agreement"), "share of battles decided as people do", captions.categories(view))


def differences(view: AgreementView) -> Chart | None:
    """Differences of pipelines on all battles, ties included; the largest where there are many."""
    overall = KINDS["overall"]
    rows = known(tables.differences(view), "points", "low", "high")
    rows = [row for row in rows if row["of"] == tables.ALL and row["ties"] == overall]
    if not rows:
        return None
    rows = [{"pair": f"{row['first']} less {row['less']}", **row} for row in marks.furthest(rows, "points")]
    window = marks.around(rows, "points", 0.0)
    x = marks.axis("points", "difference of agreement, points of percent", window)
    drawn = [marks.drawn(row, window, CORRECTED) for row in rows]
    base = marks.chart(drawn, marks.labels("pair"), step=_STEP)
    return marks.finish([marks.line_at(0.0, x), *marks.intervals(drawn, base, x)], captions.differences(view))


def positions(view: AgreementView) -> Chart | None:
    """Share of choices that were shown first."""
    rows = known(tables.positions(view), "shown_first")
    return _dots(rows, ("judge", "shown_first"), "share of choices shown first", captions.positions(view), line=0.5)


def cells(view: AgreementView) -> Chart | None:
    """Share of right judgments in every cell: thick its own interval, thin that of all at once."""
    rows = known(tables.cells(view), "low", "high")
    if not rows:
        return None
    renamed = {"low": "all_low", "high": "all_high", "alone_low": "low", "alone_high": "high"}
    rows = [{**row, **{new: row[old] for new, old in renamed.items()}} for row in marks.spread(rows)]
    rows = [{name: value for name, value in row.items() if not name.startswith("all_")} for row in rows]
    window = marks.around(rows, "right")
    x = marks.axis("right", "share of right judgments", window)
    drawn = [marks.drawn(row, window, CORRECTED) for row in rows]
    base = marks.chart(drawn, marks.labels("cell"), step=17)
    alone = base.mark_rule(strokeWidth=6, opacity=0.45).encode(
        x=marks.like(x, "alone_low"), x2="alone_high:Q", color=marks.own_colour()
    )
    return marks.finish([alone, *marks.intervals(drawn, base, x, thickness=1.2)], captions.cells(view))


def _dots(
    rows: Sequence[Row], fields: tuple[str, str], title: str, caption: Caption, line: float | None = None
) -> Chart | None:
    """Labels and shares, with intervals; what leaves out ties as grey diamonds."""
    if not rows:
        return None
    label, value = fields
    rows = marks.spread(list(rows))
    window = marks.around(rows, value, *(() if line is None else (line,)))
    x = marks.axis(value, title, window)
    drawn = [marks.drawn(row, window, *_look(row)) for row in rows]
    base = marks.chart(drawn, marks.labels(label), step=_STEP)
    lines = [] if line is None else [marks.line_at(line, x)]
    return marks.finish([*lines, *marks.intervals(drawn, base, x)], caption)


def _look(row: Row) -> tuple[str, str]:
    return (NAIVE, "diamond") if row.get("ties") == KINDS["decisive"] else (CORRECTED, "circle")
