"""Prediction-powered means: what judges say, corrected by what a few people say of some of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.caveats import Caveat, few_labels, labels_at_random, labels_unlike_the_rest, left_without_prediction
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.labelled import (
    Table,
    UnitMeans,
    difference_units,
    people_apart,
    score_units,
    vote_units,
)
from quorate.estimate.means.intervals import limits, score_ends
from quorate.estimate.votes.clustered import Cluster
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import checked_level, holm
from quorate.numerics.prediction_powered import (
    Codes,
    Sample,
    deviations,
    errors_apart,
    mean_error,
    powered_mean,
    rates,
    share_error,
)
from quorate.numerics.votes import binomial
from quorate.roles import CATEGORY, JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Result, StatedInterval
from quorate.table.votes import Votes
from quorate.wording import Brief, at_level, capitalised, counted, listed

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

    entries = "* estimate"

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
        each = [counted(count, name) for count, name in levels]
        return (
            f"{capitalised(self.what)}: {self.value:.3f} ({at_level(self.level)} interval {low:.3f} to {high:.3f}) "
            "from "
            f"{self.labels:,} labels{f' in {listed(each)}' if each else ''} and "
            f"{self.predictions:,} more predictions. Labels alone say {self.people:.3f} ({alone}), judges alone "
            f"{self.judges:.3f}. The predictions make {self.labels:,} labels worth {self.effective:,.0f}."
        )


CLUSTER = "cluster"
"""The facet that says itself what resembles each other."""
_MOST_SEGMENTS = 8
_FEWEST, _FEW, _FEW_DIFFERING, _FAR, _ROUNDING = 3, 20, 5, 3.0, 1e-12


def corrected(
    judged: Table,
    human: Table | str | Collection[str],
    a: str | None = None,
    b: str | None = None,
    *,
    key: str = "prompt",
    cluster: Cluster | None = None,
    strata: str | None = None,
    tuning: float | None = None,
    finite: bool = False,
    level: float = 0.95,
) -> Corrected:
    """The win rate or mean score that people would give, from judges on everything and people on a part of it.

    Judges are many and biased, people few and right: ``mean(y - l f) + l mean(f')``, with labels ``y``, predictions
    ``f`` of the same units and ``f'`` of the others, is unbiased whatever the judges do, and more precise than the
    labels alone as far as judges predict people.

    Parameters
    ----------
    judged : Votes or Judgments
        What judges said. A unit is a battle (what two models answered), or an item; several judges, prompts or orders
        of one unit are averaged.
    human : Votes, Judgments, str or collection of str
        What people said of some of the units: a table of the same kind, or the levels of ``judge`` that are people.
        Units must have been chosen at random.
    a, b : str, optional
        For votes: the win rate of ``a`` against ``b``, or against all models if ``b`` is left out. Ties count as
        halves, for people and judges alike. For scores: the mean of ``a`` less that of ``b``, two levels of ``system``,
        on the items that have both.
    key : str
        Votes: role of what the two systems answered.
    cluster : str or sequence of str, optional
        Roles whose levels are clusters of items or battles that resemble each other; ``()`` takes them as independent.
        Default: prompt, judge (of the labels) and cluster, as far as they are there and repeat. Nested or crossed;
        ``judge`` is the person who gave the label, and of battles the ``key`` is one. A role counts where every unit
        has one.
    strata : str, optional
        Role such as category whose levels were labelled at rates of their own. As `quorate.agreement.plan_labels` has
        them: labelled units were then chosen at random within each, and levels count by their share of all units.
    tuning : float, optional
        Weight of the predictions from 0 to 1; by default the best. It is estimated from other units than it multiplies.
    finite : bool
        About exactly these items or battles, not others like them. With clusters it takes whole clusters as chosen to
        be labelled; where single units were, the error is too large.
    level : float
        Coverage of the intervals. Unless another is asked for.

    Returns
    -------
    Corrected

    Raises
    ------
    InvalidInput
        If an argument does not fit the tables.
    UnknownTerm
        If there is no such role, model or judge.
    NotEstimable
        If fewer than 3 units have both, fewer than 2 a prediction alone, there is one cluster, or labels and
        predictions leave no error to estimate, as equal labels that are no shares do.

    Notes
    -----
    Labels are shares where tables are votes, and where all scores of people are 0 or 1 and predictions lie between.
    Shares have Wilson's score interval, which also holds where all labels agree. With several facets variances are
    added and subtracted as by `quorate.compare` (Cameron, Gelbach and Miller 2011).

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382, 669-674; PPI++, arXiv:2311.01453.
    ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(400) < 0.6
    >>> said = np.where(rng.random(400) < 0.9, truth, True)
    >>> frame = {"prompt": np.tile(np.arange(400), 2), "judge": ["llm"] * 400 + ["person"] * 400}
    >>> frame |= {"model_a": ["x"] * 800, "model_b": ["y"] * 800, "winner": np.where(np.append(said, truth), "x", "y")}
    >>> votes = q.read_votes(polars.DataFrame(frame)[:450], announce=False)
    >>> powered = q.agreement.corrected(votes, "person", "x", "y")
    >>> powered.labels, round(powered.judges, 3), powered.effective > 100
    (50, 0.672, True)
    """
    judges, people = people_apart(judged, human)
    if tuning is not None:
        rules.number("tuning", tuning, least=0, most=1)
    checked_level(level)
    sample, groups, unpredicted, names = matched(judges, people, a, b, key=key, cluster=cluster, strata=strata)
    for name, count in zip(
        names, np.bincount(sample.strata[0], minlength=len(names)) if sample.strata else (), strict=True
    ):
        if count < 2:
            rule = f'{counted(int(count), "label")} in {strata} "{name}", and its error needs two; label more of it'
            raise NotEstimable(f"strata: {rule}")
    facets = dict(zip(groups, sample.clusters, strict=False))
    levels = {name: len(np.unique(own)) for name, own in facets.items()}
    for name, count in levels.items():
        if count < 2:
            raise NotEstimable(
                f"cluster: one level of {name} has all labels, and its error needs two; label more of them"
            )
    share = is_share(judges, a, sample, sample.y)
    found = of_sample(sample, wanted(judges, a, b), unpredicted, share=share, tuning=tuning, finite=finite)
    found = replace(found, level=level, cluster=tuple(levels), clusters=tuple(levels.values()), strata=strata)
    ends = score_ends(people) if isinstance(people, Judgments) and a is None and found.trials is None else None
    found = replace(found, scale=ends)
    if not isinstance(judges, Judgments) or strata is not None or CATEGORY not in judges.names:
        return found
    part = partial(corrected, human=people, a=a, b=b, cluster=cluster, tuning=tuning, finite=finite, level=level)
    return replace(found, segments=tuple(_segments(judges, part)))


def _segments(judges: Judgments, part: Callable[[Judgments], Corrected]) -> Iterator[CorrectedSegment]:
    """Every category with enough labels by itself, against the others; none where they are one, or very many."""
    code, found = judges.column(CATEGORY), []
    there = np.unique(code)
    if judges.n_levels(judges.object) > len(judges.facet(judges.object).levels):
        return  # items of one name in several categories are told apart by these
    for place in there.tolist() if 2 <= len(there) <= _MOST_SEGMENTS else ():
        with suppress(NotEstimable):
            name = judges.facet(CATEGORY).levels[place]
            apart = [part(_uncategorised(judges.keep(mask))) for mask in (code == place, code != place)]
            found.append((name, *apart))
    if len(found) < 2:
        return
    p = np.array([_unlike(own, other) for _, own, other in found])
    for (name, own, _), adjusted in zip(found, holm(p).tolist(), strict=True):
        low, high = own.estimate.ends
        yield CorrectedSegment(name, own.labels, own.value, low, high, adjusted)


def _uncategorised(judges: Judgments) -> Judgments:
    """Without the facet of categories, which is not looked at again."""
    kept = [place for place, facet in enumerate(judges.facets) if facet.name != CATEGORY]
    facets = tuple(
        replace(judges.facets[place], parent=None) if judges.facets[place].parent == CATEGORY else judges.facets[place]
        for place in kept
    )
    return replace(judges, facets=facets, codes=judges.codes[:, kept])


def _unlike(own: Corrected, other: Corrected) -> float:
    """P-value that a difference is 0 there, or that a mean is as in the other segments (Welch)."""
    gap, square, df = own.value, own.se**2, own.df
    if " less that of " not in own.what:
        gap, square = own.value - other.value, own.se**2 + other.se**2
        df = square**2 / (own.se**4 / own.df + other.se**4 / other.df) if square > 0 else own.df
    return 2 * t_cdf(df, -abs(gap) / square**0.5) if square > 0 else 1.0


def wanted(judges: Table, a: str | None, b: str | None) -> str:
    """What is estimated, in words."""
    if isinstance(judges, Votes):
        return f"win rate of {a} against {'all models' if b is None else b}"
    return "mean score" if a is None else f"mean score of {a} less that of {b}"


def is_share(judges: Table, a: str | None, sample: Sample, labels: Floats) -> bool:
    """Whether these labels are shares: votes, or scores of 0 and 1 with predictions no further."""
    if isinstance(judges, Votes) or a is not None:
        return isinstance(judges, Votes)
    said = np.concatenate([sample.predicted, sample.others])
    return bool(np.isin(labels, (0.0, 1.0)).all() and said.min() >= 0 and said.max() <= 1)


class Matched(NamedTuple):
    """Labels and predictions of the same units.

    Parameters
    ----------
    sample : Sample
        What is corrected.
    groups : dict of str to array
        Cluster of every predicted unit, by facet.
    unpredicted : int
        Units with a label alone.
    strata : tuple of str
        Names of the strata, if there are any.
    """

    sample: Sample
    groups: dict[str, Codes]
    unpredicted: int
    strata: tuple[str, ...]


def matched(
    judges: Table,
    people: Table,
    a: str | None,
    b: str | None,
    *,
    key: str,
    cluster: Cluster | None,
    strata: str | None,
    fewest: int = 2,
) -> Matched:
    """Labels and predictions of the same units; ``fewest`` have a prediction alone."""
    predicted, labels = (units_of(table, key, a, b, None) for table in (judges, people))
    groups = _groups(judges, people, predicted, partial(units_of, key=key, a=a, b=b), cluster, key)
    stratum, names = None, np.array([], dtype=str)
    if strata is not None:
        own = units_of(judges, key, a, b, strata).cluster
        names, stratum = np.unique(own, return_inverse=True)
    sample, unpredicted = _sample(predicted, labels, list(groups.values()), stratum, fewest)
    return Matched(sample, groups, unpredicted, tuple(str(name) for name in names))


def _groups(
    judges: Table,
    people: Table,
    predicted: UnitMeans,
    units: Callable[..., UnitMeans],
    cluster: Cluster | None,
    key: str,
) -> dict[str, Codes]:
    """Cluster of every unit by each facet, that with the fewest clusters first; a unit without one is its own.

    Facets that are not named are left out where a unit has several levels of one, or where none repeats.
    """
    named = (cluster,) if isinstance(cluster, str) else cluster
    found: dict[str, Codes] = {}
    for name in (key, JUDGE, CLUSTER) if named is None else named:
        table = people if name == JUDGE else judges
        if named is None and (name not in table.names or name == getattr(table, "object", None)):
            continue
        try:
            own = units(table, cluster=name)
        except InvalidInput:
            if named is None:
                continue
            raise
        of = dict(zip(own.keys, own.cluster, strict=True))
        code = np.unique(
            [f"in {of[unit]}" if unit in of else f"alone {i}" for i, unit in enumerate(predicted.keys)],
            return_inverse=True,
        )[1]
        battles = name == key and isinstance(judges, Votes) and code.max() + 1 < len(code)
        if named is not None or battles or 2 <= len(set(own.cluster)) < len(of):
            found[name] = code
    return dict(sorted(found.items(), key=lambda one: int(one[1].max())))


def of_sample(
    sample: Sample,
    what: str = "mean score",
    unpredicted: int = 0,
    *,
    share: bool = False,
    tuning: float | None = None,
    finite: bool = False,
) -> Corrected:
    """The corrected mean of matched units."""
    powered = powered_mean(sample, tuning=tuning, finite=finite)
    errors = share_error(sample, tuning=tuning, finite=finite) if share else None
    least = _ROUNDING * np.abs(np.concatenate([sample.y, sample.others])).max()
    if errors is None and powered.se <= least:
        raise NotEstimable(
            f"{len(sample.y)} labels and their predictions leave no error to estimate; label more units, at random"
        )
    # all labels agree, or predictions explain them all: what is left over is what was added
    spread = errors.padded if errors and min(powered.se, powered.labels_se) <= least else powered
    rarer = float(min(sample.y.sum(), (1 - sample.y).sum())) if errors else None
    n, m = len(sample.y), len(sample.others)
    gap = sample.predicted - sample.y
    return Corrected(
        what=what,
        value=powered.value,
        se=spread.se,
        df=spread.df,
        people=powered.labels_value,
        people_se=spread.labels_se,
        people_df=spread.labels_df,
        judges=float(np.concatenate([sample.predicted, sample.others]).mean()),
        bias=float(rates(sample) @ gap),
        bias_se=mean_error(deviations(sample, gap), *sample.clusters),
        labels=n,
        predictions=m,
        tuning=powered.tuning,
        effective=n * (spread.labels_se / spread.se) ** 2,
        trials=errors.trials if errors else None,
        people_trials=errors.labels_trials if errors else None,
        rarer=rarer,
        caveats=_caveats(sample, unpredicted, rarer),
    )


def units_of(table: Table, key: str, a: str | None, b: str | None, cluster: str | None) -> UnitMeans:
    """What a table says of every unit: a mean, a difference, or a share of votes."""
    if isinstance(table, Judgments):
        return score_units(table, cluster) if a is None and b is None else difference_units(table, a, b, cluster)
    if a is None:
        raise InvalidInput("a: the model whose win rate is wanted is needed with votes, got None")
    return vote_units(table, key, a, b, cluster)


def _sample(
    predicted: UnitMeans, labels: UnitMeans, groups: Sequence[Codes], stratum: Codes | None, fewest: int
) -> tuple[Sample, int]:
    """Units with a label and a prediction, units with a prediction alone, and how many have a label alone."""
    known = {key: at for at, key in enumerate(predicted.keys) if not np.isnan(predicted.value[at])}
    labelled = [(at, known.get(key)) for at, key in enumerate(labels.keys) if not np.isnan(labels.value[at])]
    both = [(at, place) for at, place in labelled if place is not None]
    others = sorted(set(known.values()) - {place for _, place in both})
    if len(both) < _FEWEST or len(others) < fewest:
        way = (
            "label a random part of the units that judges judged"
            if len(both) < _FEWEST
            else "where all is labelled there is nothing to correct, and the labels alone are the answer"
        )
        raise NotEstimable(
            f"{len(both)} units have a label and a prediction and {len(others)} a prediction alone; at least {_FEWEST} "
            f"and {fewest} are needed: {way}"
        )
    at_both = np.array([place for _, place in both])
    codes = groups or [np.arange(len(predicted.keys))]
    y = labels.value[[at for at, _ in both]]
    first, *also = ((code[at_both], code[others]) for code in codes)
    strata = None if stratum is None else (stratum[at_both], stratum[others])
    sample = Sample(y, predicted.value[at_both], predicted.value[others], *first, tuple(also), strata)
    return sample, len(labelled) - len(both)


def _caveats(sample: Sample, unpredicted: int, rarer: float | None) -> tuple[Caveat, ...]:
    n = len(sample.y)
    gap = np.abs(sample.y - sample.predicted)
    differing = int(np.sum(gap > 0)) if rarer is None else int(np.sum(gap >= 0.5))
    clusters = len(np.unique(sample.cluster))
    apart = errors_apart(sample)
    few = clusters < _FEW or (rarer is not None and min(differing, rarer) < _FEW_DIFFERING)
    return (
        labels_at_random(),
        *((few_labels(n, differing, clusters, rarer),) if few else ()),
        *((labels_unlike_the_rest(apart),) if apart > _FAR else ()),
        *((left_without_prediction(unpredicted),) if unpredicted else ()),
    )
