"""Ranking of designs: how sure a choice is, given that the components it rests on are estimates."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.targets import SENSITIVITY
from quorate.planning.designs.studies import Studies
from quorate.planning.search.grid import Piece
from quorate.planning.search.search import Kept, digits, joined, placed, strategies
from quorate.streams import stream

if TYPE_CHECKING:
    from quorate.estimate.components.bootstrap import Bootstrap
    from quorate.planning.designs.sources import Source
    from quorate.planning.search.optimum import Optimum

_MOST_STRATEGIES = 2_000
_ALIKE = 1e-9


@dataclass(frozen=True)
class Ranking:
    """What other pilots like this one would have chosen for the same money.

    Parameters
    ----------
    top : float
        Fraction of redrawn pilots that choose the same design, whatever the number of items.
    within : float
        Fraction whose choice is at most 5% worse than the plan in half its interval, or in its standard error where
        these are compared, by the components at hand.
    loss, loss_high : float
        How much larger the standard error, or half interval, of their choices is than that of the plan, relative: the
        mean, and the largest but for 5% of pilots.
    se_low, se_high : float
        95% interval of the plan's standard error: the components that the pilot makes plausible, in the plan.
    met : float
        Fraction of those components by which the plan reaches the standard error or half-width asked for; nan where
        none was.
    strategies : int
        Designs compared: every combination of levels and layout, each with its best number of items.
    draws : int
        Redrawn pilots.
    unconverged : int
        Redrawn pilots whose fit did not converge; the best point that was found stands for them.
    """

    top: float
    within: float
    loss: float
    loss_high: float
    se_low: float
    se_high: float
    met: float
    strategies: int
    draws: int
    unconverged: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return dict(vars(self))


def ranking(best: Optimum, *, n: int = 1000, rng: np.random.Generator | int | None = None) -> Ranking:
    """How often pilots redrawn from the fitted model choose the same design, and what a wrong choice costs.

    The pilot is redrawn by parametric bootstrap; every redrawn pilot chooses among the same strategies at the plan's
    price. Components estimated at zero are redrawn from zero. Over simulated pilots ``within`` is right to
    about .1 and ``loss`` to 2 points, and the interval of the standard error holds it in 90 to 98%; ``top`` is too high
    by up to a quarter where designs are crossed, since many designs are nearly as good (``docs/methods/optimize.md``).

    Raises
    ------
    InvalidInput
        If the components were published: they come without the uncertainty that would be needed. Or if they are of log
        odds.

    References
    ----------
    Messing (2026), sections E.2 and I: the ranking of interventions by simulation. ``docs/methods/optimize.md``.
    """
    fit = best.searched.fit
    if isinstance(fit, LatentDecomposition):
        raise InvalidInput(
            "ranking: pilots are redrawn as scores that are numbers; optimise by its linear, the decomposition of the "
            "same scores as numbers"
        )
    if not isinstance(fit, Decomposition):
        raise InvalidInput(
            "ranking: published components carry no uncertainty; fit the pilot's judgments with decompose instead"
        )
    draws = np.random.default_rng(stream(0, "ranking") if rng is None else rng)
    boot = fit.bootstrap(n, rng=draws)
    kept, weights = contenders(best)
    drawn = reached(best, kept, weights, redrawn(best.searched.source, fit, boot, draws))
    here = reached(best, kept, weights, np.array(list(best.searched.source.values.values()))[:, None])[:, 0]
    likely = plausible(best.searched.source, fit, boot, draws)
    se = np.sqrt(weights[:, 0] @ likely)
    chosen = np.argmin(drawn, axis=0)
    same = drawn[0] <= drawn[chosen, np.arange(drawn.shape[1])] * (1 + _ALIKE)
    loss = np.where(same, 0.0, here[chosen] / here[0] - 1)
    low, high = np.quantile(se, [0.025, 0.975])  # what is at zero is drawn above: the plan's own may lie below all
    goal = best.target_se if best.half_width is None else best.half_width
    plan = reached(best, kept.take(np.array([0])), weights[:, :1], likely)[0]
    return Ranking(
        top=float(np.mean(same)),
        within=float(np.mean(loss <= 0.05)),
        loss=float(np.mean(loss)),
        loss_high=float(np.quantile(loss, 0.95)),
        se_low=min(float(low), best.se),
        se_high=float(high),
        met=float(np.mean(plan <= goal)) if goal is not None else float("nan"),
        strategies=len(kept.cost),
        draws=drawn.shape[1],
        unconverged=boot.unconverged,
    )


def reached(best: Optimum, kept: Kept, weights: Floats, values: Floats) -> Floats:
    """What strategies are compared by, shape (strategies, draws): standard errors, or half intervals if asked for.

    Parameters
    ----------
    best : Optimum
        What was asked for.
    kept : Kept
        The strategies.
    weights : array, shape (terms, strategies)
        Weight of every term in each.
    values : array, shape (terms, draws)
        What every term is worth.
    """
    if not best.searched.found.by_interval:
        return np.asarray(np.sqrt(weights.T @ values))
    source, pieces = best.searched.source, best.searched.found.pieces
    out = np.empty((weights.shape[1], values.shape[1]))
    for at in range(len(out)):
        piece = pieces[kept.piece[at]]
        design = piece.design(int(kept.index[at]))
        held = {name: count for name, count in design.items() if name != source.item}
        laid = placed(source, Piece(piece.scheme, held, {source.item: np.array([design[source.item]])}))
        out[at] = Studies(source, laid, dict(zip(source.values, values, strict=True))).half_width()
    return out


def contenders(best: Optimum) -> tuple[Kept, Floats]:
    """Strategies at no more than the plan's price, the best first, and the weight of every term in each."""
    searched = best.searched
    plan = searched.found.frontier.take(np.array([best.position]))
    piece = searched.found.pieces[plan.piece[0]]
    terms = searched.source.weigh(placed(searched.source, piece)).values()
    own = np.array([np.broadcast_to(weight, piece.shape).ravel()[plan.index] for weight in terms])
    others = list(strategies(searched.source, searched.found, searched.prices, best.cost * (1 + 1e-12), searched.paid))
    kept = joined([plan, *(part for part, _ in others)])
    weights = np.hstack([own, *(rows for _, rows in others)])
    order = np.lexsort((-kept.levels, digits(kept.cost), digits(kept.variance)))
    order = np.append(0, order[order != 0])[: 2 * _MOST_STRATEGIES]  # the plan is the first, whatever is as good
    first: dict[Hashable, int] = {}  # designs but for their number of items: the search may have met one in many pieces
    for position in order.tolist():
        design = searched.found.pieces[kept.piece[position]]
        counts = design.design(int(kept.index[position])) | {searched.source.item: 0}
        first.setdefault((design.scheme, tuple(sorted(counts.items()))), position)
    chosen = np.array(list(first.values())[:_MOST_STRATEGIES])
    return kept.take(chosen), weights[:, chosen]


def redrawn(source: Source, fit: Decomposition, boot: Bootstrap, rng: np.random.Generator) -> Floats:
    """What every term is worth in every redrawn pilot, shape (terms, draws).

    Fixed facets that stand for more than their levels would have had other levels: those are drawn too.
    """
    theta = np.maximum(boot.theta, 0.0)

    def spread(name: str) -> Floats:
        if source.targets[name] == SENSITIVITY:
            return np.asarray(boot.level_means[name].var(axis=1))
        drawn = draw_of(fit, name, source.targets[name])
        return np.asarray(np.maximum(boot.redrawn_square(name, drawn, rng) - theta @ drawn.noise, 0.0))

    return _by_term(source, fit, theta, spread)


def plausible(source: Source, fit: Decomposition, boot: Bootstrap, rng: np.random.Generator) -> Floats:
    """What every term may be worth, given the pilot, shape (terms, draws): the law behind intervals of components."""

    def spread(name: str) -> Floats:
        if source.targets[name] == SENSITIVITY:
            return boot.plausible_spread(name)
        drawn = draw_of(fit, name, source.targets[name])
        return np.asarray(np.maximum(boot.plausible_square(drawn, rng) - boot.plausible @ drawn.noise, 0.0))

    return _by_term(source, fit, boot.plausible, spread)


def _by_term(source: Source, fit: Decomposition, theta: Floats, spread: Callable[[str], Floats]) -> Floats:
    """Draws of every term: of its component, or of the spread of a fixed facet."""
    members = fit.representatives
    return np.array([theta[:, members[name]] if name in members else spread(name) for name in source.values])
