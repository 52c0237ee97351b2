"""Weights of judges beside people: least squares of what people's votes do to ratings on what judges' votes do."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, Fit, scores
from quorate.numerics.ratings.draws import centred
from quorate.numerics.ratings.inverses import inverse_information
from quorate.numerics.ratings.labelled_battles import Battles, summed_by

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
