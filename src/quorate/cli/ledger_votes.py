"""`quorate analyze` of a ledger that holds votes: the verdict on its two systems, or how far apart all pairs are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import typer

from quorate.cli import vote_reading, vote_study
from quorate.cli.either_reading import refuse

_MINIMUM = 200


def holds_votes(file: Path) -> bool:
    """Whether a file is a ledger whose judgments compare two systems."""
    from quorate.table.files import kind_of, opened

    if kind_of(file) != "ledger":
        return False
    with opened(file) as found:
        return found.pairs


def analyze(
    context: typer.Context,
    file: Path,
    *,
    price: float | None,
    status: str | None,
    report: Path | None,
    charts: Path | None,
    chart_format: Literal["svg", "png"],
    as_json: bool,
    of_scores: Mapping[str, Any],
) -> int:
    """As `quorate votes analyze`, with votes on one item as a cluster, and both systems named where there are two.

    Parameters
    ----------
    context : typer.Context
    file : Path
        The ledger.
    price, status, report, charts, chart_format, as_json
        As of `quorate analyze`.
    of_scores : mapping
        Options that are for scores and must not be given.

    Raises
    ------
    InvalidInput
        If one of them is.
    """
    refuse(of_scores, f"is for scores, and {file} holds votes between two systems")
    votes = vote_reading.votes(file, "model_a", "model_b", "winner", None, None, None, status)
    pairs = votes.pairs()
    a, b = votes.models if len(votes.models) == 2 else (None, None)
    return vote_study.analyze(
        context,
        file,
        a,
        b,
        cluster="prompt" if "prompt" in votes.names else None,
        price=price,
        minimum=max(2, min(_MINIMUM, int(pairs.decisive.min(initial=_MINIMUM)))),
        report=report,
        charts=charts,
        chart_format=chart_format,
        as_json=as_json,
        status=status,
    )
