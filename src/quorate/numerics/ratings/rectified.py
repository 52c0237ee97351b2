"""Prediction-powered ratings: votes of people on some battles, corrected by what judges say of all of them.

Scores of votes are linear in counts, so ratings by people and judges are those of *rectified counts*: votes of people,
less the judges' on the same battles, plus the judges' on the others, each with its weight. Derived in
``docs/methods/labelled-boards.md``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import Design, Fit, fit, scores
from quorate.numerics.ratings.draws import Units, centred, inverse_information
from quorate.numerics.ratings.leverage import contrasts, per_vote, variances, widened
from quorate.numerics.votes.clustered import combined, intersections

# Battles that people voted on, and others that judges alone did, as counts.


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles that people voted on, and others that judges alone did; entries are cells of the counts by outcome.

    Parameters
    ----------
    people : sparse array, shape (rows, entries)
        What each person said of a labelled battle: votes that add up to the row's share of the battle.
    said : tuple of sparse array, shape (rows, entries)
        What each judge said of the same battle, times that share; nothing where a judge was not asked.
    others : tuple of sparse array, shape (battles, entries)
        What each judge said of the battles without a label.
    share : array, shape (rows,)
        Part of its battle that a row is: 1 over the people who labelled it.
    strata : (array of int, array of int), shapes (rows,) and (battles,)
        Stratum of labelled and other battles, from 0.
    clusters : tuple of (array of int, array of int)
        Clusters of both by each facet, from one list of codes.
    chance : array, shape (rows,), optional
        Chances that battles were labelled, up to a factor; equal within strata by default.
    """

    people: Any
    said: tuple[Any, ...]
    others: tuple[Any, ...]
    share: Floats
    strata: tuple[Ints, Ints]
    clusters: tuple[tuple[Ints, Ints], ...]
    chance: Floats | None = None

    @cached_property
    def sizes(self) -> tuple[Floats, Floats]:
        """Labelled and other battles of every stratum."""
        own, others = self.strata
        n = int(max(own.max(initial=-1), others.max(initial=-1))) + 1
        return np.bincount(own, self.share, n).astype(float), np.bincount(others, minlength=n).astype(float)

    @cached_property
    def worth(self) -> Floats:
        """Battles of its stratum that each labelled battle stands for, shape (rows,)."""
        labelled, rest = self.sizes
        each = np.ones(len(self.share)) if self.chance is None else 1 / self.chance
        total = np.bincount(self.strata[0], each * self.share, len(labelled))
        return np.asarray(each * ((labelled + rest) / np.maximum(total, 1e-300))[self.strata[0]])

    @cached_property
    def beyond(self) -> Floats:
        """The same less itself: battles without a label that it stands for."""
        return np.asarray(np.maximum(self.worth - 1, 0.0))


def summed_by(code: Ints, values: Floats, size: int) -> Floats:
    """Sums of rows by code."""
    out = np.zeros((size, values.shape[1]))
    np.add.at(out, code, values)
    return out


# Weights of judges beside people: least squares of what people's votes do to ratings on what judges' votes do.


_SWEEPS, _STILL = 500, 1e-12


def judge_weights(design: Design, battles: Battles, people: Fit) -> Floats:
    """Weight of every judge for each row: least squares of what people's scores do to the ratings on what judges' do.

    Of each stratum by itself, weighted as the variance has it, about the means, without the row's own cluster: of the
    facet with the fewest among all battles, and sums over its clusters are what is made small.
    """
    vote = scores(design, people.theta[:, 0])
    to_ratings = centred(inverse_information(design, people, 0.0), design.systems)[:, : design.systems]
    code, other = min(battles.clusters, key=lambda pair: len(np.unique(np.concatenate(pair))))
    repeat = len(np.unique(np.append(code, other))) < len(code) + len(other)
    moves = [np.asarray((part @ vote) @ to_ratings) for part in (battles.people, *battles.said)]
    elsewhere = [np.asarray((part @ vote) @ to_ratings) for part in battles.others] if repeat else []
    out = np.zeros((len(battles.share), len(battles.said)))
    labelled, rest = battles.sizes
    for h in np.unique(battles.strata[0]):
        at, left = battles.strata[0] == h, battles.strata[1] == h
        if rest[h] < 2:
            continue
        share, worth, beyond = battles.share[at], battles.worth[at], battles.beyond[at]
        own, place = [part[at] / share[:, None] for part in moves], np.unique(code[at], return_inverse=True)[1]
        gram, target = _without_own(own, worth * beyond * share, place)
        if repeat:
            each = beyond @ share / rest[h]
            counted = [own[0] * (worth * share)[:, None], *(part * (beyond * share)[:, None] for part in own[1:])]
            others = [-each * part[left] for part in elsewhere]
            more = _together(counted, share, others, code[at], other[left])
            gram, target = gram + more[:, 1:, 1:], target + more[:, 1:, 0]
        out[at] = nonnegative(gram, target, 1 + labelled[h] / rest[h])[place]
    return out


def _without_own(moves: list[Floats], weight: Floats, code: Ints) -> tuple[Floats, Floats]:
    """Products of moves about their means, over all rows but those of a cluster, for each cluster.

    Returns
    -------
    array, shape (clusters, judges, judges), and array, shape (clusters, judges)
        Of judges with judges, and of judges with people.
    """
    clusters, each = int(code.max()) + 1, len(moves)
    total = weight.sum() - np.bincount(code, weight, clusters)
    sums = []
    for part in moves:
        within = summed_by(code, weight[:, None] * part, clusters)
        sums.append(within.sum(axis=0) - within)
    found = np.zeros((clusters, each, each))
    for i in range(each):
        for j in range(i + 1):
            product = weight * np.einsum("rp,rp->r", moves[i], moves[j])
            left = product.sum() - np.bincount(code, product, clusters)
            about = np.einsum("gp,gp->g", sums[i], sums[j]) / np.maximum(total, 1e-300)
            found[:, i, j] = found[:, j, i] = left - about
    return found[:, 1:, 1:], found[:, 1:, 0]


def _together(moves: list[Floats], share: Floats, others: list[Floats], code: Ints, other: Ints) -> Floats:
    """Products of two different battles of one cluster, over all clusters but each of those with labels.

    Parameters
    ----------
    moves, others : list of array
        What rows count, of people and of every judge, and what battles without a label count, of every judge.
    share : array, shape (rows,)
        Parts of battles that rows are.
    code, other : array of int
        Clusters of both.
    """
    found = np.unique(np.append(code, other), return_inverse=True)[1]
    size, n, k = int(found.max()) + 1, len(code), len(moves)
    none = np.zeros_like(others[0])
    parts = []
    for own, rest in zip(moves, [none, *others], strict=True):
        about = own - share[:, None] * (own.sum(axis=0) / share.sum())
        parts.append(np.append(about, rest - rest.mean(axis=0), axis=0))
    sums = [summed_by(found, part, size) for part in parts]
    out = np.zeros((size, k, k))
    for i in range(k):
        for j in range(i + 1):
            alone = np.bincount(found, np.einsum("rp,rp->r", parts[i], parts[j]), size)
            out[:, i, j] = out[:, j, i] = np.einsum("gp,gp->g", sums[i], sums[j]) - alone
    return np.asarray(out.sum(axis=0) - out[np.unique(found[:n])])


def nonnegative(gram: Floats, target: Floats, most: float) -> Floats:
    """Least squares with coefficients of at least 0 that add up to at most ``most``, by turns; shape (fits, judges)."""
    out = np.zeros_like(target)
    spread = np.einsum("gkk->gk", gram)
    least = 1e-12 * spread.max(initial=0.0)
    for _ in range(_SWEEPS):
        before = out.copy()
        for k in range(out.shape[1]):
            rest = target[:, k] - np.einsum("gl,gl->g", gram[:, k], out) + spread[:, k] * out[:, k]
            step = np.divide(rest, spread[:, k], out=np.zeros(len(out)), where=spread[:, k] > least)
            out[:, k] = np.maximum(step, 0.0)
        if np.abs(out - before).max(initial=0.0) < _STILL:
            break
    total = out.sum(axis=1, keepdims=True)
    return np.asarray(out * np.minimum(1.0, most / np.maximum(total, 1e-300)))


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
        from scipy.sparse import csr_array

        p = design.parameters
        self.design, self.battles = design, battles
        self.inverse = inverse_information(design, people, 0.0)
        counts = np.asarray(battles.people.T @ battles.worth)[None]
        cells = per_vote(design, Units(np.ones(1), csr_array(counts)), people.theta)
        kept = battles.people.multiply(battles.worth[:, None]).tocsr()
        votes: Any = csr_array((kept.data, kept.indices // 3, kept.indptr), shape=(kept.shape[0], kept.shape[1] // 3))
        votes.sum_duplicates()
        used = np.unique(votes.indices)
        self.votes, self.cells = votes[:, used], cells.some(used)
        pairs = np.triu_indices(design.systems, 1)
        self.first, self.second = (np.append(side, np.arange(p)) for side in pairs)

    def law(
        self, inverse: Floats, own: Floats, rest: Floats | None, code: Ints, other: Ints
    ) -> tuple[Floats, Floats, Floats]:
        """Covariance by clusters, variances of contrasts with what leverage adds, and their degrees of freedom."""
        from scipy.sparse import csr_array

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
        rows, shape = np.arange(len(place)), (len(labels), len(place))
        together: Any = csr_array((np.ones(len(place)), (place, rows)), shape=shape)  # sums rows to clusters
        variance, df = np.zeros((p, p)), np.full((p, p), 1.0)
        block = max(1, _BLOCK // max(len(labels), self.cells.size, 1))
        for start in range(0, len(self.first), block):
            at = slice(start, start + block)
            i, j = self.first[at], self.second[at]
            part = together @ self._parts(i, j)
            x, _ = contrasts(inverse, i, j, s)
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
        x, known = contrasts(self.inverse, i, j, self.design.systems)
        return np.asarray(self.votes @ (self.cells.along(x) / known))
