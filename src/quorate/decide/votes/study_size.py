"""Study sizes: votes that a new study needs, or what a number of them shows, by the tests of verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import VoteMargin
from quorate.numerics.distributions import normal_cdf, normal_quantile, t_quantile
from quorate.numerics.votes import binomial, equivalence
from quorate.planning.power.equivalence import equivalence_size
from quorate.planning.power.sample_size import sample_size, seen_by, whole

_LEFT_TO_CHANCE = 2000  # votes that count, above which it hardly matters that their number varies


class Studies(Protocol):
    """New studies of one kind: numbers are votes to collect, margins ``|p - 1/2|``."""

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d`` with the power asked for."""

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``, with the power asked for."""

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find; None if none."""

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes: to find ``d`` or, with a margin, to show that it is within it."""


@dataclass(frozen=True)
class SingleVotes(Studies):
    """Independent votes that are won or lost, by the exact tests.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    share : float
        Part of the votes collected that the tests count, or units that they count over votes.
    by_chance : bool
        Whether every vote counts with that chance, as where ties are left out: fewer than expected may count.
    """

    alpha: float
    share: float = 1.0
    by_chance: bool = True

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d``."""
        n = _exact_or_normal(partial(sample_size, d, alpha=self.alpha, power=power))
        return self._collected(n, power, lambda k: binomial.power(k, 0.5 + d, self.alpha))

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``."""
        n = _exact_or_normal(partial(equivalence_size, margin, true_margin=d, alpha=self.alpha, power=power))
        return self._collected(n, power, lambda k: equivalence.power(k, 0.5 + d, margin, self.alpha))

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find."""
        return seen_by(max(1, self._counted(votes)), self.alpha, power, "exact")

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes."""
        n, p = self._counted(votes), 0.5 + d
        power = binomial.power(n, p, self.alpha) if margin is None else equivalence.power(n, p, margin, self.alpha)
        return float(power)

    def _counted(self, votes: int) -> int:
        return math.floor(votes * self.share + 1e-9)

    def _collected(self, n: int, power: float, chance: Callable[[Floats], Floats]) -> int:
        """Votes to collect for n that count, and a few more where the number that count is left to chance."""
        votes = whole(n / self.share)
        if not self.by_chance or self.share > 1 - 1e-9 or n > _LEFT_TO_CHANCE:
            return votes

        def mean_power(votes: int) -> float:
            """Power over the binomial law of the votes that count."""
            k = np.arange(votes + 1.0)
            mass = np.diff(binomial.lower_tail(k, votes, self.share), prepend=0.0)
            likely = mass > 1e-9
            return float(mass[likely] @ chance(k[likely]))

        while mean_power(votes) < power:
            votes += 1
        return votes


def _exact_or_normal(size: Callable[..., int]) -> int:
    """By the exact tests as far as their search goes, above which the normal number is as good."""
    try:
        return size(method="exact")
    except InvalidInput:
        return size(method="normal")


@dataclass(frozen=True)
class TiedVotes(Studies):
    """Independent votes with ties as halves: a difference by the votes without ties, equivalence by all.

    Parameters
    ----------
    decisive : SingleVotes
        The votes without ties; ``share`` is theirs.
    effect : float
        Variance over that of as many fair votes without ties.
    """

    decisive: SingleVotes
    effect: float

    def difference(self, d: float, power: float) -> int:
        """Votes that find a margin ``d``."""
        return self.decisive.difference(self._among_decisive(d), power)

    def equivalence(self, margin: float, d: float, power: float) -> int:
        """Votes that show a margin ``d`` to be within ``margin``."""
        alpha = self.decisive.alpha
        n = equivalence_size(margin, true_margin=d, alpha=alpha, power=power, method="normal")
        return whole(n * self.effect)

    def seen(self, votes: int, power: float) -> float | None:
        """Smallest margin that so many votes find."""
        found = self.decisive.seen(votes, power)
        return None if found is None else found * self.decisive.share

    def chance(self, votes: int, d: float, margin: float | None) -> float:
        """Power of so many votes."""
        if margin is None:
            return self.decisive.chance(votes, self._among_decisive(d), None)
        root, z = 2 * math.sqrt(votes / self.effect), normal_quantile(1 - self.decisive.alpha)
        return max(0.0, normal_cdf((margin - d) * root - z) + normal_cdf((margin + d) * root - z) - 1)

    def _among_decisive(self, d: float) -> float:
        return min(d / self.decisive.share, 0.5)


def detectable(found: VoteMargin, alpha: float, power: float) -> float | None:
    """Smallest margin that so many votes like those of a margin detect; None if there is none.

    Parameters
    ----------
    found : VoteMargin
        Of the votes.
    alpha, power : float
        Level of the test, and the chance of detection wanted.
    """
    counted = found.exact or found.decisive
    if found.least_p > alpha:
        return None
    if counted:
        among = SingleVotes(alpha).seen(int(counted.n), power) if counted.n else None
        return None if among is None else among * (1.0 if found.exact else counted.n / found.n)
    seen = t_reach(found.df, alpha, power) * found.se
    return seen if seen <= 0.5 else None


def t_reach(df: float, alpha: float, power: float) -> float:
    """Standard errors that a difference must measure for Student's t test to find it: a noncentrality."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, 1 - power, t_quantile(df, 1 - alpha / 2)))
