"""Concentration of the signal in few types of prompts: whether screening types before spending votes on them pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.numerics.votes.two_stages import screened
from quorate.planning.power.prompt_types import checked_counts
from quorate.planning.power.sample_size import check_range
from quorate.streams import stream
from quorate.table.results import Result
from quorate.table.votes import Votes

LEAST_VOTES = 4


@dataclass(frozen=True)
class Concentration(Result):
    """Whether a few types of prompts hold most of the signal.

    Parameters
    ----------
    ratio : float
        Signal of the top types over what as many types would hold if signal were even: types chosen by one half of the
        votes, measured on the other, noise subtracted. Nan where no signal is left after that.
    naive : float
        The same without correction: from noise alone it is well above 1.
    low : float
        Lower end of a one-sided interval for the ratio; 0 where it has none.
    p : float
        P-value that the ratio is at most ``kappa``.
    kappa : float
        What two-stage allocation takes.
    top : int
        Types that count as the top.
    level : float
        Coverage of the interval.
    """

    ratio: float
    naive: float
    low: float
    p: float
    kappa: float
    top: int
    level: float

    derived = ("recommended", "sentence")

    @property
    def recommended(self) -> bool:
        """Whether two-stage allocation is to be recommended."""
        return self.p <= 1 - self.level

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if math.isnan(self.ratio):
            ratio = "no more signal than noise"
        elif self.ratio <= 0:
            ratio = (
                f"no signal that repeats (an estimate below zero, {self.ratio:.2f} times their even share, is noise)"
            )
        else:
            ratio = f"{self.ratio:.2f} times their even share"
        sure = f"with {100 * self.level:.4g}% confidence"
        bound = f"at least {self.low:.2f} {sure}" if self.low > 0 else f"no lower limit {sure}"
        advice = (
            f"above {self.kappa:g}: screen types first"
            if self.recommended
            else f"not shown to be above {self.kappa:g}: spread judgments in proportion"
        )
        top = "top type holds" if self.top == 1 else f"top {self.top} types hold"
        return f"The {top} {ratio} ({bound}; {self.naive:.2f} before correction), {advice}."


def concentration(
    wins: Sequence[int] | Ints,
    n: Sequence[int] | Ints,
    *,
    retained: float = 0.2,
    kappa: float = 1.5,
    level: float = 0.95,
    splits: int = 200,
    seed: int = 1,
) -> Concentration:
    """Whether signal is so concentrated in few types of prompts that screening them first pays.

    Parameters
    ----------
    wins, n : sequence of int, shape (types,)
        Wins and votes of every type in a pilot, at least 4 votes each.
    retained : float
        Part of the types that counts as the top, rounded up to whole types. If that is all of them their ratio is 1 by
        definition, and two stages are not recommended; nor if ``kappa`` times their even share is all of the signal.
    kappa : float
        Times its even share that the top must hold, above 1: 1.5, or 2 to be careful.
    level : float
        Confidence with which that must be shown.
    splits : int
        Random halves that the result is the average of.
    seed : int
        For the halves.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If a type has fewer than 4 votes.

    Notes
    -----
    The square of an estimated margin is too large by its variance ``p (1 - p) / n``, and the largest of several are
    too large once more for having been chosen. So each half of the votes chooses for the other, and the variance is
    subtracted. p-values of all halves are summed up as twice their median (Meinshausen, Meier and Bühlmann 2009).

    Examples
    --------
    >>> signal = concentration([90, 88] + [50] * 8, [100] * 10)
    >>> signal.recommended, concentration([56, 44, 52, 53, 48], [100] * 5).recommended
    (True, False)
    """
    k, votes = checked_counts(wins, n)
    check_range("retained", retained, "above 0 and below 1", isinstance(retained, Real) and 0 < retained < 1)
    check_range("kappa", kappa, "above 1", isinstance(kappa, Real) and 1 < kappa < math.inf)
    if votes.min() < LEAST_VOTES:
        raise NotEstimable(f"n: a type has {votes.min():.0f} votes; concentration takes at least {LEAST_VOTES} of each")
    top = math.ceil(retained * len(k) * (1 - 1e-12))
    even = top / len(k)
    rng = stream(seed, "halves")
    half = votes.astype(int) // 2
    chosen_by = rng.hypergeometric(k.astype(int), (votes - k).astype(int), half, (splits, len(k)))
    kept = screened(chosen_by / half - 0.5, top, rng)
    n2 = votes - half
    share = (k - chosen_by) / n2
    signal = (share - 0.5) ** 2 - share * (1 - share) / (n2 - 1)  # unbiased for the squared margin
    fair = 0.25 / n2
    variance = 4 * np.maximum(signal, 0.0) * fair + 2 * fair**2
    held, whole = np.sum(signal * kept, axis=1), np.sum(signal, axis=1)
    grid = np.append(np.linspace(0, 1 / even, 201), kappa)
    p = np.array([_median_p(signal, variance, kept, x * even) for x in grid])
    above = grid[:-1][np.cumprod(p[:-1] <= 1 - level).astype(bool)]
    plain = np.sort((k / votes - 0.5) ** 2)[::-1]
    total = float(whole.mean())
    return Concentration(
        ratio=min(float(held.mean()) / total, 1.0) / even if total > 0 else math.nan,
        naive=float(plain[:top].sum() / plain.sum() / even) if plain.any() else math.nan,
        low=float(above.max(initial=0.0)),
        p=float(p[-1]),
        kappa=float(kappa),
        top=top,
        level=level,
    )


def concentrated_pairs(votes: Votes, *, by: str = "prompt_type", level: float = 0.95) -> tuple[int, int]:
    """On how many pairs of systems two stages are to be recommended, of those with votes enough on every type.

    Parameters
    ----------
    votes : Votes
        Votes on any pairs; ties are left out.
    by : str
        Facet whose levels are the types.
    level : float
        Confidence with which it must be shown of each pair.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    """
    pairs, types = votes.pairs(), len(votes.facet(by).levels)
    told, value = votes.column(by), votes.encoded()
    known = (told >= 0) & np.isfinite(value)
    place = pairs.code[known].astype(np.int64) * types + told[known]
    weight = votes.weights[known].astype(float)
    n, wins = (
        np.bincount(place, each, len(pairs) * types).reshape(len(pairs), types).astype(np.int64)
        for each in (weight, weight * value[known])
    )
    enough = (n >= LEAST_VOTES).all(axis=1) & (types > 1)
    shown = [concentration(k, m, level=level).recommended for k, m in zip(wins[enough], n[enough], strict=True)]
    return sum(shown), len(shown)


def _median_p(signal: Floats, variance: Floats, kept: NDArray[np.bool_], share: float) -> float:
    """Twice the median, over halves, of p-values that the kept types hold at most this share of the signal."""
    from scipy.special import ndtr

    if share >= 1 - 1e-12:  # they never hold more than all of it
        return 1.0
    weight = kept - share
    z = np.sum(weight * signal, axis=1) / np.sqrt(np.sum(weight**2 * variance, axis=1))
    return min(1.0, 2 * float(np.median(ndtr(-z))))
