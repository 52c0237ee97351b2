"""The report of votes: one file to share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.analysis.pair import PairView
from quorate.analysis.votes import VotesView, votes_view
from quorate.estimate.votes.well_sampled_pairs import MINIMUM
from quorate.reporting.export import ChartFormat, chart_folder, write_section_charts
from quorate.reporting.files import writable, write
from quorate.reporting.markdown_page import markdown_page
from quorate.reporting.render import page
from quorate.reporting.votes_said import facts_of, said_of, sections_of

if TYPE_CHECKING:
    from quorate.table.votes import Votes

ENDINGS = (".html", ".htm", ".md", ".markdown")


def write_votes_report(
    votes: Votes | VotesView | PairView,
    path: str | Path = "votes.html",
    *,
    cluster: str | None = None,
    minimum: int = MINIMUM,
    charts: str | Path | None = None,
    chart_format: ChartFormat = "svg",
    command: str | None = None,
    note: str | None = None,
) -> Path:
    """Write what votes show about two systems, or about all pairs, into one file to share.

    The page opens offline, on a phone and on paper: the verdict on two systems where it is asked for, how far apart
    models are, how many votes decide, whether early votes said what later ones do, how much votes resemble each other,
    what is wrong with the data, and what is needed to do it again.

    Parameters
    ----------
    votes : Votes, VotesView or PairView
        Votes, or what was found about them already: all pairs, or two systems (`pair_view`).
    path : path
        File to write, replaced if it exists: ``.html`` or ``.md``.
    cluster : str, optional
        Facet for clustered standard errors; without it, each of prompt, judge and cluster that is there.
    minimum : int
        Decisive votes that a pair must have.
    charts : path, optional
        Folder for every chart as a file of its own, named after the figure, such as ``margins.svg``.
    chart_format : {"svg", "png"}
        Format of these files.
    command : str, optional
        Command line that led here, for the record.
    note : str, optional
        What a reader must know before anything else, such as that the votes are simulated.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInput
        If the ending is not known or the place cannot be written; before the analysis.
    NotEstimable
        If no pair has enough votes, or a vote has no label of ``cluster``.
    UnknownTerm
        If there is no facet ``cluster``.

    Examples
    --------
    >>> import polars, tempfile
    >>> from quorate.table.read_votes import read_votes
    >>> frame = polars.DataFrame({"model_a": ["x"], "model_b": ["y"], "for_x": [220], "for_y": [280]})
    >>> votes = read_votes(frame, wins=["for_x", "for_y"], announce=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_votes_report(votes, f"{folder}/votes.md").name
    'votes.md'
    """
    path = Path(path)
    writable(path, ENDINGS)
    place = None if charts is None else chart_folder(charts, chart_format)
    view = votes if isinstance(votes, (VotesView, PairView)) else votes_view(votes, cluster=cluster, minimum=minimum)
    said, parts = said_of(view, command, note), sections_of(view)
    printed = page if path.suffix.lower() in (".html", ".htm") else markdown_page
    text = printed(parts, facts_of(view), said)
    write(path, text.encode("utf-8", "replace"))
    if place is not None:
        write_section_charts(parts, place, chart_format)
    return path
