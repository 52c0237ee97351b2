"""`quorate compare`: the verdict on two systems, from scores or from votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import either_reading, prices, reading, vote_reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.parts import show_columns
from quorate.cli.places import check_places
from quorate.cli.rank import Cluster, Level, System, Targets, Within
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.decide.outcome import AnyVerdict
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

A = Annotated[str, typer.Argument(metavar="A", help="A system; the verdict is about it.")]
B = Annotated[str, typer.Argument(metavar="B", help="The system it is compared with.")]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="D",
        help="Differences below it count as equal; stated before looking. In score units; of votes, the share less .5.",
    ),
]
Claim = Annotated[
    Literal["better", "equivalent", "not worse"] | None,
    typer.Option(help="What is to be shown of A, for the exit code. Default: better or equivalent."),
]
Power = Annotated[float, typer.Option(metavar="P", help="Chance of deciding that the next step is for.")]
Method = Annotated[
    Literal["paired", "joint"] | None,
    typer.Option(help="Scores: by shared cells, or one model of all scores. Default: paired if nearly all are shared."),
]
Ties = Annotated[
    Literal["drop", "half", "pessimistic"] | None, typer.Option(help="Votes: how ties count. Default: drop.")
]
Budget = Annotated[
    float | None,
    typer.Option(metavar="N", help="What a new study may cost, at these prices; else how many votes or judgments."),
]
Price = Annotated[float | None, typer.Option(metavar="USD", min=0, help="Price of one call, or of one vote.")]


def compare(
    context: typer.Context,
    file: either_reading.File,
    a: A,
    b: B,
    margin: Margin = None,
    claim: Claim = None,
    level: Level = 0.95,
    power: Power = 0.9,
    price: Price = None,
    judge_price: prices.JudgePrice = None,
    system: System = None,
    target: Targets = None,
    method: Method = None,
    cluster: Cluster = None,
    ties: Ties = None,
    budget: Budget = None,
    within: Within = None,
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
    model_a: vote_reading.ModelA = "model_a",
    model_b: vote_reading.ModelB = "model_b",
    winner: vote_reading.Winner = "winner",
    wins: vote_reading.Wins = None,
    outcome: vote_reading.Outcomes = None,
    role: vote_reading.Roles = None,
    _debug: reading.Debug = False,
) -> int:
    """Is A better than B? The verdict, and what would decide.

    Better, worse, equivalent within --margin, or undecided, from the scores of both or from votes between them. Ends
    with exit code 2 if what is claimed is not shown.
    """
    check_places(report, charts=charts)
    scores = {"score": score, "facet": facet, "object": object_, "nested": nested, "fixed": fixed, "missing": missing}
    votes = {"model_a": model_a, "model_b": model_b, "winner": winner, "wins": wins, "outcome": outcome, "role": role}
    read = either_reading.table_of(file, status, scores, votes)
    asked = {"margin": margin, "claim": claim, "level": level, "power": power}
    asked |= {} if budget is None else {"budget": int(budget) if budget.is_integer() else budget}
    of_scores = {"system": system, "target": target or None, "method": method, "judge_price": judge_price or None}
    cluster, within = (either_reading.role_of(name, read) for name in (cluster, within))
    of_votes = {"cluster": cluster, "ties": ties, "within": within}
    found, compared = _compared(read, a, b, asked, of_scores, of_votes, price)
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
        _show_order(console(), compared, a, b)
        show_columns(console(), compared.notes)
    either_reading.write_files(found, compared, report, charts, chart_format, context.obj, quiet=as_json)
    return found.exit_code


def _compared(
    read: Votes | Judgments,
    a: str,
    b: str,
    asked: dict[str, Any],
    of_scores: dict[str, Any],
    of_votes: dict[str, Any],
    price: float | None,
) -> tuple[AnyVerdict, Votes | Judgments]:
    """The verdict, and the table that it is of."""
    from quorate.decide.compare import compare as compared
    from quorate.table.votes import Votes

    if isinstance(read, Votes):
        either_reading.refuse(of_scores, "for scores, and this file has votes")
        within = of_votes.pop("within")
        voted = read.within(within) if within else read
        return compared(voted, a, b, **asked, **either_reading.given({**of_votes, "price": price})), voted
    either_reading.refuse(of_votes, "for votes, and this file has scores")
    options = {
        "facet": of_scores["system"],
        "method": of_scores["method"],
        "targets": reading.pairs("--target", of_scores["target"], "judge=population") or None,
        "prices": prices.prices_of(price, of_scores["judge_price"], {}),
    }
    return compared(read, a, b, **asked, **either_reading.given(options)), read


def show(out: Console, found: AnyVerdict) -> None:
    """Print the verdict: the sentence, the numbers, and what to know before relying on it."""
    from quorate.reporting.pages.verdict import compared, next_step

    say(out, found.sentence, style="bold")
    heading(out, "The numbers")
    numbers = compared(found)
    rows = [(row["what"], _text(row["value"])) for row in numbers.rows]
    table(out, {" ": "left", "  ": "right"}, rows)
    for note in numbers.caption.lines:
        say(out, note)
    step = next_step(found)
    if step is not None:
        heading(out, "What would decide it")
        names = list(step.rows[0])
        heads = (
            {"": "left", " ": "right"} if "what" in names else {step.headers.get(name, name): "left" for name in names}
        )
        table(out, heads, [[_text(row[name]) for name in names] for row in step.rows])
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(one.sentence) for one in found.caveats))


def _show_order(out: Console, compared: Votes | Judgments, a: str, b: str) -> None:
    """Print where the one of the two that was shown first wins beyond chance."""
    from quorate.analysis.votes import order_noticed
    from quorate.table.votes import Votes

    noticed = order_noticed(compared.pair(a, b)) if isinstance(compared, Votes) else ""
    if noticed:
        say(out, f"{noticed}: quorate rank --position says how much of that is the order's doing.")


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
