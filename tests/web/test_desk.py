"""The desk: steps that fail leave the others alone."""

from __future__ import annotations

import pytest

from quorate.errors import InvalidInput
from quorate.web.site import Desk


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
