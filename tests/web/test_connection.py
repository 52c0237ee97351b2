"""Connections that never say what they want."""

from __future__ import annotations

import socket
import time
from contextlib import closing

import pytest

from quorate.web import serve as connection


@pytest.mark.parametrize("parts", [(), (b"GET / HT",), (b"GET / HTTP/1.1\r\nHost: a\r\n", b"X: y\r\n", b"X: z\r\n")])
def test_a_head_that_comes_byte_by_byte(wire, monkeypatch, parts):
    monkeypatch.setattr(connection, "SLOWEST_HEAD", 0.2)
    start = time.perf_counter()
    assert wire.send(*parts, pause=0.01) == b""
    assert time.perf_counter() - start < 3


def test_the_second_head_of_a_connection_that_never_ends(wire, monkeypatch):
    with closing(socket.create_connection(("127.0.0.1", wire.port), timeout=10)) as line:
        line.sendall(wire.head("GET", "/static/icon.svg"))
        said = b""
        while not said.endswith(b"</svg>\n"):
            said += line.recv(65536)
        monkeypatch.setattr(connection, "SLOWEST_HEAD", 0.2)
        line.sendall(b"GET / HTTP/1.1\r\n")
        assert line.recv(65536) == b"", "closed without a word"
