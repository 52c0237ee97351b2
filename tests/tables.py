"""Tables that tests write down as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

import quorate as q


def scores_table(rows: Sequence[Sequence[Any]], names: str, **reading: Any) -> q.Judgments:
    """Scores, read from rows with these names of columns."""
    return q.read(pl.DataFrame(rows, schema=names.split(), orient="row"), announce=False, **reading)


def votes_table(rows: Sequence[Sequence[Any]], names: str, **reading: Any) -> q.Votes:
    """Votes, read from rows with these names of columns."""
    return q.read_votes(pl.DataFrame(rows, schema=names.split(), orient="row"), announce=False, **reading)
