"""`quorate votes`: pairwise votes, before and after they are collected."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading, vote_reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.spelling import in_options
from quorate.cli.vote_study import analyze, replay
from quorate.errors import InvalidInput, NotEstimable

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.doctor.support import VotesSupport
    from quorate.plan.power.clusters import Clustered
    from quorate.plan.power.pilot import Feasibility

FOUND = 2
COLUMNS = {" ": "left", "  ": "left"}
app = typer.Typer(help="Votes between two models: how many, and what they support.")
Margin = Annotated[
    float | None, typer.Option(metavar="D", help="Margin to be seen: the share of votes for the better model, less .5.")
]
Pilot = Annotated[str | None, typer.Option(metavar="WINS/N", help="Votes for one model among the decisive of a pilot.")]
Budget = Annotated[int | None, typer.Option(metavar="N", min=1, help="Votes that can be paid for.")]
Alpha = Annotated[float, typer.Option(metavar="P", help="Chance of finding a difference that is not there.")]
Power = Annotated[float, typer.Option(metavar="P", help="Chance of seeing the margin.")]
Method = Annotated[
    Literal["exact", "normal", "variance"],
    typer.Option(help="The exact test; the normal formula; or that with the variance at the margin."),
]
Icc = Annotated[
    float | None, typer.Option(metavar="RHO", help="Correlation of two votes that share a prompt or an annotator.")
]
Cluster = Annotated[
    float | None, typer.Option(metavar="N", help="Votes that share one, with --icc. Default: all of them do.")
]


@app.callback(invoke_without_command=True)
def _start(context: typer.Context) -> None:
    if context.invoked_subcommand is None:  # not 0: a script that lost its arguments must not pass
        typer.echo(context.get_help())
        raise typer.Exit(1)


@app.command()
def doctor(
    file: vote_reading.File,
    as_json: reading.Json = False,
    model_a: vote_reading.ModelA = "model_a",
    model_b: vote_reading.ModelB = "model_b",
    winner: vote_reading.Winner = "winner",
    wins: vote_reading.Wins = None,
    outcome: vote_reading.Outcomes = None,
    role: vote_reading.Roles = None,
    status: vote_reading.Status = None,
    _debug: reading.Debug = False,
) -> int:
    """What a file of votes supports, and what stands in the way."""
    from quorate.estimate.doctor.support import doctor as support

    found = support(vote_reading.votes(file, model_a, model_b, winner, wins, outcome, role, status))
    if as_json:
        print_json(found.to_dict())
    else:
        _show_support(console(), found)
    return 0 if found.ok else FOUND


@app.command()
def plan(
    margin: Margin = None,
    pilot: Pilot = None,
    budget: Budget = None,
    alpha: Alpha = 0.05,
    power: Power = 0.9,
    method: Method = "exact",
    icc: Icc = None,
    cluster: Cluster = None,
    as_json: reading.Json = False,
    _debug: reading.Debug = False,
) -> int:
    """How many votes are needed, for a margin or from a pilot.

    With a budget alone: the margin that it could see. Ends with exit code 2 if a budget is too small, or if no number
    of votes is enough.
    """
    if sum(given is not None for given in (margin, pilot)) > 1:
        raise InvalidInput("--margin: give it or --pilot, not both")
    if margin is None and pilot is None and budget is None:
        raise InvalidInput("--margin: give the margin to be seen, a --pilot, or a --budget")
    if cluster is not None and icc is None:
        raise InvalidInput("--cluster: votes of one cluster count less only if they are alike; give --icc too")
    options: dict[str, Any] = {"alpha": alpha, "power": power, "method": method}
    worth = budget if icc is None or budget is None else _worth(budget, icc, cluster)
    found = _from_pilot(pilot, worth, options) if pilot else _for_margin(margin, worth, options, alike=icc is not None)
    needed = found["needed"]
    wanted = found.get("needed_low") if needed is None else needed  # from an even pilot there is only a least number
    spread = None if icc is None or wanted is None else _clustered(wanted, icc, cluster)
    if icc is not None:
        found |= {"budget": budget, "worth": worth, "sentence": _in_clusters(found, spread, budget, icc, cluster)}
    if as_json:
        print_json({**found, "clustered": None if spread is None else spread.to_dict()})
    else:
        say(console(), str(found["sentence"]), style="bold")
    if (margin is not None or pilot is not None) and _too_few(needed, spread, worth):
        return FOUND
    return FOUND if budget is not None and found["detectable"] is None else 0


def _too_few(needed: int | None, spread: Clustered | None, worth: int | None) -> bool:
    """Whether a budget is below what is needed, also where no number would do, or no number of such votes does."""
    if spread is not None and not spread.attainable:
        return True
    return worth is not None and (needed is None or worth < needed)


def _worth(budget: int, icc: float, cluster: float | None) -> int:
    """Independent votes that a budget is worth, rounded down."""
    from quorate.plan.power.clusters import effective_judgments

    most = cluster if cluster is None else min(cluster, budget)
    return math.floor(effective_judgments(budget, icc=icc, cluster=most) + 1e-9)


def _in_clusters(
    found: dict[str, Any], spread: Clustered | None, budget: int | None, icc: float, cluster: float | None
) -> str:
    """What is found of independent votes, for votes that resemble each other."""
    from quorate.wording import counted

    many = "in one cluster" if cluster is None else f"in clusters of {cluster:.3g}"
    said = []
    if budget is not None:
        said.append(f"the budget of {budget:,} is worth {counted(found['budget'], 'independent one')}")
    if spread is not None and spread.attainable:
        said.append(f"{spread.n:,} are worth the {spread.effective:,} that are needed")
    elif spread is not None:
        said.append(f"no number is worth the {spread.effective:,} that are needed")
    first, limit = str(found["sentence"]), ""
    if spread is not None and not spread.attainable:
        limit = _ceiling(spread)
        first = first if budget is not None and "reach" in found else f"Unattainable: {first[0].lower()}{first[1:]}"
    return f"{first} Of votes {many} with an intra-cluster correlation of {icc:g}, {', and '.join(said)}{limit}."


def _ceiling(spread: Clustered) -> str:
    return (
        f": however many, they are worth less than {spread.ceiling:,.6g}. Spread them over more prompts or annotators, "
        "and say with --cluster how many votes share one"
    )


def _from_pilot(pilot: str, budget: int | None, options: dict[str, Any]) -> dict[str, Any]:
    from quorate.plan.power.pilot import feasibility

    read = re.fullmatch(r"(\d{1,9})/(\d{1,9})", pilot)
    if read is None:
        raise InvalidInput(f'--pilot: expects votes for one model of all decisive ones, such as 31/50, got "{pilot}"')
    found: Feasibility = feasibility(int(read[1]), int(read[2]), budget=budget, **options)
    return found.to_dict()


def _for_margin(margin: float | None, budget: int | None, options: dict[str, Any], *, alike: bool) -> dict[str, Any]:
    from quorate.plan.power.sample_size import sample_size
    from quorate.wording import counted
    from quorate.wording import margin as worded

    seen = None if budget is None else _seen(budget, options)
    needed = None if margin is None else sample_size(margin, **options)
    said = []
    if needed is not None:
        kind = "independent decisive vote" if alike else "decisive vote"
        said.append(f"A margin of {margin:g} needs {counted(needed, kind)} (power {options['power']:g})")
    if budget is not None:
        sees = "no margin, however large" if seen is None else f"a margin of {worded(seen)} or more"
        said.append(f"{counted(budget, 'independent vote')} would see {sees}")
    return {"margin": margin, "budget": budget, "needed": needed, "detectable": seen, "sentence": "; ".join(said) + "."}


def _seen(budget: int, options: dict[str, Any]) -> float | None:
    from quorate.plan.power.sample_size import detectable_margin

    try:
        return detectable_margin(budget, **options)
    except NotEstimable:  # the answer, not a failure: so few votes see nothing
        return None


def _clustered(needed: int, icc: float, cluster: float | None) -> Clustered:
    from quorate.plan.power.clusters import clustered_sample_size

    return clustered_sample_size(needed, icc=icc, cluster=cluster)


def _show_support(out: Console, found: VotesSupport) -> None:
    possible = [one for one in found.analyses if one.possible]
    say(out, f"{len(possible)} of {len(found.analyses)} analyses of these votes are possible.", style="bold")
    points(out, [f"columns: {'; '.join(note.brief for note in found.notes)}"] if found.notes else [])
    if found.findings:
        heading(out, "Findings")
        table(out, COLUMNS, [(one.severity, in_options(one.sentence)) for one in found.findings])
    if possible:
        heading(out, "Possible")
        table(out, COLUMNS, [(one.name, one.reason) for one in possible])
    closed = [one for one in found.analyses if not one.possible]
    if closed:
        heading(out, "Not possible")
        points(out, (f"{one.name}: {one.reason}" + (f" ({in_options(one.fix)})" if one.fix else "") for one in closed))


app.command("analyze")(analyze)
app.command("replay")(replay)
