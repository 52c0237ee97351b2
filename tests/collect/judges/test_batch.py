"""The batch interface against a server on loopback: whole, in part, late, and found again after a restart."""

from __future__ import annotations

import asyncio
import json
import time
import tracemalloc
from contextlib import asynccontextmanager
from dataclasses import replace

import hostile
import pytest
from batches import Batches

from quorate.collect.budget import Price
from quorate.collect.judge import Expects, Message, Request
from quorate.collect.judges.batch import BatchCalls, BatchJudge, NotMade, Refused, answers, custom_id, names, written
from quorate.collect.judges.connection import HttpConnection
from quorate.collect.judges.endpoint import Endpoint
from quorate.errors import InvalidInput

CANARY = "sk-canary-4711-batch"
FAST = {"linger": 0.02, "poll": 0.01}


def question(number):
    return Request(f"key-{number}", (Message("user", f"Rate the answer {number}."),), {}, Expects(1, 10), "judge")


def right(number):
    return hostile.truth([{"role": "user", "content": f"Rate the answer {number}."}])


@asynccontextmanager
async def judging(server, **options):
    async with hostile.serving(server.handle, seconds=20) as port:
        key = options.pop("key_env", None)
        price = Price(input=1.0, output=2.0)
        endpoint = Endpoint("judge", f"http://127.0.0.1:{port}/v1", "m", key_env=key, price=price, timeout=5.0)
        judge = BatchJudge(endpoint, **(FAST | options))
        try:
            yield judge
        finally:
            await judge.close()


def ask(server, numbers, **options):
    async def run():
        async with judging(server, **options) as judge:
            return await asyncio.gather(*(judge.ask(question(number)) for number in numbers))

    return asyncio.run(run())


def test_questions_are_answered_by_one_batch_and_matched_by_name():
    server = Batches(spoil=lambda lines: lines[::-1])
    replies = ask(server, range(20))
    assert [reply.score for reply in replies] == [right(number) for number in range(20)]
    assert {reply.status for reply in replies} == {"ok"}
    assert replies[0].cost == pytest.approx((hostile.TOKENS_IN + 2 * hostile.TOKENS_OUT) / 1e6)
    assert len(server.batches) == 1
    assert server.looked == {"batch-0": 3}


def test_a_full_batch_is_sent_at_once():
    server = Batches()
    replies = ask(server, range(25), size=10, linger=0.3)
    assert {reply.status for reply in replies} == {"ok"}
    assert sorted(len(server.files[batch["input_file_id"]].splitlines()) for batch in server.batches.values()) == [
        5,
        10,
        10,
    ]


def test_a_batch_that_fails_in_part_answers_the_rest():
    def spoil(lines):
        lines[1]["response"] = {"status_code": 429, "body": {"error": {"message": "slow down"}}}
        lines[2] = {"custom_id": lines[2]["custom_id"], "response": None, "error": {"code": "x", "message": "broken"}}
        lines[3]["response"]["body"] = "no body"
        lines[4] = b'{"custom_id": '
        lines[5]["custom_id"] = "somebody else"
        lines[6]["response"] = {"status_code": "200"}
        double = json.loads(json.dumps(lines[0]))
        double["response"]["body"] = hostile.chat('{"score": 99}')
        return [*lines, double, b"[]", b"\xff", b"[" * 5000]

    replies = ask(Batches(spoil=spoil), range(10))
    assert [reply.status for reply in replies] == ["ok", *["error"] * 6, "ok", "ok", "ok"]
    assert all(reply.retryable and not reply.fatal for reply in replies[1:7])
    assert [reply.cost for reply in replies[1:7]] == [0.0, 0.0, None, None, None, None]
    assert replies[0].score == right(0)


def test_an_expired_batch_answers_what_it_has():
    def spoil(lines):
        late = {"code": "batch_expired", "message": "too late"}
        lines[1] = {"custom_id": lines[1]["custom_id"], "response": None, "error": late}
        return lines[:2]

    replies = ask(Batches("expired", spoil=spoil), range(3))
    assert [(reply.status, reply.retryable) for reply in replies] == [("ok", False), ("error", True), ("error", True)]
    assert "batch_expired" in replies[1].error
    assert "expired" in replies[2].error
    assert replies[2].cost == 0.0


def test_a_failed_batch_says_why_and_is_not_tried_again():
    (reply,) = ask(Batches("failed"), [1])
    assert (reply.status, reply.retryable, reply.score) == ("error", False, None)
    assert "no such model" in reply.error


@pytest.mark.parametrize(
    ("refuse", "retryable", "fatal"),
    [
        ([hostile.failed(500)] * 10, True, False),
        ([hostile.failed(401)], False, True),
        ([hostile.packed(b"<html>")] * 10, True, False),
        ([hostile.packed([])] * 10, True, False),
        ([hostile.packed({"id": 7})] * 10, True, False),
    ],
)
def test_an_upload_that_fails_again_and_again_is_an_error_of_every_question(refuse, retryable, fatal):
    for reply in ask(Batches(refuse=refuse), range(3)):
        assert (reply.status, reply.retryable, reply.fatal, reply.score) == ("error", retryable, fatal, None)
        assert (reply.cost, reply.retry_after) == (0.0, 0.1 if retryable else None)


def test_an_upload_that_fails_a_few_times_is_none():
    assert ask(Batches(refuse=[hostile.failed(500)] * 9), [1])[0].score == right(1)


def test_a_look_that_fails_is_repeated():
    server = Batches()
    server.create = lambda said, create=server.create: (server.refuse.extend([hostile.failed(503)] * 2), create(said))[
        1
    ]
    assert ask(server, [1])[0].score == right(1)


def test_a_batch_that_never_ends_is_given_up():
    (reply,) = ask(Batches(looks=10**9), [1], most_wait=0.1)
    assert (reply.status, reply.retryable) == ("error", True)
    assert "not ended in 0.1 s" in reply.error


def test_answers_that_were_paid_for_are_found_after_a_restart():
    """The first judge is gone before its batch ends; the second, with the same tag, sends only what is new."""
    server = Batches(looks=5)

    async def run():
        async with hostile.serving(server.handle, seconds=20) as port:
            endpoint = Endpoint("judge", f"http://127.0.0.1:{port}/v1", "m")
            first = BatchJudge(endpoint, tag="ledger-1", **FAST)
            asked = [asyncio.create_task(first.ask(question(number))) for number in range(5)]
            while not server.batches:
                await asyncio.sleep(0.01)
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            await first.close()
            second = BatchJudge(endpoint, tag="ledger-1", **FAST)
            replies = await asyncio.gather(*(second.ask(question(number)) for number in range(7)))
            again = await second.ask(question(1))
            await second.close()
            return replies, again

    replies, again = asyncio.run(run())
    assert [reply.score for reply in replies] == [right(number) for number in range(7)]
    sent = [len(server.files[batch["input_file_id"]].splitlines()) for batch in server.batches.values()]
    assert sent == [5, 2, 1]
    assert again.score == right(1)


def test_another_ledger_does_not_take_the_answers():
    server = Batches()
    ask(server, [1], tag="ledger-1")
    ask(server, [1], tag="ledger-2")
    ask(server, [1])
    assert len(server.batches) == 3


def test_a_list_of_batches_that_cannot_be_had_is_an_error():
    server = Batches(refuse=[hostile.failed(500)] * 10)
    assert ask(server, [1], tag="ledger-1")[0].status == "error"
    assert not server.batches


def test_a_cancelled_question_is_not_sent_and_a_closed_judge_keeps_nobody_waiting():
    server = Batches()

    async def run():
        async with judging(server, linger=5.0) as judge:
            tasks = [asyncio.create_task(judge.ask(question(number))) for number in range(3)]
            await asyncio.sleep(0.05)
            tasks[0].cancel()
        return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 2)

    assert all(isinstance(result, asyncio.CancelledError) for result in asyncio.run(run()))
    assert not server.batches


def test_the_key_is_sent_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", CANARY)

    def spoil(lines):
        lines[0]["response"]["body"] = hostile.chat(f"{CANARY}\nScore: 7")
        lines[1]["response"] = {"status_code": 500, "body": CANARY}
        return lines

    server = Batches(spoil=spoil)
    replies = ask(server, range(2), key_env="JUDGE_KEY")
    assert server.keys == {f"Bearer {CANARY}"}
    assert CANARY not in repr([vars(reply) for reply in replies])
    assert [reply.status for reply in replies] == ["ok", "error"]


def test_a_batch_of_nothing_is_refused():
    with pytest.raises(InvalidInput, match="size"):
        BatchJudge(Endpoint("judge", "http://127.0.0.1:1/v1", "m"), size=0)


@pytest.mark.slow
def test_a_question_asked_for_another_time_is_another_one():
    """The answer to the first asking is not taken for the second, however it ended."""
    server = Batches()
    first, again = question(1), replace(question(1), asked=1)

    async def run():
        async with hostile.serving(server.handle, seconds=20) as port:
            endpoint = Endpoint("judge", f"http://127.0.0.1:{port}/v1", "m")
            for request in (first, again, first, again):
                judge = BatchJudge(endpoint, tag="ledger-1", **FAST)
                await judge.ask(request)
                await judge.close()

    asyncio.run(run())
    assert len(server.batches) == 2


def test_answers_that_the_endpoint_no_longer_has_are_asked_for_again():
    server = Batches()
    ask(server, [1], tag="ledger-1")
    kept = dict(server.files)
    server.files |= {name: hostile.failed(404) for name in kept if name != "file-0"}
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.status, reply.retryable, reply.cost) == ("error", True, None)
    assert "no longer has its answers" in reply.error


def test_questions_in_no_batch_are_unsent():
    server = Batches(looks=10**9)

    async def run():
        async with judging(server, size=2, linger=30.0) as judge:
            tasks = [asyncio.create_task(judge.ask(question(number))) for number in range(3)]
            await asyncio.sleep(0)
            assert judge.unsent() == {f"key-{number}" for number in range(3)}
            while not server.batches:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            left = judge.unsent()
        await asyncio.gather(*tasks, return_exceptions=True)
        return left

    assert asyncio.run(run()) == {"key-2"}


def test_a_file_is_made_anew_if_somebody_stops_waiting_while_it_is_uploaded():
    server = Batches()
    tasks = []

    def slow(asked, upload=server.upload):
        if not server.files:
            tasks[0].cancel()
        return upload(asked)

    server.upload = slow

    async def run():
        async with judging(server) as judge:
            tasks.extend(asyncio.create_task(judge.ask(question(number))) for number in range(3))
            return await asyncio.gather(*tasks, return_exceptions=True)

    first, *others = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError)
    assert [reply.score for reply in others] == [right(1), right(2)]
    assert set(server.sent.values()) == {1}
    assert len(server.sent) == 2


ODD = {
    "status": {"status": []},
    "failed": {"status": "failed", "errors": {"data": 5}},
    "id": {"id": "\ud800", "status": "completed"},
    "files": {"status": "completed", "output_file_id": "\ud800"},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("tag", [None, "ledger-1"])
def test_odd_answers_leave_nobody_waiting(odd, tag):
    """Neither those to whoever made the batch, nor those to a later run that finds it."""
    server = Batches(looks=0)
    make = server.create

    def create(said):
        batch = make(said)
        batch |= ODD[odd]
        return batch

    server.create = create
    for _ in range(2):
        (reply,) = ask(server, [1], tag=tag, most_wait=0.1)
        assert (reply.status, reply.score, bool(reply.error)) == ("error", None, True)
        if odd != "failed":
            assert (reply.cost, reply.retryable, reply.waits) == (None, True, tag is not None)


def test_a_batch_that_failed_without_words_is_a_failed_batch():
    server = Batches("failed")
    server.finish = lambda batch: batch.update(ODD["failed"])
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.error, reply.cost, reply.waits) == ("batch: failed:", 0.0, False)


def test_a_date_that_is_none_is_no_matter():
    server = Batches(looks=0)
    ask(server, [1], tag="ledger-1")
    server.batches["batch-0"]["created_at"] = 10**400
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.score, len(server.batches)) == (right(1), 1)


@pytest.mark.parametrize("tag", [None, "ledger-1"])
@pytest.mark.parametrize("path", ["/batches/batch-0", "/files/file-1/content"])
def test_a_question_in_a_batch_is_not_settled_by_a_key_that_is_refused(path, tag):
    """It is paid for: what it costs is not known, and where it can be found again it waits."""
    server, handle = Batches(looks=0), Batches.handle

    async def refusing(asked):
        server.refuse = [hostile.failed(401)] if asked.path.endswith(path) else []
        await handle(server, asked)

    server.handle = refusing
    (reply,) = ask(server, [1], tag=tag)
    assert (reply.status, reply.fatal, reply.cost, reply.waits) == ("error", True, None, tag is not None)
    server.handle = lambda asked: handle(server, asked)
    server.refuse = []
    (reply,) = ask(server, [1], tag=tag)
    assert (reply.score, len(server.batches)) == (right(1), 2 if tag is None else 1)


def test_a_question_that_waits_is_found_by_the_same_judge_too():
    server = Batches(looks=0)

    def create(said, make=server.create):
        server.refuse = [hostile.failed(401)]
        return make(said)

    server.create = create

    async def run():
        async with judging(server, tag="ledger-1") as judge:
            return [await judge.ask(question(1)) for _ in range(2)]

    first, second = asyncio.run(run())
    assert (first.waits, second.score, len(server.batches)) == (True, right(1), 1)


def test_questions_wait_that_may_be_in_a_batch_which_cannot_be_looked_for():
    (reply,) = ask(Batches(refuse=[hostile.failed(401)]), [1], tag="ledger-1")
    assert (reply.fatal, reply.waits, reply.cost) == (True, True, 0.0)
    server = Batches()
    ask(server, [1], tag="ledger-1")
    server.batches["batch-0"]["input_file_id"] = "\ud800"
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.retryable, reply.waits, reply.cost) == (True, True, 0.0)
    assert "UnicodeEncodeError" in reply.error


def test_a_batch_that_may_have_been_made_is_not_made_again():
    """It is made, which nobody hears, and then cannot be looked for; a later run finds it."""
    server = Batches(looks=0)

    def unheard(said, create=server.create):
        create(said)
        server.refuse = [hostile.failed(503)] * 9 * 10
        return hostile.failed(503)

    server.create = unheard
    (reply,) = ask(server, [1], tag="ledger-1", poll=0.001)
    assert (reply.status, reply.cost, reply.waits) == ("error", None, True)
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.score, len(server.batches)) == (right(1), 1)


def test_a_batch_that_is_turned_down_costs_nothing():
    server = Batches()
    server.create = lambda _: hostile.failed(400)
    (reply,) = ask(server, [1], tag="ledger-1")
    assert (reply.status, reply.retryable, reply.cost, reply.waits) == ("error", False, 0.0, False)


ASKED = {"input_file_id": "file-0", "endpoint": "/v1/chat/completions", "completion_window": "24h"}


def called(server, use):
    """What a function of the calls gives."""

    async def run():
        async with hostile.serving(server.handle, seconds=20) as port:
            connection = HttpConnection(Endpoint("j", f"http://127.0.0.1:{port}/v1", "m", timeout=5.0), None)
            calls = BatchCalls(connection, None, poll=0.01, clock=time.time)
            try:
                return await use(calls)
            finally:
                await connection.close()

    return asyncio.run(run())


def test_a_batch_whose_making_was_not_heard_is_made_once():
    """The endpoint makes it and says 500: the second try finds it."""
    server = Batches()
    make = server.create

    def unheard(said):
        make(said)
        return hostile.failed(500)

    server.create = unheard
    assert called(server, lambda calls: calls.created(ASKED)) == "batch-0"
    assert len(server.batches) == 1


def test_a_batch_that_was_not_made_is_made_by_another_try():
    server = Batches(refuse=[hostile.failed(429), hostile.failed(500)])
    assert called(server, lambda calls: calls.created(ASKED)) == "batch-0"
    assert len(server.batches) == 1


def test_all_pages_are_listed_and_the_latest_is_first():
    server = Batches(page=3)
    for number in range(10):
        server.create(ASKED | {"input_file_id": f"file-{number}"})
    found = called(server, lambda calls: calls.listed())
    assert [one["id"] for one in found if one] == [f"batch-{number}" for number in range(9, -1, -1)]
    server.batches["batch-4"]["created_at"] = 7
    assert called(server, lambda calls: calls.listed())[0]["id"] == "batch-4"


def test_a_file_that_is_gone_is_none_and_one_that_may_come_is_waited_for():
    server = Batches(refuse=[hostile.failed(503)] * 3)
    server.keep(b"held")
    assert called(server, lambda calls: calls.content("file-0")) == b"held"
    assert called(server, lambda calls: calls.content(None)) == b""
    server.refuse = [hostile.failed(404)]
    assert called(server, lambda calls: calls.content("file-0")) is None
    server.refuse = [hostile.failed(403)]
    with pytest.raises(Refused, match="the key was not accepted"):
        called(server, lambda calls: calls.content("file-0"))


def test_what_fails_for_long_says_when_to_come_back():
    server = Batches(refuse=[hostile.failed(503)] * 10)
    with pytest.raises(Refused) as error:
        called(server, lambda calls: calls.uploaded(b"{}"))
    assert (error.value.reply.retry_after, error.value.reply.cost, error.value.code) == (pytest.approx(0.1), 0.0, 503)
    assert not server.refuse


def test_a_batch_is_looked_at_until_it_ends():
    server = Batches(end="expired", looks=4)
    server.files["file-0"] = b""
    server.create(ASKED)
    assert called(server, lambda calls: calls.ended("batch-0", 10.0))["status"] == "expired"
    assert server.looked == {"batch-0": 5}
    server.looks, server.batches["batch-0"]["status"] = float("inf"), "in_progress"
    with pytest.raises(Refused, match=r"not ended in 0\.05 s"):
        called(server, lambda calls: calls.ended("batch-0", 0.05))


@pytest.mark.parametrize(("code", "certain"), [(400, True), (401, True), (429, True), (408, False), (500, False)])
def test_only_what_was_turned_down_was_certainly_not_made(code, certain):
    server = Batches()
    server.create = lambda _: hostile.failed(code)
    with pytest.raises(Refused) as error:
        called(server, lambda calls: calls.created(ASKED))
    assert isinstance(error.value, NotMade) == certain


def test_a_list_that_begins_again_and_again_is_read_once():
    server = Batches(page=2)
    for number in range(5):
        server.create(ASKED | {"input_file_id": f"file-{number}"})
    asked = []
    server.listed = lambda after, listed=server.listed: (asked.append(after), listed(None) | {"has_more": True})[1]
    assert "batch-4" in [one.get("id") for one in called(server, lambda calls: calls.listed())]
    assert asked == [None, "batch-3"]


ENDPOINT = Endpoint("judge", "http://host/v1", "m", params={"max_tokens": 5})
REQUEST = Request("k", (Message("user", "Räte\nit."),), {}, Expects(1, 10), "judge")


def test_names_tell_cells_and_questions_apart():
    others = [replace(REQUEST, key="l"), replace(REQUEST, params={"seed": 1}), replace(REQUEST, asked=1)]
    assert len({custom_id(request) for request in (REQUEST, *others)}) == 4
    assert len(custom_id(REQUEST)) == 32


def test_what_is_written_is_one_line_each_and_can_be_read():
    requests = {"a": REQUEST, "b": replace(REQUEST, key="l")}
    content = written(requests, ENDPOINT, "/v1/chat/completions")
    lines = [json.loads(line) for line in content.splitlines()]
    assert [line["custom_id"] for line in lines] == ["a", "b"]
    assert lines[0]["body"] == {"model": "m", "messages": [{"role": "user", "content": "Räte\nit."}], "max_tokens": 5}
    assert names(content) == {"a", "b"}


def test_lines_that_are_no_answers_are_left_out():
    good = {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "7"}}]}}}
    content = b"\n".join([b"{", b"[]", b'{"custom_id": 1}', b"", b'{"custom_id": "z"}', json.dumps(good).encode()])
    found = answers([b"", content], {"a": REQUEST, "b": REQUEST}, ENDPOINT, 0.0)
    assert {name: reply.score for name, reply in found.items()} == {"a": 7}


def test_of_a_large_file_of_questions_only_the_names_are_kept():
    long = replace(REQUEST, messages=(Message("user", "x" * 20_000),))
    content = written({f"name-{number}": long for number in range(200)}, ENDPOINT, "/v1").replace(b"\n", b"\r\n")
    tracemalloc.start()
    try:
        found = names(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == {f"name-{number}" for number in range(200)}
    assert most < len(content) / 8
