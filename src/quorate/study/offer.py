"""Offer of a study with a goal: its question, what it may buy to answer it, and the cells of what it buys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from quorate.collect.ledger.facts import JudgeStatus
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal, StagedGoal, check_shares
from quorate.decide.goals.goal import Goal as Question
from quorate.errors import InvalidInput
from quorate.study.file import Study, answers
from quorate.study.goal import Goal
from quorate.study.questions import ITEM, ORDER, PROMPT, SYSTEM, Questions
from quorate.study.quote import quote
from quorate.table.cells import Cells
from quorate.table.collapse.grouped import pooled
from quorate.table.columns.labels import label
from quorate.table.exchange.format import PAIR
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

_FEW = 10
"""Categories below which their spread is hardly known."""


def goal_of(study: Study) -> Goal:
    """The goal of a study that has one."""
    if study.goal is None:
        raise InvalidInput(f"goal: {study.path} has none; give it one, such as goal: {{half_width: 0.1}}")
    return study.goal


def question_of(asked: Questions) -> Question:
    """The question of a study with a goal.

    Raises
    ------
    InvalidInput
        If it names a system that the items do not have.
    """
    goal = goal_of(asked.study)
    known = tuple(dict.fromkeys(name for key in asked.items.fields for name in key[1:] if name))
    for name in goal.pair or ():
        if name not in known:
            raise InvalidInput(f'goal.{goal.kind}: the items have no system "{name}"; they have {", ".join(known)}')
    _check_categories(asked)
    more: Mapping[str, Any] = {"by": goal.by, "category_shares": shares_of(asked)}
    if goal.half_width is not None:
        return HalfWidthGoal(goal.half_width, goal.target, goal.level, **more)
    if goal.pair is None:
        return BestGoal(goal.level, goal.target)
    if goal.stages is not None:
        return StagedGoal(*goal.pair, retained=goal.retained, per_type=goal.per_type, level=goal.level)
    if goal.prefer is not None:
        return PreferGoal(*goal.pair, margin=goal.margin, power=goal.power, level=goal.level)
    return CompareGoal(*goal.pair, margin=goal.margin, power=goal.power, level=goal.level, target=goal.target, **more)


def _check_categories(asked: Questions) -> None:
    """Refuse a few categories of which nothing is said: standing for others like them, they tell next to nothing."""
    goal, count = goal_of(asked.study), len(set(asked.items.categories.values()))
    if goal.kind not in ("compare", "half_width") or not 1 < count < _FEW:
        return
    if goal.by is None and goal.category_shares is None and "category" not in (goal.target or {}):
        raise InvalidInput(
            f"goal: the items have {count} categories, which would stand for others like them, and so few tell next to "
            "nothing of others; give category_shares: items for a mean over these, by: category to ask of each, or "
            "target: {category: population} if others are meant"
        )


def shares_of(asked: Questions) -> dict[str, float] | None:
    """What each category counts for; None where that is not stated.

    Raises
    ------
    InvalidInput
        If these are not the categories of the items, or do not sum to 1.
    """
    stated = goal_of(asked.study).category_shares
    if stated is None:
        return None
    sizes = Counter(asked.items.categories.values())
    if stated == "items":
        return {name: size / sizes.total() for name, size in sorted(sizes.items())}
    try:
        check_shares(stated, sizes)
    except InvalidInput as error:
        raise InvalidInput(f"goal.{error}") from None
    return dict(stated)


def offer_of(asked: Questions, seen: Sequence[JudgeStatus] = ()) -> Offer:
    """What a study may buy; a call costs what it took so far, or is expected to take."""
    study, items = asked.study, asked.items
    prices = usual(asked, seen)
    names = battles(asked) if items.pairs else {name: (name,) for name in items.names}
    each = turns(asked)
    return Offer(
        items=tuple(names),
        judges=tuple(asked.judges),
        prompts=several(asked.prompts),
        systems=several(systems(asked)),
        categories=tuple(items.categories[key[0]] for key in names.values()) if items.categories else None,
        pairs=tuple((a, b) for _, a, b in names.values()) if items.pairs and goal_of(study).pair is None else (),
        category_shares=shares_of(asked),
        people=tuple(name for name in asked.judges if name in study.people),
        prices=None if prices is None else {name: each * price for name, price in prices.items()},
        replicates=study.replicates,
        calls=None if study.budget.calls is None else study.budget.calls // each,
        money=study.budget.money,
        looks=study.most_looks,
        seed=study.seed,
    )


def usual(asked: Questions, seen: Sequence[JudgeStatus] = ()) -> dict[str, float] | None:
    """Price of a call that goes well, by judge; None where one is not known."""
    parts = quote(asked, dict.fromkeys(asked.judges, 1), seen=seen).judges
    prices = {part.judge: part.money.expected for part in parts}
    return None if None in prices.values() else {name: price for name, price in prices.items() if price is not None}


def turns(asked: Questions) -> int:
    """Calls that a judgment takes: two where both orders of a pair are asked."""
    return len(asked.levels.get(ORDER, ("",)))


def systems(asked: Questions) -> tuple[str, ...]:
    """The systems that a goal is about: those that it names, or all; none of pairs, each of which is an item."""
    return () if asked.items.pairs else goal_of(asked.study).pair or asked.items.systems


def several(names: Iterable[str]) -> tuple[str, ...]:
    """Names that there is a choice of; none where there is one, which is no facet of what is measured."""
    found = tuple(names)
    return found if len(found) > 1 else ()


def measured(asked: Questions) -> Judgments | Votes:
    """The answers so far as a goal takes them: without facets that have one level, whatever is bought."""
    table = answers(asked.study)
    if isinstance(table, Votes):
        return table
    for name, labels in single(asked).items():
        table = pooled(table, name) if len(labels) == 1 and name in table.names else table
    return table


def single(asked: Questions) -> dict[str, tuple[str, ...]]:
    """Labels of the facets that are not on offer: those of one level, and orders of pairs."""
    own = {PROMPT: tuple(asked.prompts), SYSTEM: systems(asked)}
    found = {name: labels for name, labels in own.items() if len(labels) == 1}
    return found | {name: tuple(map(label, given)) for name, given in asked.levels.items() if name != SYSTEM}


def battles(asked: Questions) -> dict[str, tuple[str, ...]]:
    """Rows of items that are pairs of the systems of a goal, by item; of several systems, by item and pair.

    Raises
    ------
    InvalidInput
        If there is none, or an item has two of the same systems.
    """
    goal = goal_of(asked.study)
    found: dict[str, tuple[str, ...]] = {}
    for key in asked.items.fields:
        if goal.pair is not None and frozenset(key[1:]) != frozenset(goal.pair):
            continue
        name = key[0] if goal.pair is not None else f"{key[0]}: {' and '.join(sorted(key[1:]))}"
        if name in found:
            raise InvalidInput(
                f'goal.{goal.kind}: "{key[0]}" stands for two battles of these systems; give each its own id'
            )
        found[name] = key
    if not found:
        both = " and ".join(sorted(goal.pair or ()))
        raise InvalidInput(f"goal.prefer: no item is a battle of {both}; name two that are")
    return found


def bought(asked: Questions, cells: Cells) -> Cells:
    """Calls of an offer as cells of its study, without those to which a judge has no recorded answer."""
    levels, by_role = dict(cells.levels), {name: cells.code(name) for name in cells.levels}
    if asked.items.pairs:
        known, battle = battles(asked), cells.code(ITEM)
        for place, role in enumerate((ITEM, *PAIR)):
            given = [known[name][place] for name in cells.levels[ITEM]]
            codes = {label: code for code, label in enumerate(dict.fromkeys(given))}
            by_role[role] = np.array([codes[label] for label in given])[battle]
            levels[role] = tuple(codes)
    rows, replicate = np.column_stack(list(by_role.values())), cells.replicate
    for name, labels in single(asked).items():
        rows = np.column_stack([np.repeat(rows, len(labels), axis=0), np.tile(np.arange(len(labels)), len(rows))])
        replicate = np.repeat(replicate, len(labels))
        levels[name] = labels
    return asked.askable(Cells(levels, rows.astype(np.int32), replicate, cells.nested))
