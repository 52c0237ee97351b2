"""A study with people as its judges, its pages, and browsers that open their links."""

from __future__ import annotations

import json
import re
import socket
from contextlib import closing
from functools import partial
from html import unescape
from threading import Thread
from time import sleep

import pytest
import uvicorn
import yaml
from starlette.testclient import TestClient

from quorate.collect.ledger.seats import LINK
from quorate.web.serve import application, listen, prepare

PAIRS = [
    {
        "id": f"q{n}",
        "prompt": f"Question {n}",
        "response_a": f"alpha says {n}",
        "response_b": f"beta says {n}",
        "model_a": "Alpha-9000",
        "model_b": "Beta-XL",
    }
    for n in (1, 2)
]
STUDY = {
    "items": {"file": "items.jsonl", "id": "id", "system_a": "model_a", "system_b": "model_b"},
    "judges": {"ana": {"kind": "person", "price": 0.5}, "raters": {"kind": "people", "seats": 2}},
    "prompts": ["pairwise"],
    "budget": {"calls": 100},
}

HOSTILE_NAME = """=cmd|' /C calc'!A0" onload="alert(1)<script>alert(1)</script>"""


class Browser:
    """A browser that has opened a link; ``html`` is the page that it shows."""

    def __init__(self, app, link, loop):
        self.client = TestClient(app, base_url="http://127.0.0.1:8000")
        self.client.portal = loop
        self.entered = self.client.get(link)
        (to,) = re.findall(r'content="0;url=([^"]*)"', self.entered.text)
        self.response = self.client.get(to)

    @property
    def html(self):
        return self.response.text

    @property
    def title(self):
        return unescape(re.search("<title>(.*?)</title>", self.html)[1])

    @property
    def texts(self):
        """What is to be judged, in the order in which it stands."""
        return [
            unescape(text) for text in re.findall(r'<div class="text" dir="auto">(.*?)</div>', self.html, re.DOTALL)
        ]

    @property
    def form(self):
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.html))

    def reload(self):
        self.response = self.client.get("/")
        return self

    def send(self, own=None, **fields):
        """Send a form, the one on the page unless another is given, and follow where it leads."""
        self.response = self.client.post("/answer", data={**(self.form if own is None else own), **fields})
        return self

    def answer(self, word, **fields):
        return self.send(answer=word, **fields)


class Served:
    """The pages of a study."""

    def __init__(self, path):
        self.opened = prepare(path, host="127.0.0.1", port=8000, links=True)
        self.app = application(self.opened.asked)
        self.site = self.app.state.site
        self.server = TestClient(self.app).__enter__()  # one loop for all browsers, as in a server

    def close(self):
        self.server.__exit__()

    def link(self, name):
        return LINK + self.opened.links[name].rpartition("/")[2]

    def browser(self, name):
        return Browser(self.app, self.link(name), self.server.portal)

    def ledger(self, step):
        """What a step gives that takes the people of the study."""
        return self.site.desk.done(step)

    def rows(self, query, *values):
        return self.ledger(lambda people: people.ledger.store.connection.execute(query, values).fetchall())

    def later(self, minutes):
        """Let time go by."""
        self.ledger(lambda people: setattr(people.ledger, "clock", ahead(people.ledger.clock, 60 * minutes)))


class Wire:
    """What a server says to bytes that are sent as they are."""

    def __init__(self, port):
        self.port = port

    def send(self, *parts, seconds=5.0, pause=0.0):
        """What it says until it closes the connection, or falls silent."""
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=seconds)) as wire:
            said = b""
            try:
                for part in parts:
                    wire.sendall(part)
                    sleep(pause)
                while chunk := wire.recv(65536):
                    said += chunk
            except TimeoutError:
                return said + b"<silent>"
            except ConnectionError:
                pass
            return said

    @staticmethod
    def head(method, path, *lines):
        return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", "")).encode("latin-1")


def ahead(clock, seconds):
    return lambda: clock() + seconds


def written(folder, *, rows=PAIRS, **changes):
    """Path of a study written to a folder."""
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    content = {name: value for name, value in {**STUDY, **changes}.items() if value is not None}
    (folder / "study.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return folder / "study.yaml"


@pytest.fixture
def study(tmp_path):
    """A function that writes a study, changed by its arguments, and gives its path."""

    return partial(written, tmp_path)


@pytest.fixture
def served(study):
    """A function that serves such a study."""
    opened = []

    def serve(**changes):
        opened.append(Served(study(**changes)))
        return opened[-1]

    yield serve
    for one in opened:
        one.close()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A study with more people, and names that mean harm, which a whole module attacks."""
    crowd = {"kind": "people", "seats": 9}
    judges = {**STUDY["judges"], "crowd": crowd, HOSTILE_NAME: {"kind": "person"}}
    site = Served(written(tmp_path_factory.mktemp("attacked"), judges=judges))
    yield site
    site.close()


@pytest.fixture(scope="module")
def wire(attacked):
    """A wire to that study, which is served as `quorate serve` serves it."""
    servers, place = [], free_port()

    class Kept(uvicorn.Server):
        def __init__(self, config):
            super().__init__(config)
            servers.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvicorn, "Server", Kept)
        thread = Thread(target=listen, args=(attacked.app, "127.0.0.1", place))
        thread.start()
        while not (servers and servers[0].started):
            sleep(0.01)
        yield Wire(place)
        servers[0].should_exit = True
        thread.join()


def free_port():
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
