"""Items: whether interactions grow or shrink with difficulty, and whether judges stretch the scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.diagnostics.check import Check, Residuals
from quorate.numerics.clustered_means import group_means
from quorate.numerics.correlation import ranks
from quorate.numerics.distributions import t_cdf
from quorate.table.results import Result
from quorate.wording import plural

FEWEST_LEVELS = 3
"""Levels of a facet of which some tell how hard an item is, and others how far apart they are on it."""
FEWEST_ITEMS = 12
THIRDS = ("lowest third", "middle third", "highest third")


@dataclass(frozen=True)
class Third(Result):
    """Items of one third by their mean score.

    Parameters
    ----------
    facet : str
        Whose levels are compared on every item.
    third : str
        Which third.
    items : int
        Items in it, each counted as often as it was split.
    mean : float
        Mean score of these items by the levels that sorted them.
    variance : float
        Variance between the other levels on one item, in squared score units.
    """

    facet: str
    third: str
    items: int
    mean: float
    variance: float


def split_facets(residuals: Residuals) -> tuple[str, ...]:
    """Facets crossed with the items, with enough levels to split."""
    judgments = residuals.fit.judgments
    item = judgments.object
    own = {item, *judgments.ancestors(item)}
    names = [name for name in judgments.names if name not in own and item not in judgments.ancestors(name)]
    return tuple(name for name in names if judgments.n_levels(name) >= FEWEST_LEVELS)


def interaction_by_difficulty(residuals: Residuals, facet: str) -> tuple[Check, tuple[Third, ...]]:
    """Whether levels of a facet differ more on hard items than on easy ones.

    Some levels sort the items in thirds and others show how far apart they are, in turn, so that an item cannot be
    called hard by the very scores that differ on it; skew would do that. Standard deviations are compared by
    Hotelling's test over items, variances are reported.

    Raises
    ------
    NotEstimable
        If there are too few items with enough levels.
    """
    object_ = residuals.fit.judgments.object
    found = [part for part in _folds(residuals, facet) if part is not None]
    item, sorting, spread = (np.concatenate(column) for column in zip(*found, strict=True)) if found else ((), (), ())
    if len(np.unique(item)) < FEWEST_ITEMS:
        raise NotEstimable(f"fewer than {FEWEST_ITEMS} {plural(object_)} with {FEWEST_LEVELS} {plural(facet)} each")
    third = np.concatenate([_thirds(part[1]) for part in found])
    used, group = np.unique(third, return_inverse=True)
    if len(used) < 2:
        raise NotEstimable(f"the {plural(object_)} cannot be told apart by their mean scores")
    f, p = group_means(np.sqrt(spread), group, np.unique(item, return_inverse=True)[1]).equal()
    if np.isnan(f):
        raise NotEstimable(f"the {plural(facet)} agree on every one of the {plural(object_)}")
    center = residuals.fit.assembled.center
    rows = tuple(
        Third(
            facet,
            THIRDS[k],
            int(np.sum(group == g)),
            float(sorting[group == g].mean()) + center,
            float(spread[group == g].mean()),
        )
        for g, k in enumerate(used)
    )
    most, least = max(rows, key=lambda row: row.variance), min(rows, key=lambda row: row.variance)
    seen = f"the variance between {plural(facet)} is {most.variance:.3g} in the {most.third} of {plural(object_)} by"
    check = Check(
        f"difficulty-by-{facet}",
        f"differences between {plural(facet)} on hard and easy {plural(object_)}",
        "F",
        f,
        p,
        0.0,
        f"{seen} score, {least.variance:.3g} in the {least.third}",
        f"the interval is right for this mix of {plural(object_)}; for a harder or easier mix it is not",
        "give the mean by difficulty (by_level), and a mix like the one it is to speak for. Near an end of the scale "
        "scores have no room to differ",
    )
    return check, rows


def curvature(residuals: Residuals) -> Check:
    """Whether judges and prompts stretch the scale: Tukey's one degree of freedom, with a t-test over items.

    In every item the deviations from what judges and prompts add everywhere are multiplied with these and with the mean
    of the item; the products average zero where effects add.

    References
    ----------
    Tukey (1949), Biometrics 5, 232-242.
    """
    item, count = residuals.item, np.bincount(residuals.item)
    mean = np.bincount(item, residuals.left) / count
    shift = residuals.shift - (np.bincount(item, residuals.shift) / count)[item]
    size = float(np.mean(shift**2))
    object_ = residuals.fit.judgments.object
    if size <= 1e-12 * residuals.fit.assembled.scale**2:
        raise NotEstimable("all levels are alike on average, so that nothing could be stretched")
    if len(mean) < FEWEST_ITEMS:
        raise NotEstimable(f"fewer than {FEWEST_ITEMS} {plural(object_)}")
    centred = mean - mean.mean()
    products = centred * np.bincount(item, shift * residuals.left)
    se = float(np.std(products, ddof=1)) / np.sqrt(len(products))
    if se <= 0:
        raise NotEstimable(f"every one of the {plural(object_)} was scored alike")
    t = float(products.mean()) / se
    slope = float(products.sum() / np.sum(centred[item] ** 2 * shift**2))
    lenient = "strict and lenient levels differ"
    words = f"{lenient} more on {plural(object_)} with high scores" if slope > 0 else f"{lenient} more on low scores"
    return Check(
        "curvature",
        "residual against fitted",
        "t",
        t,
        2 * t_cdf(len(products) - 1, -abs(t)),
        0.0,
        f"{words} (Tukey's slope {slope:.2g})",
        "effects do not add on this scale: components mix the size of effects with where on the scale they are",
        'a scale on which effects add: log odds of 0/1 scores or few steps (link="logit", "ordinal"), or ranks',
    )


def _folds(residuals: Residuals, facet: str) -> list[tuple[Ints, Floats, Floats] | None]:
    """Item, mean by the sorting levels, and variance between the others, for every way to split the levels."""
    judgments = residuals.fit.judgments
    level = judgments.level_codes([facet])
    n = int(level.max()) + 1
    left = residuals.left
    # Means of item and level: over prompts, replicates and whatever else there is.
    key, code = np.unique(residuals.item * n + level, return_inverse=True)
    mean = np.bincount(code, left) / np.bincount(code)
    item, of = key // n, key % n
    parts = [of == k for k in range(n)] if n <= FEWEST_LEVELS else [of % 2 == 0, of % 2 == 1]
    return [_fold(item, mean, sorts) for sorts in parts]


def _fold(item: Ints, mean: Floats, sorts: NDArray[np.bool_]) -> tuple[Ints, Floats, Floats] | None:
    items = int(item.max()) + 1
    sorting, others = np.bincount(item[sorts], minlength=items), np.bincount(item[~sorts], minlength=items)
    kept = (sorting > 0) & (others > 1)
    if not kept.any():
        return None
    by = np.bincount(item[sorts], mean[sorts], items)[kept] / sorting[kept]
    inner = np.bincount(item[~sorts], mean[~sorts], items) / np.maximum(others, 1)
    square = np.bincount(item[~sorts], (mean[~sorts] - inner[item[~sorts]]) ** 2, items)
    return np.flatnonzero(kept), by, square[kept] / (others[kept] - 1)


def _thirds(values: Floats) -> Ints:
    """Third of every value by its rank; equal values are in the same one."""
    return np.minimum((ranks(values) - 0.5) * 3 // len(values), 2).astype(np.int64)
