"""Where pages are served, and what is refused before."""

from __future__ import annotations

import socket
import time
from contextlib import closing

import pytest
from starlette.testclient import TestClient

import quorate as q
from quorate.errors import InvalidInput
from quorate.web import serve as connection
from quorate.web import serve as module
from quorate.web.serve import HEADERS, MOST_BODY, PAGES, Rates, is_loopback, listen, ready


def test_a_study_is_served_with_its_links(study, monkeypatch, capsys):
    served = []
    monkeypatch.setattr(module, "listen", lambda app, host, port: served.append((app.state.site, host, port)))
    q.serve(study(), port=9000)
    ((site, *place),) = served
    site.desk.close()
    assert place == ["127.0.0.1", 9000]
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": http")[0] for line in lines] == [
        f"quorate: {n}" for n in ("owner", "ana", "raters 1", "raters 2")
    ]


def test_other_machines_are_let_in_by_name_alone():
    with pytest.raises(InvalidInput, match=r"host: other machines can reach 0\.0\.0\.0"):
        ready("0.0.0.0", 8000, public=False)
    ready("0.0.0.0", 8000, public=True)
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "10.0.0.1", "example.org")] == [
        *(True, True, True),
        *(False, False),
    ]


def test_a_port_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="port: must be a whole number from 1 to 65,535, got 0"):
        ready("127.0.0.1", 0, public=False)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r'pip install "quorate\[web\]"'):
        ready("127.0.0.1", 8000, public=False)


def test_a_port_that_another_program_has_is_one_line():
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(InvalidInput, match=r"port: \d+ of 127\.0\.0\.1 is not free .*; choose another one"):
        listen(None, "127.0.0.1", taken.getsockname()[1])


def test_the_pages_are_there(served):
    site = served()
    with TestClient(site.app) as client:
        for path in ("/static/site.css", "/static/task.js", "/static/icon.svg"):
            assert client.get(path).status_code == 200
        assert client.get("/static/../app.py").status_code == 404
        assert "There is nothing here" in client.get("/nowhere").text
    assert len(PAGES) >= 3


def test_every_response_has_the_headers(served):
    client = TestClient(served().app)
    for path in ("/", "/static/site.css", "/nowhere", "/link/x"):
        headers = client.get(path).headers
        assert {name for name in HEADERS if name.lower() not in headers} == set(), path
        assert "unsafe" not in headers["content-security-policy"]


def test_bodies_are_short_and_from_our_own_pages(served):
    page = served().browser("ana")
    answer = {**page.form, "answer": "A"}
    long = page.client.post("/answer", content=b"x" * (MOST_BODY + 1))
    assert long.status_code == 413
    pieces = page.client.post("/answer", content=(b"x" * 9000 for _ in range(10)))
    assert pieces.status_code == 413
    for site in ("cross-site", "same-site"):
        assert page.client.post("/answer", data=answer, headers={"Sec-Fetch-Site": site}).status_code == 403
    assert page.client.post("/answer", data=answer, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_rates():
    rates = Rates(rate=2.0, burst=3.0)
    assert [rates.allow("a", 0.0) for _ in range(4)] == [True, True, True, False]
    assert rates.allow("b", 0.0)
    assert [rates.allow("a", 0.5), rates.allow("a", 0.5)] == [True, False]


def test_too_many_requests_are_told_to_wait(served):
    from quorate.web.serve import application

    site = served()
    client = TestClient(application(site.opened.asked, rates=Rates(rate=0.001, burst=2)))
    assert [client.get("/").status_code for _ in range(3)] == [403, 403, 429]
    client.app.state.site.desk.close()


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
