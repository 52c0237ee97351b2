"""Weights: what a layout and a target make of the variance of one term, and of the known biases of named judges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats, Ints, sums
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.intervals import group_sizes
from quorate.estimate.means.targets import ABSORBED, FINITE, FIXED, PANEL, POPULATION, SENSITIVITY, Pool, Target
from quorate.frozen import dataclass
from quorate.numerics.panel.judges import effects
from quorate.planning.designs.layouts import Count, Layout
from quorate.roles import JUDGE, REPLICATE
from quorate.table.judgments import Judgments
from quorate.wording import Brief

# Groups of items that are not equally large, such as categories: how the mean of an analysis weighs them.


@dataclass(frozen=True, eq=False)
class GroupWeights(Brief):
    """What a mean makes of groups of items, of one design or of many at once.

    Parameters
    ----------
    squares : mapping of str to array
        Sum of the squared weights of the groups, by what groups the items.
    apart : mapping of str to array
        Sum of their squared distances from what groups count for in the mean that is meant: their shares of the items.
    items : array
        Sum of the squared weights of single items times their number; 1 where they weigh alike.
    told : mapping of str to array
        What items bring to the spread of the groups' means, by what groups them, as a part of what they bring to the
        mean; 1 where groups are equally large.
    """

    squares: Mapping[str, Floats]
    apart: Mapping[str, Floats]
    items: Floats
    told: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class GroupSizes(Brief):
    """How items are spread over what groups them.

    Parameters
    ----------
    names : tuple of str
        What groups the items, each within the next.
    shares : array, shape (groups,)
        Share of the items that is in each group of the first kind.
    parents : tuple of array of int
        For every kind but the last, the group of the next kind that each of its groups is in.
    wanted : array, shape (groups,), optional
        What each group counts for in the mean, where that is asked for and not left to the analysis.
    """

    names: tuple[str, ...]
    shares: Floats
    parents: tuple[Ints, ...] = ()
    wanted: Floats | None = None

    @cached_property
    def each(self) -> dict[str, Floats]:
        """Shares of the items, by kind of group."""
        return dict(zip(self.names, self._upwards(self.shares), strict=True))

    def _upwards(self, values: Floats) -> list[Floats]:
        """Values of the groups of the first kind, and their sums for those of the next ones."""
        out = [values]
        for parent in self.parents:
            out.append(sums(out[-1], parent))
        return out

    @property
    def alike(self) -> bool:
        """Whether groups are equally large, and count for the same."""
        uneven = [*self.each.values(), *([] if self.wanted is None else [self.wanted])]
        return all(float(np.ptp(one)) < 1e-12 for one in uneven)

    def times(self, laid: Layout) -> Floats:
        """How many groups of each of these sizes designs have."""
        return np.asarray(laid.groups[self.names[0]], dtype=float) / len(self.shares)

    def weights(self, within: ArrayLike, between: Mapping[str, ArrayLike], times: ArrayLike = 1.0) -> GroupWeights:
        """The weights by which a mean varies least, as those of generalised least squares.

        A group weighs as the inverse of ``between + within / share``, its variance with all of it drawn; those of one
        kind within one of the next, then these. Or by what is wanted.

        Parameters
        ----------
        within : array
            What all that varies with items brings to the variance of a mean in which these weigh alike.
        between : mapping of str to array
            Variance of one group, by kind.
        times : float or array
            How many groups of each of these sizes there are, sharing their part of the items.
        """
        names, times = self.names, np.asarray(times, dtype=float)
        variance = [np.asarray(between.get(name, 0.0), dtype=float) for name in names]
        items = np.asarray(within, dtype=float) * times
        scale = items + sum(variance, np.zeros(()))
        scale = np.where(scale > 0, scale, 1.0)  # it is their ratios that count, however small they are
        variance, noise = [one / scale for one in variance], np.maximum(items / scale, 1e-12)
        share = self.shares.reshape(-1, *[1] * noise.ndim)
        weight = self._least(share, variance, noise) if self.wanted is None else self._upwards(self.wanted)
        weight = [one.reshape(-1, *[1] * noise.ndim) if one.ndim == 1 else one for one in weight]
        meant = list(self.each.values()) if self.wanted is None else self._upwards(self.wanted)
        target = [one.reshape(-1, *[1] * noise.ndim) for one in meant]
        squares = [np.sum(one**2, axis=0) / times for one in weight]
        apart = [np.sum((one - tau) ** 2, axis=0) / times for one, tau in zip(weight, target, strict=True)]
        items = np.sum(weight[0] ** 2 / share, axis=0)
        told = {
            name: square * float(np.mean(1 / self.each[name])) * times / items
            for name, square in zip(names, squares, strict=True)
        }
        return GroupWeights(dict(zip(names, squares, strict=True)), dict(zip(names, apart, strict=True)), items, told)

    def _least(self, share: Floats, variance: Sequence[Floats], noise: Floats) -> list[Floats]:
        """Weights of groups, by kind, in the mean that varies least."""
        precision = [share / (share * variance[0] + noise)]
        for parent, more in zip(self.parents, variance[1:], strict=True):
            together = sums(precision[-1], parent)
            precision.append(together / (1 + more * together))
        weight = [precision[-1] / precision[-1].sum(axis=0)]
        for parent, own in zip(self.parents[::-1], precision[-2::-1], strict=True):
            weight.insert(0, weight[0][parent] * own / sums(own, parent)[parent])
        return weight


def group_sizes_of(judgments: Judgments) -> GroupSizes | None:
    """The groups of the items of a table; None where nothing groups them."""
    names = judgments.ancestors(judgments.object)
    if not names:
        return None
    codes = [judgments.level_codes([name]) for name in names]
    parents = []
    for low, high in pairwise(codes):
        parent = np.zeros(int(low.max()) + 1, dtype=np.int64)
        parent[low] = high
        parents.append(parent)
    counts = group_sizes(judgments, names[0])
    return GroupSizes(names, counts / counts.sum(), tuple(parents))


def given_sizes(names: Sequence[str], sizes: Sequence[float], wanted: Sequence[float] = ()) -> GroupSizes | None:
    """Groups of these sizes, None without; where there are several kinds, those of the next are the same."""
    if not sizes:
        return None
    counts, same = np.array(sizes, dtype=float), np.arange(len(sizes))
    parents = tuple(same for _ in names[1:])
    return GroupSizes(tuple(names), counts / counts.sum(), parents, np.array(wanted, dtype=float) if wanted else None)


def own_facets(name: str, all_facets: tuple[str, ...]) -> frozenset[str]:
    """Facets of a term: all of them for cells and replicates."""
    base = name.partition("[")[0]
    return frozenset(all_facets if base in (CELL, REPLICATE) else base.split(":"))


def coefficient(
    name: str,
    own: frozenset[str],
    whole: frozenset[str],
    laid: Layout,
    above: Mapping[str, tuple[str, ...]],
    groups: GroupWeights | None,
    targets: Mapping[str, Target],
) -> Floats:
    """``sum_l (w_l - tau_l)^2`` of a term in a layout, replicates apart.

    ``own`` are the term's facets, ``whole`` those and what they are nested in. What groups items is in ``whole`` but
    not in the layout: items carry it where they are in the term; elsewhere it crosses the rest, as evenly as the mean
    weighs it (``groups``; all alike without) and never in more combinations than there are items, or is absorbed.
    """
    if targets.get(name) == FIXED:
        return np.zeros(())
    over = [] if laid.item in whole else [facet for facet in whole if facet not in laid.counts]
    inside = whole & laid.counts.keys()
    if any(targets[facet] == ABSORBED or facet not in laid.groups for facet in over):
        over, inside = [], inside | {laid.item}
    sizes = {**laid.counts, **laid.grouped}
    last = [facet for facet in over if not any(facet in above.get(other, ()) for other in over)]
    concentrated = np.asarray(laid.concentration(inside))
    square = np.ones(())
    if last:
        square = np.asarray(1 / sizes[last[0]])
        square = square if groups is None else np.clip(groups.squares[last[0]], square, 1.0)
        by_item = laid.concentration(inside | {laid.item})
        concentrated = np.maximum(laid.concentration(inside, 1 / square), by_item)
    elif groups is not None and laid.item in inside:
        concentrated = concentrated * groups.items
    if name.startswith(REPLICATE) or any(targets[facet] in (POPULATION, SENSITIVITY, ABSORBED) for facet in own):
        return concentrated
    # levels of the term under the target; the pool of a nested facet counts over all that it is nested in
    levels = {facet: sizes[facet] for facet in (*inside, *last)}
    for facet, target in targets.items():
        if facet in levels and isinstance(target, Pool):
            parents = [up for up in above.get(facet, ()) if up in levels]
            levels[facet] = _size(target, levels[facet] * math.prod(sizes[up] for up in parents))
            levels |= dict.fromkeys(parents, 1)
    if groups is not None and last and not isinstance(targets[last[0]], Pool):  # they count by their items
        rest = math.prod(count for facet, count in levels.items() if facet != last[0])
        return np.asarray(square * toward(laid.concentration(inside), rest) + groups.apart[last[0]] / rest)
    return toward(concentrated, math.prod(levels.values()))


def group_weights(
    sizes: GroupSizes | None, laid: Layout, terms: Iterable[tuple[str, frozenset[str], Any]]
) -> GroupWeights | None:
    """How the mean of a layout weighs groups of items; None where all groups and items weigh alike.

    ``terms`` are names with their facets, those that these are nested in included, and what each is worth; without any
    that varies with groups alone, groups weigh as their items.
    """
    if sizes is None or sizes.alike or not laid.groups:
        return None
    within: Any = 0.0
    between: dict[str, Any] = {}
    for name, whole, value in terms:
        kind = next((group for group in sizes.names if group in whole), None)
        part = value * laid.concentration(whole & laid.counts.keys()) / answers_of(name, laid)
        if laid.item in whole:
            within = within + part
        elif kind is not None:
            between[kind] = between.get(kind, 0.0) + part
    return sizes.weights(within, between, sizes.times(laid))


def answers_of(name: str, laid: Layout) -> Count:
    """Answers that a replicate component is averaged over; 1 for others."""
    return laid.replicates if name.startswith(REPLICATE) else 1


def _size(target: Pool, levels: Count) -> Count:
    """Levels of a pool; nan where it cannot hold those of the design."""
    return np.where(np.asarray(levels) > target.size, np.nan, target.size)


def refuse_small_pools(laid: Layout, targets: Mapping[str, Target], above: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a single design that has more levels than a pool."""
    sizes = {**laid.counts, **laid.grouped}
    for name, target in targets.items():
        if isinstance(target, Pool) and name in sizes:
            levels = sizes[name] * math.prod(sizes[up] for up in above.get(name, ()) if up in sizes)
            if levels > target.size:
                raise InvalidInput(f"targets: a pool of {target.size} cannot hold the {levels:.0f} levels of {name}")


def published(names: Sequence[str], targets: Mapping[str, Target], laid: Layout) -> Floats:
    """Weight of a published sensitivity in a layout: of a facet, or of a product of fixed facets."""
    concentrated, (name, *more) = laid.concentration(frozenset(names)), names
    target = targets[name]
    if all(targets[one] == SENSITIVITY for one in names):
        return np.asarray(concentrated)
    if more:  # for known levels of any of them the others' own sensitivities have it
        return np.zeros(np.shape(concentrated))
    size = _levels_meant(name, target, laid)
    if size is not None:
        factor = np.divide(size, size - 1, out=np.zeros(np.shape(size)), where=np.asarray(size) != 1)
        return np.asarray(factor * toward(concentrated, size))
    raise InvalidInput(
        f'targets: a sensitivity of {name} is known, not its population variance; use "sensitivity", "panel" or pool(K)'
    )


def spread(name: str, target: Target, laid: Layout) -> Floats:
    """Weight of a fixed facet whose levels stand for more than themselves, or do not weigh equally."""
    return toward(laid.concentration(frozenset({name})), _levels_meant(name, target, laid))


def _levels_meant(name: str, target: Target, laid: Layout) -> Count | None:
    """Levels that a target averages equally: those of the plan, or of a pool; None for a population."""
    if isinstance(target, Pool):
        return _size(target, laid.counts[name])
    return np.asarray(laid.counts[name], dtype=float) if target in (PANEL, FINITE) else None


@dataclass(frozen=True)
class KnownJudges:
    """Judges of a fit, and the second moments of their biases given its scores.

    Parameters
    ----------
    names : tuple of str
        Judges.
    moments : array, shape (judges, judges)
        Posterior mean of ``gamma gamma'``, gamma the judges' departures from their average.
    """

    names: tuple[str, ...]
    moments: Floats

    @property
    def spread(self) -> float:
        """Posterior mean of the variance of the biases, divisor M - 1."""
        return float(np.trace(self.moments)) / (len(self.names) - 1)

    def knows(self, laid: Layout) -> bool:
        """Whether the judges of a layout are named, and all of them are known."""
        return bool(laid.judges) and set(laid.judges) <= set(self.names)

    def square(self, laid: Layout) -> Floats:
        """Expected square of the bias ``sum_l (w_l - 1/M) gamma_l`` of a layout with these judges."""
        at = [self.names.index(name) for name in laid.judges]
        apart = laid.shares(JUDGE) - 1 / len(at)
        return np.asarray(np.einsum("...i,ij,...j->...", apart, self.moments[np.ix_(at, at)], apart))


def known_judges(fit: Decomposition) -> KnownJudges:
    """What a fit with fixed judges says of them; for at least 2.

    Their effects are shrunk as those of judges of one pool (`quorate.numerics.panel.judges.effects`), so that a spread
    that is estimated at zero does not count as none.
    """
    design, solved = fit.assembled.fixed.levels[JUDGE], fit.point.solved
    size = design.shape[1]
    centred = design - design.mean(axis=0)
    noise = centred @ solved.levels.of_fixed[:size] @ centred.T * fit.assembled.scale**2
    biases = effects(design @ fit.beta, noise)
    names = fit.judgments.facet(JUDGE).levels
    return KnownJudges(names, np.asarray(biases.covariance + np.outer(biases.mean, biases.mean)))


# Variance of a weighted mean over any assignment of cells.
#
# ``Var(theta_hat - theta) = sum_t sigma2_t sum_l (w_l - tau_l)^2``: ``w_l`` is the total weight on level ``l`` of term
# ``t``, ``tau_l`` the weight the target puts there. Every formula for a factorial, cyclic or latin design is a case.


def toward(concentrated: Floats | float, levels: Floats | float | None) -> Floats:
    """``sum_l (w_l - tau_l)^2`` for a target that averages ``levels`` levels equally; None: a population.

    Weights sum to one, so the cross term is the same for every design. Arrays stand for many designs at once; nan
    stays nan.
    """
    if levels is None:
        return np.asarray(concentrated)
    rest = np.asarray(concentrated - 1 / np.asarray(levels, dtype=float))
    return np.where(rest <= 1e-12 * np.asarray(concentrated), 0.0, rest)
