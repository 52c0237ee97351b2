"""Crossed tables as arrays of cells, from which pilots and studies are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from quorate.arrays import Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate, estimate
from quorate.estimate.means.mean_from import at_components, weighed_by
from quorate.estimate.means.targets import PANEL, POPULATION, Pool, Target
from quorate.numerics.distributions import t_quantile
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.schemes import Scheme
from quorate.roles import JUDGE, PROMPT, REPLICATE, TEMPERATURE
from quorate.table.answers import Answers, answers
from quorate.table.judgments import Facet, Judgments
from quorate.wording import counted, listed, whole_percent

_AGAIN, _FILLED, _MOST = 3, 0.8, 20_000_000


@dataclass(frozen=True)
class Drawn:
    """What one study found.

    Parameters
    ----------
    value, se, low, high : float
        Mean, the standard error that it claims, and its interval.
    calls : int
        Judgments.
    design : str
        Its levels in words.
    """

    value: float
    se: float
    low: float
    high: float
    calls: int
    design: str


class Crossed:
    """A crossed table as an array of cells, from which studies are drawn.

    Parameters
    ----------
    judgments : Judgments
        The table. What groups its items, judges or prompts is left out: they are drawn whatever their group.

    Raises
    ------
    NotEstimable
        If it is not crossed, or there is nothing to choose between.
    """

    def __init__(self, judgments: Judgments) -> None:
        self.table = _without_groups(judgments.keep(judgments.n > 0))
        item = self.table.object
        self.levels = {name: self.table.n_levels(name) for name in self.table.names if name != item}
        self.again = min(_AGAIN, int(self.table.n.max(initial=1)))
        if math.prod(self.levels.values()) < 2:
            raise NotEstimable(f"1 configuration: there is nothing to plan but {item}s; use several prompts or judges")
        self.shape = (self.table.n_levels(item), *self.levels.values())
        if math.prod(self.shape) > _MOST:
            raise InvalidInput(f"judgments: {math.prod(self.shape):,} combinations are too many to draw from")
        filled = self.table.n_cells / math.prod(self.shape)
        if filled < _FILLED:
            raise NotEstimable(
                f"{whole_percent(filled)} of all combinations of {listed(self.table.names)} were judged, and "
                f"{whole_percent(_FILLED)} are needed to draw plans from them; take a crossed part with only="
            )
        self.item = self.table.column(item)
        codes = [self.table.column(name) for name in (item, *self.levels)]
        self.place = np.full(self.shape, -1)
        self.place[tuple(codes)] = np.arange(self.table.n_cells)
        self._origin = judgments

    @cached_property
    def answers(self) -> Answers:
        """Single answers, read again where a cell has several."""
        if self.table.n.max() == 1:
            return Answers(self.table.mean, np.arange(self.table.n_cells + 1))
        return answers(self._origin.keep(self._origin.n > 0))

    def targets(self, items: int) -> dict[str, Target]:
        """What a plan speaks for: the items that are left, and all levels of the table."""
        sizes = {self.table.object: items, **self.levels}
        return {name: PANEL if count == 1 else Pool(count) for name, count in sizes.items()}

    @property
    def drawn(self) -> dict[str, Target]:
        """Targets under which plans have the same order: those of pools take off what is the same for all plans."""
        sizes = {self.table.object: 2, **self.levels}
        return {name: PANEL if count == 1 else POPULATION for name, count in sizes.items()}

    def mean(self, items: Ints) -> float:
        """Mean of all judgments of these items, every configuration weighing the same."""
        at = self.place[items].reshape(len(items), -1)
        value = np.where(at >= 0, self.table.mean[at], np.nan)
        return float(np.nanmean(np.nanmean(value, axis=0)))

    def one_configuration(self, items: Ints, budget: int, again: int, level: float, rng: np.random.Generator) -> Drawn:
        """One configuration drawn at random, and the interval that takes its items for all that varies."""
        levels = tuple(int(rng.integers(count)) for count in self.levels.values())
        at = self.place[(items, *levels)]
        at = at[at >= 0][: budget // again]
        part = self.asked(np.sort(at), again, rng)
        value, se = float(part.mean.mean()), float(np.std(part.mean, ddof=1) / np.sqrt(len(at)))
        half = t_quantile(np.inf, (1 + level) / 2) * se
        design = in_words({self.table.object: len(at), REPLICATE: again})
        return Drawn(value, se, value - half, value + half, part.n_answers, design)

    def planned(
        self, items: Ints, fit: Decomposition, plan: Projection, level: float, rng: np.random.Generator
    ) -> Drawn:
        """A plan carried out on items and levels drawn at random, and its interval by the pilot's components."""
        counts = {name: plan.design[name] for name in self.levels}
        chosen = {name: rng.permutation(count)[: counts[name]] for name, count in self.levels.items()}
        some = rng.permutation(items)[: plan.design[self.table.object]]
        layout = cast("LayoutName", plan.layout)
        turns = Scheme(layout).order(counts) if layout != "factorial" else {}
        open_ = np.ix_(some, *chosen.values())
        kept = np.ones([len(one) for one in (some, *chosen.values())], dtype=bool)
        for name, turn in turns.items():
            axis = 1 + list(self.levels).index(name)
            own = turn[np.arange(len(some)) % len(turn), 0]
            own = own.reshape([-1 if i == 0 else 1 for i in range(kept.ndim)])
            kept &= own == np.arange(counts[name]).reshape([-1 if i == axis else 1 for i in range(kept.ndim)])
        at = self.place[open_][kept]
        part = self.asked(np.sort(at[at >= 0]), plan.design[REPLICATE], rng)
        found = self.by_pilot(part, fit, self.targets(len(items)))
        low, high = found.interval(level, "satterthwaite")
        return Drawn(found.value, found.se, low, high, part.n_answers, in_words(plan.design, layout))

    def by_pilot(self, part: Judgments, fit: Decomposition, targets: Mapping[str, Target]) -> Estimate:
        """The mean of scores drawn from the table, as an estimate of its mean, by the components of a pilot.

        The table's answers are all there is. Of R answers to a cell r were drawn, so that ``1 / r - 1 / R`` of their
        variance is left within the cells, and ``1 / R`` of it is the cells'.
        """
        seen, to_own = at_components(part, fit)
        made = weighed_by(seen, fit, to_own, part.n_answers)
        gradient, names = made.gradient(targets), fit.assembled.names
        most, again = float(np.mean(self.table.n)), float(np.mean(part.n))
        for t, name in enumerate(names):
            if name.startswith(REPLICATE):
                cell = names.index(name.replace(REPLICATE, CELL, 1))
                gradient[t] = made.concentrated[t] * max(1 - again / most, 0.0) + gradient[cell] / most
        return estimate(fit, replace(made, concentrated=gradient), targets, gradient)

    def asked(self, cells: Ints, again: int, rng: np.random.Generator) -> Judgments:
        """These cells with so many of their answers, drawn at random."""
        values, offsets = self.answers
        count = offsets[cells + 1] - offsets[cells]
        cell = np.repeat(np.arange(len(cells)), count)
        start = np.cumsum(count) - count
        value = values[np.arange(len(cell)) - np.repeat(start - offsets[cells], count)]
        order = np.lexsort((rng.random(len(cell)), cell))
        kept = order[np.arange(len(cell)) - start[cell] < again]
        n = np.bincount(cell[kept], minlength=len(cells))
        mean = np.bincount(cell[kept], value[kept], len(cells)) / n
        ss = np.asarray(np.bincount(cell[kept], (value[kept] - mean[cell[kept]]) ** 2, len(cells)), dtype=float)
        mask = np.zeros(self.table.n_cells, dtype=bool)
        mask[cells] = True
        part = self.table.keep(mask)
        return replace(part, n=n, mean=mean, ss=ss, low=mean, high=mean, status={"ok": n}, distinct=None, origin=None)


def _without_groups(judgments: Judgments) -> Judgments:
    """The table without what groups its items, judges or prompts, which keep labels of their own.

    Levels are drawn from those of the table, one as likely as the other whatever their group, so that the group is a
    part of what they differ by.

    Raises
    ------
    NotEstimable
        If a facet is nested in one that plans choose levels of, or in the items.
    """
    chosen = {judgments.object, JUDGE, PROMPT, TEMPERATURE}
    nested = {facet.name: facet.parent for facet in judgments.facets if facet.parent is not None}
    for name, parent in nested.items():
        if parent in chosen:
            raise NotEstimable(
                f"{name} is nested in {parent}: a plan that has fewer of one would have others of the other, which "
                f"this table does not tell apart; read it with {parent} and {name} crossed, or one level of {parent}"
            )
    groups = set(nested.values())
    kept = [facet for facet in judgments.facets if facet.name not in groups]
    facets, columns = [], []
    for facet in kept:
        if facet.name in nested:
            labels = tuple(map(str, level_labels(judgments, facet.name)))
            facets.append(Facet(facet.name, facet.column, labels, fixed=facet.fixed))
            columns.append(judgments.level_codes([facet.name]))
        else:
            facets.append(facet)
            columns.append(judgments.column(facet.name).astype(np.int64))
    return replace(judgments, facets=tuple(facets), codes=np.column_stack(columns).astype(np.int32))


def in_words(design: Mapping[str, int], layout: str = "") -> str:
    """Levels of every facet of a design."""
    said = " × ".join(counted(int(count), name) for name, count in design.items() if count > 1)
    return f"{said}, {layout}" if layout not in ("", "factorial") else said
