"""One exchange; the hostile server of `test_endpoint.py` shows the rest."""

from __future__ import annotations

import asyncio
import base64
import copy
import json
import logging
import pickle
from urllib.parse import quote

import httpx2
import pytest

from quorate.collect.judge import MOST_ERROR, Expects, Message, Request
from quorate.collect.judges.connection import (
    SHOWN,
    Broken,
    HttpConnection,
    NotSent,
    Secret,
    Unusable,
    from_environment,
    scrub,
)
from quorate.collect.judges.endpoint import Endpoint
from quorate.collect.judges.remote import EndpointJudge
from quorate.errors import InvalidInput

CANARY = "sk-canary-4711"


def exchange(respond, **settings):
    """One exchange with a function instead of a network."""
    endpoint = Endpoint("judge", "http://host/v1", "m", **settings)

    async def run():
        connection = HttpConnection(endpoint, Secret(CANARY), httpx2.MockTransport(respond))
        try:
            return await connection.exchange("POST", "/chat/completions", json=b"{}")
        finally:
            await connection.close()

    return asyncio.run(run())


def test_an_answer():
    def respond(request):
        assert request.headers["authorization"] == f"Bearer {CANARY}"
        assert request.headers["accept-encoding"] == "identity"
        assert request.headers["content-type"] == "application/json"
        return httpx2.Response(201, headers={"X-Thing": "a"}, content=b"body")

    answer = exchange(respond)
    assert (answer.code, answer.headers["x-thing"], answer.body) == (201, "a", b"body")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ConnectError("x"), NotSent),
        (httpx2.ConnectTimeout("x"), NotSent),
        (httpx2.ProxyError("x"), NotSent),
        (httpx2.ReadError("x"), Broken),
        (httpx2.RemoteProtocolError("x"), Broken),
        (httpx2.InvalidURL("x"), Broken),
        (OSError("x"), Broken),
        (ValueError("x"), Broken),
        (TimeoutError("x"), TimeoutError),
    ],
)
def test_errors_are_of_few_kinds(error, kind):
    def respond(_):
        raise error

    with pytest.raises(kind):
        exchange(respond)


def test_a_long_answer_is_not_read_to_its_end():
    with pytest.raises(Unusable, match="longer than 10 bytes"):
        exchange(lambda _: httpx2.Response(200, content=b"x" * 11), most_bytes=10)
    assert exchange(lambda _: httpx2.Response(200, content=b"x" * 10), most_bytes=10).body == b"x" * 10


def test_the_log_is_clean_while_a_connection_is_open_and_as_before_after(log):
    loggers = [logging.getLogger(name) for name in ("httpcore2.connection", "httpcore2.http11")]
    before = [list(logger.filters) for logger in loggers]

    def respond(_):
        for logger in loggers:
            logger.debug("got %s", f"Bearer {CANARY}")
        return httpx2.Response(200)

    exchange(respond)
    assert [record.getMessage() for record in log if "got" in record.getMessage()] == ["got Bearer [key]"] * 2
    assert [list(logger.filters) for logger in loggers] == before


@pytest.mark.parametrize(
    ("url", "proxies", "expected"),
    [
        ("https://host/v1", True, "http://proxy:3128"),
        ("https://host/v1", False, None),
        ("https://inside/v1", True, None),
        ("http://127.0.0.1:8000/v1", True, None),
    ],
)
def test_proxies_are_those_of_the_environment(monkeypatch, url, proxies, expected):
    monkeypatch.setenv("https_proxy", "proxy:3128")
    monkeypatch.setenv("http_proxy", "proxy:3128")
    monkeypatch.setenv("no_proxy", "inside")
    assert HttpConnection(Endpoint("judge", url, "m", proxies=proxies), None).proxy == expected


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    "error", [httpx2.ConnectError, httpx2.ReadError, ImportError, OSError, ValueError], ids=lambda e: e.__name__
)
def test_the_key_is_taken_out_of_a_reason_before_that_is_cut(error, monkeypatch):
    """Wherever a reason is cut, no beginning of a key that it repeats is left."""
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    endpoint = Endpoint("judge", "http://host/v1", "m", key_env="JUDGE_KEY")
    request = Request("k", (Message("user", "?"),), {}, Expects(1, 10), "judge")

    async def said(before):
        def respond(_):
            raise error("j" * before + CANARY)

        judge = EndpointJudge(endpoint, transport=httpx2.MockTransport(respond))
        try:
            return (await judge.ask(request)).error
        finally:
            await judge.close()

    for before in range(MOST_ERROR - len(CANARY) - 40, MOST_ERROR):
        assert CANARY[:4] not in asyncio.run(said(before))


@pytest.mark.parametrize(("settings", "sent"), [({}, "once-1"), ({"idempotency": False}, None)])
def test_a_question_sent_again_is_known_by_its_idempotency_key(settings, sent):
    seen = []

    def respond(request):
        seen.append(request.headers.get("idempotency-key"))
        return httpx2.Response(200, json={"choices": []})

    async def ask():
        endpoint = Endpoint("judge", "http://127.0.0.1:1/v1", "m", **settings)
        judge = EndpointJudge(endpoint, transport=httpx2.MockTransport(respond))
        await judge.ask(Request("k", (), {}, Expects(1, 10), "judge", once="once-1"))
        await judge.ask(Request("k", (), {}, Expects(1, 10), "judge"))
        await judge.close()

    asyncio.run(ask())
    assert seen == [sent, None]


KEY = 'sk-ca"nary/+47'


def test_it_does_not_print():
    secret = Secret(KEY)
    for shown in (repr(secret), str(secret), f"{secret}", repr([secret]), repr({"key": secret})):
        assert KEY not in shown
        assert json.dumps(KEY)[1:-1] not in shown
    assert secret.reveal() == KEY


@pytest.mark.parametrize("action", [pickle.dumps, copy.deepcopy, json.dumps])
def test_it_is_not_stored(action):
    with pytest.raises(TypeError):
        action(Secret(KEY))


def encoded(text, safe=False):
    return (base64.urlsafe_b64encode if safe else base64.b64encode)(text.encode()).decode()


FORMS = {
    "as it is": KEY,
    "URL": quote(KEY, safe=""),
    "URL in small letters": KEY.replace("/", "%2f").replace('"', "%22").replace("+", "%2b"),
    "URL, every character": "".join(f"%{ord(c):02x}" for c in KEY),
    "JSON": json.dumps(KEY),
    "JSON by numbers": "".join(f"\\u{ord(c):04X}" for c in KEY),
    "JSON in JSON": json.dumps(json.dumps(KEY)[1:-1])[1:-1],
    "hex": KEY.encode().hex(),
    "HEX": KEY.encode().hex().upper(),
    "hex with spaces": KEY.encode().hex(" "),
    "hex with colons": KEY.encode().hex(":").upper(),
    "base64": encoded(KEY),
    "base64 of a header": encoded(f"Bearer {KEY}"),
    "base64url": encoded(KEY, safe=True),
    "base64url without padding": encoded(KEY, safe=True).rstrip("="),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_it_is_scrubbed_in_every_spelling(form):
    assert scrub(f"a {form} b", Secret(KEY)).replace('"', "") == f"a {SHOWN} b"


def test_without_a_key_nothing_is_scrubbed():
    assert scrub("text", None) == "text"


def test_it_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("K", f"{KEY}\n")
    assert from_environment("K", "a").reveal() == KEY
    assert from_environment(None, "a") is None


@pytest.mark.parametrize("value", ["", "  ", "two words", "sk-ä", "sk-\x01"])
def test_what_is_no_key_is_refused_by_name(monkeypatch, value):
    monkeypatch.setenv("K", value)
    with pytest.raises(InvalidInput, match="environment variable K") as caught:
        from_environment("K", "a")
    assert not value.strip() or value not in str(caught.value)
