"""Assignments: the calls of a plan, and what follows from them before they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.planning.aliasing import Aliasing, aliasing
from quorate.planning.designs.cycles import Cycle
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.schemes import Scheme
from quorate.roles import JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.wording import counted

ITEM, CATEGORY = "item", "category"


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
        if category_shares is not None:
            return self._within_categories(by, balanced, category_shares)
        return self._weights(~self.added, by, balanced)

    def _within_categories(self, by: Sequence[str], balanced: float, shares: Mapping[str, float]) -> Floats:
        names = self.levels.get(CATEGORY, ())
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

        `quorate.planning.aliasing.aliasing` says the same for judges drawn from a population.
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
        out = {
            "layout": self.layout,
            "seed": self.seed,
            "calls": len(self),
            "calls_by_judge": self.calls(JUDGE),
            "remainder": list(self.remainder),
            "category_items": self.category_items,
            "pilot_items": list(self.pilot_items),
        }
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
