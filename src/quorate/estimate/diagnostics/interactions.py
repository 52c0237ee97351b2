"""Three-way interactions: whether one is there, by a likelihood-ratio test with its law from redrawn data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, closure, leaves
from quorate.estimate.components.robustness import options_of
from quorate.estimate.diagnostics.check import Check
from quorate.numerics.mixed.refit import refits
from quorate.roles import REPLICATE
from quorate.wording import listed

if TYPE_CHECKING:
    from quorate.numerics.mixed.problem import Problem

BATCH, ENOUGH = 100, 20
"""Draws at a time, and how many ratios as large as the one found settle that it is by chance."""
NONE = 1e-4
"""A likelihood ratio that is none: refits end this close to their optimum."""


def three_way(fit: Decomposition) -> Iterator[str]:
    """Three-way terms with a random facet, in the order of the facets; all facets together are the cell."""
    judgments = fit.judgments
    grouping = set(judgments.ancestors(judgments.object))
    names = [name for name in judgments.names if judgments.n_levels(name) > 1 and name not in grouping]
    for term in combinations(names, 3):
        if leaves(judgments, term) == term and not all(judgments.facet(name).fixed for name in term):
            whole = closure(judgments, term) == closure(judgments, judgments.names)
            yield CELL if whole else ":".join(term)


def likelihood_ratio(fit: Decomposition, term: str, draws: int, rng: np.random.Generator) -> Check:
    """Whether a three-way interaction is there: its likelihood ratio among those of data drawn without it.

    Both models are fitted to the same draws. Under the null half of the ratios or more are zero and chi-square tables
    do not hold; the draws have the law as it is.

    Raises
    ------
    NotEstimable
        If the design cannot tell the term apart.

    References
    ----------
    Crainiceanu and Ruppert (2004), Journal of the Royal Statistical Society B 66, 165-185.
    """
    without, with_term, t = _both(fit, term)
    if with_term.assembled.problem.sampled:
        raise NotEstimable("the likelihood ratio of models with so many levels is not computed", {term})
    statistic = max(without.criterion - with_term.criterion, 0.0)
    alternative = with_term.assembled.problem
    names = with_term.assembled.names
    theta = np.zeros(len(names))
    for name, value in zip(without.assembled.names, np.maximum(without.theta, 0.0), strict=True):
        theta[names.index(name)] = value
    # The alternative's scale and centre are those of the same scores.
    effects = without.point.effects[: alternative.p]
    kept = np.array(with_term.identified.representatives)
    p, n = 1.0, 0
    if statistic > NONE:  # else every ratio is as large
        pair = kept[kept != t], kept
        p, n = _chance(lambda size, seed: _ratios(alternative, pair, theta, effects, size, seed), statistic, draws, rng)
    share = max(float(with_term.theta[t]), 0.0) / float(np.maximum(with_term.theta, 0.0).sum())
    words = " × ".join(term.split(":")) if term != CELL else " × ".join(_whole(fit))
    return Check(
        f"three-way-{term}",
        f"interaction of {words}",
        "likelihood ratio",
        statistic,
        p,
        float(np.sqrt(p * (1 - p) / n)) if n else 0.0,
        f"it is {share:.1%} of the variance of one judgment",
        "left out, it is counted in the noise, and designs that cross these facets are promised too small an error"
        if term != CELL
        else "replicates alone do not make a cell surer: it counts as one judgment however often it is repeated",
        f'name it in the model (random, with the default terms and "{term}")'
        if term != CELL
        else "keep the cell in the model, as it is by default; buy cells, not replicates",
        in_model=term in fit.assembled.names,
    )


def _ratios(problem: Problem, kept: tuple[Ints, Ints], theta: Floats, beta: Floats, n: int, seed: int) -> Floats:
    """Likelihood ratios of data drawn without the term: both models fitted to the same draws."""
    without, both = (refits(problem, some, theta, beta, n, np.random.default_rng(seed)).criterion for some in kept)
    return np.asarray(np.maximum(without - both, 0.0))


def _chance(
    ratios: Callable[[int, int], Floats], statistic: float, draws: int, rng: np.random.Generator
) -> tuple[float, int]:
    """P-value and the draws it took: at most ``draws``, fewer where enough are as large before.

    References
    ----------
    Besag and Clifford (1991), Biometrika 78, 301-304.
    """
    found, larger = np.empty(0), np.empty(0, dtype=np.int64)
    while len(found) < draws:
        found = np.append(found, ratios(min(BATCH, draws - len(found)), int(rng.integers(2**32))))
        larger = np.flatnonzero(found >= statistic - NONE)
        if len(larger) >= ENOUGH:
            n = int(larger[ENOUGH - 1]) + 1
            return ENOUGH / n, n
    return float(1 + len(larger)) / (draws + 1), draws


def _both(fit: Decomposition, term: str) -> tuple[Decomposition, Decomposition, int]:
    """The fits without and with a term, and the place of its component in the latter."""
    options = options_of(fit)
    terms = [one for one in options.pop("random") if one != term]
    if fit.assembled.residual_levels and term == CELL:
        raise NotEstimable("levels have residuals of their own (residual_by), so that the cell is not one component")
    if term == CELL and (not fit.assembled.replicated or REPLICATE not in fit.assembled.names):
        raise NotEstimable("no cell was judged twice, so that the interaction of all facets is not told from noise")
    try:
        present = term in fit.assembled.names
        both = fit if present else decompose(fit.judgments, random=[*terms, term], **options)
        alone = decompose(fit.judgments, random=terms, **options) if present else fit
    except NotConverged as error:
        raise NotEstimable(f"{term}: {error}") from None
    if term not in both.assembled.names:
        raise NotEstimable(f"{term} is the cell in this design")
    t = both.assembled.names.index(term)
    if (t,) not in both.identified.classes:
        same = next((names for names in both.aliases if term in names), frozenset({term}))
        raise NotEstimable(f"only the sum {listed(sorted(same), 'plus')} can be estimated from this design")
    return alone, both, t


def _whole(fit: Decomposition) -> tuple[str, ...]:
    judgments = fit.judgments
    return tuple(name for name in leaves(judgments, judgments.names) if judgments.n_levels(name) > 1)


def checks(fit: Decomposition, draws: int, rng: np.random.Generator) -> Iterator[tuple[str, Check | str]]:
    """The test of every three-way term, or the reason why there is none."""
    for term in three_way(fit):
        try:
            yield f"three-way-{term}", likelihood_ratio(fit, term, draws, rng)
        except NotEstimable as error:
            yield f"three-way-{term}", str(error)
