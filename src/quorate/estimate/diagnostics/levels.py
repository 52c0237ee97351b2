"""Levels: judges with noise or a way of their own, and items whose interactions follow their difficulty."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quorate.arrays import Floats, Ints, first_of_each
from quorate.errors import NotEstimable
from quorate.estimate.components.robustness import thinned, without_each
from quorate.estimate.diagnostics.check import Check, Residuals
from quorate.estimate.means.effects import averages, level_labels
from quorate.estimate.means.prediction import level_scores
from quorate.frozen import dataclass
from quorate.numerics.correlation import ranks
from quorate.numerics.distributions import t_cdf
from quorate.numerics.regression import GroupMeans, group_means
from quorate.roles import JUDGE
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
    found = [*_folds(residuals, facet)]
    item, sorting, spread = (np.concatenate(column) for column in zip(*found, strict=True)) if found else ((), (), ())
    items, place = np.unique(item, return_inverse=True)
    if len(items) < FEWEST_ITEMS:
        raise NotEstimable(f"fewer than {FEWEST_ITEMS} {plural(object_)} with {FEWEST_LEVELS} {plural(facet)} each")
    # Third of every value by its rank; equal values are in the same one.
    by = [(ranks(mean) - 0.5) * 3 // len(mean) for _, mean, _ in found]
    third = np.minimum(np.concatenate(by), 2).astype(np.int64)
    used, group = np.unique(third, return_inverse=True)
    if len(used) < 2:
        raise NotEstimable(f"the {plural(object_)} cannot be told apart by their mean scores")
    f, p = group_means(np.sqrt(spread), group, place).equal()
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


def _folds(residuals: Residuals, facet: str) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Item, mean by the sorting levels, and variance between the others, for every way to split the levels."""
    judgments = residuals.fit.judgments
    level = judgments.level_codes([facet])
    n = int(level.max()) + 1
    # Means of item and level: over prompts, replicates and whatever else there is.
    key, mean = averages(residuals.item * n + level, residuals.left)
    item, of = key // n, key % n
    items = int(item.max()) + 1
    for sorts in [of == k for k in range(n)] if n <= FEWEST_LEVELS else [of % 2 == 0, of % 2 == 1]:
        sorting, others = np.bincount(item[sorts], minlength=items), np.bincount(item[~sorts], minlength=items)
        kept = (sorting > 0) & (others > 1)
        if kept.any():
            by = np.bincount(item[sorts], mean[sorts], items)[kept] / sorting[kept]
            inner = np.bincount(item[~sorts], mean[~sorts], items) / np.maximum(others, 1)
            square = np.bincount(item[~sorts], (mean[~sorts] - inner[item[~sorts]]) ** 2, items)
            yield np.flatnonzero(kept), by, square[kept] / (others[kept] - 1)


FEWEST_JUDGES = 4
"""Judges from which one can be odd: two of three always agree more with each other."""
MOST_LEFT_OUT = 20
MOST_COMPARED = 500
"""Judges whose scatter is compared: the work grows with the cube, and each needs items enough for a variance."""


def spreads(values: Floats, group: Ints, cluster: Ints) -> GroupMeans:
    """Mean distance from the median of each group (Brown and Forsythe 1974), by clusters that are independent.

    Raises
    ------
    NotEstimable
        If the groups are more than are compared at once.
    """
    groups = int(group.max()) + 1
    if groups > MOST_COMPARED:
        raise NotEstimable(f"{groups:,} judges: the scatter of at most {MOST_COMPARED} is compared")
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(groups))
    medians = np.array([np.median(part) for part in np.split(values[order], starts[1:])])
    return group_means(np.abs(values - medians[group]), group, cluster)


def noise_by_judge(residuals: Residuals) -> Check:
    """Whether some judges scatter more than others about what is fitted.

    Brown and Forsythe's distances from the median of the judge; Hotelling's test over items, so that residuals of one
    item may resemble each other, and of any law.
    """
    judge = _judges(residuals)
    found = spreads(residuals.standard, judge, residuals.item)
    f, p = found.equal()
    if np.isnan(f):
        raise NotEstimable("too few items to compare the noise of so many judges")
    labels = level_labels(residuals.fit.judgments, JUDGE)
    most, least = int(np.argmax(found.mean)), int(np.argmin(found.mean))
    by = residuals.fit.judgments.facet(JUDGE).fixed
    option = (
        "give each judge noise of its own (residual_by)" if by else "read judges as fixed, then residual_by gives each"
    )
    return Check(
        "noise-by-judge",
        "noise of the judges",
        "F",
        f,
        p,
        0.0,
        f"{labels[most]} scatters {_ratio(found.mean[most], found.mean[least])} as {labels[least]}",
        "the mean stays right; its standard error is an average over judges, wrong for a subset of them, and plans "
        "buy the wrong judge",
        option,
    )


def odd_judge(residuals: Residuals) -> Check:
    """Whether one judge is further from the others than one of as many normal effects would be (Grubbs 1950)."""
    effects = _effects(residuals)
    n = len(effects)
    if n < FEWEST_JUDGES:
        raise NotEstimable(f"{n} judges: with fewer than {FEWEST_JUDGES} none can be told from those that agree")
    centred = effects - effects.mean()
    most, total = int(np.argmax(np.abs(centred))), float(centred @ centred)
    if total <= 0:
        raise NotEstimable("the judges do not differ")
    # The deviation over the spread of the others, on n - 2 degrees of freedom.
    others = total - centred[most] ** 2 * n / (n - 1)
    t = float(centred[most] * np.sqrt(n / (n - 1)) / np.sqrt(max(others, 1e-12 * total) / (n - 2)))
    p = min(1.0, 2 * n * t_cdf(n - 2, -abs(t)))
    label = level_labels(residuals.fit.judgments, JUDGE)[most]
    side = "above" if t > 0 else "below"
    distance = abs(centred[most]) * n / (n - 1)
    return Check(
        "odd-judge",
        "level of one judge against the others",
        "t",
        t,
        p,
        0.0,
        f"{label} is furthest, {distance:.3g} {side} the others",
        "an interval for judges like these is wide because of one, and no bell curve describes them",
        f"look at what {label} was asked; state the mean with and without (leave_one_out)",
    )


def odd_interaction(residuals: Residuals) -> Check:
    """Whether one judge's differences from item to item are larger or smaller than those of the others."""
    fit, judge = residuals.fit, _judges(residuals)
    term = f"{fit.judgments.object}:{JUDGE}"
    names = [name for name in fit.assembled.names if set(name.split(":")) == set(term.split(":"))]
    if not names:
        raise NotEstimable(f"{term} is not in the model")
    code = fit.judgments.level_codes(names[0].split(":"))
    first = first_of_each(code)
    if len(first) == len(code):
        raise NotEstimable(f"{term} is the cell: its size by judge is the noise of the judges")
    if int(judge.max()) + 1 < 3:
        raise NotEstimable("2 judges: their differences are the same ones, seen from either side")
    total, expected = level_scores(fit, fit.assembled.names.index(names[0]))
    scores = total / np.sqrt(expected)
    found = spreads(scores, judge[first], residuals.item[first])
    most, t, p = found.odd_one()
    if np.isnan(t):
        raise NotEstimable("too few items to compare judges")
    label = level_labels(fit.judgments, JUDGE)[most]
    others = float(np.delete(found.mean, most).mean())
    return Check(
        "odd-interaction",
        "judge by item of one judge against the others",
        "t",
        t,
        p,
        0.0,
        f"from item to item {label} varies {_ratio(found.mean[most], others)} as the others",
        "judge by item is an average over judges: one of them brings most of it, and a panel without it is surer",
        f"look at items where {label} differs most (flags); state the mean with and without (leave_one_out)",
    )


def decisive_judge(residuals: Residuals) -> Check:
    """How far the mean moves without one judge, in standard errors: described, not tested."""
    fit = residuals.fit
    judge = _judges(residuals)
    if int(judge.max()) + 1 > MOST_LEFT_OUT:
        raise NotEstimable(f"more than {MOST_LEFT_OUT} judges: none decides much")
    parts = [part for part in without_each(thinned(fit), JUDGE) if part.change is not None]
    if not parts:
        raise NotEstimable("without a judge, what is left supports no estimate")
    se = fit.mean.se
    most = max(parts, key=lambda part: abs(part.change or 0.0))
    change = most.change or 0.0
    return Check(
        "decisive-judge",
        "the mean without one judge",
        "standard errors",
        change / se if se > 0 else float("nan"),
        float("nan"),
        0.0,
        f"without {most.level} the mean is {abs(change):.3g} {'higher' if change > 0 else 'lower'}",
        "a change of more than one standard error means that one judge decides the result",
        "state the mean with and without (leave_one_out)",
    )


def _judges(residuals: Residuals) -> Ints:
    if residuals.judge is None:
        raise NotEstimable("fewer than 2 judges")
    return residuals.judge


def _effects(residuals: Residuals) -> Floats:
    """How far every judge is from the average: estimated where they are fixed, else before they are drawn to it."""
    fit = residuals.fit
    _judges(residuals)
    if JUDGE in fit.assembled.fixed.levels:
        return np.asarray(fit.assembled.fixed.levels[JUDGE] @ fit.beta)
    if JUDGE not in fit.assembled.names:
        raise NotEstimable("judge is not in the model by itself")
    total, expected = level_scores(fit, fit.assembled.names.index(JUDGE))
    return np.asarray(total / expected * fit.assembled.scale * (1 - 1 / len(total)))


def _ratio(a: float, b: float) -> str:
    return f"{a / b:.2g} times as much" if b > 0 else "far more"
