import asyncio

import pytest

from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner import disk as unsaved
from quorate.collect.runner.disk import Unsaved, found, set_aside
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect
from quorate.errors import InvalidInput

LIMITS = Limits(pace=Pace(4), every=0.005, grace=2.0)
CELL = LeasedCell(3, "key", "a", {"item": "i\u00e9", "judge": "a"}, 1, 5, 0, 1, 1)
ANSWER = Unsaved(7, Settled(CELL, Reply("ok", 7.0, '{"score": 7}', cost=None, latency=0.5), "done", 0.0, "digest", 2.0))


def test_answers_come_back_as_they_were(tmp_path):
    error = ANSWER._replace(result=ANSWER.result._replace(reply=Reply("error", error="no"), blamed=False))
    said = set_aside(tmp_path, "f" * 64, [ANSWER, error])
    ((path, answers),) = found(tmp_path, "f" * 64)
    assert answers == [ANSWER, error]
    assert said == f"2 answers that it could not take: see {path}, which the next run records"
    assert list(found(tmp_path, "0" * 64)) == []


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_lose_them(tmp_path, monkeypatch):
    monkeypatch.setattr(unsaved.tempfile, "gettempdir", lambda: str(tmp_path))
    said = set_aside(tmp_path / "gone", "f" * 64, [ANSWER])
    assert said.endswith(f"which the next run records, once it is moved to {tmp_path / 'gone'}")
    assert len(list(found(tmp_path, "f" * 64))) == 1
    said = set_aside(tmp_path / "gone", "f" * 64, [ANSWER])  # a file is there already: it is not touched
    assert said == "1 answer that it could not take are lost, for no file can be written either"
    assert len(list(found(tmp_path, "f" * 64))) == 1


@pytest.mark.parametrize("line", ["{", "[]", '{"runner": 1}', "\xff"])
def test_a_damaged_file_is_one_line(tmp_path, line):
    (tmp_path / f"unsaved-{'f' * 16}-1.jsonl").write_text(line, encoding="latin-1")
    with pytest.raises(InvalidInput, match=r"answers of an earlier run cannot be read .*; move it elsewhere") as caught:
        list(found(tmp_path, "f" * 64))
    assert "\n" not in str(caught.value)


def test_what_the_ledger_cannot_take_is_recorded_by_the_next_run(planned, yes, build, tmp_path, monkeypatch):
    ledger, judge, end, ends = planned(12), yes(delay=0.01), Ledger.end, []

    def full(self):
        ends.append(1)
        if len(ends) > 3:
            raise InvalidInput("ledger: has a full disk")
        end(self)

    def run():
        return asyncio.run(collect(ledger, {"a": judge}, build, limits=LIMITS, beside=tmp_path))

    monkeypatch.setattr(Ledger, "end", full)
    with pytest.raises(InvalidInput, match=r"has a full disk; \d+ answers? that it could not take: see"):
        run()
    monkeypatch.setattr(Ledger, "end", end)
    left = list(tmp_path.glob("unsaved-*.jsonl"))
    assert len(left) == 1
    copy = left[0].read_bytes()
    assert run().complete
    assert not left[0].exists()
    assert set(judge.asked.values()) == {1}
    spend = ledger.spend()
    assert (len(judge.asked), spend.calls - spend.lost, spend.reserved) == (12, 12, 0)
    left[0].write_bytes(copy)  # as if a kill had come before it was removed: nothing is recorded twice
    assert run().complete
    assert (ledger.spend(), left[0].exists()) == (spend, False)
