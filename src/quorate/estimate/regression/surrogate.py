"""Surrogate labels: how far a judge's label of an item would move with other prompts and calls, from a pilot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import averages, plausible
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf
from quorate.numerics.inference import checked_level, equal_tails
from quorate.streams import stream
from quorate.table.results import Ends, Result, Row, StatedInterval
from quorate.wording import counted, listed, percent

_DRAWS = 4000

_NOISE = dict.fromkeys(("cell", "replicate"), "the noise of one judgment")


@dataclass(frozen=True)
class Surrogate(Result):
    """Variance of a label about what the same judges would say of the item on average.

    Parameters
    ----------
    parts : mapping of str to float
        What each component brings, in squared score units; ``bias`` is what no averaging removes.
    variance : float
        Their sum.
    levels : mapping of str to int
        Levels of each facet that a label is the mean of.
    replicates : int
        Answers of each cell in it.
    level : float
        Coverage of the interval.
    draws : array
        What the variance without the bias may be, for the interval.
    """

    parts: Mapping[str, float]
    variance: float
    levels: Mapping[str, int]
    replicates: int
    level: float
    draws: Floats = field(repr=False, compare=False)

    derived = ("se", "estimate", "sentence")

    @property
    def se(self) -> float:
        """Standard deviation of a label's error."""
        return float(np.sqrt(self.variance))

    @property
    def estimate(self) -> StatedInterval:
        """The variance: quantiles of what the components may be, beside the bias."""
        bias = self.parts.get("bias", 0.0)

        def law(level: float) -> Ends:
            low, high = equal_tails(self.draws, level)
            return low + bias, high + bias

        return StatedInterval(self.variance, float(np.std(self.draws)), 0, self.level, law)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        each = [counted(count, name) for name, count in self.levels.items()]
        most = max(self.parts, key=lambda name: self.parts[name])
        share = self.parts[most] / self.variance if self.variance else 0.0
        again = f", {self.replicates} answers each" if self.replicates > 1 else ""
        return (
            f"A label that is the mean over {listed(each)}{again} has an error of standard deviation {self.se:.3g}; "
            f"the largest part of its variance, {percent(share)}, is {_NOISE.get(most, most)}."
        )

    def rows(self) -> list[Row]:
        """One row a component: its part of the variance."""
        total = self.variance
        return [
            {"component": name, "variance": value, "share": value / total if total else float("nan")}
            for name, value in self.parts.items()
        ]


def surrogate(
    fit: Decomposition,
    *,
    levels: Mapping[str, int] | None = None,
    replicates: int = 1,
    drawn: Iterable[str] | None = None,
    bias: float = 0.0,
    level: float = 0.95,
) -> Surrogate:
    """How far a judge's label of an item would move with other prompts and calls.

    Labels by a model stand in for those of people in a regression. What of their error more prompts, judges or calls
    would average away is here, by the components of a pilot: all that contain a drawn facet, over its levels, the cell
    and the replicate. What items and judges are by themselves is part of the label.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`, of a crossed pilot.
    levels : mapping of str to int, optional
        Levels of each facet that a label is the mean of, such as ``{"prompt": 3}``; 1 of each that is not named.
    replicates : int
        Answers of each cell in a label.
    drawn : iterable of str, optional
        Facets whose levels might have been others; by default all random ones but items and what groups them.
    bias : float
        Variance of what judges get wrong however often they are asked. Such as the mean squared difference of labels
        from people's less this result's variance.
    level : float
        Coverage of the interval.

    Returns
    -------
    Surrogate

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If a number is out of range.
    NotEstimable
        If the pilot knows only a sum of components that are averaged differently.

    References
    ----------
    Total Evaluation Error, arXiv:2604.11581, equation 15. ``docs/methods/regression.md``.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate import write_demo
    >>> fit = q.decompose(q.read(write_demo("scores.csv")))
    >>> one, three = q.scores.surrogate(fit), q.scores.surrogate(fit, levels={"prompt": 3})
    >>> round(one.variance / three.variance, 6)
    3.0
    """
    checked_level(level)
    judgments = fit.judgments
    item = judgments.object
    within = {item, *judgments.ancestors(item)}
    counts = {name: 1 for name in judgments.names if name not in within} | dict(levels or {})
    for name, count in counts.items():
        judgments.facet(name)
        if name in within or count < 1:
            raise InvalidInput(f"levels: a label is of one {item}, and 1 or more levels of others, got {name}: {count}")
    if replicates < 1:
        raise InvalidInput(f"replicates: 1 or more answers of each cell are needed, got {replicates}")
    if not bias >= 0:
        raise InvalidInput(f"bias: a variance of 0 or more is needed, got {bias}")
    random = {facet.name for facet in judgments.facets if not facet.fixed} - within
    chosen = random if drawn is None else {judgments.facet(name).name for name in drawn}
    factors = averages(fit, counts, replicates, lambda term: not chosen.isdisjoint(term))
    parts = {name: factors[name] * value for name, value in fit.variances.items() if factors[name]}
    own = sum(parts.values())
    generator = stream(0, "surrogate")
    draws = sum((factors[name] * plausible(fit, name, _DRAWS, generator) for name in parts), np.zeros(_DRAWS))
    return Surrogate(parts | ({"bias": bias} if bias else {}), own + bias, counts, replicates, level, draws)


# Sign flips: how likely it is that errors of labels turn the sign of a coefficient.


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
    beta : float
        The coefficient.
    se : float
        Its standard error.
    ratio : float
        Share of the variance of the outcome, given the regressors, that is error of labels. ``surrogate(fit).variance``
        over the residual variance, in [0, 1]; with 1, ``differs`` is the chance that the true coefficient has the other
        sign.
    df : float
        Degrees of freedom of the standard error; by default no end of them.

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
    rules.number("se", se, above=0)
    rules.number("ratio", ratio, least=0, most=1)
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
