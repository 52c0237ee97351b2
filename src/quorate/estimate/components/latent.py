"""Latent decomposition: the mixed model of log odds fitted, and its components by name, beside the linear ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats, Ints, dense
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotConverged, NotEstimable, UnknownTerm
from quorate.estimate.components.assemble import Assembled, Link, block_facets, categories
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, OneComponent, canonical, closure
from quorate.estimate.means.intervals import limits
from quorate.frozen import dataclass
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import variance_interval
from quorate.numerics.links.modes import Layout, collapse
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Interval, Result, Row
from quorate.wording import Brief, brief, listed, whole_percent

if TYPE_CHECKING:
    from quorate.numerics.links.modes import Modes
    from quorate.numerics.links.search import Optimum


T = TypeVar("T")
Approximation = Literal["laplace", "pirls"]
"""How the likelihood of log odds is approximated."""

_LEAST = 1e-4
"""Least component that a search starts from."""
_FAR = 15.0
"""Log odds of a fixed effect that stand for infinite ones: a share within 3e-7 of 0 or 1."""


@dataclass(frozen=True, eq=False)
class Laid(Brief):
    """A model of log odds laid out.

    Parameters
    ----------
    linear : Decomposition
        The decomposition of the same scores as numbers, which has the terms.
    counts : array, shape (cells, categories)
        Judgments of every cell by category.
    layout : Layout
        The same, in collapsed rows.
    names : tuple of str
        Terms, in the order of the layout.
    values : array, shape (categories,)
        The scores, ascending.
    link : {"logit", "ordinal"}
        What the log odds are of.
    """

    linear: Decomposition
    counts: Floats
    layout: Layout
    names: tuple[str, ...]
    values: Floats
    link: Link

    @property
    def boundaries(self) -> tuple[str, ...]:
        """Names of the thresholds: the scores on either side."""
        return tuple(f"{low:g}|{high:g}" for low, high in pairwise(self.values))


def lay_out(linear: Decomposition, link: Link) -> Laid:
    """The model of log odds with the terms of a decomposition.

    Raises
    ------
    InvalidInput
        If there are other scores than the link is for.
    NotEstimable
        If no random term is left.
    """
    values, counts = categories(linear.judgments, link)
    # One judgment of a cell says nothing of the cell beside the level-1 variance, whose size is that of the link.
    by_name = {":".join(term): term for term in linear.assembled.model.random} | {CELL: (CELL,)}
    terms = {
        " + ".join(names): by_name[names[-1]]
        for names in linear.classes
        if names[-1] != REPLICATE and (CELL not in names or linear.assembled.replicated)
    }
    if not terms:
        raise NotEstimable("no random term is left that the design can tell apart: there is no latent component")
    layout, order = _layout(linear.assembled, terms, counts)
    return Laid(linear, counts, layout, tuple(order), values, link)


def decompose_latent(linear: Decomposition, link: Link, method: Approximation | None = None) -> LatentDecomposition:
    """Components of the log odds, with the terms of a decomposition of the same scores as numbers.

    Without a ``method`` Laplace's approximation, unless some variance grows without end by it.

    Raises
    ------
    NotEstimable
        If nothing can be estimated, or log odds are infinite: a level of a fixed facet always has the same score, or
        a variance has no end by the method that is named.
    """
    laid = lay_out(linear, link)
    layout, order = laid.layout, laid.names
    _refuse_certain(linear.judgments, linear.assembled.model.fixed, laid.counts)
    # Start where components are to the level-1 variance as they are to the noise of scores as numbers.
    noise = sum(max(v, 0.0) for name, v in linear.variances.items() if name.rsplit(" + ", 1)[-1] in (CELL, REPLICATE))
    found = np.array([linear.variances[name] for name in order])
    optimum = _searched(layout, np.maximum(found / max(noise, 1e-12) * LEVEL_1, _LEAST), order, inside=True)
    endless: tuple[str, ...] = ()
    if method != "pirls":
        try:
            optimum = _searched(layout, np.maximum(optimum.variance, _LEAST), order, optimum.fixed)
        except NotEstimable as refused:
            if method == "laplace":
                raise
            endless = tuple(name for name in order if name in refused.names)
    used: Approximation = "pirls" if endless or method == "pirls" else "laplace"
    effects = optimum.fixed[len(optimum.fixed) - layout.x.shape[1] :]
    far: Ints = np.flatnonzero(np.abs(effects * np.std(layout.x, axis=0)) > _FAR)
    if len(far):
        name = linear.assembled.fixed.names[1 + int(far[0])]
        raise NotEstimable(f"the log odds of {name} are infinite: the scores separate along it; leave it out")
    return LatentDecomposition(linear, layout, order, optimum, laid.values, link, used, endless)


def _searched(
    layout: Layout, start: Floats, names: Sequence[str], fixed: Floats | None = None, *, inside: bool = False
) -> Optimum:
    """The least deviance; terms are refused whose variance a stopped search had made as good as infinite."""
    from quorate.numerics.links.search import LARGEST, Optimum, search

    try:
        return search(layout, start, fixed, inside=inside)
    except NotConverged as stopped:
        reached = stopped.partial.variance if isinstance(stopped.partial, Optimum) else np.zeros(len(names))
        far = [name for name, value in zip(names, reached, strict=True) if value > LARGEST]
        if not far:
            raise
        other = "" if inside else ' or take method="pirls", which is more robust'
        raise NotEstimable(
            f"the variance of the log odds of {listed(far)} grows without end: its levels have too few judgments for "
            f"Laplace's approximation. Leave it out{other}",
            far,
        ) from None


def _layout(assembled: Assembled, terms: dict[str, tuple[str, ...]], counts: Floats) -> tuple[Layout, list[str]]:
    """Collapsed rows, and names of the terms in the order of the layout."""
    judgments, model, fixed = assembled.judgments, assembled.model, assembled.fixed
    block = block_facets(judgments, model)
    whole = {name for name, term in terms.items() if term == (CELL,)}
    within = [name for name in terms if name not in whole and {*block} <= closure(judgments, terms[name])]
    shared = [name for name in terms if name not in whole and name not in within]
    order = [*within, *shared, *whole]
    codes = [judgments.level_codes(terms[name]) for name in order if name not in whole]
    apart = [np.arange(judgments.n_cells)] if whole else []
    summed, first = collapse(counts, [fixed.row, *codes, *apart])
    blocks = judgments.level_codes(block)[first]
    if not within:
        blocks = np.zeros(len(first), dtype=np.int64)

    def stacked(names: list[str]) -> Ints:
        columns = [dense(codes[order.index(name)][first]) for name in names]
        return np.column_stack(columns) if columns else np.zeros((len(first), 0), dtype=np.int64)

    x = fixed.rows[fixed.row[first], 1:]
    return Layout(summed, x, dense(blocks), stacked(within), stacked(shared), bool(whole)), order


def named(term: str, parts: Mapping[str, T], judgments: Judgments) -> T:
    """The part that a term names, its facets in any order; the replicate also as what it is summed with."""
    wanted = {term, " + ".join(canonical(judgments, part.strip()) for part in term.split("+"))}
    for name, part in parts.items():
        if name in wanted or (REPLICATE in wanted and name.endswith(REPLICATE)):
            return part
    raise UnknownTerm(term, tuple(parts))


def _refuse_certain(judgments: Judgments, fixed: Sequence[str], counts: Floats) -> None:
    """Refuse levels of a fixed facet that always have the lowest, or highest, score: their log odds are infinite."""
    for name in fixed:
        code = judgments.column(name)
        total = np.bincount(code, counts.sum(axis=1))
        for end, word in ((0, "lowest"), (-1, "highest")):
            always = np.flatnonzero((np.bincount(code, counts[:, end]) == total) & (total > 0))
            if len(always):
                level = judgments.facet(name).levels[always[0]]
                raise NotEstimable(
                    f"{name} {level} always has the {word} score, so its log odds are infinite; leave it out, or make "
                    f"{name} random by " + argument("fixed", ())
                )


FEW_ANSWERS = 20
"""Answers of a level below which Laplace's approximation makes an interaction's variance too small by a tenth."""
LEVEL_1 = np.pi**2 / 3
"""Variance of the logistic distribution, which is that of one judgment on the scale of log odds."""


def refuse_latent(source: object, name: str) -> None:
    """Refuse components of log odds where what is asked is of scores as numbers.

    Raises
    ------
    InvalidInput
        If the argument of this name is a `LatentDecomposition`.
    """
    if isinstance(source, LatentDecomposition):
        raise InvalidInput(
            f"{name}: components of log odds are of another scale than scores, which this is about; hand over its "
            "linear, the decomposition of the same scores as numbers"
        )


@dataclass(frozen=True)
class LatentComponent(OneComponent):
    """One component of the log odds.

    Parameters
    ----------
    name : str
        Term, or the sum of terms that cannot be told apart, joined by " + ".
    variance : float
        Estimate, in squared log odds.
    se : float
        Standard error, from second derivatives of the deviance; nan for a sensitivity and the level-1 variance.
    low, high : float
        95% interval.
    levels : int
        Levels of the term in the data.
    kind : {"random", "sensitivity", "level-1"}
        The level-1 variance is that of one judgment given everything else: pi^2/3, not an estimate.
    share : float
        Fraction of the variance of one judgment on the scale of log odds.
    linear : float
        The same share where scores are taken as numbers, `Component.share`; nan where that model has no such term.
    """

    linear: float


@dataclass(frozen=True, eq=False, repr=False)
class LatentDecomposition(Result):
    """Components of the log odds of a table of judgments.

    Made by `decompose` with ``link="logit"`` or ``"ordinal"``. Components are read by name with `variance`, together
    with `components` or `to_frame`; `linear` is the decomposition of the scores as numbers, `rank_correlation` says
    whether both put the components in the same order, and `mean` is the mean score over the random effects. `endless`
    names terms whose variance has no end by Laplace's approximation, where that was tried first.
    """

    linear: Decomposition = field(repr=False)
    layout: Layout = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    optimum: Optimum = field(repr=False)
    values: Floats = field(repr=False)
    link: Link
    method: Approximation
    endless: tuple[str, ...] = ()

    derived = ("sentence", "deviance", "components", "rank_correlation", "mean", "caveats")

    @property
    def assembled(self) -> Assembled:
        """Terms and fixed effects."""
        return self.linear.assembled

    def __repr__(self) -> str:
        return brief("LatentDecomposition", ", ".join(f"{k} {v:.4g}" for k, v in self.variances.items()))

    @cached_property
    def sentence(self) -> str:
        """Which components are largest on either scale, whether the orders agree, and the mean."""
        known = [one for one in self.components if one.kind != "level-1" and np.isfinite(one.linear)]
        first, *rest = sorted(known, key=lambda one: -one.share)
        second = f", {rest[0].name} {whole_percent(rest[0].share)}" if rest else ""
        largest = max(known, key=lambda one: one.linear)
        (low, high), mean = self.mean.ends, self.mean.value
        return (
            f"On the scale of log odds {first.name} is {whole_percent(first.share)} of the variance of one judgment"
            f"{second}; of scores as numbers {largest.name} is {whole_percent(largest.linear)}. Spearman's correlation "
            f"of the two orders of components is {self.rank_correlation:.2f}. The mean score over the random effects "
            f"is {mean:.3g}, 95% interval {low:.3g} to {high:.3g}."
        )

    @property
    def judgments(self) -> Judgments:
        """The answered judgments that were fitted."""
        return self.assembled.judgments

    @property
    def deviance(self) -> float:
        """Minus twice the logarithm of the likelihood of the single judgments, by the approximation of `method`."""
        return self.optimum.point.criterion

    @cached_property
    def variances(self) -> Mapping[str, float]:
        """Estimates of the components that can be told apart, and of the sums that can, in squared log odds."""
        return {name: float(value) for name, value in zip(self.names, self.optimum.variance, strict=True)}

    def variance(self, term: str) -> float:
        """Variance component of a term, in squared log odds.

        Parameters
        ----------
        term : str
            Facets joined by ":" in any order, ``cell``, a sum of terms joined by " + " that cannot be told apart,
            ``replicate`` for the level-1 variance, or a fixed facet for its sensitivity.

        Raises
        ------
        UnknownTerm
            If the model has no such term.
        """
        return named(term, {one.name: one.variance for one in self._known}, self.judgments)

    def sensitivity(self, facet: str) -> float:
        """Population variance (divisor M) of the fitted log odds of a fixed facet's levels."""
        return float(np.var(self.assembled.fixed.levels[facet][:, 1:] @ self.effects))

    @property
    def thresholds(self) -> Floats:
        """Log odds of a score at most so high, for every score but the highest, where all effects are zero."""
        return self.optimum.fixed[: len(self.values) - 1]

    @property
    def effects(self) -> Floats:
        """Fixed effects on the log odds of a higher score, without the intercept."""
        return self.optimum.fixed[len(self.values) - 1 :]

    @property
    def fixed_effects(self) -> Mapping[str, tuple[float, float]]:
        """Estimate and standard error of every threshold, or of the intercept of two scores, and fixed effect."""
        se = np.sqrt(np.diag(self.covariance)[len(self.names) :])
        names = [f"{low:g}|{high:g}" for low, high in zip(self.values[:-1], self.values[1:], strict=True)]
        estimates = self.optimum.fixed.copy()
        if len(self.values) == 2:
            names, estimates[0] = ["(Intercept)"], -estimates[0]
        names += self.assembled.fixed.names[1:]
        return {name: (float(b), float(s)) for name, b, s in zip(names, estimates, se, strict=True)}

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of components and fixed parameters; zero for components that are zero."""
        from quorate.numerics.links.search import covariance

        return covariance(self.layout, self.optimum, inside=self.method == "pirls")

    @cached_property
    def _known(self) -> tuple[LatentComponent, ...]:
        """Components without uncertainty and linear shares: name, variance, levels, kind, share."""
        level_1 = REPLICATE if self.assembled.replicated else f"{CELL} + {REPLICATE}"
        found = [(name, value, self.n_levels(name), "random") for name, value in self.variances.items()]
        found.append((level_1, LEVEL_1, self.judgments.n_answers, "level-1"))
        found += [
            (name, self.sensitivity(name), len(rows), "sensitivity")
            for name, rows in self.assembled.fixed.levels.items()
            if len(rows) > 1
        ]
        total, none = sum(value for _, value, _, _ in found), float("nan")
        return tuple(
            LatentComponent(name, value, none, none, none, levels, kind, value / total, none)
            for name, value, levels, kind in found
        )

    @cached_property
    def components(self) -> tuple[LatentComponent, ...]:
        """All components, random ones first, with standard errors, 95% intervals and linear shares."""
        linear = {one.name: one.share for one in self.linear.components}
        errors = dict(zip(self.names, np.sqrt(np.diag(self.covariance)), strict=False))
        out = []
        for one in self._known:
            se, low, high = float("nan"), float("nan"), float("nan")
            if one.kind == "random":
                df = max(one.levels - 1, 1)
                se = float(errors[one.name]) or float(np.sqrt(2 / df)) * self.noise[one.name]
                low, high = variance_interval(one.variance, se, df, 0.95)
            share = linear.get(one.name, float("nan"))
            out.append(LatentComponent(one.name, one.variance, se, low, high, one.levels, one.kind, one.share, share))
        return tuple(out)

    @cached_property
    def noise(self) -> Mapping[str, float]:
        """Sampling variance of the effect of one level of every term, averaged over its levels."""
        from quorate.numerics.links.search import LEAST

        traces = self.optimum.point.modes.factor.leverage[1]
        levels = [self.n_levels(name) for name in self.names]
        variance = np.maximum(self.optimum.variance, LEAST)
        return dict(zip(self.names, np.maximum(np.array(levels) / traces - variance, 0.0).tolist(), strict=True))

    @cached_property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the latent and the linear shares, over the terms that both models have."""
        linear = {one.name: one.share for one in self.linear.components}
        both = [(one.share, linear[one.name]) for one in self._known if one.name in linear]
        return of_pair(spearman, *np.array(both).T)

    @cached_property
    def mean(self) -> LatentMean:
        """The mean score where random facets stand for their population: the model's, over all random effects."""
        from quorate.numerics.links.search import logistic_normal, settled

        x, steps, total = grid(self.assembled), np.diff(self.values), float(self.optimum.variance.sum())
        # Given the components, the fixed parameters are those of Laplace's approximation whatever the method: the mean
        # then hardly depends on the components, and its variance is that of the fixed parameters. Where the main effect
        # of a random facet was found from few levels, its part is that of the restricted estimate, and at least three
        # standard errors of a zero one (``docs/methods/links.md``).
        modes = (self.optimum.point if self.method == "laplace" else settled(self.layout, self.optimum)).modes
        thresholds, effects = modes.fixed[: len(steps)], modes.fixed[len(steps) :]
        above, slope, _ = logistic_normal(x @ effects[:, None] - thresholds, total)
        value = float(self.values[0] + above.mean(axis=0) @ steps)
        of_fixed = np.concatenate([-slope.mean(axis=0) * steps, (slope @ steps) @ x / len(x)])
        lower = modes.factor.lower[modes.factor.q :, modes.factor.q :]
        weight, variance = _in_variance(self, modes, of_fixed), float(np.sum(np.linalg.solve(lower, of_fixed) ** 2))
        spread = 0.0
        for name, v, noise in zip(self.names, self.optimum.variance, self.noise.values(), strict=True):
            own, found = max(self.n_levels(name) - 1, 1), restricted(self, name, float(v))
            if _is_main(self, name):
                three_errors = float(3 * noise * np.sqrt(2 / (own + 2)))  # of a mean square that is noise
                variance += weight[name] * (max(found, three_errors) - v)
            spread += 2 * (weight[name] * (found + noise)) ** 2 / own
        df = max(1.0, 2 * variance**2 / spread) if spread > 0 else np.inf
        ends = float(self.values[0]), float(self.values[-1])
        return LatentMean(value, float(np.sqrt(variance)), df, self.judgments.n_answers, total, ends)

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader of these components must know, only what applies."""
        out = list(self.judgments.source.caveats)
        if self.assembled.missing:
            out.append(caveats.missing(self.assembled.missing, self.judgments.n_answers + self.assembled.missing))
        out += [caveats.endless_variance(self.endless)] if self.endless else []
        answers = {name: self.judgments.n_answers / self.n_levels(name) for name in self.variances}
        few = {name: n for name, n in answers.items() if n < FEW_ANSWERS and (":" in name or name == CELL)}
        out += [caveats.few_answers_a_level(few)] if few else []
        out += [caveats.few_levels(name, 2) for name in self.variances if name != CELL and self.n_levels(name) == 2]
        zero = [name for name, value in self.variances.items() if value == 0]
        return (*out, *([caveats.boundary(zero)] if zero else []))

    def rows(self) -> list[Row]:
        """One row a component: term, variance, se, low, high, levels, kind, share, linear."""
        return [one.row() for one in self.components]

    def n_levels(self, name: str) -> int:
        """Levels of a term."""
        last = name.rsplit(" + ", maxsplit=1)[-1]
        if last == CELL:
            return self.judgments.n_cells
        return int(self.judgments.level_codes(last.split(":")).max()) + 1


# Mean score of a latent decomposition: shares of the scores, integrated over the random effects.


_MOST = 100_000
"""Combinations of levels of fixed facets over which a mean is averaged."""


@dataclass(frozen=True)
class LatentMean(Interval):
    """A mean score from log odds, with an interval between the lowest and the highest score.

    Parameters
    ----------
    value : float
        The mean, in score units: random facets stand for their population, levels of fixed facets weigh equally.
    se : float
        Standard error, by the delta method.
    df : float
        Satterthwaite degrees of freedom.
    n : int
        Answers used.
    latent_variance : float
        Variance of the log odds over all random effects.
    scale : (float, float)
        Lowest and highest score.
    level : float
        Coverage of the interval.
    """

    value: float
    se: float
    df: float
    n: int
    latent_variance: float
    scale: Ends = field(repr=False)
    level: float = 0.95

    def _limits(self) -> Ends:
        """Student's t, within the ends of the scale."""
        return limits(self.value, t_quantile(self.df, (1 + self.level) / 2) * self.se, self.n, self.scale)


def restricted(fit: LatentDecomposition, name: str, variance: float) -> float:
    """A component as its restricted estimate is: a main effect's is larger, by one level more than its degrees."""
    own = max(fit.n_levels(name) - 1, 1)
    return variance * (own + 1) / own if _is_main(fit, name) else variance


def _is_main(fit: LatentDecomposition, name: str) -> bool:
    """Whether a term is the main effect of a facet whose levels all levels of the mean share."""
    last = name.rsplit(" + ", maxsplit=1)[-1]
    return ":" not in last and last in fit.judgments.names


def _in_variance(fit: LatentDecomposition, modes: Modes, of_fixed: Floats) -> Mapping[str, float]:
    """How much of each component is in the variance of a linear function of the fixed parameters."""
    factor, scaled, coupling = modes.factor, modes.scaled, modes.border.coupling
    lower = factor.lower[factor.q :, factor.q :]
    rows = coupling @ np.linalg.solve(lower.T, np.linalg.solve(lower, of_fixed))
    solved, _ = factor.solve(scaled.sums(rows[:, None]))
    rows = rows - factor.weight * scaled.rows(solved)[:, 0]
    levels = fit.layout.by_term
    return {name: float(np.sum(np.bincount(c, rows) ** 2)) for name, c in zip(fit.names, levels, strict=True)}


def grid(assembled: Assembled) -> Floats:
    """Rows of fixed effects for every combination of levels of the fixed facets, covariates at their mean."""
    fixed, model = assembled.fixed, assembled.model
    for term in model.covariates:
        if len(set(term.split(":")) & set(model.fixed)) > 1:
            raise NotEstimable(f'covariates: the mean over "{term}" is not known for scores with a link; leave it out')
    levels = list(fixed.levels.values())
    if np.prod([float(len(rows)) for rows in levels]) > _MOST:
        raise NotEstimable(f"the fixed facets have more than {_MOST:,} combinations of levels; make one of them random")
    rows = [fixed.mean + sum(parts) for parts in product(*([row - fixed.mean for row in of] for of in levels))]
    return np.array(rows)[:, 1:]
