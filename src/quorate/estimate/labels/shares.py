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
from quorate.estimate.labels.given import as_score, averaged
from quorate.estimate.means.mean import Estimate, readings
from quorate.estimate.means.targets import Target
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
    others : Estimate or None
        For others like this study's setup; None where nothing here stands for others.
    alone : tuple of str
        Facets that the interval counts, where nothing differs over the others; empty where it counts all.
    """

    label: str
    mean: Estimate
    others: Estimate | None
    alone: tuple[str, ...]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval for judges like these, where there is one, else as `panel_interval`."""
        return (self.others or self.mean).interval(level)

    def panel_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval for this panel of judges, or what was asked."""
        return self.mean.interval(level)


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
        fit = together.get(place, fits[place])
        found = readings(fit, {name: to for name, to in targets.items() if name in fit.judgments.names})
        value = float(weight @ averaged(tables[place], finest).mean)
        mean, others = replace(found.setup, value=value), found.others and replace(found.others, value=value)
        names = fits[place].judgments.names
        out.append(Share(label, mean, others, () if len(names) == len(judgments.names) else names))
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
