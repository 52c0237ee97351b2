"""Settings that cannot work, or that hold a key, are refused before anything is sent."""

from __future__ import annotations

import pytest

from quorate.collect.judges.endpoint_settings import Endpoint
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"url": "ftp://host/v1"}, "http or https"),
        ({"url": "127.0.0.1:8000"}, "http or https"),
        ({"url": "http://host:99999/v1"}, "http or https"),
        ({"url": "http://user:secret@host/v1"}, "no user, password or query"),
        ({"url": "http://user:secret@host:99999/v1"}, "no user, password or query"),
        ({"url": "http://host/v1?key=abc"}, "no user, password or query"),
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
