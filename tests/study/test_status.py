import math

import pytest

import quorate as q
from quorate.collect.judge import Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.stores import SqliteStore


def test_before_the_first_run_nothing_is_made(study):
    path = study()
    found = q.status(path)
    assert (found.cells, found.complete) == (0, False)
    assert "Nothing is asked yet" in found.sentence
    assert not path.with_suffix(".db").exists()


def test_how_far_it_is(study):
    path = study(budget={"calls": 4}, tries=2)
    q.run(path, judges={"rule": lambda request: None if request.cell["item"] == "q1" else 3})
    found = q.status(path)
    assert (found.cells, found.finished, found.complete) == (3, 3, True)
    (one,) = found.judges
    assert one.statuses["ok"] == 2
    assert found.spend.calls == one.calls <= found.budget.calls
    assert found.sentence.startswith("3 of 3 cells are finished")


def test_a_judge_that_has_answered_nothing_is_named(study):
    def rule(request):
        return Reply("error", fatal=True, error="no") if request.judge == "b" else 3

    path = study(judges={name: {"kind": "python"} for name in ("a", "b")})
    q.run(path, judges={"a": rule, "b": rule})
    assert q.status(path).silent == ("b",)
    assert not q.status(path).complete
    q.run(path, judges={"a": rule, "b": lambda _: 4})
    assert q.status(path).silent == ()


VALUES = {
    "nan": (math.nan, 'words: "nan". Why: the function must return a number from 1 to 10, a text or a Reply, got nan.'),
    "none": (None, "without a score. Why: no answer: the function must return a number from 1 to 10"),
    "eleven": (11, "a text or a Reply, got 11."),
    "nothing": ("", "without a score. Why: the reply is empty."),
    "prose": ("I cannot\x1b[31m\nsay " + "x " * 99, "in the judge's words: \"I cannot [31m say x x"),
}


@pytest.mark.wide(2)
@pytest.mark.parametrize(("value", "said"), VALUES.values(), ids=VALUES)
def test_a_judge_without_a_score_is_shown_in_its_words(study, value, said, capsys):
    path = study()
    q.run(path, judges={"rule": lambda _: value})
    found = q.status(path)
    (line,) = found.unscored
    assert line.startswith("rule: 100% of 3 calls gave a reply without a score.")
    assert said in line
    assert (line.isprintable(), len(line) < 300, found.scoreless) == (True, True, True)
    assert line in capsys.readouterr().err


def test_a_judge_most_of_whose_replies_have_a_score_is_not(study):
    path = study()
    q.run(path, judges={"rule": lambda request: None if request.cell["item"] == "q1" else 3})
    assert (q.status(path).unscored, q.status(path).scoreless) == ((), False)


def test_how_long_a_judge_is_left_alone_is_by_the_clock_of_the_ledger(study, monkeypatch):
    path = study()
    q.run(path, judges={"rule": lambda _: 3})
    with Ledger.open(path.with_suffix(".db")) as ledger:
        ledger.pause("rule", 1060.0)
    monkeypatch.setattr(SqliteStore, "now", lambda _: 1000.0)
    assert q.status(path).resting == {"rule": 60.0}
    monkeypatch.setattr(SqliteStore, "now", lambda _: 1060.0)
    assert q.status(path).resting == {}
