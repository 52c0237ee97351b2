"""`quorate compare --watch`: whether votes that are still coming in already decide."""

from __future__ import annotations

from typing import Annotated

from quorate.cli.options import Declared, Files, Output, VoteReading, VotesFile, command, of
from quorate.cli.options.systems import Pair
from quorate.errors import InvalidInput

OWN = of("quorate.decide.stop:monitor", "a", "b")


@command
def monitor(
    file: VotesFile, pair: Pair, own: Annotated[Declared, OWN], reading: VoteReading, files: Files, out: Output
) -> int:
    """Whether votes still coming in already decide.

    Look as often as you like. Of --a and --b, in the order of time, or of the rows; of all systems quorate rank --watch
    says so. Ends with exit code 0 if --a is better, or equal within --margin; 2 if it is worse, or votes are still
    needed.
    """
    votes = reading.votes(file)
    pair = pair.completed(votes)
    if pair.systems is None:
        raise InvalidInput("--a, --b: name the two systems; which order of all is sure is said by quorate rank --watch")
    votes = pair.of(votes)
    found = own(votes, *pair.systems)
    out.show(found, files, votes)
    return int(found.exit_code)
