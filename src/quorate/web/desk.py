"""Desk: the one thread of a server that uses its ledger, so that requests do not wait for each other's locks.

What has come in by the time that it is free is done in one transaction, so that fifty people wait for the disk once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from quorate.collect.ledger.ledger import Ledger
from quorate.study.people import People
from quorate.study.questions import Questions

T = TypeVar("T")
Step = Callable[[People], Any]
_MOST = 64
"""Steps of one transaction."""


class Desk:
    """A thread with a ledger.

    Parameters
    ----------
    asked : Questions
        Of a study whose cells are planned.
    """

    def __init__(self, asked: Questions) -> None:
        self._queue: SimpleQueue[tuple[Step, Future[Any]] | None] = SimpleQueue()
        opened: Future[None] = Future()
        self._thread = Thread(target=self._work, args=(asked, opened), name="quorate-desk", daemon=True)
        self._thread.start()
        opened.result()

    async def do(self, step: Callable[[People], T]) -> T:
        """What a step gives; it may be carried out twice if the first time was undone, and is durable then."""
        return await asyncio.wrap_future(self._given(step))

    def done(self, step: Callable[[People], T]) -> T:
        """The same where no loop runs."""
        return self._given(step).result()

    def _given(self, step: Callable[[People], T]) -> Future[T]:
        future: Future[T] = Future()
        self._queue.put((step, future))
        return future

    def close(self) -> None:
        """Do what has come in, and let go of the ledger."""
        self._queue.put(None)
        self._thread.join()

    def _work(self, asked: Questions, opened: Future[None]) -> None:
        try:
            ledger = Ledger.open(asked.study.database)
        except BaseException as error:  # noqa: BLE001  (raised by whoever makes the desk)
            opened.set_exception(error)
            return
        with ledger:
            people = People(ledger, asked)
            opened.set_result(None)
            while (first := self._queue.get()) is not None:
                ended = self._together(people, [first, *(batch := self._waiting())])
                if ended or None in batch:
                    return

    def _waiting(self) -> list[Any]:
        found: list[Any] = []
        while len(found) < _MOST - 1:
            try:
                found.append(self._queue.get_nowait())
            except Empty:
                break
        return found

    def _together(self, people: People, batch: list[Any]) -> bool:
        """Carry steps out in one transaction, or one by one where one of them fails; whether the end is among them."""
        steps = [given for given in batch if given is not None]
        try:
            results = people.ledger.whole(lambda: [step(people) for step, _ in steps])
        except Exception:  # noqa: BLE001  (said to the one whose step it is)
            for step, future in steps:
                _alone(people, step, future)
        else:
            for (_, future), result in zip(steps, results, strict=True):
                future.set_result(result)
        return len(steps) < len(batch)


def _alone(people: People, step: Step, future: Future[Any]) -> None:
    try:
        future.set_result(people.ledger.insist(lambda: step(people)))
    except Exception as error:  # noqa: BLE001  (raised where the step came from)
        future.set_exception(error)
