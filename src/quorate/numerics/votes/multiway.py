"""Shares of votes that several facets make alike, such as prompts and people: one variance for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.votes.clustered import Share, Shares, shares

_TWO = 1.5
"""Degrees of freedom of more than two clusters, whose variance is seldom next to none by chance."""


class Multiway(NamedTuple):
    """A share of votes by several facets.

    Parameters
    ----------
    share : Share
        With the standard error that allows for all facets, and the largest ``least_p``; ``icc``, ``clusters`` and
        ``effective`` are those of the facet whose clusters are worth the fewest.
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
    found = multiways(np.zeros(len(outcome), dtype=np.int64), outcome, weight, codes)
    ways = tuple(way.one(0) for way in found.ways)
    fewest = min(range(len(ways)), key=lambda i: ways[i].effective)
    sizes = np.bincount(np.unique(codes[fewest], return_inverse=True)[1], weight).astype(float)
    return Multiway(found.share.one(0), ways, sizes)


class Multiways(NamedTuple):
    """Shares of the votes of several studies, each as `Multiway` has it.

    Parameters
    ----------
    share : Shares
        By all facets.
    ways : tuple of Shares
        By each facet alone.
    """

    share: Shares
    ways: tuple[Shares, ...]


def multiways(study: Ints, outcome: Floats, weight: Floats, codes: Sequence[NDArray[Any]]) -> Multiways:
    """Shares of wins of several studies at once, each as `multiway` has it.

    Parameters
    ----------
    study : array of int, shape (rows,)
        Study of each row, from 0; each has one at least.
    outcome, weight, codes
        As for `multiway`; a level counts within its study alone.
    """
    ways, total = list[Shares](), np.zeros(1)
    for count, cell in intersections([_dense(study * (int(code.max(initial=0)) + 1) + code) for code in codes]):
        wins, votes, squares = (
            np.bincount(cell, weight * x).astype(float) for x in (outcome, np.ones_like(outcome), outcome**2)
        )
        owner = np.empty(len(votes), dtype=np.int64)
        owner[cell] = study
        one = shares(wins, votes, squares, owner)
        total = total + (-1) ** (count + 1) * one.se**2
        ways += [one] if count == 1 else []
    variance, df = combined(total, np.array([way.se for way in ways]) ** 2, np.array([way.df for way in ways]))
    fewest = np.argmin([way.effective for way in ways], axis=0)
    of_fewest = (np.choose(fewest, [getattr(way, name) for way in ways]) for name in Shares._fields)
    least = np.max([way.least_p for way in ways], axis=0)
    return Multiways(Shares(*of_fewest)._replace(se=np.sqrt(variance), df=df, least_p=least), tuple(ways))


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
                cell = _dense(cell * (int(code.max(initial=0)) + 1) + code)
            yield count, cell


def _dense(key: NDArray[Any]) -> Ints:
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
