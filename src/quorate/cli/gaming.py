"""`quorate gaming`: what submitting many times and reporting the best is worth."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import either_reading, prices, reading
from quorate.cli.analyze import Level
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.designs import FILE_HELP, source_of
from quorate.cli.grids import grid
from quorate.cli.parts import dollars, show_columns
from quorate.cli.places import check_places
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.decide.gaming.gaming import Gaming

MOST_DESIGNS = 400

File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
K = Annotated[int, typer.Option("--k", "-k", metavar="K", help="Attempts of which the best is reported.")]
Prompts = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Prompts of the designs, such as 1,3,5. Default: 1 and all.")
]
Judges = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Judges of the designs, such as 1-3. Default: 1 and all.")
]
Items = Annotated[int | None, typer.Option(metavar="N", min=1, help="Items of one attempt. Default: as in the file.")]
Redrawn = Annotated[
    str | None,
    typer.Option(
        metavar="ROLES",
        help="What differs from one attempt to the next, with commas, such as prompt,judge. Default: everything.",
    ),
]
Scale = Annotated[Literal["score", "elo"], typer.Option(help="Unit of the prize; elo for battles scored 0 to 1.")]
WinRate = Annotated[
    float | None, typer.Option(metavar="P", help="With --scale elo: the win rate where points are counted.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Root of the random numbers.")]


def gaming(
    context: typer.Context,
    file: File,
    k: K = 27,
    prompts: Prompts = None,
    judges: Judges = None,
    items: Items = None,
    redrawn: Redrawn = None,
    scale: Scale = "score",
    win_rate: WinRate = None,
    price: prices.Price = None,
    judge_price: prices.JudgePrice = None,
    item_price: prices.ItemPrice = None,
    prompt_price: prices.PromptPrice = None,
    level: Level = 0.95,
    seed: Seed = None,
    report: either_reading.Report = None,
    charts: either_reading.Charts = None,
    chart_format: either_reading.ChartFormat = "svg",
    as_json: reading.Json = False,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    _debug: reading.Debug = False,
) -> int:
    """What the best of many submissions gains by luck.

    For designs of the benchmark with fewer or more prompts and judges: how far above the truth the best of K equally
    good attempts is expected to stand, and which change takes most of that away for what it costs.
    """
    from quorate.decide.gaming.gaming import gaming as played
    from quorate.estimate.components.decomposition import Decomposition

    check_places(report, charts=charts)
    designs = _designs(prompts, judges)
    costs = prices.prices_of(price, judge_price, {"item": item_price, "prompt": prompt_price})
    source = source_of(file, lambda: reading.judgments(file, score, facet, object_, nested, fixed, status, missing))
    found = played(
        source,
        k,
        designs=designs,
        items=items,
        redrawn=None if redrawn is None else reading.names(redrawn),
        scale=scale,
        win_rate=win_rate,
        prices=costs,
        level=level,
        rng=seed,
    )
    read = source.judgments if isinstance(source, Decomposition) else None
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
        show_columns(console(), () if read is None else read.notes)
    either_reading.write_files(found, read, report, charts, chart_format, context.obj, seed=seed, quiet=as_json)
    return 0


def _designs(prompts: str | None, judges: str | None) -> list[dict[str, Any]] | None:
    """Designs of so many prompts by so many judges; None where neither is given."""
    asked = {"judges": judges, "prompts": prompts}
    counts = {name: grid(f"--{name}", text) for name, text in asked.items() if text is not None}
    most = prod(map(len, counts.values()))
    if most > MOST_DESIGNS:
        raise InvalidInput(f"--{next(iter(counts))}: {most:,} designs, more than {MOST_DESIGNS}; take larger steps")
    return [dict(zip(counts, one, strict=True)) for one in product(*counts.values())] if counts else None


def show(out: Console, found: Gaming) -> None:
    """Print the surface, and what makes it smaller."""
    say(out, found.sentence, style="bold")
    heading(out, f"What the best of {found.k:,} attempts gains{_unit(found)}")
    _prizes(out, found)
    heading(out, f"What makes it smaller, for {found.prizes[0].label}: most for the cost first")
    _mitigation(out, found)
    heading(out, "Caveats")
    points(out, (in_options(one.sentence) for one in found.caveats))


def _prizes(out: Console, found: Gaming) -> None:
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


def _mitigation(out: Console, found: Gaming) -> None:
    from quorate.analysis.words import significant
    from quorate.reporting.pages.gaming import mitigation
    from quorate.wording import whole_percent

    changes = mitigation(found)
    if changes is None:
        return points(out, ["The data leave the effect of every change open."])
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
    return table(out, heads | ({"more to pay": "right"} if priced else {}), rows)


def _unit(found: Gaming) -> str:
    return ", in Elo points" if found.scale == "elo" else ", in score units"
