"""The reach of a weighted sum of scores: what items bring to it, and beyond them the facets that stand for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats, Ints, occurring
from quorate.estimate.components.fit import Fitted
from quorate.estimate.components.model import of_items
from quorate.estimate.means.prediction import predict
from quorate.estimate.means.targets import ABSORBED, FINITE, FIXED, PANEL, POPULATION, Pool, Target
from quorate.numerics.reach import KAPPA, Effect, ItemModel, Reach
from quorate.table.judgments import Judgments

_MOST_EFFECTS = 600
_MOST_LEVELS = 30
_FEWEST_ITEMS = 3
_KNOWN = (PANEL, FINITE, FIXED)


def reach(
    judgments: Judgments,
    weight: Floats,
    targets: Mapping[str, Target],
    *,
    ratio: float = 0.0,
    setup_only: float = 0.0,
    crowds: Mapping[str, tuple[Floats, float, float]] = MappingProxyType({}),
    made: dict[Any, Any] | None = None,
) -> Reach | None:
    """The reach of a sum of cells, whose items are drawn; None where they stand for themselves, or for a pool.

    Parameters
    ----------
    judgments : Judgments
        Answered cells.
    weight : array, shape (cells,)
        Weight of every cell.
    targets : mapping of str to str or Pool
        What facets stand for.
    ratio : float
        Variance that scores of an item share, in units of that of the rest; only efficiency rests on it.
    setup_only : float
        Variance of unequal weights of judges, prompts and the like that stand for themselves.
    crowds : mapping of str to (array, float, float)
        Of facets of many levels: their predicted effects, their variance and its degrees of freedom.
    made : dict, optional
        Models of the same judgments and crowds that were made for other weights; this one joins them.

    Notes
    -----
    Over items: the sum of squares of what each brings (CR2). A drawn facet of L levels adds ``sum a_l^2 (W - d / 2)``
    on L - 1 degrees of freedom, cut at 0, with W the variance of its fitted level means and d what items bring to it.
    Of judges in drawn families the families say it all; in known ones, how judges differ within them. Derived and
    measured in ``docs/methods/intervals.md``.
    """
    item = judgments.object
    if targets[item] != POPULATION or any(isinstance(one, Pool) for one in targets.values()):
        return None
    if any(targets[name] not in (POPULATION, ABSORBED, *_KNOWN) for name in targets):
        return None
    layout = _Layout(Setup(judgments, targets, ratio, crowds, made), weight)
    found = layout.model.scores(weight[None, :])
    effects = tuple(layout.effect(name) for name in drawn_facets(judgments, targets))
    brought = found.each[:, 0] - found.each[:, 0].mean()
    size = float(np.sqrt(np.mean(brought**2)))
    skewness = float(np.mean(brought**3)) / size**3 if size > 0 else 0.0
    variance = float(found.covariance[0, 0]) + setup_only
    return Reach(variance, float(found.df[0]), effects, skewness, len(brought))


def errors_of_studies(
    judgments: Judgments,
    weight: Floats,
    targets: Mapping[str, Target],
    scores: Floats,
    *,
    ratio: float,
    setup_only: float = 0.0,
) -> tuple[Floats, Floats, tuple[tuple[Floats, float], ...]]:
    """What `reach` rests on in many studies of one design: variances over items, their df, and what facets add.

    Parameters
    ----------
    judgments, weight, targets, ratio, setup_only
        As for `reach`; weights and the ratio are held.
    scores : array, shape (studies, cells)
        Of every study.
    """
    layout, drawn = _Layout(Setup(judgments, targets, ratio), weight), []
    (variance,), (df,) = layout.model.spread(weight[None, :], scores)
    for name in drawn_facets(judgments, targets):
        apart, size, free = layout.apart(name)
        square = np.sum((scores @ apart.T) ** 2, axis=1)
        noise = layout.model.spread(apart, scores)[0].sum(axis=0)
        drawn.append((np.maximum(square - KAPPA * noise, 0.0) * size / free, free))
    return variance + setup_only, df, tuple(drawn)


def drawn_facets(judgments: Judgments, targets: Mapping[str, Target]) -> list[str]:
    """Facets whose levels stand for others, of the setup or of groups of items, in the order of a reach's effects."""
    few = _few_groups(judgments)
    drawn = [
        name for name in judgments.names if targets[name] == POPULATION and (is_setup(judgments, name) or name in few)
    ]
    return [name for name in drawn if not {*judgments.ancestors(name)} & {*drawn}]


def _few_groups(judgments: Judgments) -> tuple[str, ...]:
    """What groups items, as far as it has so few levels of so many items that each tells its own mean.

    Not where each is of one system alone, as users of one version are: their means are no differences, and they are
    drawn as items are.
    """
    items, over = judgments.n_levels(judgments.object), judgments.ancestors(judgments.object)
    few = [name for name in over if tell_their_mean(judgments.n_levels(name), items)]
    setup = [name for name in judgments.names if is_setup(judgments, name) and judgments.n_levels(name) > 1]

    def met(*names: str) -> int:
        return len(np.unique(judgments.level_codes(names)))

    return tuple(name for name in few if not any(met(name, other) == met(name) for other in setup))


def tell_their_mean(groups: ArrayLike, items: ArrayLike) -> NDArray[np.bool_]:
    """Whether groups of items count as levels, each with a mean of its own; many or small ones are drawn as items are.

    Both may be arrays.
    """
    return (np.asarray(groups) <= _MOST_LEVELS) & (np.asarray(items) >= _FEWEST_ITEMS * np.asarray(groups))


def is_complete(judgments: Judgments) -> bool:
    """Whether every item has every combination of the rest, each answered as often: then all cells weigh alike.

    Judges in families, and the like, are no such combinations.
    """
    setup = [name for name in judgments.names if is_setup(judgments, name)]
    crossed = prod(judgments.n_levels(name) for name in (judgments.object, *setup)) == judgments.n_cells
    nested = any(judgments.ancestors(name) for name in setup)
    return bool(crossed and not nested and np.ptp(judgments.n) == 0 and judgments.n[0] > 0)


def is_setup(judgments: Judgments, name: str) -> bool:
    """Whether a facet is part of the setup: not the item, what groups items, or what is inside items."""
    own = judgments.object
    return name not in (own, *judgments.ancestors(own)) and own not in judgments.ancestors(name)


class Setup:
    """Cells by item and by what they were judged with, whatever sum is made of them.

    Parameters
    ----------
    judgments, targets, ratio, crowds, made
        As for `reach`.
    """

    def __init__(
        self,
        judgments: Judgments,
        targets: Mapping[str, Target],
        ratio: float,
        crowds: Mapping[str, tuple[Floats, float, float]] = MappingProxyType({}),
        made: dict[Any, Any] | None = None,
    ) -> None:
        self.judgments, self.crowds, made = judgments, crowds, {} if made is None else made
        over, few = judgments.ancestors(judgments.object), _few_groups(judgments)
        groups = [name for name in reversed(over) if targets[name] == POPULATION and name not in few]
        known = [name for name in over if targets[name] in _KNOWN or (targets[name] == POPULATION and name in few)]
        strata = known[:1]  # the nearest, which are all in the next ones
        setup = [name for name in judgments.names if is_setup(judgments, name) and judgments.n_levels(name) > 1]
        above = {up for name in setup for up in judgments.ancestors(name)}
        setup = [name for name in setup if name not in above]  # the effects of families are in those of their judges
        self.names = (*strata, *setup)
        kind = (*groups[:1], None, *strata, ratio)
        if kind not in made:
            item = judgments.level_codes([groups[0] if groups else judgments.object])
            group = np.zeros(int(item.max()) + 1, np.int64)
            group[item] = judgments.level_codes(strata) if strata else 0
            parts: list[tuple[str, ...]] = [(name,) for name in strata]
            parts += _parts(judgments, item, [name for name in setup if name not in crowds]) or [()]
            shifts = (effect[judgments.level_codes([name])] for name, (effect, _, _) in crowds.items())
            score = judgments.mean - sum(shifts, np.zeros(len(item)))
            codes = np.array([_product_code(judgments, part) for part in parts])
            made[kind] = parts, ItemModel(score, item, codes, group, ratio)
        self._of_part, self.model = made[kind]

    def lowest(self, name: str) -> str:
        """The lowest facet that a facet holds, or is."""
        return next((one for one in self.names if name in self.judgments.ancestors(one)), name)

    def within(self, name: str) -> Floats:
        """What takes the mean off levels of a facet; where it is nested, that of their parent."""
        judgments = self.judgments
        code = np.zeros(judgments.n_levels(name), np.int64)
        code[judgments.level_codes([name])] = judgments.level_codes(list(judgments.ancestors(name)))
        alike = code[:, None] == code
        return np.asarray(np.eye(len(code)) - alike / alike.sum(axis=1))

    def levels(self, name: str, share: Mapping[str, Floats]) -> tuple[Floats, Floats]:
        """Weights of effects in level means less their mean, and the sum of squared parts of the levels.

        Parts of the levels of all facets in a sum may be those of several sums, in rows; the first result then has the
        shape (levels, sums, effects), the second (sums,).
        """
        lowest, own = self.lowest(name), profile_of(share[self.lowest(name)])
        level = np.zeros(own.shape[-1], np.int64)
        level[self.judgments.level_codes([lowest])] = self.judgments.level_codes([name])
        each = np.eye(int(level.max()) + 1)
        part = own @ each[level]
        rows = np.array([self._row({**share, lowest: own * one[level]}) for one in each])
        rows = np.tensordot(self.within(name), rows / np.moveaxis(part, -1, 0)[..., None], 1)
        return rows, np.sum(part**2, axis=-1)

    def _row(self, share: Mapping[str, Floats]) -> Floats:
        """Weights of all effects in a sum whose levels weigh so; of a part, products of those of its facets."""
        rows, every = [], np.ones(np.broadcast_shapes(*(one.shape[:-1] for one in share.values())))
        for part in self._of_part:
            row = every[..., None]
            for name in part:
                row = row[..., :, None] * share[name][..., None, :]
                row = row.reshape(*row.shape[:-2], -1)
            rest = prod((one.sum(axis=-1) for name, one in share.items() if name not in part), start=every)
            rows.append(row * np.asarray(rest)[..., None])
        return np.concatenate(rows, axis=-1)


def profile_of(share: Floats) -> Floats:
    """Parts of the levels of a facet in a sum, by their size; or in several, in rows."""
    return np.asarray(np.abs(share) / np.abs(share).sum(axis=-1, keepdims=True))


class _Layout:
    """A sum of cells of a setup: its items within strata, and its weights on the levels of every facet."""

    def __init__(self, setup: Setup, weight: Floats) -> None:
        self._setup, model = setup, setup.model
        # Items of one of two systems vary as its own do: whether one adds to a sum, is taken off, or both.
        added, taken = (np.bincount(model.item, side) > 0 for side in (weight > 0, weight < 0))
        sides = np.unique(added + 2 * taken, return_inverse=True)[1]
        stratum = np.unique(sides * (int(model.stratum.max()) + 1) + model.stratum, return_inverse=True)[1]
        self.model = model.within(stratum)
        codes = {name: setup.judgments.level_codes([name]) for name in setup.names}
        self._share = {name: _profile(code, weight) for name, code in codes.items()}

    def effect(self, name: str) -> Effect:
        """What a facet that stands for others brings."""
        if name in self._setup.crowds:
            _, variance, df = self._setup.crowds[name]
            profile = profile_of(self._share[self._setup.lowest(name)])
            return Effect(float(profile @ profile) * variance, 0.0, df)
        rows, size, df = self._levels(name)
        means, noise = self.model.fitted(rows)
        return Effect(size * float(means @ means) / df, size * float(noise.sum()) / df, df)

    def apart(self, name: str) -> tuple[Floats, float, float]:
        """Weights of cells in level means less their mean, the sum of squared parts of levels, and levels less 1."""
        rows, size, df = self._levels(name)
        return self.model.weights_of(rows), size, df

    def _levels(self, name: str) -> tuple[Floats, float, float]:
        """The same with weights of the effects in the place of cells."""
        rows, size = self._setup.levels(name, self._share)
        return rows, float(size), float(np.trace(self._setup.within(name)))


def _parts(judgments: Judgments, item: Ints, names: Sequence[str]) -> list[tuple[str, ...]]:
    """What has effects of its own: all facets together, or pairs of them, or each, as far as every combination is seen.

    An effect takes at least three items to be told from them.
    """
    candidates: list[list[tuple[str, ...]]] = [[tuple(names)], [*combinations(names, 2)]] if len(names) > 1 else []
    span = int(item.max()) + 1
    for parts in candidates:
        levels = [prod(judgments.n_levels(name) for name in part) for part in parts]
        if sum(levels) > _MOST_EFFECTS:
            continue
        met = (occurring(_product_code(judgments, part) * span + item) // span for part in parts)
        if all(np.bincount(one, minlength=size).min() >= 3 for one, size in zip(met, levels, strict=True)):
            return parts
    return [(name,) for name in names]


def _product_code(judgments: Judgments, part: Iterable[str]) -> Ints:
    """Place of every cell in the product of the levels of some facets."""
    code = np.zeros(judgments.n_cells, np.int64)
    for name in part:
        code = code * judgments.n_levels(name) + judgments.level_codes([name])
    return code


def _profile(code: Ints, weight: Floats) -> Floats:
    """Weights of the levels of a facet: their sums; where these mostly cancel, as of judges in a difference, sizes."""
    sums, size = np.bincount(code, weight), np.bincount(code, np.abs(weight))
    return np.asarray(sums if np.abs(sums).sum() > size.sum() / 2 else size / size.sum(), dtype=np.float64)


def shared_ratio(fit: Fitted) -> float:
    """Variance that scores of an item share, in units of that of the rest of an item's."""
    item, shared, rest = fit.judgments.object, 0.0, 0.0
    for names, value in zip(fit.classes, fit.variances.values(), strict=True):
        if item in names:
            shared += max(value, 0.0)
        elif any(of_items(name, item) for name in names):
            rest += max(value, 0.0)
    return min(shared / rest, 1e4) if rest > 0 else 1.0


def crowds_of(fit: Fitted) -> dict[str, tuple[Floats, float, float]]:
    """Facets of so many levels that these are predicted: their effects, variance, and its degrees of freedom.

    With one judge, what a prompt brings and what it brings with the judge are one component, which stands last.
    """
    judgments, assembled = fit.judgments, fit.assembled
    names = [name for name in judgments.names if is_setup(judgments, name)]
    many = [name for name in names if judgments.n_levels(name) > _MOST_LEVELS and name in assembled.names]
    places = {name: assembled.names.index(name) for name in many}
    last = {member: members[-1] for members in fit.identified.classes for member in members}
    for name, t in places.items():
        beside = {*assembled.names[last.get(t, t)].split(":")} - {name}
        if all(one in judgments.names and judgments.n_levels(one) == 1 for one in beside):
            places[name] = last.get(t, t)
    return {
        name: (
            predict(fit, assembled.names[t]).effect,
            max(float(fit.theta[t]), 0.0) * assembled.scale**2,
            fit.freedom(t),
        )
        for name, t in places.items()
    }
