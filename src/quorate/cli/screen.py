"""`quorate screen`: which judges of a pool should judge the main study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.parts import show_columns
from quorate.cli.prices import ItemPrice, JudgePrice, Price, prices_of
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.plan.panel.screening import Screening
    from quorate.plan.panel.shortlist import Shortlist
    from quorate.table.notes import Note

_ALIKE = 1.1
Budget = Annotated[
    float | None, typer.Option(metavar="USD", help="Most to spend on the main study; calls where no price is given.")
]
TargetSe = Annotated[float | None, typer.Option(metavar="SE", help="Largest standard error allowed, in score units.")]
Most = Annotated[int | None, typer.Option(metavar="N", help="Most judges to use.")]
Fewest = Annotated[int, typer.Option(metavar="N", help="Fewest judges to use.")]
Uncorrected = Annotated[
    bool, typer.Option("--uncorrected", help="The bias that the pilot expects will not be subtracted from the mean.")
]
Generation = Annotated[
    str | None, typer.Option(metavar="ROLE", help="What tells responses to an item apart. Default: generation.")
]


def screen(
    file: reading.File,
    budget: Budget = None,
    target_se: TargetSe = None,
    price: Price = None,
    judge_price: JudgePrice = None,
    item_price: ItemPrice = None,
    most: Most = None,
    fewest: Fewest = 1,
    uncorrected: Uncorrected = False,
    generation: Generation = None,
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
    """Which few of many judges should judge the rest, from a pilot.

    All of them judged the pilot. In the main study every item is new and gets one of the judges chosen, in turn; the
    mean stands for the whole pool.
    """
    from quorate.plan.panel.screening import screen as screened

    judgments = reading.judgments(file, score, facet, object_, nested, fixed, status, missing)
    found = screened(
        judgments,
        prices=prices_of(price, judge_price, {"item": item_price}),
        budget=budget,
        target_se=target_se,
        most=most,
        fewest=fewest,
        corrected=not uncorrected,
        generation=generation,
    )
    if as_json:
        print_json(found.to_dict())
    else:
        _show(
            console(),
            found,
            "price of the same standard error" if budget is None else "standard error for the same money",
            judgments.notes,
        )
    return 0


def _show(out: Console, found: Screening, goal: str, notes: Sequence[Note]) -> None:
    from quorate.analysis.words import significant
    from quorate.wording import whole_percent

    say(out, found.sentence, style="bold")
    if found.corrected:
        say(out, f"Subtract {significant(found.panel.bias)} from the equal-weight mean of the judges' means.")
    heading(out, "Against other ways to spend the same")
    _lists(out, found, (found.panel, *found.alternatives))
    heading(out, "The best panel of every size")
    _lists(out, found, found.frontier)
    _judges(out, found)
    say(out, f"Otherwise: the {goal} with the judge if it is left out, without it if it is kept.")
    heading(out, "How sure is the choice?")
    sure, few = found.stability, f"{found.items:,} items"
    near, loss, high = map(whole_percent, (sure.within, sure.loss, sure.loss_high))
    within = f"{near} of {sure.draws:,} resampled pilots of {few} choose a panel that is within 5%"
    points(out, [f"{within}; the others lose {loss} on average, {high} at the 95th"])
    points(out, _any_would_do(found))
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in found.caveats))
    show_columns(out, notes)


def _any_would_do(found: Screening) -> Iterator[str]:
    """A word where it hardly matters which judges are chosen."""
    from quorate.analysis.words import significant
    from quorate.wording import whole_percent

    drawn = next((one for one in found.alternatives if not one.judges), None)
    if drawn is not None and found.se > 0 and drawn.se / found.se < _ALIKE:
        more = f"{significant(drawn.se)} for the same money, {whole_percent(drawn.se / found.se - 1)} more"
        yield f"which judges hardly matters: as many drawn at random would have a standard error of {more}"


def _lists(out: Console, found: Screening, lists: tuple[Shortlist, ...]) -> None:
    from quorate.analysis.words import number
    from quorate.wording import decimals

    chosen = [one.se if found.corrected else one.se_uncorrected for one in lists]
    places = 1 + max(map(decimals, chosen))
    rows = [
        (one.label, str(len(one.judges) or "-"), f"{one.items:,}", f"{one.cost:,.4g}", number(se, places))
        for one, se in zip(lists, chosen, strict=True)
    ]
    heads = {"panel": "left", "judges": "right", "items": "right", "cost": "right", "SE": "right"}
    table(out, heads, rows)


def _judges(out: Console, found: Screening) -> None:
    """Every judge of the pool: how lenient, how noisy, and what changing its place would give."""
    from quorate.analysis.words import number, significant

    heading(out, "Judges of the pool")
    rows = [
        (
            one.name,
            "kept" if one.kept else "left out",
            significant(one.price),
            f"{number(one.gamma, 3)} ± {number(one.gamma_se, 3)}",
            significant(one.noise**0.5),
            significant(one.otherwise),
        )
        for one in sorted(found.candidates, key=lambda one: (not one.kept, one.name))
    ]
    heads = {"judge": "left", " ": "left", "price": "right", "leniency": "right", "noise SD": "right"}
    table(out, heads | {"otherwise": "right"}, rows)
