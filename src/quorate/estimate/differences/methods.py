"""Methods of a comparison: joint means by one model for all judgments, and differences of paired cells.

Pairing leaves out what only one of two systems has; in either, leniency and difficulty that they share cancel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats, Ints, dense, occurring
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import ExactFit, decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.fit import Method as Estimator
from quorate.estimate.components.model import CELL
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate, contrast, contrasts
from quorate.estimate.means.targets import FEWEST_DRAWN, FINITE, PANEL, POPULATION, Target, default_targets
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf
from quorate.roles import JUDGE
from quorate.table.facets import OK
from quorate.table.judgments import Judgments, checked
from quorate.wording import brief, listed, plural

_MUCH = 0.1
"""Part of the answered cells that only one system has, above which it is said how many."""
_FEWEST_DF = 2
_CHANCE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class TwoSystems:
    """Answered judgments of two systems, without the facet that tells them apart.

    Parameters
    ----------
    first, second : Judgments
        Those of ``a`` and of ``b``, with the same facets in the same order and the same levels.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.
    missing : int
        Rows of the two systems without a usable score.
    inside : tuple of str
        Facets nested in the systems, whose levels are never shared.
    """

    first: Judgments
    second: Judgments
    a: str
    b: str
    facet: str
    missing: int
    inside: tuple[str, ...] = ()

    @property
    def n_answers(self) -> int:
        """Answers of both."""
        return self.first.n_answers + self.second.n_answers

    @cached_property
    def sides(self) -> tuple[Judgments, Judgments]:
        """The two by themselves: each with the levels that it has, and its cells in the same order."""
        first, second = (side.keep(np.ones(side.n_cells, dtype=bool)) for side in (self.first, self.second))
        return first, second

    @property
    def object(self) -> str:
        """Role of the object of measurement, usually ``item``."""
        return self.first.object

    @cached_property
    def shared(self) -> tuple[Ints, Ints]:
        """Cells of either side that the other has too, in the same order."""
        codes = np.vstack([self.first.codes, self.second.codes]).astype(np.int64)
        key = np.zeros(len(codes), dtype=np.int64)
        for position, facet in enumerate(self.first.facets):
            key = dense(key * len(facet.levels) + codes[:, position])
        left, right = np.split(key, [self.first.n_cells])
        if not self.inside and np.array_equal(left, right):
            order = np.argsort(left)
            return order, order
        _, first, second = np.intersect1d(
            left, right[:0] if self.inside else right, assume_unique=True, return_indices=True
        )
        return first, second


@dataclass(frozen=True, eq=False, repr=False)
class PairedCells:
    """Differences by cell, as judgments of their own.

    Parameters
    ----------
    judgments : Judgments
        One row for every cell that both systems have: mean of ``a`` less mean of ``b``, with the other facets.
    systems : TwoSystems
        What they are differences of.
    left_out : (int, int)
        Answered cells that only ``a`` has, and only ``b``.
    caveats : tuple of Caveat
        What was left out, and what differs between the systems.
    """

    judgments: Judgments
    systems: TwoSystems
    left_out: tuple[int, int]
    caveats: tuple[Caveat, ...]

    def __repr__(self) -> str:
        return brief("PairedCells", f"{self.systems.a} less {self.systems.b}: {self.judgments!r}")


class NoSpread(NotEstimable):
    """Two systems whose scores differ by the same in every cell that both have.

    Parameters
    ----------
    pairs, value : PairedCells, float
        The differences, and what they all are.
    """

    def __init__(self, pairs: PairedCells, value: float) -> None:
        self.pairs, self.value = pairs, value
        table, apart = pairs.judgments, pairs.systems
        items, objects = table.n_levels(table.object), plural(table.object)
        super().__init__(
            f"{apart.a} less {apart.b} is {value:g} in all {table.n_cells:,} shared cells: there is no spread "
            f"to judge it by. At 95% at least {100 * 0.05 ** (1 / items):.3g}% of {objects} like these differ by just "
            f"that; add {objects}, or check whether one system is a copy of the other"
        )


def pairs(judgments: Judgments, a: str, b: str, *, facet: str = "system") -> PairedCells:
    """The difference of two systems in every cell that both have: same item, judge, prompt and so on.

    Replicates of a cell are averaged first, for it is arbitrary which of them to pair. What both systems share, such as
    how lenient a judge is, cancels; what is left of a judge is by how much it favours one of the two.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.

    Returns
    -------
    PairedCells

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both are the same, or the systems are the object of measurement.
    NotEstimable
        If they have no cells in common, or a single item each.

    Notes
    -----
    A cell with n answers of ``a`` and m of ``b`` counts as the whole part of their harmonic mean, which is right where
    they are equal and makes the noise of a cell up to twice too large where they are not.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"system": list("xxxyyy"), "item": [1, 2, 3, 1, 2, 3], "score": [4, 5, 3, 2, 4, 3]}
    >>> pairs(q.read(polars.DataFrame(rows), announce=False), "x", "y").judgments.mean
    array([2., 1., 0.])
    """
    return paired(two_systems(judgments, a, b, facet=facet))


def _check_facet(judgments: Judgments, facet: str) -> None:
    checked(judgments).facet(facet)
    if facet == judgments.object:
        raise InvalidInput(f'facet: "{facet}" is the object of measurement; read with object= as what it is judged on')


def two_systems(judgments: Judgments, a: str, b: str, *, facet: str = "system") -> TwoSystems:
    """The judgments of two systems apart, without facets that only say again which system it is.

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both are the same, or the systems are the object of measurement.
    """
    _check_facet(judgments, facet)
    if a == b:
        raise InvalidInput(f'b: two different levels of {facet} are compared, got "{a}" twice')
    for name in (a, b):
        if name not in judgments.facet(facet).levels:
            raise UnknownTerm(name, judgments.facet(facet).levels, facet)
    answered = judgments.keep(judgments.n > 0)
    column = answered.column(facet)
    levels = answered.facet(facet).levels
    for name in (a, b):
        if name not in levels:
            raise NotEstimable(f"{facet} {name}: none of its judgments has a usable score", {facet})
    masks = [np.asarray(column == levels.index(name)) for name in (a, b)]
    dropped = {facet, *answered.ancestors(facet), *_same_again(answered, masks)}
    kept = [i for i, other in enumerate(answered.facets) if other.name not in dropped]
    first, second = (_without(answered, mask, kept) for mask in masks)
    one, other = (judgments.column(facet) == judgments.level_index(facet, name) for name in (a, b))
    asked = one | other
    missing = int(judgments.rows[asked].sum() - judgments.n[asked].sum())
    inside = tuple(name for name in first.names if dropped & set(answered.ancestors(name)))
    return TwoSystems(first, second, a, b, facet, missing, inside)


def paired(apart: TwoSystems) -> PairedCells:
    """The differences of two systems, given apart; see `pairs`.

    Raises
    ------
    NotEstimable
        If they have no cells in common.
    """
    one, two = apart.first, apart.second
    first, second = apart.shared
    if not len(first):
        others = listed(map(plural, one.names)) if one.names else "facets"
        raise NotEstimable(
            f"{apart.a} and {apart.b} have no cell in common (same {others}): they cannot be paired; "
            "compare their means by " + argument("method", "joint")
        )
    counts = one.n[first], two.n[second]
    n = np.floor(2 / (1 / counts[0] + 1 / counts[1]) + 1e-9).astype(np.int64)
    repeated = _repeated(one)[first] + _repeated(two)[second]
    difference = replace(
        one,
        codes=one.codes[first],
        n=n,
        mean=one.mean[first] - two.mean[second],
        ss=(n - 1) * (_variance(one, first) + _variance(two, second)),
        low=one.low[first] - two.high[second],
        high=one.high[first] - two.low[second],
        status={OK: n},
        distinct=n - repeated,
        origin=None,
    )
    left = one.n_cells - len(first), two.n_cells - len(second)
    names, unequal = (apart.a, apart.b), int((counts[0] != counts[1]).sum())
    cautions = [caveats.missing(apart.missing, apart.missing + apart.n_answers)] if apart.missing else []
    if any(count > _MUCH * (count + len(first)) for count in left):
        cautions.append(caveats.unpaired_cells(names, left, len(first)))
    if unequal:
        cautions.append(caveats.unequal_answers(names, unequal, len(n)))
    return PairedCells(difference.keep(np.ones(len(n), dtype=bool)), apart, left, tuple(cautions))


def _same_again(judgments: Judgments, masks: list[NDArray[np.bool_]]) -> set[str]:
    """Facets that have one level in either system, another one in each."""
    out = set()
    for name in judgments.names:
        column = judgments.column(name)
        first, second = (_only(column[mask]) for mask in masks)
        if first >= 0 and second >= 0 and first != second:
            out.add(name)
    if judgments.object in out:
        item = judgments.object
        raise NotEstimable(
            f"{item}: either system has 1 {item}; at least 2 of one are needed for a standard error", {item}
        )
    return out


def _only(codes: NDArray[np.int32]) -> int:
    """The one level there is, whether or not some have none; -1 otherwise."""
    most = int(codes.max(initial=-1))
    return -1 if ((codes != most) & (codes >= 0)).any() else most


def _without(judgments: Judgments, mask: NDArray[np.bool_], kept: list[int]) -> Judgments:
    """Some cells of a table with some of its facets."""
    names = {judgments.facets[i].name for i in kept}
    facets = [judgments.facets[i] for i in kept]
    facets = [replace(facet, parent=None) if facet.parent not in names else facet for facet in facets]
    side = judgments.at(np.flatnonzero(mask))
    return replace(side, facets=tuple(facets), codes=side.codes[:, kept])


def _variance(side: Judgments, cells: Ints) -> Floats:
    """Variance within each cell; 0 where it has one answer, which then counts for no variance."""
    out: Floats = side.ss[cells] / np.maximum(side.n[cells] - 1, 1)
    return out


def _repeated(side: Judgments) -> Ints:
    """Rows of each cell that repeat the key of another; a fit refuses them."""
    return np.zeros(side.n_cells, dtype=np.int64) if side.distinct is None else side.rows - side.distinct


def follow_scores(apart: TwoSystems) -> bool:
    """Whether the scores of a system show which of its cells the other has, beyond chance (p at most .01).

    Pairs are then of cells that were chosen by a score, and their differences are biased.

    Notes
    -----
    Two of Student's t tests for each system, Bonferroni: of items without a shared cell against the others, and of
    shared against other cells within the items that have both.
    """
    tests: list[float] = []
    for side, rows in zip((apart.first, apart.second), apart.shared, strict=True):
        has = np.zeros(side.n_cells, dtype=bool)
        has[rows] = True
        item = np.unique(side.column(side.object), return_inverse=True)[1]
        count = np.bincount(item)
        of_shared, of_rest = (np.bincount(item[part], minlength=len(count)) for part in (has, ~has))
        mean = np.bincount(item, side.mean) / count
        both = (of_shared > 0) & (of_rest > 0)
        total = np.bincount(item, side.mean * has)
        within = total[both] / of_shared[both] - (mean * count - total)[both] / of_rest[both]
        found = _t_test(mean[of_shared > 0], mean[of_shared == 0]), _t_test(within)
        tests += [p for p in found if p is not None]
    return min(tests, default=1.0) <= _CHANCE / max(len(tests), 1)


def _t_test(*groups: Floats) -> float | None:
    """Student's, of two means that are equal or one that is 0; None where there are too few values or none varies."""
    df = sum(len(group) - 1 for group in groups)
    if df < _FEWEST_DF or min(len(group) for group in groups) == 0:
        return None
    square = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / df
    off = groups[0].mean() - (groups[1].mean() if len(groups) > 1 else 0.0)
    error = float(np.sqrt(square * sum(1 / len(group) for group in groups)))
    return 2 * t_cdf(df, -abs(off) / error) if error > 0 else None


@dataclass(frozen=True, eq=False, repr=False)
class JointMeans:
    """Mean score of every system, with what any contrast of them needs.

    Parameters
    ----------
    fit : Decomposition
        The model: systems fixed, and every random term also by system.
    facet : str
        Role of the systems.
    systems : tuple of str
        Labels.
    chosen : bool
        Whether terms, covariates or residuals were chosen, so that systems need not be alike in the model.
    asked : mapping of str to str
        What other facets stand for, where that was asked.
    """

    fit: Decomposition
    facet: str
    systems: tuple[str, ...]
    chosen: bool = False
    asked: Mapping[str, Target] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief("JointMeans", ", ".join(self.systems))

    @property
    def rows(self) -> Floats:
        """Weights of each system's mean on the fixed effects, shape (systems, p)."""
        return self.fit.assembled.fixed.levels[self.facet]

    @property
    def targets(self) -> Mapping[str, Target]:
        """What every facet of the model stands for."""
        return {
            **default_targets(self.fit),
            **{name: self.asked[name] for name in self.asked if name in self.fit.judgments.names},
        }

    @property
    def value(self) -> Floats:
        """Means, shape (systems,)."""
        return self.rows @ self.fit.beta

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the means for these targets, at the estimated components; shape (systems, systems)."""
        return self.rows @ self.fit.beta_covariance @ self.rows.T

    def contrast(self, weights: Sequence[float] | Floats) -> Estimate:
        """A weighted sum of the means, as an estimate.

        Parameters
        ----------
        weights : sequence of float, shape (systems,)
            Weight of every mean; 1 and -1 for a difference.
        """
        return contrast(self.fit, np.asarray(weights, dtype=float) @ self.rows, self.targets)

    def contrasts(self, weights: Floats) -> list[Estimate]:
        """Several weighted sums at once, in a fraction of the time of one after the other.

        Parameters
        ----------
        weights : array, shape (contrasts, systems)
            Weight of every mean in each.
        """
        like = np.arange(len(weights))
        if self.exchangeable:  # the same weights on other systems have the same variance
            kinds = np.unique(np.sort(weights, axis=1), axis=0, return_index=True, return_inverse=True)
            like = kinds[1][kinds[2].ravel()]
        return contrasts(self.fit, weights @ self.rows, self.targets, like)

    @cached_property
    def exchangeable(self) -> bool:
        """Whether the design is the same with any two systems exchanged: all have the same cells, as often answered."""
        if self.chosen:
            return False
        judgments = self.fit.judgments
        system = judgments.level_codes([self.facet])
        rest = judgments.level_codes([name for name in judgments.names if name != self.facet])
        times = np.zeros((int(rest.max()) + 1, len(self.systems)), dtype=np.int64)
        times[rest, system] = judgments.n
        return bool((times == times[:, :1]).all())


def joint_means(
    judgments: Judgments,
    *,
    facet: str = "system",
    targets: Mapping[str, Target] | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    method: Estimator | None = None,
    residual_by: str | None = None,
) -> JointMeans:
    """Mean score of every system from all judgments at once, whether or not systems share items, judges and prompts.

    Random are all other facets that are drawn, by themselves, in pairs, and each of these also by system; a facet that
    stands for itself is fixed, with its interaction with the system. What systems share cancels in their contrasts. All
    systems are taken to vary alike.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facet : str
        Role of the systems.
    targets : mapping of str to str, optional
        What other facets stand for: "population" or "panel". By default "panel" for those read as fixed, but for judges
        of whom not all met each system, which have no mean of their own: as long as each met three.
    random, covariates, method, residual_by
        As for `quorate.decompose`; each random term that is named is also taken by system, and a facet that is a
        covariate is no random term.

    Raises
    ------
    UnknownTerm
        If there is no such facet or term.
    InvalidInput
        If a target is another, or the systems are the object of measurement.
    NotEstimable
        If there are fewer than two systems, a fixed level never met some system, or every system has one item.

    Notes
    -----
    R: ``lmer(score ~ system + (1|item) + (1|judge) + (1|item:judge) + (1|item:system) + (1|judge:system) + ...)`` and
    ``emmeans(fit, ~ system)``.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"system": list("xxxyyy"), "item": [1, 2, 3, 4, 5, 6], "score": [4, 5, 3, 2, 4, 3]}
    >>> joint_means(q.read(polars.DataFrame(rows), announce=False)).contrast([1, -1]).value
    1.0
    """
    _check_facet(judgments, facet)
    answered = judgments.keep(judgments.n > 0)
    judged = JUDGE in answered.names and facet != JUDGE
    drawn = open_panel(answered, judges_met(answered, facet), targets or {}) if judged else {}
    flat = _flat(answered, facet, {**drawn, **(targets or {})})
    systems = flat.facet(facet).levels
    if len(systems) < 2:
        rule = f"{facet}: at least 2 are needed to compare them, got {len(systems)}"
        votes = judgments.source.instead
        also = "; the same file holds votes: read them with " + argument("part", votes) if votes else ""
        raise NotEstimable(rule + also, {facet})
    asked = {name for term in covariates or () for name in term.split(":")}
    if facet in asked:
        raise InvalidInput(f'covariates: "{facet}" is what is compared; leave it out')
    fixed = [other.name for other in flat.facets if other.fixed and other.name != facet and len(other.levels) > 1]
    terms = random_terms(flat, facet, asked) if random is None else by_system(random, facet)
    shifting = [*(f"{name}:{facet}" for name in fixed if name not in asked), *(covariates or ())]
    options: dict[str, Any] = {"covariates": shifting, "method": method or "reml", "residual_by": residual_by}
    try:
        fit = decompose(flat, random=terms, **options)
    except ExactFit:  # too few items meet a judge again for what both share to be told from the noise of a judgment
        fewer = [term for term in terms if len({*term.split(":")} - {facet}) == 1]
        if random is not None or fewer == terms:
            raise
        fit = decompose(flat, random=fewer, **options)
    return JointMeans(fit, facet, systems, bool(asked or random or residual_by), targets or {})


def open_panel(
    judgments: Judgments, met: Sequence[Collection[object]], targets: Mapping[str, Target]
) -> dict[str, Target]:
    """Judges as a population, unless it is asked otherwise, where some met not each system and no system less than 3.

    A panel has no difference of systems then; those who met both are fewer, and their scores a part.
    """
    if JUDGE in targets or not judgments.facet(JUDGE).fixed:
        return {}
    fewest = min(map(len, met))
    return {} if fewest == len(set().union(*met)) or fewest < FEWEST_DRAWN else {JUDGE: POPULATION}


def judges_met(judgments: Judgments, facet: str) -> list[list[int]]:
    """The judges of every system, by their codes."""
    judges = judgments.n_levels(JUDGE)
    system, judge = np.divmod(occurring(judgments.level_codes([facet]) * judges + judgments.column(JUDGE)), judges)
    return [part.tolist() for part in np.split(judge, np.flatnonzero(np.diff(system)) + 1)]


def _flat(judgments: Judgments, facet: str, targets: Mapping[str, Target]) -> Judgments:
    """The same cells with systems fixed and in no parent, and other facets as the targets have them."""
    _check_targets(judgments, facet, targets)
    dropped = {*judgments.ancestors(facet), *_of_system(judgments, facet)}
    facets, columns = [], []
    for old in judgments.facets:
        if old.name in dropped:
            continue
        inside = old.name == facet or old.parent in dropped | {facet}
        column = judgments.level_codes([old.name]) if inside and old.parent is not None else judgments.column(old.name)
        labels = level_labels(judgments, old.name) if inside else old.levels
        single = judgments.n_levels(old.name) == 1 and old.name != judgments.object
        panel = targets.get(old.name, PANEL if old.fixed else POPULATION) == PANEL
        fixed = old.name == facet or single or panel
        parent = None if inside else old.parent
        facets.append(replace(old, levels=labels, parent=parent, fixed=fixed, values=None if inside else old.values))
        columns.append(column)
    return replace(judgments, facets=tuple(facets), codes=np.column_stack(columns).astype(np.int32))


def _check_targets(judgments: Judgments, facet: str, targets: Mapping[str, Target]) -> None:
    for name, target in targets.items():
        judgments.facet(name)
        if name == facet:
            raise InvalidInput(f'{name}: systems stand for themselves; leave "{name}" out of the targets')
        if name == judgments.object and target in (PANEL, FINITE):
            raise InvalidInput(
                f'{name}: "{target}" is for a paired comparison; of one model for all it is "population"'
            )
        if target not in (PANEL, POPULATION):
            raise InvalidInput(f'{name}: the target must be one of "population", "panel", got {str(target)!r}')


def _of_system(judgments: Judgments, facet: str) -> set[str]:
    """Facets that have one level in each system, and several in all: they only say again which system it is."""
    system = judgments.level_codes([facet])
    out = set()
    for name in judgments.names:
        joint = judgments.level_codes([facet, name])
        if name != facet and judgments.n_levels(name) > 1 and joint.max() == system.max():
            out.add(name)
    if judgments.object in out:
        item = judgments.object
        raise NotEstimable(
            f"{item}: every system has 1 {item}; at least 2 of one are needed for a standard error", {item}
        )
    return out


def by_system(random: Sequence[str], facet: str) -> list[str]:
    """Random terms as they are named, each also by system, and the cell."""
    alike = [term for term in random if term != CELL and facet not in term.split(":")]
    return list(dict.fromkeys([*random, *(f"{term}:{facet}" for term in alike), CELL]))


def random_terms(judgments: Judgments, facet: str, but: Collection[str] = ()) -> list[str]:
    """Random facets, their pairs, and their pairs with fixed facets; each also by system; what groups items alone."""
    grouping = set(judgments.ancestors(judgments.object))
    names = [name for name in judgments.names if name not in (facet, *but) and judgments.n_levels(name) > 1]
    random = [name for name in names if not judgments.facet(name).fixed]
    alone = [(name,) for name in random]
    crossed = [name for name in names if name not in grouping]
    related = {(name, up) for name in names for up in judgments.ancestors(name)}
    both = [pair for pair in combinations(crossed, 2) if set(pair) & set(random) and not {pair, pair[::-1]} & related]
    terms = [":".join(term) for term in (*alone, *both)]
    return [*terms, *(f"{term}:{facet}" for term in terms), "cell"]
