"""Questions that wait for a model in this process, and which of them is next."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from threading import Lock

from quorate.collect.judge import Message, Reply, Request

_Asked = tuple[Request, "Future[Reply]"]


class Queue:
    """Questions by their words: a model that has read a prompt answers the next question about it at once.

    After the words of the last question come those that most questions wait with; of several such, the oldest.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[tuple[Message, ...], deque[_Asked]] = {}
        self._last: tuple[Message, ...] = ()

    def add(self, request: Request, answer: Future[Reply]) -> None:
        """Let a question wait for its answer."""
        with self._lock:
            self._waiting.setdefault(request.messages, deque()).append((request, answer))

    def take(self) -> _Asked:
        """The next question, with where its answer belongs.

        Raises
        ------
        KeyError
            If none waits.
        """
        with self._lock:
            if self._last not in self._waiting:
                self._last = max(self._waiting, key=lambda words: len(self._waiting[words]), default=())
            same = self._waiting[self._last]
            asked = same.popleft()
            if not same:
                del self._waiting[self._last]
            return asked

    def cancel(self) -> None:
        """Tell whoever waits that no answer will come."""
        with self._lock:
            for _, answer in (asked for same in self._waiting.values() for asked in same):
                answer.cancel()
            self._waiting.clear()
