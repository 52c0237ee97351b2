"""The charts of the report of votes as files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.report.export import ChartFormat, chart_folder, slug, write_chart
from quorate.report.votes_said import sections_of

if TYPE_CHECKING:
    from quorate.report.votes_pair_view import PairView
    from quorate.report.votes_view import VotesView


def write_votes_charts(
    view: VotesView | PairView, place: str | Path, chart_format: ChartFormat = "svg"
) -> tuple[Path, ...]:
    """Write every chart of the report as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    view : VotesView or PairView
        What to draw.
    place : path
        Folder, made where its parent exists. Files of the same name are replaced, others are left alone.
    chart_format : {"svg", "png"}
        Drawing, or picture with 300 dots per inch.

    Returns
    -------
    tuple of Path
        The files, in the order of the report.

    Raises
    ------
    InvalidInput
        If the folder is not there or cannot be written, or the format is not known.
    """
    where = chart_folder(place, chart_format)
    figures = [one for section in sections_of(view) for one in section.figures]
    return tuple(write_chart(one.chart, where / f"{slug(one.name)}.{chart_format}") for one in figures if one.chart)
