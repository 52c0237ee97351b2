"""The sections of the report on agreement with people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.reporting import agreement_captions as captions
from quorate.reporting import agreement_figures as figures
from quorate.reporting import agreement_tables as tables
from quorate.reporting.draw.marks import later
from quorate.reporting.page import Figure, Section

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView

_TIES = {"people": "people's ties"}
_POSITIONS = {"battles": "battles in both orders"}
_CELLS = {"all_low": "low, all at once", "all_high": "high, all at once"}


def agreement_sections(view: AgreementView) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    return tuple(_sections(view))


def agreement_facts(view: AgreementView) -> Figure:
    """What was compared, for the section on methods."""
    return Figure("compared", captions.facts(view), tables.facts(view), None, {"what": " ", "value": "number"})


def _sections(view: AgreementView) -> Iterator[Section]:
    rows = tables.rates(view)
    whole = [row for row in rows if row["of"] == tables.ALL]
    own = [Figure("agreement", captions.rates(view), whole, later(figures.rates(view)), unfolded=True)]
    if view.categories:
        rest = [row for row in rows if row["of"] != tables.ALL]
        own.append(Figure("categories", captions.categories(view), rest, later(figures.categories(view))))
    yield Section("agreement", "How often judges decide as people do", (), tuple(own))
    if view.found.differences:
        pairs = Figure(
            "differences", captions.differences(view), tables.differences(view), later(figures.differences(view))
        )
        yield Section("differences", "Which pipeline agrees more", (), (pairs,))
    yield Section("ties", "Ties", (), (Figure("ties", captions.ties(view), tables.ties(view), None, _TIES),))
    if view.positions:
        chart = later(figures.positions(view))
        bias = Figure("positions", captions.positions(view), tables.positions(view), chart, _POSITIONS)
        text = tuple(shown(one.sentence, 1000) for one in view.positions) if len(view.positions) <= 1 else ()
        yield Section("positions", "Position bias", text, (bias,))
    if view.cells is not None:
        grid = Figure("cells", captions.cells(view), tables.cells(view), later(figures.cells(view)), _CELLS)
        yield Section("cells", "Single judgments, cell by cell", (shown(view.cells.sentence, 1000),), (grid,))
