"""What a run says: while it goes on, and when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from quorate.collect.budget import Spend


class Ended(Enum):
    """Why a run ended; the values are the words that the user reads."""

    COMPLETE = "every cell is answered or given up"
    BUDGET = "the budget has no room for another call"
    STOPPED = "stopped on request"
    JUDGES = "a judge does not answer"
    WAITING = "a judge asked for a long wait"


@dataclass(frozen=True)
class Update:
    """How far a run is.

    Parameters
    ----------
    finished, given_up : int
        Cells finished since the run began, and those of them that were given up.
    left : int
        Cells still to be finished, as far as this runner knows.
    in_flight : int
        Requests in flight.
    rate : float
        Cells finished per second, over the last seconds.
    eta : float, optional
        Seconds until nothing is left, at this rate; None where there is none.
    spend : Spend
        Of the whole ledger.
    stopping : bool
        Whether the run was told to stop, and waits for what is in flight.
    silent : mapping of str to str
        Judges that are left alone after too many failures in a row, and what was the matter with the last one.
    held : int
        Questions that wait in batches, besides the requests in flight.
    """

    finished: int
    given_up: int
    left: int
    in_flight: int
    rate: float
    eta: float | None
    spend: Spend
    stopping: bool = False
    silent: Mapping[str, str] = field(default_factory=dict)
    held: int = 0


@dataclass(frozen=True)
class Outcome:
    """How a run ended. What it collected is in the ledger.

    Parameters
    ----------
    ended : Ended
        Why.
    finished, given_up : int
        Cells finished by this run, and those of them that were given up.
    left : int
        Cells of the ledger that are not finished.
    calls : mapping of str to int
        Requests of this run, by judge.
    dead : mapping of str to str
        Judges that do not answer, and what was the matter. Their cells wait for the next run.
    late : int
        Answers that came after their lease had run out, and count as lost.
    seconds : float
        How long it took.
    spend : Spend
        Of the whole ledger.
    held : mapping of str to int
        Cells of the ledger whose questions go on at a judge, as in a batch, by judge; a later run collects the answers.
    """

    ended: Ended
    finished: int
    given_up: int
    left: int
    calls: Mapping[str, int]
    dead: Mapping[str, str] = field(default_factory=dict)
    late: int = 0
    seconds: float = 0.0
    spend: Spend = field(default_factory=Spend)
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every cell is answered or given up."""
        return self.ended is Ended.COMPLETE

    @property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        failed = f", {self.given_up:,} of them without a score" if self.given_up else ""
        fix = "mend the judge or its key, then run" if self.dead and self.ended is Ended.JUDGES else "run"
        rest = f"; {self.left:,} cells are left: {fix} it again to go on" if self.left else ""
        held = "".join(f"; {n:,} of them wait in batches of {name}, which go on" for name, n in self.held.items())
        why = [f"{name} does not answer ({why})" for name, why in self.dead.items()]
        ended = "; ".join(why if why and self.ended is Ended.JUDGES else [self.ended.value, *why])
        return f"{self.finished:,} cells finished{failed}: {ended}{rest}{held}"
