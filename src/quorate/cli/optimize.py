"""`quorate optimize`: what to buy next, for a budget or for a standard error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.designs import (
    FILE_HELP,
    TARGET_HELP,
    layout_of,
    scope,
    show_designs,
    show_own_interval,
    source_of,
    standard_errors,
    targets_of,
)
from quorate.cli.grids import grid
from quorate.cli.parts import dollars, in_words
from quorate.cli.prices import GenerationPrice, ItemPrice, JudgePrice, Price, PromptPrice, prices_of
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.means.targets import Target
    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.optimum import Optimum
    from quorate.plan.search.ranking import Ranking

MOST_FRONTIER = 8
File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
Budget = Annotated[
    float | None, typer.Option(metavar="USD", help="Most to spend; a number of calls where no price is given.")
]
TargetSe = Annotated[float | None, typer.Option(metavar="SE", help="Largest standard error allowed, in score units.")]
HalfWidth = Annotated[
    float | None,
    typer.Option(
        metavar="W",
        help="Largest half-width of the 95% interval, with as many standard errors to it as the study in the file has.",
    ),
]
Numbers = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Numbers allowed, such as 50,100 or 1-5 or 20-200:10.")
]
Levels = Annotated[
    list[str] | None, typer.Option(metavar="ROLE=NUMBERS", help="Levels allowed of any other facet; repeat for each.")
]
Layouts = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="Layouts allowed, with commas: factorial, everything crossed; cyclic, one judge per item in turn; "
        "weighted, in turn with more places for judges that are cheap; latin, one (prompt, judge) pair per item in "
        "turn; blocks, --per-item judges per item; random, one judge per item at random.",
    ),
]
PerItem = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Judges per item allowed, with the layout blocks; pairs, with latin."),
]
Targets = Annotated[list[str] | None, typer.Option("--target", metavar="ROLE=TARGET", help=TARGET_HELP)]
Own = Annotated[
    str | None,
    typer.Option(
        metavar="DESIGN",
        help="The design at hand, such as items=141,judges=3,layout=cyclic. Default: the study in the file.",
    ),
]
Traded = Annotated[
    bool, typer.Option("--traded", help="Weighted cycles may leave some of the panel's bias for less variance.")
]
Draws = Annotated[
    int, typer.Option(metavar="N", help="Pilots redrawn to say how sure the choice is; 0 for none.", min=0, max=10_000)
]


def optimize(
    file: File,
    budget: Budget = None,
    target_se: TargetSe = None,
    half_width: HalfWidth = None,
    price: Price = None,
    judge_price: JudgePrice = None,
    item_price: ItemPrice = None,
    generation_price: GenerationPrice = None,
    prompt_price: PromptPrice = None,
    items: Numbers = None,
    prompts: Numbers = None,
    judges: Numbers = None,
    temperatures: Numbers = None,
    replicates: Numbers = None,
    levels: Levels = None,
    layouts: Layouts = "factorial,cyclic,latin",
    per_item: PerItem = None,
    categories: Numbers = None,
    target: Targets = None,
    own: Own = None,
    traded: Traded = False,
    draws: Draws = 200,
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
    """What to buy next, for a budget or for a standard error.

    The most precise design that the budget buys, or the cheapest that is as precise as asked. Without any numbers
    allowed: designs around the study in the file, with up to four times its items and twice its prompts and judges;
    with some, what is not named stays as in the file.
    """
    from quorate.plan.search.optimize import optimize as best_of

    numbers = {
        "items": items,
        "prompts": prompts,
        "judges": judges,
        "temperatures": temperatures,
        "replicates": replicates,
        "per_item": per_item,
        "categories": categories,
    }
    limits = {name: grid(f"--{name.replace('_', '-')}", text) for name, text in numbers.items() if text is not None}
    for name, text in reading.pairs("--levels", levels, "annotator=2-4").items():
        limits[name] = grid("--levels", text)
    extra = {"item": item_price, "generation": generation_price, "prompt": prompt_price}
    source = source_of(file, lambda: reading.judgments(file, score, facet, object_, nested, fixed, status, missing))
    targets = targets_of(source, target)
    best = best_of(
        source,
        budget=budget,
        target_se=_target(target_se, half_width, source, targets),
        prices=prices_of(price, judge_price, extra),
        limits=limits or None,
        layouts=reading.names(layouts),  # type: ignore[arg-type]  # checked there
        targets=targets,
        own=_design(own),
        traded=traded,
    )
    sure = _ranking(source, best, draws)
    if as_json:
        print_json({**best.to_dict(), "ranking": None if sure is None else sure.to_dict()})
    else:
        _show(best, sure)
    return 0


def _target(
    target_se: float | None, half_width: float | None, source: Components | Decomposition, targets: Mapping[str, Target]
) -> float | None:
    """The standard error asked for, as it is or as that of an interval."""
    if half_width is None:
        return target_se
    if target_se is not None:
        raise InvalidInput("--target-se: give it or --half-width, not both")
    if not half_width > 0:
        raise InvalidInput(f"--half-width: must be above 0, in score units, got {half_width:g}")
    return half_width / standard_errors(source, targets)


def _design(text: str | None) -> dict[str, Any] | None:
    """A design from ``items=141,judges=3,layout=cyclic``."""
    if text is None:
        return None
    found = reading.pairs("--own", text.split(","), "items=141,judges=3")
    return {name: int(value) if value.isdigit() and len(value) < 12 else value for name, value in found.items()}


def _ranking(source: Components | Decomposition, best: Optimum, draws: int) -> Ranking | None:
    from quorate.estimate.components.decomposition import Decomposition

    return best.ranking(draws) if draws and isinstance(source, Decomposition) else None


def _show(best: Optimum, sure: Ranking | None) -> None:
    out = console()
    say(out, _sentence(best), style="bold")
    if best.judges:
        say(out, f"Judges to ask: {', '.join(best.judges)}")
    say(out, f"Allowed: {_allowed(best)}")
    out.print()
    named = {"as it is": best.own, "same price": best.same_cost, "as precise": best.same_se}
    shown = {label: plan for label, plan in named.items() if plan is not None and plan != best.plan}
    show_designs(out, {**shown, "best": best.plan}, "best", priced=_is_money(best))
    show_own_interval(out, best.searched.fit, best.plan.targets)
    _frontier(out, best)
    if sure is not None:
        heading(out, "How sure is the choice?")
        points(out, _certainty(best, sure))
    if best.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in best.caveats))


def _sentence(best: Optimum) -> str:
    from quorate.analysis.words import number
    from quorate.wording import decimals

    plan = best.plan
    places = 1 + decimals(plan.se)
    goal = f"a budget of {_amount(best, best.budget)}" if best.budget is not None else f"an SE of {best.target_se:g}"
    said = f"Best of {best.candidates:,} designs for {goal}{scope(plan)}: SE {number(plan.se, places)} with "
    said += f"{in_words(plan)}, {_amount(best, best.cost)}."
    if best.own is not None and best.own.se > 0:
        change = plan.se / best.own.se - 1
        side = f"{abs(change):.0%} {'below' if change < 0 else 'above'}" if abs(change) >= 0.005 else "about that of"
        said += f" That is {side} the design at hand"
        said += f" ({_amount(best, best.own.cost)})." if best.own.cost is not None else "."
    return said


def _amount(best: Optimum, value: float | None) -> str:
    """Money, or a number of calls where that is what a price is."""
    if value is None:
        return "price unknown"
    return dollars(value) if _is_money(best) else f"{value:,.0f} calls"


def _allowed(best: Optimum) -> str:
    """The numbers compared, so that what binds is seen."""
    from quorate.wording import plural

    plan, grid = best.plan, best.searched.grid
    parts = []
    for name, values in grid.levels.items():
        at = {**plan.design, **plan.groups}.get(name)
        most = " (the best has the most)" if len(values) > 1 and at == values[-1] else ""
        span = f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,} to {values[-1]:,}"
        parts.append(f"{span} {name if name.endswith('s') else plural(name)}{most}")
    return "; ".join([*parts, f"layouts {', '.join(grid.layouts)}"])


def _is_money(best: Optimum) -> bool:
    return best.searched.prices != {"call": 1.0}


def _frontier(out: Console, best: Optimum) -> None:
    """A few designs of the frontier, from the cheapest to the most precise, the plan among them."""
    from quorate.analysis.words import number
    from quorate.wording import decimals, plural

    shown = best.along(MOST_FRONTIER)
    if len(shown) < 2:
        return
    places = 1 + max(decimals(plan.se) for plan in shown)
    names = [name for name in shown[0].design if len({plan.design[name] for plan in shown}) > 1]
    heading(out, "Cheaper and dearer designs that nothing beats")
    head = [plural(name) for name in names] if len(names) < 5 else [" × ".join(names)]
    rows = [
        (
            _amount(best, plan.cost),
            number(plan.se, places),
            *_levels(plan, names),
            layout_of(plan),
            "best" if plan.cost == best.plan.cost else "",
        )
        for plan in shown
    ]
    sides: dict[str, str] = {"price": "right", "SE": "right", **dict.fromkeys(head, "right")}
    table(out, sides | {"layout": "left", " ": "left"}, rows)


def _levels(plan: Projection, names: list[str]) -> list[str]:
    """Levels of these facets, in columns of their own while there are few."""
    levels = [f"{plan.design[name]:,}" for name in names]
    return levels if len(names) < 5 else [" × ".join(levels)]


def _certainty(best: Optimum, sure: Ranking) -> list[str]:
    from quorate.analysis.words import number
    from quorate.wording import decimals

    places = 1 + decimals(best.se)
    interval = f"{number(sure.se_low, places)} to {number(sure.se_high, places)}"
    chosen = (
        f"Of {sure.draws:,} pilots redrawn from this fit, {sure.within:.0%} choose a design at most 5% worse, and "
        f"{sure.top:.0%} this very one among {sure.strategies:,} at its price."
    )
    cost = (
        f"All choices together lose {sure.loss:.1%} of standard error on average; "
        f"1 in 20 loses {sure.loss_high:.1%} or more."
    )
    said = [chosen, *([cost] if sure.loss > 0 else []), f"Its standard error may be {interval} (95% interval)."]
    if best.target_se is not None:
        said.append(
            f"It reaches {best.target_se:g} by {sure.met:.0%} of the components that this pilot makes plausible."
        )
    return said
