"""Interim analysis: what a study that is still being filled says so far, and as its answers came in."""

from __future__ import annotations

import os
from dataclasses import replace

from quorate.analysis.goals.path import goal_path
from quorate.analysis.interim.result import Interim
from quorate.analysis.interim.scores import of_scores
from quorate.analysis.interim.votes import of_votes
from quorate.errors import InvalidData
from quorate.numerics.inference import checked_level
from quorate.study.file import Study, load
from quorate.study.status import Status, standing
from quorate.table.arrived import ArrivedScores, arrived


def interim(study: str | os.PathLike[str] | Study, *, level: float = 0.95, earlier: Interim | None = None) -> Interim:
    """What a study says so far: its estimate as answers came in, what is decided, and how alike judges answer.

    The study may be under way, whoever answers: every cell that is finished counts, and nothing is asked or changed.

    Parameters
    ----------
    study : path or Study
        The study file.
    level : float
        Coverage of every interval.
    earlier : Interim, optional
        Of the same study, whose looks are taken over: they do not change.

    Returns
    -------
    Interim

    Raises
    ------
    InvalidInput
        If the file breaks a rule, or the ledger cannot be read.

    Notes
    -----
    Two intervals are there for two purposes. The one of an analysis that is made once is narrower, and is for watching:
    who stops when it excludes something is wrong more often than it says. The other one holds at all looks at once, so
    that stopping by it is safe; it takes items (or votes) as a sample, for the judges and prompts that were asked, and
    an order of items that has nothing to do with their scores. An item counts for it once all its cells are finished.
    """
    checked_level(level)
    loaded = study if isinstance(study, Study) else load(study)
    status = standing(loaded)
    found = _so_far(loaded, status, earlier, level)
    if loaded.goal is None:
        return found
    looks = () if loaded.goal.stages else found.looks  # a share over both stages is of what the first chose
    return replace(found, path=goal_path(loaded, status), advice=(), decisions=(), looks=looks)


def _so_far(loaded: Study, status: Status, earlier: Interim | None, level: float) -> Interim:
    """What the answers say, whatever the goal."""
    if not status.finished:
        return Interim(status, "none", level)
    known = {look.n: look for look in earlier.looks[:-1]} if earlier is not None and earlier.level == level else {}
    try:
        found = arrived(loaded.database)
    except InvalidData:  # nothing that is finished has a score
        return Interim(status, "none", level)
    if isinstance(found, ArrivedScores):
        return of_scores(loaded, status, found, known, level)
    return of_votes(loaded, status, found, known, level)
