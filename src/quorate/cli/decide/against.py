"""`quorate judges --human`: judges against labels of people, and how many independent judges a panel is worth."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import File, Files, For, Labelled, Level, Output, Reading, SeedOrNone, command
from quorate.cli.options.groups import spelled
from quorate.cli.options.values import numbers

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.reading.reading import Unsure
    from quorate.table.votes import Votes

NO_VOTES = "for votes, and this file has scores; leave it out"


@dataclass(frozen=True, kw_only=True)
class Labels(Labelled):
    """What people said, and what is wanted of it."""

    key: Annotated[
        str,
        For("votes"),
        typer.Option(metavar="ROLE", help="Votes: what the two systems answered; battles of one are drawn together."),
    ] = "prompt"
    bar: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="What a judge is to reach: a share of right verdicts, or rates, such as "
            "sensitivity=.9,specificity=.8,kappa=.6. Exit code 2 if one is not shown to.",
        ),
    ] = None
    splits: Annotated[
        int, typer.Option(metavar="N", help="Random halves of the labels, to choose and to test the best on.")
    ] = 200
    resamples: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples of items.")] = 1000
    level: Level = 0.95
    seed: SeedOrNone = None


@command
def against(file: File, labels: Labels, reading: Reading, files: Files, out: Output) -> int:
    """How often judges say what people say, and how many judges they are worth.

    What each judge passes and fails against a label for each item, or people's votes on each battle; where it is
    lenient, whether it is fit by a --bar and may stand in for people; what averaging gains, which judge to drop, and
    how often verdicts flip when the prompt is reworded.
    """
    from quorate.estimate.agreement.against import against as found_by
    from quorate.table.reading.reading import Unsure
    from quorate.table.votes import Votes

    try:
        judgments = judged(file, reading)
    except Unsure as error:
        judgments, labels = beside_people(error, file, reading, labels)
    if not isinstance(judgments, Votes):
        labels.refuse("votes", NO_VOTES)
    human = labels.said(file, reading, judgments, **({"facet": reading.facet} if isinstance(judgments, Votes) else {}))
    bar = numbers("--bar", labels.bar, "sensitivity=.9")
    found = found_by(
        judgments,
        human,
        key=labels.key,
        bar={"right": bar} if isinstance(bar, float) else bar,
        splits=labels.splits,
        resamples=labels.resamples,
        level=labels.level,
        rng=labels.seed,
    )
    out.show(found, files, judgments, seed=labels.seed)
    return found.exit_code


def beside_people(error: Unsure, file: Path, reading: Reading, labels: Labels) -> tuple[Judgments | Votes, Labels]:
    """A table whose only question is whether somebody is a person, read as the options say that they are.

    Raises
    ------
    Unsure
        If the people who are named are no answer to it.
    """
    people = labels.human or [name for name in (labels.human_label,) if name is not None]
    for way in error.ways:
        if people and sorted(shlex.split(way.more)) == sorted(word for name in people for word in ("--human", name)):
            return reading.as_scores(file, way.options), replace(labels, human=people, human_label=None)
    raise error


def judged(file: Path, reading: Reading) -> Judgments | Votes:
    """What judges said: votes, of which a facet may be the wording of the question, or scores or labels."""
    scores = [name for name in reading.given("scores") if name != "facet"]
    if reading.roles is not None:
        return reading.table(file)
    if scores or not (reading.given("votes") or reading.has_votes(file)):
        reading.refuse(
            "votes", f"for votes, and {spelled(type(reading), scores[0])} is for scores" if scores else NO_VOTES
        )
        return reading.judgments(file)
    return reading.votes(file, facet=reading.facet)
