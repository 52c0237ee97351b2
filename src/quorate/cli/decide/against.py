"""`quorate judges --human`: judges against labels of people, and how many independent judges a panel is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from quorate.cli.options import Declared, File, Files, Labelled, Output, Reading, command, of
from quorate.cli.options.groups import spelled

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

NO_VOTES = "for votes, and this file has scores; leave it out"


OWN = of("quorate.estimate.agreement.against:against")


@command
def against(
    file: File, labels: Labelled, own: Annotated[Declared, OWN], reading: Reading, files: Files, out: Output
) -> int:
    """How often judges say what people say, and how many judges they are worth.

    What each judge passes and fails against a label for each item, or people's votes on each battle; where it is
    lenient, whether it is fit by a --bar and may stand in for people; what averaging gains, which judge to drop, and
    how often verdicts flip when the prompt is reworded.
    """
    from quorate.table.votes import Votes

    def read() -> Judgments | Votes:
        found = judged(file, reading)
        if not isinstance(found, Votes):
            own.refuse("votes", NO_VOTES)
        return found

    judgments, human = labels.beside(file, reading, read, key=own.value("key"), facet=reading.facet)
    found = own(judgments, human)
    out.show(found, files, judgments, seed=own.value("rng"))
    return int(found.exit_code)


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
