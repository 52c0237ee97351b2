"""Links: what opens a page, what does not, and where their words are."""

from __future__ import annotations

from starlette.testclient import TestClient

from quorate.web.serve import prepare


def test_a_link_gives_a_cookie_out_of_reach_of_scripts(served):
    entered = served().browser("ana").entered
    assert entered.headers["referrer-policy"] == "no-referrer"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_the_ledger_holds_no_word_of_a_link(served):
    site = served()
    words = [link.rpartition("/")[2] for link in site.opened.links.values()]
    assert {len(word) for word in words} == {22}
    held = site.rows("SELECT hash FROM links")
    assert len(held) == len(set(words)) == 4
    folder = site.opened.asked.study.folder
    everything = b"".join(path.read_bytes() for path in folder.glob("study.db*"))
    assert not [word for word in words if word.encode() in everything]


def test_nobody_comes_in_without_a_link_of_this_page(served):
    site = served()
    client = TestClient(site.app)
    for path, status in {"/": 403, "/study": 403, "/link/nonsense": 404, "/answer": 405, "/link/": 404}.items():
        assert client.get(path).status_code == status, path
    assert client.post("/answer", data={"answer": "A"}).status_code == 403
    assert site.browser("ana").client.get("/study").status_code == 403
    assert site.browser("").client.get("/").url.path == "/study"


def test_new_links_end_the_old_ones(served):
    site = served()
    page = site.browser("ana")
    again = prepare(site.opened.asked.study.path, host="127.0.0.1", port=8000, links=False)
    assert (dict(again.links), again.replaced) == ({}, False)
    assert page.reload().response.status_code == 200
    new = prepare(site.opened.asked.study.path, host="127.0.0.1", port=8000, links=True)
    assert new.replaced
    assert new.links.keys() == site.opened.links.keys()
    assert page.reload().response.status_code == 403
