"""Two servers on one ledger of Postgres: a person may speak to either, and nothing is asked twice."""

from __future__ import annotations

import pytest

import quorate as q
from quorate.web.serve import application


@pytest.mark.postgres
def test_two_servers_share_a_ledger(served, cluster):
    site = served(ledger=cluster.place(), order="both")
    other = application(site.opened.asked)
    pages = [type(site.browser("ana"))(app, site.link("ana"), site.server.portal) for app in (site.app, other)]
    assert pages[0].texts == pages[1].texts
    form = pages[0].form
    pages[0].answer("A")
    pages[1].send(form, answer="B")
    assert [page.reload().title for page in pages] == ["Question 2 of 4"] * 2
    pages[1].send(undo="1")
    assert pages[0].reload().title == "Question 1 of 4"
    for turn in range(4):
        page = pages[turn % 2].reload()
        page.answer("A" if page.texts[1].startswith("alpha") else "B", comment="ünï ☂ \x00")
    assert pages[0].reload().title == "All answered"
    assert site.rows("SELECT count(*), sum(score) FROM judgments") == [(4, 4.0)]
    assert q.read_votes(site.opened.asked.study.database, announce=False).n == 4
    assert site.ledger(lambda people: [one.done for one in people.progress()]) == [4, 0, 0]
    assert site.ledger(lambda people: people.progress()[0].seconds) < 60
    other.state.site.desk.close()
