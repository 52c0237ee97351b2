"""Resampled attempts: the prize for the best of many by drawing from the judgments themselves, with no model."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, UnknownTerm
from quorate.numerics.reach import MOST
from quorate.planning.designs.schemes import is_count
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked

_AT_A_TIME = 2**22
_FACETS = ("prompt", "judge")


def resampled_prize(
    judgments: Judgments,
    k: int = 27,
    *,
    items: int | None = None,
    prompts: int | None = None,
    judges: int | None = None,
    redrawn: Collection[str] | None = None,
    resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> tuple[float, float]:
    """Expected gain of the best of K attempts, each an evaluation drawn with replacement from the judgments at hand.

    An attempt draws items, prompts and judges, and its score is the mean over their cells. Its law has the spread of
    the levels at hand about their mean (divisor L, not L - 1): with few judges the prize comes out smaller than for
    judges drawn from a population; and with more attempts than levels it stops growing, for no attempt is better than
    the luckiest of the levels at hand. Replicates and other facets are averaged over.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    k : int
        Attempts, from 1.
    items, prompts, judges : int, optional
        Levels per attempt; as many as in the data.
    redrawn : collection of str, optional
        Facets that are drawn anew for every attempt; others are drawn once for all attempts. All by default.
    resamples : int
        Repetitions of all K attempts, at least 2.
    rng : numpy.random.Generator or int, optional
        Source of the draws.

    Returns
    -------
    (float, float)
        Expected height of the best attempt above the mean attempt, in score units, and its Monte Carlo error.

    Raises
    ------
    InvalidInput
        If a count is not a positive whole number, or most cells are empty so that a draw may have none.
    UnknownTerm
        If a facet to be redrawn does not exist.

    References
    ----------
    Messing (2026), section 4.4: the gaming surface by bootstrap.
    """
    table = checked(judgments)
    item = table.object
    sizes = {"k": k, "items": items, "prompts": prompts, "judges": judges, "resamples": resamples}
    for name, count in sizes.items():
        if count is not None and not is_count(count, MOST):
            raise InvalidInput(f"{name}: must be a whole number from 1 to {MOST:,}, got {count!r}")
    if resamples < 2:
        raise InvalidInput(f"resamples: at least 2 are needed for a Monte Carlo error, got {resamples}")
    facets = (item, *(name for name in _FACETS if name in table.names))
    for name in redrawn or ():
        if name not in facets:
            raise UnknownTerm(name, facets, "facet")
    asked = {item: items, "prompt": prompts, "judge": judges}
    sums, cells = _cells(table, facets)
    drawn = {name: asked[name] or size for name, size in zip(facets, sums.shape, strict=True)}
    source = np.random.default_rng(stream(0, "gaming/resampled") if rng is None else rng)
    block = max(1, _AT_A_TIME // (k * max(sums.shape[0], 1)))
    blocks = []
    for start in range(0, resamples, block):
        repetitions = min(block, resamples - start)
        weights = []  # how often every level is drawn, shape (repetitions, attempts or 1, levels)
        for levels, (name, count) in zip(sums.shape, drawn.items(), strict=True):
            shape = (repetitions, k if redrawn is None or name in redrawn else 1)
            weights.append(source.multinomial(count, np.full(levels, 1 / levels), shape).astype(float))
        with np.errstate(invalid="ignore"):
            score = _contracted(sums, weights) / _contracted(cells, weights)
        if np.isnan(score).any():
            raise InvalidInput("judgments: an attempt drew no cell with a score; ask for more items, prompts or judges")
        blocks.append(score.max(axis=1) - score.mean(axis=1))
    gains = np.concatenate(blocks)
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(resamples))


def _cells(table: Judgments, facets: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Mean score, 0 where there is none, and whether there is one, by item and other facets."""
    answered = table.keep(table.n > 0)
    shape = tuple(answered.n_levels(name) for name in facets)
    place = np.ravel_multi_index([answered.level_codes([name]) for name in facets], shape)
    size = int(np.prod(shape))
    count = np.bincount(place, minlength=size)
    total = np.bincount(place, answered.mean, size)
    mean = np.divide(total, count, out=np.zeros(size), where=count > 0)
    return mean.reshape(shape), (count > 0).astype(float).reshape(shape)


def _contracted(values: Floats, weights: list[Floats]) -> Floats:
    """Weighted sum over all facets, shape (repetitions, attempts)."""
    first, *others = weights
    attempts = max(weight.shape[1] for weight in weights)
    out = (first @ values.reshape(len(values), -1)).reshape(*first.shape[:2], *values.shape[1:])
    for weight in others:
        repetitions, _, levels = weight.shape
        wide = weight.reshape(repetitions, -1, levels, *[1] * (out.ndim - 3))
        out = (out * wide).sum(axis=2)
    return np.broadcast_to(out, (len(out), attempts))
