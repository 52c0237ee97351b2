"""Naive intervals against corrected ones, for the whole study and for every single configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quorate.caveats import Caveat, unequal_weights
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.effects import Configuration, configuration_facets, configurations, effects
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION, SENSITIVITY, Target
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.planning.designs.dstudy import project
from quorate.planning.designs.sources import observed_counts
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Interval, Result, StatedInterval, picked
from quorate.wording import Brief


@dataclass(frozen=True)
class SingleConfiguration(Brief):
    """What a study with one configuration would have reported, and what it should have.

    Parameters
    ----------
    labels : mapping of str to str
        Level of each facet that the configuration fixes.
    naive : Interval
        ``s / sqrt(N)`` over item means.
    corrected : Interval
        With the standard error of a single configuration drawn from these, from the components; nan where not
        estimable.
    misses : bool
        Whether the naive interval misses what it should hold: the mean over all configurations, or that of its level.
    corrected_misses : bool or None
        Whether the corrected interval does; None where there is none.
    target : float
        What it should hold.
    """

    labels: Mapping[str, str]
    naive: Interval
    corrected: Interval
    misses: bool
    corrected_misses: bool | None
    target: float


@dataclass(frozen=True)
class Naive(Result):
    """Naive intervals against corrected ones.

    Parameters
    ----------
    overall : Interval
        Every judgment taken as independent: what most reports print.
    corrected : Estimate
        The mean for the default targets.
    target : float
        Mean over all configurations, which every single configuration is compared with unless ``truth`` says otherwise.
    single : tuple of SingleConfiguration
        One entry per configuration with at least 2 items.
    level : float
        Coverage that all intervals claim.
    skipped : int
        Configurations with fewer than 2 items, for which there is no naive interval.
    reason : str
        Why there is no corrected interval for single configurations; empty where there is.
    """

    overall: Interval
    corrected: Estimate
    target: float
    single: tuple[SingleConfiguration, ...]
    level: float
    skipped: int
    reason: str

    @property
    def width_ratio(self) -> float:
        """Naive width over corrected width, averaged over configurations."""
        return float(np.mean([one.naive.se / one.corrected.se for one in self.single])) if self.single else np.nan

    @property
    def underestimation(self) -> float:
        """How much of the standard error of a single configuration the naive one leaves out."""
        return 1 - self.width_ratio

    @property
    def naive_coverage(self) -> float:
        """Fraction of configurations whose naive interval covers the mean over all."""
        return float(np.mean([not one.misses for one in self.single])) if self.single else np.nan

    @property
    def corrected_coverage(self) -> float:
        """Fraction of configurations whose corrected interval does; nan where there is none."""
        known = [not one.corrected_misses for one in self.single if one.corrected_misses is not None]
        return float(np.mean(known)) if known else np.nan

    @property
    def too_narrow(self) -> float:
        """Corrected half-width over the naive one, for the whole study and the default targets."""
        return self.corrected.at(self.level).half_width / self.overall.half_width

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Why the mean lies outside the naive interval of the whole study; empty where it does not."""
        return apart(self.overall, self.target)

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain values."""
        numbers = picked(self, "width_ratio underestimation naive_coverage corrected_coverage too_narrow target")
        counts = {"configurations": len(self.single), "skipped": self.skipped}
        return {"overall": self.overall.to_dict()} | counts | numbers


def naive(
    judgments: Judgments,
    fit: Decomposition | None = None,
    *,
    level: float = 0.95,
    targets: Mapping[str, Target] | None = None,
    truth: str = "grand",
) -> Naive:
    """How wrong the usual interval is.

    For the whole study it takes every judgment as independent. For each single configuration (prompt x judge x
    temperature ...) it is ``s / sqrt(N)`` over the items, compared with the standard error of a configuration drawn
    from the ones at hand, projected from the components.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    fit : Decomposition, optional
        Components to correct with; fitted by default.
    level : float
        Coverage of all intervals.
    targets : mapping of str to str or Pool, optional
        What facets stand for in the corrected standard error of a configuration, as for `quorate.project`. By default
        the spread of fixed facets counts (``sensitivity``); the source paper leaves it out: ``{"judge": "panel"}``.
    truth : str
        ``grand``: intervals should hold the mean over all configurations; ``by:FACET``, such as ``by:judge``: the mean
        at the level of this facet that they were found with.

    Returns
    -------
    Naive

    Raises
    ------
    InvalidInput
        If ``truth`` is neither, or names a facet that tells no configurations apart.

    References
    ----------
    Messing (2026), section K and Table 14.

    Examples
    --------
    >>> import polars, quorate as q
    >>> found = naive(q.read(polars.DataFrame(q.simulate.demo_table()), announce=False))
    >>> round(found.width_ratio, 2)
    0.52
    """
    fit = fit or decompose(judgments)
    answered = fit.judgments
    covariates = {name for term in fit.assembled.model.covariates for name in term.split(":")}
    facets = configuration_facets(answered, frozenset(covariates - set(observed_counts(fit))))
    every = configurations(answered, facets)
    usable = [cell for cell in every if cell.n_items > 1]
    levels = dict.fromkeys(facets, 1)
    fixed = fit.assembled.fixed.levels
    drawn = [name for name in facets if name in fixed or name not in covariates]
    spread: dict[str, Target] = {name: SENSITIVITY if name in fixed else POPULATION for name in drawn}
    se, reason = {}, ""  # corrected standard error of a single configuration, by number of items
    try:
        se = {
            items: project(fit, items=items, levels=levels, targets=spread | dict(targets or {})).se
            for items in {cell.n_items for cell in usable}
        }
    except NotEstimable as error:
        reason = str(error)
    target = fit.mean.value
    true = truths(fit, truth, facets)
    single = tuple(against(cell, se.get(cell.n_items, np.nan), true(cell), level) for cell in usable)
    return Naive(independent(answered, level), fit.mean, target, single, level, len(every) - len(usable), reason)


def independent(answered: Judgments, level: float) -> StatedInterval:
    """The mean of all judgments as if none had anything to do with another."""
    n = answered.n_answers
    value = float(answered.n @ answered.mean / n)
    square = float(answered.ss.sum() + answered.n @ (answered.mean - value) ** 2)
    return normal(value, float(np.sqrt(square / (n - 1) / n)), n, level)


def apart(naive: Interval, mean: float) -> tuple[Caveat, ...]:
    """Why a mean lies outside the naive interval of the whole study; empty where it does not."""
    beyond = abs(mean - naive.value) > (naive.high - naive.low) / 2 > 0
    return (unequal_weights(naive.value, mean),) if beyond else ()


def truths(fit: Decomposition, truth: str, facets: tuple[str, ...]) -> Callable[[Configuration], float]:
    """What the interval of a configuration should hold."""
    if truth == "grand":
        grand = fit.mean.value
        return lambda _: grand
    facet = truth.removeprefix("by:")
    if not truth.startswith("by:") or facet not in facets:
        known = ", ".join(f'"by:{name}"' for name in facets)
        raise InvalidInput(f'truth: "grand" or one of {known or "no others here"} is needed, got {truth!r}')
    means = {one.level: one.mean for one in effects(fit, facet)}
    return lambda cell: means[cell.labels[facet]]


def normal(value: float, se: float, n: int, level: float) -> StatedInterval:
    """A mean with the normal interval."""

    def law(level: float) -> Ends:
        half = t_quantile(np.inf, (1 + level) / 2) * se
        return value - half, value + half

    return StatedInterval(value, se, n, level, law)


def against(cell: Configuration, se: float, target: float, level: float) -> SingleConfiguration:
    """The naive interval of a configuration and the corrected one, against what they should hold."""
    naive, corrected = (normal(cell.value, one, cell.n_items, level) for one in (cell.se, se))
    return SingleConfiguration(
        labels=cell.labels,
        naive=naive,
        corrected=corrected,
        misses=not naive.low <= target <= naive.high,
        corrected_misses=not corrected.low <= target <= corrected.high if np.isfinite(se) else None,
        target=target,
    )
