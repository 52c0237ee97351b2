"""Which of two systems people prefer, in votes of people, of models, or of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal, Spent
from quorate.decide.goals.look import (
    FUTILE,
    UNDECIDED,
    Contest,
    DifferenceTest,
    Ending,
    Look,
    beyond,
    buying,
    still_moves,
    t_bound,
)
from quorate.decide.goals.plans import calls, nothing
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.prediction_powered import (
    Costs,
    Sample,
    Strata,
    people_alone,
    powered,
    powered_mean,
    share_error,
    to_reach,
)
from quorate.numerics.sequential.spending import Path, Spending, bound_for, inflation, obrien_fleming, pocock, start
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.table.votes import Encoding, Votes
from quorate.wording import listed

Pair = tuple[str, str]
_FEWEST_BATTLES = 20
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
        """Votes on every pair."""
        return self._cells({pair: Size(0, 0) for pair in self.polls}, self._pilot)

    @property
    def _pilot(self) -> dict[Pair, Size]:
        each = max(_FEWEST_BATTLES, math.ceil(PILOT / (len(self.systems) - 1)))
        return {pair: poll.pilot(each) for pair, poll in self.polls.items()}

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, number, none = self.offer, len(past) + 1, nothing(self.offer)
        systems = past[-1].systems if past else self.systems
        sizes = [one.design["pairs"] for one in past if one.design]  # by the last look that bought something
        had = {(a, b): Size(voted, predicted) for a, b, voted, predicted in sizes[-1]} if sizes else self._pilot
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
        chance = self._chance([*past, here], nearest, _variance_of(found[nearest], final[nearest]))
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, need), none
        pace = fraction ** (1 - 1 / (offer.looks - number))
        now = self._bought(rivals, leader, left * (pace - fraction) / (1 - fraction)) or final
        had |= {pair: had[pair]._replace(predicted=0) for pair, size in now.items() if not size.predicted}
        size = {pair: self.polls[pair].grown(had[pair], found[pair], one, one) for pair, one in now.items()}
        cells = offer.affordable(self._cells(had, had | size), spent)
        design = {"pairs": [[*pair, *poll.bought(had[pair], cells)] for pair, poll in self.polls.items()]}
        return buying(here, offer, cells, need, chance=chance, design=design)

    @staticmethod
    def _leader(found: Mapping[Pair, Estimated], systems: Sequence[str]) -> tuple[str, Pair]:
        """The system that does best where it does worst, in standard errors, and its pair there."""
        worst: dict[str, tuple[float, Pair]] = {}
        for name in systems:
            own = {pair: (one.value - 0.5) / one.se for pair, one in found.items() if name in pair}
            worst[name] = min((z if name == pair[0] else -z, pair) for pair, z in own.items())
        leader = max(systems, key=lambda name: worst[name][0])
        return leader, worst[leader][1]

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
        here, (path, before) = looks[-1], self._path(nearest, looks)
        if before is None or 1 / variance <= path.fraction * _NEW:
            return 1.0
        bound = bound_for(path, 1 / variance, self.alpha - before.alpha, sided=1)
        limit = float(t_bound(bound, here.df)) * math.sqrt(variance)
        return min(float(beyond(here.value, limit, still_moves(here, variance))), 1.0)

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


Shares = dict[str, float]
_FEWEST, _OTHERS, _ROUNDS = 3, 2, 3
_FIRM = 1.0
"""Squared residuals of four votes, by which an error is widened: of 100 votes few differ from their predictions, and a
study that stops where its error is small stops where few happened to."""
_ADDED = 1.0 + _FIRM
"""The same of all votes that are added, with the four that the error of a share has."""
_ONE = np.ones(1)


class Size(NamedTuple):
    """Battles that voters vote on, and battles that models predict, none where there are no predictions."""

    voted: int
    predicted: int


class Estimated(NamedTuple):
    """Share of votes for the first system, its error, and variances of one vote, by what models say of it and not."""

    value: float
    se: float
    df: float
    residual: float
    explained: float
    size: Size


@dataclass(frozen=True, eq=False)
class Poll:
    """Votes on battles of two systems.

    People vote on a part of the battles, in turns, and models on all of it, where both are among the judges: the share
    is that of people, corrected by what models say (`quorate.agreement.corrected`). People alone take turns; models
    alone all vote on every battle, and the share is theirs.

    Parameters
    ----------
    a, b : str
        The two systems.
    offer : Offer
        What may be bought.
    battles : array of int
        Which items are their battles: places in the order in which they are taken, rising.
    """

    a: str
    b: str
    offer: Offer
    battles: Ints

    @property
    def people(self) -> tuple[str, ...]:
        """Judges who are people."""
        return tuple(name for name in self.offer.judge_order if name in self.offer.people)

    @property
    def models(self) -> tuple[str, ...]:
        """The other judges."""
        return tuple(name for name in self.offer.judge_order if name not in self.offer.people)

    @cached_property
    def costs(self) -> Costs:
        """Price of the votes on a battle that are needed, and of the predictions of one."""
        prices = self.offer.prices_of(1.0)
        each = prices.get("judge")
        of = {name: float(each[name]) if isinstance(each, dict) else 1.0 for name in self.offer.judges}
        models = sum(of[name] for name in self.models) * (1 if self.people else max(len(self.offer.prompts), 1))
        people = float(np.mean([of[name] for name in self.people])) if self.people else models
        return Costs(max(people, 1e-12), models if self.people and self.models else 0.0)

    def pilot(self, battles: int) -> Size:
        """Votes on so many battles, or on all where there are fewer, with predictions where there are any."""
        few = min(battles, len(self.battles))
        return Size(few, few if self.people and self.models else 0)

    def estimate(self, votes: Votes, had: Size) -> Estimated:
        """The share of votes for the first system, from all votes so far and what was bought of them.

        Raises
        ------
        NotEstimable
            If fewer than 3 battles have votes, and a prediction.
        """
        said, predicted = self.shares(votes)
        try:
            return estimated(said, predicted if had.predicted else {})
        except NotEstimable as error:
            raise NotEstimable(f"votes on {self.a} and {self.b}: {error}") from None

    def shares(self, votes: Votes) -> tuple[Shares, Shares]:
        """Share of the votes for the first system on every battle: of voters, and of models that predict them."""
        between = np.isin(np.array(votes.models, dtype=object), [self.a, self.b])
        both = between[votes.model_a] & between[votes.model_b]
        if not both.any():
            return {}, {}
        pair = votes.pair(self.a, self.b)
        if not self.people:
            return shares_of(pair, np.ones(pair.rows, dtype=np.bool_)), {}
        human = np.isin(np.array(pair.facet(JUDGE).levels)[pair.column(JUDGE)], self.people)
        return shares_of(pair, human), shares_of(pair, ~human)

    def _strata(self, found: Estimated, voted: float) -> Strata:
        """Variances of a vote in a study with so many."""
        left, said = found.residual + _ADDED / voted, found.explained
        return Strata(_ONE, _ONE * (found.residual + said), _ONE * left, _ONE * said)

    def wanted(self, found: Estimated, variance: float, *, alone: bool | None = None) -> Size | None:
        """The cheapest votes that bring the variance down to a value, with predictions or without, or either."""
        have, most = found.size, len(self.battles)
        options = []
        if alone is not False:
            options.append(Size(max(math.ceil((found.residual + found.explained) / variance), have.voted), 0))
        if alone is not True and have.predicted:
            reached: tuple[float, float] | None = (float(have.voted), 0.0)
            for _ in range(_ROUNDS):
                strata = self._strata(found, reached[0]) if reached else None
                bounds = have.voted, have.predicted, most
                reached = None if strata is None else to_reach(strata, self.costs, variance, *bounds)
            options += [Size(*map(math.ceil, reached))] if reached is not None else []
        return min((one for one in options if max(one) <= most), key=lambda one: self.price(found, one), default=None)

    def best(self, found: Estimated, left: float) -> Size | None:
        """The votes that what is left buys with the least variance."""
        have, most = found.size, float(len(self.battles))
        strata = self._strata(found, have.voted + left / (2 * self.costs.label))
        least, voted = _ONE * have.voted, have.voted * self.costs.label
        options = [people_alone(strata, self.costs, left + voted, least, most_units=most)]
        if have.predicted:
            paid = voted + have.predicted * self.costs.prediction
            bounds = {"least_units": float(have.predicted), "most_units": most}
            options.append(powered(strata, self.costs, left + paid, least, **bounds))
        known = [one for one in options if one is not None]
        best = min(known, key=lambda one: one.variance, default=None)
        return None if best is None else Size(math.floor(best.labels[0] + 1e-6), math.floor(best.units + 1e-6))

    def price(self, found: Estimated, size: Size) -> float:
        """What of these votes must still be bought."""
        voted, predicted = (max(one - have, 0) for one, have in zip(size, found.size, strict=True))
        return voted * self.costs.label + predicted * self.costs.prediction

    def grown(self, had: Size, found: Estimated, now: Size, final: Size) -> Size:
        """What is to be there next: what was bought, and what ``now`` asks beyond what was answered, up to an end."""
        new = [max(min(one, end) - got, 0) for one, end, got in zip(now, final, found.size, strict=True)]
        return Size(*(min(have + each, len(self.battles)) for have, each in zip(had, new, strict=True)))

    def missing(self, had: Size, size: Size) -> Ints:
        """Votes that a larger study takes beyond those that were bought: by item, system, prompt and judge."""
        offer = self.offer
        wanted = np.zeros((len(offer.items), 1, max(len(offer.prompts), 1), len(offer.judges)), dtype=np.int64)
        models, people = (
            np.array([offer.judge_order.index(name) for name in names], dtype=np.int64)
            for names in (self.models, self.people)
        )
        new, first = np.arange(had.voted, size.voted), np.zeros(1, dtype=np.int64)
        at = self.battles[new]
        if len(people):
            wanted[at, 0, 0, people[new % len(people)]] = 1
            wanted[np.ix_(self.battles[had.predicted : size.predicted], first, first, models)] = 1
        else:
            wanted[np.ix_(at, first, np.arange(wanted.shape[2]), models)] = 1
        return wanted

    def bought(self, had: Size, cells: Cells) -> Size:
        """What was bought in all, with these votes."""
        human = np.isin(np.array(cells.levels[JUDGE])[cells.code(JUDGE)], self.people)
        own = np.isin(cells.code(ITEM), self.battles)
        if not self.people:
            return Size(had.voted + int(own.sum()) // (len(self.models) * max(len(self.offer.prompts), 1)), 0)
        said = int((own & ~human).sum()) // len(self.models) if self.models else 0
        return Size(had.voted + int((own & human).sum()), had.predicted + said if had.predicted else 0)


def shares_of(votes: Votes, mask: NDArray[np.bool_], ties: Encoding = "half") -> Shares:
    """Share of the votes for the first of two systems on every battle that has some."""
    wins, code = 1 - votes.encoded(ties), votes.column(PROMPT)
    kept = mask & np.isfinite(wins) & (code >= 0)
    names = votes.facet(PROMPT).levels
    n = np.bincount(code[kept], votes.weights[kept], len(names))
    share = np.bincount(code[kept], (votes.weights * wins)[kept], len(names)) / np.maximum(n, 1)
    return {names[at]: float(share[at]) for at in np.flatnonzero(n)}


def estimated(said: Shares, predicted: Shares) -> Estimated:
    """The mean share of voters, corrected by predictions of all battles where there are any.

    Raises
    ------
    NotEstimable
        If fewer than 3 battles have votes, and a prediction.
    """
    both = [key for key in said if key in predicted] if predicted else list(said)
    if len(both) < _FEWEST:
        raise NotEstimable(f"{len(both)} battles have the votes of people that are needed; an error needs {_FEWEST}")
    y = np.array([said[key] for key in both])
    n, variance = len(y), _variance(y, 1)
    if not predicted:
        return Estimated(float(y.mean()), math.sqrt(variance / n), n - 1.0, variance, 0.0, Size(n, 0))
    f = np.array([predicted[key] for key in both])
    others = np.array([value for key, value in predicted.items() if key not in said])
    spread = f - f.mean()
    slope = float(np.clip((y @ spread) / max(float(spread @ spread), 1e-12), 0.0, 1.0))
    left = min(_variance(y - slope * f, 2), variance)
    size = Size(n, len(predicted))
    if len(others) < _OTHERS:
        return Estimated(float(y.mean()), math.sqrt(variance / n), n - 1.0, left, variance - left, size)
    code = np.arange(len(predicted))
    sample = Sample(y, f, others, code[:n], code[n : n + len(others)])
    error = share_error(sample)  # that of the score test: few votes differ from their predictions
    se = math.sqrt(0.25 / error.trials + _FIRM / n**2)
    return Estimated(powered_mean(sample).value, se, error.padded.df, left, variance - left, size)


def _variance_of(found: Estimated, size: Size) -> float:
    """Variance of the share that so many votes give."""
    if not size.predicted:
        return (found.residual + found.explained) / size.voted
    return (found.residual + _ADDED / size.voted) / size.voted + found.explained / size.predicted


def _variance(deviations: Floats, lost: int) -> float:
    """Variance of values about their mean, after so many parameters; where all agree, as if half a vote did not."""
    square = float(np.sum((deviations - deviations.mean()) ** 2))
    return max(square, 0.5) / max(len(deviations) - lost, 1)


PILOT = 50
"""Battles of a pilot."""


@dataclass(frozen=True, eq=False)
class Preference:
    """The tests of a preference, and the votes that have power enough for them.

    Parameters
    ----------
    goal : PreferGoal
        What is asked.
    offer : Offer
        What may be bought.
    """

    goal: PreferGoal
    offer: Offer

    @property
    def alpha(self) -> float:
        """Level of both sides together; of either test of equivalence."""
        return 1 - self.goal.level

    @property
    def promised(self) -> bool:
        """Whether it is said beforehand what the study must be able to show."""
        return self.goal.margin is not None

    @property
    def spending(self) -> Spending:
        """As for goals of scores: early where nothing is promised, for nobody knows what to wait for."""
        return obrien_fleming if self.promised else pocock

    @property
    def test(self) -> DifferenceTest:
        """The test that is repeated, of the share of votes less a half."""
        return DifferenceTest(self.alpha, self.goal.margin, self.spending)

    @cached_property
    def variance(self) -> float:
        """Largest variance with power enough for the margin."""
        power, margin = self.goal.power, self.goal.margin or math.nan
        finds = margin / (normal_quantile(1 - self.alpha / 2) + normal_quantile(power))
        equal = margin / (normal_quantile(1 - self.alpha) + normal_quantile((1 + power) / 2))
        repeated = max(
            inflation(self.offer.looks, self.alpha, each, sided=sided)
            for sided, each in ((2, power), (1, (1 + power) / 2))
        )
        return min(finds, equal) ** 2 / repeated

    @cached_property
    def poll(self) -> Poll:
        """The votes: every item is a battle of the two."""
        return Poll(self.goal.a, self.goal.b, self.offer, np.arange(len(self.offer.items)))

    def pilot(self) -> Cells:
        """Votes and predictions of the first battles."""
        return calls(self.offer, self.poll.missing(Size(0, 0), self.poll.pilot(PILOT)))

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, poll, number = self.offer, self.poll, len(past) + 1
        bought_for = [one.design for one in past if one.design]  # one that was given up, and goes on, bought nothing
        had = Size(**bought_for[-1]) if bought_for else poll.pilot(PILOT)
        found = poll.estimate(votes, had)
        left, none = offer.left(spent), nothing(offer)
        wanted = None if self.goal.margin is None else poll.wanted(found, self.variance)
        affordable = wanted is not None and poll.price(found, wanted) <= left
        final = wanted if affordable else poll.best(found, left)
        more = final is not None and _more(final, found.size)
        target = _variance_of(found, final) if final is not None and more else found.se**2
        last = number >= offer.looks or not more
        fraction = max([1.0 if last else min(1.0, target / found.se**2), *(one.fraction for one in past)])
        margin = found._replace(value=found.value - 0.5)
        here = self.test.look(margin, past, fraction, question=f"margin of votes for {self.goal.a}")
        here = replace(here, looks=offer.looks, judgments=votes.n, spent=spent)
        need = None if wanted is None else poll.price(found, wanted)
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        if number >= offer.looks or fraction >= 1 or final is None:
            spent_all = not more and not affordable
            return here.ended(Ending.BUDGET if spent_all else Ending.LOOKS, need), none
        chance = float(self.test.chances([*past, here], np.sqrt(target), math.inf, still_moves(here, target)))
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, need), none
        left_over = offer.looks - number
        pace = fraction + (1 - fraction) / left_over if self.promised else fraction ** (1 - 1 / left_over)
        now = poll.wanted(found, target / pace, alone=not final.predicted) or final
        had = had if final.predicted else had._replace(predicted=0)
        cells = offer.affordable(calls(offer, poll.missing(had, poll.grown(had, found, now, final))), spent)
        return buying(here, offer, cells, need, chance=chance, design=poll.bought(had, cells)._asdict())
