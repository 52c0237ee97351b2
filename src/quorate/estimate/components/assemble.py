"""Assembly of judgments and a model into the arrays the numerics work on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable, Unbalanced
from quorate.estimate.components.fixed import FixedEffects, count_columns, fixed_effects
from quorate.estimate.components.model import CELL, Model, closure
from quorate.estimate.components.noise import residuals
from quorate.numerics.mixed.anova import Strata, strata
from quorate.numerics.mixed.patterns import Cells, patterns
from quorate.numerics.mixed.problem import Problem
from quorate.roles import REPLICATE
from quorate.table.facts.thin import drawn_cells
from quorate.table.judgments import Judgments, dense

MOST_INVERTED = 4000
"""Shared levels and fixed effects whose system is inverted; more are solved for by products."""
_ROUNDED = 4e-16
"""What is lost of a score in its last digit, as a part of it."""
_MOST_FIXED = 4000
"""Fixed effects, which are solved for exactly in either case."""
_MOST_BYTES = 8e9
_COPIES = 20
"""Square matrices of the largest system that are held at a time."""
_LARGE, _PRODUCTS = 1e5, 4
"""Entries of a block from which smaller blocks may pay, and products of the system that its levels take more."""


@dataclass(frozen=True, repr=False)
class Assembled:
    """A problem with names.

    Parameters
    ----------
    judgments : Judgments
        The answered cells only.
    model : Model
        Its terms.
    problem : Problem
        The likelihood; scores are centred and scaled.
    names : tuple of str
        Name of every component of the problem.
    fixed : FixedEffects
        Design of the fixed effects.
    center, scale : float
        Scores are ``center + scale * y``.
    residual_levels : tuple of str
        Levels with a residual of their own; empty when it is common.
    identical : tuple of str
        Replicate components that are exactly zero: every replicate repeats the score of its cell.
    missing : int
        Rows without a usable score.
    """

    judgments: Judgments
    model: Model
    problem: Problem
    names: tuple[str, ...]
    fixed: FixedEffects
    center: float
    scale: float
    residual_levels: tuple[str, ...]
    identical: tuple[str, ...]
    missing: int

    @property
    def y(self) -> Floats:
        """Means of the cells, centred and scaled."""
        return np.asarray((self.judgments.mean - self.center) / self.scale)

    @property
    def replicated(self) -> bool:
        """Whether any cell was answered more than once."""
        return bool(self.judgments.n.max(initial=0) > 1)

    def n_levels(self, t: int) -> int:
        """Levels of component ``t`` of the problem."""
        name = self.names[t].split("[")[0]
        if name == REPLICATE:
            return self.judgments.n_answers
        if name == CELL:
            return self.judgments.n_cells
        return int(self.judgments.level_codes(name.split(":")).max()) + 1


def assemble(judgments: Judgments, model: Model, *, reml: bool, residual_by: str | None) -> Assembled:
    """Lay judgments out as a problem.

    Raises
    ------
    NotEstimable
        If there is nothing to decompose: no answers, one level of the object, equal scores, or replicates that are
        copies.
    InvalidInput
        If the model needs more memory than 8 GB.
    """
    answered = judgments if judgments.n.all() else judgments.keep(judgments.n > 0)
    center, scale = location(answered)
    block = block_facets(answered, model)
    fixed = fixed_effects(answered, model)
    above = closure(answered, block)
    within = [term for term in model.random if {*block} <= closure(answered, term)]
    shared = [term for term in model.random if term not in within]
    noise = residuals(answered, model, residual_by, scale)
    position = _labels(answered, {*answered.names} - (above - {residual_by}))
    if np.ptp(answered.n) > 0:
        position = dense(position * (int(answered.n.max()) + 1) + answered.n)
    cells = Cells(
        y=(answered.mean - center) / scale,
        block=answered.level_codes(block),
        position=position,
        attribute=answered.level_codes(block if len(block) > 1 else answered.ancestors(block[0])),
        x=fixed.rows,
        within=_stack([_labels(answered, closure(answered, term) - above) for term in within], answered.n_cells),
        shared=_stack([answered.level_codes(term) for term in shared], answered.n_cells),
        noise=noise.weight,
        row=fixed.row,
    )
    problem = Problem(cells, noise.inside, reml=reml, sampled=_is_sampled(cells.shared, fixed.rows.shape[1]))
    missing = int(judgments.rows.sum()) - judgments.n_answers
    names = (*(":".join(term) for term in (*within, *shared)), *noise.names)
    return Assembled(answered, model, problem, names, fixed, center, scale, noise.levels, noise.identical, missing)


def thinned(assembled: Assembled) -> Assembled:
    """The same model of items drawn at random where the table is large (`drawn_cells`); else the one given.

    Degrees of freedom of its components, times how many more levels of the term all items have, are those of all: but
    for an error of one in as many items as are drawn.
    """
    judgments, strata = assembled.judgments, assembled.residual_levels
    drawn = drawn_cells(judgments)
    if drawn is None:
        return assembled
    by = next((facet.name for facet in judgments.facets if strata and facet.levels == strata), None)
    some = assemble(judgments.keep(drawn), assembled.model, reml=assembled.problem.reml, residual_by=by)
    return some if some.names == assembled.names else assembled


def location(judgments: Judgments) -> tuple[float, float]:
    """Centre and spread of the answers, so that components are of order one inside."""
    n, total = judgments.n, judgments.n_answers
    if total == 0:
        raise NotEstimable("no judgment has a usable score; see quorate doctor for the statuses found")
    if judgments.n_levels(judgments.object) < 2:
        raise NotEstimable(f"1 {judgments.object}: at least 2 are needed to estimate any variance between them")
    center = float(n @ judgments.mean / total)
    square = float(n @ (judgments.mean - center) ** 2 + judgments.ss.sum())
    if judgments.low.min() == judgments.high.max():
        raise NotEstimable(f"all {total} scores are equal ({center:g}): there is no variance to decompose")
    if square <= total * (_ROUNDED * center) ** 2:
        raise NotEstimable(
            f"scores differ by less than rounding errors of numbers as large as {center:.3g}: subtract a constant "
            "before they are written"
        )
    return center, float(np.sqrt(square / total))


def block_facets(judgments: Judgments, model: Model) -> tuple[str, ...]:
    """The facets to eliminate effects by: their levels are the blocks, what is left is one system of shared levels.

    Mostly one facet. Where its blocks are large and unlike, the levels of a term inside them can be blocks instead:
    each has a few cells and columns, and the effects of the facet itself join the shared levels.
    """
    levels = {term: _at_most(judgments, term) for term in model.random}
    above = {term: closure(judgments, term) for term in model.random}

    def sizes(block: tuple[str, ...]) -> tuple[float, float, float]:
        inside = sum(size for term, size in levels.items() if {*block} <= above[term])
        blocks = _at_most(judgments, block)
        return blocks, inside / blocks, sum(levels.values()) - inside

    def work(facet: str) -> float:
        blocks, columns, shared = sizes((facet,))
        return blocks * columns**3 + shared**3

    chosen = {*model.fixed, *(name for term in model.covariates for name in term.split(":"))}
    order = sorted((name for name in judgments.names if name not in chosen), key=lambda name: name != judgments.object)
    if not order:
        raise InvalidInput("fixed: every facet is fixed, so no variance is left to estimate; make one random")
    best: tuple[str, ...] = (min(order, key=work),)
    p = count_columns(judgments, model)
    _, columns, shared = sizes(best)
    rows = float(_unlike(judgments, best) if columns * (p + shared) > _LARGE else 0) * columns
    alone = rows * (columns + p + shared) ** 2 + (p + shared) ** 3
    for term in (term for term in model.random if {*best} < above[term]):
        system = p + sizes(term)[2]
        if _PRODUCTS * system**3 < alone:
            best, alone = term, _PRODUCTS * system**3
    _check_room(judgments, sizes(best)[1], p)
    return best


def _is_sampled(shared: Ints, p: int) -> bool:
    """Whether the system of shared levels is too large to be inverted."""
    return int((shared.max(axis=0, initial=-1) + 1).sum()) + p > MOST_INVERTED


def _unlike(judgments: Judgments, block: tuple[str, ...]) -> int:
    """Blocks with other cells than all before them."""
    level, place = judgments.level_codes(block), _labels(judgments, {*judgments.names} - closure(judgments, block))
    order = np.argsort(level, kind="stable")
    return int(patterns(place[order], np.flatnonzero(np.diff(level[order], prepend=-1))).max()) + 1


def _check_room(judgments: Judgments, largest: float, fixed: int) -> None:
    """Refuse a system of equations that usual machines have no memory or time for."""
    columns = ", ".join(f"{facet.name} has {len(facet.levels):,} levels" for facet in judgments.facets)
    if fixed > _MOST_FIXED:
        raise InvalidInput(
            f"fixed: the model has {fixed:,} fixed effects, at most {_MOST_FIXED:,} are fitted; take facets of many "
            f"levels as drawn, or check the columns: {columns}"
        )
    needed = 8.0 * _COPIES * largest**2
    if needed > _MOST_BYTES:
        raise InvalidInput(
            f"the model needs a system of {largest:,.0f} levels at once, about {needed / 1e9:,.0f} GB of memory; "
            f"at most {_MOST_BYTES / 1e9:.0f} GB are used. Leave out the largest term, or check the columns: {columns}"
        )


def _at_most(judgments: Judgments, term: tuple[str, ...]) -> int:
    sizes = [len(judgments.facet(name).levels) for name in closure(judgments, term)]
    return min(int(np.prod(np.array(sizes, dtype=float).clip(max=1e15))), judgments.n_cells)


def _labels(judgments: Judgments, names: Collection[str]) -> Ints:
    """Place inside a block: dense codes of the combinations of labels, without the facets they are nested in."""
    key = np.zeros(judgments.n_cells, dtype=np.int64)
    for position, name in enumerate(name for name in judgments.names if name in names):
        key = key * len(judgments.facet(name).levels) + judgments.column(name)
        key = dense(key) if position else key
    return key


def _stack(columns: list[Ints], cells: int) -> Ints:
    return np.column_stack(columns) if columns else np.zeros((cells, 0), dtype=np.int64)


def balanced_strata(assembled: Assembled) -> Strata:
    """Mean squares of balanced judgments; components in the order of the problem.

    Raises
    ------
    Unbalanced
        If cells differ in their number of answers, covariates or residuals by level are in the model, or the design is
        otherwise unbalanced.
    """
    judgments, model = assembled.judgments, assembled.model
    if np.ptp(judgments.n) > 0:
        raise Unbalanced("cells differ in their number of answers")
    if model.covariates or assembled.residual_levels:
        raise Unbalanced("the model has covariates or several residual variances")
    inside = assembled.problem.replicates
    random = [judgments.level_codes(name.split(":")) for name in assembled.names if name not in (CELL, REPLICATE)]
    fixed = [judgments.level_codes([name]) for name in model.fixed]
    noise = assembled.problem.units.noise[0]
    return strata(assembled.y, fixed, random, noise, inside.ss, inside.df)
