"""Checks of a fit: what was looked at, what it says, and how p-values of several are read together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.prediction import FEWEST_LEVELS, level_scores
from quorate.frozen import dataclass
from quorate.numerics.inference import holm
from quorate.roles import JUDGE
from quorate.table.results import Result, Row
from quorate.waiting import each
from quorate.wording import capitalised

SIGNIFICANT = 0.05

Verdict = Literal["stands out", "by chance", "nothing odd", "in the model", "described"]

_SAID: dict[Verdict, str] = {
    "stands out": "",
    "by chance": "; among several checks one can be this far off by chance",
    "nothing odd": "; no more than chance",
    "in the model": "; the model has it",
}


@dataclass(frozen=True)
class Check(Result):
    """One thing that was looked at.

    Parameters
    ----------
    name : str
        Stable name for programs, such as ``noise-by-judge``.
    looked_at : str
        What was looked at, in words.
    measure : str
        What the statistic is: ``F``, ``t``, ``likelihood ratio``, ``excess kurtosis``.
    statistic : float
        Its value.
    p : float
        Chance of a value as large where the model holds; nan where the check describes and tests nothing.
    p_error : float
        Monte Carlo standard error of ``p``; 0 where nothing was drawn.
    seen : str
        What the numbers show.
    meaning : str
        What it would mean for the interval.
    remedy : str
        What to do about it.
    in_model : bool
        Whether it is of a term that the model has, so that finding it there is nothing odd.
    adjusted : float
        ``p`` by Holm's method over all checks of a diagnosis.
    """

    name: str
    looked_at: str
    measure: str
    statistic: float
    p: float
    p_error: float
    seen: str
    meaning: str
    remedy: str
    in_model: bool = False
    adjusted: float = float("nan")

    derived = ("verdict", "sentence")

    @property
    def verdict(self) -> Verdict:
        """Whether it stands out among all checks, would alone, or not at all; or has no test."""
        if np.isnan(self.p):
            return "described"
        if self.in_model:
            return "in the model"
        if self.p >= SIGNIFICANT:
            return "nothing odd"
        among_all = self.p if np.isnan(self.adjusted) else self.adjusted
        return "stands out" if among_all < SIGNIFICANT else "by chance"

    @property
    def sentence(self) -> str:
        """What was found, and how sure that is."""
        test = f"{self.measure} {self.statistic:.3g}"
        if self.verdict == "described":
            return f"{capitalised(self.looked_at)}: {self.seen} ({test})."
        among = ""
        known = self.verdict in ("stands out", "by chance") and not np.isnan(self.adjusted)
        if known and chance(self.adjusted) != chance(self.p):
            among = f", {chance(self.adjusted)} among all checks"
        return f"{capitalised(self.looked_at)}: {self.seen} ({test}, {chance(self.p)}{among}){_SAID[self.verdict]}."


def chance(p: float) -> str:
    """A p-value in words."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


def together(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Checks with their p-values adjusted for being looked at together; those without a test do not count."""
    tested = [i for i, one in enumerate(checks) if not np.isnan(one.p)]
    adjusted = dict(zip(tested, holm(np.array([checks[i].p for i in tested])), strict=True))
    return tuple(replace(one, adjusted=float(adjusted.get(i, np.nan))) for i, one in enumerate(checks))


# Residuals and scores of level effects, from what the fit leaves: ``P y`` on the cells.


@dataclass(frozen=True, eq=False)
class Residuals:
    """What a fit leaves of every cell.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    """

    fit: Decomposition

    @cached_property
    def residual(self) -> Floats:
        """Mean of a cell less what is fitted to it, level effects as predicted; in score units."""
        return np.asarray(self.fit.projected / self.fit.projection.weight * self.fit.assembled.scale)

    @cached_property
    def fitted(self) -> Floats:
        """What is fitted to every cell, in score units."""
        return np.asarray(self.fit.judgments.mean - self.residual)

    @cached_property
    def standard(self) -> Floats:
        """Residuals over their standard deviations within blocks."""
        return np.asarray(self.fit.projected / np.sqrt(self.fit.projection.diagonal))

    @cached_property
    def shift(self) -> Floats:
        """What cells differ by whatever the item: fixed effects and predicted effects of judges, prompts and the like.

        Effects of what items are grouped by belong to the items, and are left out where they are random.
        """
        fit = self.fit
        assembled, problem = fit.assembled, fit.assembled.problem
        out, start = assembled.fixed.of_cells(fit.point.effects[: problem.p]), problem.p
        groups = set(fit.judgments.ancestors(fit.judgments.object))
        for name in assembled.names[problem.n_within : problem.n_within + problem.n_shared]:
            code = fit.judgments.level_codes(name.split(":"))
            if not set(name.split(":")) <= groups:
                out = out + fit.point.effects[start + code]
            start += int(code.max()) + 1
        return np.asarray(out * assembled.scale)

    @property
    def left(self) -> Floats:
        """Means of the cells without that, in score units: items with their interactions and the noise."""
        return np.asarray(self.fit.judgments.mean - self.fit.assembled.center - self.shift)

    @cached_property
    def item(self) -> Ints:
        """Level of the object of measurement of every cell."""
        return self.fit.judgments.level_codes([self.fit.judgments.object])

    @cached_property
    def judge(self) -> Ints | None:
        """Judge of every cell; None with fewer than two."""
        judgments = self.fit.judgments
        several = JUDGE in judgments.names and judgments.n_levels(JUDGE) > 1
        return judgments.level_codes([JUDGE]) if several else None


# Tails of effects and residuals: normal quantile plots with the envelope of the fit's own draws, and kurtosis.


RESIDUAL = "residual"


@dataclass(frozen=True, eq=False, repr=False)
class NormalPlot(Result):
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


def quantiles(fit: Decomposition, draws: int, rng: np.random.Generator) -> tuple[tuple[NormalPlot, ...], list[Check]]:
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
        plots.append(NormalPlot(name, labels, effect[order], ndtri((np.arange(n) + 0.5) / n), low, high))
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
