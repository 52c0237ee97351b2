"""`quorate plan --effect`: how many items a difference takes, without a file or from a pilot; or a share a bar."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Declared, Output, Prices, ScoreReading, Targets, command, of, only
from quorate.cli.options.groups import spelled
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

UNDECIDED = 2
OWN = of("quorate.decide.effect:plan_effect")


@command
def effect_size(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Scores of a pilot. Without: give --rates or --sd.")
    ] = None,
    a: Annotated[
        str | None, typer.Argument(metavar="A", help="With a pilot of more than two systems: the first.")
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The second.")] = None,
    *,
    own: Annotated[Declared, OWN],
    bar: Annotated[
        float | None,
        typer.Option(metavar="P", help="Instead: a share that one system is to pass, with --seen or --rates P."),
    ] = None,
    seen: Annotated[
        str | None, typer.Option(metavar="WINS/N", help="Right answers of all, such as 47/50, for --bar.")
    ] = None,
    targets: Targets,
    prices: Annotated[Prices, only("price", "judge_price")],
    reading: ScoreReading,
    out: Output,
) -> int:
    """How many items a difference takes, without data or from a pilot; or whether a share passes a bar.

    Ends with exit code 2 if a share that was seen is not shown to be on either side of the bar.
    """
    from quorate.decide.effect import plan_bar, plan_study

    asked = {name: own.value(name) for name in ("alpha", "power")}
    given = [name for name in own.given() if name not in ("effect", *asked)]
    effect = own.value("effect")
    if seen is not None and bar is None:
        raise InvalidInput("--seen: is for --bar; give that, or leave it out")
    of_pilot = [*(spelled(ScoreReading, name) for name in reading.given()), *(["--target"] if targets.target else [])]
    of_pilot += [spelled(Prices, name) for name in prices.given()]
    if file is not None:
        _refuse([*given, *({"bar"} if bar is not None else ())], "is said by the pilot; leave it out, or the file")
        if effect is None:
            raise InvalidInput("--effect: give the difference to be found")
        options = {"targets": targets.asked() or None, "prices": prices.prices(), **asked}
        step = plan_study(effect, reading.judgments(file), a, b, **options)
        out.show(step, sentence=step.sentence)
        return 0
    _refuse(of_pilot, "is for a pilot; name its file")
    if bar is None:
        plan = own()
        out.show(plan, sentence=in_options(plan.sentence))
        return 0
    _refuse(
        [*(name for name in given if name != "rates"), *(["effect"] if effect is not None else [])], "is not for --bar"
    )
    found = plan_bar(bar, seen=_answers(seen), rate=own.value("rates"), **asked)
    out.show(found, sentence=in_options(found.sentence))
    return UNDECIDED if seen is not None and not found.shown else 0


def _answers(seen: str | None) -> tuple[int, int] | None:
    """Right answers and all of them."""
    if seen is None:
        return None
    counts = re.fullmatch(r"(\d{1,9})/(\d{1,9})", seen)
    if counts is None:
        raise InvalidInput(f'--seen: expects right answers of all of them, such as 47/50, got "{seen}"')
    return int(counts[1]), int(counts[2])


def _refuse(options: list[str], why: str) -> None:
    for name in options:
        raise InvalidInput(f"{name if name.startswith('-') else '--' + name.replace('_', '-')}: {why}")
