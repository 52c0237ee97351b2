"""Gaming of a benchmark: what submitting many times and reporting the best is worth, design by design."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from quorate.arguments import argument
from quorate.caveats import Caveat, independent_attempts, one_level
from quorate.decide.gaming.attempts import (
    Mitigation,
    Options,
    Played,
    attempts_targets,
    mitigations,
    projected,
    standard_errors,
)
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.components.published import Components
from quorate.numerics.inference import checked_level
from quorate.numerics.reach import MOST, maximum_moments
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.fitted import observed_counts
from quorate.planning.designs.prices import Prices
from quorate.planning.designs.schemes import is_count
from quorate.table.results import Result, Row, plain

Scale = Literal["score", "elo"]
_TYPICAL = {"prompt": 5, "judge": 3}
_NOTICED, _STEEP = 0.01, 0.7


@dataclass(frozen=True)
class Prize(Result):
    """What the best of K attempts gains under one design.

    Parameters
    ----------
    label : str
        The design, in words.
    projection : Projection
        The design; its ``se`` is that of one attempt, in score units.
    se : float
        Standard error of one attempt, in the unit of ``scale``.
    value : float
        Expected height of the best attempt above the truth.
    low, high : float
        Interval of ``value``, from the components that the data make plausible (a parametric bootstrap of the fit); nan
        where components come without one: published, or by ``method="anova"``.
    """

    label: str
    projection: Projection
    se: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Gaming(Result):
    """What can be gained by submitting K times and reporting the best.

    Parameters
    ----------
    k : int
        Attempts.
    expected : float
        Mean of the largest of ``k`` standard normals.
    scale : {"score", "elo"}
        Unit of prizes.
    slope : float
        Prize units per score unit: 1, or Elo points per unit of win rate.
    win_rate : float
        Win rate at which the slope is taken; nan for scores.
    redrawn : tuple of str
        Facets that differ from one attempt to the next.
    prizes : tuple of Prize
        One for every design.
    mitigation : tuple of Mitigation
        Changes to the first design, those that buy most for what they cost first; a change whose effect the data leave
        open is not among them.
    level : float
        Coverage of the intervals.
    caveats : tuple of Caveat
        What the reader must know.
    """

    k: int
    expected: float
    scale: Scale
    slope: float
    win_rate: float
    redrawn: tuple[str, ...]
    prizes: tuple[Prize, ...]
    mitigation: tuple[Mitigation, ...]
    level: float
    caveats: tuple[Caveat, ...]

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        unit = " Elo" if self.scale == "elo" else ""
        first, least = self.prizes[0], min(self.prizes, key=lambda one: one.value)
        text = f"The best of {self.k:,} attempts is expected {first.value:.3g}{unit} above the truth with {first.label}"
        if least is not first:
            text += f", {least.value:.3g}{unit} with {least.label}"
        buys = [one for one in self.mitigation if one.reduction > _NOTICED * first.value]
        if self.win_rate + first.value / self.slope > _STEEP:
            text += f" (by the slope at a win rate of {self.win_rate:.2g}; {self.exact(first.value):.3g} on the curve)"
        if not buys:
            return f"{text}."
        count = f"{buys[0].more_calls:,} more calls" if buys[0].more_calls > 0 else "no more calls"
        return f"{text}. What lowers it most for its cost: {buys[0].label}, by {buys[0].reduction:.2g} for {count}."

    def exact(self, prize: float) -> float:
        """The prize in Elo points on the logistic curve instead of its tangent; infinite from a win rate of 1 on.

        Parameters
        ----------
        prize : float
            A prize, in the unit of ``scale``; of scores it stays as it is.
        """
        if self.scale == "score":
            return prize
        reached = self.win_rate + prize / self.slope
        return _elo(reached) - _elo(self.win_rate) if reached < 1 else math.inf

    def rows(self) -> list[Row]:
        """One row for every design: design, calls, cost, se, prize, low, high."""
        priced = all(prize.projection.cost is not None for prize in self.prizes)
        return [
            {"design": prize.label, "calls": prize.projection.calls}
            | ({"cost": prize.projection.cost} if priced else {})
            | {"se": prize.se, "prize": prize.value, "low": prize.low, "high": prize.high}
            for prize in self.prizes
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""

        def some(rows: Sequence[Prize | Mitigation], names: Sequence[str]) -> list[Row]:
            return [{name: getattr(row, name) for name in names} for row in rows]

        facts = ("k", "expected", "scale", "slope", "level", "sentence", "win_rate", "redrawn")
        values: dict[str, Any] = {name: getattr(self, name) for name in facts}
        values["prizes"] = some(self.prizes, ("label", "se", "value", "low", "high"))
        changes = ("label", "value", "reduction", "more_calls", "more_cost", "rate")
        values["mitigation"] = some(self.mitigation, changes)
        plainly: dict[str, Any] = plain(values)
        return plainly | {"caveats": [str(caveat) for caveat in self.caveats]}


def gaming(
    fit: Decomposition | Components,
    k: int = 27,
    *,
    designs: Sequence[Options] | None = None,
    items: int | None = None,
    redrawn: Collection[str] | None = None,
    scale: Scale = "score",
    win_rate: float | None = None,
    prices: Prices | None = None,
    level: float = 0.95,
    resamples: int = 500,
    rng: np.random.Generator | int | None = None,
) -> Gaming:
    """How much a submitter gains by trying K times and reporting the best, and which design leaves the least to gain.

    The score of an attempt is the truth plus measurement error with the standard error of the design; the best of K
    equally good attempts stands ``E[max of K standard normals]`` standard errors above the truth.

    Parameters
    ----------
    fit : Decomposition or Components
        Fitted or published components.
    k : int
        Attempts of which the best is reported.
    designs : sequence of mapping, optional
        Designs, each as options of `quorate.project`: ``{"prompts": 5, "judges": 3}``. The first is the one to improve.
        Without them, one prompt or all, by one judge or all (5 and 3 from published components).
    items : int, optional
        Items of one attempt, of designs that do not say; by default as fitted. Needed with published components.
    redrawn : collection of str, optional
        Facets that differ from one attempt to the next, such as prompt and judge. By default all of them but a
        ``system`` and what groups the items: each attempt meets other items, prompts and judges. ``("prompt",
        "judge")`` is a submitter who runs the same items again with other prompts and judges. What is not redrawn is
        shared by all attempts and gains nothing; replicates are always redrawn.
    scale : {"score", "elo"}
        Unit of the prize; elo for battles scored 0 to 1.
    win_rate : float, optional
        With ``"elo"``: the win rate where score units are turned into points; by default the mean score of the fit, or
        one half.
    prices : mapping, optional
        As for `quorate.project`.
    level : float
        Coverage of the intervals.
    resamples : int
        Draws behind the intervals.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Gaming

    Raises
    ------
    InvalidInput
        If an argument is out of range, or a design has an option that `quorate.project` does not.
    UnknownTerm
        If a facet to be redrawn does not exist.
    NotEstimable
        If the data say nothing about a facet that is to be redrawn, or do not tell apart what a design needs apart.

    Notes
    -----
    Elo: ``400 log10(p / (1 - p))`` has the slope ``400 / (ln 10 p (1 - p))``, 6.95 points per percentage point at one
    half. The prize is by this slope; ``exact`` has it on the curve, which is steeper from win rates of .7 on. Attempts
    that share items, voters or judges are correlated, and gain less.

    References
    ----------
    Messing (2026), section 4.4 and Table 3; Singh et al. (2025). ``docs/methods/gaming.md``.

    Examples
    --------
    >>> import quorate as q
    >>> arena = q.components({"item": 0.09, "item:judge": 0.04, "prompt:judge": 0.001}, sensitivity={"judge": 0.002})
    >>> found = q.scores.gaming(arena, items=170, designs=[{"judges": 1}, {"judges": 3}], scale="elo")
    >>> [(one.label, round(one.value, 1)) for one in found.prizes]
    [('1 prompt x 1 judge', 85.2), ('1 prompt x 3 judges', 55.7)]
    """
    refuse_latent(fit, "fit")
    if not isinstance(fit, (Components, Decomposition)):
        kind = type(fit).__name__
        raise InvalidInput(f"fit: expects what decompose or components returns, got {kind}; decompose it first")
    if not is_count(k, MOST):
        raise InvalidInput(f"k: attempts must be a whole number from 1 to {MOST:,}, got {k!r}")
    if scale not in ("score", "elo"):
        raise InvalidInput(f'scale: expects "score" or "elo", got {scale!r}')
    checked_level(level)
    targets, kept, missing = attempts_targets(fit, redrawn)
    rate = turning_rate(fit, scale, win_rate)
    slope = 1.0 if scale == "score" else elo_slope(rate)
    played = Played(fit, items, targets, prices)
    asked = compared_designs(designs, fit, kept)
    expected = float(maximum_moments(k)[0])
    plans = [projected(played, options) for options in asked]
    plausible = standard_errors(played, asked, resamples, rng)
    ends = np.quantile(plausible, [(1 - level) / 2, (1 + level) / 2], axis=1) * slope * expected
    prizes = tuple(
        Prize(design_label(plan, options), plan, plan.se * slope, plan.se * slope * expected, float(low), float(high))
        for plan, options, low, high in zip(plans, asked, *ends, strict=True)
    )
    own = (independent_attempts(), *(one_level(name) for name in missing))
    more = fit.caveats if isinstance(fit, Decomposition) else ()
    return Gaming(
        k=k,
        expected=expected,
        scale=scale,
        slope=slope,
        win_rate=rate,
        redrawn=kept,
        prizes=prizes,
        mitigation=mitigations(played, asked[0], plans[0], kept, slope * expected),
        level=level,
        caveats=(*own, *(caveat for caveat in more if caveat not in own)),
    )


def turning_rate(fit: Decomposition | Components, scale: Scale, win_rate: float | None) -> float:
    """Win rate at which scores are turned into Elo points; nan where they are not."""
    if scale == "score":
        if win_rate is not None:
            elo, score = (argument("scale", name) for name in ("elo", "score"))
            raise InvalidInput(argument("win_rate") + ": goes with " + elo + f", got {win_rate} with " + score)
        return math.nan
    if isinstance(fit, Decomposition):
        low, high = float(np.nanmin(fit.judgments.low)), float(np.nanmax(fit.judgments.high))
        if low < 0 or high > 1:
            rule = "scores must be outcomes of battles from 0 to 1"
            fix = argument("scale", "score")
            raise InvalidInput(f'scale: with "elo" {rule}, got {low:g} to {high:g}; use ' + fix)
    rate = win_rate if win_rate is not None else fit.mean.value if isinstance(fit, Decomposition) else 0.5
    if not isinstance(rate, Real) or not 0 < rate < 1:
        raise InvalidInput(argument("win_rate") + f": a share above 0 and below 1 is needed, got {rate}")
    return float(rate)


def _elo(win_rate: float) -> float:
    return 400 * math.log10(win_rate / (1 - win_rate))


def elo_slope(win_rate: float) -> float:
    """Elo points per unit of win rate: ``400 / (ln 10 p (1 - p))``.

    Parameters
    ----------
    win_rate : float
        Win rate p at which the slope is taken, in (0, 1).

    Examples
    --------
    >>> round(elo_slope(0.5), 2)
    694.87
    """
    return 400 / (math.log(10) * win_rate * (1 - win_rate))


def compared_designs(designs: object, fit: Decomposition | Components, redrawn: Collection[str]) -> list[Options]:
    """The designs as given; without any, one prompt or all, by one judge or all."""
    if designs is None:
        if isinstance(fit, Components):
            most = {name: count for name, count in _TYPICAL.items() if name in fit.facets}
        else:
            most = {name: observed_counts(fit).get(name, 1) for name in _TYPICAL if name in redrawn}
        prompts, judges = (sorted({1, most[name]}) if name in most else [None] for name in ("prompt", "judge"))
        pairs = [{"prompts": v, "judges": m} for m in judges for v in prompts]
        return [{name: count for name, count in pair.items() if count is not None} for pair in pairs]
    if isinstance(designs, (str, Mapping)) or not isinstance(designs, Sequence):
        raise InvalidInput(
            f"designs: a list of designs is needed, got {type(designs).__name__}; write [{{'judges': 3}}]"
        )
    for options in designs:
        if not isinstance(options, Mapping):
            raise InvalidInput(f"designs: each is a mapping of options, such as {{'judges': 3}}; got {options!r}")
    if not designs:
        raise InvalidInput("designs: at least one design is needed, got none; leave designs out for the usual four")
    return list(designs)


def design_label(projection: Projection, options: Options) -> str:
    """A design in words: its prompts and judges, and what is unusual about it."""
    counts = {name: projection.design[name] for name in _TYPICAL if name in projection.design}
    named = [f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items()]
    others = [f"{n} {name}s" for name, n in projection.design.items() if name == "replicate" and n > 1]
    layout = "" if projection.layout == "factorial" else f", {projection.layout}"
    layout += f", {options['items']:,} items" if options.get("items") is not None else ""
    return " x ".join(named + others) + layout if named + others else f"{projection.calls:,} calls{layout}"
