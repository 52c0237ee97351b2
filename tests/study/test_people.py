"""People as judges: what they are asked, and what becomes of their answers."""

from __future__ import annotations

import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.loop import plan
from quorate.study.people import People
from quorate.study.questions import questions
from quorate.study.quote import sizes, worst


@pytest.fixture
def people(study):
    asked = questions(load(study(judges={"raters": {"kind": "people", "seats": 2, "price": 0.2}})))
    with Ledger.open(asked.study.database) as ledger:
        plan(ledger, asked, worst(asked, sizes(asked)))
        made = People(ledger, asked)
        made.arrange()
        yield made


def test_somebody_answers_everything(people):
    for done in range(3):
        standing = people.standing("raters 1")
        assert (standing.done, standing.total, standing.undoable, standing.closed) == (done, 3, done > 0, False)
        assert people.answer("raters 1", standing.task.key, standing.task.shown, str(done + 1))
    assert people.standing("raters 1").task is None
    (first, second) = people.ledger.status()
    assert (first.judge, first.done, first.money, second.done) == ("raters 1", 3, pytest.approx(0.6), 0)


def test_what_is_no_answer_is_refused(people):
    task = people.standing("raters 1").task
    for word in ("11", "2.5", "nan", "inf", "good", ""):
        with pytest.raises(InvalidInput, match="answer: must be a whole number from 1 to 10"):
            people.answer("raters 1", task.key, task.shown, word)
    with pytest.raises(InvalidInput, match="raters 2 has no such question"):
        people.answer("raters 2", task.key, task.shown, "7")
    with pytest.raises(InvalidInput, match="nobody has no such question"):
        people.answer("nobody", task.key, task.shown, "7")


def test_somebody_without_questions(people):
    standing = people.standing("nobody")
    assert (standing.task, standing.total) == (None, 0)
    assert not people.undo("nobody", "")
