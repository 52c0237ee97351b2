"""Shares of votes that several facets make alike, such as prompts and people: one variance for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.votes.clustered import Share, share

_TWO = 1.5
"""Degrees of freedom of more than two clusters, whose variance is seldom next to none by chance."""


class Multiway(NamedTuple):
    """A share of votes by several facets.

    Parameters
    ----------
    share : Share
        With the standard error that allows for all facets; ``icc``, ``clusters`` and ``effective`` are those of the
        facet whose clusters are worth the fewest.
    ways : tuple of Share
        By each facet alone.
    sizes : array, shape (clusters,)
        Votes of each cluster of the facet whose clusters are worth the fewest.
    """

    share: Share
    ways: tuple[Share, ...]
    sizes: Floats


def multiway(outcome: Floats, weight: Floats, codes: Sequence[NDArray[Any]]) -> Multiway:
    """Share of wins with a standard error by several facets at once, nested or crossed.

    The variances by every facet, less those by the cells of every two, plus those of every three and so on: votes that
    share one label are counted once, whichever it is. Each is unbiased where votes are independent (CR2). The whole is
    at least the largest by one facet. Degrees of freedom are Satterthwaite's from those by each facet, at least the
    smallest of them.

    Parameters
    ----------
    outcome, weight : array, shape (rows,)
        Outcome, 0 to 1, and the votes that the row stands for.
    codes : sequence of array, shape (rows,)
        Level of each facet, from 0; at least one facet.

    References
    ----------
    Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29, 238-249, equation 2.13. In R:
    ``sandwich::vcovCL(lm(y ~ 1), cluster = ~ prompt + judge, type = "HC0")``, with clusters of one size.
    """
    ways, sizes, total = [], [], 0.0
    for count, code in intersections(codes):
        wins, votes, squares = (
            np.bincount(code, weight * x).astype(float) for x in (outcome, np.ones_like(outcome), outcome**2)
        )
        one = share(wins, votes, squares)
        total += (-1) ** (count + 1) * one.se**2
        if count == 1:
            ways.append(one)
            sizes.append(votes)
    fewest = min(range(len(ways)), key=lambda i: ways[i].effective)
    errors, df = (np.array([getattr(way, name) for way in ways]) for name in ("se", "df"))
    variance, df = combined(np.array(total), errors**2, df)
    return Multiway(ways[fewest]._replace(se=float(np.sqrt(variance)), df=float(df)), tuple(ways), sizes[fewest])


def combined(variance: Floats, ways: Floats, df: Floats) -> tuple[Floats, Floats]:
    """A variance by several facets that is at least that by each, and its degrees of freedom.

    Parameters
    ----------
    variance : array, shape (...)
        By all facets: of few clusters it may be below that by one, or below 0.
    ways, df : array, shape (facets, ...)
        By each facet alone.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    most = np.maximum(variance, ways.max(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        matched = most**2 / (ways**2 / df).sum(axis=0)
    fewest = df.min(axis=0)
    return most, np.where((most > 0) & (fewest >= _TWO), np.maximum(matched, fewest), fewest)


def intersections(codes: Sequence[NDArray[Any]]) -> Iterator[tuple[int, Ints]]:
    """Cells of every set of facets: how many facets it has, and the cell of every row, from 0.

    Parameters
    ----------
    codes : sequence of array, shape (rows,)
        Level of each facet, from 0.
    """
    for count in range(1, len(codes) + 1):
        for chosen in combinations(codes, count):
            cell = np.zeros(len(chosen[0]), dtype=np.int64)
            for code in chosen:
                _, cell = np.unique(cell * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
            yield count, cell
