"""Links: a word for each, held as a hash."""

from __future__ import annotations

from quorate.collect.ledger.seats import OWNER, Links, hashed


def test_links(planned):
    ledger = planned(1)
    links = Links(ledger)
    words = links.make([OWNER, "ana"])
    assert {name: links.whose(hashed(word)) for name, word in words.items()} == {OWNER: OWNER, "ana": "ana"}
    assert links.held() == {OWNER, "ana"}
    assert links.whose(words["ana"]) is None
    assert links.whose(hashed("")) is None
    new = Links(ledger).make(["ana"])
    assert links.whose(hashed(words["ana"])) is None
    assert links.whose(hashed(new["ana"])) == "ana"
    assert links.whose(hashed(words[OWNER])) == OWNER
