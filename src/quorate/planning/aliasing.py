"""Aliasing of a plan: what its judgments could tell apart, and the smallest pilot that tells the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.errors import NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.design import design
from quorate.estimate.components.model import CELL
from quorate.estimate.doctor.analyses import alias_class, component_analyses
from quorate.estimate.doctor.support import ITEMS
from quorate.numerics.mixed.information import null_point
from quorate.numerics.mixed.reml import evaluate
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.cells import Cells, completed
from quorate.table.columns.roles import FIXED
from quorate.table.judgments import Facet, Judgments
from quorate.wording import counted

REPLICATES = 2
"""Answers per cell of a pilot: fewest that tell the noise of a repeated judgment."""
PILOTS = (1, 2, 3, 4)
"""Numbers of items tried, in order."""
_MOST_CALLS = 6_000
_SOME = 30


@dataclass(frozen=True)
class Completion:
    """The smallest crossed pilot that tells apart what a plan leaves together.

    Parameters
    ----------
    items : int
        Items that every judge judges with every prompt, as many as ``pilot`` of `quorate.assign` asks for.
    levels : mapping of str to int
        Levels of the other facets, all of them crossed.
    replicates : int
        Answers per cell.
    calls : int
        Calls of the pilot; some of them are in the plan already.
    """

    items: int
    levels: dict[str, int]
    replicates: int
    calls: int

    @property
    def sentence(self) -> str:
        """What to do, on one line."""
        parts = {"item": self.items, **self.levels, "replicate": self.replicates}
        size = " x ".join(counted(count, name) for name, count in parts.items() if count > 1 or name == "item")
        more = f" ({ITEMS} make the components worth planning with)" if self.items < ITEMS else ""
        return (
            argument("pilot", self.items)
            + f" is the least that tells them apart: {size}, {counted(self.calls, 'call')}{more}"
        )


@dataclass(frozen=True)
class Aliasing:
    """What judgments of a plan could tell apart.

    Parameters
    ----------
    aliases : tuple of frozenset of str
        Sets of components of which only the sum could be estimated.
    sentences : tuple of str
        What could not be estimated and why, one line each.
    completion : Completion or None
        The smallest pilot after which as much can be told apart as any pilot gives; None where none adds anything.
    remaining : tuple of str
        What stays closed even then.
    """

    aliases: tuple[frozenset[str], ...]
    sentences: tuple[str, ...]
    completion: Completion | None
    remaining: tuple[str, ...]


def aliasing(cells: Cells, *, fixed: Iterable[str] = FIXED, period: int = 1) -> Aliasing:
    """What the judgments of these cells could tell apart, with default terms, before a single one is asked for.

    This is the engine's own test of identifiability, on made-up scores: it depends on which cells there are alone. A
    plan that repeats itself is judged by a few of its periods.

    Parameters
    ----------
    cells : Cells
        The plan; rows of an item follow each other.
    fixed : iterable of str
        Facets whose levels are chosen, not drawn.
    period : int
        Items after which the plan repeats itself.

    Returns
    -------
    Aliasing

    Raises
    ------
    NotEstimable
        If a period is too large to be looked at.
    """
    few, names = _few(cells, period), tuple(fixed)
    plan = _look(few, names)
    most = min(PILOTS[-1], len(np.unique(few.codes[:, 0])))
    best = _look(completed(few, most, REPLICATES)[0], names)
    if best.unknown >= plan.unknown:
        return Aliasing(plan.aliases, plan.sentences, None, plan.sentences)
    enough = (size for size in PILOTS if _look(completed(few, size, REPLICATES)[0], names).unknown == best.unknown)
    return Aliasing(plan.aliases, plan.sentences, _pilot(few, next(enough, most)), best.sentences)


@dataclass(frozen=True)
class _Look:
    """Identifiability of one set of cells; ``unknown`` counts the directions in which the likelihood is flat."""

    aliases: tuple[frozenset[str], ...]
    sentences: tuple[str, ...]
    unknown: float


def _look(cells: Cells, fixed: tuple[str, ...]) -> _Look:
    try:
        laid = design(_made_up(cells, fixed))
    except NotEstimable as error:
        return _Look((), (str(error),), np.inf)
    problem = laid.assembled.problem
    theta = null_point(problem)
    fit = Decomposition(laid.assembled, laid.identified, theta, evaluate(problem, theta), "reml")
    unknown = len(laid.identified.null_space()) + (not laid.assembled.replicated)
    # one sentence for every set of components that only their sum tells, and for every other that nothing tells
    closed = {own.name.removeprefix("component "): own.reason for own in component_analyses(fit) if not own.possible}
    classes = {names for t in range(len(fit.assembled.names)) if len(names := alias_class(fit, t)) > 1}
    in_sums = {name for names in classes - {(CELL, REPLICATE)} for name in names}  # a cell judged once has a reason
    sums = [reason for name, reason in closed.items() if name in in_sums and name != REPLICATE]
    others = [f"{name}: {reason}" for name, reason in closed.items() if name not in in_sums]
    return _Look(fit.aliases, (*dict.fromkeys(sums), *others), unknown)


def _few(cells: Cells, period: int) -> Cells:
    """Three periods or more of a plan, and whole groups of items where items are grouped."""
    item = cells.codes[:, 0]
    first = np.sort(np.unique(item, return_index=True)[1])
    chosen = first[: max(3 * period, _SOME)]
    for child, parent in cells.nested.items():
        if child == cells.object:
            chosen = np.union1d(chosen, largest_groups(first, cells.code(parent)[first]))
    few = cells.keep(np.isin(item, item[chosen]))
    calls = len(few) + _pilot(few, PILOTS[-1]).calls
    if calls > _MOST_CALLS:
        raise NotEstimable(
            f"what such a plan tells apart is found by looking at a few of its periods and a pilot, {_MOST_CALLS:,} "
            f"calls at most; here these have {calls:,}"
        )
    return few


def largest_groups(first: NDArray[np.int64], group: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rows of items of the three largest groups, ten of each at most."""
    largest = np.argsort(-np.bincount(group), kind="stable")[:3]
    return np.concatenate([first[group == one][:10] for one in largest])


def _made_up(cells: Cells, fixed: tuple[str, ...]) -> Judgments:
    """Judgments of these cells with random scores, the same each time."""
    codes, n = np.unique(cells.codes, axis=0, return_counts=True)
    rng = stream(0, "aliasing")
    mean, ss = rng.normal(size=len(n)), (n > 1) * rng.uniform(0.5, 1.5, size=len(n))
    facets = tuple(
        Facet(name, name, labels, name in fixed, cells.nested.get(name)) for name, labels in cells.levels.items()
    )
    table = Judgments(facets, cells.object, "score", codes, n, mean, ss, mean, mean, {"ok": n})
    return table.keep(n > 0)


def _pilot(cells: Cells, items: int) -> Completion:
    above = {parent for child, parent in cells.nested.items() if child == cells.object}
    levels = {name: len(labels) for name, labels in cells.levels.items() if name not in (cells.object, *above)}
    return Completion(items, levels, REPLICATES, items * int(np.prod(list(levels.values()))) * REPLICATES)
