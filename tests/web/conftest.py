"""A study with people as its judges, its pages, and browsers that open their links."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
import yaml
from starlette.testclient import TestClient

from quorate.collect.ledger.links import LINK
from quorate.web.app import application
from quorate.web.serve import prepare

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


class Browser:
    """A browser that has opened a link; ``html`` is the page that it shows."""

    def __init__(self, app, link):
        self.client = TestClient(app, base_url="http://127.0.0.1:8000")
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

    def link(self, name):
        return LINK + self.opened.links[name].rpartition("/")[2]

    def browser(self, name):
        return Browser(self.app, self.link(name))

    def ledger(self, step):
        """What a step gives that takes the people of the study."""
        return self.site.desk.done(step)

    def rows(self, query, *values):
        return self.ledger(lambda people: people.ledger.store.connection.execute(query, values).fetchall())

    def later(self, minutes):
        """Let time go by."""
        self.ledger(lambda people: setattr(people.ledger, "clock", ahead(people.ledger.clock, 60 * minutes)))


def ahead(clock, seconds):
    return lambda: clock() + seconds


@pytest.fixture
def study(tmp_path):
    """A function that writes a study, changed by its arguments, and gives its path."""

    def write(*, rows=PAIRS, **changes):
        (tmp_path / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        content = {name: value for name, value in {**STUDY, **changes}.items() if value is not None}
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return tmp_path / "study.yaml"

    return write


@pytest.fixture
def served(study):
    """A function that serves such a study."""
    opened = []

    def serve(**changes):
        opened.append(Served(study(**changes)))
        return opened[-1]

    yield serve
    for one in opened:
        one.site.desk.close()
