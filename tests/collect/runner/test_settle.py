import math

import pytest

from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.runner.lane import LONGEST_PAUSE, Limits, asked_to_wait, blames, settled, spared

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
