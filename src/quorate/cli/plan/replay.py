"""`quorate votes replay`: what smaller studies of votes would have found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import console, print_json, say, table
from quorate.cli.options import For, Group, Level, Output, VoteReading, VotesFile, command, grid
from quorate.cli.options.asked import Pair, check_facet, clustered_by
from quorate.cli.options.groups import ALL, TWO
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.replay import PairReplay, VerdictReplay
    from quorate.simulate.verdicts import VerdictRates


@dataclass(frozen=True, kw_only=True)
class Studies(Group):
    """The smaller studies."""

    budgets: Annotated[str, typer.Option(metavar="NUMBERS", help="Votes of a study, such as 50,200,500.")] = (
        "50,200,500"
    )
    by: Annotated[
        str | None,
        For(TWO),
        typer.Option(metavar="ROLE", help="With --a: types of prompts. Default: prompt_type."),
    ] = None
    c: Annotated[
        float | None,
        For(TWO),
        typer.Option(
            "--c",
            metavar="C",
            help="With --a: C log m votes of each of m types are the first stage. Default: 10, the least of the paper.",
        ),
    ] = None
    retained: Annotated[
        float | None,
        For(TWO),
        typer.Option(metavar="Q", help="With --a: part of the types that is kept. Default: .2; .1 to .3 in the paper."),
    ] = None
    per_type: Annotated[
        int | None,
        For(TWO),
        typer.Option(metavar="B", min=1, help="With --a: votes of each type in the first stage, instead of by --c."),
    ] = None
    margin: Annotated[
        float | None,
        For(ALL),
        typer.Option(metavar="D", help="Margin of equivalence, for all pairs. Default: .05."),
    ] = None
    level: Level = 0.95
    cluster: Annotated[
        str | None,
        For(ALL),
        typer.Option(
            metavar="ROLE",
            help="Facet whose votes are drawn together, for all pairs, or none. Default: prompt, if there is one.",
        ),
    ] = None
    minimum: Annotated[
        int | None,
        For(ALL),
        typer.Option(metavar="N", min=2, help="Decisive votes that a pair must have, among all pairs. Default: 200."),
    ] = None


@command
def replay(file: VotesFile, pair: Pair, studies: Studies, reading: VoteReading, out: Output) -> int:
    """What smaller studies of these votes would have found.

    Without --a and --b: how often verdicts of smaller studies are wrong, over all pairs. With them: votes over types of
    prompts in proportion, against screening the types first.
    """
    from quorate.analysis.replay import replay_pair, replay_pairs

    pair.check(studies)
    sizes = grid("--budgets", studies.budgets)
    votes = pair.of(reading.votes(file))
    if pair.systems is not None:
        by = studies.by or "prompt_type"
        check_facet(votes, "--by", by)
        screening = {name: value for name, value in studies.given(TWO).items() if name != "by"}
        two = replay_pair(votes, *pair.systems, sizes, by=by, level=studies.level, **screening)
        beside(two.notes, out)
        out.typeset(two, show_pair)
        return 0
    every = replay_pairs(votes, sizes, level=studies.level, **studies.given(ALL) | clustered_by(votes, studies.cluster))
    beside(every.notes, out)
    if out.as_json:
        print_json(every.rows())
    else:
        show_pairs(console(), every)
    return 0


def beside(notes: Sequence[str], out: Output) -> None:
    """Print notes beside JSON, which has no place for them."""
    for note in notes if out.as_json else ():
        typer.echo(f"quorate: {in_options(note)}", err=True)


def show_pairs(out: Console, found: VerdictReplay) -> None:
    """Print how often verdicts of smaller studies are wrong."""
    from quorate.wording import percent

    say(out, f"Verdicts of smaller studies, against all votes; equal means within {found.margin:g}.", style="bold")
    rows = [
        (
            f"{one.n:,}",
            one.method,
            *map(percent, (one.different, one.equivalent, one.undecided)),
            f"{one.wrong:.2%}",
            percent(one.false_alarm),
        )
        for one in found.rates
    ]
    heads = {"votes": "right", "taken as": "left"}
    table(out, heads | dict.fromkeys(("different", "equal", "undecided", "wrong", "size"), "right"), rows)
    for note in found.notes:
        say(out, in_options(note))
    say(out, f"Each row: {drawn(found.rates)}.")
    say(out, "Wrong: a difference the other way, or equal where all votes say not.")
    say(out, f"Size: differences found where there is none; it should be {100 * (1 - found.level):.4g}% or less.")


def drawn(rates: Sequence[VerdictRates]) -> str:
    """How many studies each row is over, and of how many pairs."""
    from quorate.wording import counted, listed

    sizes: dict[tuple[int, int], dict[int, None]] = {}
    for one in rates:
        sizes.setdefault((one.studies, one.pairs), {})[one.n] = None
    parts = []
    for (studies, pairs), at in sizes.items():
        where = f" with {listed(f'{n:,}' for n in at)} votes" if len(sizes) > 1 else ""
        parts.append(f"{counted(studies, 'study')} of {counted(pairs, 'pair')}{where}")
    return "; ".join(parts)


def show_pair(out: Console, found: PairReplay) -> None:
    """Print how often ways to spend votes over types of prompts find a difference."""
    from quorate.analysis.words import share
    from quorate.wording import listed

    study = found.study
    say(out, "How often each way to spend the votes finds the difference", style="bold")
    budgets = [f"{n:,}" for n in study.budgets.tolist()]
    rows = [
        ("" if place else n, test, share(power[at]))
        for at, n in enumerate(budgets)
        for place, (test, power) in enumerate(study.power.items())
    ]
    table(out, {"votes": "right", "spent and tested": "left", "found": "right"}, rows)
    for note in found.notes:
        say(out, in_options(note))
    kept = listed(f"{share(part)} with {n} votes" for n, part in zip(budgets, study.captured.tolist(), strict=True))
    say(out, f"Signal in the types that screening keeps: {kept}; by chance {share(study.expected_captured)}.")
