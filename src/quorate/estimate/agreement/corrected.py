"""What people would find, by labels and predictions: the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.caveats import Caveat
from quorate.estimate.means.intervals import limits
from quorate.numerics.distributions import t_quantile
from quorate.numerics.votes import binomial
from quorate.table.results import Ends, Result, StatedInterval
from quorate.wording import Brief, capitalised, counted, listed

FEW_RARER = 3
"""Labels of the rarer answer below which the weight of the predictions is not known."""


@dataclass(frozen=True)
class CorrectedSegment(Brief):
    """What people would find in one category of the items.

    Parameters
    ----------
    name : str
        The category.
    labels : int
        Its items with a label and a prediction.
    value, low, high : float
        As people would give it there, with the interval of this segment alone.
    p : float
        P-value, for all segments together (Holm): of a mean that it is as in the others, of a difference that it is 0.
    """

    name: str
    labels: int
    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Corrected(Result):
    """A mean or win rate as people would give it, from many predictions and a few labels.

    Parameters
    ----------
    what : str
        What is estimated.
    value, se, df : float
        Estimate, standard error and degrees of freedom.
    people : float
        Mean of the labels alone.
    people_se, people_df : float
        Its standard error and degrees of freedom.
    judges : float
        Mean of all predictions, uncorrected.
    bias, bias_se : float
        Mean of prediction less label where there are both, and its standard error.
    labels, predictions : int
        Units with a label and a prediction, and units with a prediction alone.
    tuning : float
        Weight of the predictions, 0 (of no use) to 1.
    effective : float
        Labels that would be as precise on their own.
    trials, people_trials : float or None
        Of a share, independent labels that would be as sure as the estimate, and as the labels alone; None otherwise.
    rarer : float or None
        Of a share, labels of the rarer of the two answers, ties as halves; None otherwise.
    caveats : tuple of Caveat
        What the reader must know.
    level : float
        Coverage of intervals unless another is asked for.
    cluster, clusters : tuple of str, and of int
        Facets whose units may resemble each other, and labelled clusters of each; none where units are independent.
    scale : (float, float), optional
        Ends of the scale of scores that are no shares, where it is known.
    strata : str, optional
        Facet whose levels were labelled at rates of their own.
    segments : tuple of CorrectedSegment
        The same in every category of the items, where there are two to eight with enough labels each.
    """

    what: str
    value: float
    se: float
    df: float
    people: float
    people_se: float
    people_df: float
    judges: float
    bias: float
    bias_se: float
    labels: int
    predictions: int
    tuning: float
    effective: float
    trials: float | None
    people_trials: float | None
    rarer: float | None
    caveats: tuple[Caveat, ...]
    level: float = 0.95
    cluster: tuple[str, ...] = ()
    clusters: tuple[int, ...] = ()
    scale: Ends | None = None
    strata: str | None = None
    segments: tuple[CorrectedSegment, ...] = ()

    @property
    def estimate(self) -> StatedInterval:
        """Student's interval; Wilson's of a share; that of the log odds where marks are near an end of their scale.

        Where fewer than 3 labels are of the rarer answer, the weight of the predictions is not known, and the interval
        reaches as far as that of the labels alone.
        """

        def law(level: float) -> Ends:
            low, high = self._limits(self.value, self.se, self.df, self.trials, level)
            if self.rarer is None or self.rarer >= FEW_RARER:
                return low, high
            alone = self.alone.at(level)
            return min(low, alone.low), max(high, alone.high)

        return StatedInterval(self.value, self.se, self.labels + self.predictions, self.level, law)

    @property
    def alone(self) -> StatedInterval:
        """The same from the labels alone."""

        def law(level: float) -> Ends:
            return self._limits(self.people, self.people_se, self.people_df, self.people_trials, level)

        return StatedInterval(self.people, self.people_se, self.labels, self.level, law)

    def _limits(self, value: float, se: float, df: float, trials: float | None, level: float) -> Ends:
        quantile = t_quantile(df, (1 + level) / 2)
        if trials is None:
            return limits(value, quantile * se, self.labels + self.predictions, self.scale)
        n = trials * (t_quantile(np.inf, (1 + level) / 2) / quantile) ** 2
        low, high = binomial.wilson(min(max(value, 0.0), 1.0) * n, n, level)
        return float(low), float(high)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        low, high = self.estimate.ends
        alone = " to ".join(f"{end:.3f}" for end in self.alone.ends)
        levels = zip(self.clusters, self.cluster, strict=True)
        each = [f"{counted(count, 'level')} of {name}" for count, name in levels]
        return (
            f"{capitalised(self.what)}: {self.value:.3f} ({100 * self.level:.4g}% interval {low:.3f} to {high:.3f}) "
            "from "
            f"{self.labels:,} labels{f' in {listed(each)}' if each else ''} and "
            f"{self.predictions:,} more predictions. Labels alone say {self.people:.3f} ({alone}), judges alone "
            f"{self.judges:.3f}. The predictions make {self.labels:,} labels worth {self.effective:,.0f}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        values = {name: value for name, value in super().to_dict().items() if name != "caveats"}
        return values | {"estimate": self.estimate.to_dict(), "caveats": [str(caveat) for caveat in self.caveats]}
