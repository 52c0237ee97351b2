"""Prediction-powered means: what judges say, corrected by what a few people say of some of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from quorate.caveats import Caveat, few_labels, labels_at_random, labels_unlike_the_rest, left_without_prediction
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.labelled import Table, UnitMeans, people_apart, score_units, vote_units
from quorate.numerics.inference import checked_level, t_quantile
from quorate.numerics.prediction_powered import Sample, mean_error, powered_mean
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.table.votes import Votes

_FEWEST, _FEW, _FEW_DIFFERING, _FAR, _ROUNDING = 3, 20, 5, 3.0, 1e-12


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
    share : bool
        Whether it is a share, so that intervals end at 0 and 1.
    caveats : tuple of Caveat
        What the reader must know.
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
    share: bool
    caveats: tuple[Caveat, ...]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Student's interval.

        Parameters
        ----------
        level : float
            Coverage wanted, in (0, 1).
        """
        return self._interval(self.value, self.se, self.df, level)

    def people_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Student's interval from the labels alone.

        Parameters
        ----------
        level : float
            Coverage wanted, in (0, 1).
        """
        return self._interval(self.people, self.people_se, self.people_df, level)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        low, high = self.interval()
        alone = " to ".join(f"{end:.3f}" for end in self.people_interval())
        return (
            f"{self.what}: {self.value:.3f} (95% interval {low:.3f} to {high:.3f}) from {self.labels:,} labels and "
            f"{self.predictions:,} more predictions; labels alone {self.people:.3f} ({alone}), judges alone "
            f"{self.judges:.3f}. The predictions make {self.labels:,} labels worth {self.effective:,.0f}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        values = {name: value for name, value in super().to_dict().items() if name != "caveats"}
        return values | {"interval": list(self.interval()), "caveats": [str(caveat) for caveat in self.caveats]}

    def _interval(self, value: float, se: float, df: float, level: float) -> tuple[float, float]:
        checked_level(level)
        half = t_quantile(df, (1 + level) / 2) * se
        low, high = value - half, value + half
        return (max(low, 0.0), min(high, 1.0)) if self.share else (low, high)


def corrected(
    judged: Table,
    human: Table | str | Collection[str],
    a: str | None = None,
    b: str | None = None,
    *,
    key: str = "prompt",
    cluster: str | None = None,
    tuning: float | None = None,
    finite: bool = False,
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
        halves, for people and judges alike.
    key : str
        For votes: role of what the models answered.
    cluster : str, optional
        Role whose levels are clusters of units that resemble each other. Without it, battles of one level of ``key``
        with several opponents are a cluster.
    tuning : float, optional
        Weight of the predictions from 0 to 1; by default the best one, estimated from other units than it multiplies.
    finite : bool
        Whether the answer is about exactly these units, not about a population that they were drawn from. With clusters
        it takes whole clusters as chosen to be labelled; where single units were, the error is too large.

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
        predictions leave no error to estimate.

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
    >>> powered = q.corrected(votes, "person", "x", "y")
    >>> powered.labels, round(powered.judges, 3), powered.effective > 100
    (50, 0.672, True)
    """
    judges, people = people_apart(judged, human)
    if tuning is not None and not (isinstance(tuning, Real) and 0 <= tuning <= 1):
        raise InvalidInput(f"tuning: a weight from 0 to 1 is needed, got {tuning!r}")
    predicted, labels = (_units(table, key, a, b, cluster) for table in (judges, people))
    share = isinstance(judges, Votes)
    if share and cluster is None:
        # Battles that share what was answered, as those of one model against several do, are a cluster.
        answered = tuple(str(unit[0]) for unit in predicted.keys if isinstance(unit, tuple))
        predicted = replace(predicted, cluster=answered) if len(set(answered)) < len(answered) else predicted
    sample, unpredicted = _sample(predicted, labels)
    powered = powered_mean(sample, tuning=tuning, finite=finite)
    if not np.isfinite(powered.se):
        raise NotEstimable(
            f"cluster: one level of {cluster or key} has all labels, and its error needs two; label more of them"
        )
    if powered.se <= _ROUNDING * np.abs(np.concatenate([sample.y, sample.others])).max():
        raise NotEstimable(
            f"{len(sample.y)} labels and their predictions leave no error to estimate; label more units, at random"
        )
    n, m = len(sample.y), len(sample.others)
    gap = sample.predicted - sample.y
    return Corrected(
        what="mean score" if a is None else f"win rate of {a} against {'all models' if b is None else b}",
        value=powered.value,
        se=powered.se,
        df=powered.df,
        people=powered.labels_value,
        people_se=powered.labels_se,
        people_df=powered.labels_df,
        judges=float(np.concatenate([sample.predicted, sample.others]).mean()),
        bias=float(gap.mean()),
        bias_se=mean_error(gap, sample.cluster),
        labels=n,
        predictions=m,
        tuning=powered.tuning,
        effective=n * (powered.labels_se / powered.se) ** 2
        if powered.labels_se > _ROUNDING * np.abs(sample.y).max()
        else 0.0,
        share=share,
        caveats=_caveats(sample, unpredicted, share=share),
    )


def _units(table: Table, key: str, a: str | None, b: str | None, cluster: str | None) -> UnitMeans:
    if isinstance(table, Judgments):
        if a is not None or b is not None:
            raise InvalidInput(f"a: models go with votes; scores have a mean, got {a or b!r}; leave it out")
        return score_units(table, cluster)
    if a is None:
        raise InvalidInput("a: the model whose win rate is wanted is needed with votes, got None")
    return vote_units(table, key, a, b, cluster)


def _sample(predicted: UnitMeans, labels: UnitMeans) -> tuple[Sample, int]:
    """Units with a label and a prediction, units with a prediction alone, and how many have a label alone."""
    known = {key: at for at, key in enumerate(predicted.keys) if not np.isnan(predicted.value[at])}
    labelled = [(at, known.get(key)) for at, key in enumerate(labels.keys) if not np.isnan(labels.value[at])]
    both = [(at, place) for at, place in labelled if place is not None]
    others = sorted(set(known.values()) - {place for _, place in both})
    if len(both) < _FEWEST or len(others) < 2:
        raise NotEstimable(
            f"{len(both)} units have a label and a prediction and {len(others)} a prediction alone; at least {_FEWEST} "
            "and 2 are needed: label a random part of the units that judges judged"
        )
    at_both = np.array([place for _, place in both])
    codes = np.arange(len(predicted.keys))
    if predicted.cluster:
        codes = np.unique(np.array(predicted.cluster), return_inverse=True)[1]
    y = labels.value[[at for at, _ in both]]
    sample = Sample(y, predicted.value[at_both], predicted.value[others], codes[at_both], codes[others])
    return sample, len(labelled) - len(both)


def _caveats(sample: Sample, unpredicted: int, *, share: bool) -> tuple[Caveat, ...]:
    n = len(sample.y)
    gap = np.abs(sample.y - sample.predicted)
    differing = int(np.sum(gap >= 0.5)) if share else int(np.sum(gap > 0))
    clusters = len(np.unique(sample.cluster))
    error = np.sqrt(sample.predicted.var(ddof=1) / n + sample.others.var(ddof=1) / len(sample.others))
    apart = abs(float(sample.predicted.mean() - sample.others.mean()))
    few = clusters < _FEW or (share and differing < _FEW_DIFFERING)
    return (
        labels_at_random(),
        *((few_labels(n, differing, clusters),) if few else ()),
        *((labels_unlike_the_rest(apart / error if error > 0 else np.inf),) if apart > _FAR * error else ()),
        *((left_without_prediction(unpredicted),) if unpredicted else ()),
    )
