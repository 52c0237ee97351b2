"""Every page as it looks and sounds: on a desk and on a phone, by day and by night, for screen readers.

QUORATE_PICTURES names a folder in which a picture of each is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

WIDTHS = (1280, 380)


def looked_at(tab, name):
    """A page fits both widths, and axe-core finds nothing serious on it, in either colours."""
    folder = os.environ.get("QUORATE_PICTURES")
    for width in WIDTHS:
        tab.size(width=width)
        assert tab.read(script="document.documentElement.scrollWidth <= innerWidth"), f"{name}: scrolls at {width} px"
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            tab.shot(path=str(Path(folder) / f"{name}-{width}.png"))
        for dark in (False, True):
            tab.look(dark=dark)
            found = [one for one in tab.axe() if one["impact"] in {"serious", "critical"}]
            assert found == [], f"{name}: {width} px, {'dark' if dark else 'light'}"
        tab.look(dark=False)


HOSTILE = (
    "<script>alert(1)</script><img src=//evil.example/x.png onerror=alert(2)><svg onload=alert(3)>"
    "<style>body{display:none}</style><meta http-equiv=refresh content='0;url=//evil.example'>"
    "</div></main><form action=//evil.example><iframe src=javascript:alert(4)></iframe>"
    "\x1b[2J\x1b]0;owned\x07\x00\u202e\u2066 {{ 7 * 7 }} javascript:alert(5) ' \" ` --><!-- \r\n"
)
EVIL_NAME = """=cmd|'x'!A0"><script>alert(6)</script>"""
RULES = {"strict": 2, "fair": 3, "kind": 4}
"""Models of recorded scores, each with the step of its scores from item to item."""


def test_pages_of_pairs(serve_pairs):
    site = serve_pairs(2, judges={"ana": {"kind": "person"}, "ben": {"kind": "person"}}, budget={"calls": 3})
    ana = site.tab("ana")
    looked_at(ana, "pair")
    for _ in range(2):
        task = ana.task
        ana.press("1")
        ana.moved(task)
    looked_at(ana, "all-answered")
    ben = site.tab("ben")
    for name, field in (("refused-answer", "answer"), ("refused-form", "form")):
        ben.read(script=f"document.querySelector('#answer [name={field}]').value = 'x'")
        ben.press("1")
        ben.says("That did not work")
        looked_at(ben, name)
        ben.reload()
    task = ben.task
    ben.press("t")
    ben.moved(task)
    ben.titled("Nothing to answer")
    looked_at(ben, "no-room")
    owner = site.tab("")
    owner.wait(script="!document.body.innerText.includes('The estimate is being made')", seconds=120)
    looked_at(owner, "live")
    assert owner.goto(url=f"{site.address}/people") == 200
    looked_at(owner, "people")
    noted = owner.noted()
    assert [one for one in noted if not one.startswith("request: ")] == []
    assert [one for one in noted if site.address not in one] == []
    for name, path in (("no-such-page", "/nowhere"), ("bad-link", "/link/x"), ("wrong-person", "/study")):
        assert ben.goto(url=site.address + path) in {403, 404}
        looked_at(ben, name)
    ben.hold(url=site.address + "/")
    ben.goto(url=site.links["ben"])
    ben.titled("Opening")
    looked_at(ben, "enter")


def test_pages_of_scores_and_hostile_texts(serve):
    conversation = [{"role": role, "content": f"{role} says {HOSTILE}"} for role in ("user", "assistant") * 2]
    rows = [
        {"id": f"{HOSTILE[:60]}", "prompt": HOSTILE, "response": HOSTILE + "word" * 20_000},
        {
            "id": "right to left",
            "prompt": "\u05de\u05d4 \u05d4\u05e9\u05e2\u05d4? " * 9,
            "response": "\u0627\u0644\u0648\u0642\u062a " * 60,
        },
        {
            "id": "turns",
            "conversation": conversation,
            "response": "| a | b |\n|---|---|\n| 1 | 2 |\n```py\nprint(1)\n```",
        },
    ]
    own = {"file": "own.j2", "scale": [1, 10], "integer": False, "instructions": HOSTILE}
    site = serve(
        rows,
        items="items.jsonl",
        judges={EVIL_NAME: {"kind": "person"}},
        prompts={"score": {"built_in": "score"}, "own": own},
        budget={"calls": 50},
        files={"own.j2": "Rate {{ response }}. Reply with a number."},
    )
    eve = site.tab(EVIL_NAME)
    seen = set()
    for turn in range(1, 7):
        assert eve.title == f"Question {turn} of 6"
        kind = eve.read(script="document.querySelectorAll('.choices button').length")
        item = eve.read(script="document.querySelector('.text').textContent.slice(0, 9)")
        if {kind, item} - seen:
            looked_at(eve, f"hostile-{turn}")
        seen |= {kind, item}
        task = eve.task
        if kind == 1:
            eve.click(selector="#number")
            eve.type(text="2.5")
            eve.press("Enter")
        else:
            eve.press("1")
        eve.moved(task)
    assert eve.title == "All answered"
    owner = site.tab("")
    looked_at(owner, "live-hostile")
    for tab in (eve, owner):
        noted = tab.noted()
        assert [one for one in noted if not one.startswith("request: ")] == []
        assert [one for one in noted if site.address not in one] == [], "nothing is asked of anybody else"
    site.once()


def test_nothing_tells_who_wrote_what(serve_pairs):
    site = serve_pairs(3, order="both")
    ana = site.tab("ana")
    sides = []
    for _ in range(6):
        sides.append(ana.read(script="document.querySelector('.pair .text').textContent.split(':')[0]"))
        task = ana.task
        ana.press("ArrowLeft" if sides[-1] == "alpha" else "ArrowRight")
        ana.moved(task)
    assert sorted(sides) == ["alpha"] * 3 + ["beta"] * 3, "either side"
    heard = ana.heard()
    assert heard.count("alpha: in a linen bag") == 6
    for secret in ("Alpha-9000", "Beta-XL", "item-", "model_a", "response_a", "items.jsonl", str(site.path.parent)):
        assert secret not in heard, secret
    assert site.rows("SELECT DISTINCT score FROM attempts") == [(1.0,)], "the sides are swapped back"


def test_the_owner_watches_a_study_in_progress(serve):
    models = {judge: {"kind": "replay", "table": "recorded.csv"} for judge in RULES}
    rows = [{"id": f"item-{n}", "prompt": f"Question {n}?", "response": f"Answer {n}."} for n in range(1, 25)]
    recorded = "".join(
        f"item-{n},{judge},{1 + (n * step) % 5}\n" for judge, step in RULES.items() for n in range(1, 25)
    )
    site = serve(
        rows,
        items="items.jsonl",
        judges={"ana": {"kind": "person"}, **models},
        prompts=["score"],
        budget={"calls": 200},
        files={"recorded.csv": f"item,judge,score\n{recorded}"},
    )
    assert site.run().wait(60) in {0, 2}, site.log
    ana = site.tab("ana")
    for turn in range(4):
        if turn == 1:
            ana.read(script="document.getElementById('comment').value = '=1+1: both <b>stale</b>'")
        task = ana.task
        ana.press("3")
        ana.moved(task)
    owner = site.tab("")
    owner.wait(script="document.querySelectorAll('figure img').length > 0", seconds=120)
    looked_at(owner, "in-progress")
    owner.wait(script="[...document.querySelectorAll('figure img')].every((one) => one.complete && one.naturalWidth)")
    owner.read(script="document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    looked_at(owner, "in-progress-numbers")
    assert owner.goto(url=f"{site.address}/people") == 200
    assert "4 of 24" in owner.read(script="document.querySelector('main').textContent")
    looked_at(owner, "people-in-progress")
    comments = owner.read(script="fetch('/people/comments.csv').then((response) => response.text())")
    assert "'=1+1: both <b>stale</b>" in comments, "no spreadsheet computes it"
    owner.click(selector="button[name=close][value='ana']")
    owner.wait(script="document.querySelector('button[name=open][value=ana]') !== null")
    looked_at(owner, "people-closed")
    noted = owner.noted()
    assert [one for one in noted if not one.startswith("request: ")] == [], "nor is anything against the pages' policy"
    assert [one for one in noted if site.address not in one] == []
