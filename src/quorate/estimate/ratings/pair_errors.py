"""Differences of every two systems of a board of scores, each with the interval that `quorate.compare` has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.methods import JointMeans, NoSpread
from quorate.estimate.means.intervals import score_ends
from quorate.estimate.means.mean import Estimate, aimed
from quorate.estimate.means.missing_bounds import drawn
from quorate.estimate.means.pairs import pair_reaches, undetermined
from quorate.estimate.means.reach import is_complete, is_setup
from quorate.estimate.means.targets import POPULATION, Target, among
from quorate.frozen import dataclass
from quorate.numerics.reach import KAPPA
from quorate.numerics.study_power import half_widths
from quorate.table.judgments import Judgments
from quorate.wording import Brief

_ROUNDING = 1e-13
"""Part of what is subtracted below which its differences are rounding errors."""
_PLACES = 9
"""Decimals of the largest difference to which systems are told from equal ones."""
MOST_SYSTEMS = 20
"""Systems whose tables have gaps of which every two are compared by themselves: with more it would take long."""


@dataclass(frozen=True, eq=False)
class PairErrors(Brief):
    """Differences of every two systems, and what their intervals rest on; arrays have shape (systems, systems).

    Parameters
    ----------
    value : array
        By how much the row is ahead of the column: its mean less that of the column, or where less is better the rest.
    variance, df : array
        Over items; see `quorate.numerics.reach.Reach`.
    effects : tuple of (array, array, float)
        Square, noise and degrees of freedom of every facet that stands for others.
    drawn : array
        Items, or what groups them where groups are drawn.
    span : float
        How far apart two scores may be; infinite for scores without ends.
    """

    value: Floats
    variance: Floats
    df: Floats
    effects: tuple[tuple[Floats, Floats, float], ...]
    drawn: Floats
    span: float

    @property
    def parts(self) -> tuple[tuple[Floats, float], ...]:
        """What intervals count of every drawn facet, and its degrees of freedom."""
        return tuple((np.maximum(square - KAPPA * noise, 0.0), df) for square, noise, df in self.effects)

    @property
    def square(self) -> Floats:
        """Square of the standard error of each difference."""
        return np.asarray(self.variance + self.beyond_items)

    @property
    def freedom(self) -> Floats:
        """Satterthwaite's degrees of freedom of that."""
        spent = self.variance**2 / self.df + sum(
            np.maximum(square - noise, 0.0) ** 2 / df for square, noise, df in self.effects
        )
        return np.where(spent > 0, self.square**2 / np.maximum(spent, 1e-300), self.df)

    @property
    def beyond_items(self) -> Floats:
        """What is left of the variance of each difference with any number of items."""
        return np.asarray(
            sum((np.maximum(square - noise, 0.0) for square, noise, _ in self.effects), 0 * self.variance)
        )

    @property
    def covariance(self) -> Floats:
        """Covariance of the means about their average under which differences vary so, or more where none does."""
        k = len(self.value)
        apart = np.eye(k) - 1 / k
        values, vectors = np.linalg.eigh(-apart @ self.square @ apart / 2)
        return np.asarray(vectors * np.maximum(values, 0.0) @ vectors.T)

    def half_width(self, upper: float | Floats) -> Floats:
        """Half of each interval, by the upper point of its tails, or those of every row."""
        half = half_widths(upper, self.variance, self.df, self.parts)
        return np.where(self.alike, self._bound(upper), half)

    @property
    def alike(self) -> Bools:
        """Pairs whose scores differ by the same in every cell: nothing varies that an interval could rest on."""
        squares = [self.variance, *(square for square, _, _ in self.effects)]
        return np.asarray(np.max(squares, axis=0) == 0)

    @property
    def copies(self) -> Bools:
        """Of these, those whose scores are the same."""
        return np.asarray(self.alike & (self.value == 0))

    def _bound(self, upper: float | Floats) -> Floats:
        """How far below what was found a difference may be that was the same on all items; as for `SameDifference`."""
        others = 1 - (2 - 2 * np.asarray(upper)) ** (1 / self.drawn)
        return np.asarray(others * (np.abs(self.value) + self.span))

    @property
    def standing(self) -> Floats:
        """How far each is ahead of the average of all; shape (systems,)."""
        return np.asarray(self.value.mean(axis=1))

    def best_first(self) -> Ints:
        """The systems, best first; equal ones as they come."""
        most = float(np.abs(self.value).max(initial=0.0))
        return np.argsort(-np.round(self.standing / (most or 1.0), _PLACES), kind="stable")

    def of(self, systems: Ints) -> PairErrors:
        """The same of some systems, in their order."""
        at = np.ix_(systems, systems)
        effects = tuple((square[at], noise[at], df) for square, noise, df in self.effects)
        return PairErrors(self.value[at], self.variance[at], self.df[at], effects, self.drawn[at], self.span)


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """Every two systems as `quorate.compare` finds them, each once: boards for this setup and for others ask for both.

    Parameters
    ----------
    joint : JointMeans
        One model of all of them.
    judgments : Judgments
        What was judged.
    """

    joint: JointMeans
    judgments: Judgments

    @cached_property
    def found(self) -> Mapping[tuple[str, str], Estimate | NoSpread]:
        """The first less the second: of the model of all where the scores of the two are too few for one."""
        out: dict[tuple[str, str], Estimate | NoSpread] = {}
        for a, b in combinations(self.joint.systems, 2):
            try:
                out[a, b] = difference(self.judgments, a, b, facet=self.joint.facet, targets=self.joint.asked).estimate
            except NoSpread as same:
                out[a, b] = same
            except NotEstimable:
                out[a, b] = self.joint.contrast(signs(self.joint, a, b))
        return out


def pair_errors(compared: Compared, systems: Sequence[str], targets: Mapping[str, Target]) -> PairErrors:
    """Differences of every two systems; those of `quorate.compare`, but of one model for all where there are many gaps.

    Parameters
    ----------
    compared : Compared
        What was judged, and the model of it.
    systems : sequence of str
        In the order of the board.
    targets : mapping of str to str
        What facets stand for, all of them.
    """
    found = _pair_errors(compared, systems, targets)
    return replace(found, value=0.0 - found.value) if compared.judgments.less_is_better else found


def _pair_errors(compared: Compared, systems: Sequence[str], targets: Mapping[str, Target]) -> PairErrors:
    """The same of means as they are, row less column."""
    joint, judgments = compared.joint, compared.judgments
    facet, answered = joint.facet, judgments.keep(judgments.n > 0)
    order = [answered.level_index(facet, name) for name in systems]
    if not joint.chosen and is_complete(answered) and facet not in answered.ancestors(answered.object):
        return _of_complete(answered, facet, np.array(order), targets)
    if joint.chosen or len(systems) > MOST_SYSTEMS:
        return _of_model(joint, systems, targets)
    k, place_of = len(systems), {name: place for place, name in enumerate(systems)}
    value, variance, df, items = np.zeros((k, k)), np.zeros((k, k)), np.ones((k, k)), np.ones((k, k))
    effects: list[tuple[Floats, Floats, float]] = []
    for (a, b), found in compared.found.items():
        i, j = place_of[a], place_of[b]
        value[i, j], value[j, i] = found.value, -found.value
        if isinstance(found, NoSpread):
            items[i, j] = items[j, i] = drawn(found.pairs.judgments)[1]
            continue
        one = aimed(found, among(found.target, targets))
        reach = one.reach
        variance[i, j] = variance[j, i] = one.variance if reach is None else reach.variance
        df[i, j] = df[j, i] = one.df if reach is None else reach.df
        for place, effect in enumerate(() if reach is None else reach.effects):
            if place == len(effects):
                effects.append((np.zeros((k, k)), np.zeros((k, k)), effect.df))
            effects[place][0][i, j] = effects[place][0][j, i] = effect.square
            effects[place][1][i, j] = effects[place][1][j, i] = effect.noise
    return PairErrors(value, variance, df, tuple(effects), items, _span(answered))


def _span(judgments: Judgments) -> float:
    ends = score_ends(judgments)
    return np.inf if ends is None else ends[1] - ends[0]


def signs(joint: JointMeans, a: str, b: str) -> Floats:
    """Weights of the means in the difference of two systems."""
    return np.array([(name == a) - (name == b) for name in joint.systems], dtype=float)


def _of_model(joint: JointMeans, systems: Sequence[str], targets: Mapping[str, Target]) -> PairErrors:
    """The same by the one model of all systems."""
    rows = joint.rows[[joint.systems.index(name) for name in systems]]
    for i, j in undetermined(joint.fit, rows, joint.targets):
        joint.contrast(signs(joint, systems[i], systems[j]))  # which says what is open, unless it is slight
    found = pair_reaches(joint.fit, rows, among(joint.targets, targets))

    def both(of_pairs: Floats, diagonal: float) -> Floats:
        out = np.full((len(systems), len(systems)), diagonal)
        one, other = np.triu_indices(len(systems), 1)
        out[one, other] = out[other, one] = of_pairs
        return out

    value = rows @ joint.fit.beta
    effects = tuple((both(square, 0.0), both(noise, 0.0), df) for square, noise, df in found.effects)
    items = np.full((len(systems), len(systems)), float(joint.fit.judgments.n_levels(joint.fit.judgments.object)))
    variance, df = both(found.variance, 0.0), both(found.df, 1.0)
    return PairErrors(value[:, None] - value, variance, df, effects, items, _span(joint.fit.judgments))


def _of_complete(judgments: Judgments, facet: str, order: Ints, targets: Mapping[str, Target]) -> PairErrors:
    """The same where every item has all cells of every system: sums of squares and products of their means."""
    item = judgments.object
    over = judgments.ancestors(item)
    strata = [name for name in over if targets[name] != POPULATION]
    clusters = [name for name in reversed(over) if targets[name] == POPULATION]
    unit = judgments.level_codes([clusters[0] if clusters else item])
    stratum = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    if strata:
        stratum[unit] = judgments.level_codes(strata)
    system = np.argsort(order)[judgments.column(facet)]
    k, n = len(order), len(stratum)
    cells = np.bincount(system, minlength=k)[0]
    mean = _sums(judgments, [unit, system], (n, k)) / cells  # what each brings to its system's mean
    variance, df, _ = _over_units(mean, stratum)
    total, largest = mean.sum(axis=0), float(np.abs(mean).sum(axis=0).max())
    effects = []
    for name in judgments.names:
        if targets[name] != POPULATION or not is_setup(judgments, name):
            continue
        levels = judgments.n_levels(name)
        own = _sums(judgments, [unit, judgments.level_codes([name]), system], (n, levels, k)) * levels / cells
        means = own.sum(axis=0)
        noise = _over_units((own - own.mean(axis=1, keepdims=True)).reshape(n, -1), 0 * stratum)[2]
        noise = np.einsum("lalb->ab", noise.reshape(levels, k, levels, k)) / (levels - 1)
        square, noise = (_apart(of, largest) / levels for of in (np.cov(means.T), noise))
        effects.append((square, noise, levels - 1.0))
    apart = total[:, None] - total
    apart[np.abs(apart) <= _ROUNDING * largest] = 0.0
    items = np.full((k, k), float(drawn(judgments)[1]))
    return PairErrors(apart, variance, df, tuple(effects), items, _span(judgments))


def _sums(judgments: Judgments, codes: Sequence[Ints], shape: tuple[int, ...]) -> Floats:
    place = np.ravel_multi_index(tuple(codes), shape)
    return np.asarray(np.bincount(place, judgments.mean, int(np.prod(shape))), dtype=np.float64).reshape(shape)


def _over_units(brought: Floats, stratum: Ints) -> tuple[Floats, Floats, Floats]:
    """Variance of every difference of columns, its degrees of freedom as by Welch, and the covariance of the columns.

    A unit that is all its stratum has counts as the others do.
    """
    covariance, parts = np.zeros((brought.shape[1], brought.shape[1])), []
    seen = 0
    for h in range(int(stratum.max()) + 1):
        own = brought[stratum == h]
        if len(own) > 1:
            apart = own - own.mean(axis=0)
            part = apart.T @ apart * len(own) / (len(own) - 1)
            parts.append((part, len(own) - 1))
            covariance, seen = covariance + part, seen + len(own)
    lost = len(brought) / max(seen, 1)
    largest = float(np.abs(brought).sum(axis=0).max())
    variance = _apart(covariance, largest) * lost
    spent = sum(((_apart(part, largest) * lost) ** 2 / free for part, free in parts), np.zeros_like(variance))
    df = np.divide(variance**2, spent, out=np.full_like(variance, float(max(seen - len(parts), 1))), where=spent > 0)
    return variance, df, covariance * lost


def _apart(covariance: Floats, largest: float) -> Floats:
    """Variances of differences of numbers up to the largest; 0 where only rounding errors are left."""
    both = np.diag(covariance)[:, None] + np.diag(covariance)
    apart = both - 2 * covariance
    return np.where(apart > _ROUNDING * both + (_ROUNDING * largest) ** 2, apart, 0.0)
