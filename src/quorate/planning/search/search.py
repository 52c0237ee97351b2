"""Search of every allowed design: the price and variance of each, and those that nothing beats.

Every design is looked at, so the optimum is one; what makes it quick is that designs that share a layout are one
calculation on arrays. A design is kept while no other is as cheap and better, so the best for any budget and the
cheapest for any precision are among the few that remain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.means.targets import is_grouping
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import Prices, Projection, bill, cheapest
from quorate.planning.designs.layouts import Cycle, Layout, lay_out
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.sources import Source, is_attribute
from quorate.planning.designs.studies import Studies
from quorate.planning.search.grid import CATEGORIES, Grid, Piece
from quorate.roles import GENERATION, JUDGE, PROMPT, REPLICATE
from quorate.table.judgments import Judgments
from quorate.waiting import each
from quorate.wording import Brief

_MOST_PAIRS = 2_000
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Paid:
    """Judgments at hand, by the places that their levels take in a plan.

    A plan takes the levels with most judgments first, and keeps a judgment where it has its cell. Where judges take
    turns, items go to the turns that keep most of what they have: the most that can be kept where all items have the
    same judgments, or one each; else what a good choice keeps, never more than can be.

    Parameters
    ----------
    source : Source
        Facets and items of the plans.
    prices : mapping
        As for `quorate.project`.
    have : Judgments
        The judgments.
    places : mapping of str to array of int, shape (cells,)
        Place of each cell's level among those of its facet, within one parent for nested facets.
    answers : array of int, shape (cells,)
        Judgments of each cell.
    judge_names : tuple of str
        Judge of each place.
    """

    source: Source
    prices: Prices
    have: Judgments
    places: Mapping[str, Ints]
    answers: Ints
    judge_names: tuple[str, ...]

    @property
    def total(self) -> int:
        """Judgments that are paid for."""
        return int(self.answers.sum())

    def holds(self, judgments: Judgments) -> bool:
        """Whether these are the judgments of a study."""
        same = [facet.levels for facet in judgments.facets] == [facet.levels for facet in self.have.facets]
        return same and np.array_equal(judgments.codes, self.have.codes) and np.array_equal(judgments.n, self.have.n)

    def saved(self, piece: Piece) -> Floats:
        """Money and judgments that need not be spent on each design of a piece, shape (2, designs)."""
        scheme = piece.scheme
        if scheme.layout == "random":  # judges are drawn, whatever was judged before
            kept = np.zeros((2, *piece.shape))
        else:
            cycle = placed(self.source, piece).cycle
            kept = self._in_turns(piece, cycle) if isinstance(cycle, Cycle) else self._crossed(piece)
        kept[0] += self._beside_calls(piece)
        return kept.reshape(2, -1)

    def applied(self, plan: Projection) -> Projection:
        """A plan at the price of what must still be bought."""
        places = None if plan.places is None else tuple(plan.places.values())
        scheme = Scheme(plan.layout, plan.per_item, places, plan.judges, plan.balanced)  # type: ignore[arg-type]
        held = {name: count for name, count in plan.design.items() if name != self.source.item}
        piece = Piece(scheme, held, {self.source.item: np.array([plan.design[self.source.item]])})
        money, kept = self.saved(piece)[:, 0].tolist()
        cost = None if plan.cost is None else max(plan.cost - money, 0.0)
        return replace(plan, cost=cost, reused=round(kept))

    def _beside_calls(self, piece: Piece) -> Any:
        """Price of the items, generations and prompts that are there."""
        amounts: Mapping[str, Any] = self.prices
        counts, own = piece.counts(), self.places[self.source.item]
        made = np.zeros(int(own.max()) + 1, dtype=np.int64)  # generations of every item
        np.maximum.at(made, own, self.places[GENERATION] + 1 if GENERATION in self.places else 1)
        items = np.minimum(counts[self.source.item], len(made)).astype(int)
        each, number = np.unique(np.asarray(counts.get(GENERATION, 1)), return_inverse=True)
        generations = np.array([np.append(0, np.cumsum(np.minimum(made, count))) for count in each])
        at = number.reshape(np.shape(counts.get(GENERATION, 1)))
        prompts = np.minimum(counts.get(PROMPT, 0), self.places.get(PROMPT, np.array([-1])).max() + 1)
        bought = {"item": items, "generation": generations[at, items], "prompt": prompts}
        return sum(amounts.get(kind, 0.0) * count for kind, count in bought.items())

    def _worth(self, piece: Piece) -> tuple[dict[str, Ints], Floats]:
        """Places of every cell in designs of a piece, by the judges that these have, and the price of its call."""
        names, places = piece.scheme.judges or cheapest(self.prices), dict(self.places)
        amounts: Mapping[str, Any] = self.prices
        by_judge = amounts.get("judge", amounts.get("call", 0.0))
        if not names:
            each = by_judge if not isinstance(by_judge, Mapping) else 0.0
            return places, np.full(len(self.answers), float(each))
        at = np.array([names.index(name) if name in names else _NOWHERE for name in self.judge_names], dtype=np.int64)
        priced = by_judge if isinstance(by_judge, Mapping) else dict.fromkeys(names, by_judge)
        worth = np.array([float(priced.get(name, 0.0)) for name in self.judge_names])
        return {**places, JUDGE: at[places[JUDGE]]}, worth[places[JUDGE]]

    def _crossed(self, piece: Piece) -> Floats:
        """The same where everything is crossed: the cells whose levels are all among the first of their facets."""
        places, worth = self._worth(piece)
        axes = {name: values for name, values in piece.axes.items() if name in places}
        inside = np.ones(len(self.answers), dtype=np.bool_)
        for name, count in piece.held.items():
            inside &= places[name] < count if name in places else True
        bins = [np.searchsorted(values, places[name], side="right") for name, values in axes.items()]
        for values, own in zip(axes.values(), bins, strict=True):
            inside &= own < len(values)
        shape = tuple(map(len, axes.values()))
        flat = np.ravel_multi_index([own[inside] for own in bins], shape)
        out = np.zeros((2, *piece.shape))
        for where, answers in self._replicated(piece):
            kept = np.array([answers * worth, answers])[:, inside]
            total = np.array([np.bincount(flat, row, math.prod(shape)).reshape(shape) for row in kept])
            for axis in range(1, total.ndim):
                total = np.cumsum(total, axis=axis)
            wide = [slice(None) if name in places else None for name in piece.axes]
            out[(slice(None), *where)] = total[(slice(None), *wide)]
        return out

    def _replicated(self, piece: Piece) -> Iterator[tuple[tuple[slice, ...], Ints]]:
        """For every number of replicates: the designs that have it, and what they can use of every cell."""
        values = piece.axes.get(REPLICATE, np.array([piece.held.get(REPLICATE, 1)]))
        for at, count in enumerate(values.tolist()):
            where = tuple(slice(at, at + 1) if name == REPLICATE else slice(None) for name in piece.axes)
            yield where, np.minimum(self.answers, count)

    def _in_turns(self, piece: Piece, cycle: Cycle) -> Floats:
        """The same where items meet judges in turn, for every combination of what is crossed with them."""
        places, worth = self._worth(piece)
        item = self.source.item
        sizes = {name: int(codes.max()) + 1 for name, codes in cycle.levels.items()}
        inside, tuple_of = np.ones(len(self.answers), dtype=np.bool_), np.zeros(len(self.answers), dtype=np.int64)
        row = np.zeros(len(cycle.of_class), dtype=np.int64)
        for name, size in sizes.items():
            inside &= places[name] < size
            tuple_of = tuple_of * size + np.minimum(places[name], size - 1)
            row = row * size + cycle.levels[name]
        for name, count in piece.held.items():
            inside &= places[name] < count if name in places and name not in sizes else True
        crossed = [name for name in piece.axes if name in places and name != item]
        out = np.zeros((2, *piece.shape))
        for where, answers in self._replicated(piece):
            for chosen in product(*(range(len(piece.axes[name])) for name in crossed)):
                at = dict(zip(crossed, chosen, strict=True))
                used = inside.copy()
                for name, position in at.items():
                    used &= places[name] < piece.axes[name][position]
                kept = np.array([answers * worth, answers])[:, used]
                value = _sums(places[item][used], tuple_of[used], kept, math.prod(sizes.values()))
                best = dealt(_gains(value, row, cycle), piece.axes[item])
                index = tuple(
                    slice(at[name], at[name] + 1) if name in at else whole
                    for name, whole in zip(piece.axes, where, strict=True)
                )
                along = [-1 if name == item else 1 for name in piece.axes]
                out[(slice(None), *index)] = best.reshape(2, *along)
        return out


def _sums(item: Ints, place: Ints, kept: Floats, places: int) -> Floats:
    """Money and judgments of every item at every place, shape (2, items, places)."""
    items = int(item.max(initial=-1)) + 1
    key = item * places + place
    return np.array([np.bincount(key, row, items * places).reshape(items, places) for row in kept])


def _gains(value: Floats, row: Ints, cycle: Cycle) -> tuple[Floats, Ints]:
    """What items keep in every class of turns, shape (2, kinds, classes), and how many items are of each kind."""
    gain = np.zeros((2, value.shape[1], cycle.classes))
    for class_ in range(cycle.classes):
        gain[..., class_] = value[..., row[cycle.of_class == class_]].sum(axis=-1)
    kinds, counts = np.unique(gain.transpose(1, 0, 2).reshape(gain.shape[1], -1), axis=0, return_counts=True)
    return kinds.reshape(len(kinds), 2, cycle.classes).transpose(1, 0, 2), counts


def dealt(gains: tuple[Floats, Ints], items: Ints) -> Floats:
    """What is kept when items go to turns, those that keep most first, for many numbers of items; shape (2, numbers).

    Parameters
    ----------
    gains : (array, shape (2, kinds, classes), array of int, shape (kinds,))
        Money and judgments that an item of each kind keeps in each class of turns, and items of each kind.
    items : array of int
        Numbers of items of the plans.
    """
    gain, counts = gains
    classes = gain.shape[-1]
    common = np.argsort(-counts, kind="stable")[: max(1, _MOST_PAIRS // classes)]
    gain, left = gain[:, common], np.repeat(counts[common, None], len(items), axis=1)
    room = items // classes + (np.arange(classes)[:, None] < items % classes)
    order = np.lexsort((gain[1].ravel(), gain[0].ravel()))[::-1]
    out = np.zeros((2, len(items)))
    for kind, class_ in zip(*np.unravel_index(order, gain.shape[1:]), strict=True):
        if not gain[:, kind, class_].any():
            break
        taken = np.minimum(left[kind], room[class_])
        left[kind] -= taken
        room[class_] -= taken
        out += gain[:, kind, class_, None] * taken
    return out


def paid_for(source: Source, have: Judgments, prices: Prices) -> Paid:
    """What of plans is paid for by some judgments.

    Raises
    ------
    InvalidInput
        If they are no judgments, or vary by what the plans do not know.
    """
    if not isinstance(have, Judgments):
        raise InvalidInput(f"have: expects what quorate.read returns, got {type(have).__name__}; read it first")
    if not have.n_answers:
        raise InvalidInput("have: holds no judgment that was answered; leave it out")
    if source.item not in have.names:
        raise InvalidInput(f"have: plans are of {source.item}s, and these judgments have none")
    strangers = [
        name
        for name in have.names
        if name not in source.counts
        and have.n_levels(name) > 1
        and not (is_grouping(have, name) or is_attribute(have, name))
    ]
    if strangers:
        raise InvalidInput(
            f"have: varies by {', '.join(strangers)}, of which the plans know nothing; keep one level with only()"
        )
    answered = np.asarray(have.n, dtype=np.int64)
    places = {
        name: _order(have, name, answered, source) if name in have.names else np.zeros(have.n_cells, dtype=np.int64)
        for name in source.counts
    }
    there = answered > 0
    names: tuple[str, ...] = ()
    if JUDGE in have.names and JUDGE in places:
        levels = have.facet(JUDGE).levels
        named = {int(at): levels[code] for at, code in zip(places[JUDGE], have.column(JUDGE), strict=True)}
        names = tuple(named[at] for at in sorted(named))
    elif JUDGE in places:
        names = ("",)
    return Paid(source, prices, have, {name: at[there] for name, at in places.items()}, answered[there], names)


def _order(have: Judgments, name: str, answers: Ints, source: Source) -> Ints:
    """Place of each cell's level, the level with most judgments first, within what the facet is nested in."""
    parents = [up for up in have.ancestors(name) if up in source.counts]
    code = have.level_codes([name]) if parents else have.column(name).astype(np.int64)
    above = have.level_codes(parents) if parents else np.zeros_like(code)
    first: NDArray[np.int64] = np.unique(code, return_index=True)[1]
    total, parent = np.bincount(code, answers)[code[first]], above[first]
    order = np.lexsort((-total, parent))
    start = np.searchsorted(parent[order], parent[order])
    place = np.zeros(int(code.max(initial=0)) + 1, dtype=np.int64)
    place[code[first][order]] = np.arange(len(order)) - start
    return place[code]


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
        cloud.append(kept_of(source, piece, number, price, variance, width, known[-seen % step :: step]))
        seen += piece.size
        # what may be undominated: not beaten by the frontier so far, nor by a cheaper one among them
        beaten = np.append(frontier.width, np.inf)[np.searchsorted(frontier.cost, price[known], side="right") - 1]
        left = known[width[known] <= beaten * (1 + _ALIKE)]
        left = left[np.argsort(price[left])]
        left = left[width[left] <= np.minimum.accumulate(width[left]) * (1 + _ALIKE)]
        frontier = undominated(joined([frontier, kept_of(source, piece, number, price, variance, width, left)]))
    if by_interval:
        frontier = measured(source, pieces, frontier)
    return Found(pieces, frontier, joined(cloud), total - refused, refused, by_interval)


def kept_of(
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
    price = priced(source, piece, laid, prices, paid)
    parts = sorted(Studies(source, laid, {}).parts.values(), key=np.size)  # few numbers first
    return price, np.broadcast_to(sum(parts, np.zeros(())), piece.shape).ravel()


def priced(source: Source, piece: Piece, laid: Layout, prices: Prices, paid: Paid | None) -> Floats:
    """What of every design of a piece must still be bought, flat."""
    price = bill(source, laid, prices)
    if price is None or np.isnan(price).any():
        named = prices.get("judge")
        if not isinstance(named, Mapping):
            raise InvalidInput('prices: the price of a call is needed, {"call": usd} or {"judge": {name: usd}}')
        most = int(np.max(laid.counts.get("judge", 1)))
        raise InvalidInput(
            f"prices: {len(named)} judges have a price, and limits allow {most}; name a price for each, or allow fewer"
        )
    flat = np.broadcast_to(price, piece.shape).ravel()
    return flat if paid is None else np.maximum(flat - paid.saved(piece)[0], 0.0)


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
    studies = (Studies(source, placed(source, piece, some), source.values) for some in blocks)
    return np.concatenate([one.half_width(share=share) for one in studies])


def placed(source: Source, piece: Piece, index: Ints | None = None) -> Layout:
    """The layout of all designs of a piece."""
    counts = piece.counts() if index is None else piece.designs(index)
    replicates = counts.pop(REPLICATE)
    groups = grouped(source, counts)
    return lay_out(piece.scheme, counts, source.item, replicates=replicates, balance=source.balance, groups=groups)


def grouped(source: Source, counts: dict[str, Any]) -> Mapping[str, int]:
    """Levels of what groups the items; taken out of the counts where a design says how many."""
    categories = counts.pop(CATEGORIES, None)
    return source.groups if categories is None else dict.fromkeys(source.groups, categories)


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
        kept = kept_of(source, piece, number, price.ravel(), variance.ravel(), variance.ravel(), flat)
        weights = source.weigh(placed(source, piece)).values()
        rows = np.array([np.broadcast_to(weight, piece.shape).ravel()[flat] for weight in weights])
        yield kept, rows
