"""What the owner sees of people, and closes."""

from __future__ import annotations

import csv
import io
import re


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
