"""Many sums of scores of one fit at once, and the difference of every two: as of each by itself, in less time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from quorate.arrays import Floats, Ints, first_of_each
from quorate.estimate.components.fit import Fitted
from quorate.estimate.means.intervals import inside_fixed, is_of_known_levels, term_facets
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.reach import Setup, crowds_of, drawn_facets, profile_of, shared_ratio
from quorate.estimate.means.targets import PANEL, POPULATION, Target, distance, share
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import Weights, contrast_weights
from quorate.numerics.pairs import Pairs, Rows, fitted, squares
from quorate.table.judgments import Judgments

_HELD = 1 << 22
"""Weights of cells that are held at a time."""
_UNUSED = 1e-12
"""Weight of an effect, as a part of the largest, that rounding leaves of none."""


@dataclass(frozen=True, eq=False)
class PairReaches:
    """What `quorate.numerics.reach.Reach` has of every pair, in the order of ``numpy.triu_indices``.

    Parameters
    ----------
    variance, df : array, shape (pairs,)
        Of this study's setup.
    effects : tuple of (array, array, float)
        Square, noise and degrees of freedom of every facet that stands for others.
    """

    variance: Floats
    df: Floats
    effects: tuple[tuple[Floats, Floats, float], ...]


def pair_reaches(fit: Fitted, weights: Floats, targets: Mapping[str, Target]) -> PairReaches:
    """The reach of the difference of every two weighted sums of the fixed effects.

    Parameters
    ----------
    fit : Fitted
        One model of all scores.
    weights : array, shape (sums, p)
        Weights of the fixed effects in each sum.
    targets : mapping of str to str
        What facets stand for; items for others.
    """
    judgments, setup = fit.judgments, Setup(fit.judgments, targets, shared_ratio(fit), crowds_of(fit), fit.shared)
    kept = (setup.model, weights.tobytes())  # the setup's and those of others like it differ in effects alone
    if kept not in fit.shared:
        fit.shared[kept] = _of_setup(fit, setup, weights, targets)
    cells, variance, df = fit.shared[kept]
    drawn = drawn_facets(judgments, targets)
    shares = [*_shares(setup, cells)] if drawn else []
    return PairReaches(variance, df, tuple(_effect(setup, name, shares) for name in drawn))


def _of_setup(
    fit: Fitted, setup: Setup, weights: Floats, targets: Mapping[str, Target]
) -> tuple[Floats, Floats, Floats]:
    """Weights of cells in every sum, and the variances and degrees of freedom of differences for this setup."""
    judgments, found = fit.judgments, contrast_weights(fit.assembled.problem, fit.point.solved, weights)
    variance, df = Pairs(setup.model, found.cells).variances()
    apart = {judgments.object, *judgments.ancestors(judgments.object)}
    known = {one: PANEL if one not in apart and to == POPULATION else to for one, to in targets.items()}
    for t in np.flatnonzero(fit.theta > 0):
        if not {*term_facets(fit, fit.assembled.names[t])} & apart:
            variance += fit.theta[t] * fit.assembled.scale**2 * _squares(fit, int(t), known, found)
    return found.cells, variance, df


def _squares(fit: Fitted, t: int, targets: Mapping[str, Target], found: Weights) -> Floats:
    """Weight of a component in the variance of every difference, shape (pairs,)."""
    name, pairs = fit.assembled.names[t], np.triu_indices(len(found.cells), 1)
    if not is_of_known_levels(fit, name, targets):
        return squares(found.components[t], np.arange(len(found.cells)))[pairs]
    if inside_fixed(fit, name, targets):
        return np.zeros(len(pairs[0]))
    return distances(fit.judgments, term_facets(fit, name), targets, found.cells)


def together(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    """The same estimates, those of one fit with the weights of cells of several found at once."""
    fit = estimates[0].basis.fit
    if any(one.basis.fit is not fit for one in estimates):  # each of its own scores
        yield from estimates
        return
    for start in range(0, len(estimates), step := max(_HELD // fit.judgments.n_cells, 1)):
        some = estimates[start : start + step]
        rows = np.array([one.basis.weight for one in some])
        found = contrast_weights(fit.assembled.problem, fit.point.solved, rows).cells
        for one, cells in zip(some, found, strict=True):
            out = replace(one)
            out.__dict__["_cells"] = cells
            yield out


def undetermined(fit: Fitted, weights: Floats, targets: Mapping[str, Target]) -> Ints:
    """Pairs whose variance rests on components that the data do not tell apart, shape (pairs, 2)."""
    space = fit.identified.null_space()
    if not len(space):
        return np.zeros((0, 2), np.int64)
    found, pairs = contrast_weights(fit.assembled.problem, fit.point.solved, weights), np.triu_indices(len(weights), 1)
    gradient = np.zeros((len(fit.theta), len(pairs[0])))
    for t in np.flatnonzero(space.any(axis=0)):
        gradient[t] = _squares(fit, int(t), targets, found)
    size = np.linalg.norm(space, axis=1)[:, None] * np.maximum(np.abs(gradient).max(axis=0), 1e-300)
    return np.column_stack(pairs)[np.any(np.abs(space @ gradient) > 1e-7 * size, axis=0)]


def distances(judgments: Judgments, facets: Sequence[str], targets: Mapping[str, Target], weights: Floats) -> Floats:
    """`distance` of the difference of every two rows of weights, shape (pairs,); facets stand for known levels."""
    above = {up for name in facets for up in judgments.ancestors(name)}
    leaves = [name for name in facets if name not in above]
    codes, code = {name: judgments.level_codes([name]) for name in leaves}, judgments.level_codes(leaves)
    first = first_of_each(code)
    at = {name: own[first] for name, own in codes.items()}
    sums = {name: np.array([np.bincount(own, row) for row in weights]) for name, own in codes.items()}
    shares = {name: share(judgments, name, targets[name]) for name in leaves}
    total = np.array([np.bincount(code, row) for row in weights])
    size = np.abs(weights - weights.mean(axis=0)).sum(axis=1)
    out = []
    for i in range(len(weights) - 1):
        gap, others = total[i] - total[i + 1 :], np.arange(i + 1, len(weights))
        # The size of a difference is at least that of its sums, and at most that of both beside the mean of all.
        least, most = np.abs(gap).sum(axis=1), size[i] + size[i + 1 :]
        clear, weighed = np.ones(len(gap), np.bool_), np.zeros(len(gap), np.int64)
        whole = gap.sum(axis=1)
        wanted = whole[:, None] * np.prod([shares[name][at[name]] for name in leaves], axis=0)
        square = whole**2 * np.prod([own @ own for own in shares.values()])
        for name in leaves:  # of systems of which one is taken off the other, just that is wanted
            own = sums[name][i] - sums[name][i + 1 :]
            taken = -np.minimum(own, 0.0).sum(axis=1)
            apart = taken > most / 4
            clear &= apart | (taken <= least / 4)
            weighed += apart
            rest = [up for up in leaves if up != name]
            other = np.prod([shares[up][at[up]] for up in rest], axis=0)
            wanted[apart] = (own[:, at[name]] * other)[apart]
            square[apart] = (np.sum(own**2, axis=1) * np.prod([shares[up] @ shares[up] for up in rest]))[apart]
        concentrated = np.sum(gap**2, axis=1)
        found = concentrated - 2 * np.sum(gap * wanted, axis=1) + square
        found = np.where(found > 1e-12 * concentrated, found, 0.0)
        for j in np.flatnonzero(~clear | (weighed > 1)):
            found[j] = distance(judgments, facets, targets, weights[i] - weights[others[j]])
        out.append(found)
    return np.concatenate(out)


def _shares(setup: Setup, cells: Floats) -> Iterator[dict[str, Floats]]:
    """Weights of the levels of every facet in the differences of one sum and those after it, shape (sums, levels).

    Their sums; where these mostly cancel, as of judges in a difference, sizes.
    """
    codes = {name: setup.judgments.level_codes([name]) for name in setup.names}
    sums = {name: np.array([np.bincount(code, row) for row in cells]) for name, code in codes.items()}
    room = np.empty_like(cells)
    for i in range(len(cells) - 1):
        size = np.subtract(cells[i], cells[i + 1 :], out=room[i + 1 :])
        total, out = np.abs(size, out=size).sum(axis=1), {}
        for name, code in codes.items():
            out[name] = own = sums[name][i] - sums[name][i + 1 :]
            cancel = np.abs(own).sum(axis=1) <= total / 2
            if cancel.any():
                some = size if cancel.all() else size[cancel]
                own[cancel] = some @ np.eye(own.shape[1])[code] / total[cancel, None]
        yield out


def _effect(setup: Setup, name: str, shares: list[dict[str, Floats]]) -> tuple[Floats, Floats, float]:
    """Square, noise and degrees of freedom of a facet that stands for others, of every pair."""
    if name in setup.crowds:
        _, variance, df = setup.crowds[name]
        profile = profile_of(np.concatenate([own[setup.lowest(name)] for own in shares]))
        square = np.sum(profile**2, axis=1) * variance
        return square, np.zeros_like(square), df
    each = (setup.levels(name, own) for own in shares)
    rows, sizes = zip(*((_used(weight.swapaxes(0, 1)), size) for weight, size in each), strict=True)
    df, size = float(np.trace(setup.within(name))), np.concatenate(sizes)
    values, noise = fitted(setup.model, _joined(rows))
    return size * np.sum(values**2, axis=1) / df, size * noise.sum(axis=1) / df, df


def _used(weight: Floats) -> Rows:
    """Weights of effects, shape (pairs, sums, effects), but for those that are none."""
    most = np.abs(weight).max(axis=1)
    none = most <= _UNUSED * most.max(axis=1, keepdims=True)
    place = np.argsort(none, axis=1, kind="stable")[:, : int((~none).sum(axis=1).max())]
    return Rows(place, np.take_along_axis(weight, place[:, None], axis=2))


def _joined(rows: Sequence[Rows]) -> Rows:
    """Those of several lists of pairs together."""
    used = max(one.place.shape[1] for one in rows)
    places = [np.pad(one.place, ((0, 0), (0, used - one.place.shape[1]))) for one in rows]
    weights = [np.pad(one.weight, ((0, 0), (0, 0), (0, used - one.weight.shape[2]))) for one in rows]
    return Rows(np.concatenate(places), np.concatenate(weights))
