"""The two ways to read a mean: for this panel of judges, and for judges like these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.errors import NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate


@dataclass(frozen=True)
class Views:
    """A mean for judges like these and for these judges, and why one of them is not there.

    Parameters
    ----------
    population, panel : Estimate or None
        Where judges are drawn from a population, and where these judges are all that matters.
    population_reason, panel_reason : str
        Why there is none; empty where there is.
    """

    population: Estimate | None
    population_reason: str
    panel: Estimate | None
    panel_reason: str


def views(fit: Decomposition, mean: Estimate) -> Views:
    """Both views of a mean; one of them is the default ``mean``."""
    if JUDGE not in fit.judgments.names:
        return Views(None, "no facet is the judge: the interval says nothing about how others would score", mean, "")
    if fit.judgments.n_levels(JUDGE) == 1:
        return Views(None, "1 judge: one judge says nothing about others", mean, "")
    if mean.target[JUDGE] == POPULATION:
        return Views(mean, "", *_try(fit, {JUDGE: PANEL}))
    if JUDGE not in fit.assembled.fixed.levels:
        reason = "fixed effects absorb the judges: the data say nothing about others"
        return Views(None, reason, mean, "")
    return Views(*_try(fit, {JUDGE: POPULATION}), mean, "")


def panel_scope(judgments: Judgments) -> str:
    """Whom the default interval speaks for, in words; nothing where there are no judges."""
    if JUDGE not in judgments.names:
        return ""
    return "for this judge only" if judgments.n_levels(JUDGE) == 1 else "for this panel"


def _try(fit: Decomposition, targets: Mapping[str, Target]) -> tuple[Estimate | None, str]:
    try:
        return fit.mean_for(**targets), ""
    except NotEstimable as error:
        return None, str(error)
