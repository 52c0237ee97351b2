"""Studies whose judge is behind batches: whole, failing in part, stopped, killed, and with two runners at once."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import batches
import hostile
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.judges import digests, pace, tag
from quorate.study.loop import carry_out

CANARY = "sk-canary-81fe-batches"
N = 12


@pytest.fixture
def serve():
    """A function that serves `batches.Batches` from a thread and gives the address."""
    ends = []

    def start(server):
        ready, loop = threading.Event(), asyncio.new_event_loop()
        stop, port = asyncio.Event(), []

        async def main():
            async with hostile.serving(server.handle, seconds=300) as found:
                port.append(found)
                ready.set()
                await stop.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(main(),), daemon=True)
        thread.start()
        assert ready.wait(10)
        ends.append((thread, loop, stop))
        return f"http://127.0.0.1:{port[0]}/v1"

    yield start
    for thread, loop, stop in ends:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


@pytest.fixture
def batched(study, serve):
    """A function that writes a study of `N` items with one judge behind a server's batches; gives its path."""

    def write(server, *, budget=None, rows=None, **changes):
        judge = {
            "kind": "batch", "base_url": serve(server), "model": "m", "size": 5, "linger": 0.05, "poll": 0.02,
            "price": {"input": 0.5, "output": 1}, "params": {"max_tokens": 9},
        }  # fmt: skip
        items = [{"id": f"q{n}", "prompt": "p", "response": f"answer {n}"} for n in range(N)]
        return study(rows=items if rows is None else rows, judges={"gpt": judge | changes},
                     budget=budget or {"calls": N})  # fmt: skip

    return write


def runs(path):
    """The command in a process of its own."""
    begin = "from quorate.cli.entry import main; raise SystemExit(main())"
    words = [sys.executable, "-c", begin, "run", str(path), "--yes"]
    environment = os.environ | {"COLUMNS": "100"}
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def until(condition, seconds=60):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.02)


def halted(path, condition):
    """A run that breaks off as soon as something is so, in this process."""

    class Enough(Exception):
        pass

    def halt(_update):
        if condition():
            raise Enough

    with pytest.raises(Enough):
        q.run(path, on_progress=halt)


def everything_once(server, path, *, asked=N, calls=N):
    found = q.status(path)
    assert found.complete
    assert (found.finished, found.spend.calls, found.spend.lost, found.spend.reserved) == (asked, calls, 0, 0)
    assert set(server.sent.values()) == {1}
    assert len(server.sent) == asked


def everything_waits(path):
    found = q.status(path)
    assert (found.judges[0].held, found.spend.reserved, found.spend.calls, found.spend.lost) == (N, N, 0, 0)


def test_a_study_is_answered_by_batches(batched):
    server = batches.Batches(looks=1)
    path = batched(server, budget={"calls": N, "money": 1.0})
    table = q.run(path)
    assert table.n_answers == N
    assert sorted(len(server.files[one["input_file_id"]].splitlines()) for one in server.batches.values()) == [2, 5, 5]
    everything_once(server, path)
    tokens = hostile.TOKENS_IN * 0.5 + hostile.TOKENS_OUT
    assert q.status(path).spend.money == pytest.approx(N * tokens / 1e6)
    assert carry_out(load(path), yes=False).quote.cells == 0


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_a_killed_run_finds_the_batches_that_it_paid_for(batched):
    server = batches.Batches(looks=float("inf"))
    path = batched(server)
    process = runs(path)
    until(lambda: sum(server.sent.values()) == N)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    before = q.status(path)
    assert (before.finished, before.judges[0].held, before.spend.reserved, before.spend.calls) == (0, N, N, 0)
    assert f"{N} questions wait in batches, for a run to collect the answers" in before.sentence
    server.looks = 0
    assert q.run(path).n_answers == N
    everything_once(server, path)


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_batches_and_says_what_goes_on(batched):
    server = batches.Batches(looks=float("inf"))
    path = batched(server)
    process = runs(path)
    until(lambda: sum(server.sent.values()) == N)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert time.monotonic() - began < 25
    assert process.returncode == 2
    said = " ".join(said.split())
    assert "0 cells finished: stopped on request" in said
    assert f"{N} of them wait in batches of gpt, which go on" in said
    assert q.status(path).spend.lost == 0
    assert carry_out(load(path), yes=False).quote.held == N
    server.looks = 0
    again, _ = runs(path).communicate(timeout=60)
    assert f"{N} of them are in batches of an earlier run: they are collected" in " ".join(again.split())
    assert q.run(path).n_answers == N
    everything_once(server, path)


def test_what_is_not_in_a_batch_yet_is_given_back(batched):
    server = batches.Batches()
    path = batched(server, linger=60.0, size=100)
    halted(path, lambda: q.status(path).judges[0].leased == N)
    found = q.status(path)
    assert (found.judges[0].planned, found.judges[0].held, found.spend.reserved) == (N, 0, 0)
    assert not server.batches


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_killed_again_and_again(batched):
    """Between the file and the batch, after the batch, while answers come: nothing is asked or paid for twice."""
    server = batches.Batches(looks=float("inf"))
    path = batched(server, size=3)
    stages = [lambda: server.files, lambda: len(server.batches) > 1, lambda: sum(server.sent.values()) == N]
    for stage in stages:
        process = runs(path)
        until(stage)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    server.looks = 0
    assert q.run(path).n_answers == N
    everything_once(server, path)


@pytest.mark.slow
def test_an_expired_batch_is_asked_again_for_what_it_has_not(batched):
    def spoil(lines):
        if len(server.batches) > 3:
            return lines
        late = {"code": "batch_expired", "message": "too late"}
        lost = [{"custom_id": line["custom_id"], "response": None, "error": late} for line in lines[2:]]
        return lines[:2] + lost

    server = batches.Batches("expired", looks=1, spoil=spoil)
    path = batched(server, budget={"calls": 3 * N})
    assert q.run(path).n_answers == N
    found = q.status(path)
    assert found.judges[0].statuses == {"ok": N, "error": 6}
    assert sorted(server.sent.values()) == [1] * 6 + [2] * 6
    tokens = hostile.TOKENS_IN * 0.5 + hostile.TOKENS_OUT
    assert found.spend.money == pytest.approx(N * tokens / 1e6)


def test_an_error_file_in_part_is_what_becomes_of_single_cells(batched):
    """One line is refused for good, one for now; the answers of the others are there and stay."""
    seen = []

    def spoil(lines):
        seen.append(len(lines))
        if len(seen) == 1:
            lines[0] = lines[0] | {"response": {"status_code": 400, "body": {"error": {"message": "too long"}}}}
            lines[1] = {"custom_id": lines[1]["custom_id"], "response": None, "error": {"code": "x", "message": "y"}}
        return lines

    server = batches.Batches(looks=1, spoil=spoil)
    path = batched(server, budget={"calls": 3 * N}, size=N)
    table = q.run(path)
    assert (table.n_answers, seen) == (N - 1, [N, 1])
    assert q.status(path).judges[0].statuses == {"ok": N - 1, "error": 2}
    assert q.status(path).given_up == 1


@pytest.mark.slow
def test_a_cancelled_batch_keeps_what_it_has_answered(batched):
    server = batches.Batches(looks=float("inf"))
    path = batched(server, size=N, budget={"calls": 2 * N})
    halted(path, lambda: sum(server.sent.values()) == N)
    (only,) = server.batches.values()
    server.end, server.spoil = "cancelled", lambda lines: lines[:5]
    server.finish(only)
    server.end, server.spoil, server.looks = "completed", None, 0
    assert q.run(path).n_answers == N
    assert sorted(server.sent.values()) == [1] * 5 + [2] * 7
    assert q.status(path).judges[0].statuses == {"ok": N, "error": 7}


@pytest.mark.slow
def test_two_runners_ask_nothing_twice_and_one_takes_over_from_the_other(batched):
    server = batches.Batches(looks=float("inf"))
    path = batched(server, concurrency=8)
    first = runs(path)
    until(lambda: sum(server.sent.values()) == 8)
    second = runs(path)
    until(lambda: sum(server.sent.values()) == N)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    server.looks = 0
    said, _ = second.communicate(timeout=60)
    assert (second.returncode, "every cell is answered" in said) == (0, True)
    everything_once(server, path)


@pytest.mark.slow
def test_an_endpoint_that_fails_for_a_while_costs_nothing(batched):
    server = batches.Batches(looks=1, refuse=[hostile.failed(503)] * 8)
    path = batched(server)
    assert q.run(path).n_answers == N
    everything_once(server, path)


def test_a_wrong_key_says_so_and_keeps_what_waits(batched, monkeypatch):
    monkeypatch.setenv("BATCH_KEY", CANARY)
    server = batches.Batches(looks=float("inf"))
    path = batched(server, key_env="BATCH_KEY")
    halted(path, lambda: sum(server.sent.values()) == N)
    server.refuse = [hostile.failed(401)] * N
    outcome = carry_out(load(path)).outcome
    assert (outcome.ended.name, outcome.left, "gpt" in outcome.dead) == ("JUDGES", N, True)
    assert CANARY not in repr(outcome)
    assert CANARY.encode() not in path.with_suffix(".db").read_bytes()
    everything_waits(path)
    server.refuse, server.looks = [], 0
    assert q.run(path).n_answers == N
    everything_once(server, path)


def test_a_key_that_ends_while_batches_run_loses_nothing_that_is_paid_for(batched):
    server = batches.Batches(looks=float("inf"))
    path = batched(server, budget={"money": 0.01})

    def end(_update):
        if sum(server.sent.values()) == N and not server.refuse:
            server.refuse = [hostile.failed(401)] * 1000

    outcome = carry_out(load(path), on_progress=end).outcome
    assert (outcome.ended.name, outcome.held) == ("JUDGES", {"gpt": N})
    everything_waits(path)
    assert q.status(path).spend.reserved_money > 0
    server.refuse, server.looks = [], 0
    assert q.run(path).n_answers == N
    everything_once(server, path)
    tokens = hostile.TOKENS_IN * 0.5 + hostile.TOKENS_OUT
    assert q.status(path).spend.money == pytest.approx(N * tokens / 1e6)


@pytest.mark.slow
def test_a_key_that_was_wrong_from_the_beginning_costs_nothing(batched):
    server = batches.Batches(looks=0, refuse=[hostile.failed(401)] * N)
    path = batched(server)
    outcome = carry_out(load(path)).outcome
    assert (outcome.ended.name, outcome.left, outcome.held) == ("JUDGES", N, {})
    assert (outcome.spend.calls, outcome.spend.reserved) == (0, 0)
    server.refuse = []
    assert q.run(path).n_answers == N
    everything_once(server, path)


@pytest.mark.wide(1)
@pytest.mark.parametrize("odd", [{"status": []}, {"id": "\ud800"}])
def test_an_odd_answer_ends_the_run_and_its_questions_wait(batched, odd):
    server = batches.Batches()
    make = server.create

    def create(said):
        batch = make(said)
        batch |= odd
        return batch

    server.create = create
    path = batched(server)
    outcome = carry_out(load(path)).outcome
    assert (outcome.ended.name, outcome.held) == ("JUDGES", {"gpt": N})
    everything_waits(path)
    assert len(server.sent) == N
    for name, batch in server.batches.items():
        batch |= {"id": name, "status": "in_progress"}
    assert q.run(path).n_answers == N
    everything_once(server, path)


@pytest.mark.slow
def test_a_new_ledger_of_the_same_study_asks_anew(batched):
    server = batches.Batches(looks=1, page=2)
    path = batched(server)
    q.run(path)
    path.with_suffix(".db").unlink()
    q.run(path)
    assert set(server.sent.values()) == {2}


def test_settings(study):
    judge = {"kind": "batch", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    found = load(study(judges={"m": judge}))
    assert (pace(found, "m").concurrency, pace(found, "m").first) == (10_000, 10_000)
    same = {"size": 7, "linger": 9, "poll": 9, "window": "1h", "line_url": "/v4/x", "concurrency": 5}
    assert digests(found) == digests(load(study(judges={"m": judge | same})))
    assert digests(found) != digests(load(study(judges={"m": judge | {"kind": "endpoint"}})))
    with pytest.raises(InvalidInput, match=r"judges.m.*size"):
        load(study(judges={"m": judge | {"size": 0}}))


def test_tags_are_the_ledger_s_and_the_judge_s():
    from quorate.collect.judges.batch import BatchJudge
    from quorate.collect.judges.endpoint import Endpoint

    judges = {name: BatchJudge(Endpoint(name, "http://127.0.0.1:1/v1", "m")) for name in "ab"}
    assert not judges["a"].lasting
    tag(judges, "one")
    assert judges["a"].lasting
    first = {name: judge._tag for name, judge in judges.items()}
    tag(judges, "one")
    assert {name: judge._tag for name, judge in judges.items()} == first
    tag(judges, "two")
    assert len({*first.values(), judges["a"]._tag}) == 3
    assert json.dumps(first)


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_whatever_moment_it_is_killed_at_no_question_is_in_two_batches(batched):
    rng, server = random.Random(5), batches.Batches(looks=8)
    path = batched(server, rows=[{"id": f"q{n}", "prompt": "p", "response": f"answer {n}"} for n in range(40)],
                   budget={"calls": 40}, size=7, poll=0.1)  # fmt: skip
    for _ in range(8):
        process, before = runs(path), (len(server.files), sum(server.looked.values()))
        until(lambda p=process, b=before: p.poll() is not None or (len(server.files), sum(server.looked.values())) != b)
        time.sleep(rng.uniform(0, 0.3))
        process.kill()
        process.communicate()
    process = runs(path)
    said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    everything_once(server, path, asked=40, calls=40)
