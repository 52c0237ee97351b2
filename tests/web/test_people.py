"""Links: what opens a page, what does not, and where their words are."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from starlette.testclient import TestClient

import quorate as q
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


ANSWERS = "SELECT a.status, a.score, a.text, a.latency, a.cost FROM attempts AS a ORDER BY a.id"


def test_a_study_of_pairs_is_answered_to_the_end(served):
    site = served(order="both")
    words = {"alpha": "A", "beta": "B"}
    for name in ("ana", "raters 1", "raters 2"):
        page = site.browser(name)
        assert page.title == "Question 1 of 4"
        seen = []
        while "task" in page.form:
            seen.append(tuple(page.texts))
            page.answer(words["alpha"] if page.texts[1].startswith("alpha") else words["beta"])
        assert len(set(seen)) == len(seen) == 4
        assert {texts[0] for texts in seen[:2]} == {"Question 1", "Question 2"}, "each item once before any again"
        assert page.title == "All answered"
    assert q.status(site.opened.asked.study.path).complete
    votes = q.read_votes(site.opened.asked.study.database, announce=False)
    assert votes.n == 12
    assert {row[1] for row in site.rows(ANSWERS)} == {1.0}, "sides are swapped back"


def test_an_answer_that_is_sent_twice_is_recorded_once(served):
    site = served()
    page, other = site.browser("ana"), site.browser("ana")
    assert page.texts == other.texts, "two windows show the same question"
    form = page.form
    page.answer("A", comment="clearer")
    page.send(form, answer="A", comment="clearer")
    other.answer("B")
    (row,) = site.rows(ANSWERS)
    assert row[:2] == ("ok", 1.0)
    assert json.loads(row[2]) == {"verdict": "A", "comment": "clearer"}
    assert 0 <= row[3] < 60
    assert row[4] == 500_000_000
    assert page.title == other.title == "Question 2 of 2"


def test_an_answer_can_be_taken_back_for_a_while(served):
    site = served()
    page = site.browser("ana")
    first = page.texts
    stale = page.form
    assert "disabled" in page.html
    page.answer("A").send(undo="1")
    assert page.texts == first
    assert page.title == "Question 1 of 2"
    page.send(stale, answer="tie")
    assert site.rows("SELECT count(*) FROM cells WHERE accepted IS NOT NULL") == [(0,)], "sent for the answer before"
    page.reload().answer("B")
    assert [row[1] for row in site.rows(ANSWERS)] == [1.0, 0.0]
    assert [row[4] for row in site.rows(ANSWERS)] == [500_000_000, 0], "paid for once"
    site.later(minutes=16)
    second = page.reload().texts
    page.send(undo="1")
    assert page.texts == second
    assert site.rows("SELECT count(*) FROM cells WHERE accepted IS NOT NULL") == [(1,)]


def test_a_skip_is_a_status_and_no_score(served):
    site = served()
    page = site.browser("ana")
    page.send(skip="1", comment="both wrong")
    ((status, score, text, *_),) = site.rows(ANSWERS)
    assert (status, score) == ("refused", None)
    assert json.loads(text) == {"verdict": None, "comment": "both wrong"}
    page.send(undo="1").answer("tie").answer("tie")
    assert page.title == "All answered"
    assert q.status(site.opened.asked.study.path).given_up == 0


@pytest.mark.slow
def test_a_question_comes_back_if_it_is_not_answered(served):
    site = served()
    page = site.browser("ana")
    first, form = page.texts, page.form
    assert site.rows("SELECT calls, reserved FROM spend") == [(0, 1)]
    site.later(minutes=16)
    assert site.ledger(lambda people: people.ledger.expire()) == 1
    assert site.rows("SELECT calls, reserved FROM spend") == [(0, 0)], "what is not answered costs nothing"
    page.send(form, answer="A")
    assert [row[:2] for row in site.rows(ANSWERS)] == [("ok", 1.0)], "it is late, and counts"
    assert page.texts != first


@pytest.mark.slow
def test_the_script_of_the_page_gets_the_next_question_at_once(served):
    page = served().browser("ana")
    own = {**page.form, "answer": "A"}
    answered = page.client.post("/answer", data=own, headers={"Sec-Fetch-Dest": "empty"}, follow_redirects=False)
    assert answered.status_code == 200
    assert "Question 2 of 2" in answered.text
    assert page.client.post("/answer", data=own, follow_redirects=False).status_code == 303


def test_what_is_no_answer_is_refused(served):
    site = served()
    page, other = site.browser("ana"), site.browser("raters 1")
    for fields, status in (
        ({"answer": "C"}, 400),
        ({"answer": ""}, 400),
        ({"answer": "A", "task": "0" * 64}, 400),
        ({"answer": "A", "task": other.form["task"]}, 400),
        ({"answer": "A", "form": other.form["form"]}, 403),
        ({"answer": "A", "form": ""}, 403),
    ):
        assert page.reload().send(**fields).response.status_code == status, fields
    assert site.rows(ANSWERS) == []


@pytest.mark.slow
def test_a_budget_ends_what_is_asked(served):
    page = served(budget={"calls": 1}).browser("ana")
    assert page.answer("A").title == "Nothing to answer"
    assert "no room for further answers" in page.html


def test_scores_are_buttons_or_a_number(served, tmp_path):
    (tmp_path / "own.j2").write_text("Rate {{ response }}. Reply with a number.")
    items = {"file": "items.jsonl"}
    rows = [{"id": "q1", "prompt": "p", "response": "r"}]
    judges = {"ana": {"kind": "person"}}
    site = served(items=items, rows=rows, judges=judges, prompts=["score"])
    page = site.browser("ana")
    assert 'value="10" data-key="0"' in page.html
    assert page.answer("11").response.status_code == 400
    assert page.reload().answer("10").title == "All answered"
    assert site.rows("SELECT score, text FROM attempts") == [(10.0, '{"score": 10}')]
    own = {"own": {"file": "own.j2", "scale": [0, 1], "integer": False, "instructions": "How good?"}}
    site = served(items=items, rows=rows, judges=judges, prompts=own, ledger="own.db")
    page = site.browser("ana")
    assert 'type="number" min="0" max="1" step="any"' in page.html
    assert "How good?" in page.html
    assert "Reply with" not in page.html
    assert page.answer("nan").response.status_code == 400
    assert page.reload().answer("0.25").title == "All answered"
    assert site.rows("SELECT score FROM attempts") == [(0.25,)]


def test_items_that_are_added_while_pages_are_served_are_said_to_need_a_new_start(served, study):
    judges = {"ana": {"kind": "person"}}
    rows = [{"id": f"q{n}", "prompt": "p", "response": "r"} for n in (1, 2)]
    site = served(items="items.jsonl", rows=rows[:1], judges=judges, prompts=["score"])
    page = site.browser("ana")
    prepare(study(items="items.jsonl", rows=rows, judges=judges, prompts=["score"]), host="::1", port=1, links=False)
    page.answer("7")
    assert page.response.status_code == 400
    assert "was added after this study was read" in page.html


def test_a_closed_study_takes_nothing(served):
    site = served()
    page = site.browser("ana")
    site.ledger(lambda people: people.seats.close("ana"))
    assert page.answer("A").title == "Closed"
    assert site.rows(ANSWERS) == []
    site.ledger(lambda people: people.seats.open("ana"))
    assert page.reload().title == "Question 1 of 2"


def test_the_owner_sees_how_far_everybody_is_and_closes_the_study(served):
    site = served()
    page = site.browser("ana").answer("A")
    page.send(skip="1")
    owner = site.browser("")
    shown = owner.client.get("/people")
    cells = re.findall(r"<tr>\n<th scope=\"row\">(.*?)</th>\n<td.*?>(.*?)</td>\n<td.*?>(.*?)</td>", shown.text)
    assert cells == [("ana", "2 of 2", "1"), ("raters 1", "0 of 2", "0"), ("raters 2", "0 of 2", "0")]
    form = re.search(r'name="form" value="(\w+)"', shown.text)[1]
    other = site.browser("raters 1")

    def say(**fields):
        return owner.client.post("/people", data={"form": form, **fields}).status_code

    assert say(form="", close="") == 403
    assert say(close="nobody") == 200
    assert other.reload().title == "Question 1 of 2"
    assert say(close="raters 1") == 200
    assert (other.reload().title, site.browser("raters 2").title) == ("Closed", "Question 1 of 2")
    assert say(open="") == 200
    assert other.reload().title == "Question 1 of 2"
    assert say(close="") == 200
    assert {site.browser(name).title for name in ("raters 1", "raters 2")} == {"Closed"}


def test_the_owner_reads_comments_as_a_table(served):
    site = served()
    page = site.browser("ana").answer("A", comment="first").send(undo="1")
    page.answer("B", comment='=HYPERLINK("x"), "quoted"\nünï')
    page.answer("tie")
    client = site.browser("").client
    (row,) = csv.DictReader(io.StringIO(client.get("/people/comments.csv").text))
    assert (row["judge"], row["score"]) == ("ana", "0.0")
    assert row["comment"] == '\'=HYPERLINK("x"), "quoted"\nünï'
    assert {row["system_a"], row["system_b"]} == {"Alpha-9000", "Beta-XL"}
    assert site.browser("ana").client.get("/people/comments.csv").status_code == 403
    assert served(ledger="other.db").browser("").client.get("/people/comments.csv").text == "comment\r\n"


def test_it_is_for_the_owner_alone(served):
    site = served()
    client = site.browser("ana").client
    assert client.get("/people").status_code == 403
    assert client.post("/people", data={"form": site.browser("ana").form["form"], "close": ""}).status_code == 403
    assert site.browser("raters 1").title == "Question 1 of 2"


def test_a_study_without_people_says_so(served):
    site = served(judges={"rule": {"kind": "python"}})
    assert "No judge of this study is a person." in site.browser("").client.get("/people").text
