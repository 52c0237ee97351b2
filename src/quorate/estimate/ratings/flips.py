"""Votes whose absence changes who has the highest Bradley-Terry rating, by their influence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.bradley_terry import Design, anchored, fit, scores
from quorate.numerics.ratings.existence import exists

_MOST_ROUNDS, _ROUNDING = 50, 1e-9


@dataclass(frozen=True)
class Flip:
    """Votes whose absence puts a system first.

    Parameters
    ----------
    system : int
        Which.
    dropped : int
        How many.
    drops : tuple of (int, int, int)
        Winner, loser and how many.
    """

    system: int
    dropped: int
    drops: tuple[tuple[int, int, int], ...]


def flips_of_ratings(design: Design, counts: Floats, contenders: int) -> tuple[int, Flip | None]:
    """The system with the highest rating, and the cheapest flip found.

    Parameters
    ----------
    design : Design
        What the votes compare.
    counts : array, shape (orders, pairs, 3)
        Votes, whole numbers; the ratings exist.
    contenders : int
        How many of the next systems are tried.
    """
    theta = fit(design, counts[..., None]).theta[:, 0]
    order = np.argsort(-theta[: design.systems], kind="stable")
    top = int(order[0])
    found = [
        flip for j in order[1 : contenders + 1].tolist() if (flip := _flip(design, counts, top, j, theta)) is not None
    ]
    return top, min(found, key=lambda flip: flip.dropped) if found else None


def _flip(design: Design, counts: Floats, top: int, j: int, theta: Floats) -> Flip | None:
    """Leave out the votes of most influence on the gap, as many as the influence says; fit again; until j is ahead."""
    left, gap = counts.copy(), float(theta[top] - theta[j])
    for _ in range(_MOST_ROUNDS):
        step = _step(design, left, _influence(design, left, theta, top, j), gap, theta)
        if step is None:
            return None
        order, wanted, next_theta = step
        next_gap = float(next_theta[top] - next_theta[j])
        if next_gap < -_ROUNDING:
            return _named(design, j, counts - _fewest(design, left, order, wanted, (top, j), theta))
        left, theta, gap = _without(left, order, wanted), next_theta, next_gap
    return None


def _step(
    design: Design, left: Floats, order: list[tuple[int, float]], gap: float, theta: Floats
) -> tuple[list[tuple[int, float]], int, Floats] | None:
    """As many votes as the influence says, or fewer, or without the first cells, so that all systems stay rated."""
    while order:
        steps = np.cumsum(np.concatenate([np.full(int(left.flat[c]), v) for c, v in order]))
        wanted = min(int(np.searchsorted(steps, gap)) + 1, len(steps))
        while wanted:
            found = _ratings(design, _without(left, order, wanted), theta)
            if found is not None:
                return order, wanted, found
            wanted //= 2
        order = order[1:]  # not one vote of this cell can be spared
    return None


def flips(design: Design, counts: Floats, top: int, flip: Flip) -> bool:
    """Whether the ratings without these votes exist and put the flip's system above the top.

    Parameters
    ----------
    design : Design
        What the votes compare.
    counts : array, shape (orders, pairs, 3)
        Votes; those left out are taken from the first order.
    top : int
        The first.
    flip : Flip
        Votes to leave out.
    """
    left = counts.copy()
    place = {pair: p for p, pair in enumerate(zip(design.a.tolist(), design.b.tolist(), strict=True))}
    for winner, loser, count in flip.drops:
        turned = (winner, loser) not in place
        left[0, place[(loser, winner) if turned else (winner, loser)], int(turned)] -= count
    found = _ratings(design, left, fit(design, counts[..., None]).theta[:, 0])
    return found is not None and bool(found[flip.system] > found[top] + _ROUNDING)


def _influence(design: Design, counts: Floats, theta: Floats, top: int, j: int) -> list[tuple[int, float]]:
    """Decisive cells whose votes hold the top up, and what one of their votes adds to the gap; the largest first."""
    at = fit(design, counts[..., None], start=theta)
    direction = np.zeros(design.parameters)
    direction[top], direction[j] = 1.0, -1.0
    solved = np.linalg.solve(anchored(design, at.information, 0.0)[0], direction)
    value = np.asarray(scores(design, at.theta[:, 0]) @ solved)
    cells = [c for c in np.argsort(-value).tolist() if value[c] > 0 and counts.flat[c] > 0 and c % 3 < 2]
    return [(c, float(value[c])) for c in cells]


def _without(counts: Floats, order: list[tuple[int, float]], dropped: int) -> Floats:
    """Counts without the first votes in this order."""
    out = counts.copy()
    for cell, _ in order:
        taken = min(dropped, int(out.flat[cell]))
        out.flat[cell] -= taken
        dropped -= taken
    return out


def _ratings(design: Design, counts: Floats, start: Floats) -> Floats | None:
    """Ratings of what is left; None where they do not exist or the fit does not end."""
    if not exists(design, counts[..., None])[0]:
        return None
    found = fit(design, counts[..., None], start=start)
    return found.theta[:, 0] if found.converged[0] else None


def _fewest(
    design: Design, left: Floats, order: list[tuple[int, float]], enough: int, ends: tuple[int, int], theta: Floats
) -> Floats:
    """Counts without the fewest votes, in this order, that still put the other ahead."""
    low, high = 0, enough
    while high - low > 1:
        middle = (low + high) // 2
        found = _ratings(design, _without(left, order, middle), theta)
        ahead = found is not None and bool(found[ends[0]] < found[ends[1]] - _ROUNDING)
        low, high = (low, middle) if ahead else (middle, high)
    return _without(left, order, high)


def _named(design: Design, j: int, gone: Floats) -> Flip:
    """Votes by winner and loser, over both orders."""
    by_pair = gone.sum(axis=0).reshape(len(design.a), 3)
    drops = [
        (int(winner), int(loser), int(by_pair[p, side]))
        for p, (a, b) in enumerate(zip(design.a, design.b, strict=True))
        for side, winner, loser in ((0, a, b), (1, b, a))
        if by_pair[p, side] > 0
    ]
    return Flip(j, int(gone.sum()), tuple(sorted(drops, key=lambda one: -one[2])))
