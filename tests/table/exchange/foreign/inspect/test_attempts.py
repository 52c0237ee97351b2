"""Attempts of archives and JSON logs."""

from __future__ import annotations

import gzip
import json
import zipfile

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.attempts import read

RUN = {"model": "m", "task": "t", "dataset": {"sample_ids": ["a", "b"]}, "config": {"epochs": 2}, "task_args": {"k": 3}}
HEADER = {"version": 2, "status": "success", "eval": RUN, "plan": {}}
EDITED = {"value": 1, "history": [{"value": 2}, {"value": 1, "provenance": {"author": "ann"}}]}


def sample(item="a", epoch=1, **changed):
    return {"id": item, "epoch": epoch, "messages": [{"x": "{"}], "scores": {"s": {"value": "C"}}} | changed


@pytest.fixture
def archive(tmp_path):
    def write(**members):
        with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as writer:
            for name, value in members.items():
                writer.writestr(name + ".json", json.dumps(value))
        return tmp_path / "a.eval"

    return write


def test_what_summaries_cut_is_read_from_the_samples(archive):
    summary = sample(metadata={"topic": "x", "long": "y" * 101, "deep": {}, "flag": True}, limit="time")
    log = read(
        archive(
            header=HEADER,
            summaries=[summary, sample("b", error="no", scores={})],
            **{"samples/a_epoch_1": sample(scores={"s": EDITED}), "samples/b_epoch_1": {"id": "unread"}},
        )
    )
    one, other = log.attempts
    assert (one.given["s"].marks[""][0].score, one.editors) == (1, {"s": ("ann",)})
    assert (one.labels, one.limit, one.failed) == ({"topic": "x", "flag": "true"}, "time", False)
    assert (other.item, other.given, other.failed) == ("b", {}, True)
    assert (log.planned, log.status, log.arguments, log.version) == (4, "success", {"k": "3"}, ())


def test_samples_in_parts_beside_whole_ones(archive):
    members = {
        "header": HEADER,
        "samples/a_epoch_1/sample": {"id": "a", "epoch": 1, "scores": {}},
        "samples/a_epoch_1/metadata": {"topic": "x"},
        "samples/a_epoch_1/messages/0": [1],
        "samples/b/c_epoch_2": sample("b/c", 2, metadata={"topic": "y"}),
    }
    found = {one.item: (one.epoch, one.labels) for one in read(archive(**members)).attempts}
    assert found == {"a": (1, {"topic": "x"}), "b/c": (2, {"topic": "y"})}


def test_a_run_that_was_killed_has_what_its_journal_kept(archive):
    summaries = [sample(), sample("b", error="gone")]
    members = {
        "_journal/start": {"version": 2, "eval": RUN, "plan": {}},
        "samples/b_epoch_1": sample("b"),
        "_journal/summaries/2": summaries[1:],
        "_journal/summaries/1": summaries[:1],
    }
    log = read(archive(**members))
    assert [(one.item, one.failed) for one in log.attempts] == [("b", True)]
    assert (log.status, log.planned) == ("started", 4)


def test_attempts_declared_invalid_are_looked_for_where_the_header_says_so(archive):
    declared = sample(invalidation={"author": "x"})
    for invalidated in (True, False):
        header = HEADER | {"invalidated": invalidated}
        log = read(archive(header=header, summaries=[sample()], **{"samples/a_epoch_1": declared}))
        assert log.attempts[0].invalid is invalidated


def test_json_whole_and_packed(tmp_path):
    text = json.dumps(HEADER | {"results": {"total_samples": 5}, "samples": [sample(), sample(), sample("b")]})
    for name, held in (("a.json", text.encode()), ("b.json.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(held)
        log = read(tmp_path / name)
        assert (len(log.attempts), log.repeated, log.planned) == (2, 1, 5)
    (tmp_path / "b.json.gz").write_bytes(held[:-20])
    with pytest.raises(InvalidData, match="is not gzip to its end"):
        read(tmp_path / "b.json.gz")


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([sample(1), sample("1")], 'samples 1 and "1" differ only by quotes'),
        ([sample(epoch="x")], 'sample 1: epoch is "x"'),
        ([sample(None)], "sample 1: id is null"),
        ([sample(scores={"s": 3})], "sample 1: scores.s is 3; an object is needed"),
        ([3], "is not JSON at byte"),
    ],
)
def test_what_is_not_understood_is_named(tmp_path, samples, said):
    (tmp_path / "a.json").write_text(json.dumps(HEADER | {"samples": samples}))
    with pytest.raises(InvalidData, match=said):
        read(tmp_path / "a.json")


def test_other_archives_and_later_layouts(archive):
    with pytest.raises(InvalidData, match="is of version 3, and versions up to 2 are known"):
        read(archive(header=HEADER | {"version": 3}))
    with pytest.raises(InvalidData, match=r"neither header\.json nor _journal/start\.json"):
        read(archive(other=1))
