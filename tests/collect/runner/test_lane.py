import asyncio
import math
from dataclasses import replace

import pytest

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import (
    LONGEST_PAUSE,
    Ended,
    Lane,
    Limits,
    Pace,
    RunOutcome,
    asked_to_wait,
    blames,
    settled,
    spared,
    why_end,
)
from quorate.collect.runner.run import collect
from quorate.errors import InvalidInput

OK = Reply("ok", 1.0)
BUSY = Reply("error", retryable=True, error="429")
WAIT = Reply("error", retryable=True, retry_after=5.0)


def lane(most=64, cells=10_000, **options):
    made = Lane("a", Limits(pace=Pace(most, options.pop("rate", None)), **options))
    made.take([LeasedCell(n, f"k{n}", "a", {}, 1, None, 0, 0) for n in range(cells)], cells, 0.0)
    return made


def window_of(made, now):
    """One request after the other until no more may be sent."""
    sent = []
    while (cell := made.next(now)) is not None:
        sent.append(cell)
    return sent


def answer(made, cells, reply, sent, now):
    for cell in cells:
        made.saw(cell, reply, sent, now)


def test_no_more_is_in_flight_than_asked_for():
    made = lane(10)
    assert len(window_of(made, 0.0)) == 10
    assert made.next(0.0) is None
    assert made.wanted(0.0) == 0


def test_the_window_opens_quickly_and_no_further_than_it_may():
    made = lane(200)
    sizes = []
    for second in range(4):
        flight = window_of(made, second)
        sizes.append(len(flight))
        answer(made, flight, OK, second, second + 1)
    assert sizes == [64, 128, 200, 200]


def test_a_judge_that_gathers_batches_gets_a_whole_one():
    made = Lane("a", Limits(pace=Pace(1000, first=1000)))
    assert made.window == 1000


def test_congestion_halves_the_window_once_for_all_that_was_in_flight():
    made = lane(64)
    answer(made, window_of(made, 0.0), WAIT, 0.0, 1.0)
    assert made.window == 32
    assert made.next(5.9) is None
    assert len(window_of(made, 6.0)) == 32


def test_after_congestion_it_opens_by_one_for_every_window():
    made = lane(64)
    answer(made, window_of(made, 0.0), WAIT, 0.0, 1.0)
    for turn in range(3):
        answer(made, window_of(made, 10.0 + turn), OK, 10.0 + turn, 10.5 + turn)
        assert 32 + turn <= made.window <= 33 + turn


def test_rare_errors_do_not_slow_it_down():
    made = lane(64)
    for second in range(20):
        flight = window_of(made, second)
        answer(made, flight[3:], OK, second, second + 0.5)
        answer(made, flight[:3], BUSY, second, second + 0.5)
    assert made.window == 64


def test_many_errors_without_a_word_slow_it_down():
    made = lane(64, breaker=10_000)
    for second in range(6):
        flight = window_of(made, second)
        answer(made, flight[::2], OK, second, second + 0.5)
        answer(made, flight[1::2], BUSY, second, second + 0.5)
    assert made.window < 16


def test_it_adapts_to_what_the_endpoint_takes():
    """An endpoint that refuses all but ten at once is asked about ten at once, and answers nearly every request."""
    made, refused, total = lane(64, breaker=10_000), 0, 0
    for second in range(100):
        flight = window_of(made, second)
        answer(made, flight[:10], OK, second, second + 0.5)
        answer(made, flight[10:], BUSY, second, second + 0.5)
        if second >= 50:
            total, refused = total + len(flight), refused + max(0, len(flight) - 10)
    assert total - refused > 5 * 50
    assert refused < 0.35 * total


def test_a_judge_that_fails_is_left_alone_then_probed_then_dead():
    made = lane(64, breaker=5, cooldown=2.0, trips=2)
    answer(made, window_of(made, 0.0), BUSY, 0.0, 1.0)
    assert made.asked_to_rest
    assert made.next(2.9) is None
    probe = window_of(made, 3.0)
    assert len(probe) == 1
    answer(made, probe, BUSY, 3.0, 3.5)
    assert made.dead is None
    assert made.next(7.4) is None
    answer(made, window_of(made, 7.5), BUSY, 7.5, 8.0)
    assert made.dead == "given up after 66 failures, the last: 429"
    assert made.next(1e9) is None
    assert made.wanted(1e9) == 0
    assert len(made.dropped(1e9)) == 10_000 - 66


def test_a_judge_that_answers_its_probe_is_back():
    made = lane(64, breaker=5, cooldown=2.0)
    answer(made, window_of(made, 0.0), BUSY, 0.0, 1.0)
    answer(made, window_of(made, 3.0), OK, 3.0, 3.5)
    assert len(window_of(made, 3.5)) == 2


def test_no_key_ends_it_at_once():
    made = lane(4)
    answer(made, window_of(made, 0.0), Reply("error", fatal=True, error="401 no such key"), 0.0, 1.0)
    assert made.dead == "401 no such key"
    assert made.calls == 4


def test_a_long_rest_gives_the_cells_back():
    made = lane(4, 8)
    (cell, *_) = window_of(made, 0.0)
    made.saw(cell, Reply("error", retryable=True, retry_after=60.0), 0.0, 1.0)
    assert len(made.dropped(1.0)) == 4
    assert made.wanted(1.0) == 0
    made.flying.clear()
    assert (made.wanted(60.5), made.wanted(61.0) > 0) == (0, True)


def test_a_short_rest_keeps_them():
    made = lane(4, 8)
    (cell, *_) = window_of(made, 0.0)
    made.saw(cell, Reply("error", retryable=True, retry_after=0.5), 0.0, 1.0)
    assert made.dropped(1.0) == []


@pytest.mark.parametrize(("rate", "seconds"), [(2.0, 10), (50.0, 4)])
def test_a_rate_is_kept(rate, seconds):
    made, sent = lane(64, rate=rate), 0
    for tick in range(int(seconds * 50) + 1):
        for cell in window_of(made, tick / 50):
            made.saw(cell, OK, tick / 50, tick / 50)
            sent += 1
    assert rate * seconds * 0.9 <= sent <= rate * seconds + max(1.0, rate)


def test_where_there_was_not_enough_it_looks_again_later():
    made = lane(4, 0)
    made.take([], 8, 10.0)
    assert made.wanted(10.1) == 0
    assert made.wanted(10.1, anyway=True) == 4
    assert made.wanted(10.3) == 4
    assert not made.busy


def test_questions_that_last_are_sent_as_they_are_planned_whatever_fails():
    """Smaller batches would not help, and a cell that may be in a batch is not given back."""
    made = Lane("a", Limits(pace=Pace(50, first=1), breaker=5, cooldown=60.0), lasting=True)
    assert made.wanted(0.0) == 50
    made.take([LeasedCell(n, f"k{n}", "a", {}, 1, None, 0, 0) for n in range(50)], 50, 0.0)
    sent = window_of(made, 0.0)
    assert len(sent) == 50
    answer(made, sent[:30], WAIT, 0.0, 1.0)
    assert made.resting == 6.0
    made.take([LeasedCell(n, f"k{n}", "a", {}, 1, None, 0, 0) for n in range(50, 80)], 30, 1.0)
    assert made.dropped(1.0) == []
    assert len(window_of(made, 7.0)) == 30
    assert made.window == 50


def lasting(cells):
    made = Lane("a", Limits(pace=Pace(50, first=50)), lasting=True)
    made.take([LeasedCell(n, f"k{n}", "a", {}, 1, None, 0, 0) for n in range(cells)], cells, 0.0)
    return made


def test_a_dead_judge_gives_back_what_was_not_sent_to_it_also_where_questions_last():
    made = lasting(80)
    first, *_ = window_of(made, 0.0)
    made.saw(first, Reply("error", fatal=True, error="401"), 0.0, 1.0)
    assert [cell.id for cell in made.dropped(1.0)] == list(range(50, 80))
    assert made.dropped(1.0) == []


def test_a_question_that_waits_stays_as_it_is_and_ends_the_asking():
    made = lasting(50)
    first, second, third, *others = window_of(made, 0.0)
    assert made.keeps(first, Reply("error", fatal=True, error="401", waits=True))
    assert made.keeps(second, Reply("error", error="503", cost=0.0, waits=True))
    assert not made.keeps(third, OK)
    assert made.dead == "401"
    assert (first.id in made.flying, second.id in made.flying, third.id in made.flying) == (False, False, True)
    assert (made.dropped(1.0), made.calls, made.failures) == ([second], 0, 0)
    assert len(made.flying) == len(others) + 1


def test_no_question_waits_that_nobody_finds_again():
    made = lane(4, 8)
    (first, *_) = window_of(made, 0.0)
    assert not made.keeps(first, Reply("error", error="401", waits=True))
    assert first.id in made.flying


def test_a_late_answer_leaves_a_cell_in_flight_that_was_leased_again():
    made = lane(cells=1)
    (old,) = window_of(made, 0.0)
    made.take([replace(old, asked=1)], 1, 1.0)
    (new,) = window_of(made, 1.0)
    made.saw(old, OK, 0.0, 2.0)
    assert made.flying == {0: new}
    made.saw(new, OK, 1.0, 2.0)
    assert not made.busy
    assert made.calls == 2


def test_a_judge_that_has_answered_nothing_gets_the_tries_of_its_cells_and_no_more():
    made = Lane("a", Limits(), most=4)
    made.take([LeasedCell(n, f"k{n}", "a", {}, 1, None, 0, 0) for n in range(9)], 9, 0.0)
    sent = [made.next(0.0) for _ in range(9)]
    assert [cell is not None for cell in sent] == [True] * 4 + [False] * 5
    told = Reply("error", retryable=True, error="wait", retry_after=0.0)
    for cell, reply in zip(sent, [told, *[Reply("error", retryable=True, error="down")] * 3], strict=False):
        made.saw(cell, reply, 0.0, 0.0)
    assert (made.silent, made.dead) == ("down", None)
    last = made.next(0.0)
    assert made.next(0.0) is None
    made.saw(last, Reply("error", retryable=True, error="down"), 0.0, 0.0)
    assert made.dead == "given up after 5 failures, the last: down"


@pytest.mark.parametrize(
    "wrong", [{"tries": 0}, {"breaker": 1.5}, {"trips": True}, {"patience": -1.0}, {"lease": 0.0}, {"grace": math.nan}]
)
def test_limits_make_sense(wrong):
    with pytest.raises(InvalidInput, match=f"limits: {next(iter(wrong))}: must be"):
        Limits(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"concurrency": 0}, {"concurrency": True}, {"first": 0}, {"first": 1.5}, {"rate": 0.0}, {"rate": math.inf}],
)
def test_paces_make_sense(wrong):
    with pytest.raises(InvalidInput, match=f"limits: {next(iter(wrong))}: must be"):
        Pace(**wrong)


def test_a_judge_has_its_own_pace_or_that_of_all():
    limits = Limits(pace=Pace(8), paces={"a": Pace(2, rate=1.0)})
    assert limits.of("a") == Pace(2, 1.0)
    assert limits.of("b") == Pace(8)


LIMITS = Limits(tries=3, backoff=2.0, longest_backoff=10.0)


def after(reply, failed=0, key="k"):
    return settled(LeasedCell(1, key, "a", {}, 1, None, failed, failed), reply, "digest", LIMITS, 100.0)


@pytest.mark.parametrize("status", ["unparsed", "refused", "truncated", "error"])
def test_an_answer_that_asking_again_would_not_change_is_final(status):
    assert after(Reply(status)).state == "given_up"


def test_a_score_is_final():
    assert after(Reply("ok", 1.0)).state == "done"


@pytest.mark.parametrize("status", ["unparsed", "truncated", "error"])
def test_other_failures_are_asked_again_so_many_times(status):
    reply = Reply(status, retryable=True)
    assert [after(reply, failed).state for failed in range(3)] == ["planned", "planned", "given_up"]


def test_waits_double_up_to_the_longest_and_are_spread():
    reply, many = Reply("error", retryable=True), Limits(tries=20, backoff=2.0, longest_backoff=10.0)
    for failed, wait in ((0, 2), (1, 4), (2, 8), (3, 10), (15, 10)):
        cells = [LeasedCell(n, f"k{n}", "a", {}, 1, None, failed, failed) for n in range(200)]
        waits = [settled(cell, reply, "", many, 100.0).next_at - 100.0 for cell in cells]
        assert 0.5 * wait <= min(waits) < 0.6 * wait
        assert 1.4 * wait < max(waits) <= 1.5 * wait


def test_being_told_to_wait_is_no_failure_of_the_cell():
    found = after(Reply("error", retryable=True, retry_after=7.0), failed=2)
    assert (found.state, found.next_at, found.blamed) == ("planned", 107.0, False)


def test_a_wrong_key_says_nothing_about_the_cell():
    found = after(Reply("error", fatal=True), failed=2)
    assert (found.state, found.blamed) == ("planned", False)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (None, None),
        (0.0, 0.0),
        (3.5, 3.5),
        (-1.0, None),
        (math.nan, None),
        (1e300, LONGEST_PAUSE),
        (math.inf, LONGEST_PAUSE),
    ],
)
def test_a_pause_that_makes_no_sense_is_not_taken(said, taken):
    assert asked_to_wait(Reply("error", retryable=True, retry_after=said)) == taken


def test_a_cell_that_failed_a_thousand_times_waits_no_longer_than_the_longest():
    many = Limits(tries=10_000, longest_backoff=10.0)
    found = settled(LeasedCell(1, "k", "a", {}, 1, None, 5000, 5000), Reply("error", retryable=True), "", many, 100.0)
    assert found.state == "planned"
    assert 105 <= found.next_at <= 115


def test_a_cell_is_spared_by_being_asked_again_without_blame():
    given_up = after(Reply("error", retryable=True), failed=2)
    assert (given_up.state, given_up.blamed) == ("given_up", True)
    found = spared(given_up, LIMITS)
    assert (found.state, found.blamed, found.next_at) == ("planned", False, 102.0)


def test_a_cell_is_given_up_for_errors_or_for_an_answer():
    assert blames(after(Reply("error")))
    assert not blames(after(Reply("refused")))
    assert not blames(after(Reply("error", retryable=True)))


def test_a_complete_run_says_so():
    outcome = RunOutcome(Ended.COMPLETE, 1200, 0, 0, {"a": 1200})
    assert outcome.complete
    assert outcome.sentence == "1,200 cells finished: every cell is answered or given up"


def test_a_dead_judge_is_named_and_its_cells_are_counted():
    outcome = RunOutcome(Ended.JUDGES, 10, 2, 90, {"a": 12, "b": 1}, {"b": "401 no such key"}, spend=Spend(13))
    assert not outcome.complete
    assert outcome.sentence == (
        "10 cells finished, 2 of them without a score: b does not answer (401 no such key); "
        "90 cells are left: mend the judge or its key, then run it again to go on"
    )


LIMITS_OF_OUTCOME = Limits()


@pytest.fixture
def asked(yes):
    """Why a runner with some lanes would end, and the cells that it is told of."""

    def ask(ledger, lanes, judges=("a", "b"), now=0.0, **budget):
        told = []
        known = {name: yes(name) for name in judges}
        return why_end(ledger, lanes, known, Budget(**budget), LIMITS_OF_OUTCOME, now, told.append), told

    return ask


def finish(ledger, judge):
    runner = ledger.enlist(10)
    cells = ledger.lease(runner, judge, 100, Budget())
    ledger.commit(runner, [Settled(cell, Reply("ok", 3.0), "done", 0.0, "", 0.0) for cell in cells])


def test_it_goes_on_while_something_is_to_be_asked_here_or_elsewhere(planned, asked):
    ledger, lane = planned(2), Lane("a", LIMITS_OF_OUTCOME)
    assert asked(ledger, [lane]) == (None, [])
    cells = ledger.lease(runner := ledger.enlist(10), "a", 2, Budget())
    assert asked(ledger, [lane]) == (None, [])
    ledger.release(runner, cells)
    finish(ledger, "a")
    assert asked(ledger, [lane]) == (Ended.COMPLETE, [])


def test_a_budget_without_room_and_a_long_wait_end_it(planned, asked):
    ledger, lane = planned(2), Lane("a", LIMITS_OF_OUTCOME)
    assert asked(ledger, [lane], calls=0) == (Ended.BUDGET, [])
    lane.resting = LIMITS_OF_OUTCOME.patience + 1
    assert asked(ledger, [lane]) == (Ended.WAITING, [])


def test_a_dead_judge_ends_it_when_the_others_are_done(planned, asked):
    ledger, lanes = planned(2, ("a", "b")), [Lane("a", LIMITS_OF_OUTCOME), Lane("b", LIMITS_OF_OUTCOME)]
    lanes[1].dead = "no key"
    assert asked(ledger, lanes) == (None, [])
    finish(ledger, "a")
    assert asked(ledger, lanes) == (Ended.JUDGES, [])


def test_a_judge_for_whom_another_runner_has_planned_is_no_judge_that_does_not_answer(planned, asked):
    ledger, lane = planned(2, ("a", "b")), Lane("a", LIMITS_OF_OUTCOME)
    finish(ledger, "a")
    assert asked(ledger, [lane]) == (None, [{"b": 2}])
    assert asked(ledger, []) == (None, [{"b": 2}])
    assert asked(ledger, [lane], judges="a") == (Ended.JUDGES, [])


def test_a_runner_asks_what_another_one_has_planned_meanwhile(planned, place, cells, build, told):
    ledger = planned(2, ("a", "b"))
    finish(ledger, "b")

    def reply(request, count):
        with Ledger.open(place("study.db")) as other:
            other.plan(*cells(5, ("a", "b")))
        return Reply("ok", 7.0)

    judges = {name: told(name, reply) for name in "ab"}
    outcome = asyncio.run(collect(ledger, judges, build))
    assert (outcome.ended, outcome.left, outcome.calls) == (Ended.COMPLETE, 0, {"a": 5, "b": 3})


def test_two_runs_are_one():
    first = RunOutcome(Ended.COMPLETE, 10, 1, 0, {"b": 10}, late=1, seconds=2.0, spend=Spend(10))
    later = RunOutcome(Ended.BUDGET, 5, 0, 3, {"a": 5, "b": 1}, seconds=1.0, spend=Spend(16))
    both = first.then(later)
    assert (both.ended, both.finished, both.given_up, both.left) == (Ended.BUDGET, 15, 1, 3)
    assert (both.calls, both.late, both.seconds, both.spend) == ({"a": 5, "b": 11}, 1, 3.0, Spend(16))
