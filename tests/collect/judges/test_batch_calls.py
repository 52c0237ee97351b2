"""The calls of the batch interface against a server on loopback that fails as it is told to."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.collect.judge import Expects, Message, Request
from quorate.collect.judges.batch import BatchCalls, NotMade, Refused, answers, custom_id, names, written
from quorate.collect.judges.connection import HttpConnection
from quorate.collect.judges.endpoint import Endpoint

spec = importlib.util.spec_from_file_location("batches_calls", Path(__file__).parents[1] / "batches.py")
batches = importlib.util.module_from_spec(spec)
sys.modules["batches_calls"] = batches
spec.loader.exec_module(batches)
Batches, hostile = batches.Batches, batches.hostile
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
    assert lines[0]["body"] == {
        "model": "m",
        "messages": [{"role": "user", "content": "Räte\nit."}],
        "max_tokens": 5,
    }
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
