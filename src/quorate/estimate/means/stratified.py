"""Stratified means: categories of items that stand for themselves, each counting for a share that is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from quorate.errors import NotEstimable
from quorate.estimate.means.mean import Estimate, contrast
from quorate.estimate.means.targets import Target, resolve
from quorate.roles import CATEGORY
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


def strata(judgments: Judgments) -> Judgments:
    """The same judgments with labels of categories, whatever these are, as labels: not as numbers."""
    facets = (replace(one, values=None) if one.name == CATEGORY else one for one in judgments.facets)
    return replace(judgments, facets=tuple(facets))


def stratified_mean(fit: Decomposition, shares: Mapping[str, float], targets: Mapping[str, Target]) -> Estimate:
    """The sum over categories of a share times the mean of the category.

    Items are drawn within categories, so that how far categories lie apart is no error.

    Parameters
    ----------
    fit : Decomposition
        Of `strata`, with the category as a covariate.
    shares : mapping of str to float
        Of every category; they sum to 1.
    targets : mapping of str to str or Pool
        As for `Decomposition.mean_for`.

    Raises
    ------
    NotEstimable
        If a category has no scores.

    References
    ----------
    Cochran (1977), Sampling Techniques, section 5.3.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 2, 3, 4, 5], "category": list("aaabb"), "score": [1.0, 2.0, 3.0, 6.0, 8.0]}
    >>> fit = q.decompose(strata(q.read(polars.DataFrame(rows), announce=False)), covariates=["category"])
    >>> found = stratified_mean(fit, {"a": 0.5, "b": 0.5}, {})
    >>> round(found.value, 6), round(found.df, 6)
    (4.5, 3.0)
    """
    levels = fit.judgments.facet(CATEGORY).levels
    if missing := [name for name in shares if name not in levels]:
        raise NotEstimable(f'category "{missing[0]}" has no scores yet, and counts for {shares[missing[0]]:.0%}')
    names = fit.assembled.fixed.names
    weight = fit.assembled.fixed.mean.copy()
    for name in levels[1:]:  # the first is that which the others are compared with
        weight[names.index(f"{CATEGORY}[{name}]")] = shares[name]
    return contrast(fit, weight, resolve(fit, targets))
