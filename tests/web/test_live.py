"""The page of the owner: how far everybody is, what the study says so far, and its buttons."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from quorate.web.live import Live, Watch
from quorate.web.site import Visitor

ESTIMATE = {
    "sentence": "So far <b>.",
    "finished": 1,
    "looks": 0,
    "seconds": 0.1,
    "sections": [
        {
            "title": "The estimate so far",
            "text": ["One.", "Two."],
            "figures": [
                {
                    "name": "looks",
                    "finding": "70%",
                    "lines": ["Band."],
                    "titles": ["answers", "who"],
                    "numbers": [True, False],
                    "rows": [["8", "<script>alert(1)</script>"]],
                    "drawn": True,
                }
            ],
        }
    ],
    "caveats": ["Read this."],
    "charts": {"looks": {"wide": "<svg>wide</svg>", "narrow": "<svg>narrow</svg>"}},
}


@pytest.fixture
def orders(monkeypatch):
    """What the estimator is told to do; it makes nothing new, and writes files that say what was asked for."""
    told = []

    async def order(_, do, **more):
        told.append(do)
        if "path" in more:
            Path(more["path"]).write_text(do, encoding="utf-8")
        return ESTIMATE

    monkeypatch.setattr(Watch, "order", order)
    return told


@pytest.fixture
def owned(served, orders):
    """A study with an answer, and its owner's browser."""
    site = served()
    site.browser("ana").answer("A")
    return site, site.browser("")


def form(page):
    return re.search('name="form" value="([^"]*)"', page.html)[1]


def act(page, do, **other):
    body = urlencode({"form": form(page), "do": do} | other)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return page.client.post("/study/act", content=body, headers=kind, follow_redirects=False)


def test_it_says_how_far_everybody_is_from_sums(owned):
    _, page = owned
    assert page.title == "study"
    shown = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.html))
    assert "ana person 1 of 2" in shown
    assert "raters 2 person 0 of 2" in shown
    assert "finished of 6 cells 1" in shown
    assert "All judges of this study are people" in shown
    assert not re.search(r"<script>|<style|style=| on[a-z]+=", page.html)


def test_the_estimate_is_shown_when_it_is_there(owned, orders):
    _, page = owned
    page.response = page.client.get("/study")
    assert "So far &lt;b&gt;." in page.html
    assert "<script>alert" not in page.html
    assert "<li>Two.</li>" in page.html
    assert page.client.get("/study/chart/looks.svg").text == "<svg>wide</svg>"
    narrow = page.client.get("/study/chart/looks.svg?narrow&n=1")
    assert (narrow.text, narrow.headers["content-type"]) == ("<svg>narrow</svg>", "image/svg+xml")
    assert page.client.get("/study/chart/nothing.svg").status_code == 404
    assert orders == ["estimate"]


def test_only_the_owner_sees_any_of_it(owned, orders):
    site, _ = owned
    person = site.browser("ana")
    for path in ("", "/events", "/chart/looks.svg", "/judgments.csv", "/report", "/start"):
        assert person.client.get(f"/study{path}").status_code == 403
    assert act(person.reload(), "stop").status_code == 403
    assert orders == ["estimate"]
    assert site.browser("raters 1").texts


def test_files_are_made_apart_and_gone_when_sent(owned):
    _, page = owned
    csv = page.client.get("/study/judgments.csv")
    assert (csv.text, csv.headers["content-type"]) == ("judgments", "text/csv; charset=utf-8")
    assert csv.headers["content-disposition"] == 'attachment; filename="judgments.csv"'
    assert page.client.get("/study/judgments.parquet").text == "judgments"
    assert page.client.get("/study/judgments.exe").status_code == 404
    report = page.client.get("/study/report")
    assert report.text == "report"
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in report.headers["content-security-policy"]


def test_who_is_closed_is_shown_at_once(owned):
    site, page = owned
    site.ledger(lambda people: people.set_closed(["raters 1"], closed=True))
    assert act(page, "nothing").headers["location"] == "/study"  # whatever was done is looked at again
    page.response = page.client.get("/study")
    assert page.html.count("person, closed") == 1
    assert 'href="/people"' in page.html


def test_a_button_needs_the_form_of_its_page(owned):
    _, page = owned
    assert act(page, "stop", form="forged").status_code == 403
    assert act(page, "start").status_code == 400  # nobody but people judges here


def test_changes_are_sent_as_they_come(owned):
    site, _ = owned
    live = Live(site.site)

    async def read():
        changes = live.changes(Visitor("", "form"), pause=0.001)
        first = [await anext(changes) for _ in range(3)]
        live.watch.estimate = ESTIMATE | {"sentence": "Later"}
        later = await asyncio.wait_for(anext(changes), 20)
        await live.watch.close()
        return first, later

    first, later = asyncio.run(read())
    assert [event.split("\n")[0] for event in first] == ["event: far", "event: run", "event: estimate"]
    assert later.startswith("event: estimate\n")
    assert "Later" in json.loads(later.split("data: ")[1])
