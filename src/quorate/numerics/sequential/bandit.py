"""Bandit rules: which arm to pull next, and what the bounds of the paper promise; shared by replay and live runs.

An *arm* is what is to be known, such as an item; a *pull* is one more judgment of it. ``docs/methods/adaptive.md``
derives everything here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.numerics.roots import root
from quorate.wording import Brief

Variant = Literal["experiment", "theory"]
Objective = Literal["worst", "average", "boundary"]
_TURN = 2.0**-50
"""Part by which the key of an infinite priority falls with every pull."""
_MOST_DELTA = 0.2
"""No greater chance of failure is proposed."""


class Constants(NamedTuple):
    """Constants of ROBIN-HOOD that belong together; those of one variant with the warm-up of the other fail.

    Parameters
    ----------
    lam : float
        Logarithm in the confidence bound of a variance; 0 takes variances as they are.
    warmup : int
        Pulls of every arm before variances count.
    """

    lam: float
    warmup: int


def constants(variant: Variant, arms: int, budget: int, delta: float) -> Constants:
    """Constants of a variant: as proven, or as in the paper's experiments.

    Parameters
    ----------
    variant : {"experiment", "theory"}
        ``theory``: ``lam = log(4 K B / delta)`` and ``16 lam`` pulls; ``experiment``: ``log(1 / delta)`` and ``4 lam``.
    arms, budget : int
        Arms ``K`` and pulls ``B``.
    delta : float
        Chance of failure, in (0, 1).

    Raises
    ------
    InvalidInput
        If there is no such variant, or delta is out of range.

    References
    ----------
    LLM-as-Judge on a Budget (2026), arXiv 2602.15481, Algorithm 2, Lemma 6 and Section 5.
    """
    rules.one_of("variant", variant, Variant)
    rules.number("delta", delta, above=0, below=1)
    if variant == "theory":
        lam = math.log(4 * arms * budget) - math.log(delta)
        return Constants(lam, math.ceil(16 * lam))
    lam = math.log(1 / delta)
    return Constants(lam, math.ceil(4 * lam))


def affordable(variant: Variant, arms: int, budget: int, delta: float, *, calls: int = 1) -> Constants:
    """Constants of a variant, if the budget has room for what they demand of every arm.

    Parameters
    ----------
    variant, arms, delta
        As for `constants`.
    budget : int
        Calls in all.
    calls : int
        Calls of one pull: 1, or the judges of a whole cycle.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or the budget does not go beyond the warm-up of all arms.
    """
    pulls = max(budget // calls, 1)
    tuned = constants(variant, arms, pulls, delta)
    if _holds(tuned, arms, pulls):
        return tuned
    least = least_budget(variant, arms, delta) * calls
    # A delta, of two digits, with which the budget holds the warm-up, if one does.
    scale, rate = (4 * arms * pulls, 16) if variant == "theory" else (1, 4)
    exact = scale * math.exp(-(pulls // arms) / rate)
    unit = 10.0 ** (math.floor(math.log10(exact)) - 1)
    enough = math.ceil(exact / unit) * unit
    suits = enough <= _MOST_DELTA and _holds(constants(variant, arms, pulls, enough), arms, pulls)
    instead = " or " + argument("delta", float(f"{enough:.2g}")) if suits else ""
    cycles = f" by {calls} calls" if calls > 1 else ""
    each = "1 pull" if tuned.warmup == 1 else f"{tuned.warmup:,} pulls"
    raise InvalidInput(
        f"budget: ROBIN-HOOD begins with {each} of each of {arms:,} arms{cycles}, "
        f"{tuned.warmup * arms * calls:,} in all, got {budget:,}; give " + argument("budget", least) + instead
    )


def least_budget(variant: Variant, arms: int, delta: float) -> int:
    """Smallest budget that holds the warm-up of all arms.

    Parameters
    ----------
    variant, arms, delta
        As for `constants`.
    """
    budget, enough = 0, arms
    while enough != budget:  # the warm-up of the theory grows with the budget, so this climbs to the first that fits
        budget = enough
        tuned = constants(variant, arms, budget, delta)
        enough = max(tuned.warmup * arms, math.floor(4 * tuned.lam * arms) + 1)
    return budget


def _holds(tuned: Constants, arms: int, budget: int) -> bool:
    return tuned.warmup * arms <= budget and 4 * tuned.lam * arms < budget


@dataclass(frozen=True)
class Rule(Brief):
    """The order in which arms are pulled: always the one with the greatest priority.

    Parameters
    ----------
    lam : float
        As in `Constants`.
    step : float or None
        Smallest gap between two scores of the scale, for the floor of variances; None without a floor.
    objective : {"worst", "average", "boundary"}
        What is to be small: the greatest variance of a mean, their sum, or the doubt on which side of ``at`` it is.
    weight : float or array, shape (arms, ...)
        Importance of an arm: a factor of its priority.
    price : float or array, shape (arms, ...)
        Price of a pull; it matters to the average alone, because the worst case must be mended whatever that costs.
    at, tolerance : float
        Boundary, and the distance from it that does not matter.
    """

    lam: float = 0.0
    step: float | None = None
    objective: Objective = "worst"
    weight: float | Floats = 1.0
    price: float | Floats = 1.0
    at: float = 0.0
    tolerance: float = 0.0

    def priority(self, n: ArrayLike, mean: ArrayLike, variance: ArrayLike) -> Floats:
        """Priority of arms after ``n`` pulls; infinite where an arm must be pulled whatever its variance.

        Parameters
        ----------
        n, mean, variance : array, broadcast
            Pulls, their mean, and their variance with divisor ``n``.
        """
        n, mean = np.asarray(n, dtype=float), np.asarray(mean, dtype=float)
        spread = floored(np.asarray(variance, dtype=float), n, self.step) * self.weight
        if self.objective == "average":
            spread = spread / ((n + 1) * self.price)
        elif self.objective == "boundary":
            with np.errstate(divide="ignore", invalid="ignore"):
                spread = np.where(spread > 0, spread / (np.abs(mean - self.at) + self.tolerance) ** 2, 0.0)
        return per_pull(spread, n, self.lam)


def per_pull(variance: Floats, n: Floats, lam: float) -> Floats:
    """Upper bound of the variance of a mean: ``s2 / (n (1 - sqrt(4 lam / n)))``, infinite up to ``4 lam`` pulls.

    References
    ----------
    LLM-as-Judge on a Budget (2026), Eq. 6; ``s2`` has divisor ``n``.
    """
    share = n - np.sqrt(4 * lam * n)
    if (share > 0).all():
        return np.asarray(variance / share)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(share > 0, variance / share, np.inf)


def in_turn(priority: Floats, made: Floats | Ints) -> Floats:
    """Priorities in the same order, but those that are 0 or infinite fall with the pulls, so that such arms take turns.

    Parameters
    ----------
    priority : array
        From `Rule.priority`, or -inf where an arm is not to be pulled.
    made : array, broadcast
        Pulls made of the same arms.
    """
    if priority.min(initial=np.inf) > 0 and priority.max(initial=-np.inf) < np.inf:
        return priority
    endless = np.finfo(float).max * (1 - _TURN * made)
    return np.where(priority == 0, -made, np.where(np.isposinf(priority), endless, priority))


def floored(variance: Floats, n: Floats, step: float | None) -> Floats:
    """Variances of arms on a discrete scale, none below what the rule of succession leaves possible.

    After ``n`` equal scores the next one differs with a chance of ``1 / (n + 2)``, then by ``step`` at least.
    """
    if step is None:
        return variance
    return np.maximum(variance, step**2 * (n + 1) / (n + 2) ** 2)


def known_variance_bound(variance: Floats, budget: int, delta: float) -> float:
    """Largest error of any mean after ROBIN, with a chance of at least ``1 - delta``, for scores like normal ones.

    Scores must be sub-Gaussian with their variance as the proxy, as normal scores are. Skewed ones are not: means of
    scores that are a 1 in a thousand are further off than this most of the time.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances of the scores.
    budget : int
        Pulls, more than arms.
    delta : float
        Chance of failure.

    References
    ----------
    LLM-as-Judge on a Budget (2026), Theorem 3, with the factor 2 of its proof.
    """
    arms = len(variance)
    if budget <= arms:
        return math.inf
    return math.sqrt(2 * float(variance.sum()) / (budget - arms) * math.log(2 * arms / delta))


def unknown_variance_bound(variance: Floats, budget: int, delta: float, warmup: int) -> float:
    """Largest error of any mean after ROBIN-HOOD with the constants of the theory, with a chance of ``1 - delta``.

    For normal scores, on whose variance estimates the proof rests, and without the floor of variances. Other scores
    may be further off; see `known_variance_bound`.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances of the scores.
    budget : int
        Pulls, more than the warm-up of all arms takes.
    delta : float
        Chance of failure.
    warmup : int
        Pulls of every arm in the warm-up.

    References
    ----------
    LLM-as-Judge on a Budget (2026), Theorem 5 as in the appendix.
    """
    arms = len(variance)
    left = budget - arms * warmup
    if left <= 0:
        return math.inf
    return math.sqrt(6 * float(variance.sum()) / left * math.log(4 * arms * budget / delta))


# Scores that exist, by arm, from which a replay draws.


_SAME = 1e-9
"""Scores closer than this part of their range are one score, written with rounding errors."""


class Pools(NamedTuple):
    """What a pull of every arm may give: the mean of one draw, with replacement, from each of its parts.

    Parameters
    ----------
    values : array, shape (arms, parts, draws)
        Scores, and nan after the last one. A part is a judge of the panel where pulls are cycles; else there is one.
    sizes : array of int, shape (arms, parts)
        Scores of each part, at least 1.
    """

    values: Floats
    sizes: Ints

    @property
    def arms(self) -> int:
        """Number of arms."""
        return len(self.sizes)

    @property
    def parts(self) -> int:
        """Draws of one pull."""
        return int(self.sizes.shape[1])

    @property
    def mean(self) -> Floats:
        """Expectation of a pull, shape (arms,)."""
        return np.asarray(np.nanmean(self.values, axis=2).mean(axis=1))

    @property
    def variance(self) -> Floats:
        """Variance of a pull, shape (arms,); exactly 0 where all scores of every part are equal."""
        inside = self.values - self.values[:, :, :1]
        return np.asarray(np.nanvar(inside, axis=2).sum(axis=1) / self.parts**2)

    @property
    def step(self) -> float | None:
        """Smallest change of a pull: the smallest gap between two scores, divided by the parts; None without a gap."""
        values = np.unique(self.values[np.isfinite(self.values)])
        gaps = np.diff(values)
        gaps = gaps[gaps > _SAME * (values[-1] - values[0])]
        return float(gaps.min()) / self.parts if gaps.size else None

    def at(self, arms: NDArray[np.integer]) -> Pools:
        """The pools of these arms, in this order."""
        return Pools(self.values[arms], self.sizes[arms])


def packed(values: Floats, sizes: Sequence[int] | Ints, parts: int = 1) -> Pools:
    """Pools of scores that follow each other, arm by arm and part by part.

    Parameters
    ----------
    values : array, shape (scores,)
        Scores.
    sizes : sequence of int, shape (arms * parts,)
        Scores of each part, in order.
    parts : int
        Parts of every arm.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    out = np.full((len(sizes), int(sizes.max(initial=0))), np.nan)
    out[np.arange(out.shape[1]) < sizes[:, None]] = values
    shape = (len(sizes) // parts, parts)
    return Pools(out.reshape(*shape, out.shape[1]), sizes.reshape(shape))


# Pulls of arms with known variances, so that the largest variance of a mean is as small as it can be.
#
# ``docs/methods/adaptive.md`` has the proofs.


def uniform(arms: int, budget: int) -> Ints:
    """Equal numbers of pulls, shape (arms,); the first arms have what is left over.

    Parameters
    ----------
    arms, budget : int
        Arms, and pulls in all.
    """
    return np.asarray(budget // arms + (np.arange(arms) < budget % arms), dtype=np.int64)


def greedy(variance: ArrayLike, budget: int) -> Ints:
    """Pulls of every arm by ROBIN: one each, then always the arm whose ``variance / pulls`` is greatest.

    No other way to spend the budget has a smaller ``max(variance / pulls)``. Ties go to the first arm; arms that all
    have variance 0 are pulled equally often.

    Parameters
    ----------
    variance : array, shape (arms,)
        Known variances of a pull.
    budget : int
        Pulls in all, at least one for each arm.

    References
    ----------
    LLM-as-Judge on a Budget (2026), Algorithm 1; the rule is the apportionment of Adams.

    Examples
    --------
    >>> greedy([1.0, 4.0, 1.0], 12).tolist()
    [2, 8, 2]
    """
    variance = np.asarray(variance, dtype=float)
    arms = len(variance)
    if not variance.any():
        return uniform(arms, budget)
    low, high = pull_limits(variance, budget)
    arm = np.repeat(np.arange(arms), high - low)
    pulls = np.arange(len(arm)) - np.repeat(np.cumsum(high - low) - high, high - low)
    order = np.argsort(-variance[arm] / pulls, kind="stable")[: budget - int(low.sum())]
    return low + np.bincount(arm[order], minlength=arms)


def pull_limits(variance: Floats, budget: int) -> tuple[Ints, Ints]:
    """Least and most pulls that ROBIN can give every arm, one more either way for rounding errors.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances, not all 0.
    budget : int
        Pulls in all, ``B``: from ``share (B - K)`` to ``share (B - 1) + 1`` with ``K`` arms, and at least 1.
    """
    share = variance / variance.max()
    share = share / share.sum()
    low = np.maximum(np.floor(share * (budget - len(share))) - 1, 1).astype(np.int64)
    high = np.minimum(np.ceil(share * (budget - 1)) + 2, budget).astype(np.int64)
    return low, np.maximum(high, low + 1)


def curve(variance: Floats, budgets: Sequence[int] | Ints) -> Ints:
    """Pulls by ROBIN for several budgets, shape (budgets, arms); below one pull for each arm, the first ones.

    Parameters
    ----------
    variance : array, shape (arms,)
        Known variances of a pull.
    budgets : sequence of int
        Pulls in all.
    """
    arms = len(variance)
    return np.array([greedy(variance, b) if b >= arms else uniform(arms, b) for b in map(int, budgets)])


def normal_saving(variance: Floats) -> float:
    """Part of the budget that known variances save for the largest error of uniform allocation, were means normal.

    Below ``1 - mean(variance) / max(variance)``, because equal standard errors let every arm be the one with the
    largest error, and unequal ones only the most variable. The median of the largest error is compared.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances of a pull, not all 0.
    """
    varying = variance[variance > 0] / variance.max()
    equal = np.full(len(varying), varying.sum() / len(variance))
    return 1 - (_median_largest(equal) / _median_largest(varying)) ** 2


def _median_largest(variance: Floats) -> float:
    """Median of the largest absolute value of independent normal numbers."""
    from scipy.special import erfc

    scale = 1 / np.sqrt(2 * variance)
    most = 40 / float(scale.min())
    return root(lambda x: float(np.log1p(-erfc(x * scale)).sum()) + np.log(2), 1e-9 * most, most)
