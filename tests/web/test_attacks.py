"""Attacks, and what becomes of each; docs/security.md has them as a table."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import socket
from contextlib import contextmanager

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from quorate.collect.ledger.seats import LINK, Links, hashed
from quorate.web import live
from quorate.web import serve as guard
from quorate.web.live import Watch
from quorate.web.serve import MOST_BODY, Rates, application

ANSWERED = "SELECT cell, status, score FROM attempts ORDER BY id"
OWN = "application/x-www-form-urlencoded"


@pytest.fixture(autouse=True)
def unestimated(monkeypatch):
    """Pages of the owner without an estimate, which takes a process of its own."""

    async def nothing(_):
        pass

    monkeypatch.setattr(Watch, "_estimate", nothing)


@contextmanager
def unharmed(site):
    """Nothing is recorded meanwhile."""
    before = site.rows(ANSWERED)
    yield
    assert site.rows(ANSWERED) == before


def word_of(site, name):
    return site.link(name).removeprefix(LINK)


# ---- links and cookies


def test_forged_cut_and_changed_links_open_nothing(attacked):
    client, word = TestClient(attacked.app), word_of(attacked, "ana")
    changed = word.swapcase()
    for bad in ("A" * 22, word[:-1], word[:11], word + "A", changed, hashed(word), "%00", word + "%00", "' OR 1=1 --"):
        assert client.get(LINK + bad).status_code == 404, bad
        for cookie in (attacked.site._cookie(False), attacked.site._cookie(True)):
            value = bad.replace(" ", "+")
            assert client.get("/", headers={"Cookie": f"{cookie}={value}"}).status_code == 403, bad
    assert "set-cookie" not in client.get(LINK + changed).headers


def test_an_old_link_is_replayed(attacked):
    page, word = attacked.browser("crowd 1"), word_of(attacked, "crowd 1")
    attacked.ledger(lambda people: Links(people.ledger).make(["crowd 1"]))
    assert page.client.get(LINK + word).status_code == 404
    with unharmed(attacked):
        assert page.answer("A").response.status_code == 403


def test_a_link_of_another_study(attacked, served):
    other = served()
    client = TestClient(attacked.app)
    assert client.get(other.link("ana")).status_code == 404
    word = word_of(other, "ana")
    assert client.get("/", headers={"Cookie": f"{attacked.site._cookie(False)}={word}"}).status_code == 403
    assert attacked.site._cookie(False) != other.site._cookie(False), "two studies of one machine do not share cookies"


def test_a_seat_at_the_page_of_the_owner(attacked):
    page, word = attacked.browser("ana"), word_of(attacked, "ana")
    assert page.client.get("/study").status_code == 403
    forced = {"Cookie": f"{attacked.site._cookie(True)}={word}"}
    assert TestClient(attacked.app).get("/study", headers=forced).status_code == 403
    owner = attacked.browser("").client
    assert owner.post("/answer", data={"answer": "A"}).status_code == 403, "nor the other way round"


def test_a_stolen_cookie_answers_for_its_own_seat_alone(attacked):
    thief, other = attacked.browser("crowd 2"), attacked.browser("crowd 3")
    with unharmed(attacked):
        refused = thief.answer("A", task=other.form["task"]).response
        assert refused.status_code == 400
        assert "no such question" in refused.text
        assert thief.reload().answer("A", task="0" * 64).response.status_code == 400
        assert thief.reload().answer("A", task="x\x00' OR 1=1 --").response.status_code == 400


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites(attacked):
    word = word_of(attacked, "ana")
    plain = TestClient(attacked.app).get(LINK + word).headers["set-cookie"]
    for wanted in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age="):
        assert wanted in plain
    assert "Domain" not in plain
    secure = TestClient(attacked.app, base_url="https://judge.example").get(LINK + word).headers["set-cookie"]
    assert "Secure" in secure, "behind TLS"


def test_words_of_links_are_in_no_log_and_no_referer(attacked, wire, log, capfd):
    word = word_of(attacked, "crowd 4")
    said = wire.send(wire.head("GET", LINK + word, "Connection: close"))
    assert said.startswith(b"HTTP/1.1 200")
    wire.send(b"GET /link/" + word.encode() + b" HTTP/9.9\r\nConnection: close\r\n\r\n")
    assert b"referrer-policy: no-referrer" in said.lower()
    assert word not in said.decode().partition("\r\n\r\n")[2]
    captured = capfd.readouterr()
    assert word not in captured.out + captured.err + "".join(record.getMessage() for record in log)


# ---- requests from elsewhere


def test_a_form_from_elsewhere(attacked):
    page, other = attacked.browser("ana"), attacked.browser("raters 1")
    own = {**page.form, "answer": "A"}
    none = {name: value for name, value in own.items() if name != "form"}
    with unharmed(attacked):
        for fields, headers in (
            (none, {}),
            (none, {"Origin": "https://evil.example"}),
            ({**own, "form": ""}, {}),
            ({**own, "form": "0" * 32}, {}),
            ({**own, "form": other.form["form"]}, {}),
            (own, {"Sec-Fetch-Site": "cross-site"}),
            (own, {"Sec-Fetch-Site": "same-site"}),
        ):
            assert page.client.post("/answer", data=fields, headers=headers).status_code == 403, (fields, headers)


def test_a_form_of_another_type(attacked):
    page = attacked.browser("ana")
    with unharmed(attacked):
        for kind, body in (
            ("application/json", '{"answer": "A"}'),
            ("text/plain", "answer=A\r\n"),
            (
                "multipart/form-data; boundary=x",
                '--x\r\nContent-Disposition: form-data; name="answer"\r\n\r\nA\r\n--x--',
            ),
        ):
            said = page.client.post("/answer", content=body, headers={"Content-Type": kind})
            assert said.status_code == 403, kind


def test_reading_writes_nothing(attacked):
    page = attacked.browser("ana")
    form = {**page.form, "answer": "A"}
    with unharmed(attacked):
        assert page.client.get("/answer", params=form).status_code == 405
        assert page.client.get("/", params={**form, "undo": "1", "skip": "1"}).status_code == 200
        assert page.client.head("/", params=form).status_code in {200, 405}


def test_other_methods_and_their_overrides(attacked):
    page = attacked.browser("ana")
    form = {**page.form, "answer": "A"}
    override = {"X-HTTP-Method-Override": "POST", "X-HTTP-Method": "POST", "X-Method-Override": "POST"}
    with unharmed(attacked):
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"):
            assert page.client.request(method, "/answer", data=form).status_code == 405, method
        assert page.client.get("/answer", params={**form, "_method": "POST"}, headers=override).status_code == 405


def test_another_host_is_no_way_in(attacked):
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    client = TestClient(attacked.app)  # a name that was made to point here: the browser has no cookie for it
    for path in ("/", "/study"):
        assert client.get(path, headers=evil).status_code == 403
    page = attacked.browser("ana")
    said = page.client.post("/answer", data={**page.form, "undo": "1"}, headers=evil, follow_redirects=False)
    assert said.headers["location"] == "/"
    assert "evil" not in page.client.get("/", headers=evil).text


# ---- bodies, heads and rates


def test_bodies_that_are_too_long(attacked, wire):
    page = attacked.browser("ana")
    with unharmed(attacked):
        assert page.client.post("/answer", content=b"x" * (MOST_BODY + 1)).status_code == 413
        for length, status in (("99999999999999", b"413"), ("-1", b"400"), ("1e9", b"400"), ("5, 6", b"400")):
            said = wire.send(wire.head("POST", "/answer", f"Content-Length: {length}"), b"answer=A")
            assert said.startswith(b"HTTP/1.1 " + status), length


def test_a_body_without_end(wire):
    piece = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    said = wire.send(wire.head("POST", "/answer", "Transfer-Encoding: chunked"), *[piece] * 20)
    assert said == b"" or said.startswith(b"HTTP/1.1 413")
    assert b"<silent>" not in said, "closed"


def test_a_body_that_comes_byte_by_byte(wire, monkeypatch):
    monkeypatch.setattr(guard, "SLOWEST_BODY", 0.2)
    said = wire.send(wire.head("POST", "/answer", "Content-Length: 100"), *[b"x"] * 3, pause=0.01)
    assert said.startswith(b"HTTP/1.1 408")
    assert b"<silent>" not in said


def test_too_many_headers_and_too_long_ones(attacked, wire):
    many = [f"X-{number}: y" for number in range(5000)]
    for lines in (many, ["X: " + "y" * 100_000], ["Cookie: " + "; ".join(["a=b"] * 20_000)]):
        assert wire.send(wire.head("GET", "/", *lines))[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 431", b""}, lines[0][:20]
    assert wire.send(wire.head("GET", "/", *many[:101])).startswith(b"HTTP/1.1 431")
    assert wire.send(wire.head("GET", "/" + "a" * 100_000))[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 431", b""}
    assert wire.send(wire.head("GET", "/static/icon.svg", "Connection: close")).startswith(b"HTTP/1.1 200")


@pytest.mark.wide(8)
@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize(
    "lengths",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Content-Length: 5", "transfer-encoding: CHUNKED"),
        ("Content-Length: 5", "Transfer-Encoding : chunked"),
        ("Content-Length: 5", "Transfer-Encoding: chunked, identity"),
        ("Content-Length: 5", "Transfer-Encoding: identity, chunked"),
        ("Content-Length: 5", "Transfer-Encoding: xchunked"),
        ("Content-Length: 5", "Transfer-Encoding:", " chunked"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: +5",),
        ("Content-Length: 0x5",),
        ("Content-Length: 5, 6",),
    ],
    ids=" ".join,
)
def test_two_lengths_of_one_body(attacked, wire, method, lengths):
    page = attacked.browser("ana")
    hidden = wire.head("GET", LINK + word_of(attacked, "crowd 5"))
    with unharmed(attacked):
        said = wire.send(wire.head(method, "/answer", *lengths) + b"0\r\n\r\n" + hidden)
        assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501")), said[:200]
        assert said.count(b"HTTP/1.1 ") == 1, "what follows is no second request"
        assert b"<silent>" not in said, "closed"
        assert b"set-cookie" not in said.lower()
    assert page.reload().response.status_code == 200


def test_too_many_fields(attacked):
    page = attacked.browser("ana")
    with unharmed(attacked):
        for body in ("&".join(f"a{n}=1" for n in range(1000)), "&" * 5000, "=" * 60_000, "%" * 60_000):
            said = page.client.post("/answer", content=body, headers={"Content-Type": OWN})
            assert said.status_code in {400, 403}


def test_a_visitor_in_a_hurry_is_told_to_wait_whatever_cookies_are_made_up(attacked):
    app = application(attacked.opened.asked, rates=Rates(rate=0.001, burst=3))
    client = TestClient(app)
    cookie = attacked.site._cookie(False)
    found = [client.get("/", headers={"Cookie": f"{cookie}={number}"}).status_code for number in range(5)]
    assert found == [403, 403, 403, 429, 429]
    app.state.site.desk.close()


def test_the_pace_of_a_visitor_leaves_others_alone(attacked):
    app = application(attacked.opened.asked, rates=Rates(rate=0.001, burst=3))
    cookies = [{"Cookie": f"{attacked.site._cookie(False)}={word_of(attacked, name)}"} for name in ("ana", "raters 1")]
    client = TestClient(app)
    assert [client.get("/", headers=cookie).status_code for cookie in cookies] == [200, 200]
    assert [client.get("/", headers=cookies[0]).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert client.get("/", headers=cookies[1]).status_code == 200
    app.state.site.desk.close()


# ---- injection


def test_line_ends_become_no_headers(attacked, wire):
    page = attacked.browser("crowd 6")
    evil = "a\r\nSet-Cookie: owned=1\r\n\r\n<script>alert(1)</script>"
    said = page.client.post("/answer", data={**page.form, "answer": "A", "comment": evil}, follow_redirects=False)
    assert said.headers["location"] == "/"
    assert "owned" not in str(said.headers)
    for path in ("/link/x%0d%0aSet-Cookie:%20owned=1", "/%0d%0aSet-Cookie:%20owned=1", "/static/%0d%0aX:y"):
        answer = wire.send(wire.head("GET", path, "Connection: close"))
        assert b"owned" not in answer.partition(b"\r\n\r\n")[0], path
    assert wire.send(b"GET / HTTP/1.1\r\nHost: a\nX: owned\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 4")


def test_paths_lead_nowhere_else(wire):
    for path in (
        "/static/../people.py",
        "/static/..%2fpeople.py",
        "/static/%2e%2e/people.py",
        "/static/..%5cpeople.py",
        "/static/%252e%252e/people.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/site.css%00.html",
        "/../../etc/passwd",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/",
        "/static",
        "/study.db",
        "/link/../study",
        "/" + "%f0%9f" * 9,
    ):
        said = wire.send(wire.head("GET", path, "Connection: close"))
        assert re.match(rb"HTTP/1.1 (403|404|405|307)", said), (path, said[:60])
        assert b"import" not in said
        assert b"root:" not in said
    assert wire.send(wire.head("GET", "http://evil.example/", "Connection: close"))[:12] in {
        b"HTTP/1.1 403",
        b"HTTP/1.1 404",
    }


def test_a_web_socket_is_not_opened(attacked, wire):
    wanted = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA==")
    assert not wire.send(wire.head("GET", "/", *wanted), seconds=0.3).startswith(b"HTTP/1.1 101")
    with pytest.raises(WebSocketDisconnect), TestClient(attacked.app).websocket_connect("/"):
        pass


# ---- answers


def test_answers_off_the_scale(served):
    rows = [{"id": "q1", "prompt": "p", "response": "r"}]
    judges = {"ana": {"kind": "person"}}
    site = served(items={"file": "items.jsonl"}, rows=rows, judges=judges, prompts=["score"])
    page = site.browser("ana")
    with unharmed(site):
        for word in (
            *("nan", "inf", "-inf", "1e999", "-1", "0", "11", "1e2", "5.5", "9" * 5000, "0x5", "true", "", " ", "[5]"),
            *("5,5", '{"score": 5}', "5\x00", "5; DROP TABLE cells", "=1+1", "None"),
        ):
            assert page.reload().answer(word).response.status_code == 400, word
        for form in ({"answer[]": "5"}, {"Answer": "5"}, {}):
            assert page.reload().send(**form).response.status_code == 400, form
    page.reload().send(answer=["5", "7"])
    ((_, _, score),) = site.rows(ANSWERED)
    assert score == 7, "one answer, the last of the fields"


def test_an_answer_used_again_with_another_word(attacked):
    page = attacked.browser("crowd 7")
    form = page.form
    page.answer("A")
    with unharmed(attacked):
        for word in ("B", "tie"):
            assert page.send(form, answer=word).response.status_code == 200
        page.send(form, skip="1")
        page.send({**form, "shown": "1"}, answer="B")
        page.send({**form, "shown": "-1"}, answer="B")
        page.send({**form, "shown": "9" * 5000}, answer="B")


def test_an_undo_that_is_sent_again_takes_one_answer_back(attacked):
    page = attacked.browser("crowd 8")
    page.answer("A")
    form = page.form
    page.answer("B").reload()
    last = {"form": form["form"], "undo": "1"}
    for _ in range(3):
        page.send(last)
    assert page.title == "Question 2 of 2"


def test_an_answer_after_its_time(served):
    site = served(budget={"calls": 1})
    page, other = site.browser("ana"), site.browser("raters 1")
    assert other.title == "Nothing to answer", "the one call is reserved"
    form = page.form
    site.later(minutes=16)
    site.ledger(lambda people: people.ledger.expire())
    other.reload().answer("B")
    with unharmed(site):
        page.send(form, answer="A")
    assert site.rows("SELECT calls, reserved FROM spend") == [(1, 0)]


def test_an_answer_to_a_closed_study(attacked):
    page = attacked.browser("crowd 9")
    form = page.form
    attacked.ledger(lambda people: people.seats.close("crowd 9"))
    with unharmed(attacked):
        assert page.answer("A").title == "Closed"
        page.send(form, answer="A").send(form, undo="1")
    assert "task" not in page.form


# ---- what pages give away, and let be done with them


def test_pages_in_frames_caches_and_guesses(attacked):
    page = attacked.browser("ana").client
    for path in ("/", "/study", "/nowhere", "/static/task.js", "/answer", LINK + "x"):
        headers = page.get(path).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "form-action 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert path.startswith("/static/") or headers["cache-control"] == "no-store"
        assert headers["content-type"].partition(";")[0] in {"text/html", "text/javascript", "text/plain"}
        assert "server" not in headers


def test_what_was_refused_gives_nothing_away(attacked):
    page = attacked.browser("ana")
    for said in (page.answer("C"), page.reload().answer("A", task="0" * 64), page.reload().answer("A", form="x")):
        everything = said.html + str(said.response.headers)
        for secret in ("Alpha-9000", "Beta-XL", "q1", "Traceback", str(attacked.opened.asked.study.folder)):
            assert secret not in everything


# ---- what is the owner's


def test_what_is_the_owners_is_for_nobody_else(attacked):
    stranger, seat = TestClient(attacked.app), attacked.browser("ana").client
    for client in (stranger, seat):
        for path in ("/study", "/study/events", "/study/start", "/study/report", "/study/judgments.csv"):
            assert client.get(path).status_code == 403, path
        for path in ("/study/judgments.parquet", "/study/chart/looks.svg", "/people", "/people/comments.csv"):
            assert client.get(path).status_code == 403, path
        for path, fields in (("/study/act", {"do": "stop"}), ("/people", {"close": ""})):
            assert client.post(path, data=fields).status_code == 403, path
    assert attacked.browser("raters 2").title.startswith("Question"), "the study is open"


def test_buttons_of_the_owner_pressed_from_elsewhere(attacked):
    owner = attacked.browser("").client
    for path, fields in (("/study/act", {"do": "start"}), ("/study/act", {"do": "stop"}), ("/people", {"close": ""})):
        for form in ({}, {"form": "0" * 32}, {"form": attacked.browser("ana").form["form"]}):
            assert owner.post(path, data={**fields, **form}).status_code == 403
        assert owner.post(path, data=fields, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert attacked.browser("raters 2").title.startswith("Question"), "the study is open"


def test_formulas_and_html_in_comments(served):
    site = served()
    page = site.browser("ana")
    for comment in ('=HYPERLINK("//evil.example")', "<script>alert(1)</script>\r\nSet-Cookie: owned=1"):
        page.answer("A", comment=comment)
    owner = site.browser("").client
    said = owner.get("/people/comments.csv")
    assert said.headers["content-type"].startswith("text/csv")
    assert said.headers["content-disposition"] == 'attachment; filename="comments.csv"'
    assert said.headers["x-content-type-options"] == "nosniff"
    rows = list(csv.DictReader(io.StringIO(said.text)))
    assert sorted(row["comment"][:3] for row in rows) == ["'=H", "<sc"]
    assert not [value for row in rows for value in row.values() if value[:1] in set("=+-@")]
    for path in ("/study", "/people"):
        assert "alert(1)" not in owner.get(path).text


def test_pages_that_watch_without_end(attacked, wire, monkeypatch):
    monkeypatch.setattr(live, "MOST_OPEN", 2)
    cookie = f"Cookie: {attacked.site._cookie(True)}={word_of(attacked, '')}"
    asked = wire.head("GET", "/study/events", cookie)
    lines = []
    for _ in range(3):
        lines.append(socket.create_connection(("127.0.0.1", wire.port), timeout=20))
        lines[-1].sendall(asked)
        assert lines[-1].recv(12) == (b"HTTP/1.1 429" if len(lines) == 3 else b"HTTP/1.1 200")
        while len(lines) < 3 and b"event: far" not in lines[-1].recv(65536):
            pass
    person = f"Cookie: {attacked.site._cookie(False)}={word_of(attacked, 'raters 2')}"
    assert wire.send(wire.head("GET", "/", person, "Connection: close")).startswith(b"HTTP/1.1 200")
    for line in lines:
        line.close()


def test_a_page_that_watches_with_a_link_that_has_ended(attacked, monkeypatch):
    async def changes(*_):
        yield "one"
        yield "two"

    monkeypatch.setattr(live.Live, "changes", changes)
    word = word_of(attacked, "")
    cookie = f"{attacked.site._cookie(True)}={word}".encode()
    request = Request({"type": "http", "headers": [(b"cookie", cookie)]})
    page = live.Live(attacked.site)

    async def watched():
        told = page.stream(request, await attacked.site.owner(request))
        first = await anext(told)
        attacked.ledger(lambda people: Links(people.ledger).make([""]))
        return [first, *[change async for change in told]]

    assert asyncio.run(watched()) == ["one"]
    assert page._open == 0
