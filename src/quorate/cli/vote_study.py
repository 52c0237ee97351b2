"""`quorate votes analyze` and `quorate votes replay`: what votes show, and what other studies of them would have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading, vote_parts, vote_reading
from quorate.cli.console import console, print_json, whole
from quorate.cli.either_reading import given
from quorate.cli.grids import grid
from quorate.cli.places import check_places
from quorate.errors import InvalidInput
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.analysis.pair import PairView
    from quorate.analysis.votes import VotesView
    from quorate.simulate.two_stage import AllocationStudy
    from quorate.table.votes import Votes

ALL = {"margin": 0.05, "cluster": "prompt", "minimum": 200}
"""Options of a replay of all pairs, where nothing is said."""

ModelA = Annotated[
    str | None, typer.Option("--a", metavar="NAME", help="A system: with --b, the verdict on the two instead of all.")
]
ModelB = Annotated[str | None, typer.Option("--b", metavar="NAME", help="The system it is compared with.")]
Margin = Annotated[
    float | None,
    typer.Option(metavar="D", help="With --a: shares within .5 +- D count as equal; stated before looking."),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ROLE", help="Facet whose votes resemble each other: prompt, judge or cluster.")
]
Claim = Annotated[
    Literal["better", "equivalent", "not worse"] | None,
    typer.Option(help="What is to be shown of --a, for the exit code. Default: better or equivalent."),
]
Ties = Annotated[
    Literal["drop", "half", "pessimistic"] | None, typer.Option(help="With --a: how ties count. Default: drop.")
]
Budget = Annotated[int | None, typer.Option(metavar="N", min=1, help="With --a: votes that can still be collected.")]
Price = Annotated[float | None, typer.Option(metavar="USD", min=0, help="With --a: price of a vote.")]
Minimum = Annotated[
    int, typer.Option(metavar="N", min=2, help="Decisive votes that a pair must have, among all pairs.")
]
Within = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="Tell systems of the same name apart by this facet, such as prompt_type."),
]
Budgets = Annotated[str, typer.Option(metavar="NUMBERS", help="Votes of a study, such as 50,200,500.")]
Report = Annotated[Path | None, typer.Option(metavar="PATH", help="Write a report: .html, .md or .json.")]
Charts = Annotated[Path | None, typer.Option(metavar="DIR", help="Write every chart as a file into this folder.")]
ChartFormat = Annotated[Literal["svg", "png"], typer.Option(help="Format of these files.")]
ReplayA = Annotated[
    str | None,
    typer.Option("--a", metavar="NAME", help="A system: with --b, ways to spend votes on these two."),
]
ReplayMargin = Annotated[
    float | None, typer.Option(metavar="D", help="Margin of equivalence, for all pairs. Default: .05.")
]
ReplayCluster = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE",
        help='Facet whose votes are drawn together, for all pairs; "" for none. Default: prompt, if there is one.',
    ),
]
ReplayMinimum = Annotated[
    int | None,
    typer.Option(metavar="N", min=2, help="Decisive votes that a pair must have, among all pairs. Default: 200."),
]
By = Annotated[str | None, typer.Option(metavar="ROLE", help="With --a: types of prompts. Default: prompt_type.")]


def analyze(
    context: typer.Context,
    file: vote_reading.File,
    a: ModelA = None,
    b: ModelB = None,
    margin: Margin = None,
    cluster: Cluster = None,
    claim: Claim = None,
    ties: Ties = None,
    budget: Budget = None,
    price: Price = None,
    minimum: Minimum = 200,
    within: Within = None,
    report: Report = None,
    charts: Charts = None,
    chart_format: ChartFormat = "svg",
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
    asked = given({"margin": margin, "claim": claim, "ties": ties, "budget": budget, "price": price})
    pair = _pair(a, b, asked, ())
    check_places(report, charts=charts)
    votes = _within(vote_reading.votes(file, model_a, model_b, winner, wins, outcome, role, status), within)
    vote_reading.check_systems(votes, pair)
    vote_reading.check_facet(votes, "--cluster", cluster)
    view = _view(votes, pair, minimum, {"cluster": cluster, **asked})
    if as_json:
        print_json(view.to_dict())
    else:
        vote_parts.show(console(), view)
    for path in _write(view, report, charts, chart_format, context.obj):
        if not as_json:
            whole(console(), path)
    return view.exit_code


def replay(
    file: vote_reading.File,
    a: ReplayA = None,
    b: ModelB = None,
    margin: ReplayMargin = None,
    cluster: ReplayCluster = None,
    by: By = None,
    budgets: Budgets = "50,200,500",
    minimum: ReplayMinimum = None,
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
    of_two, of_all = given({"by": by}), given({"margin": margin, "cluster": cluster, "minimum": minimum})
    pair = _pair(a, b, of_two, of_all)
    sizes = list(grid("--budgets", budgets))
    votes = _within(vote_reading.votes(file, model_a, model_b, winner, wins, outcome, role, status), within)
    if pair is not None:
        return _two_stage(votes, pair, sizes, by or "prompt_type", as_json=as_json)
    return _rates(votes, sizes, {**ALL, "cluster": cluster, **of_all}, as_json=as_json)


def _pair(a: str | None, b: str | None, of_two: Iterable[str], of_all: Iterable[str]) -> tuple[str, str] | None:
    """The two systems that are named, if options that were given go with that."""
    if (a is None) != (b is None):
        raise InvalidInput("--a, --b: give both systems, or neither")
    pair = None if a is None or b is None else (a, b)
    for name in of_two if pair is None else of_all:
        goes = (
            "is for two systems; name them with --a and --b"
            if pair is None
            else "is for all pairs; leave out --a and --b"
        )
        raise InvalidInput(f"--{name}: {goes}")
    return pair


def _within(votes: Votes, role: str | None) -> Votes:
    vote_reading.check_facet(votes, "--within", role)
    return votes if role is None else votes.within(role)


def _view(votes: Votes, pair: tuple[str, str] | None, minimum: int, options: Mapping[str, Any]) -> VotesView | PairView:
    if pair is not None:
        from quorate.analysis.pair import pair_view

        return pair_view(votes, *pair, minimum=minimum, **options)
    from quorate.analysis.votes import votes_view

    return votes_view(votes, minimum=minimum, **options)


def _write(
    view: VotesView | PairView,
    report: Path | None,
    charts: Path | None,
    chart_format: Literal["svg", "png"],
    command: str,
) -> Iterator[str]:
    """Write what is asked for, and say where it is."""
    if report is not None:
        from quorate.reporting.report import report as write_report

        yield f"Report: {write_report(view, report, command=command)}"
    if charts is not None:
        from quorate.reporting.print.charts import write_charts
        from quorate.reporting.report import page_of

        yield f"Charts: {', '.join(map(str, write_charts(page_of(view), charts, chart_format)))}"


def _two_stage(votes: Votes, pair: tuple[str, str], sizes: list[int], by: str, *, as_json: bool) -> int:
    from quorate.simulate.two_stage import replay_range, replay_two_stage

    vote_reading.check_systems(votes, pair)
    vote_reading.check_facet(votes, "--by", by)
    least, most = replay_range(votes, *pair, by=by)
    usable = [n for n in sizes if least <= n <= most]
    span = f"screening takes {least - 1:,} votes of this pair, which has {most:,} decisive ones with a {by}"
    if not usable:
        said = ", ".join(f"{n:,}" for n in sizes)
        if most < least:
            raise InvalidInput(f"--budgets: {span}: too few for any study; use coarser types")
        raise InvalidInput(f"--budgets: numbers from {least:,} to {most:,}, got {said}; {span}")
    found = replay_two_stage(votes, *pair, usable, by=by)
    notes = _left_out(sizes, usable, span)
    if as_json:
        _aside(notes)
        print_json(_plain(found))
    else:
        vote_parts.show_study(console(), found, notes)
    return 0


def _rates(votes: Votes, sizes: list[int], options: Mapping[str, Any], *, as_json: bool) -> int:
    """Verdicts of studies of every size, each over the pairs that have as many votes."""
    from quorate.simulate.verdicts import replay_verdicts

    margin, minimum = options["margin"], options["minimum"]
    cluster, notes = _drawn_by(votes, options["cluster"])
    most = int(votes.pairs().decisive.max(initial=0))
    usable = [n for n in sizes if n <= most]
    why = f"no pair has more than {counted(most, 'decisive vote')}"
    if not usable:
        raise InvalidInput(f"--budgets: {why}; a smaller study has fewer, got {min(sizes):,}")
    found = [
        one
        for n in usable
        for one in replay_verdicts(votes, [n], cluster=cluster, margin=margin, least=max(minimum, n))
    ]
    notes += _left_out(sizes, usable, why)
    if as_json:
        _aside(notes)
        print_json([{**vars(one), "wrong": one.wrong} for one in found])
    else:
        vote_parts.show_rates(console(), found, margin, notes)
    return 0


def _drawn_by(votes: Votes, cluster: str | None) -> tuple[str | None, list[str]]:
    """The facet whose votes are drawn together, and a note where there is none."""
    if cluster == "":
        return None, ["Votes are drawn one by one, and taken as independent."]
    if cluster is None and ALL["cluster"] not in votes.names:
        fix = "name a column with --role prompt=COLUMN, or another facet with --cluster"
        return None, [f"No prompt is known of these votes: they are drawn one by one, and taken as independent; {fix}."]
    name = cluster or str(ALL["cluster"])
    vote_reading.check_facet(votes, "--cluster", name)
    return name, []


def _left_out(sizes: Iterable[int], usable: Iterable[int], why: str) -> list[str]:
    left = [f"{n:,}" for n in sizes if n not in set(usable)]
    return [f"Left out: studies of {listed(left)} votes; {why}."] if left else []


def _aside(notes: Iterable[str]) -> None:
    """Notes beside JSON, which has no place for them."""
    for note in notes:
        typer.echo(f"quorate: {note}", err=True)


def _plain(found: AllocationStudy) -> dict[str, Any]:
    return {
        "budgets": found.budgets.tolist(),
        "power": {test: power.tolist() for test, power in found.power.items()},
        "jaccard": found.jaccard.tolist(),
        "captured": found.captured.tolist(),
        "expected_captured": found.expected_captured,
        "studies": found.studies,
    }
