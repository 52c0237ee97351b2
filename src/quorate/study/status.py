"""How far a study is, from its ledger alone."""

from __future__ import annotations

import os
from dataclasses import dataclass

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import ERROR
from quorate.collect.ledger import Ledger
from quorate.collect.ledger_facts import Standing
from quorate.collect.ledger_lease import LOST
from quorate.study.file import load
from quorate.study.rounds import reached
from quorate.table.exchange.postgres_address import Place


@dataclass(frozen=True)
class Status:
    """How far a study is.

    Parameters
    ----------
    ledger : Path or Address
        File of the answers, or a schema of Postgres.
    judges : tuple of Standing
        By judge: cells and their states, requests by what came of them, tokens, money; none before the first run.
    spend : Spend
        What the calls have cost.
    budget : Budget
        The most that they may cost.
    reached : str
        What an adaptive policy has reached, in a sentence; empty without one.
    ended : bool
        Whether no policy wants more: it has reached what it was to reach, or was to spend its budget and has.
    """

    ledger: Place
    judges: tuple[Standing, ...]
    spend: Spend
    budget: Budget
    reached: str = ""
    ended: bool = True

    @property
    def cells(self) -> int:
        """Cells that are planned."""
        return sum(one.cells for one in self.judges)

    @property
    def finished(self) -> int:
        """Cells that are answered or given up."""
        return sum(one.done + one.given_up for one in self.judges)

    @property
    def given_up(self) -> int:
        """Cells that have no score after all tries."""
        return sum(one.given_up for one in self.judges)

    @property
    def complete(self) -> bool:
        """Whether something is planned, all of it is finished, and no policy wants more."""
        return 0 < self.cells == self.finished and self.ended

    @property
    def silent(self) -> tuple[str, ...]:
        """Judges that were asked and have answered nothing, so that the panel lacks them so far."""
        return tuple(
            one.judge for one in self.judges if one.planned and one.calls and not one.statuses.keys() - {ERROR, LOST}
        )

    @property
    def sentence(self) -> str:
        """How far the study is, in one sentence."""
        if not self.judges:
            return f"Nothing is asked yet: {self.ledger} is made by the first run."
        failed = f", {self.given_up:,} of them given up" if self.given_up else ""
        held = sum(one.held for one in self.judges)
        wait = f"; {held:,} questions wait in batches, for a run to collect the answers" if held else ""
        policy = f" Policy: {self.reached}." if self.reached else ""
        return f"{self.finished:,} of {self.cells:,} cells are finished{failed}{wait}.{policy}"


def status(study: str | os.PathLike[str]) -> Status:
    """How far a study is: cells, spend and failures by judge. Nothing is asked, and a run may be under way.

    Parameters
    ----------
    study : path
        The study file.

    Returns
    -------
    Status

    Raises
    ------
    InvalidInput
        If the file breaks a rule, or the ledger cannot be read.
    """
    found = load(study)
    budget = Budget(**found.budget.model_dump())
    if not Ledger.exists(found.database):
        return Status(found.database, (), Spend(), budget)
    with Ledger.open(found.database) as ledger:
        policy = ("", True) if found.adaptive is None else reached(ledger, found)
        return Status(found.database, ledger.status(), ledger.spend(), budget, *policy)
