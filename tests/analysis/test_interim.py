from __future__ import annotations

import math

import pytest
from under_way import scored, voted, written

import quorate as q
from quorate.analysis.interim import Decision, Interim, Look
from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger.facts import JudgeStatus
from quorate.decide.outcome import Outcome
from quorate.study.file import load
from quorate.study.status import Status
from quorate.table.arrived import sizes


@pytest.fixture(scope="session")
def half(tmp_path_factory):
    """60 of 96 cells: one judge is done, the other has begun."""
    return scored(tmp_path_factory.mktemp("half"), calls=60)


@pytest.fixture(scope="session")
def found(half):
    """What that says so far."""
    return q.interim(half)


def test_nothing_answered_is_said_to_be_that(tmp_path):
    rows = [{"id": "q1", "prompt": "p", "response": "r"}]
    path = written(tmp_path, rows, "items.jsonl", ["score"], 9)
    assert q.interim(path).kind == "none"
    assert q.interim(path).sentence.startswith("Nothing is asked yet")
    q.run(path, judges=dict.fromkeys("mn", lambda _: None))
    none = q.interim(path)
    assert (none.status.given_up, math.isnan(none.looks[-1].value), none.decisions) == (2, True, ())
    assert "Nothing has a score yet" in none.sentence


def test_one_answer_has_a_value_and_no_interval(tmp_path):
    one = q.interim(scored(tmp_path / "done", calls=1))
    (look,) = one.looks
    assert (look.n, math.isnan(look.low), math.isnan(look.always_low)) == (1, True, True)
    assert "at least 2 are needed" in one.sentence
    assert one.verdicts == one.advice == ()


@pytest.mark.slow
def test_looks_are_taken_over(half, found):
    again = q.interim(half, earlier=found)
    assert again.looks == found.looks
    assert all(one is other for one, other in zip(again.looks[:-1], found.looks[:-1], strict=True))


def result(*looks, reached="", kind="scores", decisions=()):
    status = Status("study.db", (JudgeStatus("m", 5, 0, 5, 0),), Spend(), Budget(), reached)
    return Interim(status, kind, 0.95, looks, ("x", "y") if kind == "votes" else None, decisions)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (result(), "5 of 10 cells are finished. Nothing has a score yet."),
        (result(Look(5, 7.0, 6.5, 7.5)), "to watch 6.50 to 7.50, none to decide by: no item is finished by all yet."),
        (result(Look(5, 7.0, 6.5, 7.5, 5.0, 8.0, 4)), "whenever you stop, 5.00 to 8.00 (of 4 finished items)."),
        (result(Look(5, 7.0, 6.5, 7.5), reached="half"), "to watch 6.50 to 7.50, the policy decides."),
        (
            result(Look(5, 0.7, 0.4, 0.9, 0.2, 1.0, 4), kind="votes"),
            "for x against y is 70.0%; 95% interval to watch 40",
        ),
    ],
)
def test_it_says_what_is_for_watching_and_what_for_deciding(found, words):
    assert words in found.sentence


def test_a_value_has_two_digits_of_half_its_half_width():
    """An interval of .15 on either side is told apart by thousandths; one without a width as one of .1."""
    wide, none = (Look(9, 5.0, 5.0 - half, 5.0 + half, 4.0, 6.0, 3) for half in (0.15, 0.0))
    assert result(wide).shown(wide) == ("5.000", "4.850 to 5.150", "4.000 to 6.000")
    assert result(none).shown(none)[:2] == ("5.000", "5.000 to 5.000")


def test_decisions_in_words_and_looks_in_rows():
    decided = (
        Decision("x", "y", Outcome.WORSE, -1.0, -1.5, -0.5, 9),
        Decision("x", "z", Outcome.UNDECIDED, 0, -1, 1, 1),
    )
    found = result(Look(5, 7.0, 6.5, 7.5), decisions=decided)
    assert found.verdicts == ("x is worse than y, after 9 items.", "Undecided between x and z, after 1 item.")
    (row,) = found.rows()
    assert (row["n"], row["low"], math.isnan(row["always_low"])) == (5, 6.5, True)
    assert found.to_dict()["looks"][0]["always_low"] is None


def test_a_look_is_the_analysis_of_what_had_come_by_then(half, found):
    assert [look.n for look in found.looks] == list(sizes(60)) == [8, 11, 16, 22, 32, 45, 60]
    now = found.looks[-1]
    table = q.read(load(half).database, announce=False)
    panel = q.analyze(table, targets={"system": "panel"}, link="identity")
    mean = panel.setup
    assert (now.value, now.low, now.high) == pytest.approx((mean.value, *mean.at(0.95).ends))
    widths = [look.high - look.low for look in found.looks]
    assert widths[-1] < widths[2] / 1.5
    assert found.agreement[0].pairs == 12  # what both judges have scored so far
    assert found.status.finished == 60


def test_items_count_for_a_decision_once_they_are_finished(found):
    assert found.looks[0].units == 0
    assert not found.looks[0].always_low < 10
    assert found.looks[-1].units == 6  # of the second judge's 12 cells
    assert [found.verdicts, found.decisions[0].units] == [("Undecided between amber and basalt, after 6 items.",), 6]


@pytest.mark.slow
def test_a_study_that_is_done(tmp_path):
    done = q.interim(scored(tmp_path, calls=200, items=6))
    assert done.to_dict()["status"]["complete"]
    now = done.looks[-1]
    assert now.units == done.decisions[0].units == 6
    assert now.always_low < now.low < now.high < now.always_high  # deciding at any time takes more


def test_votes(tmp_path):
    found = q.interim(voted(tmp_path, calls=100))
    assert (found.kind, found.pair) == ("votes", ("amber", "basalt"))
    assert 0.7 < found.looks[-1].value < 1
    assert found.looks[-1].units == 50  # votes that facets make alike are looked at when there are 50, 100, 200
    assert found.agreement[0].measure == "same"
    assert found.sentence.startswith(
        "100 of 120 cells are finished. So far the share of votes for amber against basalt"
    )
    assert found.verdicts == ("amber is better than basalt, after 50 votes.",)


def test_votes_are_watched_as_rank_watches_them(tmp_path):
    study = voted(tmp_path, calls=300, systems=("amber", "basalt", "chert"), items=25)
    found = q.interim(study)
    watched = q.votes.monitor_all(q.read_votes(load(study).database, announce=False))
    assert [(one.a, one.b, one.outcome, one.low, one.high) for one in found.decisions] == [
        (one["a"], one["b"], Outcome(one["outcome"]), one["low"], one["high"]) for one in watched.pair_rows()
    ]
    assert len(found.decisions) == 3
