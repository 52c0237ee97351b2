"""`quorate assign --pool`: which battles of a pool to have judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from quorate.cli.console import console, whole
from quorate.cli.options import SEED, Files, Group, Output, command
from quorate.errors import InvalidInput, UnknownColumn


@dataclass(frozen=True, kw_only=True)
class Pool(Group):
    """The columns of a pool of battles."""

    model_a: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the first model.")] = "model_a"
    model_b: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the second model.")] = "model_b"
    category: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of what a battle is about. Default: none.")
    ] = None

    def read(self, path: Path) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Every column of the pool, and those that are named here as `quorate.votes.sample_battles` takes them."""
        from quorate.table.files import opened

        with opened(path) as file:
            wanted = {"model_a": self.model_a, "model_b": self.model_b, "category": self.category}
            for option, name in wanted.items():
                if name is not None and name not in file.columns:
                    raise UnknownColumn(f"--{option.replace('_', '-')}", name, file.columns)
            rows = file.relation.fetchall()
            columns = dict(zip(file.columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        if not columns:
            raise InvalidInput(f"POOL: {path} has no battles")
        return columns, {option: columns[name] for option, name in wanted.items() if name is not None}


@command
def sample_battles(
    pool: Annotated[
        Path,
        typer.Argument(
            metavar="POOL", help="CSV, TSV, JSON lines or Parquet; one row per battle that could be judged."
        ),
    ],
    floor: Annotated[int, typer.Option(metavar="N", min=1, help="Battles wanted for every system in every category.")],
    chosen: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            writable=True,
            help="Where the battles are written: .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = None,
    seed: Annotated[int, SEED] = 1,
    *,
    named: Pool,
    files: Files,
    out: Output,
) -> int:
    """Which battles to have judged.

    As few as give every system enough in every category, in the order in which they help. Ends with exit code 2 if the
    pool has too few for some system.
    """
    import numpy as np

    from quorate.planning.battles import sample_battles as sampled
    from quorate.table.cells import writable, write_columns

    if chosen is not None:
        writable(chosen, "--out")
    columns, battles = named.read(pool)
    found = sampled(**battles, floor=floor, seed=seed)
    order = found.chosen.tolist()
    if chosen is not None:
        write_columns({name: np.array(values, dtype=object)[order] for name, values in columns.items()}, chosen)
    out.show(found, files, seed=seed, written=None if chosen is None else str(chosen))
    if not out.as_json:
        unwritten = "Nothing is written; --out battles.csv writes the battles."
        whole(console(), f"Written: {chosen}" if chosen else unwritten)
    return 2 if found.short else 0
