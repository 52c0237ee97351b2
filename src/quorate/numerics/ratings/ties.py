"""Models of ties: how often two systems tie, and what a vote then says of their ratings."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

# What a model of ties is: the likelihood of the votes on a pair, given the gap of its ratings and a parameter.


@dataclass(frozen=True, eq=False)
class Summary:
    """What a likelihood needs of the counts: wins less losses over two, votes, and ties.

    Parameters
    ----------
    lead, votes, ties : array, shape (orders, pairs, fits)
        ``(A - B) / 2``, ``A + B + T`` and ``T``.
    """

    lead: Floats
    votes: Floats
    ties: Floats


def summary(counts: Floats) -> Summary:
    """Sufficient statistics of counts, shape (orders, pairs, 3, fits)."""
    a, b, tie = (counts[:, :, k] for k in range(3))
    return Summary((a - b) / 2, a + b + tie, tie)


class Cells(NamedTuple):
    """Log likelihood of the votes of every order and pair, with its derivatives.

    Parameters
    ----------
    value : array, shape (orders, pairs, fits)
        Log likelihood.
    slope, tie_slope : array, shape (orders, pairs, fits)
        Derivative in the gap, and in the parameter.
    curvature, cross, tie_curvature : array, shape (orders, pairs, fits)
        Minus the second derivatives: in the gap, in both, in the parameter.
    """

    value: Floats
    slope: Floats
    tie_slope: Floats
    curvature: Floats
    cross: Floats
    tie_curvature: Floats


@dataclass(frozen=True)
class TieModel(ABC):
    """How often two systems tie.

    The log likelihood has to be concave in gap and parameter together, and bounded in the directions in which
    Davidson's is (``docs/methods/ratings.md``), for the fit to end and `quorate.numerics.ratings.existence` to hold.

    Parameters
    ----------
    name : str
        As people write it.
    words : str
        What the model does with ties, with its reference.
    modelled : bool
        Whether there is a parameter; the others ignore what is handed to them as one.
    counted : bool
        Whether ties count as votes.
    gap_is_log_odds : bool
        Whether the gap is the log odds of winning among votes that decide.
    law : str
        The model of votes that decide, with its reference.
    unit : str
        What a gap is counted in.
    points : float
        Points of the Elo scale for a gap of 1.
    untied : TieModel or None
        The model of votes without a tie; None for the plain one of Bradley and Terry.
    """

    name: str
    words: str
    modelled: bool = True
    counted: bool = True
    gap_is_log_odds: bool = True
    law: str = "Bradley and Terry (1952)"
    unit: str = "log odds"
    points: float = 400 / math.log(10)
    untied: TieModel | None = None

    @abstractmethod
    def parameter(self, nu: Floats) -> Floats:
        """The parameter at which a tie between equals has odds ``nu`` against a win of one of them."""

    @abstractmethod
    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Log odds of a tie between equals against a win of one of them, and its slope in the parameter."""

    @abstractmethod
    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Log likelihood of counts and its derivatives; gap of shape (orders, pairs, fits), parameter (fits,)."""

    @abstractmethod
    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """Derivatives of the log likelihood of one vote in gap and parameter; last axis: first, second, tie."""

    @abstractmethod
    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Log chances of the first, the second and a tie, along a new first axis."""


# No model of ties: the model of Bradley and Terry (1952), with a tie as half a win for each, or left out.


class Unmodelled(TieModel):
    """Ties have no parameter."""

    def parameter(self, nu: Floats) -> Floats:
        """None to find."""
        return np.full_like(nu, np.nan)

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Ties have no odds."""
        return np.full_like(parameter, np.nan), np.full_like(parameter, np.nan)


class Wins(Unmodelled):
    """The first wins with log odds ``gap``; with ties as half wins the likelihood is a quasi-likelihood."""

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:  # noqa: ARG002 - it has none
        """Without overflow or cancellation."""
        distance = np.abs(gap)
        z = np.exp(-distance)
        total = 1 + z
        mean = np.copysign((1 - z) / (2 * total), gap)
        none = np.broadcast_to(0.0, gap.shape)
        value = known.lead * gap - known.votes * (distance / 2 + np.log(total))
        return Cells(value, known.lead - known.votes * mean, none, known.votes * (z / total**2), none, none)

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - it has none
        """Half a vote for or against, less what is expected."""
        mean = np.tanh(gap / 2) / 2
        slope = np.array([0.5, -0.5, 0.0]) - mean[..., None]
        return slope, np.zeros_like(slope)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:  # noqa: ARG002 - it has none
        """A tie has no chance."""
        total = np.logaddexp(gap / 2, -gap / 2)
        return np.stack([gap / 2 - total, -gap / 2 - total, np.full_like(gap, -np.inf)])


HALF = Wins("half", "ties as half a win for each", modelled=False)
DROP = Wins("drop", "ties left out", modelled=False, counted=False)


# Davidson's model: chances of a win, a loss and a tie are as ``exp(gap / 2)``, ``exp(-gap / 2)`` and ``nu``.


class Moments(NamedTuple):
    """Of a vote, 1/2 for the first, -1/2 for the second, 0 for a tie: mean, variance, chance of a tie, normaliser.

    The normaliser is the log of the sum of the three weights.
    """

    mean: Floats
    variance: Floats
    tie: Floats
    normaliser: Floats


def moments(gap: Floats, log_nu: Floats) -> Moments:
    """Moments of a vote, without overflow or cancellation."""
    distance = np.abs(gap)
    z = np.exp(-distance / 2)
    square = z * z
    weight = np.exp(log_nu) * z
    total = 1 + square + weight
    mean = np.copysign((1 - square) / (2 * total), gap)
    variance = (4 * square + weight * (1 + square)) / (4 * total * total)
    return Moments(mean, variance, weight / total, distance / 2 + np.log(total))


class Davidson(TieModel):
    """The parameter is ``log nu``; the likelihood is an exponential family.

    References
    ----------
    Davidson (1970), Journal of the American Statistical Association 65, 317-328; with an order effect, Davidson and
    Beaver (1977), Biometrics 33, 693-702.
    """

    def parameter(self, nu: Floats) -> Floats:
        """Its log."""
        return np.asarray(np.log(nu))

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """The parameter itself."""
        return parameter, np.ones_like(parameter)

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Derivatives are moments of the pair (vote, tie)."""
        at = moments(gap, parameter)
        return Cells(
            value=known.lead * gap - known.votes * at.normaliser + known.ties * parameter,
            slope=known.lead - known.votes * at.mean,
            tie_slope=known.ties - known.votes * at.tie,
            curvature=known.votes * at.variance,
            cross=-known.votes * at.mean * at.tie,
            tie_curvature=known.votes * at.tie * (1 - at.tie),
        )

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """Vote and tie, less what is expected of them."""
        at = moments(gap, parameter)
        return np.array([0.5, -0.5, 0.0]) - at.mean[..., None], np.array([0.0, 0.0, 1.0]) - at.tie[..., None]

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Each weight over the sum of the three."""
        total = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), parameter)
        return np.stack([gap / 2 - total, -gap / 2 - total, parameter - total])


DAVIDSON = Davidson("davidson", "ties as outcomes of their own (Davidson, 1970)")


# Rao and Kupper's model: a gap that seems smaller than a threshold is a tie.
#
# The first wins with log odds ``gap - threshold``, the second with ``-gap - threshold``, and the rest are ties.


class RaoKupper(TieModel):
    """The parameter is the threshold, above 0.

    A tie has the chance ``win * loss * (exp(2 threshold) - 1)``, so it counts as a win for each and as one vote on
    the threshold: the log likelihood is a sum of concave functions.

    References
    ----------
    Rao and Kupper (1967), Journal of the American Statistical Association 62, 194-204: theta is ``exp(threshold)``.
    """

    def parameter(self, nu: Floats) -> Floats:
        """Equals tie with odds ``theta - 1`` against a win of one of them."""
        return np.asarray(np.log1p(nu))

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Log of ``theta - 1``."""
        return np.asarray(np.log(np.expm1(parameter))), np.asarray(-1 / np.expm1(-parameter))

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Of two logistic laws, and of the ties' own term; minus infinity where the threshold is not above 0."""
        inside = parameter > 0
        threshold = np.where(inside, parameter, 1.0)
        ahead, behind = (known.votes + known.ties) / 2 + known.lead, (known.votes + known.ties) / 2 - known.lead
        lost, won = _expit(threshold - gap), _expit(threshold + gap)  # 1 less the chance of each to win
        spread, other = ahead * lost * (1 - lost), behind * won * (1 - won)
        grown = -1 / np.expm1(-2 * threshold)  # exp(2 threshold) / (exp(2 threshold) - 1)
        value = -ahead * np.logaddexp(0, threshold - gap) - behind * np.logaddexp(0, threshold + gap)
        value += known.ties * (2 * threshold + np.log(-np.expm1(-2 * threshold)))
        return Cells(
            value=np.where(inside, value, -np.inf),
            slope=ahead * lost - behind * won,
            tie_slope=2 * known.ties * grown - ahead * lost - behind * won,
            curvature=spread + other,
            cross=other - spread,
            tie_curvature=spread + other + 4 * known.ties * grown * (grown - 1),
        )

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """A tie is a win for each, and a vote for a larger threshold."""
        lost, won = _expit(parameter - gap), _expit(parameter + gap)
        tie = -2 / np.expm1(-2 * parameter) - lost - won
        return np.stack([lost, -won, lost - won], axis=-1), np.stack([-lost, -won, tie], axis=-1)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Two logistic laws, and their product times what the threshold makes of it."""
        win, loss = -np.logaddexp(0, parameter - gap), -np.logaddexp(0, parameter + gap)
        return np.stack([win, loss, win + loss + 2 * parameter + np.log(-np.expm1(-2 * parameter))])


def _expit(x: Floats) -> Floats:
    """Chance of a log odds, without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0, -x)))


RAO_KUPPER = RaoKupper(
    "rao-kupper", "ties as differences too small to be seen (Rao and Kupper, 1967)", gap_is_log_odds=False
)


# Thurstone's model with Glenn and David's ties: normal errors; a gap that seems smaller than a threshold is a tie.
#
# The first wins with chance ``Phi(gap - threshold)``, the second with ``Phi(-gap - threshold)``, and the rest are ties.


_ROOT = math.log(2 * math.pi) / 2
UNIT = "standard deviations of a comparison"
POINTS = 200 * math.sqrt(2)
"""Points of the Elo scale for a gap of 1: Elo gave one performance a standard deviation of 200."""


class _Tail(NamedTuple):
    """Of ``log Phi(x)``: value, slope, and minus the second derivative."""

    value: Floats
    slope: Floats
    curvature: Floats


def _tail(x: Floats) -> _Tail:
    from scipy.special import log_ndtr

    value = np.asarray(log_ndtr(x))
    slope = np.exp(-(x**2) / 2 - _ROOT - value)
    return _Tail(value, slope, np.maximum(slope * (x + slope), 0.0))


class GlennDavid(TieModel):
    """The parameter is the threshold, above 0; a gap of 1 is one standard deviation of the difference that is seen.

    The log likelihood is concave: a chance of an interval is log-concave in its ends.

    References
    ----------
    Thurstone (1927), Psychological Review 34, 273-286, case V. Glenn and David (1960), Biometrics 16, 86-109.
    """

    def parameter(self, nu: Floats) -> Floats:
        """Equals win with chance ``1 / (2 + nu)`` each."""
        from scipy.special import ndtri

        return np.asarray(-ndtri(1 / (2 + nu)))

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Log of ``(1 - 2 q) / q`` with ``q`` the chance that one of two equals wins."""
        from scipy.special import erf, ndtr

        tie, win = erf(parameter / math.sqrt(2)), ndtr(-parameter)
        density = np.exp(-(parameter**2) / 2 - _ROOT)
        return np.asarray(np.log(tie) - np.log(win)), np.asarray(2 * density / tie + density / win)

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Of two normal laws and of the interval between; minus infinity where the threshold is not above 0."""
        inside = parameter > 0
        threshold = np.where(inside, parameter, 1.0)
        decisive = known.votes - known.ties
        ahead, behind = decisive / 2 + known.lead, decisive / 2 - known.lead
        won, lost, even = _tail(gap - threshold), _tail(-gap - threshold), _between(gap, threshold)
        value = ahead * won.value + behind * lost.value + known.ties * even.value
        one, two = ahead * won.curvature, behind * lost.curvature
        return Cells(
            value=np.where(inside, value, -np.inf),
            slope=ahead * won.slope - behind * lost.slope + known.ties * even.slope,
            tie_slope=known.ties * even.tie_slope - ahead * won.slope - behind * lost.slope,
            curvature=one + two + known.ties * even.curvature,
            cross=two - one + known.ties * even.cross,
            tie_curvature=one + two + known.ties * even.tie_curvature,
        )

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """Slopes of the logs of the three chances."""
        won, lost, even = _tail(gap - parameter), _tail(-gap - parameter), _between(gap, parameter)
        by_gap = won.slope, -lost.slope, even.slope
        return np.stack(by_gap, axis=-1), np.stack([-won.slope, -lost.slope, even.tie_slope], axis=-1)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Two tails and what is between them."""
        return np.stack(
            [_tail(gap - parameter).value, _tail(-gap - parameter).value, _between(gap, parameter).value + 0 * gap]
        )


def _between(gap: Floats, threshold: Floats) -> Cells:
    """Log of the chance of a tie, ``Phi(t - gap) - Phi(-t - gap)``, without cancellation, with its derivatives."""
    from scipy.special import log_ndtr

    side, distance = np.where(gap < 0, -1.0, 1.0), np.abs(gap)
    high, low = threshold - distance, -threshold - distance
    value = log_ndtr(high) + np.log(-np.expm1(log_ndtr(low) - log_ndtr(high)))
    one, two = (np.exp(-(end**2) / 2 - _ROOT - value) for end in (high, low))
    slope, tie_slope = two - one, one + two
    bend, twist = low * two - high * one, high * one + low * two
    return Cells(
        value=value,
        slope=side * slope,
        tie_slope=tie_slope,
        curvature=np.maximum(slope**2 - bend, 0.0),
        cross=side * (slope * tie_slope - twist),
        tie_curvature=np.maximum(tie_slope**2 - bend, 0.0),
    )


class Thurstone(Unmodelled):
    """Without ties: the first wins with chance ``Phi(gap)``."""

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:  # noqa: ARG002 - it has none
        """Of two normal laws."""
        ahead, behind = known.votes / 2 + known.lead, known.votes / 2 - known.lead
        won, lost = _tail(gap), _tail(-gap)
        none: Any = np.broadcast_to(0.0, gap.shape)
        value, slope = ahead * won.value + behind * lost.value, ahead * won.slope - behind * lost.slope
        return Cells(value, slope, none, ahead * won.curvature + behind * lost.curvature, none, none)

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - it has none
        """Slopes of the logs of both chances; there are no ties."""
        slope = np.stack([_tail(gap).slope, -_tail(-gap).slope, np.zeros_like(gap)], axis=-1)
        return slope, np.zeros_like(slope)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:  # noqa: ARG002 - it has none
        """A tie has no chance."""
        return np.stack([_tail(gap).value, _tail(-gap).value, np.full_like(gap, -np.inf)])


_WORDS = "ties as differences too small to be seen (Glenn and David, 1960)"
THURSTONE = Thurstone("thurstone", "no ties", modelled=False, gap_is_log_odds=False, unit=UNIT, points=POINTS)
GLENN_DAVID = GlennDavid(
    "glenn-david", _WORDS, gap_is_log_odds=False, unit=UNIT, points=POINTS, law="Thurstone (1927)", untied=THURSTONE
)


Ties = Literal["davidson", "rao-kupper", "glenn-david", "half", "drop"]


def tie_model(name: str) -> TieModel:
    """The model of a name."""
    return {model.name: model for model in (DAVIDSON, RAO_KUPPER, GLENN_DAVID, HALF, DROP)}[name]


By = Literal["win rate", "bradley-terry"]
"""What systems are ranked by: their share of wins over all others, or ratings."""


def check_ties(by: By, ties: Ties) -> None:
    """Refuse ways to rank that are not known, and ties with a parameter for win rates, which have none.

    Raises
    ------
    InvalidInput
        If it is one of these.
    """
    rules.one_of("by", by, By)
    allowed = [name for name in get_args(Ties) if by == "bradley-terry" or not tie_model(name).modelled]
    if ties not in allowed:
        raise InvalidInput(f"ties: expects one of {', '.join(allowed)} for {by}, got {ties!r}")
