"""How far a study is, from its ledger alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger import Ledger
from quorate.collect.ledger_facts import Standing
from quorate.study.file import load


@dataclass(frozen=True)
class Status:
    """How far a study is.

    Parameters
    ----------
    ledger : Path
        File of the answers.
    judges : tuple of Standing
        By judge: cells and their states, requests by what came of them, tokens, money; none before the first run.
    spend : Spend
        What the calls have cost.
    budget : Budget
        The most that they may cost.
    """

    ledger: Path
    judges: tuple[Standing, ...]
    spend: Spend
    budget: Budget

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
        """Whether something is planned and all of it is finished."""
        return 0 < self.cells == self.finished

    @property
    def sentence(self) -> str:
        """How far the study is, in one sentence."""
        if not self.judges:
            return f"Nothing is asked yet: {self.ledger} is made by the first run."
        failed = f", {self.given_up:,} of them given up" if self.given_up else ""
        return f"{self.finished:,} of {self.cells:,} cells are finished{failed}."


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
    if not found.database.exists():
        return Status(found.database, (), Spend(), budget)
    with Ledger.open(found.database) as ledger:
        return Status(found.database, ledger.status(), ledger.spend(), budget)
