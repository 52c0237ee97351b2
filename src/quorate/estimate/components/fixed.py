"""Fixed effects of the model: treatment contrasts, covariates, and the mean they stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import Model
from quorate.table.judgments import Judgments

_LEAST_VARIATION = 1e-4
_LEAST_OWN = 1e-9
_MUCH_WORK, _FEW = 1e8, 0.1
"""Multiplications from which zeros are looked for, and the share of other numbers up to which it is worth it."""


@dataclass(frozen=True, repr=False)
class FixedEffects:
    """Design of the fixed effects.

    Parameters
    ----------
    rows : array, shape (rows, p)
        Distinct rows of columns of full rank: intercept, treatment contrasts, covariates.
    row : array of int, shape (cells,)
        Row of every cell.
    names : tuple of str
        Name of each column.
    mean : array, shape (p,)
        Weights of the mean: every fixed facet averaged equally over its levels, one that groups items as it has items,
        numeric covariates at their mean.
    levels : dict of str to array, shape (levels, p)
        Weights of the mean at each level of each fixed facet.
    """

    rows: Floats
    row: Ints
    names: tuple[str, ...]
    mean: Floats
    levels: dict[str, Floats]

    @property
    def x(self) -> Floats:
        """The row of every cell, shape (cells, p)."""
        return self.rows[self.row]

    def of_cells(self, effects: Floats) -> Floats:
        """``X b``, shape (cells,)."""
        return np.asarray((self.rows @ effects)[self.row])

    def sums(self, values: Floats) -> Floats:
        """``X'v`` of values on the cells, shape (p,)."""
        return np.asarray(np.bincount(self.row, values, len(self.rows)) @ self.rows)


@dataclass(frozen=True)
class _Single:
    """Columns of one name, with the weights of its average and of each of its levels (none for a number)."""

    x: Floats
    labels: tuple[str, ...]
    mean: Floats
    levels: Floats


def fixed_effects(judgments: Judgments, model: Model) -> FixedEffects:
    """Code the fixed effects of a model.

    Raises
    ------
    NotEstimable
        If fixed facets are confounded, so that no mean over their levels exists.
    """
    terms = _terms(model)
    of_fixed = list(dict.fromkeys(name for term in terms for name in term))
    row = judgments.level_codes(of_fixed) if of_fixed else np.zeros(judgments.n_cells, dtype=np.int64)
    first = np.unique(row, return_index=True)[1]
    singles = {name: _single(judgments, name, first) for name in of_fixed}
    average = {name: single.mean for name, single in singles.items()}
    x = np.hstack([np.ones((len(first), 1)), *(_product([singles[n].x for n in term]) for term in terms)])
    labels = [product(*(singles[n].labels for n in term)) for term in terms]
    names = ("(Intercept)", *(":".join(parts) for label in labels for parts in label))
    mean = _weights(terms, average)
    levels = {
        name: np.array([_weights(terms, {**average, name: row}) for row in singles[name].levels])
        for name in model.fixed
    }
    kept, dropped, made_of = independent_columns(x, np.bincount(row))
    for weights in (mean, *levels.values()):
        at = np.atleast_2d(weights)
        if not np.allclose(at[:, dropped], at[:, kept] @ made_of, atol=1e-6 * max(1.0, float(np.abs(at).max()))):
            listed = " and ".join((*model.fixed, *model.covariates))
            raise NotEstimable(
                f"the levels of {listed} never occur together freely, so no mean over "
                "all of them exists; make one of them random, leave it out, or keep one of its levels"
            )
    if dropped:
        x, mean, levels = x[:, kept], mean[kept], {name: w[:, kept] for name, w in levels.items()}
    return FixedEffects(x, row, tuple(names[i] for i in kept), mean, levels)


def count_columns(judgments: Judgments, model: Model) -> int:
    """Columns of the fixed effects, before those that depend on others are left out."""
    return 1 + sum(math.prod(len(judgments.facet(name).levels) - 1 or 1 for name in term) for term in _terms(model))


def _terms(model: Model) -> list[tuple[str, ...]]:
    every = [*((name,) for name in model.fixed), *(tuple(term.split(":")) for term in model.covariates)]
    return list(dict.fromkeys(every))


def _single(judgments: Judgments, name: str, first: Ints) -> _Single:
    """Numbers as they are; labels, two-valued numbers and fixed facets as treatment contrasts with the first level."""
    facet = judgments.facet(name)
    if facet.values is None or facet.fixed or set(facet.values.tolist()) <= {0.0, 1.0}:
        labels = facet.levels
        x = (judgments.column(name)[first, None] == np.arange(1, len(labels))).astype(float)
        levels = np.eye(len(labels))[:, 1:]
        return _Single(x, tuple(f"{name}[{label}]" for label in labels[1:]), _shares(judgments, name) @ levels, levels)
    value = facet.values[judgments.column(name)[first]]
    if not np.all(np.isfinite(value)):
        raise InvalidInput(f'covariates: "{name}" has missing values; drop those rows or leave it out')
    if 0 < np.ptp(value) < _LEAST_VARIATION * np.abs(value).max():
        raise InvalidInput(
            f'covariates: "{name}" varies by {np.ptp(value):.3g} about {value.mean():.6g}, which rounding errors '
            "swallow; subtract a constant from it first"
        )
    return _Single(value[:, None], (name,), np.array([value.mean()]), np.zeros((0, 1)))


def _shares(judgments: Judgments, name: str) -> Floats:
    """Weight of every level in the mean: all alike, but for groups of items, which weigh as their items do."""
    count = len(judgments.facet(name).levels)
    if name not in judgments.ancestors(judgments.object):
        return np.full(count, 1 / count)
    first = np.unique(judgments.level_codes([judgments.object]), return_index=True)[1]
    return np.bincount(judgments.column(name)[first], minlength=count) / len(first)


def _product(columns: list[Floats]) -> Floats:
    out = columns[0]
    for other in columns[1:]:
        out = (out[:, :, None] * other[:, None, :]).reshape(len(out), -1)
    return out


def _weights(terms: list[tuple[str, ...]], at: dict[str, Floats]) -> Floats:
    """Weights of a mean on all columns, given its weights on the columns of every name."""
    return np.concatenate([np.ones(1), *(_product([at[name][None, :] for name in term])[0] for term in terms)])


def independent_columns(x: Floats, times: Floats | Ints) -> tuple[list[int], list[int], Floats]:
    """Columns that do not depend on earlier ones, the others, and these in terms of the former.

    Parameters
    ----------
    x : array, shape (rows, columns)
        Distinct rows.
    times : array, shape (rows,)
        How often each occurs.
    """
    products = _products(np.sqrt(times)[:, None] * x)
    size = np.maximum(np.sqrt(np.diag(products)), 1e-300)
    gram = products / size / size[:, None]
    kept = _pivots(gram)
    dropped = np.setdiff1d(np.arange(len(gram)), kept)
    made_of: Floats = np.zeros((len(kept), len(dropped)))
    if len(dropped):
        made_of[:] = np.linalg.solve(gram[np.ix_(kept, kept)], gram[np.ix_(kept, dropped)])
    return kept.tolist(), dropped.tolist(), made_of * size[dropped] / size[kept][:, None]


def _products(x: Floats) -> Floats:
    """Products of all columns; the indicators of many levels are mostly zeros, which sparse products pass over."""
    if len(x) * x.shape[1] ** 2 < _MUCH_WORK or np.count_nonzero(x) > _FEW * x.size:
        return x.T @ x
    from scipy.sparse import csr_array

    sparse = csr_array(x)
    return np.asarray((sparse.T @ sparse).toarray(), dtype=np.float64)


def _pivots(gram: Floats) -> Ints:
    """Columns with something of their own besides those before, given the products of columns of length one."""
    try:
        if np.diag(np.linalg.cholesky(gram)).min() ** 2 > _LEAST_OWN:
            return np.arange(len(gram))
    except np.linalg.LinAlgError:
        pass  # some depend on others
    half, kept = np.zeros(gram.shape), list[int]()
    for column in range(len(gram)):
        so_far = half[: len(kept)]
        own = gram[column, column] - so_far[:, column] @ so_far[:, column]
        if own > _LEAST_OWN:
            half[len(kept)] = (gram[column] - so_far[:, column] @ so_far) / np.sqrt(own)
            kept.append(column)
    return np.array(kept)
