"""Latent law: scores cut from a normal variable, with the shares of marks and the covariances of a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.components.model import CELL
from quorate.estimate.means.coefficients import term_facets
from quorate.estimate.means.mean import Estimate, draw_of
from quorate.estimate.means.targets import POPULATION
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

_TERMS = 60
"""Terms of Hermite's series of a covariance."""


@dataclass(frozen=True)
class LatentLaw:
    """Scores ``Q(z)`` with z a sum of normal effects, and Q what gives the marks that were seen their shares.

    Parameters
    ----------
    table : Judgments
        The design.
    margin : array of int, shape (cells,)
        Place of each cell among the margins: levels that stand for themselves keep their own.
    cuts : tuple of (array, array)
        Of every margin the marks, and where in z each but the first begins.
    parts : mapping of tuple of str to float
        Variance of the effects of each combination of facets; they add up to 1 with that of single cells.
    """

    table: Judgments
    margin: Ints
    cuts: tuple[tuple[Floats, Floats], ...]
    parts: dict[tuple[str, ...], float]

    @classmethod
    def fitted(cls, answer: Estimate) -> LatentLaw:
        """The law with the margins of the table and the covariances that a fit found."""
        fit = answer.basis.fit
        table, item = fit.judgments, fit.judgments.object
        own = [name for name in table.names if answer.target[name] != POPULATION and name != item]
        margin = table.level_codes(own)
        cuts = tuple(_cuts(table.mean[margin == k]) for k in range(int(margin.max()) + 1))
        found: dict[tuple[str, ...], float] = {}
        for name, theta in zip(fit.assembled.names, fit.theta, strict=True):
            single = name.partition("[")[0] in (CELL, REPLICATE)
            facets = tuple(sorted(table.names if single else set(term_facets(fit, name)) - set(own)))
            times = float(np.mean(table.n)) if name.partition("[")[0] == REPLICATE else 1.0
            found[facets] = found.get(facets, 0.0) + max(float(theta), 0.0) * fit.assembled.scale**2 / times
        for name in fit.assembled.fixed.levels:
            if answer.target.get(name) == POPULATION and table.n_levels(name) > 1:
                drawn = draw_of(fit, name, POPULATION)
                noise = float(drawn.noise @ np.maximum(fit.theta, 0.0)) * fit.assembled.scale**2
                found[(name,)] = found.get((name,), 0.0) + max(drawn.square - noise, 0.0)
        found.pop((), None)
        return cls(table, margin, cuts, _latent(found, cuts, np.bincount(margin)))

    @property
    def truth(self) -> float:
        """What scores are on average over all that is drawn."""
        from scipy.special import ndtr

        means = [marks[0] + float(np.diff(marks) @ ndtr(-cut)) for marks, cut in self.cuts]
        return float(np.average(means, weights=np.bincount(self.margin)))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[None, Floats]:
        """Scores of studies of this design, shape (studies, cells)."""
        z = rng.standard_normal((n, self.table.n_cells)) * max(1 - sum(self.parts.values()), 0.0) ** 0.5
        for facets, variance in self.parts.items():
            if variance > 0:
                code = self.table.level_codes(facets)
                z += (variance**0.5 * rng.standard_normal((n, int(code.max()) + 1)))[:, code]
        for k, (marks, cut) in enumerate(self.cuts):
            own = self.margin == k
            z[:, own] = marks[np.searchsorted(cut, z[:, own])]
        return None, z


def _cuts(scores: Floats) -> tuple[Floats, Floats]:
    from scipy.special import ndtri

    marks, times = np.unique(scores, return_counts=True)
    return marks, ndtri(np.cumsum(times)[:-1] / times.sum())


def _latent(
    found: dict[tuple[str, ...], float], cuts: tuple[tuple[Floats, Floats], ...], weight: Ints
) -> dict[tuple[str, ...], float]:
    """Variances in z that give scores these: what two cells share by what covariance that brings."""
    grid = np.linspace(0.0, 1.0, 2001)
    brings = _covariance(grid, cuts, weight)
    total = sum(found.values())
    parts: dict[tuple[str, ...], float] = {}
    for facets in sorted(found, key=len):
        inside = sum(part for other, part in found.items() if set(other) <= set(facets))
        known = sum(part for other, part in parts.items() if set(other) < set(facets))
        shared = float(np.interp(inside / total * brings[-1], brings, grid)) if total > 0 else 0.0
        parts[facets] = max(shared - known, 0.0)
    whole = sum(parts.values())
    return {facets: part / max(whole, 1.0) for facets, part in parts.items()}


def _covariance(r: Floats, cuts: tuple[tuple[Floats, Floats], ...], weight: Ints) -> Floats:
    """Covariance of scores of two cells whose z correlate by r, on average over margins; by Hermite polynomials."""
    squares, variance = np.zeros(_TERMS), 0.0
    for (marks, cut), own in zip(cuts, weight / weight.sum(), strict=True):
        step, density = np.diff(marks), np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi)
        before, polynomial = np.zeros_like(cut), np.ones_like(cut)
        for k in range(1, _TERMS + 1):
            squares[k - 1] += own * float(step @ (density * polynomial)) ** 2 / k
            before, polynomial = polynomial, (cut * polynomial - np.sqrt(k - 1) * before) / np.sqrt(k)
        variance += own * _variance(marks, cut)
    series = (r[:, None] ** np.arange(1, _TERMS + 1)) @ squares
    return np.asarray(series + max(variance - squares.sum(), 0.0) * r ** (_TERMS + 1))


def _variance(marks: Floats, cut: Floats) -> float:
    from scipy.special import ndtr

    share = np.diff(np.concatenate([[0.0], ndtr(cut), [1.0]]))
    return float(share @ marks**2 - (share @ marks) ** 2)
