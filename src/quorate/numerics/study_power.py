"""Power of t tests whose standard error is put together from variance components that are estimated with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DRAWS = 4_000
_QUANTILES = 200


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies of one design: the true standard error, and what each of many studies takes it for.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Satterthwaite's degrees of freedom at the true components.
    found_se, found_df : array, shape (draws,)
        Standard errors and degrees of freedom as estimated.
    """

    se: float
    df: float
    found_se: Floats
    found_df: Floats

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


def studies(part: Floats, df: Floats, inside: NDArray[np.bool_], rng: np.random.Generator) -> Studies:
    """What studies of a design find, as if its mean squares were independent chi-squares: exact for balanced data.

    Every term has a mean square that holds its own part of the variance and those of all terms inside it, as judges
    hold judges by items. Components are differences of mean squares, cut at zero; the variance is their sum, its
    degrees of freedom are Satterthwaite's for the mean squares that are in it.

    Parameters
    ----------
    part : array, shape (terms,)
        Part of the variance of the mean that each term brings; not all 0.
    df : array, shape (terms,)
        Degrees of freedom of each term's mean square.
    inside : array of bool, shape (terms, terms)
        Whether the term of the column is inside that of the row, or the same: has all its facets.
    rng : numpy.random.Generator
        For the draws.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114; Searle, Casella and McCulloch (1992), Variance Components,
    chapter 4.
    """
    inside = np.asarray(inside, dtype=float)
    held = inside @ part
    squares = held * rng.chisquare(df, (_DRAWS, len(df))) / df
    found = np.maximum(np.linalg.solve(inside, squares.T).T, 0.0)
    times = square_weights(inside)
    variance, spent = found.sum(axis=1), ((found @ inside.T * times) ** 2 / df).sum(axis=1)
    freedom = np.maximum(variance**2 / np.maximum(spent, 1e-300), 1.0)
    total = float(part.sum())
    return Studies(total**0.5, max(1.0, float(total**2 / np.sum((times * held) ** 2 / df))), np.sqrt(variance), freedom)


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
