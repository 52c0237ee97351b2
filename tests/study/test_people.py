"""People as judges: what they are asked, and what becomes of their answers."""

from __future__ import annotations

import pytest

import quorate as q
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import Seats
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.judges import digests
from quorate.study.loop import carry_out, plan
from quorate.study.people import People
from quorate.study.questions import questions


@pytest.fixture
def people(study):
    asked = questions(load(study(judges={"raters": {"kind": "people", "seats": 2, "price": 0.2}})))
    with Ledger.open(asked.study.database) as ledger:
        plan(ledger, asked)
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


MIXED = {"rule": {"kind": "python"}, "ana": {"kind": "person", "price": 0.2}}


def test_a_run_leaves_the_cells_of_people(study, capsys):
    path = study(judges=MIXED, budget={"calls": 100, "money": 10}, prompts=["score"])
    with pytest.raises(InvalidInput, match=r"judges\.rule: price is missing"):
        q.run(path, judges={"rule": lambda _: 7})
    path = study(judges=MIXED)
    judged = q.run(path, judges={"rule": lambda _: 7})
    assert int(judged.n.sum()) == 3
    said = capsys.readouterr().err
    assert "3 cells finished: every cell of a program is answered or given up" in said
    assert "3 wait for people, who are asked by quorate serve" in said
    status = q.status(path)
    assert not status.complete
    assert status.sentence == "3 of 6 cells are finished; 3 wait for people, who are asked by quorate serve."
    again = carry_out(load(path))
    assert (again.quote.cells, again.quote.people, again.quote.money.expected) == (3, 3, pytest.approx(0.6))
    assert again.outcome.people == 3
    assert again.to_dict()["outcome"]["people"] == 3
    with Ledger.open(status.ledger) as ledger:
        Seats(ledger).close("ana")
    assert q.status(path).closed == ("ana",)


def test_a_study_of_people_alone_is_planned_and_not_asked(study):
    path = study(judges={"ana": {"kind": "person"}})
    with pytest.raises(InvalidInput, match="holds no answers: every cell of a program is answered"):
        q.run(path)
    assert q.status(path).cells == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judges": {"ana": {"kind": "person"}}, "temperatures": [0]}, "judges.ana: people have no temperature"),
        ({"judges": {"ana": {"kind": "person"}}, "adaptive": {"name": "robin-hood"}}, "judges.ana: a policy waits"),
        ({"judges": {"r": {"kind": "people"}}}, "judges.r.seats: is missing"),
        ({"judges": {"r": {"kind": "people", "seats": 1}, "r 1": {"kind": "person"}}}, '"r 1" is the name of a seat'),
        ({"judges": {"ana": {"kind": "person", "price": {"call": 1}}}}, "judges.ana.price: must be a finite number"),
    ],
)
def test_what_people_cannot_be_asked_is_said(study, changes, message):
    with pytest.raises(InvalidInput) as error:
        load(study(**changes))
    assert message in str(error.value)


def test_words_for_people_belong_to_people_alone(study):
    """They may be changed until somebody was asked with them, and models do not notice."""
    path = study(judges=MIXED)
    q.run(path, judges={"rule": lambda _: 7})
    said = {"score": {"built_in": "score", "instructions": "How good is it?"}}
    changed = study(judges=MIXED, prompts=said)
    with pytest.raises(InvalidInput, match='judge "ana" changed'):
        q.run(changed, judges={"rule": lambda _: 7})
    assert set(digests(load(changed))) == {"rule", "ana"}
