"""Generalizability and dependability coefficients: how well items, people or systems are told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, occurring
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import decomposed
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, closure, spanned
from quorate.estimate.components.published import Components
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.targets import PANEL, POPULATION, all_drawn
from quorate.frozen import dataclass
from quorate.roles import ITEM, REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import Brief, listed

NOISE = frozenset((CELL, REPLICATE))
MOST = 10**9
"""Levels of a facet, or answers of a cell, that are averaged at most."""


def averages(
    fit: Decomposition,
    counts: Mapping[str, int],
    replicates: int,
    part: Callable[[frozenset[str]], bool] = lambda _: True,
    *,
    cell: bool = True,
) -> dict[str, float]:
    """What is left of each component in the mean of some answers on one item, of all that are part of it.

    A component is divided by the numbers of levels of its facets, the cell by all of them, the replicate by that of the
    answers as well. One residual of several by level counts with its share of the levels.

    Parameters
    ----------
    fit : Decomposition
        Where the components come from.
    counts : mapping of str to int
        Levels of every facet in the mean; facets that are not named stay the same.
    replicates : int
        Answers of each cell.
    part : callable
        Whether a component of these facets is part of it.
    cell : bool
        Whether the cell and the replicate are.

    Raises
    ------
    InvalidInput
        If a number is larger than `MOST`.
    NotEstimable
        If only a sum of components is known whose parts are averaged differently.
    """
    for name, count in {**counts, f"{REPLICATE}s": replicates}.items():
        if count > MOST:
            raise InvalidInput(f"{name}: at most {MOST:,} are averaged")

    def left(term: str) -> float:
        name, _, stratum = term.partition("[")
        strata = len(fit.assembled.residual_levels or ()) if stratum else 1
        if name in NOISE:
            size = math.prod(counts.values()) * (replicates if name == REPLICATE else 1)
            return float(cell) / float(size * strata)
        facets = frozenset(name.split(":"))
        return float(part(facets)) / float(math.prod(counts[one] for one in facets if one in counts))

    out = {}
    for name, members in zip(fit.variances, fit.classes, strict=True):
        if len({round(left(member), 12) for member in members}) > 1:
            raise NotEstimable(
                f"{name}: the data tell only this sum, whose parts are averaged differently; repeat cells, or cross "
                "the facets",
                members,
            )
        out[name] = left(members[0])
    return out


def plausible(fit: Decomposition, name: str, draws: int, rng: np.random.Generator) -> Floats:
    """Values of a component that the data make plausible: its mean square over chi-square, less the noise in it.

    The law behind its own interval, cut at zero.

    Parameters
    ----------
    fit : Decomposition
        Where it comes from.
    name : str
        As in ``fit.variances``.
    draws : int
        How many.
    rng : numpy.random.Generator
        For them.
    """
    t, value = fit.representatives[name], max(fit.variances[name], 0.0)
    se, df = float(np.sqrt(max(fit.covariance[t, t], 0.0))), fit.freedom(t)
    square = max(se * float(np.sqrt(df / 2)), value)
    drawn: Floats = np.maximum(df * square / rng.chisquare(df, draws) - (square - value), 0.0)
    return drawn


# Universe score of a decision study: how components enter the variance of an object's score and its error.


_ROUNDING = 1e-9


@dataclass(frozen=True)
class DrawnFacet:
    """A fixed facet taken as a draw.

    Parameters
    ----------
    name : str
        Role.
    square, df : float
        Variance of its level means (divisor levels minus 1), noise included, and degrees of freedom.
    noise : array, shape (components,)
        Coefficients of the noise in ``square``.
    row : array, shape (3,)
        Coefficients of its variance in universe, relative and absolute-only variance.
    """

    name: str
    square: float
    df: float
    noise: Floats
    row: Floats


class UniverseScore:
    """A fit seen from an object of measurement, whose score is the plain mean of its cells.

    Parameters
    ----------
    fit : Decomposition
        Components and design.
    target : str
        Role of the object of measurement.
    fixed : frozenset of str
        Facets whose levels are the whole universe.
    """

    def __init__(self, fit: Decomposition, target: str, fixed: frozenset[str]) -> None:
        self.fit, self.target, self.fixed = fit, target, fixed
        self.own = closure(fit.judgments, [target])
        self.others = tuple(facet for facet in fit.judgments.facets if facet.name not in self.own)
        self._object = fit.judgments.level_codes([target])
        self.n_objects = int(self._object.max()) + 1

    def counts(self) -> dict[str, float]:
        """Levels that an object meets, nested ones within one parent, and answers per cell: harmonic means."""
        met = {facet.name: 1 / self._overlap([facet.name])[0] for facet in self.others}
        out = {facet.name: met[facet.name] / met.get(facet.parent or "", 1.0) for facet in self.others}
        out[REPLICATE] = float(1 / np.mean(1 / self.fit.judgments.n))
        return {name: round(value, 12) for name, value in out.items()}

    def coefficients(self, name: str, growth: Mapping[str, float]) -> Floats:
        """Coefficients of a component in universe, relative and absolute-only variance, shape (3,)."""
        base, _, stratum = name.partition("[")
        strata = len(self.fit.assembled.residual_levels) if stratum else 1
        row = self._row(spanned(self.fit.judgments, base), growth, repeated=base == REPLICATE)
        return row / strata

    def drawn(self, growth: Mapping[str, float]) -> list[DrawnFacet]:
        """Main effects of fixed facets, where they make scores differ."""
        out = []
        for name in self.fit.assembled.fixed.levels:
            row = self._row(closure(self.fit.judgments, [name]), growth)
            if row.any():
                draw = draw_of(self.fit, name, POPULATION)
                out.append(DrawnFacet(name, draw.square, draw.df, draw.noise, row))
        return out

    def _row(self, facets: frozenset[str], growth: Mapping[str, float], *, repeated: bool = False) -> Floats:
        """An object's squared weights, less what two objects share and less what is part of the universe."""
        others = [facet.name for facet in self.others if facet.name in facets]
        divided = float(np.prod([growth.get(name, 1.0) for name in others]))
        if repeated:
            divided *= growth.get(REPLICATE, 1.0) * self.counts()[REPLICATE]
        mine, common = (weight / divided for weight in self._overlap(others))
        whole = (
            0.0
            if repeated or not self.fixed.issuperset(others)
            else 1 / (int(self.fit.judgments.level_codes(others).max()) + 1)
        )
        parts = [whole, mine - whole, 0.0] if facets & self.own else [0.0, mine - common, common - whole]
        return np.where(np.array(parts) > _ROUNDING * mine, parts, 0.0)

    def _overlap(self, facets: list[str]) -> tuple[float, float]:
        """Squared weight of the combinations that an object meets, and product of two objects' weights: averages."""
        code = self.fit.judgments.level_codes(facets)
        span = int(code.max()) + 1
        met, level = np.divmod(occurring(self._object * span + code), span)
        weight = 1 / np.bincount(met, minlength=self.n_objects)
        alone = float(weight.sum())
        total = float(np.sum(np.bincount(level, weight[met]) ** 2))
        return alone / self.n_objects, (total - alone) / (self.n_objects * (self.n_objects - 1))


Kind = Literal["universe", "relative", "absolute"]


@dataclass(frozen=True)
class VariancePart(Brief):
    """What one component adds.

    Parameters
    ----------
    component : str
        Term, or the sum of terms that cannot be told apart.
    kind : {"universe", "relative", "absolute"}
        Universe score variance; error of comparisons as well as of decisions against a standard; error of the latter
        only.
    variance : float
        The component over the number of levels it is averaged over.
    """

    component: str
    kind: Kind
    variance: float


@dataclass(frozen=True)
class Dependability(Result):
    """Generalizability and dependability of the mean score of an object of measurement.

    Parameters
    ----------
    object : str
        Role of the object of measurement.
    n_objects : int
        Its levels in the data; 0 without data.
    levels : mapping of str to float
        Levels per object that are averaged over, nested ones within one parent, ``replicate`` within one cell.
    fixed : tuple of str
        Facets whose levels are the whole universe.
    contributions : tuple of VariancePart
        What the variances below are made of.
    generalizability, phi : float
        Generalizability coefficient and index of dependability, between 0 and 1; nan where all variances are zero.
    generalizability_se, phi_se : float
        Their standard errors by the delta method.
    caveats : tuple of Caveat
        Those of the components.
    """

    object: str
    n_objects: int
    levels: Mapping[str, float]
    fixed: tuple[str, ...]
    contributions: tuple[VariancePart, ...]
    generalizability: float
    phi: float
    generalizability_se: float
    phi_se: float
    caveats: tuple[Caveat, ...]

    @property
    def universe(self) -> float:
        """Universe score variance: how much the objects truly differ."""
        return self._sum("universe")

    @property
    def relative_error(self) -> float:
        """Variance of the error in comparing objects; its root is the standard error of a comparison's each side."""
        return self._sum("relative")

    @property
    def absolute_error(self) -> float:
        """Variance of the error in holding an object against a standard."""
        return self.relative_error + self._sum("absolute")

    def _sum(self, kind: Kind) -> float:
        return sum(part.variance for part in self.contributions if part.kind == kind)


def dependability(
    fit: Decomposition | Judgments | Components,
    object: str | None = None,
    *,
    fixed: Collection[str] | None = None,
    **levels: float,
) -> Dependability:
    """How dependably a mean score tells items (people, systems) apart, and holds them against a standard.

    The score of an object ``p`` is the plain mean of its cells. Components are sorted by the facets ``a`` that they
    contain beside ``p`` and what ``p`` is nested in, and divided by the levels ``n_a`` that an object's score averages
    over::

        universe   sigma2(p) + sigma2(parents of p) + sum of sigma2(p a) / n_a      for a all fixed
        relative   sum of sigma2(p a) / n_a                                         for a not all fixed
        absolute   relative + sum of sigma2(a) / n_a                                for a not all fixed, without p

        generalizability = universe / (universe + relative)      comparisons and rankings of objects
        phi              = universe / (universe + absolute)      decisions against a standard

    Where objects do not all meet the same levels, what they do not share of ``sigma2(a)`` does not cancel in
    comparisons and is part of the relative error; so is what a single object misses of a fixed facet. A facet that
    groups the object (a category) counts to the universe score, because objects of all groups are compared; fit one
    group alone (`quorate.estimate.components.robustness.by_level`) for comparisons within it.

    Parameters
    ----------
    fit : Decomposition, Judgments or Components
        From `quorate.decompose`; judgments are decomposed first. Of components without data (`quorate.components`),
        crossed ones, every facet needs its levels, and standard errors are nan.
    object : str, optional
        Role of the object of measurement; the table's by default. It must be random.
    fixed : collection of str, optional
        Facets whose levels are the whole universe: always these judges. By default those that are fixed in the fit, and
        those with one level; ``()`` generalises over all.
    **levels : float
        Levels per object of each facet, and ``replicate``. By default those in the data: the harmonic mean over
        objects, nested levels within one parent. Other numbers keep the layout: divisors change in proportion. Levels
        of fixed facets cannot be changed.

    Returns
    -------
    Dependability

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If the object is fixed, or levels are below 1 or given for a fixed facet.
    NotEstimable
        If the coefficients need components apart that the design cannot tell apart.

    Notes
    -----
    R: ``gtheory::dstudy(gtheory::gstudy(data, score ~ (1|item) + (1|judge)), colname.objects = "item")``.

    References
    ----------
    Brennan (2001), Generalizability Theory, chapter 4: random models, then mixed models, where interactions of the
    object with fixed facets alone, divided by their levels, join the universe score.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "judge": list("xyxyxyxy"), "score": [1, 2, 2, 4, 3, 4, 5, 5]}
    >>> fit = q.decompose(q.read(polars.DataFrame(rows), fixed=()))
    >>> round(dependability(fit).phi, 3), round(dependability(fit, judge=4).phi, 3)
    (0.836, 0.911)
    """
    if isinstance(fit, Components):
        return of_components(fit, object or ITEM, tuple(fit.sensitivity if fixed is None else fixed), levels)
    fit = decomposed(fit)
    target = object or fit.judgments.object
    if fit.judgments.facet(target).fixed:
        raise InvalidInput(
            f'object: "{target}" is fixed, so its levels are not compared as a draw; leave it out of fixed='
        )
    if fixed is None:
        fixed = [name for name, chosen in all_drawn(fit).items() if chosen == PANEL]
    for name in fixed:
        fit.judgments.facet(name)
    study = UniverseScore(fit, target, frozenset(fixed) - closure(fit.judgments, [target]))
    counts = study.counts()
    names = [*(facet.name for facet in study.others), REPLICATE]
    for name, value in levels.items():
        if name not in names:
            raise UnknownTerm(name, names)
        if name in study.fixed:
            raise InvalidInput(f"{name}: its levels are fixed, so their number cannot change; leave it out of fixed=")
        if not value >= 1:
            raise InvalidInput(f"{name}: at least 1 level is needed, got {value}")
    growth = {name: value / counts[name] for name, value in levels.items()}
    rows = np.array([study.coefficients(name, growth) for name in fit.assembled.names])
    _refuse_unidentified(study, rows, {**counts, **levels})
    return _result(study, rows, study.drawn(growth), {**counts, **levels})


def of_components(given: Components, target: str, fixed: tuple[str, ...], levels: Mapping[str, float]) -> Dependability:
    """Coefficients from components without data, of an object that is crossed with every facet."""
    facets = [name for name in given.facets if name != target]
    known = [*facets, REPLICATE]
    if given.nested:
        child, parent = next(iter(given.nested.items()))
        raise NotEstimable(f"fit: {child} is nested in {parent}, and coefficients of components are of crossed facets")
    for name in (target, *fixed, *levels):
        if name not in (target, *known):
            raise UnknownTerm(name, [target, *known])
    counts = {name: float(levels.get(name, 1.0 if name in (*fixed, REPLICATE) else 0.0)) for name in known}
    if few := [name for name, count in counts.items() if not count >= 1]:
        raise InvalidInput(f"{few[0]}: its levels are needed, at least 1; give them by " + argument(few[0], 3))
    contributions = []
    for term, variance in given.random.items():
        parts = {target, *facets} if term in ("cell", REPLICATE) else set(term.split(":"))
        others = parts - {target} | ({REPLICATE} if term == REPLICATE else set())
        inside = others <= set(fixed)
        kind: Kind = "universe" if inside else "relative" if target in parts else "absolute"
        if target in parts or not inside:
            divisor = float(np.prod([counts[name] for name in others]))
            contributions.append(VariancePart(term, kind, variance / divisor))
    nan = float("nan")
    found = Dependability(target, 0, counts, fixed, tuple(contributions), nan, nan, nan, nan, ())
    relative, absolute = (found.universe + error for error in (found.relative_error, found.absolute_error))
    return replace(
        found,
        generalizability=found.universe / relative if relative > 0 else nan,
        phi=found.universe / absolute if absolute > 0 else nan,
    )


def _refuse_unidentified(study: UniverseScore, rows: Floats, counts: Mapping[str, float]) -> None:
    fit, names = study.fit, study.fit.assembled.names
    for column in rows.T:
        if not fit.identified.estimable(column):
            space = fit.identified.null_space()
            open_ = sorted({names[t] for t in np.flatnonzero(np.abs(space).sum(axis=0)) if rows[t].any()})
            raise NotEstimable(
                f"{study.target}: the coefficients need {listed(open_)} apart, which this design does not tell", open_
            )
    cells = [row for name, row in zip(names, rows, strict=True) if name.startswith(CELL)]
    if not fit.assembled.replicated and (counts[REPLICATE] != 1 or any(row[0] > 0 for row in cells)):
        wider = ", or generalise over all facets by " + argument("fixed", ()) if study.fixed else ""
        raise NotEstimable(
            f"{study.target}: the coefficients need cell and replicate apart, and no cell was judged twice; judge some "
            "again" + wider,
            (CELL, REPLICATE),
        )


def _result(study: UniverseScore, rows: Floats, drawn: list[DrawnFacet], counts: Mapping[str, float]) -> Dependability:
    fit = study.fit
    theta = np.maximum(fit.theta, 0.0) * fit.assembled.scale**2
    values = [max(facet.square - float(facet.noise @ theta), 0.0) for facet in drawn]
    named = [*fit.variances, *(facet.name for facet in drawn)]
    kept = [members[-1] for members in fit.identified.classes]
    parts = [*zip(theta[kept], rows[kept], strict=True), *zip(values, [facet.row for facet in drawn], strict=True)]
    kinds: tuple[Kind, ...] = ("universe", "relative", "absolute")
    contributions = tuple(
        VariancePart(name, kind, float(value * row[i]))
        for name, (value, row) in zip(named, parts, strict=True)
        for i, kind in enumerate(kinds)
        if row[i] > 0
    )
    universe, relative, absolute = np.sum([value * row for value, row in parts], axis=0)
    # Slopes of the three variances in components and squares S^2, shape (parameters, 3), and their covariance.
    slopes = np.vstack([rows, np.zeros((len(drawn), 3))])
    covariance = np.zeros((len(slopes), len(slopes)))
    covariance[: len(rows), : len(rows)] = study.fit.covariance
    for i, facet in enumerate(drawn, start=len(rows)):
        covariance[i, i] = 2 * facet.square**2 / facet.df
        slopes[i] = facet.row  # at zero too, as for random facets
        slopes[: len(rows)] -= np.outer(facet.noise, facet.row)
    up, down, more = slopes.T
    generalizability = _ratio(universe, relative, up, down, covariance)
    phi = _ratio(universe, relative + absolute, up, down + more, covariance)
    return Dependability(
        object=study.target,
        n_objects=study.n_objects,
        levels=counts,
        fixed=tuple(sorted(study.fixed)),
        contributions=contributions,
        generalizability=generalizability[0],
        phi=phi[0],
        generalizability_se=generalizability[1],
        phi_se=phi[1],
        caveats=fit.caveats,
    )


def _ratio(universe: float, error: float, up: Floats, down: Floats, covariance: Floats) -> tuple[float, float]:
    """``universe / (universe + error)`` with its standard error by the delta method."""
    total = universe + error
    if total <= 0:
        return np.nan, np.nan
    slope = (error * up - universe * down) / total**2
    return float(universe / total), float(np.sqrt(slope @ covariance @ slope))
