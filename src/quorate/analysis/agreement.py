"""Agreement with people as its report shows it: rates, and what else was asked of the same judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quorate.caveats import Caveat
    from quorate.estimate.agreement.agreement import Agreement, Rate
    from quorate.estimate.agreement.cells import Cells
    from quorate.estimate.agreement.position import PositionBias

KINDS = {"overall": "with ties", "decisive": "without"}
"""Words for the two kinds of agreement."""


@dataclass(frozen=True, eq=False)
class AgreementView:
    """Agreement with people, and what else is known of the judges.

    Parameters
    ----------
    found : Agreement
        Of pipelines of judges.
    cells : Cells, optional
        Right judgments in every cell, from `quorate.estimate.agreement.cells.accuracy_by_cell`.
    positions : tuple of PositionBias
        From `quorate.estimate.agreement.position.position_bias`.
    """

    found: Agreement
    cells: Cells | None = None
    positions: tuple[PositionBias, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self.found.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.found.caveats

    @property
    def best(self) -> Rate:
        """The pipeline that decides most battles as people do, ties included."""
        whole = [one for one in self.found.rates if one.category == "all" and one.kind == "overall"]
        return max(whole, key=lambda one: one.value)

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories of battles."""
        return tuple(dict.fromkeys(one.category for one in self.found.rates if one.category != "all"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        cells = {} if self.cells is None else {"cells": self.cells.to_dict()}
        positions = {"positions": [one.to_dict() for one in self.positions]} if self.positions else {}
        return {**self.found.to_dict(), **cells, **positions}
