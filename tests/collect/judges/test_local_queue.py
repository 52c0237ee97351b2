"""Questions that wait: those with the same words stay together, and none is lost or forgotten."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from quorate.collect.expects import Expects
from quorate.collect.judge import Message, Request
from quorate.collect.judges.local_queue import Queue


def question(key, words):
    return Request(key, (Message("user", words),), {}, Expects(0, 9), "small")


def waiting(*questions):
    queue, answers = Queue(), [Future() for _ in questions]
    for (key, words), answer in zip(questions, answers, strict=True):
        queue.add(question(key, words), answer)
    return queue, answers


def order(queue, count):
    return [queue.take()[0].key for _ in range(count)]


def test_the_words_that_most_wait_with_come_first_and_together():
    queue, _ = waiting(("1", "a"), ("2", "b"), ("3", "c"), ("4", "b"), ("5", "b"), ("6", "a"))
    assert order(queue, 6) == ["2", "4", "5", "1", "6", "3"]
    with pytest.raises(KeyError):
        queue.take()


def test_a_question_with_the_words_of_the_last_one_does_not_wait():
    queue, _ = waiting(("1", "a"), ("2", "b"), ("3", "b"))
    assert order(queue, 1) == ["2"]
    queue.add(question("4", "c"), Future())
    queue.add(question("5", "c"), Future())
    queue.add(question("6", "c"), Future())
    assert order(queue, 1) == ["3"]
    queue.add(question("7", "b"), Future())
    assert order(queue, 5) == ["7", "4", "5", "6", "1"]


def test_an_answer_goes_to_its_question():
    queue, answers = waiting(("1", "a"), ("2", "b"))
    assert [queue.take()[1] for _ in range(2)] == answers


def test_who_waits_is_told_when_it_ends():
    queue, answers = waiting(("1", "a"), ("2", "b"))
    taken = queue.take()[1]
    queue.cancel()
    assert [answer.cancelled() for answer in answers] == [False, True]
    assert not taken.cancelled()
    queue.cancel()
