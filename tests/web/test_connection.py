"""Connections that never say what they want."""

from __future__ import annotations

import time

import pytest

from quorate.web import connection


@pytest.mark.parametrize("parts", [(), (b"GET / HT",), (b"GET / HTTP/1.1\r\nHost: a\r\n", b"X: y\r\n", b"X: z\r\n")])
def test_a_head_that_comes_byte_by_byte(wire, monkeypatch, parts):
    monkeypatch.setattr(connection, "SLOWEST_HEAD", 0.2)
    start = time.perf_counter()
    assert wire.send(*parts, pause=0.01) == b""
    assert time.perf_counter() - start < 3


def test_the_second_head_of_a_connection_that_never_ends(wire, monkeypatch):
    monkeypatch.setattr(connection, "SLOWEST_HEAD", 1.0)
    said = wire.send(wire.head("GET", "/static/icon.svg"), b"GET / HTTP/1.1\r\n", pause=0.05)
    assert said.count(b"HTTP/1.1 ") == 1
    assert b"<silent>" not in said
