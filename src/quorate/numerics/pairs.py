"""What items bring to differences of every two of some sums of scores, all at once; see `quorate.numerics.reach`."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.reach import ItemModel, scaled, unscaled

_HELD = 1 << 22
"""Numbers that are held at a time."""
_MANY = 100
"""Items from which what the effects take of them is multiplied in single precision: it is a small part of all."""
_ROUNDING = 1e-14
"""Part of two squares that rounding leaves of a difference that is none."""


class Rows(NamedTuple):
    """Weights of effects in some sums of them, of every pair.

    Parameters
    ----------
    place : array of int, shape (pairs, used)
        Effects in the sums of a pair.
    weight : array, shape (pairs, sums, used)
        Their weights.
    """

    place: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences of every two sums, the first less the second, in the order of ``numpy.triu_indices``.

    A square of a difference is the squares of both less twice their product: products of all are made at once.

    Parameters
    ----------
    model : ItemModel
        Scores of items.
    weights : array, shape (sums, cells)
        Weights of cells in every sum.
    """

    model: ItemModel
    weights: Floats

    def variances(self) -> tuple[Floats, Floats]:
        """Variance of every difference over items, and its degrees of freedom; arrays of shape (pairs,).

        As `ItemModel.scores` has them, with strata in which items add to one side, or are taken off, or both.
        """
        model, weights = self.model, self.weights
        sums, items, every = len(weights), len(model.stratum), np.ones(len(model.stratum))
        seen = np.array([model.by_item(weight) @ model.root for weight in weights])
        brought = np.array([np.bincount(model.item, weight * model.residual) for weight in weights])
        total = np.array([np.bincount(model.item, weight) for weight in weights])
        above, told, found = self._above(), seen.astype(np.float32) if items >= _MANY else seen, []
        for some in np.array_split(np.arange(sums - 1), max(sums * sums * items // _HELD, 1)):
            alone = model.ratio * (total[some, None] - total) ** 2
            known = np.zeros_like(alone)
            for a, cells in enumerate(self._cells):
                alone[..., a] += squares(weights[:, cells], some)
                known[..., a] = squares(seen[:, a], some)
            scale = scaled(alone, known, every)
            for at, i in enumerate(some):
                after = slice(i + 1, sums)
                factor = scale[at, after]
                own, taken = factor * alone[at, after], factor * known[at, after]
                each = np.sqrt(factor) * (brought[i] - brought[after])
                sides = above[i, after] + 2 * above[after, i] + 4 * model.stratum
                spent = np.zeros(len(own))
                for h in np.unique(sides):
                    here = sides == h
                    products = _products(told[i], told[after], np.sqrt(factor), here)
                    square = np.sum(here * own * (own - 2 * taken), axis=1) + products
                    trace = np.sum(here * (own - taken), axis=1)
                    share = np.divide(square, trace**2, out=np.zeros_like(square), where=(trace > 0) & (square > 0))
                    spent += np.sum(here * each**2, axis=1) ** 2 * share
                variance = np.sum(each**2, axis=1)
                df = np.divide(variance**2, spent, out=np.full_like(spent, np.nan), where=spent > 0)
                found.append((variance, df))
        variance, df = np.concatenate(found, axis=1)
        return variance, df

    def _above(self) -> Bools:
        """Whether an item has a cell of more weight in one sum than in the other; shape (sums, sums, items)."""
        out = np.empty((len(self.weights), len(self.weights), len(self._cells)), dtype=np.bool_)
        for a, cells in enumerate(self._cells):
            own = self.weights[:, cells]
            most = np.argmax(own - own.mean(axis=0), axis=1)  # where that is so, if anywhere, of nearly all
            found = own[np.arange(len(own)), most][:, None] > own[:, most].T
            for left in np.array_split(np.argwhere(~found), max(len(cells) * int((~found).sum()) // _HELD, 1)):
                i, j = left.T
                found[i, j] = np.any(own[i] > own[j], axis=1)
            out[..., a] = found
        return out

    @cached_property
    def _cells(self) -> list[Ints]:
        """Cells of every item."""
        item = self.model.item
        return np.split(np.argsort(item, kind="stable"), np.cumsum(np.bincount(item))[:-1])


def squares(vectors: Floats, some: Ints) -> Floats:
    """Squared distances of some vectors from all, shape (some, vectors)."""
    square = np.einsum("ij,ij->i", vectors, vectors)
    most = square[some, None] + square
    apart = most - 2 * (vectors[some] @ vectors.T)
    return np.asarray(np.where(apart > _ROUNDING * most, apart, 0.0))


def _products(one: NDArray[np.floating], others: NDArray[np.floating], root: Floats, here: Bools) -> Floats:
    """Sums of squares of the products of what the effects take of these items, in one sum less each of others.

    Parameters
    ----------
    one, others : array, shape (items, rank) and (others, items, rank)
        What the effects take of the items of either sum.
    root : array, shape (others, items)
        What scales them.
    here : array of bool, shape (others, items)
        Items that count.
    """
    out = np.zeros(len(others))
    for at, (other, scale, own) in enumerate(zip(others, root.astype(one.dtype), here, strict=True)):
        if own.all():
            apart = scale[:, None] * (one - other)
        elif own.any():
            apart = scale[own, None] * (one[own] - other[own])
        else:
            continue
        # Either product has the same square, of as many rows as there are items or effects.
        product = apart @ apart.T if len(apart) < apart.shape[1] else apart.T @ apart
        out[at] = np.vdot(product, product)
    return out


def fitted(model: ItemModel, rows: Rows) -> tuple[Floats, Floats]:
    """Sums of the fitted effects of every pair, and what items bring to their variances; shape (pairs, sums).

    As `ItemModel.fitted` has them: what all items of a kind tell of the effects is one matrix, whatever the sum.
    """
    place, weight = rows
    first, kind, count = model.kinds
    shrunk = (model.shrunk * np.bincount(model.item, model.residual))[model.item]
    brought = model.by_item(model.residual - shrunk) @ model.inverse
    one, other = np.triu_indices(place.shape[1])
    both = weight[:, :, one] * weight[:, :, other] * np.where(one == other, 1.0, 2.0)
    key = place[:, one] * len(model.inverse) + place[:, other]
    noise, every, told = np.zeros((3, *weight.shape[:2]))
    for k, item in enumerate(first):
        cells = model.root[model.columns[:, model.item == item]].sum(axis=0)
        total = cells.sum(axis=0)
        seen = model.root @ (cells.T @ cells - model.shrunk[item] * np.outer(total, total))
        products = (np.take(seen @ side.T, key) for side in (model.root, seen))
        alone, known = (np.einsum("plz,pz->pl", both, product) for product in products)
        factor = unscaled(alone, known)
        every += count[k] * alone
        told += count[k] * alone * (factor > 0)
        for of_item in brought[kind == k]:
            noise += factor * np.einsum("plz,pz->pl", weight, of_item[place]) ** 2
    values = np.einsum("plz,pz->pl", weight, model.effects[place])
    return values, noise * every / np.maximum(told, 1e-300)
