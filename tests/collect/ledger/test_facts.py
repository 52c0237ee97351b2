import math

import numpy as np

import quorate as q
from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.table.exchange.ledger import caveats
from quorate.table.progress import Progress, crossed


def answer(ledger, judge, replies):
    runner = ledger.enlist(10)
    cells = ledger.lease(runner, judge, len(replies), Budget())
    states = {"ok": "done", "error": "planned"}
    results = [
        Settled(cell, reply, states.get(reply.status, "given_up"), 1e12, "", 0.0)
        for cell, reply in zip(cells, replies, strict=True)
    ]
    ledger.commit(runner, results)
    return cells


def test_every_judge_has_its_counts(planned):
    ledger = planned(6, ("a", "b"), prices={"a": 1.0})
    ok = Reply("ok", 3.0, tokens_in=10, tokens_out=2, cost=0.25)
    answer(ledger, "a", [ok, ok, Reply("unparsed", cost=0.25), Reply("error", retryable=True, cost=0.0)])
    ledger.lose(1, ledger.lease(1, "a", 1, Budget()))
    answer(ledger, "b", [Reply("refused")])
    a, b = ledger.status()
    assert (a.planned, a.leased, a.done, a.given_up, a.cells) == (3, 0, 2, 1, 6)
    assert a.statuses == {"ok": 2, "unparsed": 1, "error": 1, "lost": 1}
    assert (a.calls, a.failure_rate, a.unparsed_rate) == (5, 0.25, 0.25)
    assert (a.money, a.unpriced, a.tokens_in, a.tokens_out) == (1.75, 0, 20, 4)
    assert (a.unbilled, b.unbilled) == (1.0, 0.0)
    assert (b.given_up, b.money, b.unpriced) == (1, 0.0, 1)
    assert sum(one.money for one in (a, b)) == ledger.spend().money


def test_why_a_judge_fails_is_said_until_it_answers(planned):
    ledger = planned(6, ("a", "b"))
    failed = Reply("error", retryable=True, error="HTTP 500")
    answer(ledger, "a", [failed, Reply("error", retryable=True, error="HTTP 401: no such key")])
    ledger.lose(1, ledger.lease(1, "a", 1, Budget()))
    answer(ledger, "b", [failed, Reply("ok", 3.0)])
    assert [one.error for one in ledger.status()] == ["HTTP 401: no such key", ""]
    answer(ledger, "a", [Reply("ok", 3.0)])
    assert ledger.status()[0].error == ""


def test_a_reader_is_told_which_cells_are_not_answered(planned):
    ledger = planned(4, ("a", "b", "c"))
    answer(ledger, "a", [Reply("ok", 3.0), Reply("refused"), Reply("error", retryable=True), Reply("ok", 2.0)])
    answer(ledger, "b", [Reply("ok", 3.0)] * 4)
    (one,) = caveats(ledger.path)
    assert one.code == "unanswered-cells"
    assert one.sentence.startswith("5 of 12 planned cells are not answered (a: 1, c: 4): the panel is not complete")
    (read,) = q.read(ledger.path, announce=False).source.caveats
    assert read == one


def test_a_complete_ledger_has_nothing_to_say(planned, capsys):
    ledger = planned(2)
    answer(ledger, "a", [Reply("ok", 3.0)])
    assert q.read(ledger.path).source.caveats
    assert "1 of 2 planned cells are not answered (a: 1)" in capsys.readouterr().err
    answer(ledger, "a", [Reply("refused")])
    assert q.read(ledger.path).source.caveats == ()
    assert "planned" not in capsys.readouterr().err


def test_nothing_asked_has_no_rate(planned, place):
    assert math.isnan(planned(1).status()[0].failure_rate)
    with Ledger.open(place("empty.db")) as ledger:
        assert ledger.status() == ()


def test_a_policy_reads_its_progress_from_the_ledger(planned):
    ledger = planned(4, replicates=2)
    ok = [Reply("ok", float(score)) for score in (1, 2, 4, 4)]
    answer(ledger, "a", [*ok, Reply("unparsed"), Reply("error", retryable=True)])
    start = Progress.start(crossed({"item": [f"i{n}" for n in range(5)], "judge": ["a"]}))
    progress = ledger.progress(start)
    assert progress.n.tolist() == [2, 2, 0, 0, 0]
    assert progress.mean[:2].tolist() == [1.5, 4.0]
    assert progress.ss[:2].tolist() == [0.5, 0.0]
    assert progress.failed.tolist() == [0, 0, 1, 0, 0]
    assert progress.pending.tolist() == [0, 0, 1, 2, 0]
    assert np.isnan(progress.mean[2])


def test_progress_goes_on_from_where_it_was(planned, cells):
    ledger, ok = planned(3), Reply("ok", 2.0)
    start = Progress.start(crossed({"item": [f"i{n}" for n in range(5)], "judge": ["a"]}))
    assert ledger.last == 3
    answer(ledger, "a", [ok] * 3)
    first, last = ledger.progress(start), ledger.last
    ledger.plan(*cells(5))
    answer(ledger, "a", [ok])
    assert ledger.progress(first, after=last).n.tolist() == ledger.progress(start).n.tolist() == [1, 1, 1, 1, 0]
    assert ledger.progress(first, after=last).pending.tolist() == [0, 0, 0, 0, 1]


def test_what_is_unfinished_is_counted_by_judge(planned):
    ledger = planned(3, ("b", "a"))
    answer(ledger, "a", [Reply("ok", 1.0)] * 3)
    ledger.lease(ledger.enlist(10), "b", 1, Budget())
    assert ledger.unfinished() == {"b": 3}
    assert ledger.pauses() == {}
    ledger.pause("b", 7.0)
    assert ledger.pauses() == {"b": 7.0}


def test_an_empty_ledger_is_no_progress(place):
    start = Progress.start(["x"])
    with Ledger.open(place("a.db")) as ledger:
        assert ledger.progress(start) is start


def test_why_calls_failed_is_counted_without_what_tells_one_from_another(planned):
    """The most frequent reason first; what a request is called says nothing."""
    ledger = planned(9)
    runner = ledger.enlist(60)
    cells = ledger.lease(runner, "a", 9, Budget())
    reasons = [f"HTTP 500: req_{n}a7c at host{n}b5e1-77" for n in range(4)] + ["no whole answer in 3 s"] * 3
    replies = [Reply("error", error=reason, retryable=True) for reason in reasons]
    replies += [Reply("error", error="ConnectError", cost=0.0, retryable=True, unsent=True), Reply("ok", 7.0)]
    states = ["planned"] * 8 + ["done"]
    ledger.commit(runner, [Settled(*each, 0.0, "d", 1.0, False) for each in zip(cells, replies, states, strict=True)])
    (judge,) = ledger.status()
    assert judge.reasons == (("HTTP 500: ... at ...", 4), ("no whole answer in 3 s", 3), ("ConnectError", 1))
    assert (judge.calls, judge.unsent, judge.failure_rate) == (8, 1, 7 / 8)


def test_what_was_never_sent_costs_nothing_and_is_no_try(planned):
    ledger = planned(1, prices={"a": 0.5})
    runner, budget = ledger.enlist(60), Budget(calls=1, money=0.5)
    for _ in range(3):
        (cell,) = ledger.lease(runner, "a", 1, budget)
        unsent = Reply("error", error="ConnectError", cost=0.0, retryable=True, unsent=True)
        ledger.commit(runner, [Settled(cell, unsent, "planned", 0.0, "d", 1.0, False)])
    spend = ledger.spend()
    assert (spend.calls, spend.reserved, spend.money, spend.reserved_money, spend.unpriced) == (0, 0, 0.0, 0.0, 0)
    assert (cell.asked, cell.failed, ledger.status()[0].statuses) == (0, 0, {"unsent": 3})
