"""Mean score: what it is worth for a stated target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.fit import Fitted
from quorate.estimate.components.model import CELL, of_items
from quorate.estimate.means.intervals import (
    coefficients,
    held_adjustment,
    held_slopes,
    is_of_known_levels,
    limits,
    of_known_levels,
    score_ends,
    term_facets,
)
from quorate.estimate.means.reach import crowds_of, drawn_facets, errors_of_studies, reach, shared_ratio
from quorate.estimate.means.targets import (
    FINITE,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Pool,
    Target,
    default_targets,
    drawn_too,
    resolve,
    scope,
    unsaid,
)
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import checked_level, pivotal
from quorate.numerics.mixed.information import adjustment, bounds, cell_weights, variance_parts, weights
from quorate.numerics.mixed.reml import squares
from quorate.numerics.reach import Reach
from quorate.roles import PROMPT, REPLICATE
from quorate.streams import stream
from quorate.table.results import Ends, Interval
from quorate.wording import Brief, at_level, listed, plural

# Variances that the data leave open: what is refused, its range, and what to do about it.


_SLIGHT = 0.01
"""A standard error whose range is narrower, relative, is known: the larger end is taken."""


def settled(
    fit: Fitted, gradient: Floats, concentrated: Floats, drawn: Iterable[str], for_these: Callable[[str], Floats]
) -> Floats:
    """Weights of the components in a variance, where flat directions of the likelihood leave it open by 1% at most.

    Components of which only the sum is known then all have the largest weight among them.

    Parameters
    ----------
    fit : Fitted
        The components.
    gradient, concentrated : array, shape (components,)
        Weights for the target, and where all facets are drawn.
    drawn : iterable of str
        Facets that stand for more than their levels.
    for_these : callable
        Maps one of them to the weights where it stands for its levels.

    Raises
    ------
    NotEstimable
        If the variance is left open; with its range, and the facet that settles it where one does.
    """
    names, theta = fit.assembled.names, np.maximum(fit.theta, 0.0)
    if not fit.identified.estimable(gradient):
        space = fit.identified.null_space()
        low, high = bounds(gradient, theta, space)
        raised = gradient.copy()
        for members in fit.identified.classes:
            raised[list(members)] = gradient[list(members)].max()
        if high <= low * (1 + _SLIGHT) ** 2 and fit.identified.estimable(raised):
            return raised
        moved = np.abs(space[np.abs(space @ gradient) > 1e-9]).sum(axis=0)
        open_ = [names[t] for t in np.flatnonzero(moved)]
        in_them = [facet for facet in drawn if any(facet in name.split(":") for name in open_)]
        settle = [one for one in in_them if fit.identified.estimable(for_these(one))]
        raise _open(fit, open_, low, high, settle, asked=bool(in_them))
    residual = range(len(theta) - fit.assembled.problem.n_residual, len(theta))
    reduced = [t for t in residual if gradient[t] < concentrated[t] * (1 - 1e-9)]
    if reduced and not fit.assembled.replicated:
        low = float(gradient @ theta)
        high = low + float(sum((concentrated[t] - gradient[t]) * theta[t] for t in reduced))
        raise _open(fit, [CELL, REPLICATE], low, high, [])
    return gradient


def _open(
    fit: Fitted, names: list[str], low: float, high: float, settle: list[str], *, asked: bool = False
) -> NotEstimable:
    """What is not told apart, how much hangs on it, and what can be asked instead."""
    ends = [float(np.sqrt(max(end, 0.0)) * fit.assembled.scale) for end in (low, high)]
    limits = f"between {ends[0]:.4g} and {ends[1]:.4g}" if np.isfinite(ends[1]) else f"at least {ends[0]:.4g}"
    why = (
        f"the standard error for this target needs {listed(names)} apart, and these data show only what they bring "
        f"together: it is {limits}. "
    )
    if settle:
        facet = settle[0]
        these = why + "Take the " + plural(facet) + " as they are, " + argument(facet, PANEL, group="targets")
        return NotEstimable(these + ", or collect judgments that cross them with the rest", names, (ends[0], ends[1]))
    terms = [set(name.split(":")) for name in names]
    shared, others = set.intersection(*terms), set.union(*terms)
    if len(terms) == 1 < len(shared):  # an interaction alone: judges who each had a prompt of their own
        shared = {PROMPT if PROMPT in shared else max(shared)}
    if shared and (others := others - shared) and not others & {CELL, REPLICATE}:
        them, rest = listed(sorted(shared)), " and ".join(f"every {name}" for name in sorted(others))
        instead = f"Collect judgments of {rest} at several levels of {them}, or read the table without {them}"
    else:
        instead = (
            f"{'Ask for the panel these levels are, or collect' if asked else 'Collect'} more levels or replicates"
        )
    return NotEstimable(why + instead, names, (ends[0], ends[1]))


_MISSED = 0.03
"""Coverage that skewness takes, from which it is said: of normal scores 1 study of 15 would, with ten items."""

IntervalMethod = Literal["satterthwaite", "pivotal", "bootstrap", "wald"]


@dataclass(frozen=True)
class Estimate(Interval):
    """A mean with its uncertainty.

    Parameters
    ----------
    value : float
        The estimate, in score units.
    se : float
        Standard error for the target: that of `reach`; without one that of the components, with the Kenward-Roger
        adjustment where the data are unbalanced.
    df : float
        Its degrees of freedom, Satterthwaite's.
    n : int
        Answers used.
    target : mapping of str to str or Pool
        What each facet stands for.
    shares : mapping of str to float
        Fraction of the variance that each component brings; sums to 1 (without the adjustment).
    caveats : tuple of Caveat
        What the reader must know.
    basis : Basis
        What the intervals need beyond these numbers.
    level : float
        Coverage of the interval.
    method : {"satterthwaite", "pivotal", "bootstrap", "wald"}, optional
        Another interval than the default; see `at`.
    """

    value: float
    se: float
    df: float
    n: int
    target: Mapping[str, Target]
    shares: Mapping[str, float]
    caveats: tuple[caveats.Caveat, ...]
    basis: Basis = field(repr=False)
    level: float = 0.95
    method: IntervalMethod | None = None

    def __str__(self) -> str:
        return (
            f"{self.value:.6g} (se {self.se:.3g}, df {self.df:.3g}, {at_level(self.level)} interval {self.low:.6g} to "
            f"{self.high:.6g}, n {self.n})"
        )

    @property
    def scope(self) -> str:
        """Whom it speaks for."""
        judgments = self.basis.fit.judgments
        return scope(judgments, self.target, judgments.object)

    @property
    def variance(self) -> float:
        """Square of the standard error."""
        return self.se**2

    @property
    def of_setup(self) -> bool:
        """Whether it speaks for this study's setup: only items, and what groups them, stand for others."""
        judgments = self.basis.fit.judgments
        apart = {judgments.object, *judgments.ancestors(judgments.object)}
        return all(name in apart or target != POPULATION for name, target in self.target.items())

    @cached_property
    def reach(self) -> Reach | None:
        """How far the value may be from what it stands for; None where items stand for themselves, or for a pool."""
        fit = self.basis.fit
        if self.basis.weighed.levels is not None:
            return None
        return reach(fit.judgments, self._cells, self.target, **self._held, crowds=crowds_of(fit), made=fit.shared)

    def of_studies(self, scores: Floats) -> tuple[Floats, Floats, Floats, tuple[tuple[Floats, float], ...]]:
        """Values, variances over items, their df and what drawn facets add in studies like this one.

        Parameters
        ----------
        scores : array, shape (studies, cells)
            Of every study. Components are held at what was found: only weights of cells rest on them.
        """
        fit = self.basis.fit
        if crowds_of(fit):
            raise NotEstimable(
                "studies: facets of many levels are predicted, which is not done of many studies at once"
            )
        found = errors_of_studies(fit.judgments, self._cells, self.target, scores, **self._held)
        return (scores @ self._cells, *found)

    @cached_property
    def _cells(self) -> Floats:
        """Weight of every cell in the value."""
        problem, solved = self.basis.fit.assembled.problem, self.basis.fit.point.solved
        return cell_weights(problem, weights(problem, solved, self.basis.weighed.weight))

    @property
    def _held(self) -> dict[str, float]:
        """What a reach takes from components: the ratio that items share, and what the setup's own weights bring."""
        fit = self.basis.fit
        apart = {fit.judgments.object, *fit.judgments.ancestors(fit.judgments.object)}
        known = {one: PANEL if one not in apart and to == POPULATION else to for one, to in self.target.items()}
        names = [name for name in fit.assembled.names if not {*term_facets(fit, name)} & apart]
        beyond = [fit.assembled.names.index(name) for name in names]
        if all(is_of_known_levels(fit, name, known) for name in names):
            unequal = np.array([of_known_levels(fit, name, known, self._cells) for name in names])
        else:
            unequal = self.basis.weighed.gradient(known)[beyond]
        brought = float(np.sum(unequal * np.maximum(fit.theta[beyond], 0.0))) * fit.assembled.scale**2
        return {"ratio": shared_ratio(fit), "setup_only": brought}

    @property
    def beyond_items(self) -> dict[str, float]:
        """What facets that stand for others are estimated to leave of the variance with any number of items."""
        if self.reach is None:
            return {
                name: share * self.variance
                for name, share in self.shares.items()
                if not of_items(name, self.basis.fit.judgments.object)
            }
        names = drawn_facets(self.basis.fit.judgments, self.target)
        return {name: one.variance for name, one in zip(names, self.reach.effects, strict=True)}

    def tail(self, distance: float) -> float:
        """One-sided p-value of a value this far from a bound, by the law of its default interval."""
        return t_cdf(self.df, -distance / self.se) if self.reach is None else self.reach.tail(distance)

    def at(self, level: float | None = None, method: IntervalMethod | None = None) -> Estimate:
        """The same with an interval of another coverage, or by another method.

        Parameters
        ----------
        level : float
            Coverage wanted, in (0, 1).
        method : {"satterthwaite", "pivotal", "bootstrap", "wald"}, optional
            By default that of `Reach`: over items with everything else as it is, and beyond that by how far levels of
            facets that stand for others differ; a mean's on a scale that ends in Wilson's form. ``"satterthwaite"`` is
            Student's t on the variance of the components, the default where items stand for themselves or for a
            pool. Others: generalised pivotal, balanced data only;
            studentised parametric bootstrap from `Decomposition.bootstrap`, which covers 88 to 93% with 3 prompts; or
            the normal interval without small-sample corrections, as the source paper has it, which covers 83 to 92%
            with 3 prompts. Coverage is measured in ``docs/methods/intervals.md`` and ``docs/methods/bootstrap.md``.

        """
        level = self.level if level is None else checked_level(level)
        if method is not None:
            rules.one_of("method", method, IntervalMethod)
        return self.but(level=level, method=method)

    def _limits(self) -> Ends:
        level, method, upper = self.level, self.method, (1 + self.level) / 2
        if method is None and self.reach is not None:
            half = self.reach.half_width(level)
        elif method is None or method == "satterthwaite":
            half = t_quantile(self.df, upper) * self.se
        elif method == "wald":
            half = t_quantile(np.inf, upper) * float(np.sqrt(self.basis.plain))
        elif method == "pivotal":
            half = _pivotal_half_width(self.basis, level)
        else:
            half = self.basis.fit.studentised(self.basis, level)
        return limits(self.value, half, self.n, self.basis.ends if method is None else None)


@dataclass(frozen=True)
class Weighed(Brief):
    """A mean or contrast as a weighted sum of scores, whatever it stands for.

    Parameters
    ----------
    value : float
        What it is.
    n : int
        Answers in it.
    weight : array, shape (p,)
        Weight of each fixed effect in it.
    concentrated : array, shape (components,)
        Weights of the components in its variance where all facets are drawn.
    added : float
        What estimating the components adds to its variance.
    gradient : callable
        Maps targets of all facets to the weights of the components in its variance.
    levels : mapping of str to int, optional
        Levels of fixed facets in it, where the scores are not those that the components were fitted to; else None.
    """

    value: float
    n: int
    weight: Floats
    concentrated: Floats
    added: float
    gradient: Callable[[Mapping[str, Target]], Floats]
    levels: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Basis(Brief):
    """What the intervals need beyond the numbers shown.

    Parameters
    ----------
    fit : Fitted
        Where the components came from.
    weighed : Weighed
        The weighted sum of scores that was estimated.
    gradient : array, shape (components,)
        Weight of each component in the variance.
    plain : float
        Variance without small-sample adjustment.
    spread : float
        Variance of that, as an estimate.
    drawn : mapping of str to FacetDraw
        Fixed facets taken as draws.
    ends : (float, float), optional
        Of the scale that the value is a mean on; None of a difference, and of scores without ends.
    """

    fit: Fitted
    weighed: Weighed
    gradient: Floats
    plain: float
    spread: float
    drawn: Mapping[str, FacetDraw]
    ends: tuple[float, float] | None = None

    @property
    def weight(self) -> Floats:
        """Weight of each fixed effect in the value, shape (p,)."""
        return self.weighed.weight


@dataclass(frozen=True)
class FacetDraw(Brief):
    """A fixed facet taken as a draw: S^2 of its level means, its degrees of freedom, weight, and noise coefficients."""

    square: float
    df: float
    factor: float
    noise: Floats


def mean_for(fit: Fitted, asked: Mapping[str, Target]) -> Estimate:
    """The mean for stated targets; see `Decomposition.mean_for`."""
    return on_scale(plain_mean(fit, asked))


@dataclass(frozen=True)
class Readings(Brief):
    """One mean as two questions have it.

    Parameters
    ----------
    setup : Estimate
        For this study's setup, or as asked.
    others : Estimate or None
        For others like it: judges, prompts and the like drawn too, as far as they are at least three.
    reason : str
        What the study is too small to say of others; empty where nothing is left out.
    """

    setup: Estimate
    others: Estimate | None
    reason: str


def readings(fit: Fitted, asked: Mapping[str, Target] = MappingProxyType({})) -> Readings:
    """A mean for this study's setup and for others like it; facets that are asked for stand for that in both."""
    setup, reason = mean_for(fit, asked), unsaid(fit, asked)
    aimed = drawn_too(fit, asked)
    if all(target != POPULATION or setup.target[name] == POPULATION for name, target in aimed.items()):
        return Readings(setup, None, reason)
    try:
        return Readings(setup, mean_for(fit, aimed), reason)
    except NotEstimable as error:
        return Readings(setup, None, str(error))


def on_scale(plain: Estimate) -> Estimate:
    """A mean of all scores, whose interval ends where their scale does."""
    table = plain.basis.fit.judgments
    ends = score_ends(table)
    made = by_reach(_but(plain, basis=replace(plain.basis, ends=ends)))
    least, most = float(table.low.min()), float(table.high.max())
    if ends is None and (made.low < least or made.high > most):
        return made.but(caveats=(*made.caveats, caveats.beyond_the_scores(least, most)))
    return made


def by_reach(estimate: Estimate) -> Estimate:
    """The same with the standard error and degrees of freedom of its `reach`, and a caveat where that falls short."""
    found = estimate.reach
    if found is None:
        return estimate
    said = list(estimate.caveats)
    if estimate.basis.ends is None and found.missed > _MISSED:
        items = plural(estimate.basis.fit.judgments.object)
        said.append(caveats.long_tail(items, found.skewness, 0.95 - found.missed))
    out = replace(estimate, se=found.se, df=found.freedom, caveats=tuple(dict.fromkeys(said)))
    out.__dict__["reach"] = found  # which is the same, and takes as long as the fit to find
    return out


def aimed(estimate: Estimate, targets: Mapping[str, Target]) -> Estimate:
    """The same value for what other targets have it stand for."""
    return by_reach(_but(estimate, target=dict(targets)))


def _but(estimate: Estimate, **changes: Any) -> Estimate:
    """An estimate in which what changes are about is other, but not the weights of cells, if they were found."""
    out = replace(estimate, **changes)
    out.__dict__.update({name: cells for name, cells in vars(estimate).items() if name == "_cells"})
    return out


def plain_mean(fit: Fitted, asked: Mapping[str, Target]) -> Estimate:
    """The mean for stated targets with Student's interval, as differences take it."""
    if "mean" not in fit.shared:  # whatever it stands for, it is this sum of scores
        fit.shared["mean"] = weighed(fit, fit.assembled.fixed.mean)
    return estimate(fit, fit.shared["mean"], resolve(fit, asked))


def contrast(fit: Fitted, weight: Floats, targets: Mapping[str, Target]) -> Estimate:
    """The value of ``weight' beta`` as an estimate of its target.

    Variance: ``sum_t sigma2_t sum_l (w_l - tau_l)^2`` plus what fixed facets taken as draws add; derived in
    ``docs/methods/intervals.md``.
    """
    return estimate(fit, weighed(fit, weight), targets)


def weighed(fit: Fitted, weight: Floats, covariance: Floats | None = None) -> Weighed:
    """The value of ``weight' beta`` as the cells of the fit weigh in it, with the covariance of its components."""
    problem, solved, scale = fit.assembled.problem, fit.point.solved, fit.assembled.scale
    given = weights(problem, solved, weight)
    covariance = (fit.covariance if covariance is None else covariance) / scale**4
    added = scale**2 * held_adjustment(fit, weight, covariance, adjustment(problem, solved, weight, covariance))
    gradient = partial(coefficients, fit, given)
    return Weighed(float(weight @ fit.beta), fit.judgments.n_answers, weight, squares(problem, given), added, gradient)


def contrasts(fit: Fitted, rows: Floats, targets: Mapping[str, Target], like: Ints) -> list[Estimate]:
    """As `contrast` for every row of weights, shape (contrasts, p), ``like`` the first row of the same variance."""
    problem, solved, scale = fit.assembled.problem, fit.point.solved, fit.assembled.scale
    first, place = np.unique(like, return_inverse=True)
    parts = variance_parts(problem, solved, rows[first], fit.covariance / scale**4)
    gradients = parts.squares
    if any(is_of_known_levels(fit, name, targets) for name in fit.assembled.names):
        gradients = np.array([coefficients(fit, weights(problem, solved, row), targets) for row in rows[first]])

    def sum_of(row: Floats, concentrated: Floats, added: float) -> Weighed:
        def gradient(other: Mapping[str, Target]) -> Floats:
            return coefficients(fit, weights(problem, solved, row), other)

        value, n = float(row @ fit.beta), fit.judgments.n_answers
        return Weighed(value, n, row, concentrated, scale**2 * float(added), gradient)

    each = zip(rows, gradients[place], *(part[place] for part in parts), strict=True)
    return [estimate(fit, sum_of(row, *of_row), targets, gradient) for row, gradient, *of_row in each]


def estimate(fit: Fitted, weighed: Weighed, targets: Mapping[str, Target], gradient: Floats | None = None) -> Estimate:
    """A weighted sum of scores as an estimate of its target, by the components of a fit.

    ``gradient`` has the weights of the components for these targets, where they are known already.
    """
    drawn_facets = [name for name, target in targets.items() if target not in (PANEL, FINITE)]
    given = weighed.gradient(targets) if gradient is None else gradient
    gradient = settled(
        fit, given, weighed.concentrated, drawn_facets, lambda facet: weighed.gradient({**targets, facet: PANEL})
    )
    theta = np.maximum(fit.theta, 0.0) * fit.assembled.scale**2
    terms = gradient * theta
    classes = zip(fit.variances, fit.identified.classes, strict=True)
    parts = {name: float(sum(terms[t] for t in members)) for name, members in classes}
    slopes, spread, draws = held_slopes(fit, gradient), 0.0, {}
    for facet, target in targets.items():
        if facet not in fit.assembled.fixed.levels or target in (PANEL, FINITE):
            continue
        draws[facet] = drawn = draw_of(fit, facet, target, None if weighed.levels is None else weighed.levels[facet])
        parts[facet] = drawn.factor * max(drawn.square - float(drawn.noise @ theta), 0.0)
        slopes = slopes - drawn.factor * drawn.noise  # at zero too, as for random facets
        spread += 2 * (drawn.factor * drawn.square) ** 2 / drawn.df if np.isfinite(drawn.df) else 0.0
    plain = float(np.sum(list(parts.values())))
    total = slopes @ fit.covariance @ slopes + spread
    df = max(1.0, float(2 * plain**2 / total)) if total > 0 else np.inf
    return Estimate(
        value=weighed.value,
        se=float(np.sqrt(plain + weighed.added)),
        df=float(df),
        n=weighed.n,
        target=dict(targets),
        shares={name: part / plain for name, part in parts.items()} if plain > 0 else dict.fromkeys(parts, np.nan),
        caveats=(*fit.caveats, *_caveats(fit, targets, parts, gradient > given)),
        basis=Basis(fit, weighed, gradient, plain, float(total), draws),
    )


def draw_of(fit: Fitted, facet: str, target: Target, used: int | None = None) -> FacetDraw:
    """What a fixed facet adds when its levels stand for more than themselves; ``used`` of them unless all are."""
    levels = fit.assembled.fixed.levels[facet]
    m, means = len(levels), levels @ fit.beta
    n = m if used is None else used
    if target == SENSITIVITY:
        return FacetDraw(float(np.var(means)), np.inf, 1 / n, np.zeros(len(fit.theta)))
    if m < 2:
        panel = argument(facet, PANEL, group="targets")
        raise NotEstimable(f"{facet}: one level says nothing about others; use " + panel, {facet})
    factor = 1 / n - (1 / target.size if isinstance(target, Pool) else 0.0)
    return FacetDraw(float(np.var(means, ddof=1)), m - 1, factor, fit.level_noise[facet])


def _caveats(
    fit: Fitted, targets: Mapping[str, Target], parts: Mapping[str, float], raised: Bools
) -> Iterator[caveats.Caveat]:
    """Indexes, panels of two taken as draws, fixed facets that differ by no more than noise, and raised weights."""
    yield from (caveats.sensitivity(name) for name, target in targets.items() if target == SENSITIVITY)
    beyond = {name for name, target in default_targets(fit).items() if target == PANEL and targets[name] == POPULATION}
    yield from (caveats.few_levels(name, 2) for name in sorted(beyond) if fit.judgments.n_levels(name) == 2)
    fixed = {name: len(levels) for name, levels in fit.assembled.fixed.levels.items()}
    for name, m in fixed.items():
        if targets[name] not in (PANEL, FINITE, SENSITIVITY) and parts[name] == 0:
            yield caveats.no_spread(name, m)
    for members in fit.identified.classes:  # components known by their sum alone all have the largest weight
        if raised[list(members)].any():
            yield caveats.larger_weight([fit.assembled.names[t] for t in members])


def _pivotal_half_width(source: Basis, level: float) -> float:
    """Half-width of the generalised pivotal interval, balanced data only."""
    from quorate.estimate.components.assemble import balanced_strata

    strata = source.fit.strata or balanced_strata(source.fit.assembled)
    scale = source.fit.assembled.scale
    squares_, df, expected, gradient = strata.squares, strata.df, strata.expected, source.gradient
    for drawn in source.drawn.values():
        if not np.isfinite(drawn.df):
            raise InvalidInput("method: 'pivotal' does not apply to a sensitivity, which is an index")
        expected = np.block(
            [
                [expected, np.zeros((len(expected), 1))],
                [np.append(drawn.noise, np.zeros(expected.shape[1] - len(drawn.noise))), 1.0],
            ]
        )
        squares_, df = np.append(squares_, drawn.square / scale**2 * drawn.df), np.append(df, drawn.df)
        gradient = np.append(gradient, drawn.factor)
    return pivotal(squares_, df, expected, gradient, level, stream(0, "pivotal")) * scale
