"""Batches: the calls that a plan still needs, given those that were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.decide.goals.offer import Offer
from quorate.planning.assign import assign
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments


def crossed(offer: Offer, levels: Mapping[str, int], systems: Sequence[str] = ()) -> Cells:
    """All calls of the first levels of every facet.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    levels : mapping of str to int
        How many items, judges, prompts and replicates.
    systems : sequence of str
        Systems, of those on offer; all unless given.
    """
    wanted = _nothing(offer)
    chosen = [offer.systems.index(name) for name in systems or offer.systems] or [0]
    part = wanted[: levels[ITEM], :, : levels.get(PROMPT, 1), : levels[JUDGE]]
    part[:, chosen] = levels.get(REPLICATE, 1)
    return _cells(offer, wanted, _nothing(offer))


def batch(offer: Offer, plan: Projection, items: int, have: Judgments, systems: Sequence[str] = ()) -> Cells:
    """The calls that a plan of so many items still needs.

    Where judges take turns, items that were judged keep what they have, and new ones go to the turns; where everything
    is crossed, those that were judged are completed. A call that was made and gave no score is not made again.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    plan : Projection
        The plan; of two systems that are compared, for either.
    items : int
        Items of the plan that are wanted by now, of those that it has.
    have : Judgments
        All judgments so far.
    systems : sequence of str
        Systems, of those on offer; all unless given.
    """
    made, wanted = _made(offer, have), _nothing(offer)
    chosen = [offer.systems.index(name) for name in systems or offer.systems] or [0]
    names = plan.judges or offer.judge_order[: plan.design.get(JUDGE, 1)]
    judges = np.array([offer.judge_order.index(name) for name in names])
    prompts, replicates = np.arange(plan.design.get(PROMPT, 1)), plan.design.get(REPLICATE, 1)
    if not LAYOUTS[plan.layout].assigned:  # type: ignore[index]
        place = np.ix_(np.arange(items), np.array(chosen), prompts, judges)
        wanted[place] = replicates
        return _cells(offer, wanted, made)
    seen = made.any(axis=(1, 2, 3))
    new = np.flatnonzero(~seen)[: max(items - int(seen.sum()), 0)]
    if not len(new):
        return _cells(offer, wanted, made)
    cycle = len(prompts) * max(len(judges), sum((plan.places or {}).values()))
    many = max(len(new), cycle)  # a layout needs a whole cycle; of the last one some turns may be left out
    group = [offer.group_order[at] for at in np.resize(new, many)] if offer.categories is not None else None
    turns = assign(
        items=many,
        categories=group,
        judges=names,
        prompts=offer.prompts[: len(prompts)],
        layout=plan.layout,  # type: ignore[arg-type]
        per_item=plan.per_item,
        places=plan.places,
        seed=offer.seed + int(seen.sum()),
        order="given",
    )
    number = np.array([int(label) for label in turns.levels[ITEM]])[turns.code(ITEM)]
    mine = number <= len(new)
    judge = _index(turns, JUDGE, offer.judge_order)[mine]
    prompt = _index(turns, PROMPT, offer.prompts)[mine] if offer.prompts else np.zeros(int(mine.sum()), dtype=np.int64)
    for system in chosen:
        wanted[new[number[mine] - 1], system, prompt, judge] = replicates
    return _cells(offer, wanted, made)


def calls(offer: Offer, wanted: Ints) -> Cells:
    """Calls that are wanted, by item, system, prompt and judge in the orders of the offer."""
    return _cells(offer, wanted, np.zeros_like(wanted))


def together(offer: Offer, parts: Iterable[tuple[Cells, str]], have: Judgments | None) -> Cells:
    """The calls of parts of a study, each with the system that it is of where that is left out, item by item.

    Parameters
    ----------
    offer : Offer
        What may be bought, in all parts.
    parts : iterable of (Cells, str)
        Calls, all of one system if that has a name.
    have : Judgments or None
        All judgments so far; None before the first.
    """
    made = _nothing(offer) if have is None else _made(offer, have)
    wanted = made.copy()
    for cells, system in parts:
        place = [_index(cells, ITEM, offer.item_order)]
        for name, order in ((SYSTEM, offer.systems), (PROMPT, offer.prompts), (JUDGE, offer.judge_order)):
            only = order.index(system) if name == SYSTEM and system else 0
            known = name in cells.levels
            place.append(_index(cells, name, order) if known else np.full(len(cells), only, dtype=np.int64))
        np.add.at(wanted, tuple(place), 1)
    return _cells(offer, wanted, made)


def nothing(offer: Offer) -> Cells:
    """No calls."""
    return _cells(offer, _nothing(offer), _nothing(offer))


def _index(cells: Cells, name: str, order: Sequence[str]) -> Ints:
    """Place of every row's label among those on offer."""
    place = {label: at for at, label in enumerate(order)}
    return np.array([place[label] for label in cells.levels[name]], dtype=np.int64)[cells.code(name)]


def _nothing(offer: Offer) -> Ints:
    """No answers, by item, system, prompt and judge."""
    shape = (len(offer.order), max(len(offer.systems), 1), max(len(offer.prompts), 1), len(offer.judges))
    return np.zeros(shape, dtype=np.int64)


def _made(offer: Offer, have: Judgments) -> Ints:
    """Calls that were made, by item, system, prompt and judge."""
    orders = {ITEM: offer.item_order, SYSTEM: offer.systems, PROMPT: offer.prompts, JUDGE: offer.judge_order}
    where: list[NDArray[np.int64]] = []
    for name, order in orders.items():
        if name not in have.names:
            where.append(np.zeros(have.n_cells, dtype=np.int64))
            continue
        place = {label: at for at, label in enumerate(order)}
        levels = have.facet(name).levels
        where.append(np.array([place[label] for label in levels], dtype=np.int64)[have.column(name)])
    out = _nothing(offer)
    np.add.at(out, tuple(where), np.asarray(have.rows, dtype=np.int64))
    return out


def _cells(offer: Offer, wanted: Ints, made: Ints) -> Cells:
    """The calls that are wanted and were not made, item by item."""
    missing = np.maximum(wanted - made, 0)
    place = np.argwhere(missing)
    times = missing[tuple(place.T)]
    first = made[tuple(place.T)]
    rows = np.repeat(place, times, axis=0)
    starts = np.repeat(np.cumsum(times) - times, times)
    replicate = np.arange(len(rows)) - starts + np.repeat(first, times) + 1
    levels: dict[str, tuple[str, ...]] = {ITEM: offer.item_order}
    columns, nested = [rows[:, 0]], {}
    if offer.categories is not None:
        names = tuple(sorted(set(offer.group_order)))
        levels[CATEGORY] = names
        group = np.array([names.index(name) for name in offer.group_order])
        columns.append(group[rows[:, 0]])
        nested[ITEM] = CATEGORY
    for at, (name, labels) in enumerate({SYSTEM: offer.systems, PROMPT: offer.prompts}.items(), 1):
        if labels:
            levels[name] = labels
            columns.append(rows[:, at])
    levels[JUDGE] = offer.judge_order
    columns.append(rows[:, 3])
    return Cells(levels, np.column_stack(columns).astype(np.int32), replicate, nested)
