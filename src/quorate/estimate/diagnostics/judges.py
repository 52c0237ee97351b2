"""Judges: unequal noise, one that is off, one that takes items in a way of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.components.robustness import thinned, without_each
from quorate.estimate.diagnostics.check import Check, Residuals
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.prediction import level_scores
from quorate.numerics.clustered_means import GroupMeans, group_means
from quorate.numerics.distributions import t_cdf
from quorate.roles import JUDGE

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
    first = np.unique(code, return_index=True)[1]
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


def checks(residuals: Residuals, *, refits: bool) -> Iterator[tuple[str, Check | str]]:
    """Every check of judges by its name, as a check or the reason why there is none."""
    looks = {"noise-by-judge": noise_by_judge, "odd-judge": odd_judge, "odd-interaction": odd_interaction}
    looks |= {"decisive-judge": decisive_judge} if refits else {}
    for name, look in looks.items():
        try:
            yield name, look(residuals)
        except (NotEstimable, NotConverged) as error:
            yield name, str(error)


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
