"""The batch interface against a server on loopback: whole, in part, late, and found again after a restart."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from quorate.collect.batch import BatchJudge
from quorate.collect.endpoint_settings import Endpoint
from quorate.collect.expects import Expects
from quorate.collect.judge import Message, Request
from quorate.collect.price import Price
from quorate.errors import InvalidInput

spec = importlib.util.spec_from_file_location("hostile_batch", Path(__file__).with_name("hostile.py"))
hostile = importlib.util.module_from_spec(spec)
sys.modules["hostile_batch"] = hostile
spec.loader.exec_module(hostile)

CANARY = "sk-canary-4711-batch"
FAST = {"linger": 0.02, "poll": 0.01}


class Batches:
    """An endpoint with files and batches, which end as they are told to."""

    def __init__(self, end="completed", looks=2, spoil=None, refuse=()):
        self.end, self.looks, self.spoil, self.refuse = end, looks, spoil, list(refuse)
        self.files, self.batches, self.looked, self.keys = {}, {}, {}, set()

    async def handle(self, asked):
        self.keys.add(asked.headers.get("authorization"))
        path = asked.path.removeprefix("/v1").partition("?")[0]
        if self.refuse:
            answer = self.refuse.pop(0)
        elif asked.method == "POST" and path == "/files":
            answer = self.upload(asked)
        elif asked.method == "POST" and path == "/batches":
            answer = self.create(asked.said)
        elif path == "/batches":
            answer = {"data": [*self.batches.values(), "nonsense", {}]}
        elif path.startswith("/batches/"):
            answer = self.look(path.split("/")[2])
        else:
            answer = self.files[path.split("/")[2]]
        asked.writer.write(
            answer if isinstance(answer, bytes) and answer.startswith(b"HTTP") else hostile.packed(answer)
        )

    def upload(self, asked):
        boundary = asked.headers["content-type"].partition("boundary=")[2].encode()
        parts = asked.body.split(b"--" + boundary)
        assert any(b'name="purpose"' in part and b"batch" in part for part in parts)
        content = next(part.partition(b"\r\n\r\n")[2] for part in parts if b'name="file"' in part)
        return {"id": self.keep(content.removesuffix(b"\r\n"))}

    def keep(self, content):
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def create(self, said):
        assert (said["endpoint"], said["completion_window"]) == ("/v1/chat/completions", "24h")
        name = f"batch-{len(self.batches)}"
        self.batches[name] = {"id": name, "status": "in_progress", "input_file_id": said["input_file_id"]} | {
            "metadata": said.get("metadata")
        }
        return self.batches[name]

    def look(self, name):
        batch = self.batches[name]
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] > self.looks and batch["status"] == "in_progress":
            self.finish(batch)
        return batch

    def finish(self, batch):
        batch["status"] = self.end
        if self.end == "failed":
            batch["errors"] = {"data": [{"code": "invalid_model", "message": "no such model"}]}
            return
        lines = [self.line(json.loads(line)) for line in self.files[batch["input_file_id"]].splitlines()]
        if self.spoil:
            lines = self.spoil(lines)
        good = [line for line in lines if not isinstance(line, dict) or line.get("error") is None]
        bad = [line for line in lines if isinstance(line, dict) and line.get("error") is not None]
        batch["output_file_id"] = self.keep(self.jsonl(good))
        batch["error_file_id"] = self.keep(self.jsonl(bad)) if bad else None

    @staticmethod
    def jsonl(lines):
        return b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)

    @staticmethod
    def line(asked):
        assert (asked["method"], asked["url"]) == ("POST", "/v1/chat/completions")
        score = hostile.truth(asked["body"]["messages"])
        response = {"status_code": 200, "body": hostile.chat(json.dumps({"score": score}))}
        return {"custom_id": asked["custom_id"], "response": response, "error": None}


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
        ([hostile.failed(500)], True, False),
        ([hostile.failed(401)], False, True),
        ([hostile.packed(b"<html>")], True, False),
        ([hostile.packed([])], True, False),
        ([hostile.packed({"id": 7})], True, False),
    ],
)
def test_an_upload_that_fails_is_an_error_of_every_question(refuse, retryable, fatal):
    for reply in ask(Batches(refuse=refuse), range(3)):
        assert (reply.status, reply.retryable, reply.fatal, reply.score) == ("error", retryable, fatal, None)


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
    server = Batches(refuse=[hostile.failed(500)])
    assert ask(server, [1], tag="ledger-1")[0].status == "error"


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
