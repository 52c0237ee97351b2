"""Turns: whoever plans first has the turn, and what is recorded is recorded with its cells or not at all."""

import asyncio
from dataclasses import dataclass

import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Ended, RunOutcome
from quorate.study.battles import Turn, in_turns
from quorate.study.file import load
from quorate.study.questions import questions


@dataclass(frozen=True)
class Seen:
    looks: int

    def holds(self, ledger):
        return len(ledger.looks()) == self.looks


class Three:
    """Three looks, the last one over; ``meanwhile`` is what others do before a turn is planned."""

    def __init__(self, cells, meanwhile=None):
        self.cells, self.meanwhile = cells, meanwhile

    def read(self, ledger, _):
        return Seen(len(ledger.looks()))

    def next(self, ledger, stand):
        if self.meanwhile is not None:
            self.meanwhile(stand.looks)
        return Turn(
            self.cells.keep(self.cells.replicate < 0),
            over=stand.looks >= 2,
            record=lambda: ledger.add_look({"by": "me"}),
        )


@pytest.fixture
def asked(study):
    return questions(load(study()))


async def answered():
    return RunOutcome(Ended.COMPLETE, 1, 0, 0, {"rule": 1})


def turns(ledger, plan, asked):
    return asyncio.run(in_turns(ledger, plan, asked, answered))


def by(ledger):
    return [look.content["by"] for look in ledger.looks()]


def test_it_ends_where_the_plan_is_over(asked, tmp_path):
    with Ledger.open(tmp_path / "t.db") as ledger:
        cells = asked.cells()
        assert turns(ledger, Three(cells), asked).finished == 3
        assert by(ledger) == ["me"] * 3


def test_a_turn_that_another_runner_has_planned_is_not_planned_again(asked, tmp_path):
    with Ledger.open(tmp_path / "t.db") as ledger, Ledger.open(tmp_path / "t.db") as other:
        done = []

        def first(looks):
            if looks == 1 and not done:
                done.append(looks)
                other.add_look({"by": "them"})

        turns(ledger, Three(asked.cells(), first), asked)
        assert by(ledger) == ["me", "them", "me"]


def test_it_ends_where_collecting_does(asked, tmp_path):
    async def dead():
        return RunOutcome(Ended.JUDGES, 0, 0, 3, {})

    with Ledger.open(tmp_path / "t.db") as ledger:
        found = asyncio.run(in_turns(ledger, Three(asked.cells()), asked, dead))
        assert (found.ended, by(ledger)) == (Ended.JUDGES, [])
