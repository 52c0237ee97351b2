"""Phoenix: the CSV of an evaluated frame, which holds dictionaries as text and is told by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance

if TYPE_CHECKING:
    import duckdb


_SCORE, _DETAILS = "_score", "_execution_details"


def claims(glance: Glance) -> bool:
    """Whether an evaluator has a column of scores and one of what became of the call."""
    names = [name.removesuffix(_DETAILS) for name in glance.header if name.endswith(_DETAILS)]
    return any(f"{name}{_SCORE}" in glance.header for name in names)


def _refuse_frame(_: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:  # noqa: ARG001  an opener
    """Say how the same evaluation is written so that it can be read.

    Raises
    ------
    InvalidInput
        Always.
    """
    raise InvalidInput(
        f"source: {path} is an evaluated frame of Phoenix, whose scores are dictionaries; write it with "
        f'to_annotation_dataframe(frame).to_csv("{path.stem}-long.csv"), and read that with '
        + argument("facets", {"item": "span_id", "judge": "annotation_name"})
    )


SIGHT = ("_execution_details",)
FORMAT = Format("phoenix", _refuse_frame, claims=claims, tool=True, holds=lambda _: "scores")
