"""How many labels by people and predictions by judges to buy: two-phase sampling at given prices."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.labelled import Table, people_apart
from quorate.estimate.agreement.prediction_powered import Matched, is_share, matched, units_of, wanted
from quorate.estimate.votes.clustered import Cluster
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.numerics.prediction_powered import (
    Codes,
    Costs,
    Sample,
    Split,
    Strata,
    deviations,
    mean_error,
    neyman,
    people_alone,
    powered,
    shares,
    worth_from,
)
from quorate.numerics.roots import root
from quorate.planning.designs.dstudy import Prices, check
from quorate.planning.labels_plan import LabelsPlan, Persons, Reliability, StratumLabels, Way
from quorate.planning.power.sample_size import check_power
from quorate.roles import JUDGE
from quorate.table.votes import Votes

_LIKE_THE_REST = 10.0
"""Labels of the whole pilot that the variance of a stratum is averaged with."""
_ADDED = 4.0
"""Labels that `quorate.agreement.corrected` adds to a share."""
_WEIGHTED = 2.0
"""Over the number of labels: how much the residual variance grows by weights that are estimated."""


class Precision(NamedTuple):
    """What an analysis will find: standard error, degrees of freedom, and of a share as many independent labels."""

    se: float
    df: float
    trials: float | None
    level: float

    def half_width(self, coverage: float) -> float:
        """Half of the interval with this coverage, Student's or of a share Wilson's."""
        quantile = t_quantile(self.df, (1 + coverage) / 2)
        if self.trials is None:
            return quantile * self.se
        normal = t_quantile(np.inf, (1 + coverage) / 2)
        n = self.trials * (normal / quantile) ** 2
        square = self.level * (1 - self.level) / n + normal**2 / (4 * n**2)
        return normal * float(np.sqrt(square)) / (1 + normal**2 / n)

    def detectable(self, coverage: float, power: float) -> float:
        """Difference, or margin of a share above one half, that the interval excludes 0 or one half by, so often."""
        se = self.se if self.trials is None else 0.5 / float(np.sqrt(self.trials))
        return (t_quantile(self.df, (1 + coverage) / 2) + t_quantile(self.df, power)) * se


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot says of labels and predictions.

    Parameters
    ----------
    names : tuple of str
        Strata; one without a name where there are none.
    strata : Strata
        Variances of a label by one person, those of clusters included.
    levels : array, shape (strata,)
        Mean label.
    labels, units : array, shape (strata,)
        Labelled and predicted units of the pilot.
    correlation : (float, float, float)
        Of label and prediction within strata, and its interval.
    bias, bias_se : float
        Prediction less label, and its error.
    share : bool
        Whether labels are shares.
    clusters : mapping of str to int
        Labelled clusters by facet.
    """

    names: tuple[str, ...]
    strata: Strata
    levels: Floats
    labels: Floats
    units: Floats
    correlation: tuple[float, float, float]
    bias: float
    bias_se: float
    share: bool
    clusters: Mapping[str, int]

    @classmethod
    def of(cls, found: Matched, *, share: bool, level: float, within: float, persons: Floats) -> Pilot:
        """From labels by ``persons`` people each, whose labels of one unit have the variance ``within``."""
        sample = found.sample
        own, others = sample.parts
        weight = shares(sample)
        count, units = (np.bincount(each, minlength=len(weight)) for each in (own, np.append(own, others)))
        n = np.maximum(np.bincount(own), 1)
        y, predicted = (each - (np.bincount(own, each) / n)[own] for each in (sample.y, sample.predicted))
        slope = _slopes(own, y, predicted, len(weight))
        left = y - slope[own] * predicted
        single = within * float(np.mean(1 - 1 / persons))
        variance = _variances(own, y, len(weight), 1) + single
        residual = np.minimum(_variances(own, left, len(weight), 2) + single, variance)
        by_label, by_residual, by_prediction = _effects(sample, left)
        r = float(np.sqrt(max(0.0, 1 - float(weight @ residual) / max(float(weight @ variance), 1e-300))))
        half = t_quantile(np.inf, (1 + level) / 2) / np.sqrt(max(len(own) - len(weight) - 2, 1))
        around = float(np.arctanh(min(r, 1 - 1e-12)))
        rates = np.bincount(own, sample.y, len(weight)) + _LIKE_THE_REST * sample.y.mean()
        gap = sample.predicted - sample.y
        return cls(
            names=found.strata or ("",),
            strata=Strata(weight, variance * by_label, residual * by_residual, (variance - residual) * by_prediction),
            levels=rates / (count + _LIKE_THE_REST) if len(weight) > 1 else np.array([sample.y.mean()]),
            labels=count.astype(float),
            units=units.astype(float),
            correlation=(r, float(np.tanh(max(around - half, 0.0))), float(np.tanh(around + half))),
            bias=float(np.sum(weight * np.bincount(own, gap, len(weight)) / np.maximum(count, 1))),
            bias_se=mean_error(deviations(sample, gap), *sample.clusters),
            share=share,
            clusters={name: len(np.unique(code)) for name, code in zip(found.groups, sample.clusters, strict=False)},
        )

    def at_correlation(self, r: float) -> Strata:
        """The strata if labels and predictions had this correlation in each."""
        total = self.strata.residual + self.strata.explained
        return Strata(self.strata.weight, self.strata.variance, (1 - r**2) * total, r**2 * total)

    def precision(self, split: Split, strata: Strata | None = None) -> Precision:
        """What `quorate.agreement.corrected` will find of the labels and predictions of this split."""
        strata = self.strata if strata is None else strata
        weight, n = strata.weight, split.labels
        if split.units:
            units = split.units * weight
            part = np.minimum(n / units, 1.0)
            left = strata.residual * (1 + _WEIGHTED / n) + part**2 * strata.explained
            rest, others = weight**2 * (1 - part) * strata.explained / units, units - n
        else:
            left, rest, others = strata.variance, np.zeros(len(n)), np.full(len(n), 2.0)
        own = weight**2 * left / n
        variance = float(np.sum(own + rest))
        freedom = float(np.sum(own**2 / np.maximum(n - 1, 1) + rest**2 / np.maximum(others - 1, 1)))
        df = variance**2 / freedom if freedom > 0 else float(n.sum() - 1)
        if self.clusters:
            df = max(min(self.clusters.values()) * float(n.sum() / self.labels.sum()) - 1, 1.0)
        level = float(weight @ self.levels)
        if not self.share:
            return Precision(float(np.sqrt(variance)), df, None, level)
        added = _ADDED / len(n)
        centre = (n * self.levels + added / 2) / (n + added)
        more = (weight / (n + added)) ** 2 * (n * left + added / 2 * (centre**2 + (1 - centre) ** 2))
        level = float(weight @ centre)
        trials = level * (1 - level) * float(n.sum() / (n.sum() + _ADDED)) / float(np.sum(more + rest))
        return Precision(float(np.sqrt(variance)), df, trials, level)


def _slopes(own: Codes, y: Floats, predicted: Floats, strata: int) -> Floats:
    """Slope of labels on predictions from 0 to 1, that of every stratum averaged with that of all."""
    together, spread = (np.bincount(own, each, strata) for each in (y * predicted, predicted**2))
    each = spread.sum() / len(own) * _LIKE_THE_REST if strata > 1 else 0.0
    if not spread.sum() > 1e-12 * float(y @ y):
        return np.zeros(strata)
    slope = (together + each * together.sum() / spread.sum()) / (spread + each)
    return np.asarray(np.clip(slope, 0.0, 1.0))


def _variances(own: Codes, deviation: Floats, strata: int, lost: int) -> Floats:
    """Variance of every stratum, averaged with that of all; ``lost`` degrees of freedom each."""
    squares, count = np.bincount(own, deviation**2, strata), np.bincount(own, minlength=strata)
    pooled = squares.sum() / max(len(own) - lost * strata, 1)
    if strata == 1:
        return np.array([pooled])
    free = np.maximum(count - lost, 0)
    each = np.divide(squares, free, out=np.zeros(strata), where=free > 0)
    return np.asarray((free * each + _LIKE_THE_REST * pooled) / (free + _LIKE_THE_REST))


def _effects(sample: Sample, left: Floats) -> tuple[float, float, float]:
    """How many times that of independent units the variances of labels, residuals and predictions are."""
    facets = sample.clusters
    if len(facets) == 1 and len(np.unique(facets[0])) == len(facets[0]):
        return 1.0, 1.0, 1.0
    predicted = np.concatenate([sample.predicted, sample.others])
    out = []
    for values, clusters in (
        (deviations(sample, sample.y), facets),
        (deviations(sample, left), facets),
        (predicted - predicted.mean(), sample.all_clusters),
    ):
        alone = mean_error(values, np.arange(len(values)))
        out.append((mean_error(values, *clusters) / alone) ** 2 if alone > 0 else 1.0)
    return out[0], out[1], out[2]


# A pilot with prices and bounds: what money buys, and what a goal costs.


FEWEST, _EACH = 10, 5
"""Labels of any study, and of each stratum."""
_FURTHEST, _DEAREST = 20.0, 1e15
_SHOWN, _FAR = 16, 8
_WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Study:
    """A study that is planned.

    Parameters
    ----------
    pilot : Pilot
        What is known.
    costs : Costs
        Prices.
    most : float
        Most units there are.
    have : bool
        Whether labels and predictions of the pilot belong to it.
    goal : {"budget", "half_width", "margin"}
        What is asked for.
    level, power : float
        Coverage of the interval, and chance of finding a margin.
    """

    pilot: Pilot
    costs: Costs
    most: float
    have: bool
    goal: str
    level: float
    power: float

    @property
    def least(self) -> Floats:
        """Fewest labels of each stratum."""
        several = len(self.pilot.names) > 1
        floor = np.full(len(self.pilot.names), float(_EACH if several else FEWEST))
        return np.maximum(floor, self.pilot.labels) if self.have else floor

    def paid(self, *, predicted: bool) -> float:
        """What is paid for of a study with predictions or without."""
        units = float(self.pilot.units.sum()) if predicted else 0.0
        return Split(self.pilot.labels, units, 0.0).cost(self.costs) if self.have else 0.0

    def price(self, split: Split) -> float:
        """What must still be bought."""
        return split.cost(self.costs) - self.paid(predicted=split.units > 0)

    def within(self, budget: float) -> tuple[Split, Split | None]:
        """The best split of a budget and people alone, in whole labels and units; refused where it buys too few."""
        both, alone = self._options(budget)
        options = [_whole(each, math.floor) for each in (both, alone) if each is not None]
        if not options:
            fewest = int(self.least.sum())
            raise NotEstimable(f"{budget:,.6g} does not buy a study of {fewest} labels; allow for more")
        best = min(options, key=self.figure)
        return best, None if alone is None else _whole(alone, math.floor)

    def reaching(self, asked: float) -> tuple[Split, Split | None]:
        """The cheapest split that reaches the goal and the cheapest of people alone; refused where there is none."""
        found = [self._cheapest(at, asked) for at in (0, 1)]
        options = [each for each in found if each is not None]
        if not options:
            widest = min(self.figure(each) for each in self._options(_DEAREST) if each is not None)
            reach = f"{asked:g} is out of reach with {self.most:,.0f} units, which give {widest:.3g}"
            raise NotEstimable(f"{self.goal}: {reach}; allow for more of them")
        return min(options, key=self.price), found[1]

    def figure(self, split: Split) -> float:
        """What the goal is about: a half-width, or a margin that is found."""
        found = self.pilot.precision(split)
        return found.detectable(self.level, self.power) if self.goal == "margin" else found.half_width(self.level)

    def way(self, split: Split) -> Way:
        """The split as a result."""
        half = self.pilot.precision(split).half_width(self.level)
        return Way(round(float(split.labels.sum())), round(split.units), self.price(split), half)

    def same_price(self, best: Split) -> tuple[Way, ...]:
        """Splits of the price of the best one, each the best of its number of labels, and people alone."""
        pilot, costs = self.pilot, self.costs
        money = self.price(best) + self.paid(predicted=True)
        size = pilot.strata.weight * np.sqrt(pilot.strata.residual)
        out, fewest = [], max(float(self.least.sum()), float(best.labels.sum()) / _FAR)
        for labels in np.geomspace(fewest, money / costs.label, _SHOWN)[:-1]:
            units = min((money - labels * costs.label) / max(costs.prediction + costs.unit, 1e-300), self.most)
            most = units * pilot.strata.weight
            if most.sum() >= labels and (most >= self.least).all():
                split = Split(neyman(float(labels), size, self.least, most), units, np.nan)
                out.append(self.way(_whole(split, math.floor)))
        alone = self._options(self.price(best))[1]
        return (*out, *((self.way(_whole(alone, math.floor)),) if alone else ()))

    def _options(self, budget: float) -> tuple[Split | None, Split | None]:
        """Judges and people, and people alone, that a budget buys on top of what is paid for."""
        pilot, least = self.pilot, self.least
        own = float(pilot.units.sum()) if self.have else 0.0
        both, alone = (budget + self.paid(predicted=predicted) for predicted in (True, False))
        with_judges = powered(pilot.strata, self.costs, both, least, least_units=own, most_units=self.most)
        return with_judges, people_alone(pilot.strata, self.costs, alone, least, most_units=self.most)

    def _cheapest(self, at: int, asked: float) -> Split | None:
        """The cheapest split of one kind that reaches the goal, by its price."""

        def beyond(budget: float) -> float:
            """How far the goal is from what a budget gives, as a logarithm; one that buys nothing is far."""
            split = self._options(budget)[at]
            return _FURTHEST if split is None else math.log(max(self.figure(split), 1e-300) / asked)

        low, high = 0.0, 1.0
        if beyond(low) <= 0:  # by what is paid for
            high = low
        while beyond(high) > 0:
            low, high = high, 4 * high
            if high > _DEAREST:
                return None
        found = root(beyond, low, high, xtol=1e-6 * high) if high else 0.0
        reached = self._options(found * (1 + 1e-6))[at]
        return None if reached is None else _whole(reached, math.ceil)


def _whole(split: Split, rounded: Callable[[float], int]) -> Split:
    """A split in whole labels and units."""
    nudge = _WHOLE if rounded is math.floor else -_WHOLE
    labels = np.array([float(rounded(each + nudge)) for each in split.labels])
    return Split(labels, float(rounded(split.units + nudge)) if split.units else 0.0, split.variance)


_KINDS = ("human", "call", "judge", "item")
_FEW = 30


def plan_labels(
    judged: Table,
    human: Table | str | Collection[str],
    a: str | None = None,
    b: str | None = None,
    *,
    prices: Prices,
    budget: float | None = None,
    half_width: float | None = None,
    margin: float | None = None,
    power: float = 0.9,
    strata: str | None = None,
    units: int | None = None,
    have: bool = False,
    key: str = "prompt",
    cluster: Cluster | None = None,
    level: float = 0.95,
) -> LabelsPlan:
    """How many labels by people and how many predictions by judges to buy, from a pilot that has both.

    The plan is for what `quorate.agreement.corrected` estimates. Judges predict ``N`` units, people label ``n`` of
    these, and its
    variance is ``v (1 - r^2) / n + v r^2 / N`` with ``r`` the correlation of label and prediction: the cheapest split
    has ``n / N = sqrt((1 - r^2) / r^2 * price of a prediction / price of a label)``. Where ``r`` is low, people alone
    are cheaper. However many predictions there are, their bias is what the labels measure.

    Parameters
    ----------
    judged : Votes or Judgments
        The pilot, as for `quorate.agreement.corrected`: what judges said, and people if they are among the judges.
    human : Votes, Judgments, str or collection of str
        What people said of some or all of the units, or the levels of ``judge`` that are people.
    a : str, optional
        Votes: the system whose win rate is wanted. Scores: that whose mean is, less that of ``b``.
    b : str, optional
        The system against it; by default, of votes, all others.
    prices : mapping
        ``{"human": usd, "call": usd}``, or ``{"human": usd, "judge": {name: usd}, "item": usd}``: of one answer by a
        person, of one call of a judge, and of an item on top. A prediction takes as many calls of each judge as in the
        pilot; a label is by one person.
    budget : float, optional
        Most that may be spent. Exactly one of ``budget``, ``half_width`` and ``margin`` is given.
    half_width : float, optional
        Instead: half-width of the interval that is wanted. That half of the studies of the plan find at most.
    margin : float, optional
        Instead, with ``a``: a difference, or a win rate less .5, that is to be found. With the chance ``power``.
    power : float
        Chance of finding the margin.
    strata : str, optional
        Role such as category whose levels are labelled at rates of their own. More to where people vary and judges do
        not see it (Neyman); `quorate.agreement.corrected` is then to have the same ``strata``.
    units : int, optional
        Most items or battles that there are.
    have : bool
        The labels and predictions of the file belong to the study. Numbers are then those of all of it, and the price
        is what must still be bought.
    key, cluster
        As for `quorate.agreement.corrected`. Of clusters the plan takes as many per label as the pilot has.
    level : float
        Coverage of the interval; the test of a margin is at one less this.

    Returns
    -------
    LabelsPlan

    Raises
    ------
    InvalidInput
        If an argument does not fit the tables, a price is missing, or not one goal is given.
    NotEstimable
        If the pilot has fewer than 10 labels with a prediction, all labels are equal, the budget buys too few, or the
        units that there are do not suffice.

    References
    ----------
    Cochran (1977), Sampling Techniques, 5.5 and 12.7. Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453.
    ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.normal(5, 1, 80)
    >>> frame = {"item": np.tile(np.arange(80), 2), "judge": ["llm"] * 80 + ["person"] * 80}
    >>> frame |= {"score": np.append(truth + rng.normal(0.4, 0.7, 80), truth)}
    >>> pilot = q.read(polars.DataFrame(frame), announce=False)
    >>> plan = q.agreement.plan_labels(pilot, "person", prices={"human": 1.0, "call": 0.01}, half_width=0.1)
    >>> plan.best.labels, plan.best.units, plan.people.labels
    (124, 1556, 278)
    """
    judges, people = people_apart(judged, human)
    checked_level(level)
    goal, asked = _goal(budget, half_width, margin, a)
    check_power(power, 1 - level)
    if units is not None and units < FEWEST:
        raise InvalidInput(f"units: a number of at least {FEWEST} is needed, got {units!r}")
    found = matched(judges, people, a, b, key=key, cluster=cluster, strata=strata, fewest=0)
    labelled = len(found.sample.y)
    if labelled < FEWEST:
        rule = f"labels and predictions of {FEWEST} units or more are needed, and of 30 to 100 for a plan to trust"
        raise NotEstimable(f"the pilot has {labelled} units with a label and a prediction: {rule}")
    if not np.ptp(found.sample.y) > 0:
        raise NotEstimable(
            f"all {labelled} labels of the pilot are equal: nothing says how they vary; label more units"
        )
    persons = Persons.of(people, partial(units_of, key=key, a=a, b=b, cluster=None))
    agreed = persons.reliability(level)
    pilot = Pilot.of(
        found,
        share=is_share(judges, a, found.sample, persons.value),
        level=level,
        within=agreed.within if agreed else 0.0,
        persons=persons.counts.astype(float),
    )
    costs = _costs(prices, judges, people, pilot, persons, a, b)
    if costs.prediction + costs.unit == 0 and units is None:
        raise InvalidInput(argument("units") + ": how many there are is needed where predictions are free")
    study = Study(pilot, costs, math.inf if units is None else float(units), have, goal, level, power)
    best, alone = study.within(asked) if goal == "budget" else study.reaching(asked)
    r, low, high = pilot.correlation
    ends = [pilot.at_correlation(end) for end in (high, low)] if best.units else [pilot.strata] * 2
    narrowest, widest = (pilot.precision(best, end).half_width(level) for end in ends)
    by_stratum = tuple(
        StratumLabels(name, float(share), round(n), round(best.units * float(share)))
        for name, share, n in zip(pilot.names, pilot.strata.weight, best.labels, strict=True)
    )
    return LabelsPlan(
        what=wanted(judges, a, b),
        best=study.way(best),
        people=None if alone is None else study.way(alone),
        same_price=study.same_price(best),
        goal=goal,
        asked=asked,
        strata=by_stratum if strata is not None else (),
        narrowest=narrowest,
        widest=widest,
        correlation=r,
        low=low,
        high=high,
        worth_from=worth_from(costs),
        bias=pilot.bias,
        bias_se=pilot.bias_se,
        reliability=agreed,
        pilot=labelled,
        label_price=costs.label,
        prediction_price=costs.prediction,
        unit_price=costs.unit,
        level=level,
        power=power if goal == "margin" else None,
        caveats=_caveats(pilot, labelled, agreed, worth_from(costs)),
    )


def _goal(budget: float | None, half_width: float | None, margin: float | None, a: str | None) -> tuple[str, float]:
    """What is asked for, by name, and how much of it."""
    given = {"budget": budget, "half_width": half_width, "margin": margin}
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        rule = ": exactly one of it, " + argument("half_width") + " and " + argument("margin") + " is needed"
        raise InvalidInput(argument("budget") + rule)
    ((name, value),) = named.items()
    rules.number(name, value, above=0)
    if name == "margin" and a is None:
        raise InvalidInput(argument("margin") + ": is between two systems; name them with " + argument("a"))
    return name, float(value)


def _costs(
    prices: Prices, judges: Table, people: Table, pilot: Pilot, persons: Persons, a: str | None, b: str | None
) -> Costs:
    """Price of a label, a prediction and a unit, each with as many answers as in the pilot."""
    check(prices, _KINDS)
    if "human" not in prices or not {"call", "judge"} & {*prices}:
        raise InvalidInput(
            "prices: one of human is needed, and one of call or judge; got " + (", ".join(prices) or "none")
        )
    amounts: Mapping[str, Any] = prices
    if not amounts["human"] > 0:
        raise InvalidInput("prices: human must be above 0; where labels are free there is nothing to split")
    calls = _calls(judges, a, b)
    each = amounts.get("judge", amounts.get("call"))
    by_judge = each if isinstance(each, Mapping) else dict.fromkeys(calls, each)
    if unpriced := [name for name in calls if name not in by_judge]:
        raise InvalidInput(f"prices: {', '.join(unpriced)} has no price; name one for each judge")
    prediction = sum(float(by_judge[name]) * count for name, count in calls.items()) / float(pilot.units.sum())
    answers = sum(_calls(people, a, b).values()) / len(persons.unit)
    return Costs(float(amounts["human"]) * answers, prediction, float(amounts.get("item", 0.0)))


def _calls(table: Table, a: str | None, b: str | None) -> dict[str, float]:
    """Answers by every judge about the systems that are asked about."""
    if isinstance(table, Votes):
        first, second = (np.array([name in pair for name in table.models]) for pair in ((a,), (a, b)))
        if b is None:
            among = first[table.model_a] | first[table.model_b]
        else:
            among = second[table.model_a] & second[table.model_b]
        weight = np.where(among, table.weights, 0).astype(float)
    else:
        weight = table.n.astype(float)
        if a is not None:
            weight = weight * np.isin(table.column("system"), [table.level_index("system", str(x)) for x in (a, b)])
    if JUDGE not in table.names:
        return {"": float(weight.sum())}
    levels = table.facet(JUDGE).levels
    return dict(zip(levels, np.bincount(table.column(JUDGE), weight, len(levels)).tolist(), strict=True))


def _caveats(pilot: Pilot, labelled: int, agreed: Reliability | None, least: float) -> tuple[Caveat, ...]:
    """What the reader must know."""
    out = [caveats.few_pilot_labels(labelled, _FEW)] if labelled < _FEW else []
    out += [caveats.labels_per_cluster(dict(pilot.clusters))] if pilot.clusters else []
    if agreed is None:
        return (*out, caveats.people_asked_once())
    if agreed.none or max(agreed.high, 0.0) ** 0.5 < least:
        out.append(caveats.people_disagree(agreed.value, agreed.low, agreed.high, agreed.units, least))
    return tuple(out)
