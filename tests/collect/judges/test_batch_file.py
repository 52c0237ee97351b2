"""The files of the batch interface."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace

from quorate.collect.expects import Expects
from quorate.collect.judge import Message, Request
from quorate.collect.judges.batch_file import answers, custom_id, names, written
from quorate.collect.judges.endpoint_settings import Endpoint

ENDPOINT = Endpoint("judge", "http://host/v1", "m", params={"max_tokens": 5})
ASKED = Request("k", (Message("user", "Räte\nit."),), {}, Expects(1, 10), "judge")


def test_names_tell_cells_and_questions_apart():
    others = [replace(ASKED, key="l"), replace(ASKED, params={"seed": 1}), replace(ASKED, asked=1)]
    assert len({custom_id(request) for request in (ASKED, *others)}) == 4
    assert len(custom_id(ASKED)) == 32


def test_what_is_written_is_one_line_each_and_can_be_read():
    requests = {"a": ASKED, "b": replace(ASKED, key="l")}
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
    found = answers([b"", content], {"a": ASKED, "b": ASKED}, ENDPOINT, 0.0)
    assert {name: reply.score for name, reply in found.items()} == {"a": 7}


def test_of_a_large_file_of_questions_only_the_names_are_kept():
    long = replace(ASKED, messages=(Message("user", "x" * 20_000),))
    content = written({f"name-{number}": long for number in range(200)}, ENDPOINT, "/v1").replace(b"\n", b"\r\n")
    tracemalloc.start()
    try:
        found = names(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == {f"name-{number}" for number in range(200)}
    assert most < len(content) / 8
