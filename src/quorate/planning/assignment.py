"""Assignments: the calls of a plan, and what follows from them before they are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.components.published import design
from quorate.estimate.doctor.analyses import alias_class, component_analyses
from quorate.estimate.doctor.support import ITEMS
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import null_point
from quorate.numerics.mixed.reml import evaluate
from quorate.planning.designs.layouts import Cycle, Layout
from quorate.planning.designs.schemes import Scheme
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE
from quorate.streams import stream
from quorate.table.cells import Cells, completed
from quorate.table.columns.roles import FIXED
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments
from quorate.table.results import picked, plain
from quorate.wording import counted

# Aliasing of a plan: what its judgments could tell apart, and the smallest pilot that tells the rest.


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
    unknown, aliases, sentences = _look(few, names)
    most = min(PILOTS[-1], len(np.unique(few.codes[:, 0])))
    least, _, remaining = _look(completed(few, most, REPLICATES)[0], names)
    if least >= unknown:
        return Aliasing(aliases, sentences, None, sentences)
    enough = (size for size in PILOTS if _look(completed(few, size, REPLICATES)[0], names)[0] == least)
    return Aliasing(aliases, sentences, _pilot(few, next(enough, most)), remaining)


def _look(cells: Cells, fixed: tuple[str, ...]) -> tuple[float, tuple[frozenset[str], ...], tuple[str, ...]]:
    """Directions in which the likelihood of these cells is flat, what only sums are known of, and why, in words."""
    # random scores, the same each time
    codes, n = np.unique(cells.codes, axis=0, return_counts=True)
    rng = stream(0, "aliasing")
    mean, ss = rng.normal(size=len(n)), (n > 1) * rng.uniform(0.5, 1.5, size=len(n))
    facets = tuple(
        Facet(name, name, labels, name in fixed, cells.nested.get(name)) for name, labels in cells.levels.items()
    )
    table = Judgments(facets, cells.object, "score", codes, n, mean, ss, mean, mean, {"ok": n})
    try:
        laid = design(table.keep(n > 0))
    except NotEstimable as error:
        return np.inf, (), (str(error),)
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
    return unknown, fit.aliases, (*dict.fromkeys(sums), *others)


def _few(cells: Cells, period: int) -> Cells:
    """Three periods or more of a plan, and of grouped items ten of each of the three largest groups."""
    item = cells.codes[:, 0]
    first = np.sort(np.unique(item, return_index=True)[1])
    chosen = first[: max(3 * period, _SOME)]
    for child, parent in cells.nested.items():
        if child == cells.object:
            group = cells.code(parent)[first]
            largest = np.argsort(-np.bincount(group), kind="stable")[:3]
            chosen = np.union1d(chosen, np.concatenate([first[group == one][:10] for one in largest]))
    few = cells.keep(np.isin(item, item[chosen]))
    calls = len(few) + _pilot(few, PILOTS[-1]).calls
    if calls > _MOST_CALLS:
        raise NotEstimable(
            f"what such a plan tells apart is found by looking at a few of its periods and a pilot, {_MOST_CALLS:,} "
            f"calls at most; here these have {calls:,}"
        )
    return few


def _pilot(cells: Cells, items: int) -> Completion:
    above = {parent for child, parent in cells.nested.items() if child == cells.object}
    levels = {name: len(labels) for name, labels in cells.levels.items() if name not in (cells.object, *above)}
    return Completion(items, levels, REPLICATES, items * int(np.prod(list(levels.values()))) * REPLICATES)


@dataclass(frozen=True, eq=False, repr=False)
class Assignment(Cells):
    """The calls of a plan, in the order of asking, and what follows from them before they are made.

    Parameters
    ----------
    levels, codes, replicate, nested
        As for `quorate.table.cells.Cells`.
    scheme : Scheme
        The layout, with the judges that have places.
    seed : int
        What the order of items, judges and prompts was drawn from.
    laid : Layout
        The weights that a projection gives these cells.
    pilot : int
        Items, the first ones, that are judged in every combination.
    added : array of bool, shape (calls,)
        Calls that are there for the pilot alone, not for the layout.
    """

    scheme: Scheme = field(kw_only=True)
    seed: int = field(kw_only=True)
    laid: Layout = field(kw_only=True)
    pilot: int = field(kw_only=True)
    added: NDArray[np.bool_] = field(kw_only=True)

    @property
    def layout(self) -> str:
        """Name of the layout."""
        return self.scheme.layout

    @property
    def pilot_items(self) -> tuple[str, ...]:
        """Items that are judged in every combination."""
        return self.levels[ITEM][: self.pilot]

    @cached_property
    def layout_calls(self) -> dict[str, int]:
        """Calls by judge, without those that are there for the pilot alone."""
        counts = np.bincount(self.code(JUDGE)[~self.added], minlength=len(self.levels[JUDGE]))
        return dict(zip(self.levels[JUDGE], counts.tolist(), strict=True))

    @property
    def judge_weights(self) -> dict[str, float]:
        """Weight of each judge in the plain mean of all judgments, those of a pilot included; they sum to 1."""
        calls = self.calls(JUDGE)
        total = sum(calls.values())
        return {judge: count / total for judge, count in calls.items()}

    @property
    def remainder(self) -> tuple[str, ...]:
        """Judges with turns beyond complete cycles, because the turns do not divide evenly; none where all are equal.

        A layout that draws judges has no cycles, hence no remainder: shares differ by chance.
        """
        if self.layout == "random":
            return ()
        places = self.scheme.named_places or dict.fromkeys(self.levels[JUDGE], 1)
        calls = self.layout_calls
        whole = min(calls[judge] // places[judge] for judge in calls)
        return tuple(judge for judge in calls if calls[judge] > whole * places[judge])

    def bias(self, effects: Mapping[str, float]) -> float:
        """What unequal shares of the judges add to the plain mean of all judgments.

        Parameters
        ----------
        effects : mapping of str to float
            By judge, how much higher than the panel it scores; only differences between judges matter.

        Returns
        -------
        float
            ``sum_l w_l gamma_l`` about the equally weighted mean of the judges. Weighted by `weights` it is 0.
        """
        if set(effects) != set(self.levels[JUDGE]):
            stranger = next(iter(set(effects) ^ set(self.levels[JUDGE])))
            raise InvalidInput(f"effects: one for each judge is needed, and no other; look at {stranger!r}")
        gamma = np.array([float(effects[judge]) for judge in self.levels[JUDGE]])
        return float(np.array(list(self.judge_weights.values())) @ (gamma - gamma.mean()))

    def bias_square(self, sensitivity: float) -> float:
        """Mean square of that bias over all orders in which the judges could have been dealt out.

        Parameters
        ----------
        sensitivity : float
            Mean of the judges' squared effects (divisor K), such as ``fit.variance("judge")``.

        Returns
        -------
        float
            ``sensitivity K / (K - 1) sum_l (w_l - 1 / K)^2``. Where r of K judges have one of n turns more that is
            ``r (K - r) sensitivity / (n^2 (K - 1))``.
        """
        weight = np.array(list(self.judge_weights.values()))
        judges = len(weight)
        if judges == 1:
            return 0.0
        return float(sensitivity * judges / (judges - 1) * np.sum((weight - 1 / judges) ** 2))

    @property
    def category_items(self) -> dict[str, int]:
        """Items of each category; empty without categories. What `quorate.project` takes by this name."""
        if CATEGORY not in self.levels:
            return {}
        first = np.unique(self.code(ITEM), return_index=True)[1]
        counts = np.bincount(self.code(CATEGORY)[first], minlength=len(self.levels[CATEGORY]))
        return dict(zip(self.levels[CATEGORY], counts.tolist(), strict=True))

    def weights(
        self, by: Sequence[str] = (JUDGE,), *, balanced: float = 1.0, category_shares: Mapping[str, float] | None = None
    ) -> Floats:
        """Weight of every row in a mean in which judges weigh equally, unbiased for the panel; shape (calls,).

        Parameters
        ----------
        by : sequence of str
            Facets whose combinations of labels weigh equally, such as ``("prompt", "judge")``; none for the plain mean.
        balanced : float
            How far they do, as for `quorate.project`: 0 for the plain mean, in between a mixture.
        category_shares : mapping of str to float, optional
            What each category counts for in the mean that is meant, where its items are not in that proportion; they
            sum to 1. Judges then weigh equally within each. By default categories count by their judgments.

        Returns
        -------
        array
            Sums to 1. Calls that are there for the pilot alone have no weight.

        Raises
        ------
        UnknownTerm
            If there is no such facet.
        InvalidInput
            If ``balanced`` is not between 0 and 1, or shares are not those of the categories.
        """
        if not 0 <= balanced <= 1:
            raise InvalidInput(f"balanced: must lie between 0 (plain mean) and 1 (equal weights), got {balanced!r}")
        if category_shares is None:
            return self._weights(~self.added, by, balanced)
        names, shares = self.levels.get(CATEGORY, ()), category_shares
        if set(shares) != set(names) or min(shares.values(), default=0) < 0 or abs(sum(shares.values()) - 1) > 1e-9:
            raise InvalidInput(
                f"category_shares: one for each of the categories ({', '.join(names) or 'there are none'}), summing to "
                f"1, is needed, got {dict(shares)!r}"
            )
        each = (self._weights(~self.added & (self.code(CATEGORY) == at), by, balanced) for at in range(len(names)))
        return np.asarray(sum(shares[name] * one for name, one in zip(names, each, strict=True)), dtype=np.float64)

    def _weights(self, mine: NDArray[np.bool_], by: Sequence[str], balanced: float) -> Floats:
        """Weights of some calls, which sum to 1."""
        key = np.zeros(int(mine.sum()), dtype=np.int64)
        for name in by:
            if name not in self.levels:
                raise UnknownTerm(name, self.levels, "facet")
            key = key * len(self.levels[name]) + self.code(name)[mine]
        code, size = np.unique(key, return_inverse=True, return_counts=True)[1:]
        out = np.zeros(len(self))
        out[mine] = balanced / (len(size) * size[code]) + (1 - balanced) / len(key)
        return out

    @cached_property
    def aliasing(self) -> Aliasing:
        """What these judgments will be able to tell apart, the judges being these, and the pilot that tells the rest.

        `quorate.planning.assignment.aliasing` says the same for judges drawn from a population.
        """
        cycle = self.laid.cycle
        return aliasing(self, period=cycle.classes if isinstance(cycle, Cycle) else 1)

    @property
    def sentence(self) -> str:
        """How many calls of what, and how they are laid out."""
        sizes = {name: len(labels) for name, labels in self.levels.items() if name != CATEGORY}
        sizes |= {"replicate": int(self.replicate.max())} if not self.pilot else {}
        parts = [counted(count, name) for name, count in sizes.items() if count > 1 or name == ITEM]
        more = f", {self.scheme.per_item} per item" if self.scheme.per_item else ""
        more += f" {':'.join(map(str, self.scheme.places))}" if self.scheme.places else ""
        return f"{counted(len(self), 'call')}: {', '.join(parts)}; layout {self.layout}{more}, seed {self.seed}."

    @property
    def imbalance(self) -> str:
        """Why judges have unequal shares, in half a sentence; empty where shares are equal."""
        if self.layout == "random":
            return "Shares differ by chance"
        if self.layout == "weighted":
            return "Judges have unequal places"
        if self.remainder and len(set(self.judge_weights.values())) > 1:
            extra = f"{len(self.remainder)} of {counted(len(self.judge_weights), JUDGE)}"
            return f"Turns do not divide evenly: {extra}, drawn by the seed, got more"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Everything but the calls as plain values."""
        out = picked(self, "layout seed") | {"calls": len(self), "calls_by_judge": self.calls(JUDGE)}
        out |= plain(picked(self, "remainder category_items pilot_items"))
        try:
            told = self.aliasing
        except NotEstimable as error:
            return {**out, "aliases": None, "not_estimable": [str(error)], "completion": None}
        pilot = None if told.completion is None else {"pilot": told.completion.items, "calls": told.completion.calls}
        aliases = [sorted(names) for names in told.aliases]
        return {**out, "aliases": aliases, "not_estimable": list(told.sentences), "completion": pilot}

    def project_options(self) -> dict[str, Any]:
        """What `quorate.project` takes to say how precise these judgments will be: ``project(fit, **options)``.

        The calls that are there for the pilot alone are left out.
        """
        own = {ITEM: "items", PROMPT: "prompts", JUDGE: "judges"}
        counts = {name: len(names) for name, names in self.levels.items() if name != CATEGORY}
        out: dict[str, Any] = {own[name]: count for name, count in counts.items() if name in own}
        more = {"per_item": self.scheme.per_item, "places": self.scheme.named_places}
        out |= {name: value for name, value in more.items() if value is not None}
        others = {name: count for name, count in counts.items() if name not in own}
        out |= {"levels": others} if others else {}
        return {**out, "replicates": int(self.laid.replicates), "layout": self.layout}
