"""A key is used and never shown."""

from __future__ import annotations

import copy
import json
import pickle
from urllib.parse import quote

import pytest

from quorate.collect.secret import SHOWN, Secret, from_environment, scrub
from quorate.errors import InvalidInput

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


@pytest.mark.parametrize("form", [KEY, quote(KEY, safe=""), json.dumps(KEY), KEY.encode().hex()])
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
