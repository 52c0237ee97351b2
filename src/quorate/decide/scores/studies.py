"""Studies of two systems' scores: what they would find, from the parts of their variance."""

from __future__ import annotations

from typing import cast

import numpy as np

from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.means.targets import FEWEST_DRAWN
from quorate.numerics.reach import Effect
from quorate.numerics.study_power import Studies, one_square, studies
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.studies import Studies as Planned
from quorate.planning.designs.studies import mean_squares
from quorate.streams import stream


def studies_of_plan(plan: Projection) -> Studies:
    """What studies of a design for the difference would find, if its components are right.

    Raises
    ------
    NotEstimable
        If the design has fewer than three levels of a facet that stands for others.
    """
    made = cast("Planned", plan.studies)
    squares = mean_squares(made.source, made.laid, made.parts)

    def of_plan(values: object) -> float:
        each = np.ravel(np.broadcast_to(np.asarray(values, dtype=float), made.shape))
        return float(each[plan.place % len(each)])

    effects = []
    for name, (spread, noise, df) in squares.effects.items():
        if not np.isfinite(of_plan(spread)):
            raise NotEstimable(
                f"{name}: a study of fewer than {FEWEST_DRAWN} levels says nothing of others; plan as many or more",
                [name],
            )
        effects.append(Effect(of_plan(spread) + of_plan(noise), of_plan(noise), of_plan(df)))
    items = of_plan(squares.items) * made.factor**2
    rng = stream(0, "study power")
    return studies(items, of_plan(squares.df), effects, plan.variance - items, rng)


def studies_like(found: SystemDifference) -> Studies:
    """What studies of the same design would find, if components are as estimated."""
    reach = found.estimate.reach
    if reach is None:
        return one_square(found.se, found.df)
    beyond = sum(max(one.square - one.noise, 0.0) for one in reach.effects)
    return studies(reach.variance, reach.df, reach.effects, beyond, stream(0, "study power"))
