"""What pages share: text stays text, and nothing tells whose responses are shown."""

from __future__ import annotations

import pytest

from quorate.errors import InvalidInput
from quorate.web.site import Desk, visible

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e{{ 7 * 7 }}\' " onload="\x00'


def test_hostile_texts_are_shown_as_they_are(served):
    rows = [{"id": HOSTILE[:40], "prompt": HOSTILE, "response": HOSTILE * 3}]
    judges = {"<b>ana</b>": {"kind": "person"}}
    page = served(items="items.jsonl", rows=rows, judges=judges, prompts=["score"]).browser("<b>ana</b>")
    assert page.texts == [visible(HOSTILE), visible(HOSTILE) * 3]
    assert "{{ 7 * 7 }}" in page.texts[0]
    for part in ("<script>alert", "<img", "<b>", "\x1b", "\x00"):
        assert part not in page.html, part


def test_nothing_tells_which_system_answered(served):
    site = served()
    page = site.browser("ana")
    everything = page.html + str(page.response.headers) + str(page.response.url)
    assert "Alpha-9000" not in everything
    assert "Beta-XL" not in everything
    assert "q1" not in everything


def test_control_characters_are_seen():
    assert visible("a\x1b[1mb\tc\r\nd\x7f\u202ee") == "a\u241b[1mb\tc\nd\u2421\ufffde"


def test_a_step_that_fails_says_so_and_the_others_count(served):
    site = served()
    desk = Desk(site.opened.asked)

    def fail(_):
        raise InvalidInput("no")

    given = [desk._given(step) for step in (lambda people: people.undo("ana", ""), fail, lambda people: people.asked)]
    assert given[0].result() is False
    with pytest.raises(InvalidInput, match="no"):
        given[1].result()
    assert given[2].result() is site.opened.asked
    desk.close()


def test_a_ledger_that_cannot_be_opened_is_said_by_whoever_opens_it(served, monkeypatch):
    asked = served().opened.asked
    monkeypatch.setattr(
        "quorate.collect.ledger.ledger.Ledger.open", lambda *_: (_ for _ in ()).throw(InvalidInput("x"))
    )
    with pytest.raises(InvalidInput):
        Desk(asked)
