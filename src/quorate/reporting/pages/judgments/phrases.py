"""Phrases that several exhibits share: digits, sizes, scopes, axes and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quorate.analysis.judgments import Analysis
from quorate.analysis.words import called, cut, only_facet
from quorate.reporting.draw import marks
from quorate.wording import capitalised, counted, decimals, plural

SHORT = 30
"""Most characters of a label in a sentence."""


def places(analysis: Analysis) -> int:
    """Decimals for means, from the standard error of the headline."""
    return decimals(analysis.readings[0].half_width / 2)


def size(analysis: Analysis) -> str:
    """How much data there is: judgments and levels of every facet."""
    answered = analysis.fit.judgments
    levels = [counted(answered.n_levels(name), cut(name, SHORT)) for name in answered.names]
    return f"n = {counted(answered.n_answers, 'judgment')} ({', '.join(levels)})"


def scope(analysis: Analysis) -> str:
    """Whom the headline speaks for, to follow a sentence."""
    return f", {analysis.readings[-1].scope}" if analysis.readings[-1].scope else ""


def axis(analysis: Analysis, what: str = "") -> str:
    """Title of an axis in score units."""
    return f"{what} {cut(analysis.judgments.score, SHORT)} (score units)".lstrip()


def origin(analysis: Analysis, component: str) -> str:
    """A component as what uncertainty comes from."""
    name = called(component, only_facet(analysis.judgments))
    return f"the choice of {plural(cut(name))}" if name in analysis.judgments.names else cut(name)


def more(rows: Sequence[Any], how: str = "the table has all") -> tuple[str, ...]:
    """A line on the rows that a chart leaves out; none where it shows all."""
    hidden = len(rows) - marks.MOST_ROWS
    return (f"And {hidden:,} more: {how}.",) if hidden > 0 else ()


def capital(sentence: str) -> str:
    """A sentence with its first letter large."""
    return capitalised(cut(sentence, 500))
