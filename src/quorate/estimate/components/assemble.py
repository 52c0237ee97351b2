"""Assembly of judgments and a model into the arrays the numerics work on."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import product
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints, dense, first_of_each
from quorate.errors import InvalidInput, NotEstimable, Unbalanced
from quorate.estimate.components.model import CELL, Model, closure, residuals
from quorate.frozen import dataclass
from quorate.numerics.mixed.anova import Strata, strata
from quorate.numerics.mixed.patterns import Cells, patterns
from quorate.numerics.mixed.problem import Problem
from quorate.roles import REPLICATE
from quorate.table.facts.repeats import drawn_cells
from quorate.table.judgments import Judgments
from quorate.table.reread import answers

Link = Literal["logit", "ordinal"]
"""What the log odds are of: of the higher of two scores, or of being above each of a few."""

MOST = 20
"""Most different scores that are taken as categories."""


def categories(judgments: Judgments, link: Link) -> tuple[Floats, Floats]:
    """The scores that occur, ascending, and how many judgments have each, shape (cells, scores).

    Parameters
    ----------
    judgments : Judgments
        The answered cells.
    link : {"logit", "ordinal"}
        Two scores, or a few. Cells of at most three answers say by their mean and range which these are; single answers
        of others are read again.

    Raises
    ------
    InvalidInput
        If there are other scores than the link is for.
    """
    facts = judgments.score_facts
    if facts.binary:
        upper = np.rint(judgments.n * (judgments.mean - facts.low) / (facts.high - facts.low))
        return np.array([facts.low, facts.high]), np.column_stack([judgments.n - upper, upper])
    if link == "logit":
        raise InvalidInput(
            'link: "logit" is for scores of two values, such as 0 and 1, and these have more; a few ordered marks are '
            "for " + argument("link", "ordinal")
        )
    cell, score = _single_scores(judgments)
    values, code = np.unique(score, return_inverse=True)
    if len(values) > MOST:
        raise InvalidInput(
            f'link: "ordinal" is for at most {MOST} different scores, and these have {len(values)}; the default link '
            "takes scores as numbers"
        )
    counts = np.bincount(cell * len(values) + code, minlength=judgments.n_cells * len(values))
    return values, counts.reshape(-1, len(values)).astype(np.float64)


def _single_scores(judgments: Judgments) -> tuple[Floats, Floats]:
    """Cell and score of every answer, rounded to what sums of floats leave of a score."""
    n, low, high = judgments.n, judgments.low, judgments.high
    if np.any((n > 3) & (low < high)):
        found = answers(judgments)
        return np.repeat(np.arange(len(n)), np.diff(found.offsets)), found.values
    equal = low == high
    cell, score = np.repeat(np.arange(len(n)), np.where(equal, n, 0)), np.repeat(low, np.where(equal, n, 0))
    rest, three = np.flatnonzero(~equal), np.flatnonzero(~equal & (n == 3))
    middle = 3 * judgments.mean[three] - low[three] - high[three]
    cells = np.concatenate([cell, rest, rest, three])
    return cells, np.round(np.concatenate([score, low[rest], high[rest], middle]), 9)


# Fixed effects of the model: treatment contrasts, covariates, and the mean they stand for.


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
    first = first_of_each(row)
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
    first = first_of_each(judgments.level_codes([judgments.object]))
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


MOST_INVERTED = 2000
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

    @property
    def residual_by(self) -> str | None:
        """The facet whose levels have residuals of their own."""
        return self.names[-1].partition("[")[2].partition("=")[0] or None

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
    inverted = int((cells.shared.max(axis=0, initial=-1) + 1).sum()) + fixed.rows.shape[1]  # levels, and columns
    problem = Problem(cells, noise.inside, reml=reml, sampled=inverted > MOST_INVERTED)
    missing = int(judgments.rows.sum()) - judgments.n_answers
    names = (*(":".join(term) for term in (*within, *shared)), *noise.names)
    return Assembled(answered, model, problem, names, fixed, center, scale, noise.levels, noise.identical, missing)


def thinned(assembled: Assembled) -> Assembled:
    """The same model of items drawn at random where the table is large (`drawn_cells`); else the one given.

    Degrees of freedom of its components, times how many more levels of the term all items have, are those of all: but
    for an error of one in as many items as are drawn.
    """
    drawn = drawn_cells(assembled.judgments)
    if drawn is None:
        return assembled
    model, reml, by = assembled.model, assembled.problem.reml, assembled.residual_by
    some = assemble(assembled.judgments.keep(drawn), model, reml=reml, residual_by=by)
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
        raise NotEstimable(
            f"all {total} scores are equal ({center:g}): there is no variance to decompose; analyze gives the bound of "
            "their mean, and how many items would show more"
        )
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
    p = 1 + sum(math.prod(len(judgments.facet(name).levels) - 1 or 1 for name in term) for term in _terms(model))
    _, columns, shared = sizes(best)
    rows = 0.0
    if columns * (p + shared) > _LARGE:  # of blocks with other cells than all before them
        level, place = judgments.level_codes(best), _labels(judgments, {*judgments.names} - closure(judgments, best))
        cells = np.argsort(level, kind="stable")
        unlike = int(patterns(place[cells], np.flatnonzero(np.diff(level[cells], prepend=-1))).max()) + 1
        rows = unlike * columns
    alone = rows * (columns + p + shared) ** 2 + (p + shared) ** 3
    for term in (term for term in model.random if {*best} < above[term]):
        system = p + sizes(term)[2]
        if _PRODUCTS * system**3 < alone:
            best, alone = term, _PRODUCTS * system**3
    _check_room(judgments, sizes(best)[1], p)
    return best


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
