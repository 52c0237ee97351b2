"""Ragas: the CSV of an evaluation, a column for each metric beside the question and what answered it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.columns.aliases import SYSTEMS
from quorate.table.columns.names import is_compared, no_score, says_nothing
from quorate.table.columns.scales import number
from quorate.table.exchange.csv_text import open_csv
from quorate.table.exchange.foreign.records import Records, chosen, identity
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_QUESTION = "user_input"
_SHOWN = frozenset(("retrieved_contexts", "response", "reference", "reference_contexts", "retrieved_context_ids"))
"""Columns of what was asked, found and answered, one of which is in every table beside the question."""
_INPUTS = _SHOWN | {_QUESTION, "reference_context_ids", "multi_responses", "rubrics", "reference_tool_calls"}
_LONG = 40


def claims(glance: Glance) -> bool:
    """Whether its columns are a question, what was answered, and something more, without a score, judge or system."""
    names = frozenset(glance.header)
    known = _QUESTION in names and bool(names & _SHOWN) and bool(names - _INPUTS)
    return known and not names & {"score", "judge", "item", *SYSTEMS} and not any(map(is_compared, names))


def _read_evaluation(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """A row for each metric of each question; one that failed, or does not apply, has no score.

    Parameters
    ----------
    part : str, optional
        The metrics that are read; several are levels of ``metric``.

    Raises
    ------
    InvalidData
        If no column is a metric.
    InvalidInput
        If there are several metrics and none is named.
    """
    table = open_csv(connection, path)
    aside = {name for name in table.columns if says_nothing(name) or no_score(name)}  # the number of a row, a time
    names = [name for name in table.columns if name == _QUESTION or name not in _INPUTS | aside]
    rows = table.only(names).fetchall()
    held = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    found = {name: _scores(held[name]) for name in names if name != _QUESTION}
    found = {name: scores for name, scores in found.items() if not all(map(math.isnan, scores))}
    if not found:
        raise InvalidData(f"{path}: no column beside the question and the answers holds numbers")
    metrics = chosen(part, found, "metric")
    records = Records("item", "metric", "score")
    for place, question in enumerate(held[_QUESTION]):
        text = (question or "").strip() or f"row {place + 1}"
        for metric in metrics:
            records.add(
                item=identity(text) if len(text) > _LONG else text,
                metric=metric if len(metrics) > 1 else None,
                score=found[metric][place],
            )
    empty = sum(math.isnan(score) for name in metrics for score in found[name])
    notes = [*table.notes, Note(f"Ragas: score = metric {', '.join(metrics)}; item = the question")]
    notes += [Note("the table does not say which model judged")]
    notes += [Note(f"{counted(empty, 'score')} empty: failed, or not applicable")] if empty else []
    return records.opened(connection, "scores", facets=("metric",), notes=notes)


def _scores(texts: list[str | None]) -> list[float]:
    """Numbers, nan of nothing; only nan of a column that holds anything else."""
    numbers = [number(text) if text else math.nan for text in texts]
    known = [math.nan if one is None or math.isinf(one) else one for one in numbers]
    return [math.nan] * len(known) if None in numbers else known


SIGHT = ("user_input",)
FORMAT = Format("ragas", _read_evaluation, claims=claims, tool=True, holds=lambda _: "scores")
