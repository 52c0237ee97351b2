"""Battles of a study that are drawn by what their votes tell: chances in the ledger, the same after a kill."""

from __future__ import annotations

import hashlib
import math
import os
import signal
from itertools import combinations

import numpy as np
import pytest

import quorate as q
from quorate.cli import main
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import run as runner
from quorate.errors import InvalidInput
from quorate.study.battles import Battling
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.study.people import People
from quorate.study.questions import questions
from quorate.table.exchange.ledger import columns

NAMED = {"file": "items.jsonl", "system_a": "by_a", "system_b": "by_b"}
STRENGTH = {"a": 2.0, "b": 1.2, "c": 0.0, "d": -0.6, "e": -2.4}


def rows(each):
    """Battles of five systems, so many of every pair."""
    return [
        {"id": f"{one}{two}{n}", "by_a": one, "by_b": two, "prompt": "p", "response_a": one, "response_b": two}
        for one, two in combinations(STRENGTH, 2)
        for n in range(each)
    ]


def chance(name):
    return int(hashlib.sha256(name.encode()).hexdigest()[:12], 16) / 16**12


def fair(request):
    """Votes by the strengths, the same for the same battle."""
    one, two = request.cell["system_a"], request.cell["system_b"]
    better = 1 / (1 + math.exp(STRENGTH[two] - STRENGTH[one]))
    return "A" if chance(request.cell["item"]) < better else "B"


def settings(**more):
    return {"rows": rows(15), "items": NAMED, "prompts": ["pairwise"], "battles": {"batch": 20},
            "budget": {"calls": 60}, **more}  # fmt: skip


def asked(place):
    """What was asked, with the chances."""
    held = columns(place)
    return sorted(zip(*(held[name].tolist() for name in ("item", "judge", "propensity")), strict=True))


def test_battles_are_drawn_by_chances_that_come_back_with_the_votes(study, capsys):
    path = study(**settings())
    quoted = carry_out(load(path), judges={"rule": fair}, yes=False).quote
    assert quoted.cells == 60
    votes = q.run(path, judges={"rule": fair})
    assert "60 battles on 10 pairs of systems, drawn at chances from" in capsys.readouterr().err
    assert votes.n == 60
    facet = votes.facet("propensity")
    drawn = np.array([float(level) for level in facet.levels])[votes.column("propensity")]
    assert (drawn == 0.1).sum() >= 20
    assert drawn.min() >= 0.02
    assert votes.pair("a", "b").n > votes.pair("a", "e").n
    found = q.rank(votes)
    assert "reweighted" in [one.code for one in found.caveats]
    assert (found.systems[0], found.systems[-1]) == ("a", "e")
    status = q.status(path)
    assert (status.cells, status.complete) == (60, True)
    assert "the budget has no room for more" in status.sentence


@pytest.mark.slow
def test_a_study_that_is_stopped_goes_on_with_the_same_battles(study):
    path = study(**settings())
    q.run(path, judges={"rule": fair})
    told, again = [], study(**settings(ledger="stopped.db"))

    def stops(request):
        told.append(request.key)
        if len(told) == 33:
            os.kill(os.getpid(), signal.SIGINT)
        return fair(request)

    with pytest.raises(KeyboardInterrupt):
        q.run(again, judges={"rule": stops})
    assert not q.status(again).complete
    q.run(again, judges={"rule": fair})
    assert asked(load(again).database) == asked(load(path).database.with_name("study.db"))


class Crash(Exception):
    """The end of a process, as far as a ledger can tell."""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before a round is planned", "after it is planned", "after it is asked"])
def test_a_killed_study_goes_on_with_the_same_battles(study, monkeypatch, when):
    whole = study(**settings(ledger="whole.db"))
    q.run(whole, judges={"rule": fair})
    expected = asked(load(whole).database)
    path = study(**settings(ledger="killed.db"))
    owner, name = (runner, "collect") if when == "after it is asked" else (Ledger, "plan")
    real, times = getattr(owner, name), []

    def plan(*given):
        times.append(name)
        if len(times) == 3 and when.startswith("before"):
            raise Crash
        real(*given)
        if len(times) == 3 and when.startswith("after"):
            raise Crash

    async def collect(*given, **more):
        times.append(name)
        found = await real(*given, **more)
        if len(times) == 3:
            raise Crash
        return found

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, collect if name == "collect" else plan)
        with pytest.raises(Crash):
            q.run(path, judges={"rule": fair})
    assert not q.status(path).complete
    q.run(path, judges={"rule": fair})
    assert asked(load(path).database) == expected


def test_all_are_asked_where_the_budget_has_room(study):
    path = study(**settings(rows=rows(2), budget={"calls": 1000}, order="both"))
    votes = q.run(path, judges={"rule": fair})
    assert votes.n == 40
    assert "all are asked" in q.status(path).sentence
    assert q.status(path).complete


@pytest.mark.slow
def test_people_and_models_share_battles_by_price(study):
    judges = {"cheap": {"kind": "python", "price": {"call": 0.01}}, "ann": {"kind": "person", "price": 0.09}}
    path = study(**settings(judges=judges, budget={"calls": 400}))
    assert Battling(questions(load(path))).share == pytest.approx({"cheap": 0.75, "ann": 0.25})
    carried = carry_out(load(path), judges={"cheap": fair})
    assert not carried.outcome.complete
    waiting = {judge.judge: judge.planned for judge in q.status(path).judges}
    assert waiting["ann"] > 0
    held = columns(load(path).database)
    assert set(held["judge"]) == {"cheap"}
    assert len(held["judge"]) + waiting["ann"] == 20
    with Ledger.open(load(path).database) as ledger:
        people = People(ledger, questions(load(path)))
        people.arrange()
        for _ in range(waiting["ann"]):
            task = people.standing("ann").task
            assert people.answer("ann", task.key, task.shown, "A")
    carry_out(load(path), judges={"cheap": fair})
    after = columns(load(path).database)
    assert (len(after["judge"]) > 30, (after["judge"] == "ann").sum()) == (True, waiting["ann"])
    assert q.status(path).cells == 40


def test_the_command_says_how_battles_come(study, monkeypatch, capsys, tmp_path):
    study(**settings(judges={"ann": {"kind": "person"}}))
    monkeypatch.chdir(tmp_path)
    assert main(["run", "study.yaml", "--quote"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "60 cells to ask" in out
    assert "Battles are drawn 20 at a time: the votes before say which pairs get them." in out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"layout": "cyclic"}, "leave layout out"),
        ({"goal": {"prefer": ["a", "b"]}}, "leave goal out"),
        ({"items": {"file": "items.jsonl"}}, "give items.system_a and system_b"),
        ({"battles": {"criterion": "E"}}, "criterion"),
        ({"battles": {"floor": 0}}, "floor"),
    ],
)
def test_what_is_refused(study, changes, said):
    with pytest.raises(InvalidInput, match=said):
        load(study(**settings(**changes)))


def test_a_ledger_of_a_layout_is_not_gone_on_with(study):
    path = study(**settings(battles=None, rows=rows(1)))
    q.run(path, judges={"rule": fair})
    with pytest.raises(InvalidInput, match="start a new ledger"):
        q.run(study(**settings(rows=rows(1))), judges={"rule": fair})
