"""Replay of a recorded table as a judge: every question gets the answer that was given to it once."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.collect.budget import Price
from quorate.collect.judge import ERROR, REPLIES, UNPARSED, Reply, Request
from quorate.errors import InvalidInput
from quorate.table.judgments import OK, Judgments
from quorate.table.reread import answers

_FREE = Price(call=0.0)
_Cell = tuple[str, ...]


class ReplayJudge:
    """Recorded judgments, asked again.

    The first replicate of a cell gets the first answer that was recorded for it, the second the second, and so on;
    rows that failed come after those that were answered, with the status they had. A cell, or a replicate, that was
    not recorded is an error.

    Parameters
    ----------
    name : str
        The judge's name; where the table has a facet ``judge``, its level.
    judgments : Judgments
        From `quorate.read`; the file must still be there.
    price : Price
        What a recorded call is to cost; nothing unless given.

    Raises
    ------
    InvalidInput
        If the table has judges, and none of this name.
    """

    def __init__(self, name: str, judgments: Judgments, *, price: Price = _FREE) -> None:
        parents = {facet.parent for facet in judgments.facets}
        self._name, self._price = name, price
        self._facets = tuple(role for role in judgments.names if role not in parents)
        if "judge" in self._facets:
            judges = judgments.facet("judge").levels
            if name not in judges:
                raise InvalidInput(f'judge "{name}": not in the recorded table; it has {", ".join(judges)}')
        self._recorded = _recorded(judgments, self._facets, name)

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._name

    def recorded(self, cell: Mapping[str, str]) -> int:
        """How many answers to a cell were recorded, by the labels of its facets."""
        known = {"judge": self._name, **cell}
        return len(self._recorded.get(tuple(known.get(role, "") for role in self._facets), ()))

    async def ask(self, request: Request) -> Reply:
        """The answer that was recorded for the request's cell."""
        known = {"judge": self._name, **request.cell}
        absent = [role for role in self._facets if role not in known]
        if absent:
            return self._error(
                f'the table is by {", ".join(self._facets)}; the request has no "{absent[0]}"', fatal=True
            )
        rows = self._recorded.get(tuple(known[role] for role in self._facets), [])
        replicate = str(known.get("replicate", "1"))
        if not replicate.isdecimal() or not 0 < int(replicate) <= len(rows):
            cell = ", ".join(known[role] for role in self._facets)
            return self._error(f"replicate {replicate} of ({cell}) was not recorded; there are {len(rows)}")
        row, cost = rows[int(replicate) - 1], self._price.cost(None, None)
        if isinstance(row, str):
            return Reply(row if row in REPLIES else UNPARSED, error=f"recorded as {row}", cost=cost)
        if not request.expects.low <= row <= request.expects.high:
            span = f"{request.expects.low:g} to {request.expects.high:g}"
            return Reply(UNPARSED, text=f"{row:g}", error=f"recorded as {row:g}, which is not from {span}", cost=cost)
        return Reply(OK, row, f"{row:g}", cost=cost)

    async def close(self) -> None:
        """Nothing is open."""

    @staticmethod
    def _error(message: str, *, fatal: bool = False) -> Reply:
        return Reply(ERROR, error=f"replay: {message}", cost=0.0, fatal=fatal)


def _recorded(judgments: Judgments, facets: tuple[str, ...], judge: str) -> Mapping[_Cell, list[float | str]]:
    """Scores, then the statuses of failed rows, by the labels of a cell; of one judge where there are several."""
    values, offsets = answers(judgments)
    columns = [(judgments.facet(role).levels, judgments.column(role).tolist()) for role in facets]
    recorded: dict[_Cell, list[float | str]] = {}
    for cell in range(judgments.n_cells):
        labels = tuple(levels[codes[cell]] for levels, codes in columns)
        if "judge" not in facets or labels[facets.index("judge")] == judge:
            rows = recorded.setdefault(labels, [])
            rows += values[offsets[cell] : offsets[cell + 1]].tolist()
            rows += [status for status, counts in judgments.status.items() if status != OK for _ in range(counts[cell])]
    return recorded
