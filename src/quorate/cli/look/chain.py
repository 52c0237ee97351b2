"""`quorate agents chain`: which agent of a chain the variance of the last one's scores comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Files, Group, Level, Output, command, names, only
from quorate.cli.options.reading import Rows

RunsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per run of the chain.")
]


@dataclass(frozen=True, kw_only=True)
class Stages(Group):
    """The stages of the chain."""

    stages: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS",
            help="Column of each stage in the order of the chain, with commas; a stage of several joins them by +.",
        ),
    ]
    cluster: Annotated[str | None, typer.Option(metavar="COLUMN", help="What makes runs alike, such as the item.")] = (
        None
    )
    level: Level = 0.95


@command
def chain(
    file: RunsFile, stages: Stages, rows: Annotated[Rows, only("where", "file_format")], files: Files, out: Output
) -> int:
    """Which agent of a chain the variance of the last one's scores comes from.

    What the last agent adds given its input, what the one before it added, and so on back to the first; shares add up
    to the variance of the last score.
    """
    from quorate.estimate.agents.chain import chain as found_by

    each = [tuple(name.strip() for name in stage.split("+")) for stage in names(stages.stages)]
    found = found_by(file, each, cluster=stages.cluster, level=stages.level, rows=rows.opening())
    out.show(found, files)
    return 0
