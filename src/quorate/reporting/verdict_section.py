"""The sections of the report on a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.decide.outcome import Outcome
from quorate.decide.scores.verdict import ScoreVerdict
from quorate.reporting import verdict_captions as captions
from quorate.reporting import verdict_figures as figures
from quorate.reporting import verdict_tables as tables
from quorate.reporting.draw.marks import later
from quorate.reporting.page import Figure, Section
from quorate.reporting.votes_pair_section import STEPS

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict

_PLAIN = {"what": " ", "value": "number or choice"}


def verdict_sections(verdict: AnyVerdict) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    return tuple(_sections(verdict))


def verdict_facts(verdict: AnyVerdict) -> Figure:
    """What was compared, for the section on methods."""
    return Figure("compared", captions.facts(verdict), tables.facts(verdict), None, _PLAIN)


def _sections(verdict: AnyVerdict) -> Iterator[Section]:
    rows, heads = tables.intervals(verdict), {"value": captions.axis(verdict)}
    chart = later(figures.intervals(verdict))
    own = Figure("verdict", captions.intervals(verdict), rows, chart, heads, unfolded=True)
    yield Section("verdict", "The verdict", (shown(verdict.sentence, 2000),), (own,))
    if verdict.outcome is Outcome.UNDECIDED:
        yield Section("next", "What would decide it", *_next(verdict))
    if isinstance(verdict, ScoreVerdict) and tables.sources(verdict):
        heads = {"share_of_variance": "share of Var(difference)"}
        parts = Figure(
            "sources", captions.shares(verdict), tables.sources(verdict), later(figures.sources(verdict)), heads
        )
        yield Section("sources", "Where the uncertainty comes from", (), (parts,))


def _next(verdict: AnyVerdict) -> tuple[tuple[str, ...], tuple[Figure, ...]]:
    rows = tables.steps(verdict)
    if not rows:
        return ("Nothing that could be bought would: the sentence above says why.",), ()
    heads = _PLAIN if "what" in rows[0] else STEPS
    return (), (Figure("next-step", captions.steps(verdict), rows, None, heads),)
