"""Diagnosis of a fit: what its model takes for granted, looked at piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotConverged, NotEstimable, UnknownColumn
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.model import CELL, closure, leaves
from quorate.estimate.components.robustness import options_of
from quorate.estimate.diagnostics.check import SIGNIFICANT, Check, NormalPlot, Residuals, chance, quantiles, together
from quorate.estimate.diagnostics.levels import (
    Third,
    curvature,
    decisive_judge,
    interaction_by_difficulty,
    noise_by_judge,
    odd_interaction,
    odd_judge,
    split_facets,
)
from quorate.estimate.means.effects import level_labels
from quorate.frozen import dataclass
from quorate.numerics.correlation import ranks
from quorate.numerics.mixed.refit import refits
from quorate.numerics.regression import GroupMeans
from quorate.roles import JUDGE, REPLICATE
from quorate.streams import stream
from quorate.table.columns.aliases import TIMES, claims
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.read import read_first
from quorate.table.reread import cells_of, reopened
from quorate.table.results import Result, Row, picked, plain
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.numerics.mixed.problem import Problem


# Drift: whether a judge's scores move with the order in which they were given.


SEQUENCES = ("order", "sequence", "sequence_number", "position", "run_order", "call_order", "asked_at", "answered_at")


def order_column(judgments: Judgments) -> str | None:
    """The column that nothing was made of and whose name says when a score was given; None without one."""
    found = claims(not_used(judgments.notes), TIMES, SEQUENCES)
    return found[0] if found else None


def drift(residuals: Residuals, column: str) -> Check:
    """Whether scores rise or fall with a column of times or places in order, judge by judge.

    Slopes of the residuals on the rank of the row among those of its judge, all tested together over items. What all
    judges share while they go through the items in one order cannot be told from the items.

    Raises
    ------
    NotEstimable
        If rows cannot be read again, or the column does not order them.
    UnknownColumn
        If there is no such column.
    """
    cell, score, when = ordered(residuals.fit.judgments, column)
    judge = np.zeros(len(residuals.item), dtype=np.int64) if residuals.judge is None else residuals.judge
    group, item = judge[cell], residuals.item[cell]
    place = np.empty(len(cell))
    for one in np.unique(group):
        rows = group == one
        rank = ranks(when[rows])
        place[rows] = (rank - rank.mean()) / max(len(rank) - 1, 1)
    if not all(np.ptp(place[group == one]) > 0 for one in np.unique(group)):
        raise NotEstimable(f'column "{column}" is the same on all rows of a judge')
    # Slope within every group, and how slopes vary over items.
    left = score - residuals.fitted[cell]
    groups, clusters = int(group.max()) + 1, int(item.max()) + 1
    left = left - (np.bincount(group, left, groups) / np.bincount(group, minlength=groups))[group]
    square = np.bincount(group, place**2, groups)
    slope = np.bincount(group, place * left, groups) / square
    part = np.bincount(
        item * groups + group, place * (left - slope[group] * place) / square[group], clusters * groups
    ).reshape(clusters, groups)
    n = len(np.unique(item))
    found = GroupMeans(slope, part.T @ part * n / max(n - 1, 1), n)
    f, p = found.zero(np.eye(len(found.mean)))
    if np.isnan(f):
        raise NotEstimable("too few items for slopes of so many judges")
    most = int(np.argmax(np.abs(found.mean)))
    labels = level_labels(residuals.fit.judgments, JUDGE) if residuals.judge is not None else ("all scores",)
    moved = "rise" if found.mean[most] > 0 else "fall"
    return Check(
        "drift",
        f'drift with column "{column}"',
        "F",
        f,
        p,
        0.0,
        f"scores of {labels[most]} {moved} by {abs(found.mean[most]):.3g} from first to last",
        "repeated judgments are not repeats of one another: noise has a part that repeating does not average out",
        f'take it as a covariate (facets={{"{column}": ...}}, covariates), or ask in random order',
    )


def ordered(judgments: Judgments, column: str) -> tuple[Ints, Floats, Floats]:
    """Cell, score and time of every usable row that has all three."""
    with reopened(judgments) as source:
        if column not in source.columns:
            raise UnknownColumn("order", column, source.columns)
        again = source._replace(roles=replace(source.roles, replicate=column)).rows()
    if again.replicate is None:
        raise InvalidInput(f'order: column "{column}" has no values')
    cell, when = cells_of(judgments, again.facets), _numbers(again.replicate, column)
    known = (cell >= 0) & ~np.isnan(again.score) & ~np.isnan(when)
    return cell[known], again.score[known], when[known]


def _numbers(labels: np.ndarray[tuple[int], np.dtype[np.object_]], column: str) -> Floats:
    """Labels as numbers, or dates as seconds."""
    try:
        return np.array([np.nan if label is None else float(label) for label in labels])
    except ValueError:
        pass
    try:
        dates = np.array(["NaT" if label is None else str(label).removesuffix("Z") for label in labels], dtype="M8[us]")
    except ValueError:
        raise NotEstimable(f'column "{column}" holds neither numbers nor dates, and orders nothing') from None
    return np.where(np.isnat(dates), np.nan, dates.astype(np.float64))


# Three-way interactions: whether one is there, by a likelihood-ratio test with its law from redrawn data.


BATCH, ENOUGH = 100, 20
"""Draws at a time, and how many ratios as large as the one found settle that it is by chance."""
NONE = 1e-4
"""A likelihood ratio that is none: refits end this close to their optimum."""


def three_way(fit: Decomposition) -> Iterator[str]:
    """Three-way terms with a random facet, in the order of the facets; all facets together are the cell."""
    judgments = fit.judgments
    grouping = set(judgments.ancestors(judgments.object))
    names = [name for name in judgments.names if judgments.n_levels(name) > 1 and name not in grouping]
    for term in combinations(names, 3):
        if leaves(judgments, term) == term and not all(judgments.facet(name).fixed for name in term):
            whole = closure(judgments, term) == closure(judgments, judgments.names)
            yield CELL if whole else ":".join(term)


def likelihood_ratio(fit: Decomposition, term: str, draws: int, rng: np.random.Generator) -> Check:
    """Whether a three-way interaction is there: its likelihood ratio among those of data drawn without it.

    Both models are fitted to the same draws. Under the null half of the ratios or more are zero and chi-square tables
    do not hold; the draws have the law as it is.

    Raises
    ------
    NotEstimable
        If the design cannot tell the term apart.

    References
    ----------
    Crainiceanu and Ruppert (2004), Journal of the Royal Statistical Society B 66, 165-185.
    """
    without, with_term, t = _both(fit, term)
    if with_term.assembled.problem.sampled:
        raise NotEstimable("the likelihood ratio of models with so many levels is not computed", {term})
    statistic = max(without.criterion - with_term.criterion, 0.0)
    alternative = with_term.assembled.problem
    names = with_term.assembled.names
    theta = np.zeros(len(names))
    for name, value in zip(without.assembled.names, np.maximum(without.theta, 0.0), strict=True):
        theta[names.index(name)] = value
    # The alternative's scale and centre are those of the same scores.
    effects = without.point.effects[: alternative.p]
    kept = np.array(with_term.identified.representatives)
    p, n = 1.0, 0
    if statistic > NONE:  # else every ratio is as large
        pair = kept[kept != t], kept
        p, n = _chance(lambda size, seed: _ratios(alternative, pair, theta, effects, size, seed), statistic, draws, rng)
    share = max(float(with_term.theta[t]), 0.0) / float(np.maximum(with_term.theta, 0.0).sum())
    judgments = fit.judgments
    whole = [name for name in leaves(judgments, judgments.names) if judgments.n_levels(name) > 1]
    words = " × ".join(whole if term == CELL else term.split(":"))
    return Check(
        f"three-way-{term}",
        f"interaction of {words}",
        "likelihood ratio",
        statistic,
        p,
        float(np.sqrt(p * (1 - p) / n)) if n else 0.0,
        f"it is {share:.1%} of the variance of one judgment",
        "left out, it is counted in the noise, and designs that cross these facets are promised too small an error"
        if term != CELL
        else "replicates alone do not make a cell surer: it counts as one judgment however often it is repeated",
        f'name it in the model (random, with the default terms and "{term}")'
        if term != CELL
        else "keep the cell in the model, as it is by default; buy cells, not replicates",
        in_model=term in fit.assembled.names,
    )


def _ratios(problem: Problem, kept: tuple[Ints, Ints], theta: Floats, beta: Floats, n: int, seed: int) -> Floats:
    """Likelihood ratios of data drawn without the term: both models fitted to the same draws."""
    without, both = (refits(problem, some, theta, beta, n, np.random.default_rng(seed)).criterion for some in kept)
    return np.asarray(np.maximum(without - both, 0.0))


def _chance(
    ratios: Callable[[int, int], Floats], statistic: float, draws: int, rng: np.random.Generator
) -> tuple[float, int]:
    """P-value and the draws it took: at most ``draws``, fewer where enough are as large before.

    References
    ----------
    Besag and Clifford (1991), Biometrika 78, 301-304.
    """
    found, larger = np.empty(0), np.empty(0, dtype=np.int64)
    while len(found) < draws:
        found = np.append(found, ratios(min(BATCH, draws - len(found)), int(rng.integers(2**32))))
        larger = np.flatnonzero(found >= statistic - NONE)
        if len(larger) >= ENOUGH:
            n = int(larger[ENOUGH - 1]) + 1
            return ENOUGH / n, n
    return float(1 + len(larger)) / (draws + 1), draws


def _both(fit: Decomposition, term: str) -> tuple[Decomposition, Decomposition, int]:
    """The fits without and with a term, and the place of its component in the latter."""
    options = options_of(fit)
    terms = [one for one in options.pop("random") if one != term]
    if fit.assembled.residual_levels and term == CELL:
        raise NotEstimable("levels have residuals of their own (residual_by), so that the cell is not one component")
    if term == CELL and (not fit.assembled.replicated or REPLICATE not in fit.assembled.names):
        raise NotEstimable("no cell was judged twice, so that the interaction of all facets is not told from noise")
    try:
        present = term in fit.assembled.names
        both = fit if present else decompose(fit.judgments, random=[*terms, term], **options)
        alone = decompose(fit.judgments, random=terms, **options) if present else fit
    except NotConverged as error:
        raise NotEstimable(f"{term}: {error}") from None
    if term not in both.assembled.names:
        raise NotEstimable(f"{term} is the cell in this design")
    t = both.assembled.names.index(term)
    if (t,) not in both.identified.classes:
        same = next((names for names in both.aliases if term in names), frozenset({term}))
        raise NotEstimable(f"only the sum {listed(sorted(same), 'plus')} can be estimated from this design")
    return alone, both, t


RESAMPLES = 499
FEWEST = 99


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What stands out in a fit, and what does not. Made by `diagnose`.

    Parameters
    ----------
    fit : Decomposition
        The fit that was looked at.
    checks : tuple of Check
        One row for everything that was looked at, with p-values that are read together by Holm's method.
    not_looked_at : mapping of str to str
        Checks that the data do not allow, and why.
    quantiles : tuple of NormalPlot
        Effects of every random term, and the residuals, against a normal law; none where nothing was drawn.
    thirds : tuple of Third
        Variance between judges, prompts and the like on easy and on hard items.
    resamples : int
        Data sets drawn from the fit; 0 where nothing was drawn.
    """

    fit: Decomposition = field(repr=False)
    checks: tuple[Check, ...]
    not_looked_at: Mapping[str, str]
    quantiles: tuple[NormalPlot, ...] = field(repr=False)
    thirds: tuple[Third, ...]
    resamples: int

    derived = ("sentence",)

    @property
    def standing_out(self) -> tuple[Check, ...]:
        """Checks that stand out among all of them, the least likely first."""
        found = [one for one in self.checks if one.verdict == "stands out"]
        return tuple(sorted(found, key=lambda one: one.p))

    @property
    def exit_code(self) -> int:
        """2 where something stands out, else 0."""
        return 2 if self.standing_out else 0

    @property
    def sentence(self) -> str:
        """How many checks were made, and what stands out."""
        tested = sum(one.verdict != "described" for one in self.checks)
        if not tested:
            return "Nothing could be tested in these data."
        least, few = math.ceil(tested / SIGNIFICANT), ""
        if 0 < self.resamples < least and any(one.p_error > 0 for one in self.checks):
            few = f" Nothing drawn can stand out among so many with {self.resamples} resamples; take {least}."
        if not self.standing_out:
            return f"Nothing stands out in {counted(tested, 'check')} of what the model takes for granted.{few}"
        first = [f"{one.looked_at} ({chance(one.adjusted)})" for one in self.standing_out]
        verb = "stands" if len(first) == 1 else "stand"
        return f"Of {counted(tested, 'check')} {len(first)} {verb} out: {listed(first, most=2)}.{few}"

    @property
    def residuals(self) -> Residuals:
        """What the fit leaves of every cell, with what it fits."""
        return Residuals(self.fit)

    def rows(self) -> list[Row]:
        """One row for every check."""
        names = "name looked_at measure statistic p p_error adjusted verdict sentence meaning remedy"
        return [picked(one, names) for one in self.checks]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; the quantiles of every term with its levels."""
        return {**super().to_dict(), "quantiles": plain([row for one in self.quantiles for row in one.rows()])}


@read_first
def diagnose(
    fit: Decomposition,
    *,
    order: str | None = None,
    resamples: int = RESAMPLES,
    rng: int | np.random.Generator | None = None,
) -> Diagnosis:
    """Whether the model of a fit describes its data: noise, judges, interactions, tails, drift.

    Every check is a row with its statistic, what it means for the interval and what to do. P-values are read together
    by Holm's method: a check stands out if it is below .05 among all of them, and then the exit code is 2.

    It looks at what intervals take for granted: that judges are equally noisy, that none is apart from the others, that
    interactions do not depend on how hard an item is, that effects add, that three-way interactions left out are not
    there, that tails are those of a normal law, and that scores do not move with time.

    Parameters
    ----------
    fit : Decomposition
        From `quorate.decompose`.
    order : str, optional
        Column that says when a score was given, as numbers or dates. Default: one not used otherwise and called like
        it, such as ``time`` or ``position``.
    resamples : int
        Data sets drawn from the fit, at least 99, for tails and three-way interactions; 0 leaves these out. It leaves
        out the mean without each judge too, and the rest takes next to no time.
    rng : int or numpy.random.Generator, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Diagnosis

    Raises
    ------
    InvalidInput
        If ``resamples`` is between 1 and 98, or the fit is one of log odds.
    UnknownColumn
        If there is no column ``order``.

    References
    ----------
    Brown and Forsythe (1974), Journal of the American Statistical Association 69, 364-367; Grubbs (1950), Annals of
    Mathematical Statistics 21, 27-58; Tukey (1949), Biometrics 5, 232-242; Crainiceanu and Ruppert (2004), Journal of
    the Royal Statistical Society B 66, 165-185. ``docs/methods/diagnostics.md`` has sizes and powers.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> found = q.diagnose(q.decompose(q.read(polars.DataFrame(demo_table()), announce=False)), resamples=0)
    >>> [check.name for check in found.checks]
    ['noise-by-judge', 'odd-interaction', 'curvature', 'difficulty-by-prompt', 'difficulty-by-judge']
    """
    if isinstance(fit, LatentDecomposition):
        raise InvalidInput(
            "fit: checks are of scores as numbers, and these components are of log odds; fit without "
            + argument("link", fit.link)
            + ", or hand over its linear, the decomposition of the same scores as numbers"
        )
    if not isinstance(resamples, Integral) or (resamples < FEWEST and resamples != 0):
        raise InvalidInput(f"resamples: 0 or a whole number of at least {FEWEST} is needed, got {resamples!r}")
    generator = stream(0, "diagnose") if rng is None else np.random.default_rng(rng)
    residuals = Residuals(fit)
    looks = {"noise-by-judge": noise_by_judge, "odd-judge": odd_judge, "odd-interaction": odd_interaction}
    looks |= {"decisive-judge": decisive_judge} if resamples else {}  # which refits
    looked = {name: _attempted(look, residuals) for name, look in {**looks, "curvature": curvature}.items()}
    thirds: list[Third] = []
    for facet in split_facets(residuals):
        try:
            check, rows = interaction_by_difficulty(residuals, facet)
        except NotEstimable as error:
            looked[f"difficulty-by-{facet}"] = str(error)
            continue
        looked[check.name] = check
        thirds += rows
    column = order or order_column(fit.judgments)
    if order is not None:
        looked["drift"] = drift(residuals, order)
    elif column is not None:
        looked["drift"] = _attempted(drift, residuals, column)
    else:
        looked["drift"] = "no column says when a score was given; name it (order)"
    plots: tuple[NormalPlot, ...] = ()
    if resamples:
        if fit.judgments.score_facts.binary:
            looked["tails"] = "scores of two values follow no bell curve, and nothing rests on one here"
        else:
            plots, tails = quantiles(fit, int(resamples), generator)
            looked |= {check.name: check for check in tails}
        for term in three_way(fit):
            looked[f"three-way-{term}"] = _attempted(likelihood_ratio, fit, term, int(resamples), generator)
    made = together([one for one in looked.values() if isinstance(one, Check)])
    reasons = {name: one for name, one in looked.items() if isinstance(one, str)}
    return Diagnosis(fit, made, reasons, plots, tuple(thirds), int(resamples))


def _attempted(look: Callable[..., Check], *of: Any) -> Check | str:
    """A check, or the reason why there is none."""
    try:
        return look(*of)
    except (NotEstimable, NotConverged) as error:
        return str(error)
