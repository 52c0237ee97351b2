"""`quorate votes analyze` and `quorate votes replay`: what votes show, and what other studies of them would have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading, vote_reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.grids import grid
from quorate.cli.phrasing import columns, in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.decide.verdict import Verdict
    from quorate.estimate.clustered import ClusterRobust
    from quorate.plan.detectability import Detectability
    from quorate.report.votes_view import VotesView
    from quorate.simulate.two_stage import AllocationStudy
    from quorate.simulate.verdicts import VerdictRates
    from quorate.table.votes import Votes

ModelA = Annotated[
    str | None, typer.Option("--a", metavar="NAME", help="A system: with --b, the verdict on the two instead of all.")
]
ModelB = Annotated[str | None, typer.Option("--b", metavar="NAME", help="The system it is compared with.")]
Margin = Annotated[
    float | None, typer.Option(metavar="D", help="Shares within .5 +- D count as equal; stated before looking.")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ROLE", help="Facet whose votes resemble each other: prompt, judge or cluster.")
]
Claim = Annotated[
    Literal["better", "equivalent", "not worse"] | None,
    typer.Option(help="What is to be shown of --a, for the exit code. Default: better or equivalent."),
]
Ties = Annotated[Literal["drop", "half", "pessimistic"], typer.Option(help="How ties count.")]
Budget = Annotated[int | None, typer.Option(metavar="N", help="Votes that can still be collected.")]
Price = Annotated[float | None, typer.Option(metavar="USD", help="Price of a vote.")]
Minimum = Annotated[int, typer.Option(metavar="N", help="Decisive votes that a pair must have.")]
Within = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="Tell systems of the same name apart by this facet, such as prompt_type."),
]
Budgets = Annotated[str, typer.Option(metavar="NUMBERS", help="Votes of a study, such as 50,200,500.")]
Report = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="Write a report on all pairs: .html or .md; not with --a and --b."),
]
By = Annotated[str, typer.Option(metavar="ROLE", help="Types of prompts, for --a and --b.")]


def analyze(
    context: typer.Context,
    file: vote_reading.File,
    a: ModelA = None,
    b: ModelB = None,
    margin: Margin = None,
    cluster: Cluster = None,
    claim: Claim = None,
    ties: Ties = "drop",
    budget: Budget = None,
    price: Price = None,
    minimum: Minimum = 200,
    within: Within = None,
    report: Report = None,
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
    """The verdict on two systems, or how far apart all pairs are.

    With --a and --b: better, worse, equivalent or undecided, and what would decide it; exit code 2 if what is claimed
    is not shown. Without: margins of all pairs with enough votes, near ties, and how many votes would tell them apart.
    """
    _check_report(report, a, b)
    votes = _within(vote_reading.votes(file, model_a, model_b, winner, wins, outcome, role, status), within)
    if _both(a, b):
        from quorate.decide.verdict import verdict_of_votes

        found = verdict_of_votes(
            votes,
            a or "",
            b or "",
            margin=margin,
            ties=ties,
            cluster=cluster,
            claim=claim,
            budget=budget,
            price=price,
        )
        if as_json:
            print_json(found.to_dict())
        else:
            _show_verdict(console(), found)
        return found.exit_code
    view = _all_pairs(votes, cluster, minimum, as_json=as_json)
    if report is not None:
        _write(view, report, context.obj, as_json=as_json)
    return 0


def replay(
    file: vote_reading.File,
    a: ModelA = None,
    b: ModelB = None,
    margin: Annotated[float, typer.Option(metavar="D", help="Margin of equivalence.")] = 0.05,
    cluster: Annotated[str, typer.Option(metavar="ROLE", help="Facet whose votes are drawn together.")] = "prompt",
    by: By = "prompt_type",
    budgets: Budgets = "50,200,500",
    minimum: Minimum = 200,
    within: Within = None,
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
    """What smaller studies of these votes would have found.

    Without --a and --b: how often verdicts of smaller studies are wrong, over all pairs. With them: votes over types of
    prompts in proportion, against screening the types first.
    """
    votes = _within(vote_reading.votes(file, model_a, model_b, winner, wins, outcome, role, status), within)
    sizes = grid("--budgets", budgets)
    if _both(a, b):
        from quorate.simulate.two_stage import replay_two_stage

        found = replay_two_stage(votes, a or "", b or "", list(sizes), by=by)
        if as_json:
            print_json(_plain(found))
        else:
            _show_study(console(), found)
        return 0
    from quorate.simulate.verdicts import replay_verdicts

    rates = replay_verdicts(votes, list(sizes), cluster=cluster, margin=margin, least=minimum)
    if as_json:
        print_json([{**vars(one), "wrong": one.wrong} for one in rates])
    else:
        _show_rates(console(), rates, margin)
    return 0


def _within(votes: Votes, role: str | None) -> Votes:
    return votes if role is None else votes.within(role)


def _both(a: str | None, b: str | None) -> bool:
    if (a is None) != (b is None):
        raise InvalidInput("--a, --b: give both systems, or neither")
    return a is not None


def _show_verdict(out: Console, found: Verdict) -> None:
    say(out, found.sentence, style="bold")
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in found.caveats))


def _check_report(report: Path | None, a: str | None, b: str | None) -> None:
    """Whether a report is asked for that can be written, before the votes are read."""
    if report is None:
        return
    from quorate.report.files import writable
    from quorate.report.votes_report import ENDINGS

    if a is not None or b is not None:
        raise InvalidInput("--report: is on all pairs; leave out --a and --b")
    writable(report, ENDINGS, "--report")


def _all_pairs(votes: Votes, cluster: str | None, minimum: int, *, as_json: bool) -> VotesView:
    from quorate.report.votes_view import votes_view

    view = votes_view(votes, cluster=cluster, minimum=minimum)
    if as_json:
        dependence = [{"by": one.by, **vars(one.summary())} for one in view.dependence]
        print_json({**view.found.to_dict(), "near_ties": view.near.to_dict(), "dependence": dependence})
    else:
        _show_pairs(console(), view)
    return view


def _show_pairs(out: Console, view: VotesView) -> None:
    say(out, view.found.sentence, style="bold")
    say(out, view.near.sentence)
    _margins(out, view.found)
    _curve(out, view.found)
    _dependence(out, view.dependence)
    out.print()
    say(out, f"Columns: {'; '.join(map(columns, view.votes.notes))}")


def _write(view: VotesView, report: Path, command: str, *, as_json: bool) -> None:
    from quorate.report.votes_report import write_votes_report

    write_votes_report(view, report, command=command)
    if not as_json:
        say(console(), f"Report: {report}")


def _margins(out: Console, found: Detectability) -> None:
    from quorate.report.words import number

    heading(out, "Margins over pairs: the share of votes for the better system, less .5")
    at = found.margins.quantiles()
    rows = [
        (f"{share:.0%}", number(margin, 3), f"{number(low, 3)} to {number(high, 3)}", _whole(implied))
        for share, margin, low, high, implied in zip(at.probability, at.margin, at.low, at.high, at.n, strict=True)
    ]
    table(out, {"of pairs at most": "left", "margin": "right", "95% interval": "right", "votes needed": "right"}, rows)


def _whole(value: float) -> str:
    return f"{value:,.0f}" if value < 1e12 else "no number"


def _curve(out: Console, found: Detectability) -> None:
    heading(out, "Pairs that so many votes each would decide")
    rows = [
        (f"{n:,}", f"{decided:.0%}", f"{corrected:.0%}", f"{reach:.0%}")
        for n, decided, corrected, reach in zip(
            found.budgets.tolist(), found.decided, found.corrected, found.within_reach, strict=True
        )
    ]
    last = f"power {found.target:g} or more"
    table(out, {"votes": "right", "decided": "right", "without noise": "right", last: "right"}, rows)


def _dependence(out: Console, robust: Sequence[ClusterRobust]) -> None:
    from quorate.report.words import number

    if not robust:
        return
    heading(out, "Standard errors that allow votes to resemble each other, over independent ones")
    rows = []
    for one in robust:
        summary = one.summary()
        at = dict(zip(summary.probability, summary.ratio, strict=True))
        rows.append((one.by, f"{summary.pairs:,}", *(number(value, 2) for value in at.values())))
    heads = {f"{share:.0%}": "right" for share in robust[0].summary().probability}
    table(out, {"by": "left", "pairs": "right", **heads}, rows)


def _show_rates(out: Console, rates: Sequence[VerdictRates], margin: float) -> None:
    say(out, f"Verdicts of smaller studies, against all votes; equal means within {margin:g}.", style="bold")
    rows = [
        (
            f"{one.n:,}",
            one.method,
            f"{one.different:.1%}",
            f"{one.equivalent:.1%}",
            f"{one.undecided:.1%}",
            f"{one.wrong:.2%}",
            f"{one.false_alarm:.1%}",
        )
        for one in rates
    ]
    heads = {"votes": "right", "taken as": "left"}
    heads |= dict.fromkeys(("different", "equal", "undecided", "wrong", "size"), "right")
    table(out, heads, rows)
    say(out, f"{rates[0].pairs:,} pairs. Size: differences found where there is none, at 5%.")


def _show_study(out: Console, found: AllocationStudy) -> None:
    say(out, "How often each way to spend the votes finds the difference", style="bold")
    rows = [
        (f"{n:,}", *(f"{found.power[test][at]:.0%}" for test in found.power), f"{found.captured[at]:.0%}")
        for at, n in enumerate(found.budgets.tolist())
    ]
    table(out, {"votes": "right", **dict.fromkeys(found.power, "right"), "signal kept": "right"}, rows)
    say(out, f"Signal kept: by the types that screening keeps; by chance {found.expected_captured:.0%}.")


def _plain(found: AllocationStudy) -> dict[str, Any]:
    return {
        "budgets": found.budgets.tolist(),
        "power": {test: power.tolist() for test, power in found.power.items()},
        "jaccard": found.jaccard.tolist(),
        "captured": found.captured.tolist(),
        "expected_captured": found.expected_captured,
        "studies": found.studies,
    }
