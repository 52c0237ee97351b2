"""Weights: what a layout and a target make of the variance of one term, and of the known biases of named judges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.targets import ABSORBED, FINITE, FIXED, PANEL, POPULATION, SENSITIVITY, Pool, Target
from quorate.numerics.assignment import toward
from quorate.numerics.panel.grubbs import effects
from quorate.plan.designs.layouts import Count, Layout
from quorate.roles import JUDGE, REPLICATE


def own_facets(name: str, all_facets: tuple[str, ...]) -> frozenset[str]:
    """Facets of a term: all of them for cells and replicates."""
    base = name.partition("[")[0]
    return frozenset(all_facets if base in (CELL, REPLICATE) else base.split(":"))


def coefficient(
    name: str,
    own: frozenset[str],
    whole: frozenset[str],
    laid: Layout,
    above: Mapping[str, tuple[str, ...]],
    uneven: Mapping[str, float],
    targets: Mapping[str, Target],
) -> Floats:
    """``sum_l (w_l - tau_l)^2`` of a term in a layout, replicates apart.

    ``own`` are the term's facets, ``whole`` those and what they are nested in. What groups items is in ``whole`` but
    not in the layout: items carry it where they are in the term; elsewhere it crosses the rest, as evenly as the items
    are spread over it and never in more combinations than there are items, or is absorbed.
    """
    if targets.get(name) == FIXED:
        return np.zeros(())
    groups = [] if laid.item in whole else [facet for facet in whole if facet not in laid.counts]
    inside = whole & laid.counts.keys()
    if any(targets[facet] == ABSORBED or facet not in laid.groups for facet in groups):
        groups, inside = [], inside | {laid.item}
    sizes = {**laid.counts, **laid.grouped}
    spread = math.prod(np.minimum(uneven.get(facet, 1.0) / sizes[facet], 1.0) for facet in groups)
    concentrated = np.asarray(
        laid.concentration(inside, 1 / np.asarray(spread)) if groups else laid.concentration(inside)
    )
    if groups:
        concentrated = np.maximum(concentrated, laid.concentration(inside | {laid.item}))
    if name.startswith(REPLICATE) or any(targets[facet] in (POPULATION, SENSITIVITY, ABSORBED) for facet in own):
        return concentrated
    # levels of the term under the target; the pool of a nested facet counts over all that it is nested in
    levels = {facet: sizes[facet] for facet in (*inside, *groups)}
    for facet, target in targets.items():
        if facet in levels and isinstance(target, Pool):
            parents = [up for up in above.get(facet, ()) if up in levels]
            levels[facet] = _size(target, levels[facet] * math.prod(sizes[up] for up in parents))
            levels |= dict.fromkeys(parents, 1)
    return toward(concentrated, math.prod(levels.values()))


def answers_of(name: str, laid: Layout) -> Count:
    """Answers that a replicate component is averaged over; 1 for others."""
    return laid.replicates if name.startswith(REPLICATE) else 1


def _size(target: Pool, levels: Count) -> Count:
    """Levels of a pool; nan where it cannot hold those of the design."""
    return np.where(np.asarray(levels) > target.size, np.nan, target.size)


def refuse_small_pools(laid: Layout, targets: Mapping[str, Target], above: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a single design that has more levels than a pool."""
    sizes = {**laid.counts, **laid.grouped}
    for name, target in targets.items():
        if isinstance(target, Pool) and name in sizes:
            levels = sizes[name] * math.prod(sizes[up] for up in above.get(name, ()) if up in sizes)
            if levels > target.size:
                raise InvalidInput(f"targets: a pool of {target.size} cannot hold the {levels:.0f} levels of {name}")


def published(name: str, target: Target, laid: Layout) -> Floats:
    """Weight of a published sensitivity in a layout."""
    concentrated = laid.concentration(frozenset({name}))
    if target == SENSITIVITY:
        return np.asarray(concentrated)
    size = _levels_meant(name, target, laid)
    if size is not None:
        factor = np.divide(size, size - 1, out=np.zeros(np.shape(size)), where=np.asarray(size) != 1)
        return np.asarray(factor * toward(concentrated, size))
    raise InvalidInput(
        f'targets: a sensitivity of {name} is known, not its population variance; use "sensitivity", "panel" or pool(K)'
    )


def spread(name: str, target: Target, laid: Layout) -> Floats:
    """Weight of a fixed facet whose levels stand for more than themselves, or do not weigh equally."""
    return toward(laid.concentration(frozenset({name})), _levels_meant(name, target, laid))


def _levels_meant(name: str, target: Target, laid: Layout) -> Count | None:
    """Levels that a target averages equally: those of the plan, or of a pool; None for a population."""
    if isinstance(target, Pool):
        return _size(target, laid.counts[name])
    return np.asarray(laid.counts[name], dtype=float) if target in (PANEL, FINITE) else None


@dataclass(frozen=True)
class KnownJudges:
    """Judges of a fit, and the second moments of their biases given its scores.

    Parameters
    ----------
    names : tuple of str
        Judges.
    moments : array, shape (judges, judges)
        Posterior mean of ``gamma gamma'``, gamma the judges' departures from their average.
    """

    names: tuple[str, ...]
    moments: Floats

    @property
    def spread(self) -> float:
        """Posterior mean of the variance of the biases, divisor M - 1."""
        return float(np.trace(self.moments)) / (len(self.names) - 1)

    def knows(self, laid: Layout) -> bool:
        """Whether the judges of a layout are named, and all of them are known."""
        return bool(laid.judges) and set(laid.judges) <= set(self.names)

    def square(self, laid: Layout) -> Floats:
        """Expected square of the bias ``sum_l (w_l - 1/M) gamma_l`` of a layout with these judges."""
        at = [self.names.index(name) for name in laid.judges]
        apart = laid.shares(JUDGE) - 1 / len(at)
        return np.asarray(np.einsum("...i,ij,...j->...", apart, self.moments[np.ix_(at, at)], apart))


def known_judges(fit: Decomposition) -> KnownJudges:
    """What a fit with fixed judges says of them; for at least 2.

    Their effects are shrunk as those of judges of one pool (`quorate.numerics.panel.grubbs.effects`), so that a spread
    that is estimated at zero does not count as none.
    """
    design, solved = fit.assembled.fixed.levels[JUDGE], fit.point.solved
    size = design.shape[1]
    centred = design - design.mean(axis=0)
    noise = centred @ solved.b[:size, :size] @ centred.T * fit.assembled.scale**2
    biases = effects(design @ fit.beta, noise)
    names = fit.judgments.facet(JUDGE).levels
    return KnownJudges(names, np.asarray(biases.covariance + np.outer(biases.mean, biases.mean)))
