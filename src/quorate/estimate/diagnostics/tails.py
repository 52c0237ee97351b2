"""Tails of effects and residuals: normal quantile plots with the envelope of the fit's own draws, and kurtosis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.tails import FEWEST_LEVELS, level_scores
from quorate.estimate.diagnostics.check import Check
from quorate.estimate.means.effects import level_labels
from quorate.table.results import Result, Row
from quorate.waiting import each

RESIDUAL = "residual"


@dataclass(frozen=True, eq=False, repr=False)
class Quantiles(Result):
    """Predicted effects of a random term, or residuals, against the quantiles of a normal law.

    Parameters
    ----------
    term : str
        A random term, or ``residual``.
    labels : tuple of str
        Levels in the order of their effects; of residuals none.
    effect : array, shape (levels,)
        Predictions (BLUPs), smallest first, in score units.
    normal : array, shape (levels,)
        Quantiles of a standard normal law.
    low, high : array, shape (levels,)
        Between these lie 95 of 100 effects of this rank where the fit holds; nan where nothing was drawn.
    """

    term: str
    labels: tuple[str, ...]
    effect: Floats
    normal: Floats
    low: Floats
    high: Floats

    @property
    def outside(self) -> int:
        """Effects outside the envelope; one in twenty is expected."""
        return int(np.sum((self.effect < self.low) | (self.effect > self.high)))

    def rows(self) -> list[Row]:
        """One row for every level: term, level, effect, normal, low, high."""
        labels = self.labels or ("",) * len(self.effect)
        columns = (labels, self.effect.tolist(), self.normal.tolist(), self.low.tolist(), self.high.tolist())
        names = ("level", "effect", "normal", "low", "high")
        return [{"term": self.term, **dict(zip(names, row, strict=True))} for row in zip(*columns, strict=True)]


def terms(fit: Decomposition) -> Iterator[tuple[str, int]]:
    """Random terms whose effects the scores say anything about: estimated above zero, and told apart."""
    problem = fit.assembled.problem
    for t in fit.representatives.values():
        if t < problem.n_components - problem.n_residual and fit.theta[t] > 0:
            yield fit.assembled.names[t], t


def redrawn(fit: Decomposition, rng: np.random.Generator) -> Floats:
    """``P y`` of scores drawn from the fit, shape (cells,)."""
    assembled = fit.assembled
    problem, theta = assembled.problem, np.maximum(fit.theta, 0.0)
    y = rng.standard_normal(fit.judgments.n_cells) / np.sqrt(fit.projection.weight)
    for t in range(problem.n_components - problem.n_residual):
        if theta[t] > 0:
            code = fit.judgments.level_codes(assembled.names[t].split(":"))
            y += np.sqrt(theta[t]) * rng.standard_normal(int(code.max()) + 1)[code]
    return fit.projection.of(y)


def quantiles(fit: Decomposition, draws: int, rng: np.random.Generator) -> tuple[tuple[Quantiles, ...], list[Check]]:
    """Effects of every random term and residuals against the normal, with envelopes, and tests of their kurtosis.

    Data are drawn from the fit, and what its predictions make of them is compared; components are not estimated
    again. Long tails alone are a finding: kurtosis above that of the draws.
    """
    from scipy.special import ndtri

    scale, sd = fit.assembled.scale, np.sqrt(fit.projection.diagonal)
    looks: dict[str, Callable[[Floats], tuple[Floats, Floats]]]
    looks = {name: partial(_effects, fit, t) for name, t in terms(fit)}
    looks[RESIDUAL] = lambda py: (py / fit.projection.weight * scale, py / sd)
    drawn: dict[str, list[tuple[Floats, float]]] = {name: [] for name in looks}
    for _ in each("redrawn residuals", range(draws)):
        py = redrawn(fit, rng)
        for name, look in looks.items():
            effect, standard = look(py)
            drawn[name].append((np.sort(effect), kurtosis(standard)))
    plots, checks = [], []
    for name, look in looks.items():
        effect, standard = look(fit.projected)
        n, order = len(effect), np.argsort(effect, kind="stable")
        low = high = np.full(n, np.nan)
        if draws:
            low, high = np.quantile(np.array([ranked for ranked, _ in drawn[name]]), [0.025, 0.975], axis=0)
        labels = () if name == RESIDUAL else tuple(np.array(level_labels(fit.judgments, name))[order])
        plots.append(Quantiles(name, labels, effect[order], ndtri((np.arange(n) + 0.5) / n), low, high))
        if draws and n >= FEWEST_LEVELS:
            checks.append(_heavy(name, kurtosis(standard), np.array([value for _, value in drawn[name]])))
    return tuple(plots), checks


def kurtosis(values: Floats) -> float:
    """Excess kurtosis of values about their mean."""
    centred = values - values.mean()
    square = float(np.mean(centred**2))
    return float(np.mean(centred**4)) / square**2 - 3 if square > 0 else 0.0


def _effects(fit: Decomposition, t: int, projected: Floats) -> tuple[Floats, Floats]:
    """Predictions in score units, and the same over their standard deviations."""
    total, expected = level_scores(fit, t, projected)
    return fit.point.solved.theta[t] * total * fit.assembled.scale, total / np.sqrt(expected)


def _heavy(name: str, observed: float, drawn: Floats) -> Check:
    """Whether tails are longer than those of the draws."""
    n = len(drawn)
    p = float(1 + np.sum(drawn >= observed)) / (n + 1)
    of = "the residuals" if name == RESIDUAL else f"the effects of {name}"
    return Check(
        f"tails-of-{name}",
        f"tails of {of}",
        "excess kurtosis",
        observed,
        p,
        float(np.sqrt(p * (1 - p) / n)),
        "a few are further out than a bell curve has them" if observed > 0 else "no longer than those of a bell curve",
        "the interval of the mean hardly changes; that of the component is too short if it takes effects as normal",
        'robust intervals of components (interval="robust", the default where tails are long)',
    )
