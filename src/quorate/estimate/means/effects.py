"""Effects of single levels: how far each judge, prompt or category is from the average."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.assemble import Assembled, assemble
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.prediction import predict, residual_facet
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level, satterthwaite
from quorate.numerics.mixed.information import adjustment, weights
from quorate.numerics.mixed.reml import Point, evaluate, squares
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import plural

_MOST_COMPARED = 50


@dataclass(frozen=True)
class LevelEffect(Result):
    """One level of a facet against the average over its levels.

    Parameters
    ----------
    facet, level : str
        Role and label; a nested level whose label is not its own carries those of its parents before it.
    effect : float
        Deviation from the average over the levels, in score units.
    se : float
        Standard error; nan where nothing is known (a random facet whose variance is estimated at zero).
    low, high : float
        Interval for this level alone; nan where ``se`` is.
    mean : float
        Mean score at this level, other facets weighted as in the overall mean.
    n : int
        Answers at this level.
    df : float
        Degrees of freedom; infinite for a random facet.
    """

    facet: str
    level: str
    effect: float
    se: float
    low: float
    high: float
    mean: float
    n: int
    df: float


@dataclass(frozen=True)
class Means:
    """Mean score of every combination of two facets.

    Parameters
    ----------
    row_facet, column_facet : str
        Roles.
    rows, columns : tuple of str
        Labels.
    mean : array, shape (rows, columns)
        Mean scores; nan where a combination has no answer.
    n : array of int64, shape (rows, columns)
        Answers.
    """

    row_facet: str
    column_facet: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    mean: Floats
    n: Ints


def effects(fit: Decomposition, facet: str, *, shrink: bool = False, level: float = 0.95) -> tuple[LevelEffect, ...]:
    """How far each judge, prompt or category is from the average over all of them.

    Levels are compared as they are, also those of a random facet: by contrasts at the fitted components, with
    Satterthwaite's t. With ``shrink`` those of a random facet are predicted instead (BLUP): drawn towards the average
    as far as the data are thin, with a normal interval that takes the components as known and is too narrow with few
    levels. Intervals hold for one level at a time, not for the largest of many.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    facet : str
        Role of a facet, or an interaction of the model such as ``"item:judge"``, whose levels are always predicted.
    shrink : bool
        Whether levels of a random facet are predicted; the only way with more than 50. Without effect on a fixed facet.
    level : float
        Coverage of each interval, in (0, 1).

    Returns
    -------
    tuple of LevelEffect
        In the order of the levels; the effects sum to zero. With ``shrink``, a level of a nested facet is compared
        within its parents; without, parents are part of the effect.

    Raises
    ------
    UnknownTerm
        If the model has no effect of this facet.
    NotEstimable
        If its effect cannot be told apart from others.
    InvalidInput
        If there are more than 50 levels, or no other random facet, and no ``shrink``.

    Notes
    -----
    R: ``emmeans::emmeans(fit, eff ~ judge)``; with ``shrink`` ``lme4::ranef(fit, condVar = TRUE)``.

    References
    ----------
    Henderson (1975), Biometrics 31, 423-447, for the predictions.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> [round(row.effect, 3) for row in effects(q.decompose(q.read(frame)), "judge")]
    [-0.667, 0.667]
    """
    checked_level(level)
    if ":" in facet:
        name = next((one for one in fit.assembled.names if set(one.split(":")) == set(facet.split(":"))), facet)
        return _predicted(fit, name, predicted_term(fit, name), level)
    if fit.judgments.n_levels(facet) < 2:
        raise NotEstimable(f"{facet}: one level, and nothing to compare it with; use more {plural(facet)}", {facet})
    if facet in fit.assembled.fixed.levels:
        return _compared(fit.assembled, fit.point, fit.covariance, facet, level)
    term = predicted_term(fit, facet)
    if shrink:
        return _predicted(fit, facet, term, level)
    assembled, kept = _as_fixed(fit, facet, term)
    point = evaluate(assembled.problem, fit.point.solved.theta[kept])
    return _compared(assembled, point, fit.covariance[np.ix_(kept, kept)], facet, level)


def table_of_means(source: Judgments | Decomposition, row: str, column: str) -> Means:
    """Mean score of every combination of two facets, such as judges and prompts.

    Every item weighs the same in a combination, and in an item every cell; nothing is modelled, so combinations that
    saw different items are not quite comparable.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If both are the same.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 1, 2], "judge": list("xyx"), "prompt": list("aab"), "score": [1, 2, 4]}
    >>> table_of_means(q.read(polars.DataFrame(rows)), "judge", "prompt").mean
    array([[ 1.,  4.],
           [ 2., nan]])
    """
    if row == column:
        raise InvalidInput(f'table_of_means: two different facets are needed, got "{row}" twice')
    judgments = source.judgments if isinstance(source, Decomposition) else source
    judgments = judgments.keep(judgments.n > 0)
    at = [judgments.level_codes([name]) for name in (row, column)]
    rows, columns = level_labels(judgments, row), level_labels(judgments, column)
    place = at[0] * len(columns) + at[1]
    items = judgments.n_levels(judgments.object)
    owner, per_item = _averages(place * items + judgments.level_codes([judgments.object]), judgments.mean)
    occurring, mean = _averages(owner // items, per_item)
    table = np.full(len(rows) * len(columns), np.nan)
    table[occurring] = mean
    n = np.rint(np.bincount(place, judgments.n, len(table))).astype(np.int64)
    shape = (len(rows), len(columns))
    return Means(row, column, rows, columns, table.reshape(shape), n.reshape(shape))


def level_labels(judgments: Judgments, facet: str) -> tuple[str, ...]:
    """Label of every level of a facet, in the order of ``level_codes``; parents come first where the label repeats.

    Of an interaction, such as ``"item:judge"``, the labels of its facets.
    """
    if ":" in facet:
        own = facet.split(":")
        first = np.unique(judgments.level_codes(own), return_index=True)[1]
        each = [np.array(level_labels(judgments, name))[judgments.level_codes([name])[first]] for name in own]
        return tuple(":".join(labels) for labels in zip(*each, strict=True))
    code = judgments.level_codes([facet])
    cells = np.unique(code, return_index=True)[1]
    path = (facet,) if len(cells) == len(judgments.facet(facet).levels) else (facet, *judgments.ancestors(facet))
    columns = [(judgments.facet(name).levels, judgments.column(name)[cells]) for name in reversed(path)]
    return tuple(" / ".join(labels[at[i]] for labels, at in columns) for i in range(len(cells)))


def predicted_term(fit: Decomposition, facet: str) -> str:
    """The random term whose predictions are the effects of a facet.

    Raises
    ------
    UnknownTerm
        If the model has no random effect of this facet.
    NotEstimable
        If it is aliased with a term of other levels, or there is nothing to see of it.
    """
    if facet in fit.assembled.names:
        position = fit.assembled.names.index(facet)
        members = next((m for m in fit.identified.classes if position in m), ())
        names = [fit.assembled.names[t] for t in members]
        code = fit.judgments.level_codes(facet.split(":"))
        random = fit.assembled.names[: len(fit.theta) - fit.assembled.problem.n_residual]
        # Terms that only their sum tells are predicted as well as one, if they have the same levels.
        if names and not fit.identified.null[:, list(members)].any() and set(names) <= set(random):
            codes = [fit.judgments.level_codes(name.split(":")) for name in names]
            if all(np.array_equal(other, code) for other in codes):
                return names[-1]
    fit.variance(facet)
    raise NotEstimable(f"{facet}: its effects cannot be told apart from those of other terms in this design", {facet})


def _compared(
    assembled: Assembled, point: Point, covariance: Floats, facet: str, level: float
) -> tuple[LevelEffect, ...]:
    """Contrasts of the levels of a fixed facet with their average: adjusted standard errors, Satterthwaite's df."""
    design, problem, scale = assembled.fixed.levels[facet], assembled.problem, assembled.scale
    beta = point.effects[: design.shape[1]] * scale
    centred = design - design.mean(axis=0)
    spread = []
    for weight in centred:
        variance = float(weight @ point.solved.levels.of_fixed[: problem.p] @ weight) * scale**2
        gradient = squares(problem, weights(problem, point.solved, weight))
        extra = scale**2 * adjustment(problem, point.solved, weight, covariance / scale**4)
        spread.append((float(np.sqrt(variance + extra)), satterthwaite(variance, gradient, covariance)))
    se, df = np.array(spread).T
    return _wrap(assembled.judgments, facet, centred @ beta, se, df, assembled.center + design @ beta, level)


def _as_fixed(fit: Decomposition, facet: str, term: str) -> tuple[Assembled, list[int]]:
    """The model with the levels of a random facet taken as they are, and where its components are in the fit."""
    judgments, model = fit.judgments, fit.assembled.model
    levels = judgments.n_levels(facet)
    if levels > _MOST_COMPARED:
        raise InvalidInput(
            f"effects: {facet} has {levels} levels, at most {_MOST_COMPARED} are compared; predict them by shrink=True"
        )
    if all(name == facet or judgments.facet(name).fixed for name in judgments.names):
        raise InvalidInput(f"effects: {facet} is the only random facet, so it is predicted only; use shrink=True")
    taken = {term, facet, *judgments.ancestors(facet)}
    random = tuple(kept for kept in model.random if ":".join(kept) not in taken)
    changed = replace(model, random=random, fixed=(*model.fixed, facet))
    # The same cells, with the levels as labels of their own, chosen and in no parent.
    position = judgments.names.index(facet)
    codes, facets = judgments.codes.copy(), list(judgments.facets)
    codes[:, position] = judgments.level_codes([facet])
    labels = level_labels(judgments, facet)
    facets[position] = replace(facets[position], levels=labels, parent=None, values=None, fixed=True)
    cells = replace(judgments, codes=codes, facets=tuple(facets))
    assembled = assemble(cells, changed, reml=fit.assembled.problem.reml, residual_by=residual_facet(fit))
    return assembled, [fit.assembled.names.index(name) for name in assembled.names]


def _predicted(fit: Decomposition, facet: str, term: str, level: float) -> tuple[LevelEffect, ...]:
    """Predictions of the levels of a random term; to their means, what they are in, or a sum of, adds its own."""
    judgments, fixed = fit.judgments, fit.assembled.fixed
    predicted = predict(fit, term)
    known = predicted.effect.any() & (predicted.variance > 0)
    se = np.sqrt(np.where(known, predicted.variance, np.nan))
    effect = predicted.effect - predicted.effect.mean()
    own = facet.split(":")
    within = {*own, *(up for name in own for up in judgments.ancestors(name))}
    cells = np.unique(judgments.level_codes(own), return_index=True)[1]
    others = np.zeros(len(cells))
    for name in dict.fromkeys((*fixed.levels, *fit.variances)):
        if name in (facet, term) or not set(name.split(":")) < within:
            continue
        given = name in fixed.levels
        shift = (fixed.levels[name] - fixed.mean) @ fit.beta if given else predict(fit, name).effect
        others += shift[judgments.level_codes(name.split(":"))[cells]]
    mean = float(fixed.mean @ fit.beta) + predicted.effect + others
    return _wrap(judgments, facet, effect, se, np.full(len(effect), np.inf), mean, level)


def _wrap(
    judgments: Judgments, facet: str, effect: Floats, se: Floats, df: Floats, mean: Floats, level: float
) -> tuple[LevelEffect, ...]:
    n = np.rint(np.bincount(judgments.level_codes(facet.split(":")), judgments.n)).astype(int)
    half = se * np.array([t_quantile(float(d), (1 + level) / 2) for d in df])
    rows = zip(level_labels(judgments, facet), effect, se, effect - half, effect + half, mean, n, df, strict=True)
    return tuple(
        LevelEffect(facet, label, float(e), float(s), float(low), float(high), float(m), int(count), float(d))
        for label, e, s, low, high, m, count, d in rows
    )


def _averages(key: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Mean value of every key that occurs."""
    occurring, code = np.unique(key, return_inverse=True)
    return occurring, np.bincount(code, values) / np.bincount(code)
