"""The sections of the report on what gaming is worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.reporting import gaming_captions as captions
from quorate.reporting import gaming_figures as figures
from quorate.reporting import gaming_tables as tables
from quorate.reporting.section import Figure, Section

if TYPE_CHECKING:
    from quorate.decide.gaming.gaming import Gaming

_CHANGES = {
    "prize": "prize that is left",
    "reduction": "taken away",
    "share": "of the prize",
    "more_calls": "more judgments",
    "more_cost": "more to pay, USD",
}


def gaming_sections(found: Gaming) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    prizes = Section("prizes", "What the best of many attempts gains", (), tuple(_prizes(found)))
    attempts = Figure("attempts", captions.attempts(found), tables.attempts(found), figures.attempts(found))
    tried = Section("attempts", "How often it is tried", (), (attempts,))
    return prizes, Section("mitigation", "What makes it smaller", *_mitigation(found)), tried


def gaming_facts(found: Gaming) -> Figure:
    """What is played, for the section on methods."""
    return Figure(
        "played", captions.facts(found), tables.facts(found), None, {"what": " ", "value": "number or choice"}
    )


def _prizes(found: Gaming) -> Iterator[Figure]:
    level = f"{100 * found.level:.4g}%"
    heads = {"se": "standard error of one attempt", "low": f"low, {level}", "high": f"high, {level}"}
    heads |= {"calls": "judgments", "price": "price, USD"}
    rows = tables.prizes(found)
    yield Figure("prizes", captions.prizes(found), rows, figures.prizes(found), heads, unfolded=True)
    surface = tables.grid(found)
    if surface:
        yield Figure("surface", captions.grid(found), surface, figures.grid(found), {"calls": "judgments"})


def _mitigation(found: Gaming) -> tuple[tuple[str, ...], tuple[Figure, ...]]:
    if not found.mitigation:
        return ("The data leave the effect of every change to the first design open.",), ()
    rows, chart = tables.mitigation(found), figures.mitigation(found)
    return (), (Figure("mitigation", captions.mitigation(found), rows, chart, _CHANGES, unfolded=True),)
