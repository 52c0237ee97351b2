"""`quorate rank --tries K`: what submitting many times and reporting the best is worth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Annotated, Any

import typer

from quorate.cli.options import (
    MODEL,
    UNSCALED,
    Declared,
    Files,
    Group,
    Output,
    Prices,
    ScoreReading,
    SourceFile,
    command,
    grid,
    of,
    only,
    source,
)
from quorate.errors import InvalidInput

MOST_DESIGNS = 400
OWN = of("quorate.decide.gaming:gaming", "resamples", k="--tries")


@dataclass(frozen=True, kw_only=True)
class Designs(Group):
    """Designs of the benchmark."""

    prompts: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Prompts of the designs, such as 1,3,5. Default: 1 and all.")
    ] = None
    judges: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Judges of the designs, such as 1-3. Default: 1 and all.")
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
    own: Annotated[Declared, OWN],
    designs: Designs,
    prices: Annotated[Prices, only("price", "judge_price", "item_price", "prompt_price")],
    fit: Annotated[Declared, MODEL],
    reading: Annotated[ScoreReading, UNSCALED],
    files: Files,
    out: Output,
) -> int:
    """What the best of many submissions gains by luck.

    For designs of the benchmark with fewer or more prompts and judges: how far above the truth the best of K equally
    good attempts is expected to stand, and which change takes most of that away for what it costs.
    """
    from quorate.estimate.components.decomposition import Decomposition

    surface, costs = designs.designs(), prices.prices()
    fitted = source(file, reading, fit)
    found = own(fitted, designs=surface, prices=costs)
    judgments = fitted.judgments if isinstance(fitted, Decomposition) else None
    out.show(found, files, judgments, seed=own.value("rng"))
    return 0
