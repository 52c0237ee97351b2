"""Fixed effects of the model: treatment contrasts, covariates, and the mean they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import Model
from quorate.table.judgments import Judgments

_MOST_COLUMNS = 1000
_LEAST_VARIATION = 1e-4


@dataclass(frozen=True)
class FixedEffects:
    """Design of the fixed effects.

    Parameters
    ----------
    x : array, shape (cells, p)
        Columns of full rank: intercept, treatment contrasts, covariates.
    names : tuple of str
        Name of each column.
    mean : array, shape (p,)
        Weights of the mean: every fixed facet averaged equally over its levels, numeric covariates at their mean.
    levels : dict of str to array, shape (levels, p)
        Weights of the mean at each level of each fixed facet.
    """

    x: Floats
    names: tuple[str, ...]
    mean: Floats
    levels: dict[str, Floats]


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
    terms = [*((name,) for name in model.fixed), *(tuple(term.split(":")) for term in model.covariates)]
    terms = list(dict.fromkeys(terms))
    singles = {name: _single(judgments, name) for term in terms for name in term}
    average = {name: single.mean for name, single in singles.items()}
    x = np.hstack([np.ones((judgments.n_cells, 1)), *(_product([singles[n].x for n in term]) for term in terms)])
    labels = [product(*(singles[n].labels for n in term)) for term in terms]
    names = ("(Intercept)", *(":".join(parts) for label in labels for parts in label))
    mean = _weights(terms, average)
    levels = {
        name: np.array([_weights(terms, {**average, name: row}) for row in singles[name].levels])
        for name in model.fixed
    }
    kept, gram = independent_columns(x)
    for weights in (mean, *levels.values()):
        rows = np.atleast_2d(weights)
        solution = np.linalg.lstsq(gram, rows.T, rcond=1e-12)[0]
        if not np.allclose(gram @ solution, rows.T, atol=1e-6 * max(1.0, float(np.abs(rows).max()))):
            listed = " and ".join((*model.fixed, *model.covariates))
            raise NotEstimable(
                f"the levels of {listed} never occur together freely, so no mean over "
                "all of them exists; make one of them random, leave it out, or keep one of its levels"
            )
    return FixedEffects(
        x[:, kept], tuple(names[i] for i in kept), mean[kept], {name: w[:, kept] for name, w in levels.items()}
    )


def _single(judgments: Judgments, name: str) -> _Single:
    """Numbers as they are; labels, two-valued numbers and fixed facets as treatment contrasts with the first level."""
    facet = judgments.facet(name)
    if facet.values is None or facet.fixed or set(facet.values.tolist()) <= {0.0, 1.0}:
        labels = facet.levels
        if len(labels) > _MOST_COLUMNS:
            raise InvalidInput(
                f'fixed: facet "{name}" has {len(labels)} levels; a fixed facet may have {_MOST_COLUMNS}. Make it '
                "random (" + argument("fixed", ()) + "), or check that the column is the right one"
            )
        x = (judgments.column(name)[:, None] == np.arange(1, len(labels))).astype(float)
        levels = np.eye(len(labels))[:, 1:]
        return _Single(x, tuple(f"{name}[{label}]" for label in labels[1:]), levels.mean(axis=0), levels)
    value = facet.values[judgments.column(name)]
    if not np.all(np.isfinite(value)):
        raise InvalidInput(f'covariates: "{name}" has missing values; drop those rows or leave it out')
    if 0 < np.ptp(value) < _LEAST_VARIATION * np.abs(value).max():
        raise InvalidInput(
            f'covariates: "{name}" varies by {np.ptp(value):.3g} about {value.mean():.6g}, which rounding errors '
            "swallow; subtract a constant from it first"
        )
    return _Single(value[:, None], (name,), np.array([value.mean()]), np.zeros((0, 1)))


def _product(columns: list[Floats]) -> Floats:
    out = columns[0]
    for other in columns[1:]:
        out = (out[:, :, None] * other[:, None, :]).reshape(len(out), -1)
    return out


def _weights(terms: list[tuple[str, ...]], at: dict[str, Floats]) -> Floats:
    """Weights of a mean on all columns, given its weights on the columns of every name."""
    return np.concatenate([np.ones(1), *(_product([at[name][None, :] for name in term])[0] for term in terms)])


def independent_columns(x: Floats) -> tuple[list[int], Floats]:
    """Columns that do not depend on earlier ones, and the Gram matrix of all (columns scaled to length one)."""
    size = np.maximum(np.sqrt(np.einsum("ij,ij->j", x, x)), 1e-300)
    gram = (x.T @ x) / (size[:, None] * size)
    kept: list[int] = []
    for column in range(x.shape[1]):
        block = gram[np.ix_(kept, kept)]
        rest = gram[column, column]
        if kept:
            rest -= gram[column, kept] @ np.linalg.solve(block, gram[kept, column])
        if rest > 1e-9:
            kept.append(column)
    return kept, x.T @ x
