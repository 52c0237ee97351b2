"""`quorate rank --tries K`: what submitting many times and reporting the best is worth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.console import caveats, heading, points, say, table
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
from quorate.wording import dollars

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.decide.gaming.gaming import Gaming

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
    out.typeset(found, show, notes=() if judgments is None else judgments.notes)
    files.write(found, judgments, out, seed=seed)
    return 0


def show(out: Console, found: Gaming) -> None:
    """Print the surface, and what makes it smaller."""
    say(out, found.sentence, style="bold")
    unit = "Elo points" if found.scale == "elo" else "score units"
    heading(out, f"What the best of {found.k:,} attempts gains, in {unit}")
    show_prizes(out, found)
    heading(out, f"What makes it smaller, for {found.prizes[0].label}: most for the cost first")
    show_mitigation(out, found)
    caveats(out, (one.sentence for one in found.caveats))


def show_prizes(out: Console, found: Gaming) -> None:
    """Print the prize of every design, with its interval where there is one."""
    from quorate.analysis.words import significant

    sure = any(one.low == one.low for one in found.prizes)
    rows = [
        (
            one.label,
            f"{one.projection.calls:,}",
            significant(one.se),
            significant(one.value),
            *((f"{significant(one.low)} to {significant(one.high)}",) if sure else ()),
        )
        for one in found.prizes
    ]
    heads = {"design": "left", "calls": "right", "SE": "right", "prize": "right"}
    table(out, heads | ({f"{100 * found.level:.4g}% interval": "right"} if sure else {}), rows)


def show_mitigation(out: Console, found: Gaming) -> None:
    """Print what changes to the design leave of the prize."""
    from quorate.analysis.words import significant
    from quorate.reporting.pages.gaming import mitigation
    from quorate.wording import whole_percent

    changes = mitigation(found)
    if changes is None:
        points(out, ["The data leave the effect of every change open."])
        return
    priced = any(one.more_cost is not None for one in found.mitigation)
    rows = [
        (
            row["change"],
            significant(row["prize"]),
            whole_percent(row["share"]),
            f"{row['more_calls']:+,}",
            *((dollars(row["more_cost"]),) if priced else ()),
        )
        for row in changes.rows
    ]
    heads = {"change": "left", "prize left": "right", "taken away": "right", "more calls": "right"}
    table(out, heads | ({"more to pay": "right"} if priced else {}), rows)
