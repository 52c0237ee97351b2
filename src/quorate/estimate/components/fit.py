"""A fit: components by name, what the design cannot tell apart, and data projected by it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quorate import caveats
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import NotEstimable, UnknownTerm
from quorate.estimate.components.assemble import Assembled, block_facets, thinned
from quorate.estimate.components.model import CELL, Interval, canonical
from quorate.frozen import dataclass
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.mixed.information import Identified, component_df, covariance, weights
from quorate.numerics.mixed.reml import Point, squares
from quorate.numerics.mixed.solved import sampling_error
from quorate.roles import REPLICATE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.results import Result

if TYPE_CHECKING:
    from quorate.numerics.mixed.anova import Strata


# Projection of data by a fit: ``P y`` on the cells as they were read, for the scores or for others of the design.


class Projection:
    """``P = V^-1 - V^-1 W (W'V^-1 W)^- W'V^-1`` at the components of a fit; blocks are solved again, by patterns."""

    def __init__(self, fit: Fitted) -> None:
        assembled, self.solved = fit.assembled, fit.point.solved
        judgments, problem = assembled.judgments, assembled.problem
        units = problem.units
        cell = units.cell_index[units.mean_cell]
        self.block = judgments.level_codes(block_facets(judgments, assembled.model))
        self.column, self.columns = units.column[cell], len(units.column_term)
        self.weight = self.solved.weight[cell]
        self._pattern, self._fixed = units.cell_pattern[cell], assembled.fixed
        last = problem.n_within + problem.n_shared
        self._shared = [judgments.level_codes(name.split(":")) for name in assembled.names[problem.n_within : last]]

    def of(self, y: Floats) -> Floats:
        """``P y``, shape (cells,)."""
        within = self.within(y)
        score = np.concatenate([self._fixed.sums(within), *(np.bincount(code, within) for code in self._shared)])
        return self.left(y, self.solved.levels.effects(score))

    def left(self, y: Floats, effects: Floats) -> Floats:
        """``P y`` where the fixed and shared effects of ``y`` are known."""
        p = self._fixed.rows.shape[1]
        out, start = y - self._fixed.of_cells(effects[:p]), p
        for code in self._shared:
            out = out - effects[start + code]
            start += int(code.max()) + 1
        return self.within(out)

    def within(self, y: Floats) -> Floats:
        """``V_w^-1 y``: the inverse within blocks."""
        blocks = len(self._order)
        key = self.block[:, None] * self.columns + self.column
        z = np.bincount(key.ravel(), np.repeat(self.weight * y, self.column.shape[1]), blocks * self.columns)
        z = z.reshape(blocks, self.columns)
        for rows, pattern in self._members:
            z[rows] = z[rows] @ self.solved.j[pattern].T
        return np.asarray(self.weight * (y - (self.solved.gamma * z)[self.block[:, None], self.column].sum(axis=1)))

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of ``V_w^-1``, shape (cells,): of ``P`` but for what fixed and shared effects take."""
        inner = self.solved.gamma[:, None] * self.solved.j
        pairs = inner[self._pattern[:, None, None], self.column[:, :, None], self.column[:, None, :]]
        return np.asarray(self.weight - self.weight**2 * pairs.sum(axis=(1, 2)))

    @cached_property
    def _of_block(self) -> Ints:
        """Pattern of every block."""
        out = np.zeros(int(self.block.max()) + 1, dtype=np.int64)
        out[self.block] = self._pattern
        return out

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self._of_block, kind="stable")

    @cached_property
    def _members(self) -> list[tuple[Ints, int]]:
        """Blocks of every pattern."""
        parts = np.split(self._order, np.flatnonzero(np.diff(self._of_block[self._order])) + 1)
        return [(rows, int(self._of_block[rows[0]])) for rows in parts]


# Numbers of answers that go with what was answered, as after an adaptive allocation.


FEWEST_CELLS, FEWEST_ANSWERS = 10, 5
"""With fewer answers a cell's scatter goes with their number by itself."""
UNEVEN, ALIKE = 1.5, 0.5
"""Most answers over fewest, and rank correlation with the scatter, from which it is no chance."""


def answers_by_scatter(judgments: Judgments) -> tuple[Caveat, ...]:
    """What to know of means where cells that vary more were asked more often; nothing where they were not.

    By Wald's identity the mean of a cell is then off by ``-Cov(n, mean) / E[n]``: too low where its scatter comes from
    rare high scores, too high where it comes from rare low ones.

    Parameters
    ----------
    judgments : Judgments
        Of one or more answers per cell.
    """
    n = judgments.n[judgments.n > 0]
    if len(n) < FEWEST_CELLS or n.min() < FEWEST_ANSWERS or n.max() < UNEVEN * n.min():
        return ()
    variance = judgments.ss[judgments.n > 0] / (n - 1)
    alike = of_pair(spearman, variance, n) if np.ptp(variance) > 0 else 0.0
    return (caveats.adaptive_answers(int(n.min()), int(n.max()), alike),) if alike >= ALIKE else ()


Method = Literal["reml", "ml", "anova"]


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(Result):
    """A linear mixed model as it was fitted: its components, and what the design cannot tell apart."""

    assembled: Assembled = field(repr=False)
    identified: Identified = field(repr=False)
    theta: Floats = field(repr=False)
    point: Point = field(repr=False)
    method: Method
    strata: Strata | None = field(default=None, repr=False)
    interval: Interval | None = None

    @abstractmethod
    def studentised(self, basis: Any, level: float) -> float:
        """Half-width of the bootstrap-t interval of a mean, by draws of this fit."""

    @property
    def judgments(self) -> Judgments:
        """The answered judgments that were fitted."""
        return self.assembled.judgments

    @property
    def criterion(self) -> float:
        """lme4's ``REMLcrit``; minus twice the log-likelihood under ML; nan where levels are too many to know it."""
        problem = self.assembled.problem
        free = problem.n_rows - problem.p * problem.reml
        return float(self.point.criterion + 2 * free * np.log(self.assembled.scale))

    @cached_property
    def shared(self) -> dict[Any, Any]:
        """What estimates of one fit share and was made already: a board asks for the same once for every system."""
        return {}

    @cached_property
    def aliases(self) -> tuple[frozenset[str], ...]:
        """Sets of components of which only the sum can be estimated."""
        return tuple(frozenset(names) for names in self.classes if len(names) > 1)

    @cached_property
    def absorbed(self) -> tuple[str, ...]:
        """Terms with nothing left to estimate them from: absorbed by fixed effects, or one level only."""
        return tuple(self.assembled.names[t] for t in self.identified.absorbed)

    @cached_property
    def representatives(self) -> Mapping[str, int]:
        """Component that stands for every class of those that cannot be told apart, by the names in the class."""
        pairs = zip(self.classes, self.identified.classes, strict=True)
        return {" + ".join(names): members[-1] for names, members in pairs}

    @cached_property
    def variances(self) -> Mapping[str, float]:
        """Estimates of the components that can be told apart, and of the sums that can, in squared score units."""
        scale = self.assembled.scale**2
        return {name: float(self.theta[t] * scale) for name, t in self.representatives.items()}

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of all components (zero for those not fitted), from the expected information; in score units."""
        kept = list(self.identified.representatives)
        return covariance(self.assembled.problem, self.point.solved, kept) * self.assembled.scale**4

    def variance(self, term: str) -> float:
        """Variance component of a term, in squared score units.

        Parameters
        ----------
        term : str
            Facets joined by ":" in any order, ``cell``, ``replicate`` (0 where every replicate repeats its cell),
            a sum of aliased terms joined by " + ", or a
            fixed facet, which gives its sensitivity (population variance of its fitted level means, divisor M).

        Raises
        ------
        UnknownTerm
            If the model has no such term.
        NotEstimable
            If only a sum that contains it can be estimated.
        """
        if term in self.variances:
            return self._told_apart(self.classes[list(self.variances).index(term)], self.variances[term])
        names = frozenset(canonical(self.judgments, part.strip()) for part in term.split("+"))
        if len(names) == 1 and (fixed := next(iter(names))) in self.assembled.fixed.levels:
            return self.sensitivity(fixed)
        if names <= set(self.assembled.identical):
            return 0.0
        for members, value in zip(self.classes, self.variances.values(), strict=True):
            if names == frozenset(members) or (names == {CELL} and frozenset(members) == {CELL, REPLICATE}):
                return self._told_apart(members, value)
            if names & frozenset(members):
                only = " + ".join(members)
                raise NotEstimable(
                    f'"{term}" cannot be told apart in this design: only the sum {only} = {value:.6g} can', members
                )
        return self._averaged(term, names)

    def drawn(self, term: str, draws: Mapping[str, Floats]) -> Floats:
        """Draws of a term, from those of every class and fixed facet; averaged over the levels of a residual.

        Raises
        ------
        UnknownTerm
            If the model has no such term.
        NotEstimable
            If only a sum that contains it can be estimated, or nothing says how it would vary.
        """
        self.variance(term)  # refuses what is unknown or cannot be told apart, by name
        if term in draws:
            return draws[term]
        names = frozenset(canonical(self.judgments, part.strip()) for part in term.split("+"))
        for members, of_class in zip(self.classes, self.variances, strict=True):
            if names == frozenset(members) or (names == {CELL} and frozenset(members) == {CELL, REPLICATE}):
                return draws[of_class]
        name = next(iter(names))
        if name in draws:
            return draws[name]
        split = [value for key, value in draws.items() if key.split(" + ")[0].startswith(f"{name}[")]
        if not split:
            raise NotEstimable(f'"{term}": every replicate repeats its cell, so nothing says how it would vary', names)
        out: Floats = np.sum(split, axis=0) / len(self.assembled.residual_levels)
        return out

    def sensitivity(self, facet: str) -> float:
        """Population variance (divisor M) of the fitted means of a fixed facet's levels."""
        means = self.assembled.fixed.levels[facet] @ self.beta
        if len(means) < 2:
            raise NotEstimable(f'"{facet}" is not estimable: one level has no spread', {facet})
        return float(np.var(means))

    @property
    def beta(self) -> Floats:
        """Fixed-effect estimates, shape (p,)."""
        out = self.point.effects[: self.assembled.problem.p] * self.assembled.scale
        out[0] += self.assembled.center
        return out

    @cached_property
    def level_noise(self) -> Mapping[str, Floats]:
        """How much of each component is in the variance (divisor M - 1) of a fixed facet's level means."""
        problem, solved = self.assembled.problem, self.point.solved
        out = {}
        for name, levels in self.assembled.fixed.levels.items():
            centred = levels - levels.mean(axis=0)
            parts = [squares(problem, weights(problem, solved, row)) for row in centred]
            out[name] = np.sum(parts, axis=0) / max(len(levels) - 1, 1)
        return out

    @property
    def beta_covariance(self) -> Floats:
        """Covariance of the fixed-effect estimates at the estimated components, shape (p, p)."""
        p = self.assembled.problem.p
        return self.point.solved.levels.of_fixed[:p] * self.assembled.scale**2

    @property
    def fixed_effects(self) -> Mapping[str, tuple[float, float]]:
        """Estimate and standard error of every fixed effect (treatment contrasts)."""
        se = np.sqrt(np.diag(self.beta_covariance))
        each = zip(self.assembled.fixed.names, self.beta, se, strict=True)
        return {name: (float(b), float(s)) for name, b, s in each}

    @cached_property
    def sensitivities(self) -> Mapping[str, float]:
        """Sensitivity of every fixed facet of several levels."""
        return {name: self.sensitivity(name) for name, rows in self.assembled.fixed.levels.items() if len(rows) > 1}

    @cached_property
    def total(self) -> float:
        """Variance of one judgment: all components and sensitivities."""
        return sum(max(v, 0.0) for v in self.variances.values()) + sum(self.sensitivities.values())

    @cached_property
    def projected(self) -> Floats:
        """``P y`` on the cells, of scores centred and scaled: what predictions of levels add up."""
        return self.projection.left(self.assembled.y, self.point.effects)

    @cached_property
    def projection(self) -> Projection:
        """Projects data of this design at these components."""
        return Projection(self)

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader of these components must know, only what applies."""
        judgments, assembled = self.judgments, self.assembled
        out = [*judgments.source.caveats, *answers_by_scatter(judgments)]
        if assembled.missing:
            out.append(caveats.missing(assembled.missing, judgments.n_answers + assembled.missing))
        unused = not_used(judgments.notes)
        if judgments.replicate is None and unused and assembled.replicated:
            out.append(caveats.unnamed_replicates(unused))
        out += self._few_levels()
        zero = [name for name, value in self.variances.items() if value == 0]
        negative = [name for name, value in self.variances.items() if value < 0]
        absorbed = [assembled.names[t] for t in self.identified.absorbed if self.n_levels(t) > 1]
        out += [caveats.identical_replicates(assembled.identical)] if assembled.identical else []
        out += [caveats.boundary(zero)] if zero else []
        out += [caveats.negative(negative)] if negative else []
        sums = [names for names in self.aliases if names != {CELL, REPLICATE}]
        out += [caveats.aliased(*sums)] if sums else []
        out += [caveats.absorbed(absorbed)] if absorbed else []
        out += [caveats.near_alias(self.identified.condition)] if self.identified.condition > 300 else []
        out += [caveats.maximum_likelihood()] if self.method == "ml" else []
        if assembled.problem.sampled:
            error = sampling_error(assembled.problem, self.point.solved, self.covariance / assembled.scale**4)
            out.append(caveats.sampled_traces(float(error.max())))
        return tuple(out)

    def _few_levels(self) -> Iterator[Caveat]:
        pairs = zip(self.classes, self.variances.values(), strict=True)
        known = {part: value for names, value in pairs for part in names}
        for facet in self.judgments.facets:
            levels = self.judgments.n_levels(facet.name)
            if levels == 1:
                yield caveats.one_level(facet.name)
            elif levels == 2 and facet.name in known and facet.name != SYSTEM:  # systems stand for themselves
                yield caveats.few_levels(facet.name, levels)
            elif levels <= 3 and known.get(facet.name, 1.0) <= 0 and facet.name != SYSTEM:
                yield caveats.zero_with_few_levels(facet.name, levels)
        if (items := self.judgments.n_levels(self.judgments.object)) < 30:
            yield caveats.few_items(items)

    @cached_property
    def classes(self) -> tuple[tuple[str, ...], ...]:
        """Names in every class; without replicates, the replicate is in the cell's."""
        extra = not self.assembled.replicated
        out = []
        for members in self.identified.classes:
            names = [self.assembled.names[t] for t in members]
            if extra and any(name.split("[")[0] == CELL for name in names):
                names += [name.replace(CELL, REPLICATE, 1) for name in names if name.split("[")[0] == CELL]
            out.append(tuple(names))
        return tuple(out)

    def _told_apart(self, names: tuple[str, ...], value: float) -> float:
        position = self.classes.index(names)
        unit = np.zeros(len(self.theta))
        unit[list(self.identified.classes[position])] = 1.0
        if len(self.identified.null) and not np.allclose(self.identified.null @ unit, 0, atol=1e-6):
            equations = [
                " ".join(f"{factor:+.3g} {self.assembled.names[t]}" for t, factor in enumerate(row) if factor)
                for row in self.identified.null
                if abs(row @ unit) > 1e-6
            ]
            raise NotEstimable(
                f"{' + '.join(names)} cannot be told apart in this design from: {'; '.join(equations)}", names
            )
        return value

    def _averaged(self, term: str, names: frozenset[str]) -> float:
        """A residual component that differs by level, averaged over the levels; else an error that says why."""
        name = next(iter(names))
        split = [value for key, value in self.variances.items() if key.split(" + ")[0].startswith(f"{name}[")]
        split += [0.0 for key in self.assembled.identical if key.startswith(f"{name}[")]
        if len(names) == 1 and split and len(split) == len(self.assembled.residual_levels):
            return float(np.mean(split))
        if names & set(self.absorbed):
            raise NotEstimable(f'"{term}" is not estimable: one level only, or absorbed by the fixed effects', names)
        if name == REPLICATE and not self.assembled.replicated:
            raise NotEstimable('"replicate" is not estimable: no cell was judged twice', names)
        raise UnknownTerm(term, (*self.variances, *self.assembled.fixed.levels))

    def freedom(self, t: int) -> float:
        """Degrees of freedom of the mean square that component ``t`` is estimated from; see `thinned`.

        Of one that is told only together with others it is theirs.
        """
        t = next((members[-1] for members in self.identified.classes if t in members), t)
        if t not in self._freedom:
            kept, theta, some = list(self.identified.representatives), np.maximum(self.theta, 0.0), self._thin
            self._freedom[t] = component_df(some.problem, theta, kept, t) * self.n_levels(t) / some.n_levels(t)
        return self._freedom[t]

    @cached_property
    def _thin(self) -> Assembled:
        return thinned(self.assembled)

    @cached_property
    def _freedom(self) -> dict[int, float]:
        """Degrees of freedom found so far, which components, intervals and tails ask for again and again."""
        return {}

    def n_levels(self, t: int) -> int:
        """Levels of component ``t`` of the problem."""
        return self.assembled.n_levels(t)
