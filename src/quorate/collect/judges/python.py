"""Functions as judges: rules, classifiers, models with an interface of their own."""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, UNPARSED, Expects, Reply, Request
from quorate.collect.parse.parse import judged
from quorate.errors import InvalidInput
from quorate.table.judgments import OK

_THREADS = 8


class PythonJudge:
    """A function as a judge.

    It takes the `Request` and returns a score, the words of a judge (which are parsed), a whole `Reply`, or None for no
    answer. A score is a number on the prompt's scale; one between two whole numbers, such as 7.5, is taken as it is. A
    plain function runs in a thread, so it must be safe to call from several; a coroutine function runs on the event
    loop. An exception becomes a reply of status ``error``.

    Parameters
    ----------
    name : str
        The judge's name.
    function : callable
        Takes a `Request`.
    price : Price
        What calls cost; give ``Price(call=0)`` for nothing.
    timeout : float
        Seconds for one call. A plain function that takes longer cannot be stopped, but is no longer waited for.
    threads : int
        How many plain calls run at a time.

    Raises
    ------
    InvalidInput
        If ``function`` cannot be called, or ``timeout`` is not positive.

    Examples
    --------
    >>> judge = PythonJudge("length", lambda request: min(len(request.messages[0].content) // 100 + 1, 10))
    """

    def __init__(
        self,
        name: str,
        function: Callable[[Request], Any] | Callable[[Request], Awaitable[Any]],
        *,
        price: Price | None = None,
        timeout: float = 120.0,
        threads: int = _THREADS,
    ) -> None:
        if not callable(function):
            raise InvalidInput(f'judge "{name}": function: must be callable, got {type(function).__name__}')
        if not 0 < timeout < math.inf:
            raise InvalidInput(f'judge "{name}": timeout: must be a number of seconds > 0, got {timeout}')
        self._name, self._function, self._timeout = name, function, timeout
        self._price = price or Price()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"judge-{name}")

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._name

    async def ask(self, request: Request) -> Reply:
        """Call the function and take what it returns."""
        start = time.perf_counter()
        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                reply = returned(await self._result(request), request.expects)
        except Exception as error:  # noqa: BLE001 -- the function is somebody else's, and a judge never raises
            late = limit.expired()
            reason = f"no answer in {self._timeout:g} s" if late else f"{type(error).__name__}: {error}"
            reply = Reply(ERROR, error=reason, retryable=late)
        cost = self._price.cost(reply.tokens_in, reply.tokens_out) if reply.cost is None else reply.cost
        return replace(reply, cost=cost, latency=time.perf_counter() - start)

    async def close(self) -> None:
        """Let go of the threads; calls that run are not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _result(self, request: Request) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(request)

        def guarded() -> Any:
            try:
                return self._function(request)
            except StopIteration as error:  # a future cannot carry it, so that nobody would ever hear
                raise RuntimeError("StopIteration") from error

        result = await asyncio.get_running_loop().run_in_executor(self._pool, guarded)
        return await result if inspect.isawaitable(result) else result


def returned(value: Any, expects: Expects) -> Reply:
    """The reply that a returned value amounts to."""
    if isinstance(value, Reply):
        return value
    if value is None:
        return Reply(UNPARSED, error=f"no answer: {_wanted(expects)}, got None")
    if isinstance(value, str):
        status, score, error = judged(value, expects)
        return Reply(status, score, value, error=error)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return Reply(ERROR, error=f"{_wanted(expects)}, got {type(value).__name__}")
    number = float(value)
    if not expects.low <= number <= expects.high:
        return Reply(UNPARSED, text=repr(number), error=f"{_wanted(expects)}, got {number:g}")
    return Reply(OK, expects.recoded(number), repr(number))


def _wanted(expects: Expects) -> str:
    return f"the function must return a number from {expects.low:g} to {expects.high:g}, a text or a Reply"
