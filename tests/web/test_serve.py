"""Where pages are served, and what is refused before."""

from __future__ import annotations

import socket

import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.web import serve as module
from quorate.web.serve import is_loopback, listen, ready


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
    with pytest.raises(InvalidInput, match="port: must be from 1 to 65535, got 0"):
        ready("127.0.0.1", 0, public=False)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r'pip install "quorate\[web\]"'):
        ready("127.0.0.1", 8000, public=False)


def test_a_port_that_another_program_has_is_one_line():
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(InvalidInput, match=r"port: \d+ of 127\.0\.0\.1 is not free .*; choose another one"):
        listen(None, "127.0.0.1", taken.getsockname()[1])
