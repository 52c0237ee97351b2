"""The page of the owner: how far everybody is, what the study says so far, and its buttons."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml
from under_way import scored

from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.web import live as machine
from quorate.web import live as watch
from quorate.web.live import Live, Machine, Watch
from quorate.web.site import Visitor

ESTIMATE = {
    "sentence": "So far <b>.",
    "finished": 1,
    "looks": 0,
    "seconds": 0.1,
    "sections": [
        {
            "title": "The estimate so far",
            "text": ["One.", "Two."],
            "figures": [
                {
                    "name": "looks",
                    "finding": "70%",
                    "lines": ["Band."],
                    "titles": ["answers", "who"],
                    "numbers": [True, False],
                    "rows": [["8", "<script>alert(1)</script>"]],
                    "drawn": True,
                }
            ],
        }
    ],
    "caveats": ["Read this."],
    "charts": {"looks": {"wide": "<svg>wide</svg>", "narrow": "<svg>narrow</svg>"}},
}


@pytest.fixture
def orders(monkeypatch):
    """What the estimator is told to do; it makes nothing new, and writes files that say what was asked for."""
    told = []

    async def order(_, do, **more):
        told.append(do)
        if "path" in more:
            Path(more["path"]).write_text(do, encoding="utf-8")
        return ESTIMATE

    monkeypatch.setattr(Watch, "order", order)
    return told


@pytest.fixture
def owned(served, orders):
    """A study with an answer, and its owner's browser."""
    site = served()
    site.browser("ana").answer("A")
    return site, site.browser("")


def form(page):
    return re.search('name="form" value="([^"]*)"', page.html)[1]


def act(page, do, **other):
    body = urlencode({"form": form(page), "do": do} | other)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return page.client.post("/study/act", content=body, headers=kind, follow_redirects=False)


def test_it_says_how_far_everybody_is_from_sums(owned):
    _, page = owned
    assert page.title == "study"
    shown = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.html))
    assert "ana person 1 of 2" in shown
    assert "raters 2 person 0 of 2" in shown
    assert "finished of 6 cells 1" in shown
    assert "All judges of this study are people" in shown
    assert not re.search(r"<script>|<style|style=| on[a-z]+=", page.html)


def test_the_estimate_is_shown_when_it_is_there(owned, orders):
    _, page = owned
    page.response = page.client.get("/study")
    assert "So far &lt;b&gt;." in page.html
    assert "<script>alert" not in page.html
    assert "<li>Two.</li>" in page.html
    assert page.client.get("/study/chart/looks.svg").text == "<svg>wide</svg>"
    narrow = page.client.get("/study/chart/looks.svg?narrow&n=1")
    assert (narrow.text, narrow.headers["content-type"]) == ("<svg>narrow</svg>", "image/svg+xml")
    assert page.client.get("/study/chart/nothing.svg").status_code == 404
    assert orders == ["estimate"]


def test_only_the_owner_sees_any_of_it(owned, orders):
    site, _ = owned
    person = site.browser("ana")
    for path in ("", "/events", "/chart/looks.svg", "/judgments.csv", "/report", "/start"):
        assert person.client.get(f"/study{path}").status_code == 403
    assert act(person.reload(), "stop").status_code == 403
    assert orders == ["estimate"]
    assert site.browser("raters 1").texts


def test_files_are_made_apart_and_gone_when_sent(owned):
    _, page = owned
    csv = page.client.get("/study/judgments.csv")
    assert (csv.text, csv.headers["content-type"]) == ("judgments", "text/csv; charset=utf-8")
    assert csv.headers["content-disposition"] == 'attachment; filename="judgments.csv"'
    assert page.client.get("/study/judgments.parquet").text == "judgments"
    assert page.client.get("/study/judgments.exe").status_code == 404
    report = page.client.get("/study/report")
    assert report.text == "report"
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in report.headers["content-security-policy"]


def test_who_is_closed_is_shown_at_once(owned):
    site, page = owned
    site.ledger(lambda people: people.set_closed(["raters 1"], closed=True))
    assert act(page, "nothing").headers["location"] == "/study"  # whatever was done is looked at again
    page.response = page.client.get("/study")
    assert page.html.count("person, closed") == 1
    assert 'href="/people"' in page.html


def test_a_button_needs_the_form_of_its_page(owned):
    _, page = owned
    assert act(page, "stop", form="forged").status_code == 403
    assert act(page, "start").status_code == 400  # nobody but people judges here


def test_changes_are_sent_as_they_come(owned):
    site, _ = owned
    live = Live(site.site)

    async def read():
        changes = live.changes(Visitor("", "form"), pause=0.001)
        first = [await anext(changes) for _ in range(3)]
        live.watch.estimate = ESTIMATE | {"sentence": "Later"}
        later = await asyncio.wait_for(anext(changes), 20)
        await live.watch.close()
        return first, later

    first, later = asyncio.run(read())
    assert [event.split("\n")[0] for event in first] == ["event: far", "event: run", "event: estimate"]
    assert later.startswith("event: estimate\n")
    assert "Later" in json.loads(later.split("data: ")[1])


@pytest.fixture(scope="module")
def counted_study(tmp_path_factory):
    return load(scored(tmp_path_factory.mktemp("study"), calls=5, items=2))


def watching(counted_study, order, steps):
    """What steps give that take a `Watch` whose estimator is a function."""

    async def run():
        watched = Watch(counted_study)
        watched.order = order
        try:
            return await steps(watched)
        finally:
            await watched.close()

    return asyncio.run(run())


def test_an_estimate_is_made_once_for_the_same_answers(counted_study):
    made = []

    async def order(do):
        made.append(do)
        return {"sentence": "x", "finished": 5, "looks": 0, "seconds": 0.0}

    async def steps(watched):
        status = await watched.status()
        assert (await watched.status()) is status  # a second has not gone by
        await watched._making
        watched._due = 0.0
        await watched.status()
        await watched._making
        return status

    assert watching(counted_study, order, steps).finished == 5
    assert made == ["estimate"]


def test_it_rests_as_long_as_its_work_is_worth(counted_study, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    made = []

    async def order(do):
        made.append(do)
        return {"finished": 4, "looks": 0, "seconds": 3.0}

    async def steps(watched):
        for at in (100.0, 120.0, 131.0):
            now[0] = at
            await watched.status()
            await watched._making

    watching(counted_study, order, steps)
    assert len(made) == 2  # 3 s of work, 30 s of rest


def test_what_fails_is_said_and_tried_again(counted_study):
    async def order(do):
        raise InvalidInput("ledger: is damaged")

    async def steps(watched):
        await watched.status()
        await watched._making
        return watched.problem

    assert watching(counted_study, order, steps) == "ledger: is damaged"


@pytest.mark.slow
def test_its_process_is_made_again_when_it_has_ended(counted_study):
    async def run():
        watched = Watch(counted_study)
        first = await watched.order("estimate")
        watched._process.kill()
        await watched._process.wait()
        second = await watched.order("estimate")
        with pytest.raises(InvalidInput, match="nowhere"):
            await watched.order("judgments", path="/nowhere/x.csv")
        await watched.close()
        return first["finished"], second["finished"], watched._process.returncode

    assert asyncio.run(run()) == (5, 5, -9)


@pytest.fixture
def study_of_machine(tmp_path):
    """A study whose judges are recorded, some of its cells answered."""
    path = scored(tmp_path, calls=5, items=2)
    judge = {"kind": "replay", "table": "scores.csv"}
    rows = [f"q{i},{name},{judge},7" for i in range(2) for name in ("amber", "basalt") for judge in ("r", "s")]
    (tmp_path / "scores.csv").write_text("\n".join(["item,system,judge,score", *rows]) + "\n", encoding="utf-8")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content |= {"judges": {"r": judge, "s": dict(judge)}, "ledger": "recorded.db", "budget": {"calls": 100}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return load(path)


def test_a_run_is_found_by_the_ledger_and_told_to_end(study_of_machine, monkeypatch):
    told = []
    monkeypatch.setattr(machine.os, "kill", lambda pid, number: told.append((pid, number)))
    with Ledger.open(study_of_machine.database) as ledger:
        found = Machine(study_of_machine)
        assert (found.look(ledger).state, found.refusal) == ("none", "")
        ledger.enlist(60)  # as a run in this process does
        assert found.look(ledger).state == "running"
        found.end(ledger)
        assert told == [(machine.os.getpid(), signal.SIGINT)]
        Machine(study_of_machine).end(ledger, at_once=True)
        assert [number for _, number in told[1:]] == [signal.SIGINT, signal.SIGTERM]
        assert found.look(ledger).state == "pausing"


def test_a_run_elsewhere_and_one_that_is_gone(study_of_machine):
    with Ledger.open(study_of_machine.database) as ledger:
        ledger.store.connection.execute(
            "INSERT INTO runners (name, since, until) VALUES ('otherhost:77', 0, ?)", (ledger.clock() + 60,)
        )
        assert Machine(study_of_machine).look(ledger).state == "elsewhere"
        ledger.store.connection.execute("UPDATE runners SET name = 'person:ana'")
        assert Machine(study_of_machine).look(ledger).state == "none"


def test_functions_of_python_are_not_run_from_a_page(tmp_path):
    functions = load(scored(tmp_path, calls=1, items=2))
    with pytest.raises(InvalidInput, match="are functions of Python"):
        asyncio.run(Machine(functions).start(None))


def reader(ledger):
    """What reads a ledger for a machine."""

    async def read(step):
        await asyncio.sleep(0)  # another click comes in
        return step(ledger)

    return read


def test_however_often_a_run_is_begun_it_is_one(study_of_machine, monkeypatch):
    """Ten clicks on the pages of two servers; and once more when it has ended."""
    begin, begun = asyncio.create_subprocess_exec, []

    async def sleeping(*_, **options):
        begun.append(await begin(machine.sys.executable, "-c", "import time; time.sleep(60)", **options))
        return begun[-1]

    async def clicks():
        with Ledger.open(study_of_machine.database) as first, Ledger.open(study_of_machine.database) as second:
            here, there = Machine(study_of_machine), Machine(study_of_machine)
            for n in (1, 2):
                each = ((here, first), (there, second)) * 5
                await asyncio.gather(*(server.start(reader(ledger)) for server, ledger in each))
                assert len(begun) == n
                assert [here.look(first).state, there.look(second).state] == ["starting", "starting"]
                there.end(second, at_once=True)
                await begun[-1].wait()
            await here.close()
            await there.close()

    monkeypatch.setattr(machine.asyncio, "create_subprocess_exec", sleeping)
    asyncio.run(clicks())


@pytest.mark.slow
def test_a_run_is_begun_and_ends(study_of_machine):
    async def run():
        begun = Machine(study_of_machine)
        with Ledger.open(study_of_machine.database) as ledger:
            await begun.start(reader(ledger))
            states = {begun.look(ledger).state}
            end = time.monotonic() + 60
            while begun.look(ledger).going and time.monotonic() < end:
                states.add(begun.look(ledger).state)
                await asyncio.sleep(0.05)
            over = begun.look(ledger)
            await begun.close()
            return states, over, ledger.status()

    states, over, judges = asyncio.run(run())
    assert "starting" in states
    assert over.state == "ended"
    assert "every cell is answered" in over.words
    assert sum(judge.done for judge in judges) == 8
