"""Search of every allowed design: the price and variance of each, and those that nothing beats.

Every design is looked at, so the optimum is one; what makes it quick is that designs that share a layout are one
calculation on arrays. A design is kept while no other is as cheap and better, so the best for any budget and the
cheapest for any precision are among the few that remain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.planning.designs.dstudy import bill
from quorate.planning.designs.layouts import Layout, lay_out
from quorate.planning.designs.prices import Prices
from quorate.planning.designs.sources import Source
from quorate.planning.designs.studies import Studies
from quorate.planning.search.grid import CATEGORIES, REPLICATE, Grid, Piece
from quorate.waiting import each
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.planning.designs.dstudy import Projection
    from quorate.planning.search.paid import Paid

_AT_ONCE = 250_000
_AT_A_TIME = 4_000
"""Designs whose intervals are found at once, each of many studies."""
_UPPER = 0.975
_KNOTS = 10
"""Numbers of items for which intervals are found; those of the frontier are found again, each by itself."""
_FEW_ITEMS = 6
"""Items beyond one, beyond a whole turn and beyond one of each category: each number is one of these, for intervals
change most where the degrees of freedom are few."""
_CLOUD = 2_000
_DIGITS = 12  # of the logarithm: prices and variances that differ by less are equal
_ALIKE = 1e-12


@dataclass(frozen=True)
class Kept(Brief):
    """Designs of many pieces.

    Parameters
    ----------
    cost, variance : array, shape (designs,)
        Price and variance of the mean.
    width : array, shape (designs,)
        What designs are compared by beside their price, squared: the standard error, or half the interval.
    piece, index : array of int, shape (designs,)
        Piece of each design, and its place in it.
    levels : array of int, shape (designs,)
        Levels of all facets but the items.
    """

    cost: Floats
    variance: Floats
    width: Floats
    piece: Ints
    index: Ints
    levels: Ints

    def take(self, which: Ints | NDArray[np.bool_]) -> Kept:
        """Some of the designs."""
        return Kept(*(getattr(self, field.name)[which] for field in fields(self)))


@dataclass(frozen=True)
class Found(Brief):
    """What a search found.

    Parameters
    ----------
    pieces : tuple of Piece
        The designs.
    frontier : Kept
        Those that no other beats, by rising price and falling variance.
    cloud : Kept
        About two thousand of all of them, for a picture.
    candidates : int
        Designs whose variance the data determine.
    refused : int
        Designs whose variance the data leave open, or that have too few levels to speak for others.
    by_interval : bool
        Whether designs were compared by their intervals.
    """

    pieces: tuple[Piece, ...]
    frontier: Kept
    cloud: Kept
    candidates: int
    refused: int
    by_interval: bool = False

    def reach(self, plan: Projection) -> float:
        """What designs are compared by: half their 95% intervals, or their standard errors."""
        return plan.half_width if self.by_interval else plan.se


def search(source: Source, grid: Grid, prices: Prices, *, by_interval: bool = False, paid: Paid | None = None) -> Found:
    """Price and judge every design of a grid, by its standard error or by the width of its interval.

    With judgments that are paid for, the price is that of the rest.

    Raises
    ------
    InvalidInput
        If prices leave a design without one.
    """
    pieces = tuple(part for piece in grid.pieces() for part in piece.split(_AT_ONCE))
    total = sum(piece.size for piece in pieces)
    step = max(1, total // _CLOUD)  # every so many-th design of all is in the picture
    none = np.zeros(0, dtype=np.int64)
    empty = np.zeros(0)
    frontier, cloud, refused, seen = Kept(empty, empty, empty, none, none, none), [], 0, 0
    for number, piece in each("parts of the grid of designs", [*enumerate(pieces)]):
        price, variance = judge(source, piece, prices, paid)
        width = intervals(source, piece, variance) ** 2 if by_interval else variance
        known = np.flatnonzero(np.isfinite(width))  # levels too few to speak for others leave it without end
        refused += piece.size - len(known)
        cloud.append(_kept(source, piece, number, price, variance, width, known[-seen % step :: step]))
        seen += piece.size
        left = known[survivors(price[known], width[known], frontier)]
        frontier = undominated(joined([frontier, _kept(source, piece, number, price, variance, width, left)]))
    if by_interval:
        frontier = measured(source, pieces, frontier)
    return Found(pieces, frontier, joined(cloud), total - refused, refused, by_interval)


def _kept(
    source: Source, piece: Piece, number: int, price: Floats, variance: Floats, width: Floats, index: Ints
) -> Kept:
    """Some designs of a piece."""
    where = dict(zip(piece.axes, np.unravel_index(index, piece.shape), strict=True))
    levels = np.full(len(index), sum(piece.held.values()))
    for name, place in where.items():
        if name not in (source.item, REPLICATE):
            levels += piece.axes[name][place]
    return Kept(price[index], variance[index], width[index], np.full(len(index), number), index, levels)


def judge(source: Source, piece: Piece, prices: Prices, paid: Paid | None = None) -> tuple[Floats, Floats]:
    """Price and variance of every design of a piece, flat."""
    laid = placed(source, piece)
    price = bill(source, laid, prices)
    if price is None or np.isnan(price).any():
        named = prices.get("judge")
        if not isinstance(named, Mapping):
            raise InvalidInput('prices: the price of a call is needed, {"call": usd} or {"judge": {name: usd}}')
        most = int(np.max(laid.counts.get("judge", 1)))
        raise InvalidInput(
            f"prices: {len(named)} judges have a price, and limits allow {most}; name a price for each, or allow fewer"
        )
    weights = source.weigh(laid)
    parts = [np.asarray(source.values[name] * weight) for name, weight in weights.items()]
    variance = np.broadcast_to(sum(sorted(parts, key=np.size), np.zeros(())), piece.shape)  # few numbers first
    flat = np.broadcast_to(price, piece.shape).ravel()
    return flat if paid is None else np.maximum(flat - paid.saved(piece)[0], 0.0), variance.ravel()


def intervals(source: Source, piece: Piece, variance: Floats, share: float = 0.5) -> Floats:
    """Half the interval of every design of a piece, flat; nan where its variance is left open.

    It is the one than which a share of the studies of a design find a narrower one: by default the middle one. That
    of the studies of a design is found at some numbers of items; between these, its ratio to the standard error,
    which hardly changes, is taken along the logarithm of their number.
    """
    values, along = piece.axes[source.item], list(piece.axes).index(source.item)
    spread = np.searchsorted(values[:-1], np.geomspace(values[0], values[-1], _KNOTS))
    few = [math.prod(counts.values()) for counts in ({}, piece.held, source.groups)]
    near = np.any([(values >= least) & (values <= least + _FEW_ITEMS) for least in few], axis=0)
    knots = np.unique([*np.flatnonzero(near), *spread])
    error = np.sqrt(variance.reshape(piece.shape))
    some = Piece(piece.scheme, piece.held, {**piece.axes, source.item: values[knots]})
    half = half_widths(source, some, np.arange(some.size), share).reshape(some.shape)
    at = np.take(error, knots, axis=along)
    known = np.moveaxis(np.isfinite(half), along, -1)  # fewer than three levels say nothing of others
    shown = np.where(np.isfinite(half), half, 0.0)
    ratio = np.moveaxis(np.divide(shown, at, out=np.ones_like(half), where=at > 0), along, -1)
    place = np.interp(np.log(values), np.log(values[knots]), np.arange(len(knots)))
    below = place.astype(np.int64)
    above = np.minimum(below + 1, len(knots) - 1)
    between = ratio[..., below] + (place - below) * (ratio[..., above] - ratio[..., below])
    told, partly = known[..., below] & known[..., above], known[..., below] | known[..., above]
    out = np.where(np.moveaxis(told, -1, along), np.moveaxis(between, -1, along) * error, np.inf).ravel()
    alone = np.flatnonzero(np.moveaxis(partly & ~told, -1, along).ravel() & np.isfinite(variance))
    if len(alone):  # next to a number of items that is not allowed
        out[alone] = half_widths(source, piece, alone, share)
    return out


def measured(source: Source, pieces: tuple[Piece, ...], frontier: Kept) -> Kept:
    """A frontier by the intervals of its own designs, none taken from others."""
    width = frontier.width.copy()
    for number in np.unique(frontier.piece):
        own = frontier.piece == number
        width[own] = half_widths(source, pieces[number], frontier.index[own]) ** 2
    return undominated(replace(frontier, width=width))


def half_widths(source: Source, piece: Piece, index: Ints, share: float = 0.5) -> Floats:
    """Half the interval of some designs of a piece."""
    blocks = np.array_split(index, max(1, -(-len(index) // _AT_A_TIME)))
    studies = (Studies(source, _laid(source, piece, some), source.values) for some in blocks)
    return np.concatenate([one.half_width(share=share) for one in studies])


def placed(source: Source, piece: Piece) -> Layout:
    """The layout of all designs of a piece."""
    return _laid(source, piece, None)


def _laid(source: Source, piece: Piece, index: Ints | None) -> Layout:
    counts = piece.counts() if index is None else piece.designs(index)
    replicates = counts.pop(REPLICATE)
    groups = grouped(source, counts)
    return lay_out(piece.scheme, counts, source.item, replicates=replicates, balance=source.balance, groups=groups)


def grouped(source: Source, counts: dict[str, Any]) -> Mapping[str, int]:
    """Levels of what groups the items; taken out of the counts where a design says how many."""
    categories = counts.pop(CATEGORIES, None)
    return source.groups if categories is None else dict.fromkeys(source.groups, categories)


def survivors(price: Floats, width: Floats, frontier: Kept) -> Ints:
    """Designs that may be undominated: not beaten by the frontier so far, nor by a cheaper one among them."""
    place = np.searchsorted(frontier.cost, price, side="right") - 1
    beaten = np.append(frontier.width, np.inf)[place]
    left = np.flatnonzero(width <= beaten * (1 + _ALIKE))
    order = left[np.argsort(price[left])]
    running = np.minimum.accumulate(width[order])
    return order[width[order] <= running * (1 + _ALIKE)]


def undominated(kept: Kept) -> Kept:
    """Designs that no other beats, by rising price; of those that are alike the one with most levels.

    Where a component is estimated at zero, more levels of its facet cost nothing and help if it is not zero.
    """
    rank = digits(kept.width)
    order = np.lexsort((-kept.levels, rank, digits(kept.cost)))
    before = np.append(np.inf, np.minimum.accumulate(rank[order])[:-1])
    return kept.take(order[rank[order] < before])


def digits(values: Floats) -> Floats:
    """What prices and variances are compared by: logarithms, without the digits that rounding decides."""
    return np.asarray(np.round(np.log(np.maximum(values, 1e-300)), _DIGITS))


def joined(parts: list[Kept]) -> Kept:
    """Designs of several kinds together."""
    return Kept(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Kept)))


def strategies(
    source: Source, found: Found, prices: Prices, most_cost: float, paid: Paid | None = None
) -> Iterator[tuple[Kept, Floats]]:
    """The best number of items for every combination of the rest at no more than a price, with its term weights.

    Yields
    ------
    Kept, array of shape (terms, designs)
        Designs of one piece, and the weight of every term in each.
    """
    for number, piece in enumerate(found.pieces):
        price, variance = (flat.reshape(piece.shape) for flat in judge(source, piece, prices, paid))
        along = list(piece.axes).index(source.item)
        open_ = np.where((price <= most_cost) & ~np.isnan(variance), variance, np.inf)
        best = np.expand_dims(np.argmin(open_, axis=along), along)
        flat = np.take_along_axis(np.arange(piece.size).reshape(piece.shape), best, axis=along).ravel()
        flat = flat[np.isfinite(open_.ravel()[flat])]
        kept = _kept(source, piece, number, price.ravel(), variance.ravel(), variance.ravel(), flat)
        weights = source.weigh(placed(source, piece)).values()
        rows = np.array([np.broadcast_to(weight, piece.shape).ravel()[flat] for weight in weights])
        yield kept, rows
