"""Shortlists of judges: main studies that a crossed pilot of a pool allows, and how sure the choice is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.estimate.components.published import components
from quorate.estimate.means.targets import Pool
from quorate.estimate.panel.crossed import CrossedScores
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile, t_quantile
from quorate.numerics.panel.judges import Effects, disagreement, effects, grubbs, moderated
from quorate.numerics.panel.subsets import Choice, Turns, exchange, turns
from quorate.planning.designs.dstudy import project
from quorate.table.judgments import Judgments
from quorate.waiting import each
from quorate.wording import Brief

_MOST_NUMBERS = 4_000_000
_BELOW = 0.999
"""Of a variance that would be just small enough: whole cycles come in steps."""


@dataclass(frozen=True)
class JudgeFacts:
    """What a crossed pilot says about every judge; leading axes are pilots of their own.

    Parameters
    ----------
    effects : Effects
        How lenient judges are.
    noise : array, shape (..., K)
        Variance that a judge adds to an item's score.
    spread : array, shape (..., K)
        Variance over items of one answer of a judge to one response.
    item : array, shape (...)
        Variance of the items.
    together : array, shape (...)
        Variance over items of the mean of one answer by every judge.
    """

    effects: Effects
    noise: Floats
    spread: Floats
    item: Floats
    together: Floats

    def error(self, *, corrected: bool) -> Floats:
        """Second moments of what is left of the judges' biases, shape (..., K, K)."""
        known = self.effects.mean
        both = self.effects.covariance + known[..., :, None] * known[..., None, :]
        return self.effects.covariance if corrected else np.asarray(both)


@dataclass(frozen=True)
class Shortlist(Brief):
    """A main study: who judges, how often, and how sure its mean is about the whole pool.

    Parameters
    ----------
    label : str
        What it is, in words.
    judges : tuple of str
        Those who judge; empty where they are drawn at random.
    places : tuple of int
        Places of each judge in the cycle; empty where every judge scores every item, or judges are drawn.
    items_per_judge : tuple of int
        Items that each judges; empty where judges are drawn.
    items, calls : int
        New items, and judgments.
    cost : float
        Price of the main study.
    se : float
        Standard error when the bias that the pilot expects is subtracted, in score units.
    se_uncorrected : float
        Root mean squared error to expect when it is not.
    df : float
        Degrees of freedom that it is found with: of the main study, and of the pilot for what is left of the bias.
    bias : float
        What to subtract from the equal-weight mean of the judges' means.
    """

    label: str
    judges: tuple[str, ...]
    places: tuple[int, ...]
    items_per_judge: tuple[int, ...]
    items: int
    calls: int
    cost: float
    se: float
    se_uncorrected: float
    df: float
    bias: float

    @property
    def half_width(self) -> float:
        """Half the 95% interval; without end where the items tell nothing of how they vary."""
        return self._t * self.se

    @property
    def half_width_uncorrected(self) -> float:
        """The same when the bias that the pilot expects is not subtracted."""
        return self._t * self.se_uncorrected

    @property
    def _t(self) -> float:
        return math.inf if self.df < 1 else t_quantile(self.df, 0.975)


@dataclass(frozen=True)
class ChoiceStability(Brief):
    """What other pilots like this one would have chosen, for the price of the recommended panel.

    Parameters
    ----------
    within : float
        Fraction of pilots, their items drawn again with replacement, whose choice has half an interval at most 5%
        larger than that of the recommended panel, by the pilot at hand.
    loss, loss_high : float
        How much larger half the interval of their choice is, relative: the mean, and the largest but for 5%.
    kept : mapping of str to float
        Fraction of these pilots that keep each judge.
    draws : int
        Pilots drawn.
    """

    within: float
    loss: float
    loss_high: float
    kept: Mapping[str, float]
    draws: int


@dataclass(frozen=True)
class JudgePool:
    """The judges to choose from, what one judgment of each costs, and what the pilot says of them.

    Parameters
    ----------
    judges : tuple of str
        Names.
    price : array, shape (K,)
        Price of one judgment and its item.
    item_price : float
        The item's part of it.
    pilot : JudgeFacts
        What is known.
    choice : Choice
        What is wanted.
    corrected : bool
        Whether the bias that the pilot expects will be subtracted.
    items : int
        Items of the pilot.
    wanted : float or None
        Half the 95% interval wanted, where no budget is given.
    """

    judges: tuple[str, ...]
    price: Floats
    item_price: float
    pilot: JudgeFacts
    choice: Choice
    corrected: bool
    items: int
    wanted: float | None = None

    def half_width(self, panel: Shortlist) -> float:
        """Half the interval that the choice is about."""
        return panel.half_width if self.corrected else panel.half_width_uncorrected

    def value(self, panel: Shortlist) -> float:
        """What the choice makes as small as can be: half the interval, or the price."""
        return self.half_width(panel) if self.choice.budget is not None else panel.cost

    def best(self, label: str, subsets: Bools, values: Floats) -> Shortlist | None:
        """The best main study of any of several subsets, given what the search says of each; None if out of reach.

        Whole turns cost more than the search allows for, so those that it already puts behind are not looked at.
        """
        found: Shortlist | None = None
        for at in np.argsort(values, kind="stable"):
            least = normal_quantile(0.975) * math.sqrt(max(values[at], 0.0)) if self.wanted is None else values[at]
            if found is not None and least * (1 - 1e-9) >= self.value(found):
                break
            made = self.panel(label, subsets[at])
            if made is not None and (found is None or self.value(made) < self.value(found)):
                found = made
        return found

    def panel(self, label: str, members: Bools, choice: Choice | None = None) -> Shortlist | None:
        """The main study of a subset, in whole cycles; None where that is out of reach.

        The search is for a variance; with few items, whose t is larger, an interval takes a smaller one.
        """
        asked = choice or self.choice
        while (cycle := turns(asked, members)) is not None:
            made = self._made(label, members, cycle)
            if asked.target is None or self.wanted is None or self.half_width(made) <= self.wanted:
                return made
            asked = replace(asked, target=asked.target * max((self.wanted / self.half_width(made)) ** 2, 0.5) * _BELOW)
        return None

    def _made(self, label: str, members: Bools, cycle: Turns) -> Shortlist:
        """The main study of a subset in these turns."""
        counts, names = cycle.counts, np.flatnonzero(members)
        variance = float(np.sum(self.pilot.spread[members] / counts)) / len(counts) ** 2
        left = float(self.pilot.effects.covariance[np.ix_(members, members)].sum()) / len(counts) ** 2
        bias = float(self.pilot.effects.mean[members].mean())
        free, known = int(counts.sum()) - len(counts), self.items - 1
        spent = variance**2 / max(free, 1e-9) + left**2 / known
        return Shortlist(
            label=label,
            judges=tuple(self.judges[i] for i in names),
            places=tuple(int(share) for share in cycle.places),
            items_per_judge=tuple(int(count) for count in counts),
            items=int(counts.sum()),
            calls=int(counts.sum()),
            cost=float(counts @ self.price[members]),
            se=float(np.sqrt(max(variance + left, 0.0))),
            se_uncorrected=float(np.sqrt(max(variance + left, 0.0) + bias**2)),
            df=(variance + left) ** 2 / spent if spent > 0 else math.inf,
            bias=bias,
        )


def facts(x: Floats, extra: Floats, alike: Sequence[Ints] = ()) -> JudgeFacts:
    """What crossed scores say about every judge.

    Parameters
    ----------
    x : array, shape (..., n, m, K)
        Score of generation j of item i by judge l.
    extra : array, shape (K,)
        Variance that one answer has beyond a cell of ``x``, where cells are means of several answers.
    alike : sequence of array of int
        Places of judges whose variances are pulled towards each other's, by group; all of the pool unless given.
    """
    items, generations, judges = x.shape[-3:]
    by_item = x.mean(axis=-2)
    estimates = grubbs(by_item)
    spread, noise = by_item.var(axis=-2, ddof=1), np.empty_like(estimates.judge)
    for at in alike or (np.arange(judges),):
        noise[..., at] = estimates.shrunk(at)
        shared = spread[..., at].mean(axis=-1) ** 2 - np.maximum(estimates.item, 0.0) ** 2
        spread[..., at] = moderated(spread[..., at], estimates.df, np.maximum(shared, 0.0))
    response, panel = np.zeros(judges), np.zeros(())
    if generations > 1:
        lost = 1 - 1 / generations
        response = lost * x.var(axis=-2, ddof=1).mean(axis=-2)
        panel = lost * x.mean(axis=-1).var(axis=-1, ddof=1).mean(axis=-1)
    return JudgeFacts(
        effects(by_item.mean(axis=-2), disagreement(by_item, noise) / items),
        noise,
        np.asarray(spread + response + extra),
        estimates.item,
        np.asarray(by_item.mean(axis=-1).var(axis=-1, ddof=1) + panel + extra.sum() / judges**2),
    )


def beyond_cells(judgments: Judgments, scores: CrossedScores) -> Floats:
    """Variance that one answer has beyond the mean of its cell's answers, by judge; shape (K,)."""
    answered = judgments.keep(judgments.n > 0)
    judge, n = answered.level_codes(["judge"]), answered.n
    if scores.answers == (1, 1):
        return np.zeros(len(scores.judges))
    ss, df = np.bincount(judge, answered.ss), np.bincount(judge, n - 1)
    lost = np.bincount(judge, 1 - 1 / n) / np.bincount(judge)
    variance = np.divide(ss, df, out=np.zeros_like(ss), where=df > 0)
    return np.asarray(variance * lost)


def alternatives(pool: JudgePool, budget: float, size: int) -> Iterator[Shortlist]:
    """What is usually done instead, for the same money; what the money cannot buy is left out."""
    judges, every, facts = len(pool.judges), float(pool.price.sum()), pool.pilot
    each = every - (judges - 1) * pool.item_price
    if (items := int(budget / each * (1 + 1e-12))) >= 1:
        se, label, df = float(np.sqrt(facts.together / items)), "all judges on every item", items - 1.0
        yield Shortlist(
            label, pool.judges, (), (items,) * judges, items, items * judges, items * each, se, se, items - 1, 0.0
        )
    if (cycles := int(budget / every * (1 + 1e-12))) >= 1:
        se, items = float(np.sqrt(facts.spread.sum() / cycles)) / judges, cycles * judges
        cost, label = cycles * every, "all judges in turn, equally often"
        df = float(items - judges)
        yield Shortlist(label, pool.judges, (1,) * judges, (cycles,) * judges, items, items, cost, se, se, df, 0.0)
    choice, alone = pool.choice.at(budget), np.eye(judges) > 0
    if (single := pool.panel("the best single judge", alone[choice.of(alone).argmin()], choice)) is not None:
        yield single
    price = float(pool.price.mean())
    if (items := int(budget / price * (1 + 1e-12))) >= size:
        # judges drawn at random from the pool: Proposition 1 of Zhu et al. (2026), by the general projection
        item = max(float(facts.item), 0.0)
        cell = max(float(facts.spread.mean()) - item, 0.0)
        plans = []
        for subtracted in (True, False):
            tau2 = float(np.trace(facts.error(corrected=subtracted))) / (judges - 1)
            source = components({"item": item, "judge": tau2, "cell": cell})
            plans.append(project(source, items=items, judges=size, layout="cyclic", targets={"judge": Pool(judges)}))
        corrected, plain = plans
        label = f"{size} judge{'s' * (size > 1)} drawn at random, in turn"
        cost = items * price
        yield Shortlist(label, (), (), (), items, items, cost, corrected.se, plain.se, corrected.df, 0.0)


def stability(
    pool: JudgePool, x: Floats, extra: Floats, panel: Shortlist, draws: int, rng: np.random.Generator
) -> ChoiceStability:
    """Resample the pilot's items, let every pilot choose, and judge its choice by the pilot at hand."""
    at_hand = pool.choice.at(panel.cost)
    size = max(_MOST_NUMBERS // x.size, 1)

    def rechosen(pilots: int) -> Bools:
        """What so many redrawn pilots choose."""
        redrawn = facts(x[rng.integers(len(x), size=(pilots, len(x)))], extra)
        choice = replace(at_hand, spread=redrawn.spread, error=redrawn.error(corrected=pool.corrected), target=None)
        members, values = exchange(choice)
        best = values.argmin(axis=-1)
        return np.asarray(np.take_along_axis(members, best[:, None, None], axis=1)[:, 0])

    chosen = np.concatenate(
        [rechosen(min(size, draws - done)) for done in each("redrawn pilots", range(0, draws, size))]
    )
    sets, which = np.unique(chosen, axis=0, return_inverse=True)
    made = [pool.panel("", one, at_hand) for one in sets]
    reached = np.array([math.inf if one is None else pool.half_width(one) for one in made])
    loss = np.maximum(reached[which.ravel()] / pool.half_width(panel), 1.0) - 1
    return ChoiceStability(
        within=float(np.mean(loss <= 0.05)),
        loss=float(loss.mean()),
        loss_high=float(np.quantile(loss, 0.95)),
        kept=dict(zip(pool.judges, chosen.mean(axis=0).tolist(), strict=True)),
        draws=draws,
    )
