"""Which of two systems people prefer, in votes of people, of models, or of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.batch import calls, nothing
from quorate.decide.goals.goal import PreferGoal
from quorate.decide.goals.look import UNDECIDED, Ending, Look
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.plans import bought
from quorate.decide.goals.pursuit import FUTILE
from quorate.decide.goals.repeated import DifferenceTest
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.labelled import vote_units
from quorate.numerics.prediction_powered import Sample, powered_mean, share_error
from quorate.numerics.sequential.spending import Spending, inflation, obrien_fleming, pocock
from quorate.numerics.two_phase import Costs, Strata, people_alone, powered, to_reach
from quorate.roles import JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.table.votes import Votes

Shares = dict[object, float]
PILOT = 50
"""Battles of a pilot."""
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
class Preference:
    """The tests of a preference, and the votes that have power enough for them.

    People vote on a part of the battles, in turns, and models on all of it, where both are among the judges: the share
    is that of people, corrected by what models say (`quorate.corrected`). People alone take turns; models alone all
    vote on every battle, and the share is theirs.

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

    @cached_property
    def variance(self) -> float:
        """Largest variance with power enough for the margin."""
        from scipy.special import ndtri

        power, margin = self.goal.power, self.goal.margin or math.nan
        finds = margin / float(ndtri(1 - self.alpha / 2) + ndtri(power))
        equal = margin / float(ndtri(1 - self.alpha) + ndtri((1 + power) / 2))
        repeated = max(
            inflation(self.offer.looks, self.alpha, each, sided=sided)
            for sided, each in ((2, power), (1, (1 + power) / 2))
        )
        return min(finds, equal) ** 2 / repeated

    def pilot(self) -> Cells:
        """Votes and predictions of the first battles.

        Raises
        ------
        InvalidInput
            If the budget does not pay for them.
        """
        size = self._pilot
        cells = self._cells(Size(0, 0), size)
        if len(self.offer.affordable(cells, Spent(0))) < len(cells):
            raise InvalidInput(f"budget: a pilot takes {len(cells):,} votes, which is more than it pays for; raise it")
        return cells

    @property
    def _pilot(self) -> Size:
        battles = min(PILOT, len(self.offer.items))
        return Size(battles, battles if self.people and self.models else 0)

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, number = self.offer, len(past) + 1
        bought_for = [one.design for one in past if one.design]  # one that was given up, and goes on, bought nothing
        had = Size(**bought_for[-1]) if bought_for else self._pilot
        said, predicted = self.shares(votes)
        found = estimated(said, predicted if had.predicted else {})
        left, none = offer.left(spent), nothing(offer)
        wanted = None if self.goal.margin is None else self._wanted(found, self.variance)
        affordable = wanted is not None and self._price(found, wanted) <= left
        final = wanted if affordable else self._best(found, left)
        more = final is not None and (final.voted > found.size.voted or final.predicted > found.size.predicted)
        target = _variance_of(found, final) if final is not None and more else found.se**2
        last = number >= offer.looks or not more
        fraction = max([1.0 if last else min(1.0, target / found.se**2), *(one.fraction for one in past)])
        margin = found._replace(value=found.value - 0.5)
        here = self.test.look(margin, past, fraction, question=f"margin of votes for {self.goal.a}")
        here = replace(here, looks=offer.looks, judgments=votes.n, spent=spent)
        need = None if wanted is None else self._price(found, wanted)
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        if number >= offer.looks or fraction >= 1 or final is None:
            spent_all = not more and not affordable
            return here.ended(Ending.BUDGET if spent_all else Ending.LOOKS, need), none
        spread = math.sqrt(max(here.se**2 - target, 1e-12 * here.se**2))
        chance = float(self.test.chances([*past, here], np.sqrt(target), math.inf, spread))
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, need), none
        left_over = offer.looks - number
        pace = fraction + (1 - fraction) / left_over if self.promised else fraction ** (1 - 1 / left_over)
        part = target / pace
        now = self._wanted(found, part, alone=not final.predicted) or final
        had = had if final.predicted else had._replace(predicted=0)
        new = [max(min(one, end) - got, 0) for one, end, got in zip(now, final, found.size, strict=True)]
        size = Size(*(min(have + each, len(offer.items)) for have, each in zip(had, new, strict=True)))
        cells = offer.affordable(self._cells(had, size), spent)
        if not len(cells):
            return here.ended(Ending.BUDGET, need), none
        design = self._size(had, cells)._asdict()
        return replace(here, chance=chance, buys=bought(offer, cells), design=design), cells

    def shares(self, votes: Votes) -> tuple[Shares, Shares]:
        """Share of the votes for the first system on every battle: of voters, and of models that predict them."""
        pair = self.goal.a, self.goal.b
        if not self.people:
            return _shares(votes, *pair), {}
        human = np.isin(np.array(votes.facet(JUDGE).levels)[votes.column(JUDGE)], self.people)
        return _shares(votes.keep(human), *pair), _shares(votes.keep(~human), *pair)

    def _strata(self, found: Estimated, voted: float) -> Strata:
        """Variances of a vote in a study with so many."""
        left, said = found.residual + _ADDED / voted, found.explained
        return Strata(_ONE, _ONE * (found.residual + said), _ONE * left, _ONE * said)

    def _wanted(self, found: Estimated, variance: float, *, alone: bool | None = None) -> Size | None:
        """The cheapest votes that bring the variance down to a value, with predictions or without, or either."""
        have, most = found.size, len(self.offer.items)
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
        return min((one for one in options if max(one) <= most), key=lambda one: self._price(found, one), default=None)

    def _best(self, found: Estimated, left: float) -> Size | None:
        """The votes that what is left buys with the least variance."""
        have, most = found.size, float(len(self.offer.items))
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

    def _price(self, found: Estimated, size: Size) -> float:
        """What of these votes must still be bought."""
        voted, predicted = (max(one - have, 0) for one, have in zip(size, found.size, strict=True))
        return voted * self.costs.label + predicted * self.costs.prediction

    def _cells(self, had: Size, size: Size) -> Cells:
        """The votes that a larger study takes, beyond those that were bought."""
        offer = self.offer
        wanted = np.zeros((len(offer.items), 1, max(len(offer.prompts), 1), len(offer.judges)), dtype=np.int64)
        models, people = (
            np.array([offer.judge_order.index(name) for name in names], dtype=np.int64)
            for names in (self.models, self.people)
        )
        new = np.arange(had.voted, size.voted)
        if len(people):
            wanted[new, 0, 0, people[new % len(people)]] = 1
            wanted[had.predicted : size.predicted, 0, 0, models] = 1
        else:
            wanted[np.ix_(new, np.zeros(1, dtype=np.int64), np.arange(wanted.shape[2]), models)] = 1
        return calls(offer, wanted)

    def _size(self, had: Size, cells: Cells) -> Size:
        """What was bought, with these votes."""
        human = np.isin(np.array(cells.levels[JUDGE])[cells.code(JUDGE)], self.people)
        if not self.people:
            return Size(had.voted + len(cells) // (len(self.models) * max(len(self.offer.prompts), 1)), 0)
        said = int((~human).sum()) // len(self.models) if self.models else 0
        return Size(had.voted + int(human.sum()), had.predicted + said if had.predicted else 0)


def _shares(votes: Votes, a: str, b: str) -> Shares:
    """Share of the votes for ``a`` on every battle that has some."""
    if not votes.rows:
        return {}
    units = vote_units(votes, PROMPT, a, b, None)
    return {key: float(y) for key, y in zip(units.keys, units.value, strict=True) if not np.isnan(y)}


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
