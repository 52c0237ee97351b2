"""`quorate plan --effect`: how many items a difference takes, without a file or from a pilot; or a share a bar."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import Output, Power, Prices, ScoreReading, Targets, command, only
from quorate.cli.options.groups import spelled
from quorate.cli.options.values import names, numbers
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    pass

UNDECIDED = 2


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
    effect: Annotated[
        float | None, typer.Option(metavar="D", help="Difference of two systems to be found, in score units.")
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            help="Instead: half the 95% interval that half of the studies are to find, of the difference with two "
            "--rates or --sd, of one system's mean with one.",
        ),
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(metavar="P,Q", help="Scores of 0 and 1: rates of both systems; or of the first, with --effect."),
    ] = None,
    sd: Annotated[
        str | None,
        typer.Option(metavar="SD", help="Other scores: standard deviation of a system's scores; or of each, SD,SD."),
    ] = None,
    paired: Annotated[
        bool | None, typer.Option("--paired/--unpaired", help="Whether both answer the same items. Default: paired.")
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(metavar="RHO", help="Correlation of the scores of both on an item. Default: half of --icc."),
    ] = None,
    judges: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Judges of every item. Default: 1; with --spread the cheapest."),
    ] = None,
    prompts: Annotated[int | None, typer.Option(metavar="N", min=1, help="Prompts of every item. Default: 1.")] = None,
    icc: Annotated[
        float | None,
        typer.Option(metavar="RHO", help="Correlation of two scores of an item by different judges or prompts."),
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=SD",
            help="How the true difference varies from judge to judge, or prompt to prompt: judge=.03,prompt=.02; the "
            "plan is then for others like these.",
        ),
    ] = None,
    bar: Annotated[
        float | None,
        typer.Option(metavar="P", help="Instead: a share that one system is to pass, with --seen or --rates P."),
    ] = None,
    seen: Annotated[
        str | None, typer.Option(metavar="WINS/N", help="Right answers of all, such as 47/50, for --bar.")
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="Chance of finding a difference that is not there.")] = 0.05,
    power: Power = 0.9,
    targets: Targets,
    prices: Annotated[Prices, only("price", "judge_price")],
    reading: ScoreReading,
    out: Output,
) -> int:
    """How many items a difference takes, without data or from a pilot; or whether a share passes a bar.

    Ends with exit code 2 if a share that was seen is not shown to be on either side of the bar.
    """
    from quorate.decide.scores.effect import plan_bar, plan_effect, plan_study

    stated = {
        "half_width": half_width,
        "rates": _one_or_two("--rates", rates),
        "sd": _one_or_two("--sd", sd),
        "paired": paired,
        "correlation": correlation,
        "judges": judges,
        "prompts": prompts,
        "icc": icc,
        "spread": _by_role(spread),
    }
    given: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
    asked: dict[str, Any] = {"alpha": alpha, "power": power}
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
        plan = plan_effect(effect, **given, **asked)
        out.show(plan, sentence=in_options(plan.sentence))
        return 0
    _refuse(
        [*(name for name in given if name != "rates"), *(["effect"] if effect is not None else [])], "is not for --bar"
    )
    found = plan_bar(bar, seen=_answers(seen), rate=given.get("rates"), **asked)
    out.show(found, sentence=in_options(found.sentence))
    return UNDECIDED if seen is not None and not found.shown else 0


def _one_or_two(option: str, text: str | None) -> float | tuple[float, float] | None:
    """A number, or one for each of two systems."""
    if text is None:
        return None
    try:
        found = [float(one) for one in names(text)]
    except ValueError:
        found = []
    if len(found) not in (1, 2):
        raise InvalidInput(f'{option}: expects a number or two, such as .7,.72, got "{text}"')
    return found[0] if len(found) == 1 else (found[0], found[1])


def _by_role(text: str | None) -> dict[str, float] | None:
    """A number for each role."""
    found = numbers("--spread", text, "judge=.03")
    if isinstance(found, float):
        raise InvalidInput(f'--spread: expects a role with each number, such as judge=.03, got "{text}"')
    return found


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
