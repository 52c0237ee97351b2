"""Judgments, collapsed to one row per cell: the waist of the package.

A *cell* is one combination of the levels of every facet except the replicate. All estimators need of the raw rows is,
per cell, how many answers there are, their mean and their sum of squares; this is the only form in which judgments
travel, so the cost of everything after reading depends on cells, not rows.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.arguments import argument
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.table.collapsed import Collapsed
from quorate.table.facts.describe import Description, ScoreFacts, describe, score_facts
from quorate.wording import brief, listed

if TYPE_CHECKING:
    from quorate.table.results import Written


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(Collapsed):
    """Scores by cell, with their facets, statuses and source.

    Parameters
    ----------
    facets : tuple of Facet
        In the order they were declared; parents that were only named follow.
    object : str
        Role of the object of measurement, usually ``item``.
    score : str
        Column of the score.
    codes : array of int32, shape (cells, facets)
        Level of each facet, as an index into its ``levels``. A nested facet keeps its own label here; use
        `level_codes` for the combination with its parents.
    n, mean, ss, low, high : arrays, shape (cells,)
        Answers with status ``ok``: how many, their mean, sum of squares about the mean, least and greatest. ``mean``,
        ``low`` and ``high`` are nan where ``n`` is 0.
    status : mapping of str to array of int64, shape (cells,)
        Rows per status; only statuses that occur.
    replicate : str, optional
        Column that tells replicates apart.
    distinct : array of int64, shape (cells,), optional
        Distinct replicate ids per cell; fewer than rows means that a key is repeated.
    source : Source
        Where the rows came from.
    notes : tuple of Note
        What reading decided for the user, such as aliases taken.
    scale : (float, float), optional
        Least and greatest score that there can be, as declared.
    origin : Origin, optional
        What to read again for single answers; see `quorate.table.reread`.
    labels : tuple of str
        Labels, where answers are no scores but places among these; see `quorate.scores.labels`.
    less_is_better : bool
        Whether less is better of these scores, which stay as they are.
    """

    less_is_better: bool = False

    def __repr__(self) -> str:
        levels = ", ".join(f"{facet.name} {len(facet.levels)}" for facet in self.facets)
        return brief("Judgments", f"{self.n_answers} answers in {self.n_cells} cells; levels: {levels}")

    @cached_property
    def score_facts(self) -> ScoreFacts:
        """Range of the scores, and what values they take."""
        return score_facts(self)

    def describe(self) -> Description:
        """Facts about these judgments: facets, crossing, balance, what is missing, repeated or constant."""
        return describe(self, self.score_facts)

    def write(self, path: str | os.PathLike[str]) -> Written:
        """Write the judgments to a file that `quorate.read` reads as the same table; whole or not at all.

        One row for each row that was read: the label of every facet under its role, the replicate, the score, empty
        where there is none, and the status. If the facets are not those that were read, it is one row per cell with
        counts, and the notes say so.

        Parameters
        ----------
        path : path
            Ends in .csv, .tsv, .jsonl, .ndjson, .parquet or .pq, which says the format. A file of that name is
            replaced.

        Returns
        -------
        Written
            The file, its rows, what a row is, and what reading it again takes.

        Raises
        ------
        InvalidInput
            If the name says no format, or the file cannot be written.
        InvalidData
            If what the judgments were read from has changed since.
        NotEstimable
            If they were not read from rows; `quorate.export` writes their cells.
        """
        if self.origin is None:
            raise NotEstimable("judgments: hold means, not answers; write their cells with quorate.export")
        return self.origin.write(self, Path(path))


def checked(judgments: object) -> Judgments:
    """The argument, if it is a table of judgments whose answers are scores.

    Raises
    ------
    InvalidInput
        If it is anything else, such as the path of a file, or if answers are labels.
    """
    if labels := table_of(judgments).labels:
        held = listed([f'"{label}"' for label in labels], most=6)
        raise InvalidInput(
            "judgments: hold labels, which are no numbers to compute with: analyze says how common each is, judges how "
            f"far judges agree. To have the share of one of {held} as the score read them with "
            + argument("label", ...)
        )
    return table_of(judgments)


def table_of(judgments: object) -> Judgments:
    """The argument, if it is a table of judgments, of scores or of labels.

    Raises
    ------
    InvalidInput
        If it is anything else.
    """
    if not isinstance(judgments, Judgments):
        kind = type(judgments).__name__
        if kind == "Votes":
            raise InvalidInput("judgments: hold votes, and scores are asked for; compare and rank say what votes do")
        raise InvalidInput(f"judgments: expects what quorate.read returns, got {kind}; read it first")
    return judgments
