"""Grids of designs: what an optimiser may choose from, as numbers of levels, facet by facet, and layouts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations, islice, product
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.means.targets import FINITE, PANEL, POPULATION
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import Prices, cheapest
from quorate.planning.designs.layouts import Count, fewest_items
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import MOST, Scheme, is_count
from quorate.planning.designs.sources import Source
from quorate.planning.designs.weights import own_facets
from quorate.roles import GENERATION, JUDGE, PROMPT, REPLICATE
from quorate.wording import Brief

_LONGEST = 4
"""Longest cycle, in places per judge."""
_MOST_PANELS = 100
MIXTURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""How far judges weigh equally in the mean, where a bias may be traded for variance."""


def named_panels(
    source: Source, prices: Prices, judges: Iterable[int], known: Sequence[str]
) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Judges to look at, by their number, where their residual variances are known one by one; else none.

    Every choice is looked at where there are at most 100; of more, the cheapest, the steadiest and those whose price
    times variance is least. Each is in the order of prices.
    """
    names = cheapest(prices) or tuple(known)
    if not known:
        return {}
    price, noise = _prices(prices, names), np.array([_own(source, name, known) for name in names])
    orders = (np.lexsort((noise, price)), np.lexsort((price, noise)), np.argsort(price * noise, kind="stable"))
    rank = orders[0].argsort()

    def choices(count: int) -> Iterable[tuple[int, ...]]:
        if math.comb(len(price), count) <= _MOST_PANELS:
            return combinations(range(len(price)), count)
        return dict.fromkeys(tuple(sorted(order[:count].tolist())) for order in orders)

    return {
        count: tuple(tuple(names[at] for at in sorted(chosen, key=rank.__getitem__)) for chosen in choices(count))
        for count in judges
        if count <= len(names)
    }


def weighted_cycles(
    source: Source, prices: Prices, judges: Iterable[int], *, known: Sequence[str] = (), traded: bool = False
) -> dict[int, tuple[Scheme, ...]]:
    """Cycles worth looking at, by the number of judges.

    With equal weights of judges, the variance per cost is least where judge ``l`` has places in proportion to
    ``sqrt(v_l / p_l)``: ``v_l`` the variance of one of its scores, ``p_l`` what one costs with its item. What an item's
    price and variance come to per turn depends on the design, so cycles run from those of calls and residuals alone to
    those with all of it, in whole numbers, for every length up to four places per judge.

    Parameters
    ----------
    source : Source
        What scores vary by.
    prices : mapping
        As for `quorate.project`.
    judges : iterable of int
        Numbers of judges.
    known : sequence of str
        Judges whose residual variance is known one by one.
    traded : bool
        Whether cycles also come with weights that leave a bias of the panel.

    Raises
    ------
    InvalidInput
        If nothing tells one judge from another.

    References
    ----------
    Neyman (1934), for the allocation. ``docs/methods/layouts.md``.
    """
    names = cheapest(prices) or tuple(known)
    if not names:
        raise InvalidInput(
            'layouts: "weighted" asks some judges more often, and nothing tells judges apart; give each a price, '
            + argument("prices", {"judge": {...: ...}}, text='prices={"judge": {name: usd}}')
            + ', or a residual variance, decompose(..., residual_by="judge")'
        )
    sizes = [count for count in judges if 1 < count <= len(names) and (cheapest(prices) or count == len(names))]
    panels = named_panels(source, prices, sizes, known) or {count: (names[:count],) for count in sizes}
    mixtures = MIXTURES if traded else MIXTURES[:1]
    return {
        count: tuple(
            Scheme("weighted", places=places, judges=panel, balanced=balanced)
            for panel in panels[count]
            for places in _cycles(source, prices, panel, known)
            for balanced in mixtures
        )
        for count in sizes
    }


def _cycles(source: Source, prices: Prices, names: Sequence[str], known: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Cycles for these judges, each once: whole numbers near ideal shares; equal places are the plain cycle."""
    call, own = _prices(prices, names), np.array([_own(source, name, known) for name in names])
    amounts: Mapping[str, Any] = prices
    costs = _spread_between(call, call + float(amounts.get("item", 0.0)) + float(amounts.get("generation", 0.0)))
    shared = 0.0  # what every turn brings, whoever judges: terms that have the item and that the target leaves open
    for name, value in source.values.items():
        facets = set().union(*(own_facets(term, tuple(source.counts)) for term in name.split(" + ")))
        if "[" not in name and source.item in facets and POPULATION in map(source.targets.get, facets):
            shared += value
    variances = _spread_between(own, own + shared) if known else [np.ones(len(names))]
    cycles: dict[tuple[int, ...], None] = {}
    for variance, cost in product(variances, costs):
        ideal = np.sqrt(variance / cost)
        for length in range(len(ideal) + 1, _LONGEST * len(ideal) + 1):
            places = np.maximum(1, np.rint(length * ideal / ideal.sum())).astype(int)
            places //= math.gcd(*places.tolist())
            if places.max() > places.min():
                cycles[tuple(places.tolist())] = None
    return tuple(cycles)


def _spread_between(low: Floats, high: Floats) -> list[Floats]:
    """Two ends and their geometric mean."""
    floor = 1e-12 * max(float(np.max(high)), 1e-300)
    low = np.maximum(low, floor)
    return [low, np.sqrt(low * high), high] if np.any(high > low) else [low]


def _prices(prices: Mapping[str, Any], names: Sequence[str]) -> Floats:
    """What one call of each judge costs."""
    named = prices.get(JUDGE)
    each = [named[name] if isinstance(named, Mapping) else prices.get("call", 1.0) for name in names]
    return np.asarray(np.maximum(np.array(each, dtype=float), 1e-12))


def _own(source: Source, judge: str, known: Sequence[str]) -> float:
    """Residual variance of a judge; of one that is not known, the average."""
    wanted = [judge] if judge in known else list(known)
    variances = [sum(v for name, v in source.values.items() if f"[{JUDGE}={own}]" in name) for own in wanted]
    return float(np.mean(variances)) if variances else 0.0


ROLES = {"prompts": PROMPT, "judges": JUDGE, "temperatures": "temperature"}
"""Facets that have a plural of their own among the limits."""
CATEGORIES = "categories"

_MOST_VALUES = 1_000_000
_MOST_DESIGNS = 200_000_000
_MOST_CYCLES = 100_000  # numbers of judges and prompts that are looked at one by one, as their cycles differ
_MOST_ITEMS, _MOST_LEVELS = 2_000, 50


@dataclass(frozen=True)
class Piece(Brief):
    """Designs that differ only along axes, so that one layout holds them all.

    Parameters
    ----------
    scheme : Scheme
        The layout.
    held : mapping of str to int
        Levels that all of them share.
    axes : mapping of str to array of int, shape (values,)
        Levels that differ; every combination is a design.
    """

    scheme: Scheme
    held: Mapping[str, int]
    axes: Mapping[str, Ints]

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of every axis."""
        return tuple(map(len, self.axes.values()))

    @property
    def size(self) -> int:
        """Number of designs."""
        return math.prod(self.shape)

    def counts(self) -> dict[str, Count]:
        """Levels of every facet, replicates included, as arrays that broadcast to `shape`."""
        out: dict[str, Count] = dict(self.held)
        for position, (name, values) in enumerate(self.axes.items()):
            shape = [-1 if i == position else 1 for i in range(len(self.axes))]
            out[name] = values.astype(float).reshape(shape)
        return out

    def design(self, index: int) -> dict[str, int]:
        """Levels of every facet, replicates included, of one design."""
        return {name: int(count) for name, count in self.designs(np.asarray(index)).items()}

    def designs(self, index: Ints) -> dict[str, Count]:
        """Levels of every facet, replicates included, of some designs, as `counts` has those of all."""
        where = np.unravel_index(index, self.shape)
        chosen = {name: values[at] for (name, values), at in zip(self.axes.items(), where, strict=True)}
        return {**self.held, **{name: values.astype(float) for name, values in chosen.items()}}

    def split(self, most: int) -> Iterator[Piece]:
        """Pieces of at most ``most`` designs."""
        if self.size <= most:
            yield self
            return
        name = max(self.axes, key=lambda axis: len(self.axes[axis]))
        values = self.axes[name]
        for half in (values[: len(values) // 2], values[len(values) // 2 :]):
            yield from Piece(self.scheme, self.held, {**self.axes, name: half}).split(most)


@dataclass(frozen=True)
class Grid(Brief):
    """Every design that is allowed.

    Parameters
    ----------
    item : str
        Role of the object of measurement.
    levels : mapping of str to tuple of int
        Allowed numbers of levels of every facet, replicates included; increasing.
    layouts : tuple of str
        Layouts, the simplest first.
    per_item : tuple of int
        Allowed judges per item, for "blocks", and pairs per item, for "latin".
    weighted : mapping of int to tuple of Scheme
        Weighted cycles to look at, by the number of judges.
    judges : mapping of int to tuple of tuple of str
        Judges to look at by name, by their number, where it matters which they are; empty where not.
    """

    item: str
    levels: Mapping[str, tuple[int, ...]]
    layouts: tuple[LayoutName, ...]
    per_item: tuple[int, ...]
    weighted: Mapping[int, tuple[Scheme, ...]] = field(default_factory=dict)
    judges: Mapping[int, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def pieces(self) -> Iterator[Piece]:
        """All designs, each once: a layout that comes to the same as another allowed one is left out."""
        every = {name: np.array(values, dtype=np.int64) for name, values in self.levels.items()}
        for layout, assigned in self._assigned():
            for chosen in product(*(self.levels[name] for name in assigned)):
                held = dict(zip(assigned, chosen, strict=True))
                for scheme in self._schemes(layout, held):
                    if simpler(scheme, held) in self.layouts:
                        continue
                    least = max(fewest_items(scheme, held), held.get(CATEGORIES, 1))
                    axes = {name: values for name, values in every.items() if name not in held}
                    axes[self.item] = axes[self.item][np.searchsorted(axes[self.item], least) :]
                    if len(axes[self.item]):
                        yield Piece(scheme, held, axes)

    def cycles(self) -> int:
        """How many numbers of levels `pieces` takes one by one."""
        return sum(math.prod(len(self.levels[name]) for name in assigned) for _, assigned in self._assigned())

    def _assigned(self) -> Iterator[tuple[LayoutName, tuple[str, ...]]]:
        """Layouts that there can be, and the facets of which each number has designs of its own."""
        for layout in self.layouts:
            assigned = LAYOUTS[layout].assigned or ((JUDGE,) if self.judges else ())
            if assigned and (self.item in (JUDGE, PROMPT) or not all(name in self.levels for name in assigned)):
                continue
            assigned += (GENERATION,) if LAYOUTS[layout].assigned and GENERATION in self.levels else ()
            yield layout, assigned + ((CATEGORIES,) if CATEGORIES in self.levels else ())

    def _schemes(self, layout: LayoutName, held: Mapping[str, int]) -> tuple[Scheme, ...]:
        """The ways to carry out a layout with so many judges and prompts."""
        if layout == "weighted":
            return self.weighted.get(held[JUDGE], ())
        sizes: tuple[int | None, ...] = (None,)
        if layout == "blocks":
            sizes = tuple(size for size in self.per_item if size <= held[JUDGE])
        if layout == "latin":
            sizes = (None, *(size for size in self.per_item if 1 < size < held[JUDGE] * held[PROMPT]))
        named = self.judges.get(held[JUDGE], ((),)) if self.judges else ((),)
        return tuple(Scheme(layout, size, judges=names) for size in sizes for names in named)


def simpler(scheme: Scheme, held: Mapping[str, int]) -> str | None:
    """A simpler layout that gives the same cells."""
    layout, per_item, judges = scheme.layout, scheme.per_item or 1, held.get(JUDGE, 1)
    if layout == "latin" and held[PROMPT] == 1:
        return "cyclic" if per_item == 1 else "blocks"
    if LAYOUTS[layout].assigned == (JUDGE,) and (judges == 1 or (layout == "blocks" and per_item == judges)):
        return "factorial"
    return "cyclic" if layout == "blocks" and per_item == 1 else None


def allowed(
    limits: Mapping[str, Iterable[int] | int], layouts: Sequence[LayoutName], item: str, held: Mapping[str, int]
) -> Grid:
    """Check limits and layouts from outside.

    Parameters
    ----------
    limits : mapping of str to int or iterable of int
        Allowed numbers of ``items``, ``prompts``, ``judges``, ``temperatures``, ``replicates``, ``per_item``, or of
        the levels of any other facet by its role.
    layouts : sequence of str
        Layouts to consider.
    item : str
        Role of the object of measurement.
    held : mapping of str to int
        Levels of every facet, replicates included, where limits say nothing.

    Raises
    ------
    InvalidInput
        If a limit is not made of whole numbers from 1, or names nothing that can vary.
    """
    numbers = {name: whole_numbers(name, values) for name, values in limits.items()}
    per_item = numbers.pop("per_item", ())
    known_as = roles(item)
    named = {known_as.get(name, name): values for name, values in numbers.items()}
    if len(named) < len(numbers):
        raise InvalidInput(f"limits: {', '.join(numbers)} name a facet twice; name it once")
    unknown = sorted(set(named) - set(held))
    if unknown:
        known = [*(plural for plural, role in known_as.items() if role in held), "per_item"]
        known += [name for name in held if name not in known_as.values()]
        raise InvalidInput(
            f"limits: {', '.join(map(str, unknown))} is nothing that varies here; use {', '.join(known)}"
        )
    given = (layouts,) if isinstance(layouts, str) else tuple(layouts)
    wrong = [name for name in given if name not in LAYOUTS]
    if wrong or not given:
        raise InvalidInput(f"layouts: some of {', '.join(LAYOUTS)} are needed, got {wrong or 'none'}")
    taken = "blocks" in given or ("latin" in given and PROMPT in held)
    if ("blocks" in given and not per_item) or (per_item and not taken):
        raise InvalidInput(
            'layouts: "blocks" gives per_item judges to every item, and "latin" may give it per_item pairs; name both '
            'layouts=("blocks", ...) and limits={"per_item": [2, 3]}, or neither'
        )
    levels = {name: named.get(name, (count,)) for name, count in held.items()}
    return Grid(item, levels, tuple(name for name in LAYOUTS if name in given), per_item)


def roles(item: str) -> dict[str, str]:
    """What limits name by a plural, with the facet that each is of."""
    return {"items": item, "replicates": REPLICATE, CATEGORIES: CATEGORIES, **ROLES}


def whole_numbers(name: str, values: Any) -> tuple[int, ...]:
    """The numbers of a limit, increasing and once each, if they can be that."""
    try:
        several = () if isinstance(values, str | bytes | Mapping) else values
        numbers = [values] if isinstance(values, int | np.integer) else list(islice(several, _MOST_VALUES + 1))
    except TypeError:
        numbers = []
    ends = [numbers[0], numbers[-1]] if isinstance(values, range) and numbers else numbers  # all others lie between
    if not numbers or not all(is_count(value) for value in ends):
        text = repr(values)
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise InvalidInput(f"limits: {name} must be whole numbers from 1 to {MOST:,}, got {shown}")
    if len(numbers) > _MOST_VALUES:
        raise InvalidInput(f"limits: {name} may have {_MOST_VALUES:,} values; take larger steps")
    return tuple(sorted({int(value) for value in numbers}))


def checked(grid: Grid) -> Grid:
    """The grid, if it has a design and not too many of them.

    Raises
    ------
    InvalidInput
        If it has none, or more than can be searched.
    """
    if grid.cycles() > _MOST_CYCLES:
        raise InvalidInput(
            f"limits: {grid.cycles():,} numbers of judges and prompts are more than the {_MOST_CYCLES:,} that can be "
            "searched; take larger steps"
        )
    designs = sum(piece.size for piece in grid.pieces())
    if designs == 0:
        raise InvalidInput(
            f"layouts: none of {', '.join(grid.layouts)} fits the limits; a cycle needs judges (and prompts), and at "
            "least as many items as combinations"
        )
    if designs > _MOST_DESIGNS:
        raise InvalidInput(
            f"limits: {designs:,} designs are more than the {_MOST_DESIGNS:,} that can be searched; take larger steps"
        )
    return grid


def around(source: Source, prices: Prices) -> dict[str, tuple[int, ...]]:
    """Up to four times the items, twice the levels of facets that are drawn, and a few replicates.

    Facets that stand for themselves keep their levels: with fewer, the mean would be of something else. Judges are at
    most as many as have a price.
    """
    items = source.counts[source.item]
    out: dict[str, tuple[int, ...]] = {"items": _between(2, 4 * items, _MOST_ITEMS, items)}
    for name, count in source.counts.items():
        if name != source.item and source.targets[name] not in (PANEL, FINITE):
            out[name] = _between(1, max(2 * count, count + 2), _MOST_LEVELS, count)
    out[REPLICATE + "s"] = tuple(range(1, max(source.replicates, 3) + 1))
    if (named := len(cheapest(prices))) and JUDGE in out:
        out[JUDGE] = tuple(n for n in out[JUDGE] if n <= named)
    return out


def _between(least: int, most: int, values: int, own: int) -> tuple[int, ...]:
    """Every number, or as many as are worth looking at, that of the design at hand among them."""
    steps = np.linspace(least, most, min(most - least + 1, values)).astype(int)
    return tuple(np.union1d(steps, max(own, least)).tolist())
