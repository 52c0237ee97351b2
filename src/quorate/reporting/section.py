"""What a report is made of: sections of text and figures, whatever they are printed as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quorate.reporting.tables import Row

if TYPE_CHECKING:
    from quorate.reporting.captions import Caption
    from quorate.reporting.marks import Chart


@dataclass(frozen=True)
class Figure:
    """A chart with its numbers, or the numbers alone.

    Parameters
    ----------
    name : str
        For links and file names.
    caption : Caption
    rows : sequence of dict
        The numbers.
    chart : Chart, optional
        None for a table.
    headers : dict of str to str
        Column titles that differ from the keys.
    folded : bool
        Whether it is shown on demand only.
    unfolded : bool
        Whether the numbers under the chart are shown from the start.
    """

    name: str
    caption: Caption
    rows: Sequence[Row]
    chart: Chart | None = None
    headers: dict[str, str] = field(default_factory=dict)
    folded: bool = False
    unfolded: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Parameters
    ----------
    name, title : str
        For links, and for readers.
    text : tuple of str
        Paragraphs.
    figures : tuple of Figure
    """

    name: str
    title: str
    text: tuple[str, ...]
    figures: tuple[Figure, ...]
