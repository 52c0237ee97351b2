"""Interval for the mean of each arm while scores come in, by four methods that need counts, means and squares alone.

``docs/methods/adaptive-intervals.md`` says which of them holds when, with what was measured.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.sequential.bandit import floored
from quorate.numerics.sequential.confidence_sequence import log_evidence

Method = Literal["anytime", "t", "bernstein", "asymptotic"]


class Options(TypedDict, total=False):
    """Options of `interval`, which explains them."""

    level: float
    method: Method
    low: float | None
    high: float | None
    step: float | None
    arms: int
    tuned: float


def interval(
    n: ArrayLike,
    mean: ArrayLike,
    ss: ArrayLike,
    *,
    level: float = 0.95,
    method: Method = "anytime",
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    arms: int = 1,
    tuned: float = 100,
) -> tuple[Floats, Floats]:
    """Lower and upper end of an interval for the true mean of each arm.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        Scores of each arm, their mean, and their sum of squares about it. Where there are none the mean may be nan.
    level : float
        Coverage wanted, in (0, 1).
    method : {"anytime", "t", "bernstein", "asymptotic"}
        ``anytime``: holds at all n at once, so whatever decided which arm got more scores and when to stop.
        ``t``: Student's, for a number of scores fixed beforehand; approximate. ``bernstein``: the same for bounded
        scores, never below its level. ``asymptotic``: at all n at once, but only as good as a normal approximation.
    low, high : float, optional
        Least and greatest score possible, not found. ``anytime`` and ``bernstein`` need them.
    step : float, optional
        Smallest gap between two scores of the scale: the floor of variances for ``t`` and ``asymptotic``, without
        which equal scores give an interval of width 0. The other two do not need it.
    arms : int
        Intervals that are to hold together, by Bonferroni's inequality.
    tuned : float
        Number of scores at which ``asymptotic`` is narrowest; to be chosen before the scores are seen.

    Returns
    -------
    lower, upper : array
        Within ``low`` and ``high`` where these are given; the whole range, or infinite, where n says nothing yet.

    Raises
    ------
    InvalidInput
        An option breaks its rule, or scores lie outside ``low`` and ``high``.

    References
    ----------
    Maurer and Pontil (2009), COLT, Theorem 4. Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Annals of
    Statistics 52, 2613-2640. For ``anytime`` see `quorate.numerics.sequential.confidence_sequence.log_evidence`.

    Examples
    --------
    Four scores of 7 and four of 8 on a scale from 0 to 10, looked at whenever one likes:

    >>> lower, upper = interval(8, 7.5, 2.0, low=0, high=10)
    >>> print(f"{lower:.2f} to {upper:.2f}")
    3.86 to 8.79
    """
    from scipy.special import lambertw, stdtrit

    n, mean, ss = _arrays(n, mean, ss)
    _check(level, method, arms, tuned)
    alpha, (least, most) = (1 - level) / arms, _bounds(method, low, high)
    if np.isfinite(most - least):
        centre, squares = _unit(n, mean, ss, least, most)
        if method == "anytime":
            ends = confidence_sequence.bounded_mean(n, centre, squares, alpha)
            return least + (most - least) * ends[0], least + (most - least) * ends[1]
    some = np.maximum(n, 2.0)
    if method == "bernstein":  # Maurer and Pontil (2009), Theorem 4, for each side with half of alpha
        log = np.log(4 / alpha)
        margin = np.sqrt(2 * ss / (some - 1) * log / some) + 7 * (most - least) * log / (3 * (some - 1))
    else:  # with divisor n - 1, from a variance that is floored where its divisor is n
        if method == "t":
            reach = -stdtrit(np.maximum(n - 1, 1.0), alpha / 2)
        else:  # boundary of the normal mixture in standard errors; its parameter makes it least at ``tuned``
            rate = (-float(lambertw(-(alpha**2) / np.e, -1).real) - 1) / tuned
            scaled = np.maximum(n, 1.0) * rate
            reach = np.sqrt((1 + 1 / scaled) * (np.log1p(scaled) - 2 * np.log(alpha)))
        margin = np.sqrt(floored(ss / some, some, step) / (some - 1)) * reach
    known = n > 1
    lower, upper = (np.where(known, mean + sign * margin, sign * np.inf) for sign in (-1, 1))
    return np.maximum(lower, least), np.minimum(upper, most)


def half_width(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, **options: Unpack[Options]) -> Floats:
    """Largest error that each mean may still have: from the mean to the farther end of its `interval`.

    Where there is no score yet it is the whole range.

    Parameters
    ----------
    n, mean, ss, **options
        As for `interval`.

    Examples
    --------
    >>> print(half_width([8, 80], 7.5, [2.0, 20.0], low=0, high=10).round(2))
    [3.64 0.54]
    """
    n, mean, ss = _arrays(n, mean, ss)
    lower, upper = interval(n, mean, ss, **options)
    return np.where(n > 0, np.maximum(upper - mean, mean - lower), upper - lower)


def within(
    n: ArrayLike, mean: ArrayLike, ss: ArrayLike, error: ArrayLike, **options: Unpack[Options]
) -> NDArray[np.bool_]:
    """Whether each mean is known to within an error: ``half_width(...) <= error``, without the search for its ends.

    Parameters
    ----------
    n, mean, ss, **options
        As for `interval`.
    error : array, broadcast
        Largest error that is good enough, in the unit of the scores.
    """
    n, mean, ss, error = _arrays(n, mean, ss, error)
    method = options.get("method", "anytime")
    if method != "anytime":
        return np.asarray(half_width(n, mean, ss, **options) <= error)
    level, arms = options.get("level", 0.95), options.get("arms", 1)
    _check(level, method, arms, 1)
    least, most = _bounds(method, options.get("low"), options.get("high"))
    centre, squares = _unit(n, mean, ss, least, most)
    far = error / (most - least)
    good, alpha = n > 0, (1 - level) / arms
    for share, room in ((centre - far, centre), (centre + far, 1 - centre)):  # all means farther away are excluded
        out = confidence_sequence.log_evidence(n, centre, squares, np.clip(share, 0.0, 1.0)) >= -np.log(alpha)
        good &= out | (room <= far)
    return np.asarray(good | (far >= 1))


def _arrays(*given: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in given)))


def _unit(n: Floats, mean: Floats, ss: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Mean and sum of squares on the scale from 0 to 1, checked by the inequality of Bhatia and Davis."""
    span = high - low
    centre = np.where(n > 0, (mean - low) / span, 0.5)
    squares = np.where(n > 0, ss / span**2, 0.0)
    wrong = ~(squares <= n * (centre * (1 - centre) + 1e-9))
    if np.any(wrong):
        at = int(np.flatnonzero(wrong)[0])
        raise InvalidInput(
            f"low, high: scores lie outside of {low:g} to {high:g}; got {n.flat[at]:.0f} with mean {mean.flat[at]:.6g} "
            f"and sum of squares {ss.flat[at]:.6g} in arm {at}; give the least and the greatest score of the scale"
        )
    return np.clip(centre, 0.0, 1.0), squares


def _bounds(method: Method, low: float | None, high: float | None) -> tuple[float, float]:
    least, most = -np.inf if low is None else low, np.inf if high is None else high
    if not least < most:
        raise InvalidInput(f"low, high: the least score must be below the greatest; got {low} and {high}; swap them")
    if method in {"anytime", "bernstein"} and not np.isfinite(most - least):
        raise InvalidInput(
            "low, high: "
            + argument("method", method)
            + f" needs the least and the greatest score possible; got {low} and {high}; give both, or choose "
            + argument("method", "asymptotic")
            + " for scores without bounds"
        )
    return least, most


def _check(level: float, method: str, arms: int, tuned: float) -> None:
    if method not in get_args(Method):
        raise InvalidInput(f'method: one of {", ".join(get_args(Method))}; got "{method}"; choose one of these')
    if not 0 < level < 1:
        raise InvalidInput(f"level: above 0 and below 1; got {level}; for 95% give 0.95")
    if not arms >= 1:
        raise InvalidInput(f"arms: how many intervals hold together, at least 1; got {arms}; give the number of items")
    if not tuned > 0:
        raise InvalidInput(f"tuned: a number of scores above 0; got {tuned}; give the number expected per item")


# Evidence that a mean lies on one side of a value, or of another mean, that holds however often one looks.
#
# It is that of `quorate.numerics.sequential.confidence_sequence.log_evidence`, for scores between 0 and 1.
# ``docs/methods/adaptive-live.md`` says why the two of a difference may be added.


_SEGMENTS = 64
_TINY = 1e-9
_OUTWARD = 1 - np.logspace(0, -4, 8)


class Moments(NamedTuple):
    """Scores between 0 and 1 of some arms.

    Parameters
    ----------
    n, mean, ss : array, shape (arms,)
        Scores, which may be 0, their mean (any number where there are none), and their sum of squares about it.
    """

    n: Floats
    mean: Floats
    ss: Floats

    def of(self, arms: NDArray[np.int64]) -> Moments:
        """Of some arms."""
        return Moments(self.n[arms], self.mean[arms], self.ss[arms])


def against_mean(moments: Moments, share: ArrayLike) -> Floats:
    """Log evidence against every true mean at ``share`` or beyond it, as seen from the mean found; shape (arms,).

    Beyond it in 8 places, between which the least may be a little lower. Infinite where no mean is there: beyond 0
    or 1.
    """
    share = np.broadcast_to(np.asarray(share, dtype=float), moments.n.shape)
    least = _evidence(moments, _outward(moments, np.clip(share, 0, 1))).min(axis=0)
    return np.where((share >= 0) & (share <= 1), least, np.inf)


def against_difference(first: Moments, second: Moments, shift: float) -> Floats:
    """Log evidence against every difference, first minus second, at ``shift`` or beyond it; shape (arms,).

    Hardly above the least evidence against a pair of true means of such a difference. That is sought between the two
    means found, where the evidence against one mean falls and that against the other rises; on each of 64 segments
    both are taken at their smaller end. Where a mean found is next to an end of the scale, its evidence beyond is
    looked at in 8 places only: for extreme scores the least can lie between them.
    """
    low, high = max(0.0, -shift), min(1.0, 1.0 - shift)
    ends = np.clip(second.mean, low, high), np.clip(first.mean - shift, low, high)
    share = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, _SEGMENTS + 1)[:, None]
    falls = _to_the_mean(first, share + shift)
    rises = _to_the_mean(second, share[::-1])[::-1]
    seen = first.mean - second.mean
    possible = np.where(seen < shift, shift <= 1, shift >= -1)
    return np.where(possible, (falls[1:] + rises[:-1]).min(axis=0), np.inf)


def _to_the_mean(moments: Moments, share: Floats) -> Floats:
    """Least evidence at each share or farther from the mean, as far as `_outward` looks; shape (shares, arms).

    The mean is at the last share. The evidence jumps there, so that at it, and at the first one, both sides count.
    """
    part = _evidence(moments, share)
    for place in (0, -1):
        part[place] = np.minimum(*(_evidence(moments, share[place] + step) for step in (-_TINY, _TINY)))
    part[0] = np.minimum(part[0], _evidence(moments, _outward(moments, share[0])).min(axis=0))
    return np.asarray(np.minimum.accumulate(part))


def _outward(moments: Moments, share: Floats) -> Floats:
    """Shares from one to the end of the scale, away from the mean; shape (shares, arms).

    Evidence mostly rises on the way, but not between a mean that is close to the end of the scale and that end.
    """
    return np.asarray(share + (np.where(share >= moments.mean, 1.0, 0.0) - share) * _OUTWARD[:, None])


def _evidence(moments: Moments, share: Floats) -> Floats:
    return np.array(log_evidence(*moments, np.clip(share, 0.0, 1.0)))
