"""Prediction-powered ratings: votes of people on some battles, corrected by what judges say of all of them.

Scores of votes are linear in counts, so ratings by people and judges are those of *rectified counts*: votes of people,
less the judges' on the same battles, plus the judges' on the others, each with its weight. Derived in
``docs/methods/labelled-boards.md``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, Fit, fit, scores
from quorate.numerics.ratings.draws import Units, centred
from quorate.numerics.ratings.inverses import inverse_information
from quorate.numerics.ratings.judge_weights import judge_weights
from quorate.numerics.ratings.labelled_battles import Battles, summed_by
from quorate.numerics.ratings.leverage import variances, widened
from quorate.numerics.ratings.own_leverage import per_vote
from quorate.numerics.votes.multiway import combined, intersections

_BLOCK = 2**21
_WHOLE = 1 - 1e-9


class Powered(NamedTuple):
    """Ratings and how they vary.

    Parameters
    ----------
    fit : Fit
        The ratings; not converged where rectified counts have no maximum.
    covariance, df : array, shape (parameters, parameters)
        Covariance of the parameters, ratings about their mean, and degrees of freedom of every difference; nan where
        there are no ratings.
    weights : array, shape (strata, judges)
        Weight of every judge in each stratum, 0 (of no use) to 1: of the difference of what it says of labelled and of
        other battles.
    """

    fit: Fit
    covariance: Floats
    df: Floats
    weights: Floats


def people_alone(design: Design, battles: Battles) -> Powered:
    """Ratings by the labels alone, each counted as often as battles of its stratum that it stands for.

    Parameters
    ----------
    design : Design
        What votes compare; votes of people have a maximum.
    battles : Battles
        Votes.
    """
    none = Battles(battles.people, (), (), battles.share, battles.strata, battles.clusters, battles.chance)
    at = _fit(design, none.people.T @ none.worth, None)
    return _powered(design, none, np.zeros((len(none.share), 0)), at, at)


def rectified(design: Design, battles: Battles, people: Fit, tuning: float | None = None) -> Powered:
    """Ratings as people would have them, from their votes on some battles and the judges' on all.

    Parameters
    ----------
    design : Design
        What votes compare.
    battles : Battles
        Votes.
    people : Fit
        Ratings by the labels alone.
    tuning : float, optional
        Weight of all judges together; by default those that are best for the ratings together, at least 0, each found
        without the cluster that it multiplies.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453.
    """
    if tuning is None:
        weights = judge_weights(design, battles, people)
    else:
        some = np.where(battles.beyond > 0, battles.beyond, np.inf)
        weights = np.tile((tuning / len(battles.said) * battles.worth / some)[:, None], len(battles.said))
    counts = battles.people.T @ battles.worth
    for k, (own, rest) in enumerate(zip(battles.said, battles.others, strict=True)):
        counts = counts - own.T @ (battles.beyond * weights[:, k]) + rest.T @ _spread(battles, weights[:, k])
    return _powered(design, battles, weights, _fit(design, counts, people.theta[:, 0]), people)


def _fit(design: Design, counts: Floats, start: Floats | None) -> Fit:
    return fit(design, np.asarray(counts).reshape(len(design.sign), -1, 3, 1), start=start)


def _spread(battles: Battles, weight: Floats) -> Floats:
    """What every battle without a label counts: the weights of the labels of its stratum, evenly."""
    _, rest = battles.sizes
    total = np.bincount(battles.strata[0], battles.beyond * battles.share * weight, len(rest))
    return np.asarray((total / np.maximum(rest, 1.0))[battles.strata[1]])


def _powered(design: Design, battles: Battles, weights: Floats, at: Fit, people: Fit) -> Powered:
    """The fit with its covariance, by all facets at once, and the mean weights of every stratum."""
    if not at.converged[0]:
        unknown = np.full((design.parameters, design.parameters), np.nan)
        return Powered(at, unknown, unknown, np.zeros((len(battles.sizes[0]), weights.shape[1])))
    inverse = inverse_information(design, at, 0.0)
    own, rest = _contributions(design, battles, weights, at.theta[:, 0])
    told = _Told(design, battles, people)
    total, base, ways = 0.0, 0.0, []
    codes = [np.concatenate(pair) for pair in battles.clusters]
    for count, code in intersections(codes):
        n = len(battles.share)
        plain, variance, df = told.law(inverse, own, rest, code[:n], code[n:] if rest is not None else code[:0])
        total, base = total - (-1) ** count * variance, base - (-1) ** count * plain
        ways += [(variance, df)] if count == 1 else []
    variance, df = combined(np.asarray(total), *(np.stack(part) for part in zip(*ways, strict=True)))
    covariance = widened(np.asarray(base), variance - variances(np.asarray(base), design.systems), design.systems)
    strata = len(battles.sizes[0])
    share = np.bincount(battles.strata[0], battles.share, strata)
    used = weights * (battles.beyond / battles.worth * battles.share)[:, None]
    each = np.array([np.bincount(battles.strata[0], column, strata) for column in used.T])
    mean = each.reshape(-1, strata).T / np.maximum(share, 1e-300)[:, None]
    return Powered(at, covariance, df, mean)


def _contributions(design: Design, battles: Battles, weights: Floats, theta: Floats) -> tuple[Floats, Any]:
    """What every row, and every battle without a label, adds to the equations of the ratings, about their means."""
    vote = scores(design, theta)
    own, rest = (battles.people @ vote).toarray() * battles.worth[:, None], None
    strata, (labelled, others) = battles.strata, battles.sizes
    for k, (said, unlabelled) in enumerate(zip(battles.said, battles.others, strict=True)):
        judged = (unlabelled @ vote).toarray()
        mean = summed_by(strata[1], judged, len(others)) / np.maximum(others, 1.0)[:, None]
        less = (said @ vote).toarray() - battles.share[:, None] * mean[strata[0]]
        own -= (battles.beyond * weights[:, k])[:, None] * less
        even = np.sqrt(others / np.maximum(others - 1, 1.0))[strata[1]]
        part = (_spread(battles, weights[:, k]) * even)[:, None] * (judged - mean[strata[1]])
        rest = part if rest is None else rest + part
    counts = battles.worth * battles.share
    total = np.maximum(np.bincount(strata[0], counts, len(labelled)), 1e-300)
    own -= counts[:, None] * (summed_by(strata[0], own, len(labelled)) / total[:, None])[strata[0]]
    return own, rest


class _Told:
    """What labels tell of every contrast: how much smaller residuals are for having been fitted, and what is left."""

    def __init__(self, design: Design, battles: Battles, people: Fit) -> None:
        p = design.parameters
        self.design, self.battles = design, battles
        self.inverse = inverse_information(design, people, 0.0)
        counts = np.asarray(battles.people.T @ battles.worth)[None]
        cells = per_vote(design, Units(np.ones(1), _sparse(counts)), people.theta)
        votes = _cells(battles.people.multiply(battles.worth[:, None]).tocsr())
        used = np.unique(votes.indices)
        self.votes, self.cells = votes[:, used], cells.some(used)
        pairs = np.triu_indices(design.systems, 1)
        self.first, self.second = (np.append(side, np.arange(p)) for side in pairs)

    def law(
        self, inverse: Floats, own: Floats, rest: Floats | None, code: Ints, other: Ints
    ) -> tuple[Floats, Floats, Floats]:
        """Covariance by clusters, variances of contrasts with what leverage adds, and their degrees of freedom."""
        p, s = len(inverse), self.design.systems
        found = np.unique(np.append(code, other), return_inverse=True)[1]
        code, other = found[: len(code)], found[len(code) :]
        labels, place = np.unique(code, return_inverse=True)
        size = int(found.max()) + 1
        summed = summed_by(code, own, size)
        if rest is not None:
            summed += summed_by(other, rest, size)
        left = np.ones(size, dtype=np.bool_)
        left[labels] = False
        mine, beyond = summed[labels], summed[left].T @ summed[left]
        lone = int(left.sum()) if rest is not None and np.abs(rest).max(initial=0.0) > 0 else 0
        covariance = centred(inverse @ (mine.T @ mine + beyond) @ inverse, s)
        least = self._of_stratum(place)
        together = _adding(place, len(labels))
        variance, df = np.zeros((p, p)), np.full((p, p), 1.0)
        block = max(1, _BLOCK // max(len(labels), self.cells.size, 1))
        for start in range(0, len(self.first), block):
            at = slice(start, start + block)
            i, j = self.first[at], self.second[at]
            part = together @ self._parts(i, j)
            x = _columns(inverse, i, j, s)
            moved = (mine @ x) ** 2
            inside = np.minimum(np.maximum(part, least[:, None]), _WHOLE)
            labelled = (moved / (1 - inside)).sum(axis=0)
            others = np.einsum("pk,pq,qk->k", x, beyond, x) if lone else np.zeros(len(i))
            free = np.maximum(1 / np.maximum((part**2).sum(axis=0), 1e-300) - 1, 1.0)
            both = labelled + others
            spread = labelled**2 / free + others**2 / max(lone - 1, 1)
            variance[i, j] = variance[j, i] = both
            df[i, j] = df[j, i] = np.divide(both**2, spread, out=free, where=spread > 0)
        return covariance, variance, df

    def _of_stratum(self, place: Ints) -> Floats:
        """Part of every cluster in the labels of its stratum, whose mean is taken off; 0 where there is one stratum."""
        stratum, counts = self.battles.strata[0], self.battles.worth * self.battles.share
        if len(np.unique(stratum)) < 2:
            return np.zeros(int(place.max()) + 1)
        within = np.unique(place * (int(stratum.max()) + 1) + stratum, return_inverse=True)[1]
        part = np.bincount(within, counts)[within] / np.bincount(stratum, counts)[stratum]
        return np.asarray(np.bincount(place, counts * part) / np.bincount(place, counts))

    def _parts(self, i: Ints, j: Ints) -> Floats:
        """Part of every row in the information of people on each contrast."""
        s = self.design.systems
        x = _columns(self.inverse, i, j, s)
        column = np.arange(len(i))
        rating = (i == j) & (i < s)
        known = x[i, column] - np.where(i == j, 0.0, x[j, column]) - rating * x[:s].mean(axis=0)
        return np.asarray(self.votes @ (self.cells.along(x) / known))


def _columns(inverse: Floats, i: Ints, j: Ints, systems: int) -> Floats:
    """The inverse information times contrasts: differences of two parameters, ratings about their mean, or others."""
    x = inverse[:, i] - np.where(i == j, 0.0, inverse[:, j])
    x[:, (i == j) & (i < systems)] -= inverse[:, :systems].mean(axis=1, keepdims=True)
    return np.asarray(x)


def _sparse(dense: Floats) -> Any:
    from scipy.sparse import csr_array

    return csr_array(dense)


def _adding(place: Ints, size: int) -> Any:
    """What sums rows to clusters, sparse."""
    from scipy.sparse import csr_array

    rows = np.arange(len(place))
    return csr_array((np.ones(len(place)), (place, rows)), shape=(size, len(place)))


def _cells(entries: Any) -> Any:
    """Votes by cell of votes by cell and outcome, sparse."""
    from scipy.sparse import csr_array

    kept = entries.tocsr()
    out = csr_array((kept.data, kept.indices // 3, kept.indptr), shape=(kept.shape[0], kept.shape[1] // 3))
    out.sum_duplicates()
    return out
