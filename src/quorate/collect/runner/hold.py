"""Hold of a runner on its cells: by its own number, or by one that stays when its process ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from quorate.collect.judge import Judge, Lasting, lasts
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Lane

T = TypeVar("T")


class Hold:
    """What a runner holds in a ledger, for judges of both kinds.

    A judge whose questions outlive the process, as those in a batch do, has its cells leased by a number of their own.
    They stay leased when the runner ends, with their price reserved, and the next one takes them over and asks again;
    the judge then finds the answers that are on their way.

    Parameters
    ----------
    ledger : Ledger
        The ledger.
    runner : int
        The runner's own number.
    judges : mapping of str to Judge
        By name.
    """

    def __init__(self, ledger: Ledger, runner: int, judges: Mapping[str, Judge]) -> None:
        self._ledger, self._runner = ledger, runner
        self._lasting: Mapping[str, Lasting] = {
            name: judge for name, judge in judges.items() if lasts(judge) and isinstance(judge, Lasting)
        }
        self._holder = ledger.holder(runner) if self._lasting else runner
        self._adopted: set[int] = set()

    def number(self, judge: str) -> int:
        """The number that holds the cells of a judge."""
        return self._holder if judge in self._lasting else self._runner

    def commit(self, results: Sequence[Settled]) -> int:
        """Record answers; how many came too late."""
        self._adopted.difference_update(result.cell.id for result in results)
        parts = self._parts(results, lambda result: result.cell.judge)
        return sum(self._ledger.commit(number, part) for number, part in parts)

    def release(self, cells: Iterable[LeasedCell]) -> None:
        """Give back cells that were never sent; those taken over may have been, by another runner, and stay."""
        mine = [cell for cell in cells if cell.id not in self._adopted]
        for number, part in self._parts(mine, lambda cell: cell.judge):
            self._ledger.release(number, part)

    def lose(self, lanes: Iterable[Lane]) -> None:
        """Count what is in flight as lost, but for questions that go on."""
        cells = [cell for lane in lanes if not lane.lasting for cell in lane.flying.values()]
        self._ledger.lose(self._runner, cells)

    def reclaim(self, known: Sequence[LeasedCell]) -> None:
        """Give back cells that are held without being known, after a commit whose end was not heard.

        Those of judges whose questions go on may have been sent, by another runner: see `adopted`.
        """
        self._ledger.reclaim(self._runner, known)

    def adopted(self, lanes: Iterable[Lane], known: Sequence[LeasedCell] | None = None) -> dict[str, list[LeasedCell]]:
        """Cells taken over from runners that are gone, by judge; with those not known, after such a commit."""
        names = [lane.judge for lane in lanes if lane.lasting and not lane.dead]
        there = {(cell.id, cell.asked) for cell in known or ()}
        adopt = partial(self._ledger.adopt, self._holder, own=known is not None)
        adopted = {name: [cell for cell in adopt(name) if (cell.id, cell.asked) not in there] for name in names}
        self._adopted.update(cell.id for cells in adopted.values() for cell in cells)
        return adopted

    def unsent(self, lanes: Iterable[Lane]) -> list[LeasedCell]:
        """Cells in flight whose questions are in no batch yet; they are in flight no more."""
        cells = []
        for lane in lanes:
            keys = self._lasting[lane.judge].unsent() if lane.lasting else frozenset()
            cells += [lane.flying.pop(cell.id) for cell in list(lane.flying.values()) if cell.key in keys]
        return cells

    def _parts(self, rows: Sequence[T], judge: Callable[[T], str]) -> list[tuple[int, Sequence[T]]]:
        if not self._lasting:
            return [(self._runner, rows)]
        numbers = (self._runner, self._holder)
        return [(number, [row for row in rows if self.number(judge(row)) == number]) for number in numbers]
