"""An interim analysis in words and rows."""

from __future__ import annotations

import math

import pytest

from quorate.analysis.interim import Decision, Interim, Look
from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger.facts import JudgeStatus
from quorate.decide.outcome import Outcome
from quorate.study.status import Status


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
