"""Turns: whoever plans first has the turn, and what is recorded is recorded with its cells or not at all."""

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import quorate as q
from quorate.collect.judge import ERROR, Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Ended, Limits, RunOutcome
from quorate.errors import InvalidInput
from quorate.study import loop
from quorate.study.battles import Turn, in_turns
from quorate.study.file import load
from quorate.study.loop import carry_out
from quorate.study.questions import questions
from quorate.study.rounds import Rounds, policy_of
from quorate.table.exchange.postgres import session as postgres
from quorate.table.facets import OK

ROWS = [{"id": name, "prompt": "p", "response": name} for name in ("calm", "torn")]
MANY = [{"id": f"q{n}", "prompt": "p", "response": "r", "kind": ("x", "y")[n % 2], "weight": 1 + n} for n in range(6)]


def rule(request):
    """The same for one item, up and down for the other."""
    number = int(request.cell["replicate"])
    return 5 if request.cell["item"] == "calm" else (1, 9)[number % 2]


def drawn(cell):
    """A score from 1 to 10 that follows from the cell, wide for items of a high number; some cannot be read."""
    text = "/".join(f"{name}={cell[name]}" for name in sorted(cell))
    number = int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)
    spread = min(int(cell["item"][1:]), 4)
    return None if number % 17 == 0 else 5.0 + (number // 17 % (2 * spread + 1)) - spread


def by_cell(request):
    return drawn(dict(request.cell))


def adaptive(study, calls=60, **settings):
    return study(rows=ROWS, adaptive={"batch": 8, **settings}, budget={"calls": calls})


def functions(names, function):
    return dict.fromkeys(names, function)


def held(path):
    """Every finished cell of a ledger with its score, as text."""
    with closing(sqlite3.connect(path.with_suffix(".db"))) as connection, connection:
        cursor = connection.execute("SELECT * FROM judgments")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
    connection.close()
    gone = ("status", "cost", "tokens_in", "tokens_out", "latency", "at")
    return sorted(json.dumps({name: row[name] for name in row if name not in gone}, sort_keys=True) for row in rows)


def calls_of(path, most=None):
    """The calls that the policy of a study makes by itself, without a ledger, in batches."""
    found = load(path)
    policy = policy_of(questions(found), {name: one.price.call for name, one in found.judges.items() if one.price})
    progress, asked = policy.start(), []
    while most is None or len(asked) < most:
        batch = found.adaptive.batch if most is None else min(found.adaptive.batch, most - len(asked))
        cells = policy.next_cells(progress, batch)
        if not len(cells) or (most is not None and len(cells) > most - len(asked)):
            break
        columns = [[str(value) for value in cells.column(name)] for name in cells.columns]
        rows = [dict(zip(cells.columns, row, strict=True)) for row in zip(*columns, strict=True)]
        progress = progress.answered(cells, [drawn(row) for row in rows])
        asked += [json.dumps({**row, "replicate": int(row["replicate"]), "score": drawn(row)}) for row in rows]
    return sorted(json.dumps(json.loads(row), sort_keys=True) for row in asked), policy, progress


@pytest.mark.slow
def test_more_is_asked_where_scores_vary(study):
    path = adaptive(study)
    carried = carry_out(load(path), judges={"rule": rule})
    assert (carried.outcome.complete, carried.outcome.finished, carried.outcome.calls) == (True, 60, {"rule": 60})
    assert carried.reached == "60 of 60 calls made, 0 of them failed; the budget has no room for more"
    found = q.read(path.with_suffix(".db"))
    n = dict(zip(found.facet("item").levels, np.bincount(found.column("item"), found.n), strict=True))
    assert n["torn"] > 1.5 * n["calm"]


STUDIES = {
    "robin-hood": {"adaptive": {"delta": 0.3}},
    "average by price": {"adaptive": {"delta": 0.3, "objective": "average"}, "budget": {"money": 2.0}},
    "a cycle of temperatures": {"adaptive": {"delta": 0.3, "cycle": "temperature"}, "temperatures": [0, 0.7]},
    "weights by label": {"adaptive": {"delta": 0.3, "weights": {"category": {"x": 4}, "judge": {"a": 2}}}},
}


@pytest.mark.wide(1)
@pytest.mark.parametrize("changes", STUDIES.values(), ids=STUDIES)
def test_the_calls_are_those_of_the_policy(study, changes):
    """With failures among the answers, prompts that differ, and items in categories; no round is made smaller."""
    settings = {"items": {"file": "items.jsonl", "category": "kind"}, "budget": {"calls": 160}, **changes}
    price = {"a": 0.01, "b": 0.03}
    path = study(
        rows=MANY,
        judges={name: {"kind": "python", "price": {"call": price[name]}} for name in "ab"},
        **{**settings, "adaptive": {"batch": 37, "give_up": 37, **settings["adaptive"]}},
    )
    carried = carry_out(load(path), judges=functions("ab", by_cell))
    rows, budget = held(path), load(path).budget
    assert carried.outcome.complete
    assert len(set(rows)) == len(rows) == carried.outcome.finished
    assert rows == calls_of(path, budget.calls or len(rows))[0]
    assert carried.outcome.given_up == sum('"score": null' in row for row in rows) > 0
    found = q.read(path.with_suffix(".db"))
    assert found.facet("item").parent == "category"
    assert int(found.n.sum()) == len(rows) - carried.outcome.given_up
    spend = q.status(path).spend
    if budget.money:
        assert budget.money - 0.03 < spend.money <= budget.money
    else:
        assert budget.calls - 2 < spend.calls <= budget.calls


@pytest.mark.slow
def test_robin_goes_by_the_variances_of_an_earlier_ledger(study):
    judges = {"a": {"kind": "python"}}
    path = study(rows=MANY, judges=judges, adaptive={"name": "uniform"}, budget={"calls": 120})
    q.run(path, judges=functions("a", by_cell))
    path.with_suffix(".db").rename(path.parent / "before.db")
    path = study(rows=MANY, judges=judges, adaptive={"name": "robin", "variances": "before.db"}, budget={"calls": 200})
    found = q.run(path, judges=functions("a", by_cell))
    rows, policy, _ = calls_of(path, 200)
    assert held(path) == rows
    assert policy.name == "robin"
    n = dict(zip(found.facet("item").levels, np.bincount(found.column("item"), found.n), strict=True))
    assert n["q4"] > 3 * n["q1"] > 0


STOPS = {
    "a half-width": {"target": 2.5, "level": 0.9, "together": False},
    "by t": {"target": 1.0, "interval": "t"},
    "two judges": {"objective": "boundary", "between": "judge", "tolerance": 3.0, "decide": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("settings", STOPS.values(), ids=STOPS)
def test_it_stops_early_and_says_why(study, settings):
    judges = {name: {"kind": "python"} for name in "ab"}
    path = study(rows=MANY, judges=judges, adaptive={"delta": 0.3, "batch": 40, **settings}, budget={"calls": 20_000})
    carried = carry_out(load(path), judges=functions("ab", by_cell))
    rows, policy, progress = calls_of(path)
    assert held(path) == rows
    assert policy.reached(progress)
    assert carried.outcome.ended is Ended.COMPLETE
    wanted = "you asked for" if "target" in settings else "you asked"
    assert carried.reached.startswith(wanted)
    assert carried.reached.endswith(f"; reached after {len(rows):,} of 20,000 calls")
    assert carried.reached in q.status(path).sentence
    assert q.status(path).complete
    again = carry_out(load(path), judges=functions("ab", by_cell))
    assert (again.quote.cells, again.outcome.finished, again.reached) == (0, 0, carried.reached)


@pytest.mark.slow
def test_it_goes_on_as_if_it_had_not_been_interrupted(study):
    whole = adaptive(study)
    q.run(whole, judges={"rule": rule})
    expected = held(whole)
    whole.with_suffix(".db").unlink()
    asked = []

    def breaks(request):
        asked.append(request.key)
        if len(asked) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return rule(request)

    settings = load(adaptive(study))
    first = carry_out(settings, judges={"rule": breaks})
    assert first.outcome.ended is Ended.STOPPED
    assert 0 < first.outcome.finished < 60
    assert first.reached.startswith(f"{first.outcome.finished} of 60 calls made")
    assert "no room" not in first.reached
    assert not q.status(whole).complete
    assert carry_out(settings, judges={"rule": breaks}).outcome.complete
    assert held(whole) == expected
    assert len(set(asked)) == 60


RUNNER = """
import json, os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_rounds import by_cell
from quorate.study.file import load
from quorate.study import loop
from quorate.study.loop import carry_out

def slow(request):
    time.sleep(0.001)
    return by_cell(request)

Path(sys.argv[1]).with_name(f"{os.getpid()}.ready").touch()
while len(list(Path(sys.argv[1]).parent.glob("*.ready"))) < int(sys.argv[3]):
    time.sleep(0.002)
outcome = carry_out(load(sys.argv[1]), judges=dict.fromkeys("ab", slow)).outcome
print(json.dumps([outcome.complete, outcome.finished]))
"""


def started(path, together=1):
    """A process that begins when so many are there."""
    words = [sys.executable, "-c", RUNNER, str(path), str(Path(__file__).parent), str(together)]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def stopping(study):
    """A study that stops at its target, long before its budget is spent."""
    judges = {name: {"kind": "python"} for name in "ab"}
    settings = {"delta": 0.3, "batch": 24, "target": 3.0, "together": False}
    return study(rows=MANY, judges=judges, adaptive=settings, budget={"calls": 20_000})


def planned(path):
    """Cells that are finished by now."""
    try:
        with closing(sqlite3.connect(f"file:{path.with_suffix('.db')}?mode=ro", uri=True)) as connection, connection:
            ((count,),) = connection.execute("SELECT count(*) FROM cells WHERE state = 'done'")
        connection.close()
    except sqlite3.Error:
        return 0
    return count


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_killed_in_the_middle_of_a_round_it_decides_as_before(study):
    path = stopping(study)
    rows, *_ = calls_of(path)
    for share in (0.3, 0.7):
        process = started(path)
        until = time.monotonic() + 30
        while planned(path) < share * len(rows) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        assert process.poll() is None
        process.kill()
        process.communicate()
        assert 0 < q.status(path).finished < len(rows)
    out, _ = started(path).communicate(timeout=60)
    assert json.loads(out)[0]
    assert held(path) == rows
    assert q.status(path).spend.calls == len(rows) + q.status(path).spend.lost


@pytest.mark.slow
def test_two_runners_make_the_same_rounds(study):
    path = stopping(study)
    rows, *_ = calls_of(path)
    ran = [json.loads(process.communicate(timeout=60)[0]) for process in [started(path, 2), started(path, 2)]]
    assert [complete for complete, _ in ran] == [True, True]
    assert sum(finished for _, finished in ran) == len(rows)
    assert held(path) == rows
    assert q.status(path).spend.calls == len(rows)


@pytest.mark.slow
def test_an_item_that_only_fails_is_given_up_and_the_rest_goes_on(study):
    path = adaptive(study, 2000, target=4.5, give_up=4)
    carried = carry_out(load(path), judges={"rule": lambda request: None if "torn" in str(request.cell) else 5})
    assert carried.outcome.complete
    assert carried.outcome.given_up == 4
    assert carried.reached.endswith("calls; given up, as their calls failed again and again: arm torn")
    assert q.status(path).complete
    assert carried.reached in q.status(path).sentence


@pytest.mark.slow
def test_where_everything_fails_it_ends(study):
    path = adaptive(study, 2000, give_up=2)
    carried = carry_out(load(path), judges={"rule": lambda _: None})
    assert carried.outcome.given_up == carried.outcome.finished < 20
    assert "given up, as their calls failed again and again: arms calm, torn" in carried.reached
    assert "no room" not in carried.reached


@pytest.mark.slow
def test_repeats_count_in_the_budget(study):
    tried = set()

    def stumbles(request):
        if int(request.cell["replicate"]) == 10 and request.key not in tried:
            tried.add(request.key)
            return Reply(ERROR, error="busy", retryable=True)
        return rule(request)

    path = adaptive(study, 60)
    carried = carry_out(load(path), judges={"rule": stumbles})
    assert tried
    assert q.status(path).spend.calls == 60
    assert carried.outcome.finished == 60 - len(tried)
    assert carried.outcome.complete
    assert carried.reached.startswith("60 of 60 calls made, 0 of them failed")


@pytest.mark.slow
def test_what_calls_cost_less_than_the_worst_case_is_spent_on_more_calls(study):
    judges = {"rule": {"kind": "python", "price": {"call": 0.05}}}
    path = study(rows=ROWS, judges=judges, adaptive={"batch": 50}, budget={"money": 2.0})
    carried = carry_out(load(path), judges={"rule": lambda request: Reply(OK, rule(request), cost=0.01)})
    spend = q.status(path).spend
    assert carried.outcome.complete
    assert 1.95 < spend.money <= 2.0
    assert spend.calls == round(spend.money / 0.01)
    assert carried.reached.startswith(f"{spend.calls} calls for {spend.money:.4f} of 2.0000 in money made")


@pytest.mark.parametrize(("budget", "calls"), [({"calls": 45, "money": 9.0}, 45), ({"calls": 900, "money": 0.4}, 40)])
def test_of_two_caps_the_tighter_one_holds(study, budget, calls):
    judges = {"rule": {"kind": "python", "price": {"call": 0.01}}}
    path = study(rows=ROWS, judges=judges, adaptive={"batch": 16}, budget=budget)
    carried = carry_out(load(path), judges={"rule": rule})
    assert carried.outcome.complete
    assert q.status(path).spend.calls == calls
    assert carried.quote.cells == calls


def test_a_free_judge_needs_a_cap_on_calls(study):
    judges = {"rule": {"kind": "python", "price": {"call": 0}}, "paid": {"kind": "python", "price": {"call": 0.01}}}
    with pytest.raises(InvalidInput, match=r"rule costs nothing, so that money alone has no end; give budget\.calls"):
        q.run(study(judges=judges, adaptive={}, budget={"money": 1}), judges=functions(judges, rule))
    path = study(rows=ROWS, judges=judges, adaptive={}, budget={"money": 0.5, "calls": 200})
    q.run(path, judges=functions(judges, rule))
    spend = q.status(path).spend
    assert spend.money <= 0.5
    assert spend.calls <= 200


def test_a_cap_that_was_lowered_ends_it(study):
    q.run(adaptive(study, 60), judges={"rule": rule})
    carried = carry_out(load(adaptive(study, 45)), judges={"rule": rule})
    assert (carried.quote.cells, carried.outcome.finished) == (0, 0)
    assert "60 of 45 calls" in carried.reached


def test_a_target_that_is_not_reached_is_incomplete(study):
    path = adaptive(study, 40, target=0.01)
    carried = carry_out(load(path), judges={"rule": rule})
    assert (carried.outcome.complete, carried.outcome.finished) == (False, 40)
    assert "you asked for 0.01; not reached after 40 of 40 calls: 2 of 2 are not known as well" in carried.reached
    assert not q.status(path).complete
    more = carry_out(load(adaptive(study, 80, target=0.01)), judges={"rule": rule})
    assert more.outcome.finished == 40
    assert len(set(held(path))) == 80


def test_arms_that_are_gone_are_refused(study):
    q.run(adaptive(study), judges={"rule": rule})
    settings = {"rows": ROWS[:1], "adaptive": {"batch": 8}, "budget": {"calls": 90}}
    with pytest.raises(InvalidInput, match=r"40 of 60 are not among those that may be asked.*start a new ledger"):
        q.run(study(**settings), judges={"rule": rule})


def test_a_status_that_cannot_know_says_so(study):
    path = adaptive(study)
    q.run(path, judges={"rule": rule})
    (path.parent / "items.jsonl").unlink()
    found = q.status(path)
    assert "60 of 60 cells are finished" in found.sentence
    assert "what it has reached is not known" in found.sentence
    assert not found.complete


def test_a_round_that_another_runner_has_planned_meanwhile_is_not_planned_again(study, monkeypatch):
    path = study(rows=ROWS, adaptive={"name": "uniform", "batch": 8}, budget={"calls": 40})
    asked, think, others = [], Rounds.next, []

    def slow(self, progress, spend):
        if not others:
            others.append(1)
            others.append(carry_out(load(path), judges={"rule": counted}).outcome)
        return think(self, progress, spend)

    def counted(request):
        asked.append(request.key)
        return rule(request)

    monkeypatch.setattr(Rounds, "next", slow)
    mine = in_thread(lambda: carry_out(load(path), judges={"rule": counted}))
    assert (mine.outcome.complete, others[1].complete) == (True, True)
    assert len(asked) == len(set(asked)) == q.status(path).finished == 40


def in_thread(work):
    """Where no loop runs, so that another one may run within."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(work).result()


@pytest.mark.postgres
def test_a_policy_may_think_longer_than_a_transaction_may_be_idle(study, cluster, monkeypatch):
    monkeypatch.setattr(postgres, "IDLE", 1.0)
    think, thought = Rounds.next, []

    def slow(self, progress, spend):
        if not thought:
            thought.append(time.sleep(1.3))
        return think(self, progress, spend)

    monkeypatch.setattr(Rounds, "next", slow)
    path = study(rows=ROWS, adaptive={"name": "uniform", "batch": 8}, budget={"calls": 16}, ledger=cluster.place())
    assert carry_out(load(path), judges={"rule": rule}).outcome.finished == 16


@pytest.mark.postgres
def test_a_round_whose_commit_is_not_heard_is_planned_once(study, cluster, monkeypatch):
    end, cut = postgres.Session.end, []

    def unheard(session):
        ((planned,),) = session.execute("SELECT count(*) FROM cells WHERE state = 'planned'")
        end(session)
        if planned and not cut:
            cut.append(planned)
            session.close()
            raise postgres.Interrupted("the connection was lost")

    monkeypatch.setattr(postgres.Session, "end", unheard)
    path = study(rows=ROWS, adaptive={"name": "uniform", "batch": 8}, budget={"calls": 16}, ledger=cluster.place())
    assert carry_out(load(path), judges={"rule": rule}).outcome.finished == 16
    assert cut == [8]


def test_of_a_recorded_table_nothing_is_asked_that_was_not_recorded(study, tmp_path):
    lines = [f"{item},{n % 9 + 1}\n" for item, count in (("calm", 3), ("torn", 12)) for n in range(count)]
    (tmp_path / "old.csv").write_text("item,score\n" + "".join(lines))
    path = study(
        rows=ROWS,
        judges={"r": {"kind": "replay", "table": "old.csv"}},
        adaptive={"batch": 8, "name": "uniform"},
        budget={"calls": 60},
    )
    carried = carry_out(load(path))
    assert (carried.outcome.finished, carried.outcome.given_up) == (15, 0)
    assert carried.outcome.complete


@pytest.mark.parametrize(
    ("answers", "tries", "cycle"), [pytest.param(0, 2, None, marks=pytest.mark.slow), (30, 1, "judge")]
)
@pytest.mark.slow
def test_an_arm_that_fails_takes_no_more_than_a_fiftieth_of_the_budget(study, monkeypatch, answers, tries, cycle):
    """From the first call on or later, of one judge or of a cycle of two, and tried again."""
    called = Counter()

    def fails(request):
        late = int(request.cell["replicate"]) > answers
        bad = late and request.cell["item"] == "torn" and request.cell["judge"] == "a"
        called["torn"] += bad
        return Reply(ERROR, error="no", retryable=True) if bad else rule(request)

    names = "ab" if cycle else "a"
    judges = {name: {"kind": "python"} for name in names}
    policy = {"name": "uniform", "batch": 256, "give_up": 2} | ({"cycle": cycle} if cycle else {})
    path = study(rows=ROWS, adaptive=policy, judges=judges, budget={"calls": 300}, tries=tries)
    monkeypatch.setattr(loop, "limits", lambda _: Limits(tries=tries, backoff=0.0, breaker=10_000))
    carried = carry_out(load(path), judges=functions(names, fails))
    assert 2 * tries <= called.total() <= 0.02 * 300
    assert "given up" in carried.reached
    assert q.status(path).spend.calls >= 294


@dataclass(frozen=True)
class Seen:
    looks: int

    def holds(self, ledger):
        return len(ledger.looks()) == self.looks


class Three:
    """Three looks, the last one over; ``meanwhile`` is what others do before a turn is planned."""

    def __init__(self, cells, meanwhile=None):
        self.cells, self.meanwhile = cells, meanwhile

    def read(self, ledger, _):
        return Seen(len(ledger.looks()))

    def next(self, ledger, stand):
        if self.meanwhile is not None:
            self.meanwhile(stand.looks)
        return Turn(
            self.cells.keep(self.cells.replicate < 0),
            over=stand.looks >= 2,
            record=lambda: ledger.add_look({"by": "me"}),
        )


@pytest.fixture
def asked(study):
    return questions(load(study()))


async def answered():
    return RunOutcome(Ended.COMPLETE, 1, 0, 0, {"rule": 1})


def turns(ledger, plan, asked):
    return asyncio.run(in_turns(ledger, plan, asked, answered))


def by(ledger):
    return [look.content["by"] for look in ledger.looks()]


def test_it_ends_where_the_plan_is_over(asked, tmp_path):
    with Ledger.open(tmp_path / "t.db") as ledger:
        cells = asked.cells()
        assert turns(ledger, Three(cells), asked).finished == 3
        assert by(ledger) == ["me"] * 3


def test_a_turn_that_another_runner_has_planned_is_not_planned_again(asked, tmp_path):
    with Ledger.open(tmp_path / "t.db") as ledger, Ledger.open(tmp_path / "t.db") as other:
        done = []

        def first(looks):
            if looks == 1 and not done:
                done.append(looks)
                other.add_look({"by": "them"})

        turns(ledger, Three(asked.cells(), first), asked)
        assert by(ledger) == ["me", "them", "me"]


def test_it_ends_where_collecting_does(asked, tmp_path):
    async def dead():
        return RunOutcome(Ended.JUDGES, 0, 0, 3, {})

    with Ledger.open(tmp_path / "t.db") as ledger:
        found = asyncio.run(in_turns(ledger, Three(asked.cells()), asked, dead))
        assert (found.ended, by(ledger)) == (Ended.JUDGES, [])
