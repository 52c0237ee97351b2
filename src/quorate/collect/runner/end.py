"""Why a runner ends when it has nothing to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quorate.collect.budget import Budget
from quorate.collect.judge import Judge
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Lane
from quorate.collect.runner.limits import Limits
from quorate.collect.runner.outcome import Ended


def why_end(
    ledger: Ledger,
    lanes: Sequence[Lane],
    judges: Mapping[str, Judge],
    budget: Budget,
    limits: Limits,
    now: float,
    more: Callable[[Mapping[str, int]], None],
) -> Ended | None:
    """Why to end, if nothing is under way here and nothing will be; None to go on.

    Parameters
    ----------
    ledger : Ledger
        As it is at one moment: see `Ledger.seen`.
    lanes : sequence of Lane
        Of the judges that are asked.
    judges : mapping of str to Judge
        All that may be.
    budget : Budget
    limits : Limits
    now : float
        Seconds since 1970.
    more : callable
        Told the cells by judge where another runner has planned some that can be asked here.
    """
    alive = [lane for lane in lanes if not lane.dead]
    due = {lane: when for lane in alive if (when := ledger.due(lane.judge)) is not None}
    elsewhere = any(ledger.under_way(lane.judge) for lane in alive)
    if not due and not elsewhere:
        left, dead = ledger.unfinished(), {lane.judge for lane in lanes if lane.dead}
        if not left.keys() & judges.keys() - dead:
            return Ended.JUDGES if left else Ended.COMPLETE
        more(left)
    if elsewhere or not due:
        return None
    if not any(ledger.affords(lane.judge, budget) for lane in due):
        return Ended.BUDGET
    soonest = min(max(when, lane.resting) for lane, when in due.items())
    return Ended.WAITING if soonest - now > limits.patience else None
