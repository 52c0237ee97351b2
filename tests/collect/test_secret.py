"""A key is used and never shown."""

from __future__ import annotations

import base64
import copy
import json
import pickle
from urllib.parse import quote

import pytest

from quorate.collect.judges.connection import SHOWN, Secret, from_environment, scrub
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
