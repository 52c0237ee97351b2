"""What a crossed pilot says about a pool of judges, the main studies that it allows, and how sure the choice is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Bools, Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.published import components
from quorate.estimate.means.targets import Pool
from quorate.estimate.panel.crossed import CrossedScores
from quorate.numerics.panel.grubbs import Effects, disagreement, effects, grubbs, moderated
from quorate.numerics.panel.subsets import Choice, exchange, turns
from quorate.plan.designs.dstudy import project
from quorate.table.judgments import Judgments

_MOST_NUMBERS = 4_000_000


@dataclass(frozen=True)
class Pilot:
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
class Shortlist:
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
    bias: float


@dataclass(frozen=True)
class Stability:
    """What other pilots like this one would have chosen, for the price of the recommended panel.

    Parameters
    ----------
    within : float
        Fraction of pilots, their items drawn again with replacement, whose choice has a standard error at most 5%
        larger than that of the recommended panel, by the pilot at hand.
    loss, loss_high : float
        How much larger the standard error of their choice is, relative: the mean, and the largest but for 5%.
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
    pilot : Pilot
        What is known.
    choice : Choice
        What is wanted.
    corrected : bool
        Whether the bias that the pilot expects will be subtracted.
    """

    judges: tuple[str, ...]
    price: Floats
    item_price: float
    pilot: Pilot
    choice: Choice
    corrected: bool

    def se(self, panel: Shortlist) -> float:
        """The standard error that the choice is about."""
        return panel.se if self.corrected else panel.se_uncorrected

    def value(self, panel: Shortlist) -> float:
        """What the choice makes as small as can be: the standard error, or the price."""
        return self.se(panel) if self.choice.budget is not None else panel.cost

    def panel(self, label: str, members: Bools, choice: Choice | None = None) -> Shortlist | None:
        """The main study of a subset, in whole cycles; None where that is out of reach."""
        found = turns(choice or self.choice, members)
        if found is None:
            return None
        counts, names = found.counts, np.flatnonzero(members)
        variance = float(np.sum(self.pilot.spread[members] / counts)) / len(counts) ** 2
        left = float(self.pilot.effects.covariance[np.ix_(members, members)].sum()) / len(counts) ** 2
        bias = float(self.pilot.effects.mean[members].mean())
        return Shortlist(
            label=label,
            judges=tuple(self.judges[i] for i in names),
            places=tuple(int(share) for share in found.places),
            items_per_judge=tuple(int(count) for count in counts),
            items=int(counts.sum()),
            calls=int(counts.sum()),
            cost=float(counts @ self.price[members]),
            se=float(np.sqrt(max(variance + left, 0.0))),
            se_uncorrected=float(np.sqrt(max(variance + left, 0.0) + bias**2)),
            bias=bias,
        )


def facts(x: Floats, extra: Floats) -> Pilot:
    """What crossed scores say about every judge.

    Parameters
    ----------
    x : array, shape (..., n, m, K)
        Score of generation j of item i by judge l.
    extra : array, shape (K,)
        Variance that one answer has beyond a cell of ``x``, where cells are means of several answers.
    """
    items, generations, judges = x.shape[-3:]
    by_item = x.mean(axis=-2)
    found = grubbs(by_item)
    noise = found.shrunk()
    spread = by_item.var(axis=-2, ddof=1)
    alike = spread.mean(axis=-1) ** 2 - np.maximum(found.item, 0.0) ** 2
    response, panel = np.zeros(judges), np.zeros(())
    if generations > 1:
        lost = 1 - 1 / generations
        response = lost * x.var(axis=-2, ddof=1).mean(axis=-2)
        panel = lost * x.mean(axis=-1).var(axis=-1, ddof=1).mean(axis=-1)
    return Pilot(
        effects(by_item.mean(axis=-2), disagreement(by_item, noise) / items),
        noise,
        np.asarray(moderated(spread, found.df, alike) + response + extra),
        found.item,
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
    for made in (_crossed(pool, budget), _in_turn(pool, budget), _single(pool, budget), _drawn(pool, budget, size)):
        if made is not None:
            yield made


def _crossed(pool: JudgePool, budget: float) -> Shortlist | None:
    judges = len(pool.judges)
    each = float(pool.price.sum()) - (judges - 1) * pool.item_price
    items = int(budget / each * (1 + 1e-12))
    if items < 1:
        return None
    se = float(np.sqrt(pool.pilot.together / items))
    label = "all judges on every item"
    return Shortlist(label, pool.judges, (), (items,) * judges, items, items * judges, items * each, se, se, 0.0)


def _in_turn(pool: JudgePool, budget: float) -> Shortlist | None:
    judges = len(pool.judges)
    cycles = int(budget / float(pool.price.sum()) * (1 + 1e-12))
    if cycles < 1:
        return None
    se, items = float(np.sqrt(pool.pilot.spread.sum() / cycles)) / judges, cycles * judges
    cost, label = cycles * float(pool.price.sum()), "all judges in turn, equally often"
    return Shortlist(label, pool.judges, (1,) * judges, (cycles,) * judges, items, items, cost, se, se, 0.0)


def _single(pool: JudgePool, budget: float) -> Shortlist | None:
    choice, alone = pool.choice.at(budget), np.eye(len(pool.judges)) > 0
    return pool.panel("the best single judge", alone[choice.of(alone).argmin()], choice)


def _drawn(pool: JudgePool, budget: float, size: int) -> Shortlist | None:
    """Judges drawn at random from the pool: Proposition 1 of Zhu et al. (2026), by the general projection."""
    price = float(pool.price.mean())
    items = int(budget / price * (1 + 1e-12))
    if items < size:
        return None
    item = max(float(pool.pilot.item), 0.0)
    cell = float(pool.pilot.spread.mean()) - item
    se = []
    for corrected in (True, False):
        tau2 = float(np.trace(pool.pilot.error(corrected=corrected))) / (len(pool.judges) - 1)
        source = components({"item": item, "judge": tau2, "cell": max(cell, 0.0)})
        target = {"judge": Pool(len(pool.judges))}
        se.append(project(source, items=items, judges=size, layout="cyclic", targets=target).se)
    label = f"{size} judge{'s' * (size > 1)} drawn at random, in turn"
    return Shortlist(label, (), (), (), items, items, items * price, se[0], se[1], 0.0)


def stability(
    pool: JudgePool, x: Floats, extra: Floats, panel: Shortlist, members: Bools, draws: int, rng: np.random.Generator
) -> Stability:
    """Resample the pilot's items, let every pilot choose, and judge its choice by the pilot at hand."""
    at_hand = pool.choice.at(panel.cost)
    size = max(_MOST_NUMBERS // x.size, 1)
    chosen = np.concatenate(
        [_rechosen(pool, at_hand, x, extra, min(size, draws - done), rng) for done in range(0, draws, size)]
    )
    ratio = np.sqrt(at_hand.of(chosen) / at_hand.of(members))
    loss = np.maximum(ratio, 1.0) - 1
    return Stability(
        within=float(np.mean(loss <= 0.05)),
        loss=float(loss.mean()),
        loss_high=float(np.quantile(loss, 0.95)),
        kept=dict(zip(pool.judges, chosen.mean(axis=0).tolist(), strict=True)),
        draws=draws,
    )


def _rechosen(pool: JudgePool, choice: Choice, x: Floats, extra: Floats, draws: int, rng: np.random.Generator) -> Bools:
    redrawn = facts(x[rng.integers(len(x), size=(draws, len(x)))], extra)
    drawn = Choice(
        redrawn.spread,
        redrawn.error(corrected=pool.corrected),
        choice.price,
        choice.budget,
        None,
        choice.fewest,
        choice.most,
    )
    members, values = exchange(drawn)
    best = values.argmin(axis=-1)
    return np.asarray(np.take_along_axis(members, best[:, None, None], axis=1)[:, 0])


def refuse_constant(pilot: Pilot, item: str) -> None:
    """Raise where nothing varies.

    Raises
    ------
    NotEstimable
        If every judge gave the same score to all items.
    """
    if not pilot.spread.any():
        raise NotEstimable(f"{item}: every judge gave all items of the pilot one score, so nothing varies; add items")
