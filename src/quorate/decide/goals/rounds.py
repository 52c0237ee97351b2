"""Rounds: a study that states a goal buys a pilot, looks, buys what is needed, and stops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, Offer, PreferGoal, Spent, StagedGoal
from quorate.decide.goals.look import UNDECIDED, Ending, Look, Pursuit, beyond, buying, found_at, held, t_bound
from quorate.decide.goals.parts import Comparison, Parts, Precision, has_parts
from quorate.decide.goals.plans import Plan, Plans, calls, nothing, of_difference
from quorate.decide.goals.votes import Favourite, Preference, shares_of
from quorate.decide.outcome import types_of_counts
from quorate.errors import InvalidInput
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.sequential.spending import inflation
from quorate.numerics.study_power import Studies
from quorate.numerics.votes.binomial import clopper_pearson
from quorate.numerics.votes.power import supplied
from quorate.planning.power.prompt_types import TwoStage, two_stage
from quorate.planning.search.optimize import largest_errors
from quorate.roles import SYSTEM
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes
from quorate.wording import listed

# The best system as a goal: systems drop out once another is shown to score higher.


_POWER = 0.9


@dataclass(frozen=True, eq=False)
class Elimination(Pursuit[BestGoal, SystemDifference]):
    """One-sided tests of the leader against every system that is left, at a level divided by their number."""

    @property
    def alpha(self) -> float:
        """Level of one such test: the best system is in as many as there are others."""
        return (1 - self.goal.level) / max(len(self.offer.systems) - 1, 1)

    @property
    def promised(self) -> bool:
        """No difference is."""
        return False

    @cached_property
    def sized(self) -> Floats:
        """Largest standard errors for a difference of 1; others are in proportion."""
        more = float(np.sqrt(inflation(self.offer.looks, self.alpha, _POWER, sided=1, spending=self.spending)))

        def power(law: Studies) -> float:
            return law.times(more).finds(1.0, 2 * self.alpha)

        return largest_errors(power, _POWER)

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> SystemDifference:
        """The leader less the system that is nearest to it, by the mean over cells that all have."""
        found = [self._less(judgments, systems[0], name) for name in systems[1:]]
        ahead = {systems[0]: 0.0} | {one.b: -one.value for one in found}
        leader = max(ahead, key=lambda name: ahead[name])
        if leader != systems[0]:
            found = [self._less(judgments, leader, name) for name in systems if name != leader]
        return min(found, key=lambda one: one.value / one.se)

    def _less(self, judgments: Judgments, a: str, b: str) -> SystemDifference:
        """The difference of two systems, which one look asks for several times."""
        if self._found[0] is not judgments:
            self._found[:] = judgments, {}
        known: dict[tuple[str, str], SystemDifference] = self._found[1]
        if (a, b) not in known:
            known[a, b] = difference(judgments, a, b, facet=SYSTEM, method="paired", targets=self.goal.target)
        return known[a, b]

    @cached_property
    def _found(self) -> list[Any]:
        """The table that was looked at last, and differences in it."""
        return [None, {}]

    def plans(self, found: SystemDifference, systems: Sequence[str], spent: Spent) -> Plans:
        """Studies of all systems that are left."""
        return of_difference(found, self.offer, self.sized, spent, len(systems))

    def tested(self, found: SystemDifference, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:
        """The tests of the leader against all others."""
        bound, spent = held(past, fraction, self.alpha, 1, spending=self.spending)
        systems = past[-1].systems if past else self.systems
        others = [self._less(judgments, found.a, name) for name in systems if name not in (found.a, found.b)]
        still = [one.b for one in (found, *others) if one.value <= float(t_bound(bound, one.df)) * one.se]
        half = float(t_bound(bound, found.df)) * found.se
        return found_at(
            found,
            past,
            fraction,
            (found.value - half, found.value + half),
            alpha=spent,
            bound=bound,
            level=self.goal.level,
            outcome=UNDECIDED if still else found.a,
            systems=tuple(name for name in systems if name == found.a or name in still),
            question=f"{found.a} less {found.b}",
        )

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Chance that the last analysis tells the leader from the nearest."""
        bound, _ = held(looks, 1.0, self.alpha, 1, spending=self.spending)
        return beyond(looks[-1].value, t_bound(bound, law.found_df) * law.found_se, spread)


# Stages of votes: the first on all types of items, the second on those where the two systems seem to differ most.


_NAMED, _ENOUGH = 5, 10**9


@dataclass(frozen=True, eq=False)
class TwoStages:
    """Two looks: after as many votes of every type, which are kept; after the rest, whether one is preferred there.

    Every battle has one vote, judges and prompts in turns. What is said rests on the second stage alone (Lee 2026,
    Algorithm 1): its votes are independent of those that chose the types, so that the exact test and interval hold
    whatever was kept. They are about the types kept, in proportion to their battles, and say nothing of the others.

    Parameters
    ----------
    goal : StagedGoal
        What is asked.
    offer : Offer
        What may be bought; its categories are the types.

    Raises
    ------
    InvalidInput
        If there are no two types, or both people and models are to vote.
    """

    goal: StagedGoal
    offer: Offer

    def __post_init__(self) -> None:
        if len(set(self.offer.categories or ())) < 2:
            raise InvalidInput("goal.stages: two types of items or more are needed; give items.category")
        if 0 < len(self.offer.people) < len(self.offer.judges):
            raise InvalidInput("goal.stages: votes are those of people or of models, not of both; name one kind")

    @cached_property
    def types(self) -> dict[str, Ints]:
        """Battles of every type, as places in the order in which they are taken."""
        label = np.array(self.offer.categories)[self.offer.order]
        return {name: np.flatnonzero(label == name) for name in sorted(set(label.tolist()))}

    @property
    def _sizes(self) -> Ints:
        return np.array([len(own) for own in self.types.values()])

    def _plan(self, votes: int) -> TwoStage:
        """Both stages of so many votes.

        Raises
        ------
        InvalidInput
            If the first takes all of them, or more than a type has.
        """
        plan = two_stage(votes, self._sizes, retained=self.goal.retained, per_type=self.goal.per_type)
        if plan.per_type > self._sizes.min():
            name = min(self.types, key=lambda one: len(self.types[one]))
            raise InvalidInput(
                f'goal.stages: the first takes {plan.per_type} battles of each type, and "{name}" has '
                f"{self._sizes.min()}; use coarser types, or give per_type"
            )
        return plan

    def _votes(self, spent: Spent) -> int:
        """Votes that what is left pays for, judges in turns; at most one of every battle."""
        each = self.offer.prices_of(1.0).get("judge")
        price = float(np.mean(list(each.values()))) if isinstance(each, dict) else 1.0
        left = self.offer.left(spent)
        return len(self.offer.items) if left >= price * len(self.offer.items) else math.floor(left / price + 1e-9)

    def pilot(self) -> Cells:
        """The first stage.

        Raises
        ------
        InvalidInput
            If the budget does not pay for it and more, or a type has too few battles.
        """
        plan = self._plan(max(self._votes(Spent(0)), 1))
        none = np.zeros(len(self.types), dtype=np.int64)
        return self.offer.affordable(self._cells(none, none + plan.per_type), Spent(0))

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        each = two_stage(_ENOUGH, self._sizes, per_type=self.goal.per_type).per_type  # battles of the first stage
        said: dict[str, float] = {}
        if votes.rows:
            pair = votes.pair(self.goal.a, self.goal.b)
            said = shares_of(pair, np.ones(pair.rows, dtype=np.bool_), "drop")
        if any(one.design for one in past):
            kept = tuple(next(one.design["kept"] for one in past if one.design))
            found = self._decided(self._counts(said, each, None), kept)
            return replace(found, number=len(past) + 1, judgments=votes.n, spent=spent), nothing(self.offer)
        # of the first stage nothing is tested: no level is spent, and the interval is all there is
        wins, n = self._counts(said, 0, each)
        value, se = _margin(int(wins.sum()), int(n.sum()))
        screening = Look(
            *(1, 2, votes.n, spent, value, se, math.inf, -0.5, 0.5, 0.0, 0.0, math.inf, self.goal.level),
            question=f"margin of votes for {self.goal.a}",
        )
        left = self._votes(spent)
        if left < 1:
            return screening.ended(Ending.BUDGET), nothing(self.offer)
        plan = self._plan(each * len(self.types) + left)
        wanted = plan.focus(wins, n=n, seed=self.offer.seed)
        second = supplied(wanted, self._sizes - each, np.where(wanted > 0, plan.weights, 0.0))
        cells = self.offer.affordable(self._cells(np.full(len(second), each), each + second), spent)
        kept = tuple(name for name, count in zip(self.types, wanted, strict=True) if count)
        note = f"the second stage asks of {listed(kept, most=_NAMED)}, furthest from one half"
        design = {"per_type": each, "kept": list(kept), "votes": second[wanted > 0].tolist()}
        return buying(screening, self.offer, cells, design=design, note=note)

    def _counts(self, said: Mapping[str, float], start: int, end: int | None) -> tuple[Ints, Ints]:
        """Wins of the first system and battles that are no tie, by type, of those from one place to another."""
        names = self.offer.item_order
        rows = [
            np.array([said[names[at]] for at in own[start:end] if names[at] in said], dtype=float)
            for own in self.types.values()
        ]
        return np.array([int((y > 0.5).sum()) for y in rows]), np.array([int((y != 0.5).sum()) for y in rows])

    def _decided(self, counts: tuple[Ints, Ints], kept: tuple[str, ...]) -> Look:
        """The second stage: the exact test of all of its votes, and whether the types that were kept agree."""
        wins, n = (int(each.sum()) for each in counts)
        level, (value, se) = self.goal.level, _margin(wins, n)
        low, high = (float(end) - 0.5 for end in clopper_pearson(wins, n, level)) if n else (-0.5, 0.5)
        outcome = "better" if low > 0 else "worse" if high < 0 else UNDECIDED
        by_type = [
            f"{name} {k / m:.0%} of {m:,}" for name, k, m in zip(self.types, *counts, strict=True) if m and name in kept
        ]
        types = types_of_counts([*self.types], *counts, level)
        unlike = "" if types is None else types.words(self.goal.a, 1 - level)
        note = f"for {self.goal.a}: {listed(by_type, most=_NAMED)}" if by_type else ""
        z = normal_quantile((1 + level) / 2)
        return Look(
            *(2, 2, 0, Spent(0), value, se, math.inf, low, high, 1.0, 1 - level, z, level),
            outcome=outcome,
            ending=Ending.LOOKS if outcome == UNDECIDED else Ending.REACHED,
            question=f"margin of votes for {self.goal.a} on {listed(kept, most=_NAMED)}",
            note=f"{note}. {unlike.removesuffix('.')}" if unlike else note,
        )

    def _cells(self, start: Ints, end: Ints) -> Cells:
        """A vote on every battle from one place of its type to another, judges and prompts in turns."""
        offer, prompts = self.offer, max(len(self.offer.prompts), 1)
        wanted = np.zeros((len(offer.items), 1, prompts, len(offer.judges)), dtype=np.int64)
        for own, low, high in zip(self.types.values(), start, end, strict=True):
            turn = np.arange(low, high) % (prompts * len(offer.judges))
            wanted[own[low:high], 0, turn // len(offer.judges), turn % len(offer.judges)] = 1
        return calls(offer, wanted)


def _margin(wins: int, n: int) -> tuple[float, float]:
    """Distance of a share from one half, with its standard error; of no votes 0, and that of one."""
    share = (wins + 0.5) / (n + 1)
    return (wins / n - 0.5 if n else 0.0), math.sqrt(share * (1 - share) / max(n, 1))


def pilot(goal: Goal, offer: Offer) -> Cells:
    """The first calls: a small crossed study from which the components are estimated.

    Of scores thirty items, three prompts and, where judges stand for others, three of them, as far as there are so
    many; where judges stand for themselves, all of them. Three answers per cell where a plan may have several. Of a
    goal with parts, such as categories, so many items of each. Of votes fifty battles, with a vote of a person and of
    every model; of several systems fifty of each, and twenty of each pair at least; in two stages so many of every
    type.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal, BestGoal, PreferGoal or StagedGoal
        What is asked.
    offer : Offer
        What may be bought.

    Raises
    ------
    InvalidInput
        If the budget does not pay for it.
    """
    votes = of_votes(goal, offer)
    cells = (votes or method(goal, offer)).pilot()
    if len(offer.affordable(cells, Spent(0))) < len(cells):
        takes = f"{len(cells):,} {'calls' if votes is None else 'votes'}"
        raise InvalidInput(f"budget: a pilot takes {takes}, which is more than it pays for; raise it")
    return cells


def look(
    goal: Goal, offer: Offer, judgments: Judgments | Votes, past: Sequence[Look], spent: Spent
) -> tuple[Look, Cells]:
    """One analysis of all judgments so far, and the calls that are bought next; none at the end.

    The same arguments give the same answer, so that a study that was interrupted decides as it would have done.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal, BestGoal, PreferGoal or StagedGoal
        What is asked.
    offer : Offer
        What may be bought.
    judgments : Judgments or Votes
        All so far, once everything that was bought has come in or failed.
    past : sequence of Look
        The looks before, in their order.
    spent : Spent
        What was spent by now.

    Raises
    ------
    InvalidInput
        If the last look ended the study.
    NotEstimable
        If the judgments say nothing about the goal.
    """
    if past and past[-1].ending is not None:
        raise InvalidInput(f"past: look {past[-1].number} ended the study; there is nothing to buy")
    if (votes := of_votes(goal, offer)) is not None:
        if not isinstance(judgments, Votes):
            raise InvalidInput(f"judgments: votes are needed for this goal, got {type(judgments).__name__}")
        return votes.look(judgments, past, spent)
    if not isinstance(judgments, Judgments):
        raise InvalidInput(f"judgments: scores are needed for this goal, got {type(judgments).__name__}")
    return method(goal, offer).look(judgments, past, spent)


def of_votes(goal: Goal, offer: Offer) -> Preference | TwoStages | Favourite | None:
    """How a goal of votes is pursued; None of another one."""
    if isinstance(goal, PreferGoal):
        return Preference(goal, offer)
    if isinstance(goal, StagedGoal):
        return TwoStages(goal, offer)
    return Favourite(goal, offer) if isinstance(goal, BestGoal) and offer.pairs else None


def method(goal: Goal, offer: Offer) -> Pursuit[Any, Any] | Parts:
    """How a goal of scores is pursued.

    Raises
    ------
    InvalidInput
        If the offer has not the systems that it takes.
    """
    if isinstance(goal, CompareGoal):
        if missing := [name for name in (goal.a, goal.b) if name not in offer.systems]:
            raise InvalidInput(f"goal: no system {missing[0]!r} is on offer; there are {', '.join(offer.systems)}")
        return Parts(goal, offer) if has_parts(goal, offer) else Comparison(goal, offer)
    if isinstance(goal, BestGoal):
        if len(offer.systems) < 2:
            raise InvalidInput(f"goal: the best of two or more systems is meant, got {len(offer.systems)}")
        return Elimination(goal, offer)
    if isinstance(goal, HalfWidthGoal):
        return Parts(goal, offer) if has_parts(goal, offer) else Precision(goal, offer)
    raise InvalidInput(f"goal: expects a goal of scores, got {type(goal).__name__}")
