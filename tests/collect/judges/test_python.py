"""Functions as judges: what they return, and what they may do wrong."""

from __future__ import annotations

import asyncio
import time
from functools import partial

import numpy as np
import pytest

from quorate.collect.budget import Price
from quorate.collect.judge import Expects, Message, Reply, Request
from quorate.collect.judges.local import PythonJudge
from quorate.errors import InvalidInput


def asked(function, expects=None, **options):
    request = Request("k", (Message("user", "Rate it."),), {}, expects or Expects(1, 10), "a")

    async def run():
        judge = PythonJudge("a", function, **options)
        try:
            return await judge.ask(request)
        finally:
            await judge.close()

    return asyncio.run(run())


async def later(_):
    await asyncio.sleep(0)
    return 7


@pytest.mark.parametrize(
    ("function", "status", "score"),
    [
        (lambda request: len(request.messages[0].content), "ok", 8),
        (lambda _: np.float64(7), "ok", 7),
        (lambda _: 7.5, "ok", 7.5),
        (later, "ok", 7),
        (partial(later), "ok", 7),
        (lambda _: "Score: 7", "ok", 7),
        (lambda _: "No idea.", "unparsed", None),
        (lambda _: "I cannot rate this.", "refused", None),
        (lambda _: None, "unparsed", None),
        (lambda _: 11, "unparsed", None),
        (lambda _: float("nan"), "unparsed", None),
        (lambda _: True, "error", None),
        (lambda _: [7], "error", None),
        (lambda _: Reply("refused", error="no"), "refused", None),
        (lambda _: 1 / 0, "error", None),
        (lambda _: next(iter(())), "error", None),
    ],
)
def test_what_a_function_returns(function, status, score):
    reply = asked(function)
    assert (reply.status, reply.score) == (status, score)
    assert (reply.error is None) == (status == "ok")


def test_the_scale_is_turned_round():
    swapped = Expects(1, 10, swapped=True)
    assert asked(lambda _: 2, swapped).score == asked(lambda _: "2", swapped).score == 9


@pytest.mark.parametrize("function", [lambda _: time.sleep(0.5), lambda _: asyncio.sleep(60)])
def test_a_function_that_takes_too_long_is_not_waited_for(function):
    start = time.perf_counter()
    reply = asked(function, timeout=0.05)
    assert (reply.status, reply.retryable) == ("error", True)
    assert time.perf_counter() - start < 3


def test_calls_cost_what_is_said():
    assert asked(lambda _: 7).cost is None
    assert asked(lambda _: 7, price=Price(call=0.5)).cost == 0.5
    assert asked(lambda _: Reply("ok", 7.0, cost=0.1), price=Price(call=0.5)).cost == 0.1
    assert (
        asked(lambda _: Reply("ok", 7.0, tokens_in=1_000_000, tokens_out=0), price=Price(input=1, output=1)).cost == 1
    )


def test_plain_functions_run_at_the_same_time():
    request = Request("k", (), {}, Expects(1, 10), "a")

    async def run():
        judge = PythonJudge("a", lambda _: time.sleep(0.1) or 7, threads=8)
        start = time.perf_counter()
        replies = await asyncio.gather(*(judge.ask(request) for _ in range(8)))
        await judge.close()
        return replies, time.perf_counter() - start

    replies, seconds = asyncio.run(run())
    assert [reply.score for reply in replies] == [7] * 8
    assert seconds < 0.6


def test_what_is_no_function_is_refused():
    with pytest.raises(InvalidInput, match="must be callable, got int"):
        PythonJudge("a", 7)
    with pytest.raises(InvalidInput, match="timeout"):
        PythonJudge("a", later, timeout=0)
