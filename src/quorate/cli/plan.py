"""`quorate plan` and `judges`: what to buy next, for a budget, an effect or a goal of votes and labels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import options
from quorate.cli.options import command, grid, names, of, only, operand, option, pairs, planned_source, table_of
from quorate.cli.options.groups import spelled
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.roles import JUDGE

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes


Numbers = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Numbers allowed, such as 50,100 or 1-5 or 20-200:10.")
]
GOAL = of("quorate.planning.search.optimize:plan", "traded", "category_items")
FIT = of("quorate.estimate.components.decompose:decompose", "interval", "method", "random", "covariates")
LIMITS = {"temperature": "temperatures", "category": "categories"}
"""Facets whose limits have names of their own."""


@dataclass(frozen=True, kw_only=True)
class Limits(options.Group):
    """The designs that are allowed."""

    items: Numbers = None
    prompts: Numbers = None
    judges: Numbers = None
    replicates: Numbers = None
    per_item: str | None = option("NUMBERS", "Judges per item allowed, with the layout blocks; pairs, with latin.")
    levels: list[str] | None = option("ROLE=NUMBERS", "Levels allowed of any other facet, such as temperature=1-2.")

    def limits(self) -> dict[str, list[int]] | None:
        """Numbers allowed, as `quorate.plan` takes them; None where nothing is named."""
        given = self.given()
        levels = pairs("--levels", given.pop("levels", None), "annotator=2-4")
        out = {name: grid(f"--{name.replace('_', '-')}", text) for name, text in given.items()}
        return out | {LIMITS.get(name, name): grid("--levels", text) for name, text in levels.items()} or None


@command
def optimize(
    file: options.SourceFile,
    goal: Annotated[options.Declared, GOAL],
    prices: Annotated[options.Prices, only("price", "judge_price", "item_price", "prompt_price")],
    limits: Limits,
    own: str | None = option(
        "DESIGN", "The design at hand, such as items=141,judges=3,layout=cyclic. Default: the study in the file."
    ),
    have: Path | None = option(
        "FILE", "Judgments that are paid for, often FILE itself: a plan costs what must still be bought."
    ),
    draws: int | None = option(
        "N", "Pilots redrawn to say how sure the choice is; 0 for none. Default: 200, of judgments.", min=0, max=10_000
    ),
    *,
    fit: Annotated[options.Declared, FIT],
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """What to buy next, for a budget or for a standard error.

    The most precise design that the budget buys, or the cheapest that is as precise as asked. Without any numbers
    allowed: designs around the study in the file, with up to four times its items and twice its prompts and judges;
    with some, what is not named stays as in the file.
    """
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.differences.difference import SystemDifference

    allowed, asked = limits.limits(), goal.value("targets") or {}
    fitted = planned_source(file, reading, fit, asked, also=have)
    if draws is not None and not isinstance(fitted, (Decomposition, SystemDifference)):
        raise InvalidInput(
            "--draws: pilots are redrawn from scores as numbers that were fitted here, not with --link or from "
            "components of a file; leave it out"
        )
    best = goal(
        fitted,
        prices=prices.prices(),
        limits=allowed,
        targets=None if isinstance(fitted, SystemDifference) else asked,
        own=design(own),
        have=paid_for(have, file, fitted, reading),
    )
    told = draws != 0 and isinstance(best.searched.fit, Decomposition) and not best.stays
    sure = best.ranking(200 if draws is None else draws) if told else None
    out.show(replace(best, sure=sure), files, table_of(fitted))
    return 0


def paid_for(
    have: Path | None,
    file: Path,
    fitted: Components | Decomposition | LatentDecomposition | SystemDifference,
    reading: options.ScoreReading,
) -> Judgments | None:
    """The judgments that are paid for; those that were fitted where the file is the same."""
    if have is None:
        return None
    own = table_of(fitted) if have.resolve() == file.resolve() else None
    return reading.judgments(have) if own is None else own


def design(text: str | None) -> dict[str, Any] | None:
    """A design from ``items=141,judges=3,layout=cyclic``."""
    if text is None:
        return None
    named = pairs("--own", text.split(","), "items=141,judges=3")
    return {name: int(value) if value.isdigit() and len(value) < 12 else value for name, value in named.items()}


@command
def project(
    file: options.SourceFile,
    own: Annotated[options.Declared, of("quorate.planning.designs.dstudy:project")],
    prices: Annotated[options.Prices, only("price")],
    fit: Annotated[options.Declared, options.LINKED],
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """What another design would give, and what it would cost.

    Without a design: what a few changes to the one at hand would give.
    """
    from quorate.analysis.designs import Changes
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.planning.search.whatif import as_it_is, what_if
    from quorate.reporting.pages.designs import at_hand

    asked = own.value("targets") or {}
    fitted = planned_source(file, reading, fit, asked)
    given: dict[str, Any] = {"targets": None if isinstance(fitted, SystemDifference) else asked}
    given |= {"prices": prices.prices()}
    judgments, proposed = table_of(fitted), {*own.given()} - {"targets"}
    if isinstance(fitted, (Decomposition, SystemDifference)) and not proposed:
        found = Changes(what_if(fitted, **given))
        out.show(found, files, judgments, plain=[change.to_dict() for change in found.what_if])
        return 0
    planned = own(fitted, **given)
    listed = not (isinstance(fitted, SystemDifference) and fitted.method != "paired")
    now = at_hand(as_it_is(fitted, **given), planned) if listed and not isinstance(fitted, Components) else ()
    out.show(planned, files, judgments, also=now)
    return 0


@command
def effect_size(
    file: Path | None = operand("FILE", "Scores of a pilot. Without: give --rates or --sd."),
    a: str | None = operand("A", "With a pilot of more than two systems: the first."),
    b: str | None = operand("B", "The second."),
    *,
    own: Annotated[options.Declared, of("quorate.decide.effect:plan_effect")],
    bar: float | None = option("P", "Instead: a share that one system is to pass, with --seen or --rates P."),
    seen: str | None = option("WINS/N", "Right answers of all, such as 47/50, for --bar."),
    targets: options.Targets,
    prices: Annotated[options.Prices, only("price", "judge_price")],
    reading: options.ScoreReading,
    out: options.Output,
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
    of_pilot = [
        *(spelled(options.ScoreReading, name) for name in reading.given()),
        *(["--target"] if targets.target else []),
    ]
    of_pilot += [spelled(options.Prices, name) for name in prices.given()]
    if file is not None:
        _refuse([*given, *({"bar"} if bar is not None else ())], "is said by the pilot; leave it out, or the file")
        if effect is None:
            raise InvalidInput("--effect: give the difference to be found")
        of_study = {"targets": targets.asked() or None, "prices": prices.prices(), **asked}
        step = plan_study(effect, reading.judgments(file), a, b, **of_study)
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
    answers = _part_of(seen)
    if seen is not None and answers is None:
        raise InvalidInput(f'--seen: expects right answers of all of them, such as 47/50, got "{seen}"')
    found = plan_bar(bar, seen=answers, rate=own.value("rates"), **asked)
    out.show(found, sentence=in_options(found.sentence))
    return found.exit_code


def _part_of(text: str | None) -> tuple[int, int] | None:
    """A count of all of them, such as 47/50."""
    counts = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text or "")
    return None if counts is None else (int(counts[1]), int(counts[2]))


def _refuse(names: list[str], why: str) -> None:
    for name in names:
        raise InvalidInput(f"{name if name.startswith('-') else '--' + name.replace('_', '-')}: {why}")


@command
def plan_labels(
    file: options.File,
    labels: options.People,
    own: Annotated[options.Declared, of("quorate.planning.plan_labels:plan_labels")],
    prices: Annotated[options.Prices, only("price", "judge_price", "item_price")],
    human_price: Annotated[float, typer.Option(metavar="USD", help="Price of one answer by a person.")],
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """How many labels by people and predictions by judges to buy, from a pilot with both.

    People are dear and right, judges cheap and biased: the split of the money with the narrowest interval of what
    `quorate compare` then finds, or the cheapest that is narrow enough.
    """
    judged, human = labels.beside(file, reading, lambda: reading.table(file, own), key=own.value("key"))
    found = own(judged, human, prices={"human": human_price, **(prices.prices() or {})})
    out.show(found, files, judged)
    return 0


@command
def plan_votes(
    pilot: str | None = option(
        "WINS/N|FILE",
        "Votes for one model among the decisive of a pilot; or its votes, as for compare, whose prompts and "
        "judges then say what votes that share one are worth.",
    ),
    margins_from: Path | None = option(
        "FILE", "Votes on other systems by a like protocol: plan for the margin of the pair at a quarter of theirs."
    ),
    *,
    own: Annotated[options.Declared, of("quorate.planning.power.votes_plan:plan_votes")],
    reading: options.VoteReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """How many votes are needed, for a margin, for equivalence or from a pilot.

    With a budget alone: the margin that it could see. Ends with exit code 2 if a budget is too small, or if no number
    of votes is enough.
    """
    wins: tuple[int, int] | Votes | None = _part_of(pilot)
    of_file = pilot is not None and wins is None
    if pilot is not None and of_file and "." not in pilot and not Path(pilot).exists():
        raise InvalidInput(
            "--pilot: expects votes for one model of all decisive ones, such as 31/50, or a file of votes, got "
            f'"{pilot}"'
        )
    for name in () if of_file or margins_from else reading.given():
        raise InvalidInput(
            f"{spelled(options.VoteReading, name)}: for votes in a file; give one with --pilot or --margins-from"
        )
    if pilot is not None and of_file:
        wins = reading.votes(Path(pilot))
    found = own(pilot=wins, margins_from=None if margins_from is None else reading.votes(margins_from))
    out.show(found, files, sentence=in_options(found.sentence))
    return int(found.exit_code)


@command
def screen(
    file: options.ScoresFile,
    own: Annotated[options.Declared, of("quorate.planning.panel.screening:screen", "resamples", "rng")],
    prices: Annotated[options.Prices, only("price", "judge_price", "item_price")],
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Which few of many judges should judge the rest, from a pilot.

    All of them judged the pilot. In the main study every item is new and gets one of the judges chosen, in turn; the
    mean stands for the whole pool.
    """
    judgments = reading.judgments(file)
    out.show(own(judgments, prices=prices.prices()), files, judgments)
    return 0


@command
def panel(
    file: options.ScoresFile,
    own: Annotated[options.Declared, of("quorate.planning.panel.panel:judges", "resamples")],
    group: str | None = option(
        "COLUMN",
        "Groups of judges to compare, such as tiers: their column; auto for the makers that names tell; or "
        "the group of each judge, with commas: gpt-4o=mid,gpt-5=frontier.",
    ),
    validate: bool = option(
        "", "Redraw studies from these scores and compare the strategies' variances.", default=False
    ),
    *,
    prices: Annotated[options.Prices, only("price", "judge_price", "item_price", "generation_price")],
    reading: options.ScoreReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Which judge is off, and what one judge alone would reverse.

    Also whether judges prefer themselves, what they and the items bring to the variance, how to share calls out, and
    with --group what judges of one tier or maker are worth beside the others.
    Ends with exit code 2 if one judge alone would reverse an order, or prefers itself, beyond chance; a judge that is
    lenient or strict is no such finding.
    """
    from quorate.analysis.panel import validations
    from quorate.table.families import AUTO
    from quorate.table.read import kind_of
    from quorate.table.reading.people import refuse_people_among_models
    from quorate.table.reading.reading import Meant, Unsure

    of_judge = pairs("--group", names(group), "gpt-4o=mid") if "=" in (group or "") else None
    column = () if group in (None, AUTO) or of_judge else (str(group),)
    if not reading.given("scores") and kind_of(file, None, {}, reading.opening()) == "votes":
        ways = (
            Meant({}, "does the first one shown win?", "rank", "--position"),
            Meant({}, "the longer one?", "rank", "--covariate length"),
            Meant({}, "do judges decide as people do?", "judges", "--agree --human-label COLUMN"),
        )
        raise Unsure("judges are looked at by their scores, and these are votes", str(file), ways, "votes")
    judgments = reading.judgments(file, also=column, about=JUDGE)
    if not (reading.said() or {*own.given()} - {"level"} or group or validate):
        refuse_people_among_models(judgments, file)
    found = own(judgments, group=of_judge or group, prices=prices.prices())
    if judgments.labels and validate:
        raise InvalidInput("--validate: is for scores, and these are labels; leave it out")
    redrawn = validations(found) if validate else {}
    validation = {name: one.to_dict() for name, one in redrawn.items()}
    out.show(found, files, found.judgments, validation=validation)
    return int(found.exit_code)
