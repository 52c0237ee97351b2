"""Tests and intervals that hold however often one looks: of a fair coin, of a mean, and of the mean of each arm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.roots import last
from quorate.numerics.sequential.bandit import floored

# A test of a fair coin, and an interval for its bias, that hold however often one looks.
#
# The beta mixture of likelihood ratios is a martingale under the share it tests, so by Ville's inequality it ever
# exceeds ``1 / alpha`` with a chance of at most ``alpha``. ``docs/methods/verdicts.md`` derives it.


_SHARE_HALVINGS = 60
_LEAST_PRIOR = 0.5


class Stopped(NamedTuple):
    """How a rule that stops on a lead behaves, exactly.

    Parameters
    ----------
    low, high : array, shape (n,)
        Chance to have stopped after 1, 2, ... votes for too few and for too many wins.
    expected : float
        Expected number of votes, with the last number as the end.
    """

    low: Floats
    high: Floats
    expected: float


def prior(margin: float) -> float:
    """Parameter of the symmetric beta mixture whose standard deviation is this margin: tuned to find such margins.

    Parameters
    ----------
    margin : float
        ``|p - 1/2|`` that is thought likely, above 0 and at most 1/2.
    """
    return max((1 / (4 * margin**2) - 1) / 2, _LEAST_PRIOR)


def share_log_evidence(wins: ArrayLike, n: ArrayLike, share: ArrayLike, a: float) -> Floats:
    """Logarithm of the evidence (e-value) against a share: that of the beta mixture of likelihood ratios.

    Parameters
    ----------
    wins, n : array, broadcast
        Wins, which may be fractions such as half votes, and votes.
    share : array, broadcast
        Share that is tested, between 0 and 1.
    a : float
        Both parameters of the beta mixture, from `prior`.

    References
    ----------
    Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409. Ville (1939), Étude critique de la notion de
    collectif.
    """
    from scipy.special import betaln, xlog1py, xlogy

    k, n, p = (np.asarray(x, dtype=float) for x in (wins, n, share))
    return np.asarray(betaln(a + k, a + n - k) - betaln(a, a) - xlogy(k, p) - xlog1py(n - k, -p))


def confidence_sequence(wins: ArrayLike, n: ArrayLike, level: float, a: float) -> tuple[Floats, Floats]:
    """Interval for the share after each number of votes; all of them cover at once with a chance of at least the level.

    Parameters
    ----------
    wins, n : array, broadcast
        Wins and votes, which may be 0.
    level : float
        Coverage wanted, in (0, 1).
    a : float
        As for `share_log_evidence`.
    """
    k, n = _arrays(wins, n)
    centre = np.where(n > 0, k / np.maximum(n, 1.0), 0.5)
    limit = -np.log1p(-level)
    with np.errstate(invalid="ignore", divide="ignore"):
        return kept_range(lambda p: share_log_evidence(k, n, p, a) >= limit, centre, _SHARE_HALVINGS)


def kept_range(excluded: Callable[[Floats], NDArray[np.bool_]], centre: Floats, halvings: int) -> tuple[Floats, Floats]:
    """Lower and upper end of the values between 0 and 1 that a test does not exclude, by halving from the outside.

    Parameters
    ----------
    excluded : callable
        Whether each of an array of values is excluded; farther from the centre, more are.
    centre : array
        Values that are not.
    halvings : int
        Times that the room between a value that is excluded and one that is not is halved.
    """
    ends = []
    for end in (0.0, 1.0):
        outside, inside = np.full(centre.shape, end), centre
        for _ in range(halvings):
            middle = (outside + inside) / 2
            out = excluded(middle)
            outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
        ends.append(outside)
    return ends[0], ends[1]


def boundary(n: ArrayLike, alpha: float, a: float) -> Floats:
    """Most wins, or losses, at which the evidence against one half reaches ``1 / alpha``; -1 where none does.

    Parameters
    ----------
    n : array
        Votes.
    alpha : float
        Level of the test.
    a : float
        As for `share_log_evidence`.
    """
    n = np.asarray(n, dtype=float)
    limit = -np.log(alpha)

    def stops(k: Floats) -> NDArray[np.bool_]:
        evidence = share_log_evidence(np.clip(k, 0, n), n, 0.5, a)
        return np.asarray((k < 0) | ((k <= n / 2) & (evidence >= limit)))

    return last(stops, np.maximum((n - np.sqrt(n * 2 * limit)) / 2, -1.0))


def stopping(boundary: Floats, p: float) -> Stopped:
    """Exact behaviour of the rule that stops when wins, or losses, are at most a boundary.

    Parameters
    ----------
    boundary : array, shape (n,)
        Most wins, or losses, that stop after 1, 2, ... votes, below half of them; -1 at numbers where nobody looks.
    p : float
        Chance of a win.
    """
    steps = len(boundary)
    low, high = np.zeros(steps), np.zeros(steps)
    alive = np.zeros(steps + 1)
    alive[0] = 1.0
    expected = 0.0
    for n, c in enumerate(boundary.astype(int).tolist(), start=1):
        expected += float(alive[:n].sum())
        alive[1 : n + 1] = alive[1 : n + 1] * (1 - p) + alive[:n] * p
        alive[0] *= 1 - p
        if c >= 0:
            low[n - 1], high[n - 1] = alive[: c + 1].sum(), alive[n - c : n + 1].sum()
            alive[: c + 1] = alive[n - c : n + 1] = 0.0
    return Stopped(np.cumsum(low), np.cumsum(high), expected)


# Intervals for the mean of bounded scores that hold however often one looks and for whatever reason one stops.
#
# They need the number of scores, their mean and their sum of squares alone, in no order.
# ``docs/methods/adaptive-intervals.md`` derives them.


_LOGITS = np.arange(-10.0, 4.5, 0.5)
STAKES = 1 / (1 + np.exp(-_LOGITS))
"""Parts of the capital that are bet; small ones win where many scores lie close to the mean that is tested."""
WEIGHTS = 1 / (2 + _LOGITS**2)
WEIGHTS /= WEIGHTS.sum()
"""Parts of the first capital that each stake has."""
_MEAN_HALVINGS = 40
_LEAST = 1e-100
_AT_ONCE = 2048
"""Means that are tested together: what is bet on them, at every stake, stays in the cache of a core."""


def mean_log_evidence(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, share: ArrayLike) -> Floats:
    """Logarithm of the evidence (e-value) against a mean of scores between 0 and 1.

    Half of a capital is bet on a mean above ``share``, half on one below, in parts of several stakes. Of all scores
    with this mean and sum of squares it is the least that the bet that wins can have come to; the other counts as
    nothing.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        Scores, which may be 0, their mean, and their sum of squares about it.
    share : array, broadcast
        Mean that is tested, between 0 and 1.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1), 1-27, for the capital of bets.
    """
    given = _arrays(n, mean, ss, share)
    flat = [x.ravel() for x in given]
    blocks = [slice(start, start + _AT_ONCE) for start in range(0, flat[0].size, _AT_ONCE)]
    found = [_log_evidence(*(x[block] for x in flat)) for block in blocks]
    return np.concatenate(found or [np.zeros(0)]).reshape(given[0].shape)


def _log_evidence(n: Floats, mean: Floats, ss: Floats, share: Floats) -> Floats:
    unit = np.maximum(np.where(share < mean, share, 1 - share), _LEAST)
    gain = np.abs(mean - share) / unit  # of a whole stake, per score; -1 at worst
    spread = np.maximum(ss, 0.0) / np.maximum(n, 1.0) / unit**2
    # The least capital is that of scores of two values: all is lost by a part of them, and the others win the same.
    lost = spread / ((1 + gain) ** 2 + spread)
    won = gain + spread / (1 + gain)
    stakes = STAKES[:, None]
    capital = np.log1p(stakes * won)
    capital *= n * (1 - lost)
    capital += n * lost * np.log1p(-stakes) + np.log(WEIGHTS / 2)[:, None]
    most = capital.max(axis=0)
    capital -= most
    return np.asarray(most + np.log(np.exp(capital, out=capital).sum(axis=0)))


def bounded_mean(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Interval for the mean of scores between 0 and 1 after each number of scores; all cover at once.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        As for `mean_log_evidence`.
    alpha : float
        Chance that any of the intervals of one sequence of scores misses.
    """
    n, mean, ss = _arrays(n, mean, ss)
    limit = -np.log(alpha)
    return kept_range(lambda share: mean_log_evidence(n, mean, ss, share) >= limit, mean, _MEAN_HALVINGS)


def log_evidence_of_fall(scores: ArrayLike, baseline: float) -> tuple[Floats, Floats]:
    """Log evidence after every score that the mean fell below the baseline, and how well each beginning explains it.

    A capital of 1 is dealt out to all places where a fall may begin, the rest of it kept for those still to come. From
    its place on each part is bet on scores below the baseline, at several stakes. As long as no score's mean, given
    those before, is below the baseline, the capital is not expected to grow: with a chance of at least
    ``1 - alpha`` it never comes to ``1 / alpha``, however long one looks and however scores depend on each other.

    Parameters
    ----------
    scores : array, shape (..., n)
        Scores between 0 and 1, in their order.
    baseline : float
        Their mean where nothing changed, above 0 and below 1.

    Returns
    -------
    evidence : array, shape (..., n)
        Logarithm of the capital after each score.
    start : array, shape (..., n)
        Logarithm of what a capital of 1 that was bet from each place on has come to at the last score.

    References
    ----------
    Ville's inequality; Shin, Ramdas and Rinaldo (2024), E-detectors, New England Journal of Statistics in Data Science
    2(2), 229-260, of which this is the one whose chance of any false alarm is bounded.

    Examples
    --------
    >>> evidence, start = log_evidence_of_fall([1.0] * 40 + [0.0] * 10, 0.9)
    >>> bool(evidence[39] < 0 < evidence[-1]), int(start.argmax())
    (True, 40)
    """
    scores = np.asarray(scores, dtype=float)
    n = scores.shape[-1]
    # 1 / log2(place + 1) is what is left for this place and all after it: parts fall off hardly faster than 1 / place.
    left = 1 / np.log2(np.arange(2, n + 3))
    begun = np.log(left[:-1] - left[1:])
    gain = (baseline - scores[..., None, :]) / (1 - baseline)  # of a whole stake; -1 at worst
    won = np.cumsum(np.log1p(STAKES[:, None] * gain), axis=-1)
    before = np.concatenate([np.zeros_like(won[..., :1]), won[..., :-1]], axis=-1)
    from_here = np.log(WEIGHTS)[:, None] - before
    by_stake = won + np.logaddexp.accumulate(begun + from_here, axis=-1)
    evidence = np.logaddexp(np.logaddexp.reduce(by_stake, axis=-2), np.log(left[1:]))
    start = np.logaddexp.reduce(from_here + won[..., -1:], axis=-2)
    return np.asarray(evidence), np.asarray(start)


# Interval for the mean of each arm while scores come in, by four methods that need counts, means and squares alone.
#
# ``docs/methods/adaptive-intervals.md`` says which of them holds when, with what was measured.


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
    Statistics 52, 2613-2640. For ``anytime`` see `quorate.numerics.sequential.confidence_sequence.mean_log_evidence`.

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
            ends = bounded_mean(n, centre, squares, alpha)
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
        out = mean_log_evidence(n, centre, squares, np.clip(share, 0.0, 1.0)) >= -np.log(alpha)
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
    rules.one_of("method", method, Method)
    rules.number("level", level, above=0, below=1)
    rules.number("arms", arms, least=1)
    rules.number("tuned", tuned, above=0)


# Evidence that a mean lies on one side of a value, or of another mean, that holds however often one looks.
#
# It is that of `quorate.numerics.sequential.confidence_sequence.mean_log_evidence`, for scores between 0 and 1.
# ``docs/methods/adaptive.md`` says why the two of a difference may be added.


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
    return np.array(mean_log_evidence(*moments, np.clip(share, 0.0, 1.0)))
