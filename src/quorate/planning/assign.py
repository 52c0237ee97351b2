"""Assignments: which judge scores which item with which prompt, as a table that can be carried out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from quorate import rules
from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.planning.assignment import REPLICATES, Assignment
from quorate.planning.designs.layouts import Cycle, Layout, lay_out
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.schemes import Scheme
from quorate.roles import CATEGORY, GENERATION, ITEM, JUDGE, PROMPT, REPLICATE
from quorate.streams import stream
from quorate.table.cells import Cells, completed, labels

_MOST_CALLS = 10_000_000
_RESERVED = (ITEM, CATEGORY, JUDGE, PROMPT, GENERATION, REPLICATE, "score", "status", "cell", "residual")


def assign(
    *,
    items: int | Iterable[object] | Mapping[Any, object],
    judges: Iterable[object],
    prompts: Iterable[object] = (),
    layout: LayoutName = "latin",
    seed: int = 1,
    per_item: int | None = None,
    places: Mapping[str, int] | Sequence[int] | None = None,
    generations: int | None = None,
    replicates: int = 1,
    categories: Iterable[object] | None = None,
    category_items: Mapping[str, int] | None = None,
    levels: Mapping[str, Iterable[object]] | None = None,
    pilot: int = 0,
    order: Literal["random", "given"] = "random",
) -> Assignment:
    """Which judge scores which item with which prompt: the calls of a layout, one row each, in the order of asking.

    Items are shuffled, within their category where they have one, and dealt out to the turns of the layout one after
    the other, on through the categories: so the turns of every category, as of all items, come equally often but for
    one. Judges and prompts are shuffled too, so that what does not divide evenly falls on a random few. Calls are in a
    random order of items that goes through the turns again and again: whatever part of it is done is a random part, and
    nearly balanced. All of it follows from the seed and the labels, not from the order in which they are given.

    Parameters
    ----------
    items : sequence of labels, int, or mapping
        What is to be judged: labels, a number of items labelled 1, 2, ..., or a mapping of label to category.
    judges, prompts : sequence of labels
        Who judges, and with which wordings; no prompts is one prompt that has no name.
    layout
        As for `quorate.project`. Without prompts "latin" is "cyclic", or with ``per_item`` "blocks".
    seed : int
        Root of the random numbers, 0 or greater.
    per_item : int, optional
        As for `quorate.project`.
    places : mapping of str to int, or sequence of int, optional
        As for `quorate.project`, in the order of ``judges`` where they are not named.
    generations : int, optional
        Responses of every item; judges take turns by responses. Labelled 1, 2, ...
    replicates : int
        Calls of each cell.
    categories : sequence of labels, optional
        Category of every item, in the order of ``items``.
    category_items : mapping of str to int, optional
        Items of each category, where items are a number, such as math=60,code=40.
    levels : mapping of str to sequence of labels, optional
        Other facets, such as ``{"temperature": [0, 1]}``, crossed with everything.
    pilot : int
        Items that every judge judges with every prompt, twice or more: the crossed pilot. It tells apart what the
        layout leaves together. They come first.
    order : {"random", "given"}
        Whether judges take turns in a random order, or in that of ``judges``. What does not divide evenly then falls on
        the first ones, such as the cheapest of `Optimum.judges`, and the price is that of the plan.

    Returns
    -------
    Assignment
        Columns item, category where given, generation, prompt, judge, other facets, replicate.

    Raises
    ------
    InvalidInput
        If labels repeat or are missing, a layout does not fit, or there are more than 10 million calls.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, section 3; ``docs/methods/layouts.md`` for all layouts.

    Examples
    --------
    >>> plan = assign(items=["a", "b", "c", "d"], judges=["x", "y"], layout="cyclic", seed=7)
    >>> plan.columns, plan.calls("judge")
    (('item', 'judge', 'replicate'), {'y': 2, 'x': 2})
    >>> plan.remainder
    ()
    """
    replicates = rules.whole("replicates", replicates, 1, _MOST_CALLS)
    names_of_items, group = _items(items, _of_each(items, categories, category_items))
    names = labels(judges, "judges")
    rules.one_of("order", order, ("random", "given"))
    facets = _facets(names, labels(prompts, "prompts"), generations, levels or {}, seed)
    facets = {**facets, JUDGE: names} if order == "given" else facets
    scheme = _scheme(layout, per_item, places, names, facets)
    counts = {ITEM: len(names_of_items), **{name: len(names) for name, names in facets.items()}}
    laid = lay_out(scheme, counts, ITEM, replicates=replicates, balance=(JUDGE,))
    pilot = rules.whole("pilot", pilot, 0, len(names_of_items))
    others = [count for name, count in laid.counts.items() if name != ITEM]
    calls = int(laid.calls) + pilot * math.prod(others) * max(REPLICATES, replicates)
    if calls > _MOST_CALLS:
        raise InvalidInput(f"items: a plan has at most {_MOST_CALLS:,} calls, got {calls:,}; ask for fewer")
    order_of_items = _order(names_of_items, group, 1 if not isinstance(laid.cycle, Cycle) else laid.cycle.classes, seed)
    cells = _cells(names_of_items, group, facets, order_of_items, _combinations(laid, facets, seed), replicates)
    added = np.zeros(len(cells), dtype=np.bool_)
    if pilot:
        cells, added = completed(cells, pilot, max(REPLICATES, replicates))
    parts = (cells.levels, cells.codes, cells.replicate, cells.nested)
    return Assignment(*parts, scheme=scheme, seed=seed, laid=laid, pilot=pilot, added=added)


def _of_each(
    items: object, categories: Iterable[object] | None, category_items: Mapping[str, int] | None
) -> Iterable[object] | None:
    """The category of every item, where it is said how many each has."""
    if category_items is None:
        return categories
    if not isinstance(items, Integral) or categories is not None:
        raise InvalidInput("category_items: for a number of items; items with labels have categories of their own")
    if not isinstance(category_items, Mapping):
        raise InvalidInput(f'category_items: a mapping such as {{"math": 60}} is needed, got {category_items!r}')
    counts = {name: rules.whole(f"category_items: {name}", n, 1, _MOST_CALLS) for name, n in category_items.items()}
    if sum(counts.values()) != items:
        raise InvalidInput(f"category_items: {sum(counts.values()):,} items in all, and items says {int(items):,}")
    return [name for name, count in counts.items() for _ in range(count)]


def _items(items: object, categories: Iterable[object] | None) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Labels of the items, and the category of each."""
    if isinstance(items, Mapping):
        if categories is not None:
            raise InvalidInput("categories: items map to their categories already; give them once")
        return _items(list(items), list(items.values()))
    if isinstance(items, Integral):
        count = rules.whole("items", items, 1, _MOST_CALLS)
        found: tuple[str, ...] = tuple(map(str, range(1, count + 1)))
    else:
        found = labels(items, "items")  # type: ignore[arg-type]  # checked there
    if not found:
        raise InvalidInput("items: at least one is needed, got none")
    if categories is None:
        return found, None
    group = labels(categories, "categories", repeated=True)
    if len(group) != len(found):
        raise InvalidInput(f"categories: one for each of {len(found):,} items is needed, got {len(group):,}")
    return found, group


def _facets(
    judges: tuple[str, ...],
    prompts: tuple[str, ...],
    generations: int | None,
    levels: Mapping[Any, Iterable[object]],
    seed: int,
) -> dict[str, tuple[str, ...]]:
    """Labels of every facet but the item; judges and prompts in the order in which they take turns."""
    if not judges:
        raise InvalidInput("judges: at least one is needed, got none")
    own: dict[str, tuple[str, ...]] = {}
    if generations is not None:
        own[GENERATION] = tuple(map(str, range(1, rules.whole("generations", generations, 1, _MOST_CALLS) + 1)))
    if prompts:
        own[PROMPT] = _shuffled(prompts, stream(seed, "assign/prompts"))
    own[JUDGE] = _shuffled(judges, stream(seed, "assign/judges"))
    for name, values in levels.items():
        if not isinstance(name, str) or not name.strip() or any(mark in name for mark in ":[+"):
            raise InvalidInput(f"levels: maps names of facets (not empty, without : [ or +) to labels, got {name!r}")
        if name.casefold() in (*_RESERVED, *(other.casefold() for other in own)):
            raise InvalidInput(
                f"levels: {name!r} is not free; items, judges, prompts, generations have their own arguments"
            )
        own[name] = labels(values, f"levels: {name}")
        if not own[name]:
            raise InvalidInput(f"levels: {name} needs at least one label, got none")
    return own


def _shuffled(values: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
    ordered = sorted(values)
    return tuple(ordered[at] for at in rng.permutation(len(ordered)))


def _scheme(
    layout: LayoutName,
    per_item: int | None,
    places: object,
    judges: Sequence[str],
    facets: Mapping[str, tuple[str, ...]],
) -> Scheme:
    """The layout, with places in the order in which the judges take turns."""
    if layout == "latin" and PROMPT not in facets:
        layout = "cyclic" if per_item is None else "blocks"
    if places is None:
        return Scheme(layout, per_item)
    if not isinstance(places, (Mapping, Sequence)) or isinstance(places, str):
        raise InvalidInput(f"places: maps judges to whole numbers, got {places!r}")
    if not isinstance(places, Mapping) and len(places) != len(judges):
        raise InvalidInput(f"places: one for each of {len(judges)} judges is needed, got {len(places)}")
    pairs = places.items() if isinstance(places, Mapping) else zip(judges, places, strict=True)
    named = {str(judge): count for judge, count in pairs}
    if strangers := sorted(set(named) - set(judges)):
        raise InvalidInput(f"places: {strangers[0]!r} is no judge; the judges are {', '.join(judges)}")
    if absent := sorted(set(judges) - set(named)):
        raise InvalidInput(f"places: one for each judge is needed; {absent[0]!r} has none")
    return Scheme(layout, per_item, tuple(named[judge] for judge in facets[JUDGE]), facets[JUDGE])


def _order(found: tuple[str, ...], group: tuple[str, ...] | None, classes: int, seed: int) -> Ints:
    """Items in the order of asking: item number ``i`` of it is of class ``i`` modulo the classes.

    Items are dealt to classes in turn, shuffled within their group, one group after the other. Then one of each class
    is asked about, at random, and one of each class again.
    """
    n = len(found)
    base = np.array(sorted(range(n), key=found.__getitem__))
    shuffle = stream(seed, "assign/items").random(n)
    kind = np.zeros(n) if group is None else np.unique(np.array(group), return_inverse=True)[1]
    dealt = base[np.lexsort((shuffle, kind[base]))]
    of_class = np.arange(n) % classes
    by_class = np.lexsort((stream(seed, "assign/order").random(n), of_class))
    size = np.bincount(of_class)
    turn = np.arange(n) - np.repeat(np.cumsum(size) - size, size)
    return np.asarray(dealt[by_class[np.argsort(turn * classes + of_class[by_class])]])


def _combinations(laid: Layout, facets: Mapping[str, tuple[str, ...]], seed: int) -> Ints:
    """Combinations of labels that every item meets, as places in the grid of all of them; shape (items, cells)."""
    sizes = {name: len(names) for name, names in facets.items()}
    stride = {name: math.prod(list(sizes.values())[at + 1 :]) for at, name in enumerate(sizes)}
    items, cycle = int(laid.counts[ITEM]), laid.cycle
    assigned: dict[str, Ints] = {}  # levels of the assigned facets in the order of asking, shape (items, assignments)
    if isinstance(cycle, Cycle):
        turn = np.arange(items) % cycle.classes
        assigned = {name: codes.reshape(cycle.classes, -1)[turn] for name, codes in cycle.levels.items()}
    elif cycle is not None:
        assigned[JUDGE] = stream(seed, "assign/draws").integers(cycle.judges, size=(items, cycle.per_item))
        if cycle.generations is not None:
            assigned[GENERATION] = np.arange(cycle.per_item)[None, :]
    crossed = [name for name in sizes if name not in assigned]
    grid = np.zeros(1, dtype=np.int64)
    for name in crossed:
        grid = (grid[:, None] + stride[name] * np.arange(sizes[name])).ravel()
    own = sum((stride[name] * codes for name, codes in assigned.items()), np.zeros((items, 1), int))
    return np.sort((own[:, :, None] + grid).reshape(len(own), -1), axis=1)


def _cells(
    found: tuple[str, ...],
    group: tuple[str, ...] | None,
    facets: Mapping[str, tuple[str, ...]],
    order: Ints,
    combinations: Ints,
    replicates: int,
) -> Cells:
    """The calls of combinations of labels, items in the order of asking and the category of each."""
    items, each = combinations.shape
    item = np.repeat(np.arange(items), each * replicates)
    place = np.unravel_index(np.repeat(combinations.ravel(), replicates), [len(names) for names in facets.values()])
    levels, nested = {ITEM: tuple(map(found.__getitem__, order.tolist()))}, {}
    columns = [item]
    if group is not None:
        names, codes = np.unique(np.array(group), return_inverse=True)
        levels[CATEGORY], nested[ITEM] = tuple(names.tolist()), CATEGORY
        columns.append(codes[order][item])
    if GENERATION in facets:
        nested[GENERATION] = ITEM
    codes_of = np.column_stack([*columns, *place]).astype(np.int32)
    return Cells({**levels, **facets}, codes_of, np.tile(np.arange(1, replicates + 1), items * each), nested)
