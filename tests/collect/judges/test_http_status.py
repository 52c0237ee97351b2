"""When to ask again; the hostile server of `test_endpoint.py` sends most of these for real."""

from __future__ import annotations

import pytest

from quorate.collect.judges.connection import MOST_WAIT, inner_status, retry_after, turned_away

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
    for body in (None, "", "text", [], {}, {"error": None}, {"error": []}, {"error": {"message": {"a": 1}}}):
        reply = turned_away(code, {}, body, NOW, 1.0)
        assert (reply.status, reply.cost, reply.latency) == ("error", None if code >= 500 else 0.0, 1.0), body
        assert not (reply.retryable and reply.fatal), body
        assert str(code) in reply.error, body
