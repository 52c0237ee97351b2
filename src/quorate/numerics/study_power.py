"""Power of t tests whose standard error is put together from variance components that are estimated with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats

_DRAWS = 4_000
_QUANTILES = 200
FEW = 2.0
"""A component of f degrees of freedom counts ``1 + FEW / f`` times in the degrees of freedom of a t test."""


@dataclass(frozen=True, eq=False)
class Squares:
    """Independent mean squares that the variance of a mean is put together from.

    Parameters
    ----------
    part : array, shape (terms,)
        Part of the variance of the mean that each term brings.
    df : array, shape (terms,)
        Degrees of freedom of each term's mean square.
    inside : array of bool, shape (terms, terms)
        Whether the term of the column is inside that of the row, or the same: has all its facets.
    few : array of bool, shape (terms,)
        Terms whose degrees of freedom are corrected for being few.
    """

    part: Floats
    df: Floats
    inside: NDArray[np.bool_]
    few: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies of one design: the true standard error, and what each of many studies takes it for.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom at the true components.
    found_se, found_df : array, shape (draws,)
        Standard errors and degrees of freedom as estimated.
    """

    se: float
    df: float
    found_se: Floats
    found_df: Floats

    def times(self, factor: float) -> Studies:
        """The same studies with every standard error so many times as large."""
        return Studies(factor * self.se, self.df, factor * self.found_se, self.found_df)

    def finds(self, d: float, alpha: float) -> float:
        """Chance that the two-sided t test finds a difference ``d``."""
        from scipy.special import ndtr

        limit = _quantile(self.found_df, 1 - alpha / 2) * self.found_se / self.se
        x = d / self.se
        return float(np.mean(ndtr(x - limit) + ndtr(-x - limit)))

    def shows_equal(self, d: float, margin: float, alpha: float) -> float:
        """Chance that two one-sided t tests show a difference ``d`` to be within a margin."""
        from scipy.special import ndtr

        room = margin - _quantile(self.found_df, 1 - alpha) * self.found_se
        chance = ndtr((room - d) / self.se) - ndtr((-room - d) / self.se)
        return float(np.mean(np.where(room > 0, chance, 0.0)))

    def detectable(self, alpha: float, power: float) -> float:
        """Smallest difference that is found with a chance of ``power``."""
        from scipy.optimize import brentq

        top = self.se
        while self.finds(top, alpha) < power:
            top *= 2
        return float(brentq(lambda d: self.finds(d, alpha) - power, 0.0, top))

    def alike(self, margin: float, alpha: float, power: float) -> float | None:
        """Largest difference that is shown to be within a margin with a chance of ``power``; None if none is."""
        from scipy.optimize import brentq

        if self.shows_equal(0.0, margin, alpha) < power:
            return None
        return float(brentq(lambda d: self.shows_equal(d, margin, alpha) - power, 0.0, margin))


def one_square(se: float, df: float) -> Studies:
    """Studies whose variance is a single mean square, by quantiles of its law in the place of draws.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom.
    """
    from scipy.special import gammaincinv

    middle = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return Studies(se, df, se * np.sqrt(gammaincinv(df / 2, middle) * 2 / df), np.array([df]))


def studies(squares: Squares, rng: np.random.Generator) -> Studies:
    """What studies of a design find, as if its mean squares were independent chi-squares: exact for balanced data.

    Every term has a mean square that holds its own part of the variance and those of all terms inside it, as judges
    hold judges by items. Components are differences of mean squares, cut at zero; the variance is their sum, its
    degrees of freedom are those of `freedom`.

    Parameters
    ----------
    squares : Squares
        Mean squares at the true components; parts are not all 0.
    rng : numpy.random.Generator
        For the draws.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, chapter 4.
    """
    inside = np.asarray(squares.inside, dtype=float)
    drawn = (inside @ squares.part) * rng.chisquare(squares.df, (_DRAWS, len(squares.df))) / squares.df
    estimated = np.maximum(np.linalg.solve(inside, drawn.T).T, 0.0)
    se, se_estimated = (np.sqrt(parts.sum(axis=-1)) for parts in (squares.part, estimated))
    return Studies(float(se), float(freedom(squares.part, squares)), se_estimated, freedom(estimated, squares))


def freedom(part: Floats, squares: Squares, correction: float = FEW) -> Floats:
    """Degrees of freedom of the variance of a mean, for a t test by it.

    Satterthwaite's, at components of f degrees of freedom that are ``1 + 2 / f`` times as large as found. A variance
    that comes out small, since judges happen to agree, would otherwise bring degrees of freedom that are too large.

    Parameters
    ----------
    part : array, shape (..., terms)
        Part of the variance that each term brings, as estimated.
    squares : Squares
        Degrees of freedom, and which term is inside which.
    correction : float
        Satterthwaite's own with 0.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    enlarged = part * np.where(squares.few, 1 + correction / squares.df, 1.0)
    in_it = enlarged @ np.asarray(squares.inside, dtype=float).T * square_weights(squares.inside)
    spent = (in_it**2 / squares.df).sum(axis=-1)
    return np.asarray(np.maximum(enlarged.sum(axis=-1) ** 2 / np.maximum(spent, 1e-300), 1.0))


def square_weights(inside: NDArray[np.bool_] | Floats) -> Floats:
    """Weight of every mean square in the variance of the mean: 1, 1 and -1 for items, judges and items by judges.

    Parameters
    ----------
    inside : array of bool, shape (terms, terms)
        Whether the term of the column is inside that of the row, or the same.
    """
    return np.asarray(np.linalg.solve(np.asarray(inside, dtype=float).T, np.ones(len(inside))))


def _quantile(df: Floats, probability: float) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.minimum(df, 1e9), probability))
