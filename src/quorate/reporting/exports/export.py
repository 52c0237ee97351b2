"""Judgments written as a file of a format: plain, or another tool's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from quorate.arguments import argument
from quorate.errors import InvalidInput, UnknownTerm
from quorate.reporting.exports import every_eval_ever, inspect_scores
from quorate.table import long
from quorate.table.judgments import Judgments, checked
from quorate.table.long import Written

ExportFormat = Literal["every-eval-ever", "inspect-scores"]
_WRITERS = {"every-eval-ever": every_eval_ever.write, "inspect-scores": inspect_scores.write}


def export(
    judgments: Judgments,
    path: str | os.PathLike[str],
    *,
    format: ExportFormat | None = None,
    no_formulas: bool = False,
) -> Written:
    """Write judgments as a plain file, or in the format of another tool.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    path : path
        Without a format a file that ends in .csv, .tsv, .jsonl or .parquet, as `Judgments.write` writes it; a row per
        cell where only means are left. For ``"every-eval-ever"`` a folder, for ``"inspect-scores"`` a
        file that ends in .jsonl.
    format : {"every-eval-ever", "inspect-scores"}, optional
        ``"every-eval-ever"``: for each system a summary, with the mean of every judge and of the panel and its
        interval, and a line for each judgment; its format has no place for a judgment without a score: how many there
        were is in the summary. ``"inspect-scores"``: what ``precomputed_scores`` of Inspect AI takes, to put human
        ratings into a log: a record for each item and epoch, with the score of the one judge, or all by judge.
    no_formulas : bool
        Whether texts that a spreadsheet would compute, which begin with ``=``, ``+``, ``-`` or ``@``, are led by an
        apostrophe, which stays when the file is read again. For .csv and .tsv.

    Returns
    -------
    Written
        The file or folder, its rows, and what is not in it.

    Raises
    ------
    InvalidInput
        If the file cannot be written, or is of another name than the format needs.
    NotEstimable
        If the format needs single answers and they cannot be read again.
    UnknownTerm
        If there is no such format.

    Examples
    --------
    >>> import tempfile
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": ["a", "a", "b"], "judge": ["x", "y", "x"], "score": [3, 4, 5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(q.read(frame, announce=False), folder + "/human.jsonl", format="inspect-scores")
    >>> written.n, written.per
    (2, 'item')
    """
    table = checked(judgments)
    if format is None:
        return long.write(table, Path(path), no_formulas=no_formulas)
    if no_formulas:
        raise InvalidInput(argument("no_formulas", True) + ": is for .csv and .tsv; leave it out")
    if format not in _WRITERS:
        raise UnknownTerm(str(format), get_args(ExportFormat), "format")
    return _WRITERS[format](table, Path(path))
