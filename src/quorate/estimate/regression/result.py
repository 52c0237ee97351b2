"""Regression: coefficients that labels correct, beside those of predictions and of labels alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.caveats import Caveat
from quorate.estimate.regression.sign_flip import sign_flip
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, listed

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Coefficient(Brief):
    """One coefficient by three ways.

    Parameters
    ----------
    name : str
        Of the regressor, with the level where it is one of words.
    value, se, df : float
        From predictions that labels correct.
    judged, judged_se, judged_df : float
        From predictions taken as if they were right.
    labelled, labelled_se, labelled_df : float
        From labels alone; nan where they give no solution.
    """

    name: str
    value: float
    se: float
    df: float
    judged: float
    judged_se: float
    judged_df: float
    labelled: float
    labelled_se: float
    labelled_df: float

    def interval(self, level: float) -> tuple[float, float]:
        """Student's interval."""
        return _interval((self.value, self.se, self.df), level)

    def judged_interval(self, level: float) -> tuple[float, float]:
        """The same from predictions taken as if they were right."""
        return _interval((self.judged, self.judged_se, self.judged_df), level)

    def labelled_interval(self, level: float) -> tuple[float, float]:
        """The same from labels alone."""
        return _interval((self.labelled, self.labelled_se, self.labelled_df), level)

    @property
    def other_sign(self) -> float:
        """Chance that the true coefficient has another sign than predictions taken as right give; nan without these."""
        if np.isnan(self.judged):
            return float("nan")
        chance = sign_flip(self.value, self.se, df=self.df).differs
        return chance if self.value * self.judged > 0 else 1 - chance


@dataclass(frozen=True)
class Regression(Result):
    """Coefficients of a regression on labels, from predictions of all rows and labels of some.

    Parameters
    ----------
    coefficients : tuple of Coefficient
        The intercept first.
    n, labels : int
        Rows, and how many of them have a label.
    link : str or None
        ``logit``, or None of a linear regression.
    level : float
        Coverage of intervals unless another is asked for.
    probability : (float, float)
        Smallest and largest chance to be labelled.
    cluster, clusters : tuple of str, and of int
        What rows may resemble each other by, and how many levels each has; none where rows are independent.
    caveats : tuple of Caveat
        What the reader must know.
    """

    coefficients: tuple[Coefficient, ...]
    n: int
    labels: int
    link: str | None
    level: float
    probability: tuple[float, float]
    cluster: tuple[str, ...]
    clusters: tuple[int, ...]
    caveats: tuple[Caveat, ...]

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of this name."""
        return {one.name: one for one in self.coefficients}[name]

    @property
    def effective(self) -> float:
        """Labels that would be as precise on their own, as the median over the coefficients; nan where not known."""
        ratios = [(one.labelled_se / one.se) ** 2 for one in self.coefficients if one.labelled_se > 0]
        return self.labels * float(np.median(ratios)) if ratios else float("nan")

    @property
    def sentence(self) -> str:
        """The first regressor in one sentence."""
        one = self.coefficients[min(1, len(self.coefficients) - 1)]
        (low, high), (least, most) = one.interval(self.level), one.judged_interval(self.level)
        apart = f", clustered by {listed(self.cluster)}" if self.cluster else ""
        naive = f"give {one.judged:.3f} ({least:.3f} to {most:.3f})"
        return (
            f"{one.name}: {one.value:.3f} ({100 * self.level:.4g}% interval {low:.3f} to {high:.3f}) from "
            f"{counted(self.labels, 'label')} and {counted(self.n, 'prediction')}{apart}; predictions taken as right "
            f"{'give no solution' if np.isnan(one.judged) else naive}."
        )

    def rows(self) -> list[Row]:
        """One row a coefficient: corrected, from predictions taken as right, and from labels alone."""
        out: list[Row] = []
        for one in self.coefficients:
            low, high = one.interval(self.level)
            judged, labelled = one.judged_interval(self.level), one.labelled_interval(self.level)
            row: Row = {"coefficient": one.name, "value": one.value, "low": low, "high": high}
            row |= {"se": one.se, "df": one.df, "other_sign": one.other_sign}
            row |= {"judged": one.judged, "judged_low": judged[0], "judged_high": judged[1]}
            row |= {"labelled": one.labelled, "labelled_low": labelled[0], "labelled_high": labelled[1]}
            out.append(row)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        own = {name: value for name, value in super().to_dict().items() if name not in ("coefficients", "caveats")}
        rows = [{key: _known(value) for key, value in row.items()} for row in self.rows()]
        said = {"coefficients": rows, "effective": _known(self.effective), "sentence": self.sentence}
        return own | said | {"caveats": [str(caveat) for caveat in self.caveats]}


def _interval(of: Triple, level: float) -> tuple[float, float]:
    value, se, df = of
    if np.isnan(df):
        return float("nan"), float("nan")
    half = t_quantile(df, (1 + checked_level(level)) / 2) * se
    return value - half, value + half


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
