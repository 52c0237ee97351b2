"""The report of votes: one file to share."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from quorate.estimate.sampled import MINIMUM
from quorate.report.cells import as_markdown, plain_markdown
from quorate.report.files import writable, write
from quorate.report.labels import shown
from quorate.report.reproduce import scrubbed
from quorate.report.votes_section import votes_facts, votes_sections
from quorate.report.votes_view import VotesView, votes_view

if TYPE_CHECKING:
    from quorate.report.section import Figure
    from quorate.table.votes import Votes

ENDINGS = (".html", ".htm", ".md", ".markdown")
MOST_ROWS = 100
"""Rows of a table in Markdown."""


def write_votes_report(
    votes: Votes | VotesView,
    path: str | Path = "votes.html",
    *,
    cluster: str | None = None,
    minimum: int = MINIMUM,
    command: str | None = None,
    note: str | None = None,
) -> Path:
    """Write what votes show about all pairs of models into one file to share.

    The page opens offline, on a phone and on paper: how far apart models are, how many votes decide, how much votes
    resemble each other, what is wrong with the data, and what is needed to do it again.

    Parameters
    ----------
    votes : Votes or VotesView
        Votes, or what was found about them already.
    path : path
        File to write, replaced if it exists: ``.html`` or ``.md``.
    cluster : str, optional
        Facet for clustered standard errors; without it, each of prompt, judge and cluster that is there.
    minimum : int
        Decisive votes that a pair must have.
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
    view = votes if isinstance(votes, VotesView) else votes_view(votes, cluster=cluster, minimum=minimum)
    said = _said(view, command, note)
    text = _html(view, said) if path.suffix.lower() in (".html", ".htm") else _markdown(view, said)
    write(path, text.encode("utf-8", "replace"))
    return path


def _said(view: VotesView, command: str | None, note: str | None) -> dict[str, Any]:
    """What the report says besides its sections."""
    source = view.votes.source
    name = PurePath(scrubbed(source.name)).name if source.sha256 else f"Votes from a {source.name}"
    grave = [one for one in view.support.findings if one.severity != "note"]
    return {
        "title": shown(name),
        "note": note and shown(note, 1000),
        "sentence": view.found.sentence,
        "tiles": _tiles(view),
        "caveats": [shown(one.sentence, 1000) for one in grave],
        "methods": _methods(view),
        "prompts": [],
        "provenance": _provenance(view, command),
    }


def _tiles(view: VotesView) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    near, found = view.near, view.found
    return [
        {"value": f"{len(found):,}", "label": f"pairs with {found.margins.minimum:,} decisive votes or more"},
        {"value": f"{near.corrected:.0%}", "label": f"near ties (margin of {near.tau:g} or less), without noise"},
        {"value": f"{found.within_reach[-1]:.0%}", "label": f"pairs within reach of {found.budgets[-1]:,} votes each"},
    ]


def _methods(view: VotesView) -> str:
    """The paragraph for a methods section."""
    found, margins = view.found, view.found.margins
    clustered = ", ".join(shown(one.by) for one in view.dependence)
    robust = f" Clustered standard errors (Liang and Zeger, 1986) are by {clustered}." if clustered else ""
    return (
        f"Margins are the share of decisive votes for the better model less .5, for {len(margins):,} pairs with "
        f"{margins.minimum:,} decisive votes or more; ties were left out. The share of pairs that a number of votes "
        f"decides is the mean power of the exact two-sided binomial test with level {margins.alpha:g} at the estimated "
        f"margins, with a {margins.level * 100:g}% bootstrap interval over pairs, and again under the law of margins "
        f"without the noise of the votes; power of {found.target:g} counts as enough (Lee, 2026).{robust}"
    )


def _provenance(view: VotesView, command: str | None) -> dict[str, str]:
    """Everything needed to do it again, by name."""
    source, margins = view.votes.source, view.found.margins
    return {
        "software": f"quorate {version('quorate')}",
        "run with": f"Python {platform.python_version()}, numpy {version('numpy')}, scipy {version('scipy')}",
        "date of the analysis": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "input": shown(scrubbed(source.name), 300),
        "SHA-256 of the input": source.sha256 or "none: not read from a file",
        "columns": "; ".join(shown(one, 300) for one in view.votes.notes) or "as declared",
        "options": f"minimum {margins.minimum}, ties {margins.ties}, level {margins.level:g}, alpha {margins.alpha:g}, "
        f"power {margins.power:g}",
        "command": shown(scrubbed(command), 1000) if command else "not run from the command line",
        "seed": "0, the default of every bootstrap",
    }


def _html(view: VotesView, said: dict[str, Any]) -> str:
    from quorate.report.render import page

    return page(votes_sections(view), votes_facts(view), said)


def _markdown(view: VotesView, said: dict[str, Any]) -> str:
    return "\n\n".join(_blocks(view, said)) + "\n"


def _blocks(view: VotesView, said: dict[str, Any]) -> Iterator[str]:
    yield f"# {plain_markdown(said['title'])}"
    if said["note"]:
        yield f"> {plain_markdown(said['note'])}"
    yield f"**{plain_markdown(said['sentence'])}**"
    if said["caveats"]:
        yield "\n".join(f"- {plain_markdown(one)}" for one in said["caveats"])
    for section in votes_sections(view):
        yield f"## {section.title}"
        yield "\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text)
        for figure in section.figures:
            yield from _figure(figure)
    yield "## Methods"
    yield plain_markdown(said["methods"])
    yield from _figure(votes_facts(view))
    yield "### To do it again"
    yield "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in said["provenance"].items())


def _figure(figure: Figure) -> Iterator[str]:
    """A figure as its table."""
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield as_markdown(figure.rows[:MOST_ROWS], figure.headers)
    if len(figure.rows) > MOST_ROWS:
        yield f"And {len(figure.rows) - MOST_ROWS:,} more rows."
    if figure.caption.lines:
        yield plain_markdown(" ".join(figure.caption.lines))
