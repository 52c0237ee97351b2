"""Shares of labels: the mean of each label's 0/1 scores, with the weights that fit all of them best together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.labels.given import ENDS, as_score, averaged
from quorate.estimate.means.intervals import between, half_without_ends, limits, near_an_end
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.numerics.mixed.information import cell_weights, weights
from quorate.numerics.mixed.reml import evaluate
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments


@dataclass(frozen=True, eq=False, repr=False)
class Reweighted(Decomposition):
    """A fit whose mean has other weights than those that are best for it alone.

    Components, and how well they are known, are those of the fit; only its estimates of effects are others.

    Parameters
    ----------
    known : array, shape (components, components)
        Covariance of the components.
    """

    known: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the components, as the fit has it."""
        return self.known


@dataclass(frozen=True)
class Share:
    """The share of one label.

    Parameters
    ----------
    label : str
        Whose.
    mean : Estimate
        For this panel of judges, or what was asked.
    population : Estimate or None
        For judges like these; None where the data say nothing about others.
    alone : tuple of str
        Facets that the interval counts, where nothing differs over the others; empty where it counts all.
    """

    label: str
    mean: Estimate
    population: Estimate | None
    alone: tuple[str, ...]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval for judges like these, where there is one, else as `panel_interval`."""
        return _of_odds(self.population or self.mean, level)

    def panel_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval for this panel of judges, or what was asked."""
        return _of_odds(self.mean, level)


def _of_odds(share: Estimate, level: float) -> tuple[float, float]:
    """The default interval with the limits of the log odds: the spread of a share depends on it wherever it is."""
    half = half_without_ends(share, level)
    if near_an_end(share.value, half, ENDS):
        return limits(share.value, half, share.n, ENDS)
    low, high = between(share.value, half, share.n, ENDS)
    return float(low), float(high)


def label_means(
    judgments: Judgments, shares: Floats, *, targets: Mapping[str, Target], **model: Any
) -> tuple[Share, ...]:
    """The share of every label; they add up to 1.

    Parameters
    ----------
    judgments : Judgments
        Of labels.
    shares : array, shape (cells, labels)
        From `label_shares`.
    targets, **model
        As for `Decomposition.mean_for` and `decompose`.

    Raises
    ------
    NotEstimable
        If there is one item, or the design supports no interval.
    UnknownTerm
        If a target is of no facet.
    """
    for name in targets:
        judgments.facet(name)
    tables = [as_score(judgments, column) for column in shares.T]
    fits = [_fit(table, label, model) for table, label in zip(tables, judgments.labels, strict=True)]
    finest = max((fit.judgments.names for fit in fits), key=len)
    whole = [place for place, fit in enumerate(fits) if fit.judgments.names == finest]
    together = dict(zip(whole, _reweighted([fits[place] for place in whole]), strict=True))
    weight = mean_weights(together[whole[0]])
    out = []
    for place, label in enumerate(judgments.labels):
        mean, population = _views(together.get(place, fits[place]), targets)
        value = float(weight @ averaged(tables[place], finest).mean)
        mean, population = replace(mean, value=value), population and replace(population, value=value)
        names = fits[place].judgments.names
        out.append(Share(label, mean, population, () if len(names) == len(judgments.names) else names))
    return tuple(out)


def mean_weights(fit: Decomposition) -> Floats:
    """Weight of every answered cell in the mean."""
    problem = fit.assembled.problem
    return cell_weights(problem, weights(problem, fit.point.solved, fit.assembled.fixed.mean))


def _fit(table: Judgments, label: str, model: Mapping[str, Any]) -> Decomposition:
    """The fit of a label; where terms fit it exactly, that of its means by item and judge, or by item.

    Raises
    ------
    NotEstimable
        If none of them can be fitted, with the reason of the first.
    """
    reason = ""
    item = (table.object, *table.ancestors(table.object))
    by_judge = (*item, JUDGE) if JUDGE in table.names else item
    for names in dict.fromkeys((table.names, by_judge, item)):
        options = model if names == table.names else {"method": model.get("method", "reml")}
        try:
            found: Decomposition = decompose(table if names == table.names else averaged(table, names), **options)
        except NotEstimable as error:
            reason = reason or str(error)
        else:
            return found
    raise NotEstimable(f'the share of "{label}" has no interval: {reason}')


def _reweighted(fits: Sequence[Decomposition]) -> list[Reweighted]:
    """Fits of labels with one set of weights: those of the sum of their components, best for all labels together."""
    sums: dict[str, float] = {}
    for fit in fits:
        for name, value in zip(fit.assembled.names, fit.theta, strict=True):
            sums[name] = sums.get(name, 0.0) + max(float(value), 0.0) * fit.assembled.scale**2
    out = []
    for fit in fits:
        theta = np.array([sums[name] for name in fit.assembled.names]) / fit.assembled.scale**2
        kept = {one.name: getattr(fit, one.name) for one in fields(Decomposition)}
        kept["point"] = evaluate(fit.assembled.problem, theta)
        out.append(Reweighted(**kept, known=fit.covariance))
    return out


def _views(fit: Decomposition, targets: Mapping[str, Target]) -> tuple[Estimate, Estimate | None]:
    """The mean for these judges, or as asked, and for judges like these where two or more say something of others."""
    asked = {name: target for name, target in targets.items() if name in fit.judgments.names}
    mean = fit.mean_for(**asked)
    if JUDGE not in fit.judgments.names or fit.judgments.n_levels(JUDGE) == 1 or JUDGE in asked:
        return mean, None
    try:
        others = fit.mean_for(**{**asked, JUDGE: POPULATION})
        return (mean if mean.target[JUDGE] != POPULATION else fit.mean_for(**{**asked, JUDGE: PANEL})), others
    except NotEstimable:
        return mean, None
