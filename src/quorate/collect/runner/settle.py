"""Settling of a cell after a reply: it is done, asked again later, or given up."""

from __future__ import annotations

import math
import zlib

from quorate.collect.judge import ERROR, Reply
from quorate.collect.ledger.lease import DONE, GIVEN_UP, PLANNED, LeasedCell, Settled
from quorate.collect.runner.limits import Limits
from quorate.table.judgments import OK

LONGEST_PAUSE = 7 * 86_400.0
"""Seconds for which an endpoint may ask to be left alone; more is taken as this."""

_DOUBLINGS = 60


def settled(cell: LeasedCell, reply: Reply, request: str, limits: Limits, now: float) -> Settled:
    """A reply, and what becomes of its cell.

    An answer without a score is final where asking again would not help. A fatal one says nothing about the cell, and
    neither does being told to wait, or what was never sent.
    """
    pause = asked_to_wait(reply)
    blamed = not (reply.fatal or reply.unsent) and pause is None
    failed = cell.failed + blamed
    if reply.status == OK:
        state, due = DONE, 0.0
    elif reply.fatal:
        state, due = PLANNED, now
    elif not reply.retryable or failed >= limits.tries:
        state, due = GIVEN_UP, 0.0
    elif pause is not None:
        state, due = PLANNED, now + pause
    else:  # doubled with every failure, and spread by half either way so that cells do not come back all at once
        spread = 0.5 + zlib.crc32(f"{cell.key}/{cell.asked}".encode()) / 2**32
        wait = min(limits.backoff * 2.0 ** min(cell.failed, _DOUBLINGS), limits.longest_backoff) * spread
        state, due = PLANNED, now + wait
    return Settled(cell, reply, state, due, request, now, blamed)


def spared(result: Settled, limits: Limits) -> Settled:
    """The same for a judge that has never answered: its failures say nothing about a cell, which is not given up."""
    return result._replace(state=PLANNED, next_at=result.at + limits.backoff, blamed=False)


def blames(result: Settled) -> bool:
    """Whether a cell is given up for errors, not for an answer that cannot be used."""
    return result.state == GIVEN_UP and result.reply.status == ERROR


def asked_to_wait(reply: Reply) -> float | None:
    """Seconds for which a judge asked to be left alone; None where it did not, or not sensibly."""
    pause = reply.retry_after
    if not reply.retryable or pause is None or math.isnan(pause) or pause < 0:
        return None
    return min(pause, LONGEST_PAUSE)
