"""Residuals and scores of level effects, from what the fit leaves: ``P y`` on the cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.roles import JUDGE

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


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
