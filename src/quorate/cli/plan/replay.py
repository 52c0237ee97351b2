"""`quorate votes replay`: what smaller studies of votes would have found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from quorate.cli.options import For, Group, Level, Output, VoteReading, VotesFile, command, grid
from quorate.cli.options.groups import ALL, TWO
from quorate.cli.options.systems import Pair, check_facet, clustered_by
from quorate.cli.spelling import in_options


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
        out.show(two, source=votes)
        return 0
    every = replay_pairs(votes, sizes, level=studies.level, **studies.given(ALL) | clustered_by(votes, studies.cluster))
    beside(every.notes, out)
    out.show(every, source=votes, plain=every.rows())
    return 0


def beside(notes: Sequence[str], out: Output) -> None:
    """Print notes beside JSON, which has no place for them."""
    for note in notes if out.as_json else ():
        typer.echo(f"quorate: {in_options(note)}", err=True)
