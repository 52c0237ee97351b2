"""Groups of items that are not equally large, such as categories: how the mean of an analysis weighs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats, Ints
from quorate.estimate.means.groups import group_sizes
from quorate.planning.designs.layouts import Layout
from quorate.table.judgments import Judgments
from quorate.wording import Brief


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
    added : array
        What estimating how groups vary adds to the variance of what varies with them, relative.
    seen : array
        How well a study sees how groups vary, as a part of the degrees of freedom that equal groups have.
    """

    squares: Mapping[str, Floats]
    apart: Mapping[str, Floats]
    items: Floats
    added: Floats
    seen: Floats


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
            out.append(_sums(out[-1], parent))
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
        noise = np.maximum(np.asarray(within, dtype=float) * times, 1e-12 * sum(variance, np.zeros(()))) + 1e-200
        share = self.shares.reshape(-1, *[1] * noise.ndim)
        weight = self._least(share, variance, noise) if self.wanted is None else self._upwards(self.wanted)
        weight = [one.reshape(-1, *[1] * noise.ndim) if one.ndim == 1 else one for one in weight]
        meant = list(self.each.values()) if self.wanted is None else self._upwards(self.wanted)
        target = [one.reshape(-1, *[1] * noise.ndim) for one in meant]
        squares = [np.sum(one**2, axis=0) / times for one in weight]
        apart = [np.sum((one - tau) ** 2, axis=0) / times for one, tau in zip(weight, target, strict=True)]
        items = np.sum(weight[0] ** 2 / share, axis=0)
        found = self._found(weight[0], variance[0], noise / times, times)
        return GroupWeights(dict(zip(names, squares, strict=True)), dict(zip(names, apart, strict=True)), items, *found)

    def _least(self, share: Floats, variance: Sequence[Floats], noise: Floats) -> list[Floats]:
        """Weights of groups, by kind, in the mean that varies least."""
        precision = [share / (share * variance[0] + noise)]
        for parent, more in zip(self.parents, variance[1:], strict=True):
            together = _sums(precision[-1], parent)
            precision.append(together / (1 + more * together))
        weight = [precision[-1] / precision[-1].sum(axis=0)]
        for parent, own in zip(self.parents[::-1], precision[-2::-1], strict=True):
            weight.insert(0, weight[0][parent] * own / _sums(own, parent)[parent])
        return weight

    def _found(self, weight: Floats, variance: Floats, within: Floats, times: Floats) -> tuple[Floats, Floats]:
        """What estimating the variance of groups of one kind adds, within bounds, and how well it is seen.

        The adjustment of Kenward and Roger (1997), and the expected information; ``docs/methods/optimize.md``.
        """
        if self.parents or self.wanted is not None:
            return np.zeros(()), np.ones(())
        count, share = len(self.shares) * times, self.shares
        square, cube = np.sum(weight**2, axis=0) / times, np.sum(weight**3, axis=0) / times**2
        information = np.maximum(square - 2 * cube + square**2, 1e-12)
        own = square * variance + np.sum(weight**2 / share.reshape(-1, *[1] * within.ndim), axis=0) * within
        by_items = float(share @ share) / times * variance + within
        equal = variance / count + float(np.mean(1 / share)) / len(share) * within
        added = np.minimum(4 * np.maximum(cube - square**2, 0.0) / information, np.maximum(by_items, equal) / own - 1)
        return np.maximum(added, 0.0), np.minimum(information / square**2 / np.maximum(count - 1, 1), 1.0)


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


def _sums(values: Floats, code: Ints) -> Floats:
    """Sums over the first axis, by code."""
    out = np.zeros((int(code.max()) + 1, *values.shape[1:]))
    np.add.at(out, code, values)
    return out
