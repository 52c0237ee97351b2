"""Families of judges in a mean for judges like these: what they cost, or that their names suggest them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quorate import caveats
from quorate.caveats import Caveat
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.targets import POPULATION
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.panel.subsets import FEWEST, error_correlations
from quorate.roles import JUDGE
from quorate.table.columns.makers import shared
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate


_TOGETHER = 0.5
_CHANCE = 0.01
"""Correlation of errors from which it is said, and the chance at which it would be where none go together."""
_MOST, _FEWEST_ITEMS = 30, 20


def of_families(mean: Estimate) -> list[Caveat]:
    """What is to be said of families in a mean for judges like these; nothing where there is nothing to say."""
    fit = mean.basis.fit
    judgments = fit.judgments
    if JUDGE not in judgments.names or mean.target[JUDGE] != POPULATION:
        return []
    parent = judgments.facet(JUDGE).parent
    if parent is None:
        makers, found = shared(judgments.facet(JUDGE).levels), _alike(judgments)
        said = [caveats.judges_share_makers(makers)] if makers else []
        return [*said, caveats.judges_err_together(*found)] if found else said
    families, judges = judgments.n_levels(parent), judgments.n_levels(JUDGE)
    if parent not in fit.variances or JUDGE not in fit.variances or families < 2 or families == judges:
        return []
    between, within = (max(fit.variances[name], 0.0) for name in (parent, JUDGE))
    if between + within == 0:
        return []
    correlation = between / (between + within)
    first = np.unique(judgments.level_codes([JUDGE]), return_index=True)[1]
    sizes = np.bincount(judgments.level_codes([parent])[first])
    effect = 1 + (float(sizes @ sizes) / judges - 1) * correlation
    return [caveats.judges_in_families(parent, families, judges, correlation, effect)]


def _alike(judgments: Judgments) -> tuple[list[list[str]], float, int] | None:
    """Judges whose errors go together, the least correlation of two, and how many judges that leaves; or None."""
    judge, item, k = (
        judgments.level_codes([JUDGE]),
        judgments.level_codes([judgments.object]),
        judgments.n_levels(JUDGE),
    )
    if not FEWEST <= k <= _MOST:
        return None
    shape = (int(item.max()) + 1, k)
    place = item * k + judge
    n = np.bincount(place, minlength=shape[0] * k).reshape(shape)
    means = np.bincount(place, judgments.mean, shape[0] * k).reshape(shape)[np.all(n == n.max(), axis=1)] / n.max()
    if len(means) < _FEWEST_ITEMS or not np.ptp(means, axis=0).all():
        return None
    correlation, t = error_correlations(means)
    together = (correlation > _TOGETHER) & (t > normal_quantile(1 - _CHANCE / (k * (k - 1) / 2)))
    np.fill_diagonal(together, True)
    for _ in range(k):
        together = together @ together
    groups = [np.flatnonzero(row) for row in np.unique(together, axis=0)]
    several = [group for group in groups if len(group) > 1]
    if not several:
        return None
    labels = level_labels(judgments, JUDGE)
    least = min(float(correlation[group[:, None], group].min()) for group in several)
    return [[labels[j] for j in group] for group in several], least, len(groups)


# Single configurations that a study might have stopped at, each with its naive standard error.


@dataclass(frozen=True)
class Configuration:
    """One configuration: a level of every facet but the items.

    Parameters
    ----------
    labels : mapping of str to str
        Level of each facet.
    value : float
        Mean over items of the item means.
    se : float
        Naive standard error, ``s / sqrt(N)`` over item means; nan with fewer than 2 items.
    n_items : int
        Items answered.
    """

    labels: Mapping[str, str]
    value: float
    se: float
    n_items: int


def configuration_facets(judgments: Judgments, attributes: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Facets that a single configuration fixes: not the items, what groups them, what is inside them, or attributes."""
    item = judgments.object
    skip = {item, *judgments.ancestors(item), *attributes}
    return tuple(name for name in judgments.names if name not in skip and item not in judgments.ancestors(name))


def configurations(judgments: Judgments, facets: tuple[str, ...]) -> tuple[Configuration, ...]:
    """Every configuration that occurs, with its naive standard error."""
    configuration = judgments.level_codes(facets)
    item = judgments.level_codes([judgments.object])
    n_items = int(item.max()) + 1
    pair, pairs = np.unique(configuration * n_items + item, return_inverse=True)
    mean = np.bincount(pairs, judgments.mean) / np.bincount(pairs)
    owner = pair // n_items
    count = np.bincount(owner).astype(float)
    value = np.bincount(owner, mean) / count
    squares = np.bincount(owner, (mean - value[owner]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(squares / (count - 1) / count)
    first = np.unique(configuration, return_index=True)[1]
    columns = {name: (judgments.facet(name).levels, judgments.column(name)[first]) for name in facets}
    return tuple(
        Configuration({name: levels[at[i]] for name, (levels, at) in columns.items()}, float(v), float(s), int(c))
        for i, (v, s, c) in enumerate(zip(value, se, count, strict=True))
    )
