"""Variance components of judgments, with what the design cannot tell apart said by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast, overload

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotConverged, NotEstimable
from quorate.estimate.components.assemble import Assembled, balanced_strata
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.fit import Method
from quorate.estimate.components.latent import grid, restricted
from quorate.estimate.components.model import CELL, Interval, build, spanned, with_drawn_groups
from quorate.estimate.components.published import design, level_of, no_residual
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import Identified, null_point, quadratic_forms
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import Optimum, Point, evaluate, lowest, minimise, scattered_starts, settle
from quorate.numerics.mixed.solved import solve
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments, checked
from quorate.table.read import read_first
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.estimate.components.assemble import Link
    from quorate.estimate.components.latent import Approximation, LatentDecomposition
    from quorate.numerics.mixed.reml import Dense


# Marginal components: those of scores as numbers that components of log odds stand for, over the effects.


_MOST = 2_000
"""Combinations of levels of fixed facets whose scores are set against each other."""
_NODES = 64


@dataclass(frozen=True)
class Marginal(Brief):
    """Scores from log odds with normal effects.

    Parameters
    ----------
    at : array, shape (combinations, thresholds)
        Log odds of a score above each threshold, for every combination of levels of the fixed facets, without effects.
    levels : mapping of str to array of int, shape (combinations,)
        Level of every fixed facet in each.
    variances : mapping of frozenset of str to float
        Variance of the log odds by the facets that an effect varies with, what these are nested in included.
    low : float
        Lowest score.
    steps : array, shape (thresholds,)
        From every score to the next.
    """

    at: Floats
    levels: Mapping[str, NDArray[np.int64]]
    variances: Mapping[frozenset[str], float]
    low: float
    steps: Floats

    @property
    def total(self) -> float:
        """Variance of the log odds over all effects."""
        return sum(self.variances.values())

    def expected(self, effect: Floats, rest: float) -> Floats:
        """Mean score at some values of the effects, over others of variance ``rest``; shape (combinations, values)."""
        from quorate.numerics.links.search import logistic_normal

        above = logistic_normal(self.at[:, None, :] + effect[None, :, None], rest)[0]
        return np.asarray(self.low + above @ self.steps)

    @property
    def means(self) -> Floats:
        """Mean score of every combination, over all effects."""
        return self.expected(np.zeros(1), self.total)[:, 0]

    @property
    def variance(self) -> float:
        """Variance of one score about the mean of its combination, averaged over these."""
        from quorate.numerics.links.search import logistic_normal

        above = logistic_normal(self.at, self.total)[0]
        values = self.low + np.concatenate([[0.0], np.cumsum(self.steps)])
        shares = -np.diff(np.column_stack([np.ones(len(above)), above, np.zeros(len(above))]), axis=1)
        return float(np.mean(shares @ values**2 - (shares @ values) ** 2))

    def shared(self, facets: frozenset[str]) -> float:
        """Covariance of two scores that have the levels of these facets in common, and no other.

        About the means of their combinations, averaged over pairs of these.
        """
        common = sum(value for own, value in self.variances.items() if own <= facets)
        z, weight = np.polynomial.hermite_e.hermegauss(_NODES)
        expected = self.expected(np.sqrt(common) * z, self.total - common) - self.means[:, None]
        products = (expected * (weight / weight.sum())) @ expected.T
        pairs = np.ones_like(products, dtype=bool)
        for name, level in self.levels.items():
            same = level[:, None] == level[None, :]
            pairs &= same if name in facets or len(np.unique(level)) == 1 else ~same
        return float(products[pairs].mean())


def marginal(fit: LatentDecomposition) -> Marginal:
    """Scores as a decomposition of their log odds has them; main effects as restricted estimates have their variance.

    Raises
    ------
    NotEstimable
        If fixed facets have more than 2,000 combinations of levels.
    """
    x, fixed = grid(fit.assembled), fit.assembled.fixed
    if len(x) > _MOST:
        raise NotEstimable(
            f"the fixed facets have more than {_MOST:,} combinations of levels; make one of them random, or plan from "
            "the decomposition of the scores as numbers (linear)"
        )
    counts = [len(rows) for rows in fixed.levels.values()]
    codes = np.indices(counts).reshape(len(counts), -1)
    variances = {
        own_facets(fit.linear, name): restricted(fit, name, float(value))
        for name, value in zip(fit.names, fit.optimum.variance, strict=True)
    }
    at = x @ fit.effects[:, None] - fit.thresholds
    levels = {name: code.astype(np.int64) for name, code in zip(fixed.levels, codes, strict=True)}
    return Marginal(at, levels, variances, float(fit.values[0]), np.diff(fit.values))


def own_facets(fit: Decomposition, name: str) -> frozenset[str]:
    """Facets that a component varies with, and what they are nested in; of a sum, those of its last term."""
    return spanned(fit.judgments, name.rsplit(" + ", maxsplit=1)[-1])


def scored(fit: LatentDecomposition) -> Decomposition:
    """The decomposition of the scores as numbers, with the components that those of the log odds stand for.

    A component is the covariance of two scores that share just its levels, less those of the terms within it; what is
    left of the variance of a score is the residual's. ``docs/methods/links.md``.
    """
    linear, scores = fit.linear, marginal(fit)
    places = sorted(linear.representatives.items(), key=lambda item: len(own_facets(linear, item[0])))
    found: dict[str, float] = {}
    repeated = linear.assembled.replicated
    for name, _ in places:
        facets = own_facets(linear, name)
        within = sum(value for other, value in found.items() if own_facets(linear, other) < facets)
        last = name.endswith(REPLICATE) or (name.endswith(CELL) and not repeated)
        whole = scores.variance if last else scores.shared(facets)
        if last:
            within = sum(found.values())
        found[name] = max(whole - within, 0.0)
    theta = np.zeros_like(linear.theta)
    for name, t in linear.representatives.items():
        theta[t] = found[name] / linear.assembled.scale**2
    return replace(linear, theta=theta)


_EXACT = 1e-10
"""Residual variance, the scores having variance 1, that is none: rounding errors of a fit reach this far."""
_LEAST = 5e-11
"""Residual variance at which a search stops where cells have no other noise: at zero there is no criterion."""
_DOUBTFUL = 1e-6
"""Residual variance below which a search may have stopped among rounding errors; what is left then decides."""
_SMALL = 1e-3
"""Part of the largest residual variance of a level below which another level's may be none."""


@overload
def decompose(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    link: Literal["identity"] = "identity",
    method: Method | None = None,
    residual_by: str | None = None,
    interval: Interval | None = None,
) -> Decomposition: ...


@overload
def decompose(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    link: Link,
    method: Approximation | None = None,
) -> LatentDecomposition: ...


@read_first
def decompose(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    link: Literal["identity"] | Link = "identity",
    method: Method | Approximation | None = None,
    residual_by: str | None = None,
    interval: Interval | None = None,
) -> Decomposition | LatentDecomposition:
    """Where the variance of the judgments comes from.

    Fits the crossed random-effects model ``score ~ fixed + item + prompt + item:prompt + ... + cell + replicate`` to
    all answered cells at once; cost depends on the number of distinct patterns of cells, not on the number of rows.
    Scores missing at random, given the model, do no harm; missingness that depends on the score or the judge does.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    random : sequence of str, optional
        Random terms, such as item:judge. Default: main effects of random facets, and two-way interactions with at least
        one of these. The cell besides.
    covariates : sequence of str
        Facets that shift the mean, such as the order of answers. Numbers as they are, labels as factors, products
        joined by ":".
    link : {"identity", "logit", "ordinal"}
        Components of the scores as numbers; of the log odds of the higher of two scores; or of those of a score above
        each of a few ordered ones. With a link, components are in squared log odds, beside pi^2/3 for one judgment.
    method : {"reml", "ml", "anova", "laplace", "pirls"}, optional
        How components are estimated: reml by default, or ml, or anova where all is balanced. Restricted maximum
        likelihood, maximum likelihood, or expected mean squares. With a link: maximum likelihood by Laplace's
        approximation, the default, or the quicker one that finds fixed effects with the random ones, which is taken
        with a caveat where a variance has no end by the first.
    residual_by : str, optional
        Fixed facet whose levels each have their own noise. Cell and replicate variance.
    interval : {"normal", "robust"}, optional
        What intervals of components take effects to be. Default: robust where their tails are long. Of 20 or more
        levels: normal, or of any law, by the jackknife over the levels. The estimates, and intervals of means, are the
        same.

    Returns
    -------
    Decomposition or LatentDecomposition
        The latter with a link.

    Raises
    ------
    InvalidData
        If a key is repeated: the same cell and replicate twice.
    NotEstimable
        If nothing can be estimated: one item, equal scores, or a residual that fixed effects absorb.

    Notes
    -----
    R: ``lme4::lmer(score ~ judge + (1|item) + (1|prompt) + (1|item:prompt) + ..., REML = TRUE)``; with a link,
    ``lme4::glmer(..., family = binomial, nAGQ = 1)`` or ``nAGQ = 0``, and ``ordinal::clmm``.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, Eq. 1 and sections C.6 and G.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate import write_demo
    >>> fit = q.decompose(q.read(write_demo("scores.csv")))
    >>> sorted(fit.variances)[:3]
    ['cell', 'item', 'item:judge']
    """
    if link != "identity":
        return _latent(judgments, link, random, covariates, method, {"residual_by": residual_by, "interval": interval})
    by = rules.one_of("method", "reml" if method is None else method, ("reml", "ml", "anova"))
    rules.one_of("interval", interval, (None, "normal", "robust"))
    refuse_repeats(checked(judgments))
    judgments = with_drawn_groups(judgments, random or ())
    laid = design(judgments, random=random, covariates=covariates, reml=by != "ml", residual_by=residual_by)
    assembled, identified = laid.assembled, laid.identified
    if by == "anova":
        strata, kept = balanced_strata(assembled), list(identified.representatives)
        theta = np.zeros(assembled.problem.n_components)
        theta[kept] = strata.components(kept)
        _refuse_exact(assembled, theta)
        return Decomposition(
            assembled, identified, theta, evaluate(assembled.problem, np.maximum(theta, 0.0)), by, strata, interval
        )
    theta, point = _fit(assembled, identified, laid.g, quadratic_forms(assembled.problem, laid.null))
    return Decomposition(assembled, identified, theta, point, by, interval=interval)


def decomposed(fit: Decomposition | Judgments) -> Decomposition:
    """The decomposition of judgments, or the one that is given."""
    if isinstance(fit, Judgments):
        return decompose(fit)
    if not isinstance(fit, Decomposition):
        raise InvalidInput(f"fit: expects what quorate.decompose returns, or judgments, got {type(fit).__name__}")
    return fit


def is_default(fit: Decomposition) -> bool:
    """Whether `decompose` without options would give the same fit."""
    assembled = fit.assembled
    plain = assembled.model == build(fit.judgments, None, ()) and not assembled.residual_levels
    return plain and fit.method == "reml" and fit.interval is None


def _latent(
    judgments: Judgments,
    link: Link,
    random: Sequence[str] | None,
    covariates: Sequence[str],
    method: Method | Approximation | None,
    others: dict[str, str | None],
) -> LatentDecomposition:
    """Components of log odds; options that are for scores as numbers are refused."""
    from quorate.estimate.components.latent import decompose_latent

    rules.one_of("link", link, ("identity", "logit", "ordinal"))
    for name, value in others.items():
        if value is not None:
            raise InvalidInput(f"{name}: is for scores as numbers, not with a link; leave one of the two out")
    if method not in (None, "laplace", "pirls"):
        raise InvalidInput(f"method: with a link, one of 'laplace', 'pirls' is needed, got {method!r}")
    return decompose_latent(decompose(judgments, random=random, covariates=covariates), link, method)


def _fit(assembled: Assembled, identified: Identified, g: Floats, forms: Floats) -> tuple[Floats, Point]:
    """Minimise the criterion over one component per class, from the unweighted moment estimates (MINQUE(0))."""
    problem = assembled.problem
    kept = np.array(identified.representatives)
    size = np.sqrt(np.diag(g)[kept])
    moments = np.linalg.lstsq(g[np.ix_(kept, kept)] / size[:, None] / size, forms[kept] / size, rcond=1e-10)[0] / size
    floor = 1e-3 * max(float(moments.clip(0).sum()), 1e-3)

    def at(theta: Floats) -> Floats:
        full = np.zeros(problem.n_components)
        full[kept] = theta
        return full

    def restricted(theta: Floats) -> Point:
        point = evaluate(problem, at(theta))
        return Point(
            point.criterion, point.gradient[kept], point.hessian[np.ix_(kept, kept)], point.solved, point.effects
        )

    start, least = np.maximum(moments, floor), _LEAST * problem.needs_noise[kept]
    search_down = settle if problem.sampled else minimise
    dense: Dense | None = None
    if problem.few is not None:
        from quorate.numerics.mixed.reml import Dense

        dense = Dense(problem.few, problem, kept)
    search = {"n": 8, "most": 40}
    if problem.n_residual > 1:  # some minima are narrow: where one level has next to no residual
        search = {"n": 32, "most": 120}
    try:
        optimum = search_down(restricted, start, least=least)
    except NotConverged as stopped:
        last = cast("Optimum", stopped.partial)
        _refuse_falling(assembled, at(last.theta), at(last.point.gradient))
        _refuse_exact(assembled, _least_residual(problem, kept))
        optimum = last if dense is None else _restarted(dense, restricted, last, least, **search)
        if optimum is last:
            raise
    if dense is not None and np.any(optimum.theta <= least):
        optimum = _restarted(dense, restricted, optimum, least, **search)
    theta = at(optimum.theta)
    _refuse_exact(assembled, theta)
    if min(_by_level(assembled, theta).values()) < _DOUBTFUL:
        _refuse_falling(assembled, theta, at(optimum.point.gradient))
        _refuse_exact(assembled, _least_residual(problem, kept))
    return theta, optimum.point


def _restarted(
    dense: Dense, restricted: Callable[[Floats], Point], found: Optimum, least: Floats, *, n: int, most: int
) -> Optimum:
    """The lower of a minimum that is known and those that searches from many places find."""
    starts = np.maximum(scattered_starts(found.theta, stream(0, "restarts"), n=n), least)
    criterion, theta = lowest(dense.evaluate, starts, least=least, most=most)
    if criterion > found.point.criterion - 1e-7:
        return found
    try:
        again = minimise(restricted, theta, least=least)
    except NotConverged as stopped:  # among rounding errors of a residual that is next to none
        again = cast("Optimum", stopped.partial)
    except np.linalg.LinAlgError:
        return found
    return again if again.point.criterion < found.point.criterion else found


def _least_residual(problem: Problem, kept: Ints) -> Floats:
    """Residual variance that is left when every other component is as large as can be."""
    wide = null_point(problem)
    wide[kept] = np.where(kept < problem.n_components - problem.n_residual, 1e6, wide[kept])
    return quadratic_forms(problem, solve(problem, wide)) / problem.n_rows


class ExactFit(NotEstimable):
    """Scores that the terms of a model fit without error."""


def _refuse_exact(assembled: Assembled, theta: Floats) -> None:
    """Refuse scores that the terms fit without error, all or those of a level: the likelihood then has no maximum."""
    residual = _by_level(assembled, theta)
    exact = [level for level, value in residual.items() if value < _EXACT]
    if exact and len(exact) < len(residual):
        raise no_residual(exact)
    if exact:
        raise ExactFit(
            "the terms fit the scores exactly: the residual variance is zero, and nothing is left to judge the other "
            "components by. Leave out a term, or check whether judges only copy one another"
        )


def _refuse_falling(assembled: Assembled, theta: Floats, gradient: Floats) -> None:
    """Refuse levels whose residual variance a stopped search had made small and was still lowering."""
    residual, slope = _by_level(assembled, theta), _by_level(assembled, theta * gradient)
    small = _SMALL * max(residual.values())
    falling = [level for level, value in residual.items() if value < small and slope[level] > 1]
    if falling:
        raise no_residual(falling)


def _by_level(assembled: Assembled, values: Floats) -> dict[str, float]:
    """Sum over the residual components of each level of ``residual_by``; of all where there is none."""
    first = assembled.problem.n_components - assembled.problem.n_residual
    out: dict[str, float] = {}
    for name, value in zip(assembled.names[first:], values[first:], strict=True):
        level = level_of(name)
        out[level] = out.get(level, 0.0) + max(float(value), 0.0)
    return out
