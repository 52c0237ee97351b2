"""`quorate rank --tries K`: what submitting many times and reporting the best is worth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.options import (
    MODEL,
    UNSCALED,
    Files,
    Fit,
    Group,
    Level,
    Output,
    Prices,
    ScoreReading,
    SeedOrNone,
    SourceFile,
    command,
    grid,
    names,
    only,
    source,
)
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    pass

MOST_DESIGNS = 400


@dataclass(frozen=True, kw_only=True)
class Designs(Group):
    """Designs of the benchmark, and what differs between attempts."""

    prompts: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Prompts of the designs, such as 1,3,5. Default: 1 and all.")
    ] = None
    judges: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Judges of the designs, such as 1-3. Default: 1 and all.")
    ] = None
    items: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Items of one attempt. Default: as in the file.")
    ] = None
    redrawn: Annotated[
        str | None,
        typer.Option(
            metavar="ROLES",
            help="What differs from one attempt to the next, with commas, such as prompt,judge. Default: everything.",
        ),
    ] = None

    def designs(self) -> list[dict[str, Any]] | None:
        """Designs of so many prompts by so many judges; None where neither is given."""
        asked = {"judges": self.judges, "prompts": self.prompts}
        counts = {name: grid(f"--{name}", text) for name, text in asked.items() if text is not None}
        most = prod(map(len, counts.values()))
        if most > MOST_DESIGNS:
            raise InvalidInput(f"--{next(iter(counts))}: {most:,} designs, more than {MOST_DESIGNS}; take larger steps")
        return [dict(zip(counts, one, strict=True)) for one in product(*counts.values())] if counts else None


@command
def gaming(
    file: SourceFile,
    k: Annotated[int, typer.Option("--tries", metavar="K", help="Attempts of which the best is reported.")],
    scale: Annotated[
        Literal["score", "elo"], typer.Option(help="Unit of the prize; elo for battles scored 0 to 1.")
    ] = "score",
    win_rate: Annotated[
        float | None, typer.Option(metavar="P", help="With --scale elo: the win rate where points are counted.")
    ] = None,
    level: Level = 0.95,
    seed: SeedOrNone = None,
    *,
    designs: Designs,
    prices: Annotated[Prices, only("price", "judge_price", "item_price", "prompt_price")],
    fit: Annotated[Fit, MODEL],
    reading: Annotated[ScoreReading, UNSCALED],
    files: Files,
    out: Output,
) -> int:
    """What the best of many submissions gains by luck.

    For designs of the benchmark with fewer or more prompts and judges: how far above the truth the best of K equally
    good attempts is expected to stand, and which change takes most of that away for what it costs.
    """
    from quorate.decide.gaming.gaming import gaming as played
    from quorate.estimate.components.decomposition import Decomposition

    surface, costs = designs.designs(), prices.prices()
    fitted = source(file, reading, fit)
    found = played(
        fitted,
        k,
        designs=surface,
        items=designs.items,
        redrawn=None if designs.redrawn is None else names(designs.redrawn),
        scale=scale,
        win_rate=win_rate,
        prices=costs,
        level=level,
        rng=seed,
    )
    judgments = fitted.judgments if isinstance(fitted, Decomposition) else None
    out.show(found, files, judgments, seed=seed)
    return 0
