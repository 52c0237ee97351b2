"""Parametric bootstrap of a fit: how components, their shares and the mean vary over studies of the same design."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.fit import Fitted
from quorate.estimate.means.mean import Basis, FacetDraw, mean_for
from quorate.estimate.means.targets import Target
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.mixed.refit import refits
from quorate.numerics.roots import root
from quorate.streams import stream
from quorate.table.results import Interval, StatedInterval

DrawnMethod = Literal["pivotal", "percentile"]
_FEWEST = 100


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Estimates from data redrawn by a fitted model.

    Made by `Decomposition.bootstrap`. ``components``, ``level_means`` and ``level_squares`` are the draws by name;
    `interval`, `share` and `mean_shares` turn them into intervals.

    Parameters
    ----------
    fit : Fitted
        The fit whose model drew the data.
    theta : array, shape (draws, components)
        Components of the problem, in squared score units; zero where a component is not fitted.
    beta : array, shape (draws, p)
        Fixed effects, in score units.
    shift : array, shape (draws, p)
        What estimating the components moved the fixed effects by.
    scored : array, shape (draws, components)
        One scoring step from the truth of the draws, without bounds: it can be negative.
    unconverged : int
        Draws whose refit did not converge; the best point found stands for them.
    """

    fit: Fitted
    theta: Floats
    beta: Floats
    shift: Floats
    scored: Floats
    unconverged: int

    def __repr__(self) -> str:
        return f"Bootstrap({len(self)} draws of {len(self.components)} components, {self.unconverged} not converged)"

    def __len__(self) -> int:
        return len(self.theta)

    @cached_property
    def components(self) -> Mapping[str, Floats]:
        """Redrawn estimates of every component that can be told apart, in squared score units; shape (draws,) each."""
        return {name: self.theta[:, t] for name, t in self.fit.representatives.items()}

    @cached_property
    def level_means(self) -> Mapping[str, Floats]:
        """Redrawn means of the levels of every fixed facet, in score units; shape (draws, levels) each."""
        return {name: self.beta @ levels.T for name, levels in self.fit.assembled.fixed.levels.items()}

    @cached_property
    def level_squares(self) -> Mapping[str, Floats]:
        """S^2 (divisor M - 1) of the redrawn level means of every fixed facet with several levels, shape (draws,)."""
        several = {name: means for name, means in self.level_means.items() if means.shape[1] > 1}
        return {name: np.asarray(np.var(means, axis=1, ddof=1)) for name, means in several.items()}

    def interval(self, term: str, method: DrawnMethod = "pivotal") -> Interval:
        """A variance component or a fixed facet's sensitivity with its interval, in squared score units.

        Parameters
        ----------
        term : str
            As in `Decomposition.variance`.
        method : {"pivotal", "percentile"}
            The default turns the mean square behind a component around; percentiles of the redrawn estimates are
            narrower and cover less. Measured in ``docs/methods/bootstrap.md``.

        Returns
        -------
        Interval
            At 95%, and at another coverage by ``.at``; its limits are at least 0.

        Raises
        ------
        UnknownTerm
            If the model has no such term.
        NotEstimable
            If only a sum that contains it can be estimated, or nothing about it varies.
        """
        return self._stated(self.fit.variance(term), self.fit.drawn(term, self._draws(method)))

    def share(self, term: str, method: DrawnMethod = "pivotal") -> Interval:
        """The share of a term in the variance of one judgment; see `interval`."""
        draws, total = self._draws(method), self.fit.total
        return self._stated(max(self.fit.variance(term), 0.0) / total, self.fit.drawn(term, draws) / _total(draws))

    def mean_shares(self, **targets: Target) -> Mapping[str, Interval]:
        """The shares of the variance of the mean, by component.

        Parameters
        ----------
        **targets : str or Pool
            As in `Decomposition.mean_for`.
        """
        mean = mean_for(self.fit, targets)
        basis = mean.basis
        if basis.plain <= 0:
            raise NotEstimable("the variance of the mean is zero for these targets, so it has no shares")
        draws = self._draws("pivotal")
        parts = {name: basis.gradient[t] * draws[name] for name, t in self.fit.representatives.items()}
        for facet, drawn in basis.drawn.items():
            # An index varies with its redrawn levels, a draw as levels are drawn.
            index = not np.isfinite(drawn.df)
            rng = stream(0, f"bootstrap/{facet}")
            square = self._pivots[facet] if index else self.plausible_square(drawn, rng)
            parts[facet] = drawn.factor * np.maximum(square - self.plausible @ drawn.noise, 0.0)
        total = _total(parts)
        return {name: self._stated(mean.shares[name], part / total) for name, part in parts.items()}

    def to_frame(self, level: float = 0.95) -> Any:
        """Intervals as a frame in the caller's library: term, variance, low, high, share, share_low, share_high."""
        from quorate.table.results import frame

        draws = self._pivots
        total = _total(draws)
        limits = [(self._quantiles(draw, level), self._quantiles(draw / total, level)) for draw in draws.values()]
        parts, whole = {**self.fit.variances, **self.fit.sensitivities}, self.fit.total
        each = zip(parts.items(), limits, strict=True)
        rows = [(name, value, *a, max(value, 0.0) / whole, *b) for (name, value), (a, b) in each]
        names = ("term", "variance", "low", "high", "share", "share_low", "share_high")
        columns = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
        return frame(columns, self.fit.judgments.source.backend)

    @cached_property
    def _pivots(self) -> dict[str, Floats]:
        """Components and sensitivities that the draws make plausible: each pivot solved for its parameter."""
        theta = self.plausible
        out = {name: theta[:, t] for name, t in self.fit.representatives.items()}
        return {**out, **{name: self.plausible_spread(name) for name in self.level_squares}}

    @cached_property
    def plausible(self) -> Floats:
        """Components that the data make plausible, shape (draws, components); the default intervals are read from them.

        ``df MS / chi2`` less noise, as in `variance_interval`, the chi-squares ranked as drawn.
        """
        from scipy.special import chdtri

        fit, out = self.fit, np.zeros_like(self.theta)
        for t in fit.representatives.values():
            value, df = float(self._truth[t]), fit.freedom(t)
            square = max(float(np.sqrt(fit.covariance[t, t] * df / 2)), value)
            above = 1 - (np.argsort(np.argsort(self.scored[:, t])) + 0.5) / len(self)
            out[:, t] = np.maximum(df * square / chdtri(df, above) - (square - value), 0.0)
        return out

    def plausible_spread(self, facet: str) -> Floats:
        """Sensitivity, reflected on its root; the noise of level means is as large as plausible components make it."""
        fit = self.fit
        noise = fit.level_noise[facet]
        scale = np.sqrt(self.plausible @ noise / (self._truth @ noise))
        means = fit.assembled.fixed.levels[facet] @ fit.beta
        spread = np.std(means + (self.level_means[facet] - means) * scale[:, None], axis=1)
        out: Floats = np.maximum(2 * np.sqrt(fit.sensitivity(facet)) - spread, 0.0) ** 2
        return out

    @property
    def _truth(self) -> Floats:
        """What the data were drawn from, in squared score units."""
        out: Floats = np.maximum(self.fit.theta, 0.0) * self.fit.assembled.scale**2
        return out

    def _draws(self, method: str) -> dict[str, Floats]:
        rules.one_of("method", method, ("pivotal", "percentile"))
        if method == "pivotal":
            return self._pivots
        spread = {name: np.asarray(np.var(self.level_means[name], axis=1)) for name in self.level_squares}
        return {**self.components, **spread}

    def plausible_square(self, drawn: FacetDraw, rng: np.random.Generator) -> Floats:
        """S^2 that a fixed facet taken as a draw may have: ``df S^2 / chi2``, shape (draws,)."""
        out: Floats = drawn.square * drawn.df / rng.chisquare(drawn.df, len(self))
        return out

    def redrawn_square(self, facet: str, drawn: FacetDraw, rng: np.random.Generator) -> Floats:
        """S^2 of redrawn levels: their own effects from the population they stand for, with the noise of the draw."""
        means, own = self.level_means[facet], max(drawn.square - float(self._truth @ drawn.noise), 0.0)
        levels = rng.normal(0.0, np.sqrt(own), means.shape)
        centred = means - self.fit.assembled.fixed.levels[facet] @ self.fit.beta
        return np.asarray(np.var(centred + levels, axis=1, ddof=1))

    def _stated(self, value: float, draws: Floats) -> Interval:
        """A number with the quantiles of its draws as limits."""
        se, n = float(draws.std(ddof=1)), self.fit.judgments.n_answers
        return StatedInterval(value, se, n, 0.95, law=lambda level: self._quantiles(draws, level))

    def _quantiles(self, draws: Floats, level: float) -> tuple[float, float]:
        tail = _tail(level, len(self))
        low, high = np.quantile(draws, [tail, 1 - tail])
        return float(low), float(high)


def bootstrap(fit: Fitted, n: int, rng: np.random.Generator) -> Bootstrap:
    """Redraw and refit; see `Decomposition.bootstrap`."""
    if fit.method == "anova":
        raise InvalidInput("bootstrap: refits maximise a likelihood; decompose with method='reml', got 'anova'")
    rules.whole("n", n, _FEWEST)
    assembled = fit.assembled
    kept = np.array(fit.identified.representatives)
    effects = fit.point.effects[: assembled.problem.p]
    redrawn = refits(assembled.problem, kept, np.maximum(fit.theta, 0.0), effects, n, rng)
    beta = redrawn.beta * assembled.scale
    beta[:, 0] += assembled.center
    square = assembled.scale**2
    failed = int((~redrawn.converged).sum())
    shift = redrawn.shift * assembled.scale
    return Bootstrap(fit, redrawn.theta * square, beta, shift, redrawn.scored * square, failed)


def default_draws(fit: Fitted) -> Bootstrap:
    """1,000 draws under the default seed, found once for every fit."""
    held = vars(fit)
    if "default_bootstrap" not in held:
        held["default_bootstrap"] = bootstrap(fit, 1000, stream(0, "bootstrap"))
    found: Bootstrap = held["default_bootstrap"]
    return found


def studentised(basis: Basis, level: float) -> float:
    """Half-width of the bootstrap-t interval of a mean.

    The pivot is the error of the redrawn mean over its redrawn standard error, weights on the cells kept as fitted. At
    the true components the error is independent of the redrawn components and normal, so its law is averaged, not
    drawn (``docs/methods/bootstrap.md``).

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    from scipy.special import ndtr

    if basis.plain <= 0:
        raise NotEstimable("method 'bootstrap': the standard error is zero, so there is nothing to divide by")
    if basis.weighed.levels is not None:
        raise InvalidInput(
            "method: 'bootstrap' redraws a mean with its components, and these are a pilot's; use 'satterthwaite'"
        )
    draws = default_draws(basis.fit)
    _tail(level, len(draws))
    variance = draws.theta @ basis.gradient
    for facet, drawn in basis.drawn.items():
        if not np.isfinite(drawn.df):
            raise InvalidInput("method: 'bootstrap' does not apply to a sensitivity, which is an index")
        square = draws.redrawn_square(facet, drawn, stream(0, f"bootstrap/{facet}"))
        variance = variance + drawn.factor * np.maximum(square - draws.theta @ drawn.noise, 0.0)
    se = float(np.sqrt(basis.plain))
    ratio, shift = np.sqrt(variance) / se, draws.shift @ basis.weight / se
    if float(np.mean(ratio == 0)) >= 1 - level:
        raise NotEstimable("method 'bootstrap': too many redrawn standard errors are zero; use 'satterthwaite'")

    def short(x: float) -> float:
        return float(np.mean(ndtr(x * ratio - shift) - ndtr(-x * ratio - shift))) - level

    top = 1.0
    while short(top) < 0:
        top *= 2
    return root(short, 0.0, top) * se


def _total(parts: Mapping[str, Floats]) -> Floats:
    return np.asarray(np.sum(list(parts.values()), axis=0))


def _tail(level: float, n: int) -> float:
    """Probability beyond each limit, refused where fewer than two draws lie there."""
    checked_level(level)
    tail = (1 - level) / 2
    if tail * n < 2:
        raise InvalidInput(f"level: {level:g} needs at least {int(np.ceil(2 / tail))} draws, got {n}; raise n")
    return tail
