"""Whatever an endpoint does becomes the right reply, in time, and without the key."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections import Counter

import hostile
import pytest

from quorate.collect.budget import Price
from quorate.collect.judge import MOST_TEXT, Expects, Message, Request
from quorate.collect.judges.connection import (
    MOST_WAIT,
    Answer,
    Secret,
    Unusable,
    inner_status,
    retry_after,
    turned_away,
)
from quorate.collect.judges.endpoint import Endpoint
from quorate.collect.judges.remote import EndpointJudge, body, cleaned, reply_to
from quorate.errors import InvalidInput

CANARY = "sk-canary/+4711=do-not-print"
PRICE = Price(input=1.0, output=2.0)
COST = (hostile.TOKENS_IN * 1.0 + hostile.TOKENS_OUT * 2.0) / 1e6

# status, retryable, fatal, retry_after, cost; ... where it is not compared
TOLD = {
    "ok": ("ok", False, False, None, COST),
    "429": ("error", True, False, None, 0.0),
    "429-seconds": ("error", True, False, 3.0, 0.0),
    "429-milliseconds": ("error", True, False, 0.25, 0.0),
    "429-date": ("error", True, False, ..., 0.0),
    "429-past": ("error", True, False, 0.0, 0.0),
    "429-absurd": ("error", True, False, 3600.0, 0.0),
    "429-year": ("error", True, False, 3600.0, 0.0),
    "429-negative": ("error", True, False, None, 0.0),
    "429-words": ("error", True, False, None, 0.0),
    "429-quota": ("error", False, True, None, 0.0),
    "500": ("error", True, False, None, None),
    "502": ("error", True, False, None, None),
    "503": ("error", True, False, 2.0, None),
    "408": ("error", True, False, None, None),
    "400": ("error", False, False, None, 0.0),
    "400-filter": ("refused", False, False, None, 0.0),
    "400-key": ("error", False, True, None, 0.0),
    "401": ("error", False, True, None, 0.0),
    "402": ("error", False, True, None, 0.0),
    "403": ("error", False, True, None, 0.0),
    "403-moderation": ("refused", False, False, None, 0.0),
    "404": ("error", False, True, None, 0.0),
    "error-in-200": ("error", True, False, None, 0.0),
    "error-text-in-200": ("error", True, False, None, None),
    "redirect": ("error", True, False, None, 0.0),
    "moved": ("error", False, False, None, 0.0),
    "invalid-json": ("error", True, False, None, None),
    "cut-json": ("error", True, False, None, None),
    "html": ("error", True, False, None, None),
    "stream": ("error", True, False, None, None),
    "empty-body": ("error", True, False, None, None),
    "no-content": ("error", True, False, None, None),
    "not-utf8": ("error", True, False, None, None),
    "nan-body": ("error", True, False, None, None),
    "deep": ("error", True, False, None, None),
    "big-number": ("error", True, False, None, None),
    "list": ("error", True, False, None, None),
    "text": ("error", True, False, None, None),
    "no-choices": ("error", True, False, None, None),
    "empty-choices": ("error", True, False, None, COST),
    "choices-object": ("error", True, False, None, COST),
    "choice-number": ("error", True, False, None, COST),
    "message-text": ("error", True, False, None, COST),
    "content-number": ("error", True, False, None, COST),
    "content-object": ("error", True, False, None, COST),
    "content-null": ("unparsed", False, False, None, COST),
    "content-empty": ("unparsed", False, False, None, COST),
    "content-parts": ("ok", False, False, None, COST),
    "nan-score": ("unparsed", False, False, None, COST),
    "off-scale": ("unparsed", False, False, None, COST),
    "prose": ("unparsed", False, False, None, COST),
    "surrogate": ("ok", False, False, None, None),
    "refusal": ("refused", False, False, None, COST),
    "refusal-field": ("refused", False, False, None, COST),
    "filter": ("refused", False, False, None, COST),
    "length": ("truncated", False, False, None, COST),
    "two-choices": ("ok", False, False, None, COST),
    "choices-differ": ("error", True, False, None, COST),
    "wrong-content-type": ("ok", False, False, None, COST),
    "usage-wrong": ("ok", False, False, None, None),
    "usage-text": ("ok", False, False, None, None),
    "gzip": ("error", True, False, None, None),
    "huge": ("error", True, False, None, None),
    "long": ("ok", False, False, None, COST),
    "huge-headers": ("error", True, False, None, None),
    "cookies": ("ok", False, False, None, COST),
    "bad-status": ("error", True, False, None, None),
    "no-http": ("error", True, False, None, None),
    "early-hints": ("ok", False, False, None, COST),
    "duplicate": ("ok", False, False, None, COST),
    "echo": ("ok", False, False, None, COST),
    "echo-error": ("error", True, False, None, None),
    "echo-401": ("error", False, True, None, 0.0),
    "echo-escaped": ("ok", False, False, None, COST),
    "echo-base64": ("ok", False, False, None, COST),
    "echo-redirect": ("error", True, False, None, 0.0),
    "echo-long": ("ok", False, False, None, COST),
    "timeout": ("error", True, False, None, None),
    "reset": ("error", True, False, None, None),
    "close": ("error", True, False, None, None),
    "half-body": ("error", True, False, None, None),
    "half-chunk": ("error", True, False, None, None),
    "drip": ("error", True, False, None, None),
    "endless-headers": ("error", True, False, None, None),
}
SLOW = {"timeout", "drip", "endless-headers"}


def question(number=1, **expects):
    messages = (Message("user", f"Rate the answer {number}."),)
    return Request(f"key-{number}", messages, {"temperature": 0.5}, Expects(1, 10, **expects), "judge")


def endpoint(url, **settings):
    return Endpoint(name="judge", url=url, model="m", **({"timeout": 20.0, "price": PRICE} | settings))


async def asked(behaviour, *requests, key=None, **settings):
    async with hostile.hostile() as server:
        judge = EndpointJudge(endpoint(server.url(behaviour), key_env=key, **settings))
        try:
            return [await judge.ask(request) for request in requests], server
        finally:
            await judge.close()


def test_every_behaviour_of_the_server_is_told_apart():
    assert TOLD.keys() == hostile.BEHAVIOURS.keys() | set(hostile.ENDLESS)


@pytest.mark.parametrize(
    "settings",
    [
        {"params": {"api_key": "x"}},
        {"params": {"extra_headers": {"X-Name": "x"}}},
        {"params": {"extra_body": {"provider": [{"access_token": "x"}]}}},
        {"params": {"user": "Bearer abcdef"}},
        {"params": {"user": "sk-proj-0123456789abcdef"}},
        {"headers": {"X-Name": "sk-proj-0123456789abcdef"}},
        {"query": {"v": "AIzaSy0123456789abcdef"}},
        {"key_header": "sk-proj-0123456789abcdef"},
        {"key_header": "Authorization: Bearer 1"},
    ],
)
def test_keys_are_refused_wherever_they_stand_and_not_repeated(settings):
    with pytest.raises(InvalidInput) as caught:
        endpoint("http://127.0.0.1:1/v1", **settings)
    assert not any(part in str(caught.value) for part in ("0123456789", "abcdef", "Bearer 1"))


def test_a_fragment_is_refused_and_not_repeated():
    with pytest.raises(InvalidInput, match="fragment") as caught:
        endpoint("http://127.0.0.1:1/v1#canary")
    assert "canary" not in str(caught.value)


def test_usual_parameters_are_no_keys():
    params = {"max_tokens": 5, "max_completion_tokens": 5, "logit_bias": {"5": 1}, "reasoning": {"effort": "low"}}
    assert endpoint("http://127.0.0.1:1/v1", params=params).params == params


@pytest.mark.parametrize("behaviour", TOLD)
def test_each_behaviour_gives_its_reply(behaviour):
    limit = 0.3 if behaviour in SLOW else 20.0
    start = time.perf_counter()
    (reply,), _ = asyncio.run(asked(behaviour, question(), timeout=limit))
    assert time.perf_counter() - start < 10
    status, retryable, fatal, wait, cost = TOLD[behaviour]
    assert (reply.status, reply.retryable, reply.fatal) == (status, retryable, fatal), reply.error
    assert wait is ... or reply.retry_after == wait
    assert reply.cost == cost
    assert (reply.error is None) == (status == "ok")
    assert len(reply.text) <= MOST_TEXT
    (reply.text + (reply.error or "")).encode()


def test_scores_tokens_and_latency_are_those_of_the_endpoint():
    requests = [question(number) for number in range(20)]
    replies, server = asyncio.run(asked("ok", *requests))
    truths = [hostile.truth([{"role": "user", "content": request.messages[0].content}]) for request in requests]
    assert [reply.score for reply in replies] == truths
    assert {(reply.tokens_in, reply.tokens_out) for reply in replies} == {(100, 10)}
    assert all(0 < reply.latency < 10 for reply in replies)
    assert sum(server.answered.values()) == 20


def test_a_date_is_a_wait():
    (reply,), _ = asyncio.run(asked("429-date", question()))
    assert 50 < reply.retry_after <= 60


def test_a_deadline_holds_for_the_whole_call():
    start = time.perf_counter()
    (reply,), _ = asyncio.run(asked("drip", question(), timeout=0.3))
    assert 0.25 < time.perf_counter() - start < 3
    assert reply.error == "no whole answer in 0.3 s"


def test_the_length_of_a_reply_is_said_and_its_answer_found():
    (reply,), _ = asyncio.run(asked("long", question()))
    assert (reply.score, len(reply.text), reply.cut) == (7, MOST_TEXT, 500_009 - MOST_TEXT)


def test_no_redirect_is_followed_and_no_cookie_kept():
    _, server = asyncio.run(asked("redirect", question()))
    assert server.done == {"redirect": 1}
    _, server = asyncio.run(asked("cookies", question(1), question(2)))
    assert all("cookie" not in request.headers for request in server.seen)


def test_an_answer_that_is_sent_twice_is_not_taken_for_the_next():
    """The question after it is answered by itself, or not at all."""
    requests = [question(number) for number in range(6)]
    replies, _ = asyncio.run(asked("duplicate", *requests))
    truths = [hostile.truth([{"role": "user", "content": request.messages[0].content}]) for request in requests]
    assert len(set(truths)) > 3
    assert all(reply.score in (None, truth) for reply, truth in zip(replies, truths, strict=True))
    assert replies[0].score == truths[0]
    assert any("before the question" in (reply.error or "") for reply in replies)


def test_an_endpoint_that_is_not_there_costs_nothing():
    async def ask():
        async with hostile.hostile() as server:
            gone = server.url("ok")
        judge = EndpointJudge(endpoint(gone))
        reply = await judge.ask(question())
        await judge.close()
        return reply

    reply = asyncio.run(ask())
    assert (reply.status, reply.retryable, reply.fatal, reply.cost) == ("error", True, False, 0.0)


def test_no_price_is_no_cost():
    (reply,), _ = asyncio.run(asked("ok", question(), price=Price()))
    assert reply.cost is None


def test_a_cancelled_question_is_cancelled():
    async def ask():
        async with hostile.hostile() as server:
            judge = EndpointJudge(endpoint(server.url("timeout")))
            task = asyncio.create_task(judge.ask(question()))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await judge.close()

    asyncio.run(ask())


def test_a_closed_judge_is_not_asked():
    async def ask():
        judge = EndpointJudge(endpoint("http://127.0.0.1:1/v1"))
        await judge.close()
        await judge.ask(question())

    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(ask())


def test_what_is_sent():
    (_,), server = asyncio.run(
        asked(
            "ok",
            question(),
            params={"max_tokens": 50, "temperature": 1.0},
            structured="json_schema",
            headers={"X-Title": "study"},
            query={"api-version": "2024-10-21"},
        )
    )
    sent = server.seen[0]
    assert sent.path == "/ok/v1/chat/completions?api-version=2024-10-21"
    assert sent.headers["x-title"] == "study"
    assert "authorization" not in sent.headers
    assert sent.said == {
        "model": "m",
        "messages": [{"role": "user", "content": "Rate the answer 1."}],
        "max_tokens": 50,
        "temperature": 0.5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "judgment", "strict": True, "schema": Expects(1, 10).schema},
        },
    }


def test_token_probabilities_are_asked_for_where_they_are_wanted():
    sent = body(question(expected=True), endpoint("http://127.0.0.1:1/v1"))
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 20)
    (reply,), _ = asyncio.run(asked("ok", question(expected=True)))
    assert (reply.status, reply.score) == ("unparsed", None)
    assert "expected score" in reply.error


def test_a_key_goes_where_it_belongs(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", f" {CANARY}\n")
    _, server = asyncio.run(asked("ok", question(), key="JUDGE_KEY"))
    assert server.seen[0].headers["authorization"] == f"Bearer {CANARY}"
    _, server = asyncio.run(asked("ok", question(), key="JUDGE_KEY", key_header="api-key"))
    assert server.seen[0].headers["api-key"] == CANARY


@pytest.mark.wide(15)
@pytest.mark.parametrize("behaviour", sorted(TOLD.keys() - SLOW - {"huge", "deep"}))
def test_the_key_is_nowhere(behaviour, monkeypatch, log, capsys):
    """Not in replies, errors, names, representations, settings or anybody's log, whatever the endpoint sends back."""
    monkeypatch.setenv("JUDGE_KEY", CANARY)

    async def ask():
        async with hostile.hostile() as server:
            judge = EndpointJudge(endpoint(server.url(behaviour), key_env="JUDGE_KEY"))
            replies = [await judge.ask(question(number)) for number in range(2)]
            seen = [repr(judge), str(judge), repr(vars(judge)), repr(replies), repr([vars(reply) for reply in replies])]
            await judge.close()
            assert server.seen[0].headers["authorization"] == f"Bearer {CANARY}"
            return seen

    seen = "\n".join([*asyncio.run(ask()), *map(logging.Formatter().format, log), *capsys.readouterr()])
    assert log
    for form in (CANARY, CANARY[:-3], CANARY[3:], "c2stY2FuYXJ5", "sk-canary%2F", CANARY.encode().hex()):
        assert form not in seen


def test_the_key_is_taken_out_of_whatever_a_reply_becomes(monkeypatch):
    """The last door: a reason that holds the key, wherever it came from."""
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    judge = EndpointJudge(endpoint("http://127.0.0.1:1/v1", key_env="JUDGE_KEY"))

    async def exchange(*_, **__):
        raise Unusable(f"the answer began with {CANARY}")

    monkeypatch.setattr(judge._connection, "exchange", exchange)
    reply = asyncio.run(judge.ask(question(1)))
    assert reply.error is not None
    assert CANARY not in reply.error


def test_a_key_that_is_missing_or_none_is_said_by_name(monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    with pytest.raises(InvalidInput, match="JUDGE_KEY is not set"):
        EndpointJudge(endpoint("http://127.0.0.1:1/v1", key_env="JUDGE_KEY"))
    monkeypatch.setenv("JUDGE_KEY", f"{CANARY} and more")
    with pytest.raises(InvalidInput) as caught:
        EndpointJudge(endpoint("http://127.0.0.1:1/v1", key_env="JUDGE_KEY"))
    assert CANARY not in str(caught.value)


async def storm(count, at_once=64):
    """Ask every question until it is answered or 10 times."""
    async with hostile.hostile(seconds=300) as server:
        judge = EndpointJudge(endpoint(server.url("mixed"), timeout=5.0))
        places, replies, statuses = asyncio.Semaphore(at_once), {}, Counter()

        async def settle(number):
            async with places:
                for _ in range(10):
                    reply = replies[number] = await judge.ask(question(number))
                    statuses[reply.status] += 1
                    if not reply.retryable:
                        return

        await asyncio.gather(*(settle(number) for number in range(count)))
        await judge.close()
        return server, replies, statuses


def accounted(count):
    start = time.perf_counter()
    server, replies, statuses = asyncio.run(storm(count))
    for number, reply in replies.items():
        assert reply.score == hostile.truth([{"role": "user", "content": f"Rate the answer {number}."}])
    assert len(replies) == count
    assert set(statuses) == {"ok", "error"}
    assert statuses["ok"] == count
    assert sum(statuses.values()) == sum(server.tries.values())
    assert len(server.done) > 20
    return time.perf_counter() - start


@pytest.mark.slow
def test_500_hostile_questions_end_answered_with_the_right_score():
    assert accounted(500) < 20


@pytest.mark.slow
def test_10_000_hostile_questions_end_answered_with_the_right_score():
    accounted(10_000)


def test_json_of_a_request_is_plain():
    assert json.dumps(body(question(), endpoint("http://127.0.0.1:1/v1", structured="grammar")))


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"url": "ftp://host/v1"}, "http or https"),
        ({"url": "127.0.0.1:8000"}, "http or https"),
        ({"url": "http://host:99999/v1"}, "http or https"),
        ({"url": "http://user:secret@host/v1"}, "no user, password, query or fragment"),
        ({"url": "http://user:secret@host:99999/v1"}, "no user, password, query or fragment"),
        ({"url": "http://host/v1?key=abc"}, "no user, password, query or fragment"),
        ({"headers": {"Authorization": "Bearer abc"}}, "key_env"),
        ({"headers": {"X-Api-Key": "abc"}}, "key_env"),
        ({"query": {"access_token": "abc"}}, "key_env"),
        ({"timeout": 0}, "timeout"),
        ({"structured": "yaml"}, "structured"),
        ({"params": {"n": 2}}, '"n"'),
        ({"model": ""}, "must not be empty"),
    ],
)
def test_settings_that_break_a_rule_are_refused_without_what_may_be_a_key(settings, rule):
    given = {"name": "judge", "url": "http://host/v1", "model": "m"} | settings
    with pytest.raises(InvalidInput, match=rule) as caught:
        Endpoint(**given)
    assert "abc" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "query", "address"),
    [
        ("http://h:1/v1", {}, "http://h:1/v1/batches?limit=5"),
        ("http://h:1/v1/", {}, "http://h:1/v1/batches?limit=5"),
        ("http://h:1/v1/chat/completions", {"api-version": "1"}, "http://h:1/v1/batches?limit=5&api-version=1"),
    ],
)
def test_addresses(url, query, address):
    assert Endpoint("judge", url, "m", query=query).address("/batches?limit=5") == address


def test_loopback_never_goes_through_a_proxy():
    assert Endpoint("judge", "https://host/v1", "m").trusts_environment
    assert not Endpoint("judge", "https://host/v1", "m", proxies=False).trusts_environment
    assert not Endpoint("judge", "http://127.0.0.1:8000/v1", "m").trusts_environment
    assert not Endpoint("judge", "http://[::1]:8000/v1", "m").trusts_environment


@pytest.mark.parametrize("code", [200, 400])
def test_a_key_that_json_escapes_is_taken_out_before_anything_is_cut(code):
    key = "sk-" + "???" * 8
    secret, shown = Secret(key), base64.b64encode(key.encode()).decode()
    assert "/" in shown
    text = "x" * ((MOST_TEXT if code == 200 else 200) - len(shown) // 2) + shown
    said = {"choices": [{"message": {"content": text}}]} if code == 200 else {"error": {"message": text}}
    answer = Answer(code, {}, json.dumps(said).replace("/", "\\/").encode())
    reply = reply_to(cleaned(answer, secret), question(), endpoint("http://127.0.0.1:1/v1"), 0.0, secret)
    assert shown[:6] not in reply.text + str(reply.error)


NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("0", 0),
        ("3", 3),
        (" 2.5 ", 2.5),
        ("9999999", MOST_WAIT),
        ("9" * 5000, MOST_WAIT),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1e9", None),
        ("٣", None),
        ("", None),
        ("soon", None),
        ("Tue, 14 Nov 2023 22:13:30 GMT", 10),
        ("Tue, 14 Nov 2023 22:13:30", 10),
        ("Tuesday, 14-Nov-23 22:13:30 GMT", 10),
        ("Tue, 14 Nov 2023 22:13:10 GMT", 0),
        ("Tue, 14 Nov 2023 23:13:30 +0100", 10),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MOST_WAIT),
        ("Fri, 99 Dec 9999 99:59:59 GMT", None),
        ("Mon, 01 Jan 0000 00:00:00 GMT", 0),
    ],
)
def test_how_long_to_wait(said, wait):
    assert retry_after({"retry-after": said}, NOW) == wait


def test_milliseconds_come_first_and_nothing_is_no_wait():
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}, NOW) == 1.5
    assert retry_after({"retry-after-ms": "x", "retry-after": "9"}, NOW) == 9
    assert retry_after({}, NOW) is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"code": 429}}, 429),
        ({"error": {"code": "503"}}, 503),
        ({"error": {"code": "rate_limited"}}, 500),
        ({"error": {"code": 200}}, 500),
        ({"error": {"code": "٤٢٩"}}, 500),
        ({"error": "text"}, 500),
        ({"error": None, "choices": []}, None),
        ({"error": {"code": 429}, "choices": [{}]}, None),
        ({}, None),
        ([], None),
        ("error", None),
    ],
)
def test_errors_that_come_as_a_success(body, status):
    assert inner_status(body) == status


@pytest.mark.parametrize("code", [301, 400, 401, 418, 429, 500, 599, 999])
def test_any_body_will_do(code):
    for said in (None, "", "text", [], {}, {"error": None}, {"error": []}, {"error": {"message": {"a": 1}}}):
        reply = turned_away(code, {}, said, NOW)
        assert (reply.status, reply.cost) == ("error", None if code >= 500 else 0.0), said
        assert not (reply.retryable and reply.fatal), said
        assert str(code) in reply.error, said
