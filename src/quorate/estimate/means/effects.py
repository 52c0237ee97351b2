"""Effects of single levels, and means of configurations: each judge, prompt or category, and families of judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from quorate import caveats
from quorate.arrays import Floats, Ints, first_of_each
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.assemble import Assembled, assemble
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.mean import Estimate, contrast
from quorate.estimate.means.prediction import predict
from quorate.estimate.means.targets import POPULATION, Target, resolve
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile, t_quantile
from quorate.numerics.inference import checked_level, satterthwaite
from quorate.numerics.mixed.information import adjustment, weights
from quorate.numerics.mixed.reml import Point, evaluate, squares
from quorate.numerics.panel.subsets import FEWEST, error_correlations
from quorate.roles import CATEGORY, JUDGE
from quorate.table.families import shared
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import plural


def strata(judgments: Judgments) -> Judgments:
    """The same judgments with labels of categories, whatever these are, as labels: not as numbers."""
    facets = (replace(one, values=None) if one.name == CATEGORY else one for one in judgments.facets)
    return replace(judgments, facets=tuple(facets))


def stratified_mean(fit: Decomposition, shares: Mapping[str, float], targets: Mapping[str, Target]) -> Estimate:
    """The sum over categories of a share times the mean of the category.

    Items are drawn within categories, so that how far categories lie apart is no error.

    Parameters
    ----------
    fit : Decomposition
        Of `strata`, with the category as a covariate.
    shares : mapping of str to float
        Of every category; they sum to 1.
    targets : mapping of str to str or Pool
        As for `Decomposition.mean_for`.

    Raises
    ------
    NotEstimable
        If a category has no scores.

    References
    ----------
    Cochran (1977), Sampling Techniques, section 5.3.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 2, 3, 4, 5], "category": list("aaabb"), "score": [1.0, 2.0, 3.0, 6.0, 8.0]}
    >>> fit = q.decompose(strata(q.read(polars.DataFrame(rows), announce=False)), covariates=["category"])
    >>> found = stratified_mean(fit, {"a": 0.5, "b": 0.5}, {})
    >>> round(found.value, 6), round(found.df, 6)
    (4.5, 3.0)
    """
    levels = fit.judgments.facet(CATEGORY).levels
    if missing := [name for name in shares if name not in levels]:
        raise NotEstimable(f'category "{missing[0]}" has no scores yet, and counts for {shares[missing[0]]:.0%}')
    names = fit.assembled.fixed.names
    weight = fit.assembled.fixed.mean.copy()
    for name in levels[1:]:  # the first is that which the others are compared with
        weight[names.index(f"{CATEGORY}[{name}]")] = shares[name]
    return contrast(fit, weight, resolve(fit, targets))


_TOGETHER = 0.5
_CHANCE = 0.01
"""Correlation of errors from which it is said, and the chance at which it would be where none go together."""
_MOST, _FEWEST_ITEMS = 30, 20


def of_families(mean: Estimate) -> list[Caveat]:
    """What is to be said of families in a mean for judges like these; nothing where there is nothing to say."""
    fit = mean.basis.fit
    judgments = fit.judgments
    if JUDGE not in judgments.names or mean.target[JUDGE] != POPULATION:
        return []
    parent = judgments.facet(JUDGE).parent
    if parent is None:
        makers, found = shared(judgments.facet(JUDGE).levels), _alike(judgments)
        said = [caveats.judges_share_makers(makers)] if makers else []
        return [*said, caveats.judges_err_together(*found)] if found else said
    families, judges = judgments.n_levels(parent), judgments.n_levels(JUDGE)
    if parent not in fit.variances or JUDGE not in fit.variances or families < 2 or families == judges:
        return []
    between, within = (max(fit.variances[name], 0.0) for name in (parent, JUDGE))
    if between + within == 0:
        return []
    correlation = between / (between + within)
    first = first_of_each(judgments.level_codes([JUDGE]))
    sizes = np.bincount(judgments.level_codes([parent])[first])
    effect = 1 + (float(sizes @ sizes) / judges - 1) * correlation
    return [caveats.judges_in_families(parent, families, judges, correlation, effect)]


def _alike(judgments: Judgments) -> tuple[list[list[str]], float, int] | None:
    """Judges whose errors go together, the least correlation of two, and how many judges that leaves; or None."""
    judge, item, k = (
        judgments.level_codes([JUDGE]),
        judgments.level_codes([judgments.object]),
        judgments.n_levels(JUDGE),
    )
    if not FEWEST <= k <= _MOST:
        return None
    shape = (int(item.max()) + 1, k)
    place = item * k + judge
    n = np.bincount(place, minlength=shape[0] * k).reshape(shape)
    means = np.bincount(place, judgments.mean, shape[0] * k).reshape(shape)[np.all(n == n.max(), axis=1)] / n.max()
    if len(means) < _FEWEST_ITEMS or not np.ptp(means, axis=0).all():
        return None
    correlation, t = error_correlations(means)
    together = (correlation > _TOGETHER) & (t > normal_quantile(1 - _CHANCE / (k * (k - 1) / 2)))
    np.fill_diagonal(together, True)
    for _ in range(k):
        together = together @ together
    groups = [np.flatnonzero(row) for row in np.unique(together, axis=0)]
    several = [group for group in groups if len(group) > 1]
    if not several:
        return None
    labels = level_labels(judgments, JUDGE)
    least = min(float(correlation[group[:, None], group].min()) for group in several)
    return [[labels[j] for j in group] for group in several], least, len(groups)


# Single configurations that a study might have stopped at, each with its naive standard error.


@dataclass(frozen=True)
class Configuration:
    """One configuration: a level of every facet but the items.

    Parameters
    ----------
    labels : mapping of str to str
        Level of each facet.
    value : float
        Mean over items of the item means.
    se : float
        Naive standard error, ``s / sqrt(N)`` over item means; nan with fewer than 2 items.
    n_items : int
        Items answered.
    """

    labels: Mapping[str, str]
    value: float
    se: float
    n_items: int


def configuration_facets(judgments: Judgments, attributes: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Facets that a single configuration fixes: not the items, what groups them, what is inside them, or attributes."""
    item = judgments.object
    skip = {item, *judgments.ancestors(item), *attributes}
    return tuple(name for name in judgments.names if name not in skip and item not in judgments.ancestors(name))


def configurations(judgments: Judgments, facets: tuple[str, ...]) -> tuple[Configuration, ...]:
    """Every configuration that occurs, with its naive standard error."""
    configuration = judgments.level_codes(facets)
    item = judgments.level_codes([judgments.object])
    n_items = int(item.max()) + 1
    pair, mean = averages(configuration * n_items + item, judgments.mean)
    owner = pair // n_items
    count = np.bincount(owner).astype(float)
    value = np.bincount(owner, mean) / count
    squares = np.bincount(owner, (mean - value[owner]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(squares / (count - 1) / count)
    first = first_of_each(configuration)
    columns = {name: (judgments.facet(name).levels, judgments.column(name)[first]) for name in facets}
    return tuple(
        Configuration({name: levels[at[i]] for name, (levels, at) in columns.items()}, float(v), float(s), int(c))
        for i, (v, s, c) in enumerate(zip(value, se, count, strict=True))
    )


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
    owner, per_item = averages(place * items + judgments.level_codes([judgments.object]), judgments.mean)
    occurring, mean = averages(owner // items, per_item)
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
        first = first_of_each(judgments.level_codes(own))
        each = [np.array(level_labels(judgments, name))[judgments.level_codes([name])[first]] for name in own]
        return tuple(":".join(labels) for labels in zip(*each, strict=True))
    code = judgments.level_codes([facet])
    cells = first_of_each(code)
    path = (facet,) if len(cells) == len(judgments.facet(facet).levels) else (facet, *judgments.ancestors(facet))
    columns = ((judgments.facet(name).levels, judgments.column(name)[cells].tolist()) for name in reversed(path))
    return tuple(map(" / ".join, zip(*(map(labels.__getitem__, at) for labels, at in columns), strict=True)))


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
    assembled = assemble(cells, changed, reml=fit.assembled.problem.reml, residual_by=fit.assembled.residual_by)
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
    cells = first_of_each(judgments.level_codes(own))
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


def averages(key: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Mean value of every key that occurs."""
    occurring, code = np.unique(key, return_inverse=True)
    return occurring, np.bincount(code, values) / np.bincount(code)
