"""Labels that judges gave, which are no numbers, in reading order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints, first_of_each
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate, readings
from quorate.estimate.means.targets import Target
from quorate.frozen import dataclass
from quorate.numerics import nominal
from quorate.numerics.mixed.information import cell_weights, weights
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.nominal import COEFFICIENTS, Ratings, tally
from quorate.roles import JUDGE, SYSTEM, TURN
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments, table_of
from quorate.table.reread import answers
from quorate.wording import Brief

# Agreement of judges on labels beyond chance: all judges together, and every two.


MOST_JUDGES = 30
"""Judges who are compared two by two."""


@dataclass(frozen=True)
class Coefficient(Brief):
    """How far judges agree.

    Parameters
    ----------
    name : str
        ``agreement`` is the chance that two judges of an item give it one label; the others are beyond chance.
    value : float
        1: they always agree; 0: as often as by chance. Nan where all labels are one.
    se, low, high : float
        Standard error, nan where nothing differs, and score interval, nan where items are too few or have one label.
    judges : bool
        Whether the interval counts judges as sampled, as it does from three on; else items alone.
    panel_low, panel_high : float
        The interval for these judges, which counts items alone.
    """

    name: str
    value: float
    se: float
    low: float
    high: float
    judges: bool
    panel_low: float = math.nan
    panel_high: float = math.nan


@dataclass(frozen=True)
class PairAgreement(Brief):
    """How far two judges agree.

    Parameters
    ----------
    first, second : str
        The judges.
    items : int
        Items that both judged.
    agreement : float
        Share of these to which they gave one label.
    kappa, low, high : float
        Cohen's kappa and its interval, which counts items as sampled and the two judges as these.
    first_says, second_says : str
        The two labels that they confuse most; empty where they agree.
    confused : float
        How many items get these labels from them.
    """

    first: str
    second: str
    items: int
    agreement: float
    kappa: float
    low: float
    high: float
    first_says: str
    second_says: str
    confused: float


def coefficients(ratings: Ratings, level: float, *, named: bool = True) -> tuple[Coefficient, ...]:
    """Agreement of all judges: every one of `quorate.numerics.nominal.COEFFICIENTS`; those who are ``named`` count."""
    found = {name: nominal.with_interval(ratings, steps, level, named=named) for name, steps in COEFFICIENTS.items()}
    return tuple(
        Coefficient(name, one.value, one.se, one.low, one.high, one.judges, *one.panel) for name, one in found.items()
    )


def pairs(ratings: Ratings, judges: tuple[str, ...], labels: tuple[str, ...], level: float) -> Iterator[PairAgreement]:
    """Every two judges who judged some of the same items; of many judges, those 30 who judged most."""
    most = np.argsort(-np.bincount(ratings.judge, ratings.weight, ratings.judges), kind="stable")[:MOST_JUDGES]
    said = {int(judge): _said(ratings, int(judge)) for judge in np.sort(most)}
    names, shared, drawn = [], [], []
    for one, other in combinations(said, 2):
        both, first, second = np.intersect1d(said[one][0], said[other][0], assume_unique=True, return_indices=True)
        if len(both):
            names.append((judges[one], judges[other]))
            shared.append((said[one][1][first], said[other][1][second]))
            drawn.append(None if ratings.drawn is None else ratings.drawn[both])
    intervals = nominal.cohen_intervals(shared, level, drawn).tolist()
    for (one_name, other_name), (one_said, other_said), (low, high) in zip(names, shared, intervals, strict=True):
        yield _pair(one_name, other_name, one_said, other_said, labels, low, high)


def _said(ratings: Ratings, judge: int) -> tuple[Ints, Floats]:
    """The items that a judge judged, and the share of every label in what was said of each."""
    own = ratings.judge == judge
    items, place = np.unique(ratings.item[own], return_inverse=True)
    out = np.zeros((len(items), ratings.labels))
    out[place, ratings.label[own]] = ratings.weight[own]
    return items, out


def _pair(
    one: str, other: str, first: Floats, second: Floats, labels: tuple[str, ...], low: float, high: float
) -> PairAgreement:
    n = len(first)
    kappa = float(nominal.cohen(nominal.cohen_rows(first, second).sum(axis=0)))
    table = first.T @ second
    agreement = float(np.trace(table)) / n
    np.fill_diagonal(table, 0.0)
    row, column = (int(place) for place in np.unravel_index(np.argmax(table), table.shape))
    confused = float(table[row, column])
    says = (labels[row], labels[column]) if confused > 0 else ("", "")
    return PairAgreement(one, other, n, agreement, kappa, low, high, *says, confused)


# Confusion of labels: which is given where another judge of the same item gives a different one.


@dataclass(frozen=True)
class Confusion(Brief):
    """Two labels that judges give to one item.

    Parameters
    ----------
    label, other : str
        What one judge says, and what another says; the same where they agree.
    pairs : float
        Pairs of judges of an item, one of whom says ``label`` and the other ``other``.
    share : float
        Of the times that a judge says ``label``: how often another judge of the item says ``other``.
    """

    label: str
    other: str
    pairs: float
    share: float


def confusions(ratings: Ratings, labels: tuple[str, ...]) -> tuple[Confusion, ...]:
    """Every label with every other that another judge gave the same item, and with itself; the commonest first."""
    ordered = _pairs(ratings)
    total = ordered.sum(axis=1)
    out = []
    for row, column in np.argwhere(ordered > 1e-9).tolist():
        pairs = float(ordered[row, column]) / (2 if row == column else 1)
        out.append(Confusion(labels[row], labels[column], pairs, float(ordered[row, column] / total[row])))
    return tuple(sorted(out, key=lambda one: (one.label == one.other, -one.pairs, labels.index(one.label))))


def _pairs(ratings: Ratings) -> Floats:
    """Ordered pairs of different judges of an item by what each says, shape (labels, labels)."""
    from scipy import sparse

    count = tally(ratings).labels
    shape = (ratings.items * ratings.judges, ratings.labels)
    rows = ratings.item * ratings.judges + ratings.judge
    of_judge = sparse.csr_matrix((ratings.weight, (rows, ratings.label)), shape=shape)
    return np.asarray(count.T @ count - (of_judge.T @ of_judge).toarray())


# Labels as given: what each judge said of each item, and one label of several as a 0/1 score.


ENDS = (0.0, 1.0)


def label_shares(judgments: Judgments) -> Floats:
    """Share of every label among the answers of every cell, shape (cells, labels); nan where there is none.

    Only where replicates of a cell differ are single answers read again.

    Raises
    ------
    InvalidInput
        If the answers are scores.
    NotEstimable
        If there are fewer than two labels or no answers.
    InvalidData
        If a judgment is repeated.
    """
    table = table_of(judgments)
    if not table.labels:
        raise InvalidInput("judgments: hold scores; read words as labels with labels=True")
    refuse_repeats(table)
    if len(table.labels) < 2 or not table.n_answers:
        raise NotEstimable("labels: two different labels are needed, as there is nothing to tell apart otherwise")
    count = np.zeros((table.n_cells, len(table.labels)))
    same = (table.n > 0) & (table.low == table.high)
    count[same, table.low[same].astype(np.int64)] = table.n[same]
    if (table.n[~same] > 0).any():
        values, offsets = answers(table)
        cell = np.repeat(np.arange(table.n_cells), np.diff(offsets))
        count = np.zeros_like(count)
        np.add.at(count, (cell, values.astype(np.int64)), 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(count / table.n[:, None])


def as_score(judgments: Judgments, share: Floats) -> Judgments:
    """The judgments with one label as the score, 1 or 0, from its share of the answers of every cell."""
    some = judgments.n > 0
    low = np.where(some, (share == 1).astype(float), np.nan)
    high = np.where(some, (share > 0).astype(float), np.nan)
    ss = np.where(some, judgments.n * share * (1 - share), 0.0)
    return replace(judgments, mean=share, ss=ss, low=low, high=high, scale=ENDS, labels=(), origin=None)


def averaged(judgments: Judgments, names: tuple[str, ...]) -> Judgments:
    """The answered judgments by some facets alone: one score for each of their levels, the mean of its cells."""
    answered = judgments.keep(judgments.n > 0)
    if set(names) == set(judgments.names):
        return answered
    place, first, size = np.unique(answered.level_codes(names), return_index=True, return_counts=True)
    mean = np.bincount(answered.level_codes(names), answered.mean)[place] / size
    return replace(
        answered,
        facets=tuple(answered.facet(name) for name in names),
        codes=np.column_stack([answered.column(name)[first] for name in names]),
        n=np.ones(len(place), dtype=np.int64),
        mean=mean,
        ss=np.zeros(len(place)),
        low=mean,
        high=mean,
        status={},
        replicate=None,
        distinct=None,
    )


def judge_of(judgments: Judgments) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], tuple[str, ...]]:
    """Who judged every cell, and their names: judges, or without that facet every other than the items together."""
    item = judgments.object
    others = [name for name in judgments.names if name not in (item, *judgments.ancestors(item))]
    names = [JUDGE] if JUDGE in judgments.names else others
    code = judgments.level_codes(names)
    first = first_of_each(code)
    labels = (
        " ".join(judgments.facet(name).levels[judgments.column(name)[row]] for name in names) for row in first.tolist()
    )
    return code, tuple(labels)


def unit_facets(judgments: Judgments) -> tuple[str, ...]:
    """Facets of what is given a label: items, and beside judges the systems whose answers to them are judged."""
    beside = (SYSTEM, TURN, "criterion") if JUDGE in judgments.names else ()
    return (judgments.object, *(name for name in beside if name in judgments.names and name != judgments.object))


def ratings(judgments: Judgments, shares: Floats) -> Ratings:
    """What every judge said of everything labelled; several answers of one judge, by prompt or repeated, as shares.

    Parameters
    ----------
    judgments : Judgments
        Of labels.
    shares : array, shape (cells, labels)
        From `label_shares`.
    """
    judge, names = judge_of(judgments)
    own = unit_facets(judgments)
    item = judgments.level_codes(own)
    cell, label = np.nonzero(np.nan_to_num(shares) > 0)
    n_items, n_judges, n_labels = int(item.max()) + 1, len(names), shares.shape[1]
    pair = item * n_judges + judge
    cells = np.bincount(pair[judgments.n > 0], minlength=n_items * n_judges)
    place, entry = np.unique(pair[cell] * n_labels + label, return_inverse=True)
    weight: Floats = np.bincount(entry, shares[cell, label] / cells[pair[cell]]).astype(float)
    at, said = place // n_labels, place % n_labels
    drawn = judgments.level_codes([judgments.object])[first_of_each(item)] if len(own) > 1 else None
    return Ratings(at // n_judges, at % n_judges, said, weight, n_items, n_judges, n_labels, drawn)


def unnamed(judgments: Judgments, shares: Floats) -> Ratings:
    """What was said of every item by judges who have no names: every answer to it is that of another.

    Parameters
    ----------
    judgments, shares
        As for `ratings`.
    """
    item = judgments.level_codes([judgments.object])
    times = np.rint(np.nan_to_num(shares) * judgments.n[:, None]).astype(np.int64)
    cell, label = np.nonzero(times)
    at, said = (np.repeat(codes, times[cell, label]) for codes in (item[cell], label))
    order = np.argsort(at, kind="stable")
    at, said = at[order], said[order]
    judge = np.arange(len(at)) - np.searchsorted(at, at)
    weight = np.ones(len(at))
    return Ratings(at, judge, said, weight, int(item.max()) + 1, int(judge.max()) + 1, shares.shape[1])


# Items by how far judges agree on their label: the majority, its share, and the entropy of what they said.


@dataclass(frozen=True)
class ItemLabels(Brief):
    """What judges said of one item.

    Parameters
    ----------
    item : str
        The item, after what it is grouped by, and the system whose answer it is.
    judges : int
        Judges who gave it a label.
    majority : str
        The label that more than half of them gave; empty where there is none.
    commonest : str
        The label given most often, the first of several in their order.
    share : float
        Share of judges who gave that.
    entropy : float
        Of the labels given, in bits: 0 where all agree, 1 where two labels come equally often.
    """

    item: str
    judges: int
    majority: str
    commonest: str
    share: float
    entropy: float


def item_labels(judgments: Judgments, ratings: Ratings) -> tuple[ItemLabels, ...]:
    """Every item that has a label, those first on which judges agree least: no majority, then the highest entropy."""
    found = tally(ratings)
    share = found.labels / np.maximum(found.judges, 1.0)[:, None]
    entropy = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1) + 0.0
    top = share.argmax(axis=1)
    best = share[np.arange(len(share)), top]
    order = np.lexsort((-found.judges, -entropy, best > 0.5 + 1e-9))
    names = level_labels(judgments, ":".join(unit_facets(judgments)))
    out = []
    for place in order[found.judges[order] > 0].tolist():
        label = judgments.labels[int(top[place])]
        majority = label if best[place] > 0.5 + 1e-9 else ""
        judges = round(float(found.judges[place]))
        out.append(ItemLabels(names[place], judges, majority, label, float(best[place]), float(entropy[place])))
    return tuple(out)


# Shares of labels: the mean of each label's 0/1 scores, with the weights that fit all of them best together.


@dataclass(frozen=True, eq=False, repr=False)
class Reweighted(Decomposition):
    """A fit whose mean has other weights than those that are best for it alone.

    Components, and how well they are known, are those of the fit; only its estimates of effects are others.

    Parameters
    ----------
    known : array, shape (components, components)
        Covariance of the components.
    """

    known: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the components, as the fit has it."""
        return self.known


@dataclass(frozen=True)
class Share:
    """The share of one label.

    Parameters
    ----------
    label : str
        Whose.
    mean : Estimate
        For this panel of judges, or what was asked.
    others : Estimate or None
        For others like this study's setup; None where nothing here stands for others.
    alone : tuple of str
        Facets that the interval counts, where nothing differs over the others; empty where it counts all.
    """

    label: str
    mean: Estimate
    others: Estimate | None
    alone: tuple[str, ...]

    @property
    def widest(self) -> Estimate:
        """The share for judges like these, where there is one, else for this panel of judges, or what was asked."""
        return self.others or self.mean


def label_means(
    judgments: Judgments, shares: Floats, *, targets: Mapping[str, Target], **model: Any
) -> tuple[Share, ...]:
    """The share of every label; they add up to 1.

    Parameters
    ----------
    judgments : Judgments
        Of labels.
    shares : array, shape (cells, labels)
        From `label_shares`.
    targets, **model
        As for `Decomposition.mean_for` and `decompose`.

    Raises
    ------
    NotEstimable
        If there is one item, or the design supports no interval.
    UnknownTerm
        If a target is of no facet.
    """
    for name in targets:
        judgments.facet(name)
    tables = [as_score(judgments, column) for column in shares.T]
    fits = [_fit(table, label, model) for table, label in zip(tables, judgments.labels, strict=True)]
    finest = max((fit.judgments.names for fit in fits), key=len)
    whole = [place for place, fit in enumerate(fits) if fit.judgments.names == finest]
    together = dict(zip(whole, _reweighted([fits[place] for place in whole]), strict=True))
    weight = mean_weights(together[whole[0]])
    out = []
    for place, label in enumerate(judgments.labels):
        fit = together.get(place, fits[place])
        found = readings(fit, {name: to for name, to in targets.items() if name in fit.judgments.names})
        value = float(weight @ averaged(tables[place], finest).mean)
        mean, others = replace(found.setup, value=value), found.others and replace(found.others, value=value)
        names = fits[place].judgments.names
        out.append(Share(label, mean, others, () if len(names) == len(judgments.names) else names))
    return tuple(out)


def mean_weights(fit: Decomposition) -> Floats:
    """Weight of every answered cell in the mean."""
    problem = fit.assembled.problem
    return cell_weights(problem, weights(problem, fit.point.solved, fit.assembled.fixed.mean))


def _fit(table: Judgments, label: str, model: Mapping[str, Any]) -> Decomposition:
    """The fit of a label; where terms fit it exactly, that of its means by item and judge, or by item.

    Raises
    ------
    NotEstimable
        If none of them can be fitted, with the reason of the first.
    """
    reason = ""
    item = (table.object, *table.ancestors(table.object))
    by_judge = (*item, JUDGE) if JUDGE in table.names else item
    for names in dict.fromkeys((table.names, by_judge, item)):
        options = model if names == table.names else {"method": model.get("method", "reml")}
        try:
            found: Decomposition = decompose(table if names == table.names else averaged(table, names), **options)
        except NotEstimable as error:
            reason = reason or str(error)
        else:
            return found
    raise NotEstimable(f'the share of "{label}" has no interval: {reason}')


def _reweighted(fits: Sequence[Decomposition]) -> list[Reweighted]:
    """Fits of labels with one set of weights: those of the sum of their components, best for all labels together."""
    sums: dict[str, float] = {}
    for fit in fits:
        for name, value in zip(fit.assembled.names, fit.theta, strict=True):
            sums[name] = sums.get(name, 0.0) + max(float(value), 0.0) * fit.assembled.scale**2
    out = []
    for fit in fits:
        theta = np.array([sums[name] for name in fit.assembled.names]) / fit.assembled.scale**2
        kept = {one.name: getattr(fit, one.name) for one in fields(Decomposition)}
        kept["point"] = evaluate(fit.assembled.problem, theta)
        out.append(Reweighted(**kept, known=fit.covariance))
    return out
