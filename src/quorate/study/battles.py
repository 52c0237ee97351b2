"""Battles of a study of pairs: in every round the next ones are drawn by what their votes tell, within the budget.

Each battle goes to one judge. The chance at which its pair was drawn is a facet of its cells in the ledger, so that it
comes back with the vote.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.collect.budget import Spend
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import RunOutcome
from quorate.errors import InvalidInput, QuorateError
from quorate.frozen import dataclass
from quorate.planning.battles import NextBattles, Pair, chosen_battles
from quorate.roles import PROPENSITY
from quorate.streams import stream
from quorate.study.file import Battles, Study, answers
from quorate.study.questions import ITEM, JUDGE, Questions, questions
from quorate.study.quote import worst
from quorate.table.cells import Cells
from quorate.table.exchange.format import PAIR
from quorate.table.exchange.ledger import columns
from quorate.table.votes import Votes
from quorate.wording import counted, percent

# Turns of a study whose next cells follow from the answers so far: collected, read, planned, collected again.


Collect = Callable[[], Awaitable[RunOutcome]]


class Turn(NamedTuple):
    """What comes next.

    Parameters
    ----------
    cells : Cells
        To be asked; none at the end.
    over : bool
        Whether nothing more is to be asked.
    record : callable, optional
        Writes what else belongs to the turn, in the transaction in which its cells are planned.
    """

    cells: Cells
    over: bool
    record: Callable[[], None] | None = None


class Stand(Protocol):
    """How far a study is when all that was planned is finished."""

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has planned or recorded anything since."""


S = TypeVar("S", bound=Stand)


class Plan(Protocol[S]):
    """What says what comes next, from the ledger alone."""

    def read(self, ledger: Ledger, before: S | None) -> S:
        """How far the study is, from where it was at the turn before; all of it at one moment."""

    def next(self, ledger: Ledger, stand: S) -> Turn:
        """What follows from that; may take long."""


async def in_turns(ledger: Ledger, plan: Plan[S], asked: Questions, collect: Collect) -> RunOutcome:
    """Ask in turns until the plan is done, the budget spent, or a judge does not answer.

    Any number of runners may be at it: the next turn is that of whoever plans it first.

    Parameters
    ----------
    ledger : Ledger
        With what the study depends on declared.
    plan : Plan
        What comes next.
    asked : Questions
        Of the study.
    collect : callable
        Asks everything that is planned.

    Returns
    -------
    RunOutcome
        Of all turns together.
    """
    stand: S | None = None
    over = False
    total = await collect()
    while total.complete and not over:
        read = ledger.seen(partial(_read, ledger, plan, stand))
        if read is not None:
            stand = read
            turn = plan.next(ledger, stand)  # nothing is held meanwhile
            over = ledger.insist(partial(_take, ledger, turn, stand, asked)) and turn.over
        if not over:
            total = total.then(await collect())
    return total


def _read(ledger: Ledger, plan: Plan[S], before: S | None) -> S | None:
    """How far the study is; None if a turn is under way."""
    return None if ledger.unfinished() else plan.read(ledger, before)


def _take(ledger: Ledger, turn: Turn, stand: S, asked: Questions) -> bool:
    """Plan a turn, unless another runner has planned more, or this one has and did not hear of it; whether it did."""
    if ledger.unfinished() or not stand.holds(ledger):
        return False
    ledger.plan(turn.cells, asked.keys(turn.cells), worst(asked))
    if turn.record is not None:
        turn.record()
    return True


_NAMED = (ITEM, *PAIR, JUDGE)


class Standing(NamedTuple):
    """The last cell that was planned, and what was spent."""

    last: int
    spend: Spend

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has planned more."""
        return ledger.last == self.last


class Bouts(NamedTuple):
    """What may be asked: every battle by every judge, and the cells that each is.

    Parameters
    ----------
    names : list of tuple of str
        Item, the two systems as listed, and judge.
    of_cell : array of int, shape (cells,)
        Bout of every cell of the study.
    pair : list of tuple of str
        The two systems in alphabetical order.
    row : array of int, shape (bouts,)
        Battle, whoever judges it.
    """

    names: list[tuple[str, ...]]
    of_cell: Ints
    pair: list[Pair]
    row: Ints


@dataclass(frozen=True, eq=False)
class Battling:
    """The rounds of a study whose battles are drawn: each follows from the ledger alone.

    Parameters
    ----------
    asked : Questions
        Of the study.
    """

    asked: Questions

    @cached_property
    def settings(self) -> Battles:
        """How they are drawn.

        Raises
        ------
        InvalidInput
            If the study draws none.
        """
        if self.asked.study.battles is None:
            raise InvalidInput(
                f"battles: {self.asked.study.path} draws none; give it battles, such as battles: {{criterion: A}}"
            )
        return self.asked.study.battles

    @cached_property
    def prices(self) -> dict[str, float | None]:
        """Worst-case price of a call, by judge."""
        return worst(self.asked)

    @cached_property
    def every(self) -> Cells:
        """All cells that the study may ask."""
        return self.asked.cells()

    @cached_property
    def bouts(self) -> Bouts:
        """What these are."""
        codes = np.column_stack([self.every.code(name) for name in _NAMED])
        known, of_cell = np.unique(codes, axis=0, return_inverse=True)
        labels = [self.every.levels[name] for name in _NAMED]
        names = [tuple(own[code] for own, code in zip(labels, row, strict=True)) for row in known.tolist()]
        pair = [(min(a, b), max(a, b)) for _, a, b, _ in names]
        row = np.unique(known[:, :3], axis=0, return_inverse=True)[1].ravel()
        return Bouts(names, of_cell.ravel(), pair, row)

    @property
    def each(self) -> int:
        """Calls that a battle takes, in all wordings and orders."""
        return int(np.bincount(self.bouts.of_cell).max(initial=1))

    @cached_property
    def share(self) -> dict[str, float]:
        """Chance of each judge to get a battle: as 1 over the root of its price, or alike where one is free."""
        judges = tuple(self.asked.judges)
        prices = [self.prices.get(name) or 0.0 for name in judges]
        weight = [1 / math.sqrt(price) for price in prices] if all(prices) else [1.0] * len(judges)
        return {name: each / sum(weight) for name, each in zip(judges, weight, strict=True)}

    def read(self, ledger: Ledger, _: Standing | None = None) -> Standing:
        """How far the study is."""
        return Standing(ledger.last, ledger.spend())

    def next(self, ledger: Ledger, stand: Standing) -> Turn:
        """The next battles; none where all are asked or the budget has no room for one."""
        taken = self.taken(ledger)
        room = self.room(taken, stand.spend)
        if not room:
            return Turn(self._cells(np.zeros(0, dtype=np.int64), np.zeros(0)), over=True)
        plan = self.chances(ledger, taken, room, stand.last)
        return Turn(self._cells(*self.assigned(plan, taken, stand.last)), over=False)

    def taken(self, ledger: Ledger | None) -> Bools:
        """Which bouts are in the ledger, shape (bouts,); all of its cells are finished."""
        if ledger is None or not ledger.last:
            return np.zeros(len(self.bouts.names), dtype=np.bool_)
        held = columns(self.asked.study.database)
        if PROPENSITY not in held:
            raise InvalidInput(
                f"ledger: {ledger.path} has battles that were not drawn; start a new ledger for the changed study"
            )
        there = set(zip(*(held[name].tolist() for name in _NAMED), strict=True))
        return np.array([name in there for name in self.bouts.names], dtype=np.bool_)

    def room(self, taken: Bools, spend: Spend) -> int:
        """Battles that are still to be asked: those that are left, or as many as the budget has room for."""
        cap, left = self.asked.study.budget, [int((~taken).sum())]
        if cap.calls is not None:
            left.append((cap.calls - spend.calls - spend.reserved) // self.each)
        if cap.money is not None and self.price:
            left.append(int((cap.money - spend.money - spend.reserved_money) / self.price))
        return max(min(left), 0)

    @property
    def price(self) -> float:
        """Worst-case price of a battle, on average over judges; 0 where none is known."""
        return self.each * sum((self.prices.get(name) or 0.0) * share for name, share in self.share.items())

    def chances(self, ledger: Ledger, taken: Bools, room: int, last: int) -> NextBattles:
        """Chances of the pairs that are left, and draws from them."""
        votes = answers(self.asked.study) if ledger.last else None
        # As the plan was: what failures and interruptions have cost besides changes no chance.
        ahead = max(self.room(np.zeros_like(taken), Spend()) - int(taken.sum()), room)
        return chosen_battles(
            votes if isinstance(votes, Votes) else None,
            sorted({self.bouts.pair[bout] for bout in np.flatnonzero(~taken).tolist()}),
            min(self.settings.batch, room),
            criterion=self.settings.criterion,
            floor=self.settings.floor,
            horizon=ahead,
            seed=self.asked.study.seed,
            purpose=f"battles after {last}",
        )

    def assigned(self, plan: NextBattles, taken: Bools, last: int) -> tuple[Ints, Floats]:
        """Bouts for the pairs that were drawn, with their chances: the judge drawn, the battle asked least so far.

        A pair of which fewer are left than were drawn gets these.
        """
        rng, judges = stream(self.asked.study.seed, f"judges after {last}"), list(self.share)
        times = np.bincount(self.bouts.row[taken], minlength=int(self.bouts.row.max()) + 1)
        luck = stream(self.asked.study.seed, "order of battles").permutation(len(taken))
        waiting: dict[tuple[Pair, str], list[int]] = {}
        for bout in np.lexsort((luck, times[self.bouts.row]))[::-1].tolist():
            if not taken[bout]:
                waiting.setdefault((self.bouts.pair[bout], self.bouts.names[bout][-1]), []).append(bout)
        bouts, chances = [], []
        for place in plan.chosen.tolist():
            own = int(rng.choice(len(judges), p=list(self.share.values())))
            lines = (waiting.get((plan.pairs[place], name)) for name in (*judges[own:], *judges[:own]))
            line = next(filter(None, lines), None)
            if line:
                bouts.append(line.pop())
                chances.append(float(plan.chance[place]))
        return np.array(bouts, dtype=np.int64), np.array(chances)

    def _cells(self, bouts: Ints, chances: Floats) -> Cells:
        """The cells of some bouts, with their chances as a facet."""
        chance = np.full(len(self.bouts.names), np.nan)
        chance[bouts] = chances
        own = chance[self.bouts.of_cell]
        cells = self.every.keep(np.isfinite(own))
        values, code = np.unique(own[np.isfinite(own)], return_inverse=True)
        labels = tuple(f"{value:.6g}" for value in values.tolist())
        names = {label: at for at, label in enumerate(dict.fromkeys(labels))}
        place = np.array([names[label] for label in labels], dtype=np.int32)
        levels = {**cells.levels, PROPENSITY: tuple(names)}
        return Cells(levels, np.column_stack([cells.codes, place[code]]), cells.replicate, cells.nested)

    def shares(self, ledger: Ledger | None) -> dict[str, int]:
        """Cells that may still be asked, by judge, as far as is known before they are drawn."""
        waiting = {} if ledger is None else ledger.unfinished()
        room = self.room(self.taken(ledger), Spend() if ledger is None else ledger.spend()) * self.each
        room = max(room - sum(waiting.values()), 0)
        return {name: waiting.get(name, 0) + round(room * share) for name, share in self.share.items()}

    def sentence(self, ledger: Ledger) -> str:
        """Which battles were drawn, and why no more are, in a sentence."""
        if not ledger.last:
            return "no battle is drawn yet"
        held = columns(self.asked.study.database)
        names = set(zip(*(held[name].tolist() for name in _NAMED), strict=True))
        if not names:
            return "no battle is answered yet"
        pairs = {(min(a, b), max(a, b)) for _, a, b, _ in names}
        chance = np.array(held[PROPENSITY], dtype=np.float64)
        said = f"{counted(len(names), 'battle')} on {counted(len(pairs), 'pair')} of systems, drawn at chances from "
        said += f"{percent(float(chance.min()))} to {percent(float(chance.max()))}"
        taken = self.taken(ledger)
        if self.room(taken, ledger.spend()):
            return said
        return said + ("; all are asked" if taken.all() else "; the budget has no room for more")


async def in_battles(ledger: Ledger, asked: Questions, collect: Collect) -> tuple[RunOutcome, str]:
    """Ask the battles that are drawn, round by round, until all are asked or the budget is spent; see `in_turns`.

    Returns
    -------
    RunOutcome
        Of all rounds together.
    str
        Which battles were drawn, in a sentence.
    """
    plan = Battling(asked)
    total = await in_turns(ledger, plan, asked, collect)
    return total, plan.sentence(ledger)


def drawn_so_far(ledger: Ledger, study: Study) -> tuple[str, bool]:
    """Which battles were drawn by now, in a sentence, and whether no more are."""
    try:
        plan = Battling(questions(study))
        return plan.sentence(ledger), not plan.room(plan.taken(ledger), ledger.spend())
    except QuorateError as error:
        return f"which battles were drawn is not known ({error})", False
