"""`quorate plan --screen`: which judges of a pool should judge the main study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import caveats, heading, points, say, table
from quorate.cli.options import Files, Output, Prices, ScoreReading, ScoresFile, command, only

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.plan.panel.screening import Screening
    from quorate.plan.panel.shortlist import Shortlist

_ALIKE = 1.1


@command
def screen(
    file: ScoresFile,
    budget: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Most to spend on the main study; calls where no price is given."),
    ] = None,
    target_se: Annotated[
        float | None, typer.Option(metavar="SE", help="Largest standard error allowed, in score units.")
    ] = None,
    most: Annotated[int | None, typer.Option(metavar="N", help="Most judges to use.")] = None,
    fewest: Annotated[int, typer.Option(metavar="N", help="Fewest judges to use.")] = 1,
    uncorrected: Annotated[
        bool,
        typer.Option("--uncorrected", help="The bias that the pilot expects will not be subtracted from the mean."),
    ] = False,
    generation: Annotated[
        str | None, typer.Option(metavar="ROLE", help="What tells responses to an item apart. Default: generation.")
    ] = None,
    *,
    prices: Annotated[Prices, only("price", "judge_price", "item_price")],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Which few of many judges should judge the rest, from a pilot.

    All of them judged the pilot. In the main study every item is new and gets one of the judges chosen, in turn; the
    mean stands for the whole pool.
    """
    from quorate.plan.panel.screening import screen as screened

    judgments = reading.judgments(file)
    found = screened(
        judgments,
        prices=prices.prices(),
        budget=budget,
        target_se=target_se,
        most=most,
        fewest=fewest,
        corrected=not uncorrected,
        generation=generation,
    )
    goal = "price of the same standard error" if budget is None else "standard error for the same money"
    out.typeset(found, lambda screen, found: show(screen, found, goal), notes=judgments.notes)
    files.write(found, judgments, out)
    return 0


def show(out: Console, found: Screening, goal: str) -> None:
    """Print the panel that is chosen, other ways to spend the same, every judge, and how sure the choice is."""
    from quorate.analysis.words import significant
    from quorate.wording import whole_percent

    say(out, found.sentence, style="bold")
    if found.corrected:
        say(out, f"Subtract {significant(found.panel.bias)} from the equal-weight mean of the judges' means.")
    heading(out, "Against other ways to spend the same")
    show_panels(out, found, (found.panel, *found.alternatives))
    heading(out, "The best panel of every size")
    show_panels(out, found, found.frontier)
    show_judges(out, found)
    say(out, f"Otherwise: the {goal} with the judge if it is left out, without it if it is kept.")
    heading(out, "How sure is the choice?")
    sure = found.stability
    near, loss, high = map(whole_percent, (sure.within, sure.loss, sure.loss_high))
    within = f"{near} of {sure.draws:,} resampled pilots of {found.items:,} items choose a panel that is within 5%"
    points(out, [f"{within}; the others lose {loss} on average, {high} at the 95th"])
    points(out, indifference(found))
    caveats(out, (caveat.sentence for caveat in found.caveats))


def indifference(found: Screening) -> Iterator[str]:
    """A word where it hardly matters which judges are chosen."""
    from quorate.analysis.words import significant
    from quorate.wording import whole_percent

    drawn = next((one for one in found.alternatives if not one.judges), None)
    if drawn is not None and found.se > 0 and drawn.se / found.se < _ALIKE:
        more = f"{significant(drawn.se)} for the same money, {whole_percent(drawn.se / found.se - 1)} more"
        yield f"which judges hardly matters: as many drawn at random would have a standard error of {more}"


def show_panels(out: Console, found: Screening, panels: tuple[Shortlist, ...]) -> None:
    """Print panels with what they cost and how precise they are."""
    from quorate.analysis.words import number
    from quorate.wording import decimals

    errors = [one.se if found.corrected else one.se_uncorrected for one in panels]
    places = 1 + max(map(decimals, errors))
    rows = [
        (one.label, str(len(one.judges) or "-"), f"{one.items:,}", f"{one.cost:,.4g}", number(se, places))
        for one, se in zip(panels, errors, strict=True)
    ]
    table(out, {"panel": "left", "judges": "right", "items": "right", "cost": "right", "SE": "right"}, rows)


def show_judges(out: Console, found: Screening) -> None:
    """Print every judge of the pool: how lenient, how noisy, and what changing its place would give."""
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
