"""Agreement with people as its report shows it: rates, and what else was asked of the same judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorate.frozen import dataclass
from quorate.table.results import Result, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.caveats import Caveat
    from quorate.estimate.agreement.agreement import Agreement, Rate
    from quorate.estimate.agreement.battles import PositionBias
    from quorate.estimate.agreement.leaderboards import CellAccuracies
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

KINDS = {"overall": "with ties", "decisive": "without"}
"""Words for the two kinds of agreement."""


@dataclass(frozen=True, eq=False)
class AgreementAnalysis(Result):
    """Agreement with people, and what else is known of the judges.

    Parameters
    ----------
    found : Agreement
        Of pipelines of judges.
    cells : CellAccuracies, optional
        Right judgments in every cell, from `quorate.estimate.agreement.leaderboards.accuracy_by_cell`.
    positions : tuple of PositionBias
        From `quorate.estimate.agreement.battles.position_bias`.
    """

    found: Agreement
    cells: CellAccuracies | None = None
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

    def rows(self) -> list[Row]:
        """Every pipeline, category and kind."""
        return self.found.rows()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        cells = {} if self.cells is None else {"cells": self.cells.to_dict()}
        positions = {"positions": [one.to_dict() for one in self.positions]} if self.positions else {}
        return {**self.found.to_dict(), **cells, **positions}


def agreement_view(
    judged: Votes | Judgments,
    people: Votes | str | Sequence[str],
    *,
    cells: Sequence[str] = (),
    positions: bool = False,
    key: str = "prompt",
    level: float = 0.95,
    **options: Any,
) -> AgreementAnalysis:
    """Agreement with people, and what else is asked of the same judgments.

    Parameters
    ----------
    judged : Votes or Judgments
        Judges' votes on battles, or scores of their responses.
    people : Votes, or str or sequence of str
        People's votes, or which judges are people.
    cells : sequence of str
        Votes: roles in whose cells single votes are looked at; none by default.
    positions : bool
        Votes: whether to ask if judges prefer what is shown first.
    key, level, **options
        As for `quorate.agreement.agreement`.

    Raises
    ------
    InvalidInput
        If ``cells`` or ``positions`` is asked of scores.
    """
    from quorate.estimate.agreement.agreement import agreement
    from quorate.estimate.agreement.battles import position_bias
    from quorate.estimate.agreement.leaderboards import accuracy_by_cell
    from quorate.table.kinds import for_kind, kind_of
    from quorate.table.votes import Votes

    for_kind(kind_of(judged, "judged"), votes={"cells": cells or None, "positions": positions or None})
    found = agreement(judged, people, key=key, level=level, **options)
    by_cell = accuracy_by_cell(judged, people, by=tuple(cells), key=key, level=level) if cells else None
    biases = position_bias(judged, key=key, level=level) if positions and isinstance(judged, Votes) else ()
    return AgreementAnalysis(found, by_cell, biases)
