"""Gaming of a benchmark: what submitting many times and reporting the best is worth, design by design."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, cast

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat, independent_attempts, one_level
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.components.published import Components
from quorate.estimate.means.targets import FINITE, FIXED, PANEL, POPULATION, SENSITIVITY, Target, all_drawn, is_grouping
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.reach import MOST, maximum_moments
from quorate.planning.designs.dstudy import Prices, Projection, project
from quorate.planning.designs.sources import observed_counts
from quorate.planning.designs.studies import Studies
from quorate.planning.search.optimum import plausible
from quorate.roles import SYSTEM
from quorate.streams import stream
from quorate.table.results import Result, Row
from quorate.wording import Brief

_ALLOWED = (
    *("items", "prompts", "judges", "temperatures", "replicates", "layout", "per_item", "places", "balanced"),
    *("levels", "categories"),
)
Options = Mapping[str, Any]
"""A design, as options of `quorate.project`."""
_FACETS = {"prompts": "prompt", "judges": "judge", "temperatures": "temperature"}


@dataclass(frozen=True)
class Played:
    """What attempts are made with.

    Parameters
    ----------
    fit : Decomposition or Components
        Components.
    items : int or None
        Items of designs that do not say.
    targets : mapping of str to str
        "population" for what is redrawn, and the levels at hand for what all attempts share.
    prices : mapping or None
        As for `quorate.project`.
    """

    fit: Decomposition | Components
    items: int | None
    targets: Mapping[str, Target]
    prices: Prices | None


def attempts_targets(
    fit: Decomposition | Components, redrawn: Collection[str] | None
) -> tuple[dict[str, Target], tuple[str, ...], tuple[str, ...]]:
    """Targets that leave the variance between attempts alone, what is redrawn, and what would be but has one level."""
    if isinstance(redrawn, str):
        raise InvalidInput(f'redrawn: a collection of facets is needed, got "{redrawn}"; write ("{redrawn}",)')

    def named(names: Collection[str] | None, known: Sequence[str]) -> tuple[str, ...]:
        for name in names or ():
            if name not in known:
                raise UnknownTerm(name, known, "facet")
        return tuple(known if names is None else [name for name in known if name in names])

    if isinstance(fit, Components):
        chosen = named(redrawn, [name for name in fit.facets if name not in ("category", SYSTEM)])
        shared: dict[str, Target] = {name: PANEL for name in fit.facets if name not in (*chosen, "category")}
        return shared | {name: SENSITIVITY for name in fit.sensitivity if name in chosen}, chosen, ()
    judgments, usual = fit.judgments, all_drawn(fit)
    measured = [name for name in judgments.names if not is_grouping(judgments, name)]
    single = tuple(name for name in measured if judgments.n_levels(name) == 1)
    model = fit.assembled.model
    covariates = {part for term in model.covariates for part in term.split(":")} - set(model.fixed)
    free = [name for name in measured if name != SYSTEM and name not in single and name not in covariates]
    for name in redrawn or ():
        if name == SYSTEM or (name in judgments.names and name not in measured):
            what = "attempts are taken as equally good" if name == SYSTEM else f"it groups the {judgments.object}s"
            raise InvalidInput(f'redrawn: "{name}" cannot be, {what}; leave it out')
    chosen = named(free if redrawn is None else redrawn, judgments.names)
    targets: dict[str, Target] = {name: FINITE if usual[name] == POPULATION else PANEL for name in measured}
    grouped = FIXED if judgments.object in chosen else FINITE
    targets |= {name: grouped for name in judgments.names if is_grouping(judgments, name)}
    targets |= dict.fromkeys(chosen, POPULATION)
    return targets, chosen, single if redrawn is None else ()


def projected(played: Played, options: Mapping[str, Any]) -> Projection:
    """One attempt under a design."""
    for name in options:
        if name not in _ALLOWED:
            raise InvalidInput(f'designs: no option "{name}"; a design has {", ".join(_ALLOWED)}')
    fit, asked = played.fit, {"items": played.items, **options}
    if isinstance(fit, Decomposition) and SYSTEM in fit.judgments.names:  # of one system, as a submission is
        if SYSTEM in observed_counts(fit):
            asked["levels"] = {SYSTEM: 1, **asked.get("levels", {})}
        elif asked["items"] is None and is_grouping(fit.judgments, SYSTEM):
            items = fit.judgments.n_levels(fit.judgments.object)
            asked["items"] = max(1, round(items / fit.judgments.n_levels(SYSTEM)))
    return project(fit, **asked, targets=played.targets, prices=played.prices)


def standard_errors(
    played: Played, plans: Sequence[Projection], resamples: int, rng: np.random.Generator | int | None
) -> Floats:
    """Plausible standard errors of one attempt, shape (designs, draws); nan where components come without draws."""
    fit = played.fit
    if isinstance(fit, Components) or fit.method == "anova":
        return np.full((len(plans), 1), np.nan)
    draws = np.random.default_rng(stream(0, "gaming") if rng is None else rng)
    boot = fit.bootstrap(resamples, rng=draws)
    out = []
    for made in (cast("Studies", plan.studies) for plan in plans):
        weights = np.array([float(weight) for weight in made.source.weigh(made.laid).values()])
        out.append(np.sqrt(weights @ plausible(made.source, fit, boot, draws)))
    return np.array(out)


@dataclass(frozen=True)
class Mitigation(Brief):
    """What one change to the first design does to the prize.

    Parameters
    ----------
    label : str
        The change, in words.
    projection : Projection
        The changed design.
    value : float
        Prize that is left.
    reduction : float
        Prize taken away.
    more_calls : int
        Judgments that it takes on top.
    more_cost : float or None
        Their price; None where a price is unknown.
    """

    label: str
    projection: Projection
    value: float
    reduction: float
    more_calls: int
    more_cost: float | None

    @property
    def rate(self) -> float:
        """Reduction per unit of money, or per judgment where there are no prices; infinite where it costs nothing."""
        spent = self.more_calls if self.more_cost is None else self.more_cost
        if spent > 0:
            return self.reduction / spent
        return math.copysign(math.inf, self.reduction) if self.reduction else 0.0


def mitigations(
    played: Played, base: Options, at: Projection, redrawn: Collection[str], unit: float
) -> tuple[Mitigation, ...]:
    """Changes to a design that can be made, those that buy most for what they cost first.

    Parameters
    ----------
    played : Played
        What attempts are made with.
    base : mapping
        The design, as options of `quorate.project`.
    at : Projection
        What it gives.
    redrawn : collection of str
        Facets that differ from one attempt to the next.
    unit : float
        Prize per standard error of an attempt in score units.
    """
    changes = []
    for label, options in _changes(played, base, at, redrawn):
        try:
            plan = projected(played, options)
        except NotEstimable:  # the data leave this change open; the caveats name what they do not tell apart
            continue
        more_cost = None if plan.cost is None or at.cost is None else plan.cost - at.cost
        se, calls = plan.se, plan.calls - at.calls
        changes.append(Mitigation(label, plan, se * unit, (at.se - se) * unit, calls, more_cost))
    return tuple(sorted(changes, key=lambda change: -change.rate))


def _changes(
    played: Played, base: Options, at: Projection, redrawn: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changes of a design, as options of it."""
    fit, arguments = played.fit, {facet: name for name, facet in _FACETS.items()}
    if isinstance(fit, Components):
        item, judges = "item", 3 if "judge" in fit.facets else 1
    else:
        item, judges = fit.judgments.object, observed_counts(fit).get("judge", 1)
    for name, count in at.design.items():
        if name in (item, "replicate") or name not in redrawn or "places" in base:
            continue
        levels = {"levels": {**base.get("levels", {}), name: count + 1}}
        yield f"one more {name}", {**base, **({arguments[name]: count + 1} if name in arguments else levels)}
    if item in redrawn:
        tenth = math.ceil(at.design[item] / 10)
        yield f"{tenth:,} more {item}{'s' * (tenth != 1)}", {**base, "items": at.design[item] + tenth}
    yield "one more replicate", {**base, "replicates": at.design["replicate"] + 1}
    turns = at.layout == "factorial" and at.design.get("judge") == 1 and "judge" in redrawn and judges > 1
    if turns and at.design[item] >= judges:
        yield f"{judges} judges in turn, one per {item}", {**base, "judges": judges, "layout": "cyclic"}


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

    entries = "k expected scale slope level sentence win_rate redrawn prizes mitigation caveats"

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
    rules.whole("k", k, 1, MOST)
    if scale not in ("score", "elo"):
        raise InvalidInput(f'scale: expects "score" or "elo", got {scale!r}')
    checked_level(level)
    targets, kept, missing = attempts_targets(fit, redrawn)
    rate = _turning_rate(fit, scale, win_rate)
    slope = 1.0 if scale == "score" else elo_slope(rate)
    played = Played(fit, items, targets, prices)
    asked = _compared_designs(designs, fit, kept)
    expected = float(maximum_moments(k)[0])
    plans = [projected(played, options) for options in asked]
    errors = standard_errors(played, plans, resamples, rng)
    ends = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2], axis=1) * slope * expected
    prizes = tuple(
        Prize(_design_label(plan, options), plan, plan.se * slope, plan.se * slope * expected, float(low), float(high))
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


def _turning_rate(fit: Decomposition | Components, scale: Scale, win_rate: float | None) -> float:
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


def _compared_designs(designs: object, fit: Decomposition | Components, redrawn: Collection[str]) -> list[Options]:
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


def _design_label(projection: Projection, options: Options) -> str:
    """A design in words: its prompts and judges, and what is unusual about it."""
    counts = {name: projection.design[name] for name in _TYPICAL if name in projection.design}
    named = [f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items()]
    others = [f"{n} {name}s" for name, n in projection.design.items() if name == "replicate" and n > 1]
    layout = "" if projection.layout == "factorial" else f", {projection.layout}"
    layout += f", {options['items']:,} items" if options.get("items") is not None else ""
    return " x ".join(named + others) + layout if named + others else f"{projection.calls:,} calls{layout}"
