"""What holds for every request: headers, sizes, rates, and forms of other sites."""

from __future__ import annotations

from starlette.testclient import TestClient

from quorate.web.serve import HEADERS, MOST_BODY, Rates


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
