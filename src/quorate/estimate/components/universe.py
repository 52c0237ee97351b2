"""Universe score of a decision study: how components enter the variance of an object's score and its error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, closure
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.targets import POPULATION
from quorate.roles import REPLICATE
from quorate.table.judgments import occurring

_ROUNDING = 1e-9


@dataclass(frozen=True)
class DrawnFacet:
    """A fixed facet taken as a draw.

    Parameters
    ----------
    name : str
        Role.
    square, df : float
        Variance of its level means (divisor levels minus 1), noise included, and degrees of freedom.
    noise : array, shape (components,)
        Coefficients of the noise in ``square``.
    row : array, shape (3,)
        Coefficients of its variance in universe, relative and absolute-only variance.
    """

    name: str
    square: float
    df: float
    noise: Floats
    row: Floats


class UniverseScore:
    """A fit seen from an object of measurement, whose score is the plain mean of its cells.

    Parameters
    ----------
    fit : Decomposition
        Components and design.
    target : str
        Role of the object of measurement.
    fixed : frozenset of str
        Facets whose levels are the whole universe.
    """

    def __init__(self, fit: Decomposition, target: str, fixed: frozenset[str]) -> None:
        self.fit, self.target, self.fixed = fit, target, fixed
        self.own = closure(fit.judgments, [target])
        self.others = tuple(facet for facet in fit.judgments.facets if facet.name not in self.own)
        self._object = fit.judgments.level_codes([target])
        self.n_objects = int(self._object.max()) + 1

    def counts(self) -> dict[str, float]:
        """Levels that an object meets, nested ones within one parent, and answers per cell: harmonic means."""
        met = {facet.name: 1 / self._overlap([facet.name])[0] for facet in self.others}
        out = {facet.name: met[facet.name] / met.get(facet.parent or "", 1.0) for facet in self.others}
        out[REPLICATE] = float(1 / np.mean(1 / self.fit.judgments.n))
        return {name: round(value, 12) for name, value in out.items()}

    def coefficients(self, name: str, growth: Mapping[str, float]) -> Floats:
        """Coefficients of a component in universe, relative and absolute-only variance, shape (3,)."""
        base, _, stratum = name.partition("[")
        names = self.fit.judgments.names if base in (CELL, REPLICATE) else base.split(":")
        strata = len(self.fit.assembled.residual_levels) if stratum else 1
        row = self._row(closure(self.fit.judgments, names), growth, repeated=base == REPLICATE)
        return row / strata

    def drawn(self, growth: Mapping[str, float]) -> list[DrawnFacet]:
        """Main effects of fixed facets, where they make scores differ."""
        out = []
        for name in self.fit.assembled.fixed.levels:
            row = self._row(closure(self.fit.judgments, [name]), growth)
            if row.any():
                draw = draw_of(self.fit, name, POPULATION)
                out.append(DrawnFacet(name, draw.square, draw.df, draw.noise, row))
        return out

    def _row(self, facets: frozenset[str], growth: Mapping[str, float], *, repeated: bool = False) -> Floats:
        """An object's squared weights, less what two objects share and less what is part of the universe."""
        others = [facet.name for facet in self.others if facet.name in facets]
        divided = float(np.prod([growth.get(name, 1.0) for name in others]))
        if repeated:
            divided *= growth.get(REPLICATE, 1.0) * self.counts()[REPLICATE]
        mine, common = (weight / divided for weight in self._overlap(others))
        whole = (
            0.0
            if repeated or not self.fixed.issuperset(others)
            else 1 / (int(self.fit.judgments.level_codes(others).max()) + 1)
        )
        parts = [whole, mine - whole, 0.0] if facets & self.own else [0.0, mine - common, common - whole]
        return np.where(np.array(parts) > _ROUNDING * mine, parts, 0.0)

    def _overlap(self, facets: list[str]) -> tuple[float, float]:
        """Squared weight of the combinations that an object meets, and product of two objects' weights: averages."""
        code = self.fit.judgments.level_codes(facets)
        span = int(code.max()) + 1
        met, level = np.divmod(occurring(self._object * span + code), span)
        weight = 1 / np.bincount(met, minlength=self.n_objects)
        alone = float(weight.sum())
        total = float(np.sum(np.bincount(level, weight[met]) ** 2))
        return alone / self.n_objects, (total - alone) / (self.n_objects * (self.n_objects - 1))
