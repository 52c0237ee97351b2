import asyncio
import json
import sqlite3
import threading
from contextlib import closing

import hostile
import pytest

import quorate as q
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.loop import carry_out, plan, quotation
from quorate.study.questions import questions

CANARY = "sk-canary-5f2e9d"


def length(request):
    return len(request.messages[-1].content) % 10 + 1


def test_a_study_is_carried_out(study):
    path = study(prompts=["score", "score-reasoned"], temperatures=[0, 0.7], replicates=2)
    found = q.run(path, judges={"rule": length})
    assert found.names == ("item", "prompt", "judge", "temperature")
    assert int(found.n.sum()) == 24
    assert q.status(path).complete
    assert int(q.read(path.with_suffix(".db")).n.sum()) == 24


def test_it_goes_on_where_it_was(study):
    asked = []

    def rule(request):
        asked.append(request.key)
        return 5

    path = study(replicates=4, budget={"calls": 5})
    carried = carry_out(load(path), judges={"rule": rule})
    assert (carried.quote.cells, carried.outcome.complete, carried.outcome.left) == (12, False, 7)
    carried = carry_out(load(study(replicates=4, budget={"calls": 50})), judges={"rule": rule})
    assert (carried.quote.cells, carried.quote.done, carried.outcome.complete) == (7, 5, True)
    assert len(asked) == len(set(asked)) == 12
    assert carry_out(load(path), judges={"rule": rule}).outcome.complete
    assert len(asked) == 12


@pytest.mark.slow
def test_what_is_incomplete_is_said(study, capsys):
    found = q.run(study(budget={"calls": 2}), judges={"rule": length})
    assert int(found.n.sum()) == 2
    assert "the budget has no room for another call; 1 cell is left" in capsys.readouterr().err


@pytest.mark.slow
def test_why_an_adaptive_run_ended_is_said_though_it_is_complete(study, capsys):
    rows = [{"id": f"q{n}", "prompt": "p", "response": "r"} for n in range(2)]
    q.run(study(rows=rows, adaptive={"name": "uniform", "batch": 4}, budget={"calls": 12}), judges={"rule": length})
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("quorate: 12 of 12 calls made")


def test_more_items_are_more_cells(study):
    rows = [{"id": f"q{n}", "prompt": "p", "response": "r" * n} for n in range(6)]
    q.run(study(rows=rows[:3]), judges={"rule": length})
    carried = carry_out(load(study(rows=rows)), judges={"rule": length})
    assert (carried.quote.cells, carried.quote.done) == (3, 3)
    with pytest.raises(InvalidInput, match="4 cells that the study no longer has"):
        q.run(study(rows=rows[:2]), judges={"rule": length})


CHANGES = {
    "rubric": ({"prompts": {"score": "score-reasoned"}}, 'prompt "score" changed.* or go back to the old wording'),
    "judge": ({"judges": {"rule": {"kind": "python", "version": "2"}}}, 'judge "rule" changed'),
    "item": ({"rows": [{"id": "q1", "prompt": "x", "response": "y"}]}, 'item "q1" changed'),
    "seed": ({"seed": 9}, "the seed was 1"),
    "facets": ({"temperatures": [0]}, "the ledger has the facets item, prompt, judge"),
    "replicates": ({"replicates": 1}, "3 cells that the study no longer has"),
}


@pytest.mark.wide(1)
@pytest.mark.parametrize(("changes", "said"), CHANGES.values(), ids=CHANGES)
def test_what_changed_is_refused_and_the_ledger_stays(study, changes, said):
    path = study(replicates=2)
    q.run(path, judges={"rule": length})
    before = path.with_suffix(".db").read_bytes()
    with pytest.raises(InvalidInput, match=said):
        q.run(study(**{"replicates": 2, **changes}), judges={"rule": length})
    assert path.with_suffix(".db").read_bytes() == before
    assert q.run(study(replicates=2), judges={"rule": length}).n.sum() == 6


def test_a_quote_changes_nothing(study):
    path, seen = study(), []
    with pytest.raises(InvalidInput, match="declined, so nothing was asked"):
        q.run(path, judges={"rule": length}, yes=seen.append)
    assert seen[0].cells == 3
    assert not path.with_suffix(".db").exists()
    q.run(study(prompts=["score-reasoned"]), judges={"rule": length})
    with pytest.raises(InvalidInput, match="declined"):
        q.run(study(prompts=["score-reasoned"]), judges={"rule": length}, yes=seen.append)
    assert (seen[1].cells, seen[1].done) == (0, 3)


def test_a_recorded_table_answers_as_it_was(study, tmp_path):
    rows = "".join(f"q{n},score,r,{r},{n + r}\n" for n in (1, 2, 3) for r in (1, 2))
    (tmp_path / "scores.csv").write_text(f"item,prompt,judge,replicate,score\n{rows}")
    found = q.run(study(judges={"r": {"kind": "replay", "table": "scores.csv"}}, replicates=2, budget={"money": 0}))
    assert sorted(found.mean.tolist()) == [2.5, 3.5, 4.5]


def test_it_runs_where_a_loop_is_running(study):
    async def notebook():
        return q.run(study(), judges={"rule": length})

    assert asyncio.run(notebook()).n.sum() == 3


@pytest.fixture
def server():
    """The hostile server in a thread of its own."""
    ready, ended = threading.Event(), threading.Event()
    held = {}

    async def serve():
        async with hostile.hostile(seconds=50) as state:
            held["state"] = state
            ready.set()
            while not ended.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield held["state"]
    ended.set()
    thread.join(10)


def judge(server, behaviour, **changes):
    return {
        "kind": "endpoint",
        "base_url": server.url(behaviour),
        "model": "m",
        "key_env": "QUORATE_TEST_KEY",
        "params": {"max_tokens": 20},
        "price": {"input": 1, "output": 1},
        **changes,
    }


def test_an_endpoint_is_asked_and_paid(study, server, monkeypatch):
    monkeypatch.setenv("QUORATE_TEST_KEY", CANARY)
    path = study(judges={"m": judge(server, "ok")}, replicates=4, budget={"money": 1})
    found = q.run(path)
    assert found.n.sum() == 12
    assert sum(server.done.values()) == 12
    said = [json.loads(one.body)["messages"] for one in server.seen]
    assert sorted(set(found.mean.tolist())) == sorted({float(hostile.truth(messages)) for messages in said})
    spend = q.status(path).spend
    assert (spend.calls, spend.unpriced) == (12, 0)
    assert spend.money == pytest.approx(12 * 110 / 1e6)


def test_the_budget_in_money_holds(study, server, monkeypatch):
    monkeypatch.setenv("QUORATE_TEST_KEY", CANARY)
    path = study(judges={"m": judge(server, "ok")}, replicates=30, budget={"money": 0.004})
    q.run(path)
    spend = q.status(path).spend
    assert 0 < spend.money <= 0.004
    assert sum(server.done.values()) == spend.calls < 90


@pytest.mark.parametrize("behaviour", ["echo", "echo-401", "echo-escaped"])
def test_no_key_is_kept_or_said(study, server, monkeypatch, capsys, tmp_path, behaviour):
    monkeypatch.setenv("QUORATE_TEST_KEY", CANARY)
    path = study(judges={"m": judge(server, behaviour)})
    carried = carry_out(load(path))
    with closing(sqlite3.connect(path.with_suffix(".db"))) as connection, connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    printed = "".join(capsys.readouterr())
    assert server.done[behaviour] > 0
    assert CANARY not in dump + printed + str(carried) + str(q.status(path))
    assert CANARY.encode() not in files


def test_a_judge_with_a_wrong_key_is_reported(study, server, monkeypatch):
    monkeypatch.setenv("QUORATE_TEST_KEY", CANARY)
    judges = {"m": judge(server, "401"), "rule": {"kind": "python"}}
    outcome = carry_out(load(study(judges=judges)), judges={"rule": length}).outcome
    assert (outcome.complete, outcome.left, set(outcome.dead)) == (False, 3, {"m"})


def test_a_quote_needs_no_key(study, monkeypatch):
    monkeypatch.delenv("QUORATE_TEST_KEY", raising=False)
    endpoint = {"kind": "endpoint", "base_url": "http://127.0.0.1:1/v1", "model": "m", "key_env": "QUORATE_TEST_KEY"}
    path, shown = study(judges={"m": endpoint}), []
    carried = carry_out(load(path), yes=False)
    assert (carried.outcome, carried.quote.cells) == (None, 3)
    for yes in (True, shown.append):
        with pytest.raises(InvalidInput, match="QUORATE_TEST_KEY is not set"):
            q.run(path, yes=yes)
    assert not shown
    with pytest.raises(InvalidInput, match="url: must be an http"):
        carry_out(load(study(judges={"m": endpoint | {"base_url": "m.local"}})), yes=False)


def test_a_judge_that_always_fails_is_the_reason_why_there_is_nothing(study):
    path = study()
    with pytest.raises(
        InvalidInput, match=r"study.db: holds no answers: rule does not answer .*Zero.*; see quorate stat"
    ):
        q.run(path, judges={"rule": lambda _: 1 / 0})
    with pytest.raises(InvalidInput, match="has no rows; of the ledger of a study, quorate status STUDY says why"):
        q.read(path.with_suffix(".db"))


def test_a_quote_beside_a_runner_that_plans_is_of_one_moment(study, monkeypatch):
    """Another runner plans between the two looks: its cells are not cells that the study no longer has."""
    loaded = load(study(replicates=4))
    Ledger.open(loaded.database).close()
    real = Ledger.lacks

    def meanwhile(self, cells, keys):
        found = real(self, cells, keys)
        asked = questions(loaded)
        with Ledger.open(loaded.database) as other:
            plan(other, asked)
        return found

    monkeypatch.setattr(Ledger, "lacks", meanwhile)
    asked = questions(loaded)
    assert quotation(asked).cells == 12


def test_what_was_never_recorded_is_not_asked(study, tmp_path):
    (tmp_path / "scores.csv").write_text("item,judge,replicate,score\nq1,r,1,3\nq1,r,2,4\nq3,r,1,5\n")
    path = study(judges={"r": {"kind": "replay", "table": "scores.csv"}}, replicates=2, budget={"calls": 100})
    seen = []
    found = q.run(path, yes=lambda quote: seen.append(quote) or True)
    assert (seen[0].cells, seen[0].unrecorded) == (3, 3)
    assert (found.n.tolist(), q.status(path).spend.calls, q.status(path).complete) == ([2, 1], 3, True)
    q.run(path)
    assert q.status(path).spend.calls == 3
