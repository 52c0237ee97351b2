"""Polls: the votes of people and of models on battles of two systems, what they say, and how many are bought."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.decide.goals.offer import Offer
from quorate.errors import NotEstimable
from quorate.numerics.prediction_powered import Sample, powered_mean, share_error
from quorate.numerics.stratified import Costs, Strata, people_alone, powered, to_reach
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.table.votes import Votes

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
            return _shares(pair, np.ones(pair.rows, dtype=np.bool_)), {}
        human = np.isin(np.array(pair.facet(JUDGE).levels)[pair.column(JUDGE)], self.people)
        return _shares(pair, human), _shares(pair, ~human)

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


def _shares(votes: Votes, mask: NDArray[np.bool_]) -> Shares:
    """Share of the votes for the first of two systems on every battle that has some, ties as halves."""
    wins, code = 1 - votes.encoded("half"), votes.column(PROMPT)
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


def variance_of(found: Estimated, size: Size) -> float:
    """Variance of the share that so many votes give."""
    if not size.predicted:
        return (found.residual + found.explained) / size.voted
    return (found.residual + _ADDED / size.voted) / size.voted + found.explained / size.predicted


def _variance(deviations: Floats, lost: int) -> float:
    """Variance of values about their mean, after so many parameters; where all agree, as if half a vote did not."""
    square = float(np.sum((deviations - deviations.mean()) ** 2))
    return max(square, 0.5) / max(len(deviations) - lost, 1)
