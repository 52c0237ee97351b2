"""`quorate compare`: the verdict on two systems or on all pairs, from scores or from votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.options import File, Files, Fit, For, Group, Output, Power, Prices, Reading, Systems, command, only
from quorate.cli.options.groups import ALL, TWO
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Claimed(Group):
    """What is to be shown, and what a new study may cost."""

    margin: Annotated[
        float | None,
        typer.Option(
            metavar="D",
            help="Differences below it count as equal; stated before looking. In score units; of votes, the share less "
            ".5.",
        ),
    ] = None
    claim: Annotated[
        Literal["better", "equivalent", "not worse"] | None,
        For(TWO),
        typer.Option(help="What is to be shown of A, for the exit code. Default: better or equivalent."),
    ] = None
    power: Power = 0.9
    method: Annotated[
        Literal["paired", "joint"] | None,
        For("scores"),
        typer.Option(
            help="Scores: by shared cells, or one model of all scores. Default: paired if nearly all are shared."
        ),
    ] = None
    ties: Annotated[
        Literal["drop", "half", "pessimistic"] | None,
        For("votes"),
        typer.Option(help="Votes: how ties count. Default: drop."),
    ] = None
    minimum: Annotated[
        int | None,
        For("votes"),
        For(ALL),
        typer.Option(metavar="N", min=1, help="All pairs of votes: how many must count for a pair. Default: 1."),
    ] = None
    budget: Annotated[
        float | None,
        For(TWO),
        typer.Option(metavar="N", help="What a new study may cost, at these prices; else how many votes or judgments."),
    ] = None
    price: Annotated[
        float | None, For(TWO), typer.Option(metavar="USD", min=0, help="Price of one call, or of one vote.")
    ] = None

    def arguments(self) -> dict[str, Any]:
        """What votes and scores have in common, as `quorate.compare` takes it."""
        whole = {"budget": int(self.budget)} if self.budget is not None and self.budget.is_integer() else {}
        given = self.given()
        names = ("margin", "claim", "power", "budget", "minimum")
        return {name: given[name] for name in names if name in given} | whole

    def check(self, prices: Prices, *systems: str | None) -> None:
        """Refuse what goes with two systems where all pairs are compared, or the reverse."""
        if None not in systems:
            return self.refuse(ALL, "is for all pairs; leave out A and B")
        self.refuse(TWO, "is for two systems; name them as A and B")
        if prices.judge_price:
            raise InvalidInput("--judge-price: is for two systems; name them as A and B")
        return None


@command
def compare(
    file: File,
    a: Annotated[
        str | None,
        typer.Argument(metavar="A", help="A system; the verdict is about it. Needed where there are more than two."),
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The system it is compared with.")] = None,
    *,
    claimed: Claimed,
    systems: Systems,
    fit: Annotated[Fit, only("random", "covariate", "residual_by")],
    prices: Annotated[Prices, only("judge_price")],
    certifying: Certifying,
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """Is A better than B? The verdict, and what would decide.

    Better, worse, equivalent within --margin, or undecided, from the scores of both or from votes between them. Ends
    with exit code 2 if what is claimed is not shown. Without A and B, all pairs of systems, whose verdicts hold
    together (Holm); exit code 2 if one is undecided. A file of two systems needs no names, and of two files A is the
    first. With --claim it is a gate: the verdict begins with PASS or FAIL.
    """
    from quorate.decide.all_pairs import compare as compared
    from quorate.decide.all_pairs import compare_all, the_two
    from quorate.table.votes import Votes

    if (a is None) != (b is None):
        raise InvalidInput(f'A, B: give both systems, or neither for all pairs, got "{a or b}" alone')
    table = reading.table(file, systems, claimed, prices, fit, certifying)
    if a is None or b is None:
        told = systems.told_apart(table) if isinstance(table, Votes) else table
        a, b = the_two(told, systems.system, claimed.claim) or (a, b)
    claimed.check(prices, a, b)
    if certifying.certify is not None and a is None:
        raise InvalidInput("--certify: is for two systems; name them as A and B")
    options = {"level": systems.level, **claimed.arguments()}
    if isinstance(table, Votes):
        given: dict[str, Any] = {"cluster": systems.clusters(table), "ties": claimed.ties, "price": claimed.price}
        table = systems.told_apart(table)
    else:
        costs = Prices(price=claimed.price, judge_price=prices.judge_price).prices()
        given = {"facet": systems.system, "method": claimed.method, "targets": systems.targets(), "prices": costs}
        given |= fit.chosen()
    options |= {name: value for name, value in given.items() if value is not None}
    if a is None or b is None:
        every = compare_all(table, **{name: value for name, value in options.items() if name != "prices"})
        out.show(every, files, table)
        return every.exit_code
    found = compared(table, a, b, **options)
    certificate = certifying.certificate(found)
    out.show(found, files, table, also=certified(certificate), **as_more(certificate))
    return found.exit_code
