"""The best of several systems in votes: which is preferred to each of the others, system by system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from quorate.decide.goals.goal import BestGoal
from quorate.decide.goals.look import UNDECIDED, Contest, Ending, Look, t_bound
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.plans import bought, calls, nothing
from quorate.decide.goals.poll import Estimated, Poll, Size, variance_of
from quorate.decide.goals.pursuit import FUTILE
from quorate.decide.goals.votes import PILOT, paid
from quorate.errors import InvalidInput
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.sequential.spending import Path, bound_for, inflation, pocock, start
from quorate.table.cells import Cells
from quorate.table.votes import Votes
from quorate.wording import listed

Pair = tuple[str, str]
_FEWEST = 20
"""Battles of a pair in a pilot, at least."""
_POWER = 0.9
_NEW = 1 + 1e-6
"""Information over that of the look before, from which on there is something new."""


@dataclass(frozen=True, eq=False)
class Favourite:
    """One-sided tests of the leader against every system that is left, each of their own battles.

    Every pair is a `Poll`, and all pairs of systems that are left are tested at every look, each system against every
    other at a level divided by the number of others. The information of a test is that of its own votes; the level is
    spent along the budget, which all of them share.

    Parameters
    ----------
    goal : BestGoal
        What is asked.
    offer : Offer
        What may be bought, with the pair of every item.

    Raises
    ------
    InvalidInput
        If two systems have no battle.
    """

    goal: BestGoal
    offer: Offer

    def __post_init__(self) -> None:
        for a, b in combinations(self.systems, 2):
            if not len(self.polls[a, b].battles):
                raise InvalidInput(
                    f'goal.rank: no item is a battle of "{a}" and "{b}", and any two may be the last that are left; '
                    "give items of all pairs, or leave a system out"
                )

    @property
    def alpha(self) -> float:
        """Level of one test: the best system is in as many as there are others."""
        return (1 - self.goal.level) / max(len(self.systems) - 1, 1)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """All systems with battles."""
        return tuple(sorted({name for pair in self.offer.pairs for name in pair}))

    @cached_property
    def polls(self) -> dict[Pair, Poll]:
        """The votes on every pair of systems."""
        own = [tuple(sorted(self.offer.pairs[at])) for at in self.offer.order]
        at: dict[Pair, list[int]] = {pair: [] for pair in combinations(self.systems, 2)}
        for place, (a, b) in enumerate(own):
            at[a, b].append(place)
        return {(a, b): Poll(a, b, self.offer, np.array(places, dtype=np.int64)) for (a, b), places in at.items()}

    def pilot(self) -> Cells:
        """Votes on every pair.

        Raises
        ------
        InvalidInput
            If the budget does not pay for them.
        """
        return paid(self.offer, self._cells({pair: Size(0, 0) for pair in self.polls}, self._pilot))

    @property
    def _pilot(self) -> dict[Pair, Size]:
        each = max(_FEWEST, math.ceil(PILOT / (len(self.systems) - 1)))
        return {pair: poll.pilot(each) for pair, poll in self.polls.items()}

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, number, none = self.offer, len(past) + 1, nothing(self.offer)
        systems = past[-1].systems if past else self.systems
        had = self._had(past)
        found = {pair: self.polls[pair].estimate(votes, had[pair]) for pair in combinations(systems, 2)}
        leader, nearest = self._leader(found, systems)
        left = offer.left(spent)
        last = number >= offer.looks or nearest not in self._bought(found, leader, left)
        fraction = 1.0 if last else 1 - left / offer.left(Spent(0))  # of the budget, as nothing else is promised
        fraction = max([fraction, *(one.fraction for one in past)])
        level = float(pocock(fraction, self.alpha))
        contests = {pair: self._contest(pair, one, past, level) for pair, one in found.items()}
        here = self._shown(contests, leader, nearest, systems)
        here = replace(here, number=number, looks=offer.looks, judgments=votes.n, spent=spent, fraction=fraction)
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        rivals = {pair: one for pair, one in found.items() if leader in pair and set(pair) <= set(here.systems)}
        need = self._need(rivals)
        if last:
            return here.ended(Ending.LOOKS if number >= offer.looks else Ending.BUDGET, need), none
        final = self._bought(rivals, leader, left)
        chance = self._chance([*past, here], nearest, variance_of(found[nearest], final[nearest]))
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, need), none
        pace = fraction ** (1 - 1 / (offer.looks - number))
        now = self._bought(rivals, leader, left * (pace - fraction) / (1 - fraction)) or final
        had |= {pair: had[pair]._replace(predicted=0) for pair, size in now.items() if not size.predicted}
        size = {pair: self.polls[pair].grown(had[pair], found[pair], one, one) for pair, one in now.items()}
        cells = offer.affordable(self._cells(had, had | size), spent)
        if not len(cells):
            return here.ended(Ending.BUDGET, need), none
        design = {"pairs": [[*pair, *poll.bought(had[pair], cells)] for pair, poll in self.polls.items()]}
        return replace(here, chance=chance, buys=bought(offer, cells), design=design), cells

    @staticmethod
    def _leader(found: Mapping[Pair, Estimated], systems: Sequence[str]) -> tuple[str, Pair]:
        """The system that does best where it does worst, in standard errors, and its pair there."""
        worst: dict[str, tuple[float, Pair]] = {}
        for name in systems:
            own = {pair: (one.value - 0.5) / one.se for pair, one in found.items() if name in pair}
            worst[name] = min((z if name == pair[0] else -z, pair) for pair, z in own.items())
        leader = max(systems, key=lambda name: worst[name][0])
        return leader, worst[leader][1]

    def _had(self, past: Sequence[Look]) -> dict[Pair, Size]:
        """What was bought of every pair: by the last look that bought something, or else in the pilot."""
        for one in reversed(past):
            if one.design:
                return {(a, b): Size(voted, predicted) for a, b, voted, predicted in one.design["pairs"]}
        return self._pilot

    def _bought(self, found: Mapping[Pair, Estimated], leader: str, left: float) -> dict[Pair, Size]:
        """What an amount buys of the leader's battles, the same for each of them; none of a pair that has no more."""
        own, parts = {pair: one for pair, one in found.items() if leader in pair}, 0
        out: dict[Pair, Size] = {}
        while own and len(own) != parts:  # what one pair has no battles for goes to the others
            parts = len(own)
            sizes = {pair: self.polls[pair].best(one, left / parts) for pair, one in own.items()}
            out = {pair: size for pair, size in sizes.items() if size is not None and _more(size, own[pair].size)}
            own = {pair: own[pair] for pair in out}
        return out

    def _cells(self, had: Mapping[Pair, Size], size: Mapping[Pair, Size]) -> Cells:
        """The votes that larger polls take, beyond those that were bought."""
        return calls(self.offer, np.add.reduce([poll.missing(had[at], size[at]) for at, poll in self.polls.items()]))

    def _contest(self, pair: Pair, found: Estimated, past: Sequence[Look], level: float) -> Contest:
        """The test of a pair, on the level that may be spent by now, after looks that did not go beyond theirs."""
        path, before = self._path(pair, past)
        information = found.se**-2
        if before is not None and information <= before.information * _NEW:  # nothing new: the same bound
            return Contest(*pair, found.value - 0.5, found.se, found.df, before.information, before.alpha, before.bound)
        bound = bound_for(path, information, level - (0.0 if before is None else before.alpha), sided=1)
        return Contest(*pair, found.value - 0.5, found.se, found.df, information, level, bound)

    @staticmethod
    def _path(pair: Pair, past: Sequence[Look]) -> tuple[Path, Contest | None]:
        """Where the test of a pair can be after the looks before, and the last of them."""
        path, before = start(), None
        for one in past:
            for contest in one.contests:
                if (contest.a, contest.b) == pair:
                    if contest.information > path.fraction:
                        path = path.after(contest.information, contest.bound, sided=1)
                    before = contest
        return path, before

    def _shown(self, contests: Mapping[Pair, Contest], leader: str, nearest: Pair, systems: Sequence[str]) -> Look:
        """The tests of the leader against all others, the nearest of them in figures."""
        own = {one.b: one for pair, contest in contests.items() if leader in pair for one in [contest.of(leader)]}
        half = {name: float(t_bound(one.bound, one.df)) * one.se for name, one in own.items()}
        dropped = [name for name, one in own.items() if one.value > half[name]]
        left = tuple(name for name in systems if name not in dropped)
        (rival,) = set(nearest) - {leader}
        here = own[rival]
        return Look(
            *(0, 0, 0, Spent(0), here.value, here.se, here.df, here.value - half[rival], here.value + half[rival]),
            fraction=0.0,
            alpha=(len(self.systems) - 1) * here.alpha,
            bound=here.bound,
            level=self.goal.level,
            outcome=leader if left == (leader,) else UNDECIDED,
            systems=left,
            contests=tuple(contests.values()),
            question=f"margin of votes for {leader} against {rival}",
            note=f"shown to be worse: {listed(dropped)}" if dropped and len(left) > 1 else "",
        )

    def _chance(self, looks: Sequence[Look], nearest: Pair, variance: float) -> float:
        """Chance that the last analysis tells the leader from the nearest, whose margin then has this variance."""
        from scipy.special import ndtr

        here, (path, before) = looks[-1], self._path(nearest, looks)
        if before is None or 1 / variance <= path.fraction * _NEW:
            return 1.0
        bound = bound_for(path, 1 / variance, self.alpha - before.alpha, sided=1)
        limit = float(t_bound(bound, here.df)) * math.sqrt(variance)
        spread = math.sqrt(max(here.se**2 - variance, 1e-12 * here.se**2))
        return float(min(ndtr((here.value - limit) / spread) + ndtr((-limit - here.value) / spread), 1.0))

    def _need(self, rivals: Mapping[Pair, Estimated]) -> float | None:
        """What it would still cost to tell systems apart that differ as they seem to; None where nothing does."""
        more = inflation(self.offer.looks, self.alpha, _POWER, sided=1, spending=pocock)
        times = (normal_quantile(1 - self.alpha) + normal_quantile(_POWER)) * math.sqrt(more)
        prices = []
        for pair, found in rivals.items():
            poll, margin = self.polls[pair], found.value - 0.5
            size = poll.wanted(found, max(margin / times, 1e-6, key=abs) ** 2)
            if size is None:
                return None
            prices.append(poll.price(found, size))
        return sum(prices)


def _more(size: Size, have: Size) -> bool:
    return size.voted > have.voted or size.predicted > have.predicted
