"""Sign flips: how likely it is that errors of labels turn the sign of a coefficient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.errors import InvalidInput
from quorate.numerics.distributions import t_cdf
from quorate.table.results import Result
from quorate.wording import percent


@dataclass(frozen=True)
class SignFlip(Result):
    """How likely it is that the sign of a coefficient is due to errors of labels.

    Parameters
    ----------
    beta, se : float
        Coefficient and standard error, of a regression whose outcome are labels of a pipeline.
    ratio : float
        Share of the variance of the outcome, given the regressors, that is error of labels.
    noise : float
        Standard deviation of the coefficient over runs of the pipeline on the same rows, ``se sqrt(ratio)``.
    differs : float
        Chance that labels without error would give the other sign.
    again : float
        Chance that another run of the pipeline would give the other sign.
    """

    beta: float
    se: float
    ratio: float
    noise: float
    differs: float
    again: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return (
            f"The coefficient {self.beta:.3g} would have the other sign with chance {percent(self.differs)} if labels "
            f"had no error, and with chance {percent(self.again)} if the pipeline labelled the same rows once more."
        )


def sign_flip(beta: float, se: float, *, ratio: float = 1.0, df: float = np.inf) -> SignFlip:
    """How likely it is that errors of labels turn the sign of a coefficient.

    Errors of labels that have nothing to do with the regressors bring the share ``ratio`` of the variance of the
    coefficient. Without them it is normal around ``beta`` with the standard deviation ``noise``, by a flat prior; in
    another run it is so with twice the variance. Errors that go with a regressor shift the coefficient besides, which
    no component tells: labels by people do, with `quorate.regress`.

    Parameters
    ----------
    beta, se : float
        Coefficient and its standard error.
    ratio : float
        Share of the variance of the outcome, given the regressors, that is error of labels, in [0, 1]:
        ``surrogate(fit).variance`` over the residual variance. With 1, ``differs`` is the chance that the true
        coefficient has the other sign.
    df : float
        Degrees of freedom of the standard error.

    Returns
    -------
    SignFlip

    Raises
    ------
    InvalidInput
        If a number is out of range.

    References
    ----------
    Total Evaluation Error, arXiv:2604.11581, appendix M. ``docs/methods/regression.md``.

    Examples
    --------
    >>> flip = sign_flip(0.2, 0.1, ratio=0.5)
    >>> round(flip.differs, 4), round(flip.again, 4)
    (0.0023, 0.0228)
    """
    if not np.isfinite(beta):
        raise InvalidInput(f"beta: a coefficient is needed, got {beta}")
    if not (np.isfinite(se) and se > 0):
        raise InvalidInput(f"se: a standard error above 0 is needed, got {se}")
    if not 0 <= ratio <= 1:
        raise InvalidInput(f"ratio: a share from 0 to 1 is needed, got {ratio}; it is error variance over all variance")
    if not df >= 1:
        raise InvalidInput(f"df: degrees of freedom of at least 1 are needed, got {df}")
    noise = se * float(np.sqrt(ratio))
    differs, again = (_beyond(abs(beta), noise * wide, df) for wide in (1.0, float(np.sqrt(2))))
    return SignFlip(float(beta), float(se), float(ratio), noise, differs, again)


def _beyond(distance: float, sd: float, df: float) -> float:
    """Chance of a deviation beyond a distance on one side."""
    if sd == 0:
        return 0.5 if distance == 0 else 0.0
    return t_cdf(df, -distance / sd)
