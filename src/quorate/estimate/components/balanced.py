"""Strata of balanced judgments."""

from __future__ import annotations

import numpy as np

from quorate.errors import NotEstimable
from quorate.estimate.components.assemble import Assembled
from quorate.estimate.components.model import CELL
from quorate.numerics.mixed.anova import Strata, strata
from quorate.roles import REPLICATE


def balanced_strata(assembled: Assembled) -> Strata:
    """Mean squares of balanced judgments; components in the order of the problem.

    Raises
    ------
    NotEstimable
        If cells differ in their number of answers, covariates or residuals by level are in the model, or the design is
        otherwise unbalanced.
    """
    judgments, model = assembled.judgments, assembled.model
    if np.ptp(judgments.n) > 0:
        raise NotEstimable("balanced data are needed: cells differ in their number of answers; use REML")
    if model.covariates or assembled.residual_levels:
        raise NotEstimable("balanced data are needed: no covariates and one residual variance; use REML")
    inside = assembled.problem.replicates
    random = [judgments.level_codes(name.split(":")) for name in assembled.names if name not in (CELL, REPLICATE)]
    fixed = [judgments.level_codes([name]) for name in model.fixed]
    y = (judgments.mean - assembled.center) / assembled.scale
    noise = assembled.problem.units.noise[0]
    return strata(y, fixed, random, noise, inside.ss, inside.df)
