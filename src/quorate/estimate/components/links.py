"""Latent components: the mixed model of log odds, laid out and fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.components.assemble import Assembled, block_facets
from quorate.estimate.components.categories import Link, categories
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LEVEL_1, LatentDecomposition
from quorate.estimate.components.model import CELL, closure
from quorate.numerics.links.layout import Layout, collapse
from quorate.numerics.links.search import LARGEST, Optimum, search
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments
from quorate.wording import Brief, listed

Approximation = Literal["laplace", "pirls"]
"""How the likelihood of log odds is approximated."""

_LEAST = 1e-4
"""Least component that a search starts from."""
_FAR = 15.0
"""Log odds of a fixed effect that stand for infinite ones: a share within 3e-7 of 0 or 1."""


@dataclass(frozen=True, eq=False)
class Laid(Brief):
    """A model of log odds laid out.

    Parameters
    ----------
    linear : Decomposition
        The decomposition of the same scores as numbers, which has the terms.
    counts : array, shape (cells, categories)
        Judgments of every cell by category.
    layout : Layout
        The same, in collapsed rows.
    names : tuple of str
        Terms, in the order of the layout.
    values : array, shape (categories,)
        The scores, ascending.
    link : {"logit", "ordinal"}
        What the log odds are of.
    """

    linear: Decomposition
    counts: Floats
    layout: Layout
    names: tuple[str, ...]
    values: Floats
    link: Link

    @property
    def boundaries(self) -> tuple[str, ...]:
        """Names of the thresholds: the scores on either side."""
        return tuple(f"{low:g}|{high:g}" for low, high in pairwise(self.values))


def lay_out(linear: Decomposition, link: Link) -> Laid:
    """The model of log odds with the terms of a decomposition.

    Raises
    ------
    InvalidInput
        If there are other scores than the link is for.
    NotEstimable
        If no random term is left.
    """
    values, counts = categories(linear.judgments, link)
    terms = _terms(linear)
    if not terms:
        raise NotEstimable("no random term is left that the design can tell apart: there is no latent component")
    layout, order = _layout(linear.assembled, terms, counts)
    return Laid(linear, counts, layout, tuple(order), values, link)


def decompose_latent(linear: Decomposition, link: Link, method: Approximation | None = None) -> LatentDecomposition:
    """Components of the log odds, with the terms of a decomposition of the same scores as numbers.

    Without a ``method`` Laplace's approximation, unless some variance grows without end by it.

    Raises
    ------
    NotEstimable
        If nothing can be estimated, or log odds are infinite: a level of a fixed facet always has the same score, or
        a variance has no end by the method that is named.
    """
    laid = lay_out(linear, link)
    layout, order = laid.layout, laid.names
    _refuse_certain(linear.judgments, linear.assembled.model.fixed, laid.counts)
    optimum = _searched(layout, _start(linear, order), order, inside=True)
    endless: tuple[str, ...] = ()
    if method != "pirls":
        try:
            optimum = _searched(layout, np.maximum(optimum.variance, _LEAST), order, optimum.fixed)
        except NotEstimable as refused:
            if method == "laplace":
                raise
            endless = tuple(name for name in order if name in refused.names)
    used: Approximation = "pirls" if endless or method == "pirls" else "laplace"
    _refuse_infinite(linear.assembled, optimum, layout)
    return LatentDecomposition(linear, layout, order, optimum, laid.values, link, used, endless)


def _searched(
    layout: Layout, start: Floats, names: Sequence[str], fixed: Floats | None = None, *, inside: bool = False
) -> Optimum:
    """The least deviance; terms are refused whose variance a stopped search had made as good as infinite."""
    try:
        return search(layout, start, fixed, inside=inside)
    except NotConverged as stopped:
        reached = stopped.partial.variance if isinstance(stopped.partial, Optimum) else np.zeros(len(names))
        far = [name for name, value in zip(names, reached, strict=True) if value > LARGEST]
        if not far:
            raise
        other = "" if inside else ' or take method="pirls", which is more robust'
        raise NotEstimable(
            f"the variance of the log odds of {listed(far)} grows without end: its levels have too few judgments for "
            f"Laplace's approximation. Leave it out{other}",
            far,
        ) from None


def _start(linear: Decomposition, names: Sequence[str]) -> Floats:
    """Components in the proportion to the level-1 variance that they have to the noise of scores as numbers."""
    noise = sum(max(v, 0.0) for name, v in linear.variances.items() if name.rsplit(" + ", 1)[-1] in (CELL, REPLICATE))
    found = np.array([linear.variances[name] for name in names])
    return np.maximum(found / max(noise, 1e-12) * LEVEL_1, _LEAST)


def _terms(linear: Decomposition) -> dict[str, tuple[str, ...]]:
    """Facets of every random term that can be told apart, by its name; those of the cell where cells repeat.

    One judgment of a cell says nothing of the cell beside the level-1 variance, whose size is that of the link.
    """
    by_name = {":".join(term): term for term in linear.assembled.model.random} | {CELL: (CELL,)}
    return {
        " + ".join(names): by_name[names[-1]]
        for names in linear.classes
        if names[-1] != REPLICATE and (CELL not in names or linear.assembled.replicated)
    }


def _layout(assembled: Assembled, terms: dict[str, tuple[str, ...]], counts: Floats) -> tuple[Layout, list[str]]:
    """Collapsed rows, and names of the terms in the order of the layout."""
    judgments, model, fixed = assembled.judgments, assembled.model, assembled.fixed
    block = block_facets(judgments, model)
    whole = {name for name, term in terms.items() if term == (CELL,)}
    within = [name for name in terms if name not in whole and {*block} <= closure(judgments, terms[name])]
    shared = [name for name in terms if name not in whole and name not in within]
    order = [*within, *shared, *whole]
    codes = [judgments.level_codes(terms[name]) for name in order if name not in whole]
    apart = [np.arange(judgments.n_cells)] if whole else []
    summed, first = collapse(counts, [fixed.row, *codes, *apart])
    blocks = judgments.level_codes(block)[first]
    if not within:
        blocks = np.zeros(len(first), dtype=np.int64)

    def stacked(names: list[str]) -> Ints:
        columns = [_dense(codes[order.index(name)][first]) for name in names]
        return np.column_stack(columns) if columns else np.zeros((len(first), 0), dtype=np.int64)

    x = fixed.rows[fixed.row[first], 1:]
    return Layout(summed, x, _dense(blocks), stacked(within), stacked(shared), bool(whole)), order


def _dense(code: Ints) -> Ints:
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def _refuse_certain(judgments: Judgments, fixed: Sequence[str], counts: Floats) -> None:
    """Refuse levels of a fixed facet that always have the lowest, or highest, score: their log odds are infinite."""
    for name in fixed:
        code = judgments.column(name)
        total = np.bincount(code, counts.sum(axis=1))
        for end, word in ((0, "lowest"), (-1, "highest")):
            always = np.flatnonzero((np.bincount(code, counts[:, end]) == total) & (total > 0))
            if len(always):
                level = judgments.facet(name).levels[always[0]]
                raise NotEstimable(
                    f"{name} {level} always has the {word} score, so its log odds are infinite; leave it out, or make "
                    f"{name} random by " + argument("fixed", ())
                )


def _refuse_infinite(assembled: Assembled, optimum: Optimum, layout: Layout) -> None:
    effects = optimum.fixed[len(optimum.fixed) - layout.x.shape[1] :]
    far: Ints = np.flatnonzero(np.abs(effects * np.std(layout.x, axis=0)) > _FAR)
    if len(far):
        name = assembled.fixed.names[1 + int(far[0])]
        raise NotEstimable(f"the log odds of {name} are infinite: the scores separate along it; leave it out")
