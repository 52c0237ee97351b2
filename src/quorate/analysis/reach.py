"""The designs a report compares: those within reach of the study at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.targets import Target
    from quorate.plan.designs.prices import Prices
    from quorate.plan.search.optimum import Optimum


def within_reach(fit: Decomposition, targets: Mapping[str, Target], prices: Prices | None) -> Optimum:
    """The best design for what the study at hand cost, among those that `quorate.optimize` takes without limits.

    Parameters
    ----------
    fit : Decomposition
        The study at hand.
    targets : mapping of str to str or Pool
        What each facet stands for.
    prices : mapping, optional
        As for `quorate.project`; by default a judgment costs 1.

    Raises
    ------
    NotEstimable
        If the data do not determine the variance of other designs.
    InvalidInput
        If no design costs as little.
    """
    from quorate.plan.search.optimize import optimize
    from quorate.plan.search.whatif import as_it_is

    own = as_it_is(fit, prices=prices or {"call": 1.0}, targets=targets)
    return optimize(fit, budget=own.cost, prices=prices, targets=targets)
