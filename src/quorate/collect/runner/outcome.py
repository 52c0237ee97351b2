"""Outcome of a run: how far it is while it goes on, why it ends, and what it has done then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Judge
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Lane
from quorate.collect.runner.limits import Limits
from quorate.wording import counted


class Ended(Enum):
    """Why a run ended; the values are the words that the user reads."""

    COMPLETE = "every cell is answered or given up"
    BUDGET = "the budget has no room for another call"
    STOPPED = "stopped on request"
    PEOPLE = "every cell of a program is answered or given up"
    JUDGES = "a judge does not answer"
    WAITING = "a judge asked for a long wait"
    REACHED = "the goal is reached"
    OPEN = "the goal is not reached, and nothing more is asked for it"


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
        Judges that have not answered yet, or are left alone after too many failures in a row, and what was the matter
        with the last one.
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
class RunOutcome:
    """How a run ended. What it collected is in the ledger.

    Parameters
    ----------
    ended : Ended
        Why.
    finished, given_up : int
        Cells finished by this run, and those of them that were given up.
    left : int
        Cells of the ledger that are not finished, but for those of people.
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
    people : int
        Cells that wait for people, who answer on the pages of ``quorate serve``.
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
    people: int = 0

    @property
    def complete(self) -> bool:
        """Whether every cell is answered or given up, or the goal is reached without those that are left."""
        return self.ended in (Ended.COMPLETE, Ended.REACHED)

    @property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        failed = f", {self.given_up:,} of them without a score" if self.given_up else ""
        fix = "mend the judge or its key, then run" if self.dead and self.ended is Ended.JUDGES else "run"
        over = {Ended.REACHED: ", which it does not need", Ended.OPEN: ""}
        then = over.get(self.ended, f": {fix} it again to go on")
        rest = f"; {counted(self.left, 'cell')} {'is' if self.left == 1 else 'are'} left{then}" if self.left else ""
        held = "".join(f"; {n:,} of them wait in batches of {name}, which go on" for name, n in self.held.items())
        rest += f"; {self.people:,} wait for people, who are asked by quorate serve" if self.people else ""
        why = [f"{name} does not answer ({why})" for name, why in self.dead.items()]
        ended = "; ".join(why if why and self.ended is Ended.JUDGES else [self.ended.value, *why])
        return f"{self.finished:,} cells finished{failed}: {ended}{rest}{held}"

    def then(self, later: RunOutcome) -> RunOutcome:
        """Both runs as one."""
        judges = self.calls.keys() | later.calls.keys()
        return replace(
            later,
            finished=self.finished + later.finished,
            given_up=self.given_up + later.given_up,
            calls={name: self.calls.get(name, 0) + later.calls.get(name, 0) for name in sorted(judges)},
            late=self.late + later.late,
            seconds=self.seconds + later.seconds,
        )


def why_end(
    ledger: Ledger,
    lanes: Sequence[Lane],
    judges: Mapping[str, Judge],
    budget: Budget,
    limits: Limits,
    now: float,
    more: Callable[[Mapping[str, int]], None],
    people: Collection[str] = (),
) -> Ended | None:
    """Why to end, if nothing is under way here and nothing will be; None to go on."""
    alive = [lane for lane in lanes if not lane.dead]
    due = {lane: when for lane in alive if (when := ledger.due(lane.judge)) is not None}
    elsewhere = any(ledger.under_way(lane.judge) for lane in alive)
    if not due and not elsewhere:
        left, dead = ledger.unfinished(), {lane.judge for lane in lanes if lane.dead}
        if not left.keys() & judges.keys() - dead:
            if left.keys() <= set(people):
                return Ended.PEOPLE if left else Ended.COMPLETE
            return Ended.JUDGES
        more(left)
    if elsewhere or not due:
        return None
    if not any(ledger.affords(lane.judge, budget) for lane in due):
        return Ended.BUDGET
    soonest = min(max(when, lane.resting) for lane, when in due.items())
    return Ended.WAITING if soonest - now > limits.patience else None
