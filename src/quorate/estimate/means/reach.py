"""The reach of a weighted sum of scores: what items bring to it, and beyond them the facets that stand for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.components.terms import of_items
from quorate.estimate.means.prediction import predict
from quorate.estimate.means.targets import ABSORBED, FINITE, FIXED, PANEL, POPULATION, Pool, Target
from quorate.numerics.item_scores import ItemModel
from quorate.numerics.reach import Effect, Reach

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.table.judgments import Judgments

_MOST_EFFECTS = 600
_MOST_LEVELS = 30
_KNOWN = (PANEL, FINITE, FIXED)


def reach(
    judgments: Judgments,
    weight: Floats,
    targets: Mapping[str, Target],
    *,
    ratio: float = 0.0,
    setup_only: float = 0.0,
    crowds: Mapping[str, tuple[Floats, float, float]] = MappingProxyType({}),
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

    Notes
    -----
    Over items: the sum of squares of what each brings (CR2). A drawn facet of L levels adds ``sum a_l^2 (W - d / 2)``
    on L - 1 degrees of freedom, cut at 0, with W the variance of its fitted level means and d what items bring to it.
    Derived and measured in ``docs/methods/intervals.md``.
    """
    item, over = judgments.object, judgments.ancestors(judgments.object)
    if targets[item] != POPULATION or any(isinstance(one, Pool) for one in targets.values()):
        return None
    if any(targets[name] not in (POPULATION, ABSORBED, *_KNOWN) for name in targets):
        return None
    layout = _Layout(judgments, weight, targets, ratio, crowds)
    found = layout.model.scores(weight[None, :])
    effects = [
        layout.effect(name)
        for name in judgments.names
        if targets[name] == POPULATION and name not in (item, *over) and is_setup(judgments, name)
    ]
    return Reach(float(found.covariance[0, 0]) + setup_only, float(found.df[0]), tuple(effects))


def is_complete(judgments: Judgments) -> bool:
    """Whether every item has every combination of the rest, each answered as often: then all cells weigh alike."""
    item = judgments.level_codes([judgments.object])
    rest = judgments.level_codes([name for name in judgments.names if is_setup(judgments, name)])
    crossed = (int(item.max()) + 1) * (int(rest.max()) + 1) == judgments.n_cells
    return bool(crossed and np.ptp(judgments.n) == 0 and judgments.n[0] > 0)


def is_setup(judgments: Judgments, name: str) -> bool:
    """Whether a facet is part of the setup: not the item, what groups items, or what is inside items."""
    own = judgments.object
    return name not in (own, *judgments.ancestors(own)) and own not in judgments.ancestors(name)


class _Layout:
    """Cells by item, stratum and setup, with the weights of a sum on the levels of every facet."""

    def __init__(
        self,
        judgments: Judgments,
        weight: Floats,
        targets: Mapping[str, Target],
        ratio: float,
        crowds: Mapping[str, tuple[Floats, float, float]],
    ) -> None:
        self._judgments, self._crowds = judgments, crowds
        over = judgments.ancestors(judgments.object)
        groups = [name for name in reversed(over) if targets[name] == POPULATION]
        item = judgments.level_codes([groups[0] if groups else judgments.object])
        strata = [name for name in over if targets[name] in _KNOWN]
        setup = [name for name in judgments.names if is_setup(judgments, name) and judgments.n_levels(name) > 1]
        self._few = [name for name in setup if name not in crowds]
        self._of_part = [(name,) for name in strata] + _parts(judgments, item, self._few) or [()]
        stratum = _sides(item, weight)
        if strata:
            group = _of_items(item, judgments.level_codes(strata))
            stratum = np.unique(stratum * (int(group.max()) + 1) + group, return_inverse=True)[1]
        shifts = (effect[judgments.level_codes([name])] for name, (effect, _, _) in crowds.items())
        score = judgments.mean - sum(shifts, np.zeros(len(item)))
        codes = np.array([_product_code(judgments, part) for part in self._of_part])
        self.model = ItemModel(score, item, codes, stratum, ratio)
        self._share = {name: _profile(judgments.level_codes([name]), weight) for name in (*strata, *setup)}

    def effect(self, name: str) -> Effect:
        """What a facet that stands for others brings."""
        levels = self._judgments.n_levels(name)
        share = np.abs(self._share[name]) / np.abs(self._share[name]).sum()
        if name in self._crowds:
            _, variance, df = self._crowds[name]
            return Effect(float(share @ share) * variance, 0.0, df)
        rows = np.array([self._row({**self._share, name: one}) for one in np.eye(levels)])
        weights = self.model.weights_of(rows)
        means, noise = weights @ self.model.score, self.model.scores(weights).covariance
        spread = float(np.var(means, ddof=1))
        within = float(np.trace(noise) - noise.sum() / levels) / (levels - 1)
        return Effect(float(share @ share) * spread, float(share @ share) * within, levels - 1.0)

    def _row(self, share: Mapping[str, Floats]) -> Floats:
        """Weights of all effects in a sum whose levels weigh so; of a part, products of those of its facets."""
        rows = []
        for part in self._of_part:
            row = np.ones(1)
            for name in part:
                row = np.outer(row, share[name]).ravel()
            rows.append(
                row * prod(float(one.sum()) for name, one in share.items() if name in self._few and name not in part)
            )
        return np.concatenate(rows)


def _sides(item: Ints, weight: Floats) -> Ints:
    """Whether an item adds to a sum, is taken off, or both: items of one of two systems vary as its own do."""
    added, taken = (np.bincount(item, side) > 0 for side in (weight > 0, weight < 0))
    return np.unique(added + 2 * taken, return_inverse=True)[1]


def _of_items(item: Ints, code: Ints) -> Ints:
    """Code of every item, of those of its cells."""
    out = np.zeros(int(item.max()) + 1, np.int64)
    out[item] = code
    return out


def _parts(judgments: Judgments, item: Ints, names: Sequence[str]) -> list[tuple[str, ...]]:
    """What has effects of its own: all facets together, or pairs of them, or each, as far as every combination is seen.

    An effect takes at least three items to be told from them.
    """
    candidates: list[list[tuple[str, ...]]] = [[tuple(names)], [*combinations(names, 2)]] if len(names) > 1 else []
    for parts in candidates:
        if sum(prod(judgments.n_levels(name) for name in part) for part in parts) <= _MOST_EFFECTS and all(
            _seen_often(judgments, item, part) for part in parts
        ):
            return parts
    return [(name,) for name in names]


def _seen_often(judgments: Judgments, item: Ints, part: tuple[str, ...]) -> bool:
    levels = prod(judgments.n_levels(name) for name in part)
    pairs = np.unique(_product_code(judgments, part) * (int(item.max()) + 1) + item) // (int(item.max()) + 1)
    return bool(np.bincount(pairs, minlength=levels).min() >= 3)


def _product_code(judgments: Judgments, part: Iterable[str]) -> Ints:
    """Place of every cell in the product of the levels of some facets."""
    code = np.zeros(judgments.n_cells, np.int64)
    for name in part:
        code = code * judgments.n_levels(name) + judgments.level_codes([name])
    return code


def _profile(code: Ints, weight: Floats) -> Floats:
    """Weights of the levels of a facet: their sums; where these cancel, as of judges in a difference, their size."""
    sums = np.bincount(code, weight).astype(np.float64)
    if np.abs(sums).max() > 1e-9 * np.abs(weight).sum():
        return sums
    size = np.bincount(code, np.abs(weight))
    return np.asarray(size / size.sum())


def shared_ratio(fit: Decomposition) -> float:
    """Variance that scores of an item share, in units of that of the rest of an item's."""
    item, shared, rest = fit.judgments.object, 0.0, 0.0
    for names, value in zip(fit.classes, fit.variances.values(), strict=True):
        if item in names:
            shared += max(value, 0.0)
        elif any(of_items(name, item) for name in names):
            rest += max(value, 0.0)
    return min(shared / rest, 1e4) if rest > 0 else 1.0


def crowds_of(fit: Decomposition) -> dict[str, tuple[Floats, float, float]]:
    """Facets of so many levels that these are predicted: their effects, variance, and its degrees of freedom."""
    names = [name for name in fit.judgments.names if is_setup(fit.judgments, name)]
    many = [name for name in names if fit.judgments.n_levels(name) > _MOST_LEVELS and name in fit.assembled.names]
    places = {name: fit.assembled.names.index(name) for name in many}
    return {
        name: (predict(fit, name).effect, max(float(fit.theta[t]), 0.0) * fit.assembled.scale**2, fit.freedom(t))
        for name, t in places.items()
    }
