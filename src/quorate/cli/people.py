"""Judges beside people: `judges --human` and `--agree`, `compare --human`, `rank --human` and `regress`."""

from __future__ import annotations

from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import options
from quorate.cli.options import command, names, of, only, operand, option
from quorate.cli.options.groups import spelled
from quorate.cli.options.reading import Rows, with_column
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes


@command
def against(
    file: options.File,
    labels: options.People,
    own: Annotated[options.Declared, of("quorate.estimate.agreement.against:against")],
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """How often judges say what people say, and how many judges they are worth.

    What each judge passes and fails against a label for each item, or people's votes on each battle; where it is
    lenient, whether it is fit by a --bar and may stand in for people; what averaging gains, which judge to drop, and
    how often verdicts flip when the prompt is reworded.
    """
    from quorate.estimate.agreement.against import Against
    from quorate.table.votes import Votes

    def read() -> Judgments | Votes:
        found = judged(file, reading)
        if not isinstance(found, Votes):
            own.refuse_other("scores")
        return found

    judgments, human = labels.beside(file, reading, read, key=own.value("key"), facet=reading.facet)
    found = own(judgments, human)
    length, code = (found.length, found.exit_code) if isinstance(found, Against) else ("", 0)
    notes = with_column(judgments.notes, "length", length or None)
    out.show(found, files, judgments, seed=own.value("rng"), notes=notes)
    return code


def judged(file: Path, reading: options.Reading) -> Judgments | Votes:
    """What judges said: votes, of which a facet may be the wording of the question, or scores or labels."""
    scores = [name for name in reading.given("scores") if name != "facet"]
    if reading.roles is not None:
        return reading.table(file)
    if scores or not (reading.given("votes") or reading.has_votes(file)):
        if scores:
            reading.refuse("votes", f"for votes, and {spelled(type(reading), scores[0])} is for scores")
        reading.refuse_other("scores")
        return reading.judgments(file)
    return reading.votes(file, facet=reading.facet)


@command
def agree(
    file: options.File,
    people: options.People,
    own: Annotated[options.Declared, of("quorate.estimate.agreement.agreement:agreement")],
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, or their scores of its two responses, and compared with what people
    said of it: with ties, and among battles that neither calls a tie. For leaderboards by judges see quorate rank
    --pipelines.
    """
    from quorate.estimate.agreement.agreement import agreement
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, own.value("key"), needed=True)
    if not isinstance(judged, Votes):
        own.refuse_other("scores")
    given = own.arguments(judged if isinstance(theirs, list) else theirs)
    found = agreement(judged, theirs or [], **given)
    notes = with_column(judged.notes, "people", None if people.people else people.human_label)
    out.show(found, files, judged, seed=own.value("rng"), notes=notes)
    return 0


@command
def corrected(
    file: options.File,
    a: str | None = operand("A", "Votes: the system whose win rate is wanted. Scores: whose mean is, less B's."),
    b: str | None = operand("B", "Against it. Default, of votes: all others."),
    *,
    labels: options.People,
    own: Annotated[options.Declared, of("quorate.estimate.agreement.prediction_powered:corrected", "a", "b")],
    reading: options.Reading,
    files: options.Files,
    out: options.Output,
) -> int:
    """What people would find, from judges on everything and people on a part.

    The mean score, the difference of A and B, or the win rate of A, that people would give: their labels correct
    the judges, whose scores make the labels worth more. The part that people labelled must have been chosen at random.
    """
    judged, human = labels.beside(file, reading, lambda: reading.table(file, own), key=own.value("key"))
    out.show(own(judged, human, a=a, b=b), files, judged)
    return 0


NEEDED = of("quorate.planning.labels_plan:plan_board_labels")


@command
def corrected_ratings(
    file: options.VotesFile,
    labels: options.People,
    own: Annotated[options.Declared, of("quorate.estimate.ratings.corrected_ratings:corrected_ratings")],
    elo: bool = option("", "Points of the Elo scale, 1000 on average.", default=False),
    *,
    needed: Annotated[options.Declared, NEEDED],
    reading: options.VoteReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """The leaderboard that people would give, from judges on all battles, people on few.

    People's votes correct the judges, whose votes make people's worth more, also where judges favour a system. The
    battles that people voted on must have been chosen at random. Says how many more it takes. Ends with exit code 2 if
    no system is surely better than another.
    """
    column = own.value("sampling_probability")
    chances: dict[str, Any] = {"facets": {column: column}} if column else {}
    votes = reading.votes(file, **(chances if labels.human else {}))
    found = own(votes, labels.said(file, reading, votes, key=own.value("key"), **chances))
    board = found.elo() if elo else found
    out.show(needed(board), files, votes, seed=own.value("seed"))
    return int(board.ratings.exit_code)


RowsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per item that was labelled.")
]


@dataclass(frozen=True, kw_only=True)
class Model(options.Group):
    """What is regressed on what."""

    outcome: str = option("COLUMN", "Labels that the judge gave, of every row.", default=MISSING)
    on: str = option("COLUMNS", "Regressors, with commas; words are compared with the first of them.", default=MISSING)
    labels: str = option("COLUMN", "Labels by people, empty where there is none.", default=MISSING)
    probability: str | None = option(
        "P|COLUMN", "Chance of a row to be labelled by people: a number or a column; by default the share that is."
    )
    cluster: str | None = option("COLUMNS", "What makes rows alike, such as author, with commas.")


@command
def regress(
    file: RowsFile,
    model: Model,
    own: Annotated[options.Declared, of("quorate.estimate.regression.regress:regress")],
    rows: Annotated[Rows, only("where", "file_format")],
    files: options.Files,
    out: options.Output,
) -> int:
    """A regression on labels of a judge, right also where the judge is not.

    Coefficients of what people would label, from a judge's labels of all rows and people's of some, chosen at
    random. Printed beside what the judge's labels alone say.
    """
    from quorate.table.exchange.variables import variables

    regressors, clusters = names(model.on), names(model.cluster)
    chance = None if model.probability is None else _number(model.probability)
    by_row = model.probability if chance is None else None
    if not regressors:
        raise InvalidInput("--on: name a column, or several with commas, got none")
    given = [model.outcome, model.labels, *([] if by_row is None else [by_row])]
    columns = variables(file, list(dict.fromkeys([*given, *regressors, *clusters])), rows=rows.opening())
    found = own(
        columns[model.outcome],
        {name: columns[name] for name in regressors},
        columns[model.labels],
        chance if by_row is None else columns[by_row],
        cluster={name: columns[name] for name in clusters} or None,
    )
    out.show(found, files)
    return 0


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
