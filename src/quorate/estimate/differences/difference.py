"""Difference of two systems' mean scores, with its standard error, degrees of freedom and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import of_items
from quorate.estimate.differences.methods import (
    NoSpread,
    PairedCells,
    TwoSystems,
    follow_scores,
    joint_means,
    open_panel,
    paired,
    two_systems,
)
from quorate.estimate.differences.spread import unlike_caveats, unlike_system
from quorate.estimate.means.effects import level_labels, strata, stratified_mean
from quorate.estimate.means.mean import Estimate, aimed, by_reach, mean_for, plain_mean
from quorate.estimate.means.targets import FIXED, PANEL, POPULATION, Target, among, drawn_too, unsaid
from quorate.frozen import dataclass
from quorate.numerics.votes import equivalence
from quorate.numerics.votes.binomial import p_value
from quorate.roles import CATEGORY, JUDGE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Interval, Result, StatedInterval
from quorate.wording import brief

Method = Literal["paired", "joint"]
_NEARLY_ALL, _HALF = 0.98, 0.5
"""Part of the cells of either system that must be shared to be paired unasked, and with judges of their own."""
_FEWEST_PAIRED = 3
_ROUNDING = 1e-12


class ItemDifference(NamedTuple):
    """An item, and the mean scores of both systems on it."""

    item: str
    first: float
    second: float

    @property
    def gap(self) -> float:
        """The first less the second."""
        return self.first - self.second


@dataclass(frozen=True, eq=False)
class SystemDifference(Result):
    """Mean score of ``a`` less that of ``b``.

    Parameters
    ----------
    a, b : str
        The two systems.
    facet : str
        Role of the systems.
    method : {"paired", "joint"}
        From differences in shared cells, or from one model for all judgments of both.
    estimate : Estimate
        The difference with its standard error, degrees of freedom and targets.
    fit : Decomposition
        Components of the difference; where the method is "joint", of the scores of both.
    caveats : tuple of Caveat
        What the reader must know.
    asked : mapping of str to str or Pool
        The targets that were asked for.
    sides : tuple of Estimate
        Where no item is shared, the means of ``a`` and ``b`` by themselves, each for the judges and prompts it had.
    model : mapping of str to object
        Terms, covariates and residuals of the one model, as they were chosen.
    systems : TwoSystems, optional
        The judgments of either.
    """

    a: str
    b: str
    facet: str
    method: Method
    estimate: Estimate
    fit: Decomposition
    caveats: tuple[Caveat, ...]
    asked: Mapping[str, Target]
    sides: tuple[Estimate, ...] = ()
    model: Mapping[str, Any] = field(default_factory=dict)
    systems: TwoSystems | None = field(default=None, repr=False)

    derived = ("value", "se", "df", "n", "items")

    entries = (
        "a b facet method value se df n items targets=estimate.target shares=estimate.shares items_won "
        "pairing_gain mcnemar changed caveats"
    )

    def __repr__(self) -> str:
        return brief("SystemDifference", f"{self.a} less {self.b}: {self.estimate}")

    @property
    def value(self) -> float:
        """The difference, in score units."""
        return self.estimate.value

    @property
    def less_is_better(self) -> bool:
        """Whether the system with the lower mean is the better."""
        return self.fit.judgments.less_is_better

    @property
    def se(self) -> float:
        """Its standard error."""
        return self.estimate.se

    @property
    def df(self) -> float:
        """Its degrees of freedom."""
        return self.estimate.df

    @property
    def n(self) -> int:
        """Answers used: pairs of them, where the method is "paired"."""
        return self.estimate.n

    @property
    def shared_items(self) -> int:
        """Items of which both systems have a score."""
        judgments = self.fit.judgments
        if self.facet not in judgments.names:
            return self.items
        item, system, answered = judgments.object, self.facet, judgments.n > 0
        seen = np.zeros((judgments.n_levels(item), judgments.n_levels(system)), dtype=bool)
        seen[judgments.column(item)[answered], judgments.column(system)[answered]] = True
        return int(seen.all(axis=1).sum())

    @property
    def items(self) -> int:
        """Items used."""
        return self.fit.judgments.n_levels(self.fit.judgments.object)

    @property
    def common_share(self) -> float:
        """Part of the variance that more items do not reduce: that of judges, prompts and the like."""
        return common_share(self.estimate)

    @cached_property
    def others(self) -> SystemDifference | None:
        """The same for others like this setup; None where that was asked for, or nothing here stands for others."""
        if any(target == POPULATION for name, target in self.asked.items() if name != self.fit.judgments.object):
            return None
        drawn = drawn_too(self.fit, self.asked)
        targets = among(self.estimate.target, drawn)
        if targets == self.estimate.target:
            return None
        try:
            paired = self.method == "paired"
            estimate = by_reach(plain_mean(self.fit, drawn)) if paired else aimed(self.estimate, targets)
        except NotEstimable:
            return None
        return replace(self, estimate=estimate, asked=targets)

    @cached_property
    def means(self) -> tuple[Estimate | None, ...]:
        """Mean of either system, from its own scores, for the same targets; None where its scores are all equal."""
        out: list[Estimate | None] = []
        for side in () if self.systems is None else self.systems.sides:
            asked = {name: to for name, to in self.estimate.target.items() if name in side.names}
            try:
                out.append(mean_for(decompose(side), asked))
            except NotEstimable:
                out.append(None)
        return tuple(out)

    @property
    def items_won(self) -> tuple[int, int, int] | None:
        """Items on which ``a`` is better, worse, and the same; None where they share none."""
        each = self.on_items
        if not len(each):
            return None
        gap, least = (each[:, 0] - each[:, 1]) * (-1 if self.less_is_better else 1), _ROUNDING * np.abs(each).max()
        return int((gap > least).sum()), int((gap < -least).sum()), int((np.abs(gap) <= least).sum())

    @property
    def by_item(self) -> tuple[ItemDifference, ...]:
        """Every item that both have, those that ``a`` lost most first, then those that it won; empty without pairs."""
        return self._named(len(self.on_items))

    @property
    def on_items(self) -> Floats:
        """Mean scores of ``a`` and ``b`` on every item that both have, shape (items, 2), in the order of `by_item`."""
        return self._shared[1]

    @cached_property
    def _shared(self) -> tuple[Ints, Floats]:
        """Codes of the items that both have, and the means on them."""
        if self.method != "paired" or self.systems is None:
            return np.zeros(0, np.int64), np.zeros((0, 2))
        side, other = self.systems.sides
        first, second = self.systems.shared
        code = side.level_codes([side.object])[first]
        count = np.bincount(code)
        found = np.flatnonzero(count)
        sums = [np.bincount(code, mean) for mean in (side.mean[first], other.mean[second])]
        means = np.column_stack(sums)[found] / count[found, None]
        gap = ((means[:, 0] - means[:, 1]) * (-1 if self.less_is_better else 1)).round(12)
        order = np.lexsort((gap, -np.abs(gap)))
        return found[order], means[order]

    def _named(self, most: int) -> tuple[ItemDifference, ...]:
        """The first of the items by their labels."""
        if not len(self.on_items) or self.systems is None:
            return ()
        labels = level_labels(self.systems.sides[0], self.systems.object)
        codes, means = (one[:most].tolist() for one in self._shared)
        return tuple(ItemDifference(labels[code], *pair) for code, pair in zip(codes, means, strict=True))

    def changed(self, most: int = 10) -> tuple[ItemDifference, ...]:
        """The items on which the two differ most, at most so many."""
        return tuple(one for one in self._named(most) if abs(one.gap) > _ROUNDING)

    @property
    def pairing_gain(self) -> float:
        """How many times as wide the interval were if the two had items of their own; nan where that is not known."""
        each = self.on_items
        if len(each) < _FEWEST_PAIRED:
            return float("nan")
        apart, paired = each.var(axis=0, ddof=1).sum(), (each[:, 0] - each[:, 1]).var(ddof=1)
        return float(np.sqrt(apart / paired)) if paired > 0 else float("nan")

    @cached_property
    def _decisive(self) -> tuple[int, int] | None:
        """Items won and lost, of items whose scores are single ones of 0 and 1; None of others."""
        each, table = self.on_items, self.fit.judgments
        if not len(each) or table.n_cells > len(each) or not np.isin(each, (0, 1)).all():
            return None
        return int((each[:, 0] > each[:, 1]).sum()), int((each[:, 0] < each[:, 1]).sum())

    @property
    def mcnemar(self) -> float | None:
        """Exact p-value of McNemar's test, of items whose scores are single ones of 0 and 1; None of others."""
        if self._decisive is None:
            return None
        won, lost = self._decisive
        return float(p_value(won, won + lost)) if won + lost else 1.0

    @property
    def _by_score(self) -> tuple[int, int, int] | None:
        """Items won, lost and all where they are drawn one by one: few changes make Student's test too bold."""
        if self._decisive is None:
            return None
        gap = self.on_items[:, 0] - self.on_items[:, 1]
        alone = np.isclose(self.se, gap.std(ddof=1) / np.sqrt(len(gap)), rtol=1e-6)
        return (*self._decisive, len(gap)) if alone else None

    @property
    def unsaid(self) -> str:
        """What the study is too small to say of others; empty where nothing is left out."""
        return unsaid(self.fit, self.asked)

    def at(self, level: float) -> Estimate:
        """The difference with an interval of another coverage."""
        return self.estimate.at(level)

    def equivalence_interval(self, alpha: float = 0.05) -> Interval:
        """The difference with the interval that equivalence rests on: it is shown where this lies within the margin.

        Parameters
        ----------
        alpha : float
            Level of each of the two one-sided tests.
        """
        if self._by_score is None:
            return self.estimate.at(1 - 2 * alpha)
        won, lost, n = self._by_score

        def law(level: float) -> Ends:
            return equivalence.tango_limits(won, lost, n, (1 - level) / 2)

        return StatedInterval(self.value, self.se, n, 1 - 2 * alpha, law=law)

    def p_difference(self) -> float:
        """Two-sided p-value of no difference."""
        return min(1.0, 2 * self._tail(-abs(self.value)))

    def p_equivalence(self, margin: float) -> float:
        """P-value of a difference that is at least this far from 0, in either direction (two one-sided tests).

        Parameters
        ----------
        margin : float
            Margin of equivalence, in score units.
        """
        if self._by_score is not None:
            return equivalence.tango(*self._by_score, margin)
        return self._tail(abs(self.value) - margin)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values; None where one is infinite."""
        own = {
            "items_won": self.items_won and dict(zip(("won", "lost", "tied"), self.items_won, strict=True)),
            "changed": [{"item": name, self.a: a, self.b: b} for name, a, b in self.changed()],
        }
        return super().to_dict() | own

    def _tail(self, distance: float) -> float:
        return self.estimate.tail(-distance)


def difference(
    judgments: Judgments,
    a: str,
    b: str,
    *,
    facet: str = "system",
    method: Method | None = None,
    targets: Mapping[str, Target] | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    residual_by: str | None = None,
) -> SystemDifference:
    """How much better one system scores than another, with an interval that counts judges and prompts as drawn.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.
    method : {"paired", "joint"}, optional
        From differences in the cells that both have, or one model for all judgments of both. Default: paired if 98% of
        the cells of either are shared, if the target is a pool or a panel that one of them did not have all of, or if
        the systems do not vary alike, share 3 items, and have scores that do not show which cells the other has.
    targets : mapping of str to str or Pool, optional
        What facets stand for, as for `Decomposition.mean_for`: ``{"judge": "population"}``. By default random facets
        stand for their population, and fixed ones for themselves.
    random, covariates, residual_by
        Of one model for all scores, as for `quorate.decompose`; each random term is also taken by system. The method
        is then "joint".

    Returns
    -------
    SystemDifference

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both systems are the same, or an option breaks a rule.
    NotEstimable
        If fewer than two items are shared, a system that shares none has one, or the difference never varies.

    Notes
    -----
    In a complete table, and for this study's setup, this is the paired t test over items. Where no item is shared, the
    variance of items is each system's own, as in Welch's.

    R, paired: ``lmer(difference ~ (1|item) + (1|judge) + (1|prompt) + (1|item:judge) + ...)``. Derived and measured in
    ``docs/methods/compare.md``.

    References
    ----------
    Messing (2026), Appendix D; Brennan (2001), Generalizability Theory, on relative error; Welch (1947), Biometrika 34,
    28-35.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"system": list("xxxxyyyy"), "item": [1, 2, 3, 4] * 2, "score": [4, 5, 3, 5, 2, 4, 3, 4]}
    >>> gap = difference(q.read(polars.DataFrame(rows), announce=False), "x", "y")
    >>> gap.value, round(gap.se, 3), round(gap.df, 1), round(gap.p_difference(), 3)
    (1.0, 0.408, 3.0, 0.092)
    """
    rules.one_of("method", method, (None, "paired", "joint"))
    asked = {"random": random, "covariates": covariates, "residual_by": residual_by}
    model = {name: value for name, value in asked.items() if value is not None}
    for name in model if method == "paired" else ():
        raise InvalidInput(name + ": is of one model for all scores; leave it out, or " + argument("method", "paired"))
    apart = two_systems(judgments, a, b, facet=facet)
    targets = targets or {}
    if not model and (method or _default_method(apart, targets)) == "paired":
        return of_pairs(paired(apart), targets)
    two = [judgments.level_index(apart.facet, name) for name in (a, b)]
    both = judgments.keep(np.isin(judgments.column(apart.facet), two) & (judgments.n > 0))
    return _joint(both, apart, targets, model) if model else _compared(apart, both, targets, method)


def _compared(
    apart: TwoSystems, both: Judgments, targets: Mapping[str, Target], method: Method | None
) -> SystemDifference:
    """By one model of both systems, or by pairs where that asks for less."""
    reason = None if method else _unlike(both, apart)
    if reason is None:
        return _joint(both, apart, targets)
    try:
        by_pairs = of_pairs(paired(apart), targets)
    except NotEstimable:  # few pairs, fitted exactly; the model of all says itself what it takes for granted
        return _joint(both, apart, targets)
    return replace(by_pairs, caveats=(*by_pairs.caveats, reason))


def _default_method(apart: TwoSystems, targets: Mapping[str, Target]) -> Method:
    """Pairs where hardly a cell is left out by pairing, or where one model for all cannot answer.

    It cannot where a target is a known number of levels, or a panel is not the same for both; but where pairing leaves
    out most cells, judges of whom not all met both stand for others.
    """
    first, second, shared = apart.first, apart.second, len(apart.shared[0])
    part = min(shared / max(side.n_cells, 1) for side in (first, second))
    if part >= _NEARLY_ALL:
        return "paired"
    limited = {name: target for name, target in targets.items() if target != POPULATION}
    known = any(target != PANEL or name == apart.object for name, target in limited.items())
    sparse = part < _HALF and JUDGE in first.names
    drawn = open_panel(first, [_seen(side, JUDGE) for side in (first, second)], targets) if sparse else {}
    stated = {**drawn, **targets}
    panel = [f.name for f in first.facets if stated.get(f.name, PANEL if f.fixed else POPULATION) == PANEL]
    for_pairs = known or any(_seen(first, name) != _seen(second, name) for name in panel)
    return "paired" if shared and for_pairs else "joint"


def _unlike(both: Judgments, apart: TwoSystems) -> Caveat | None:
    """Why two systems that share items are compared by pairs all the same; None where one model is no worse."""
    cells = apart.shared
    if len(np.unique(apart.first.column(apart.object)[cells[0]])) < _FEWEST_PAIRED:
        return None
    if not np.ptp(apart.first.mean[cells[0]] - apart.second.mean[cells[1]]):
        return None
    varied = unlike_system(both, apart.facet)
    if varied is None or not varied.differs or follow_scores(apart):
        return None
    return caveats.compared_by_pairs(varied.system, varied.ratio, varied.p_value)


def _seen(side: Judgments, name: str) -> set[str]:
    return {side.facet(name).levels[i] for i in side.column(name)}


def _same(pairs: PairedCells) -> float | None:
    """The difference in every cell, where it is the same but for rounding; None where it is not."""
    found, apart = pairs.judgments, pairs.systems
    least = _ROUNDING * max(float(np.abs(side.mean).max()) for side in (apart.first, apart.second))
    if np.ptp(found.mean) > least or found.ss.any():
        return None
    return float(found.mean[0]) if abs(found.mean[0]) > least else 0.0


def of_pairs(
    pairs: PairedCells, targets: Mapping[str, Target], shares: Mapping[str, float] | None = None
) -> SystemDifference:
    """The difference from paired cells; with shares categories stand for themselves, and each counts for its own."""
    table, apart = pairs.judgments, pairs.systems
    items = table.n_levels(table.object)
    if items < 2:
        raise NotEstimable(
            f"{apart.a} and {apart.b} share 1 {table.object}: at least 2 are needed for a standard error"
        )
    if (same := _same(pairs)) is not None:
        raise NoSpread(pairs, same)
    fit = decompose(strata(table), covariates=(CATEGORY,)) if shares else decompose(table)
    estimate = by_reach(stratified_mean(fit, shares, targets) if shares else plain_mean(fit, targets))
    zero = caveats.boundary([name for name, value in fit.variances.items() if value == 0], "the difference")
    cautions = (*(zero if one.code == zero.code else one for one in estimate.caveats), *pairs.caveats)
    return SystemDifference(apart.a, apart.b, apart.facet, "paired", estimate, fit, cautions, targets, systems=apart)


def _joint(
    both: Judgments, apart: TwoSystems, targets: Mapping[str, Target], model: Mapping[str, Any] = MappingProxyType({})
) -> SystemDifference:
    facet = apart.facet
    try:  # judges have effects of their own, whatever they stand for: one value for every reading
        known = {name: target for name, target in targets.items() if target != POPULATION or name not in both.names}
        means = joint_means(both, facet=facet, targets=known, **model)
    except NotEstimable:
        means = joint_means(both, facet=facet, targets=targets, **model)
    signs = [1.0 if name == apart.a else -1.0 for name in means.systems]
    estimate = means.contrast(signs)
    item = apart.object
    alone: tuple[Estimate, ...] = ()
    if not model and (item in apart.inside or not _seen(apart.first, item) & _seen(apart.second, item)):
        means_alone = _alone(apart.first, apart.a), _alone(apart.second, apart.b)
        alone = tuple(mean for mean in means_alone if mean is not None)
    estimate = _unpooled(estimate, alone) if alone else estimate
    estimate = aimed(estimate, among(estimate.target, targets))
    lost = [caveats.missing(apart.missing, apart.missing + apart.n_answers)] if apart.missing else []
    unlike = [] if alone else unlike_caveats(means, unlike_system(means.fit.judgments, facet))
    cautions = (*estimate.caveats, *lost, *unlike)
    return SystemDifference(
        apart.a, apart.b, facet, "joint", estimate, means.fit, cautions, targets, alone, model, apart
    )


def _alone(side: Judgments, name: str) -> Estimate | None:
    """The mean of one system for the judges, prompts and groups of items it had; None where all scores are one."""
    item, side = side.object, side.keep(side.n > 0)  # without the levels of the other
    if side.n_levels(item) < 2:
        raise NotEstimable(
            f"{name} has 1 {item} and shares none: at least 2 are needed to see how its scores vary", {item}
        )
    if np.ptp(side.mean) == 0 and not side.ss.any():
        return None
    over = side.ancestors(item)
    these: dict[str, Target] = {name: FIXED if name in over else PANEL for name in side.names if name != item}
    return plain_mean(decompose(side), these)


def _unpooled(pooled: Estimate, alone: tuple[Estimate, ...]) -> Estimate:
    """The parts of the variance of a difference of systems without common items, each with its own, and of judges."""
    item = pooled.basis.fit.judgments.object
    parts = {name: x * pooled.basis.plain for name, x in pooled.shares.items() if not of_items(name, item)}
    for mean in alone:
        for name, share in mean.shares.items():
            parts[name] = parts.get(name, 0.0) + share * mean.variance
    variance = sum(parts.values())
    shares = {name: part / variance for name, part in parts.items()}
    return replace(pooled, shares=shares, basis=replace(pooled.basis, plain=variance))


def common_share(estimate: Estimate) -> float:
    """Part of the variance of a contrast that more items do not reduce."""
    return sum(estimate.beyond_items.values()) / estimate.variance


# Standing of systems by their mean scores: which leads, and the two that are hardest to tell apart.


def by_mean(judgments: Judgments, facet: str = SYSTEM) -> dict[str, float]:
    """Mean score of every system over its answers, the best first."""
    code, answers = judgments.column(facet), judgments.n
    count = np.bincount(code, answers)
    means = np.bincount(code, answers * np.where(answers > 0, judgments.mean, 0.0)) / np.maximum(count, 1)
    best = means if judgments.less_is_better else -means
    order = [at for at in np.argsort(best, kind="stable").tolist() if count[at]]
    return {judgments.facet(facet).levels[at]: float(means[at]) for at in order}


def closest(judgments: Judgments, **options: Any) -> SystemDifference:
    """The difference of two systems, the higher first; of more, of the two whose means differ least, which is said.

    Options are those of `quorate.estimate.differences.difference.difference`.
    """
    means = by_mean(judgments)
    a, b = min(pairwise(means), key=lambda two: abs(means[two[0]] - means[two[1]]))
    found = difference(judgments, a, b, **options)
    if len(means) == 2:
        return found
    return replace(found, caveats=(caveats.closest_two(a, b, len(means)), *found.caveats))


# Stratified differences of two systems: each category of items counts for a share that is given.


def stratified_difference(
    judgments: Judgments, a: str, b: str, shares: Mapping[str, float], *, targets: Mapping[str, Target] | None = None
) -> SystemDifference:
    """Mean score of one system less that of another, from the cells that both have, by categories that are given.

    Parameters
    ----------
    judgments : Judgments
        Whose items have categories.
    a, b : str
        The two systems.
    shares : mapping of str to float
        What each category counts for; they sum to 1.
    targets : mapping of str to str or Pool, optional
        What other facets stand for, as for `quorate.compare`.

    Raises
    ------
    NotEstimable
        If a category has no shared cells, or the difference never varies.
    """
    return of_pairs(paired(two_systems(judgments, a, b, facet=SYSTEM)), targets or {}, shares)
