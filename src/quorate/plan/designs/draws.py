"""Judges drawn at random, and the weights that follow on average over draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.reciprocal import mean_reciprocal
from quorate.plan.designs.schemes import GENERATION, JUDGE


@dataclass(frozen=True)
class Draw:
    """A judge drawn at random, with equal chances and independently, for every turn; weights on average over draws.

    Parameters
    ----------
    items : array
        Number of items, for every design asked about.
    judges : int
        Judges to draw from.
    generations : int or None
        Turns of every item; None where the item itself is the turn.
    balanced : float
        How far judges weigh equally in the mean, however often they were drawn: 1 for equal weights of judges, 0 for
        equal weights of turns. It is taken that every judge is drawn at least once, which is nearly sure from about
        five turns per judge.
    """

    items: Floats
    judges: int
    generations: int | None
    balanced: float = 0.0

    @property
    def facets(self) -> frozenset[str]:
        """Facets that are assigned."""
        return frozenset({JUDGE} if self.generations is None else {JUDGE, GENERATION})

    @property
    def per_item(self) -> int:
        """Assignments of every item."""
        return self.generations or 1

    @property
    def turns(self) -> Floats:
        """Turns in all."""
        return self.items * self.per_item

    def concentration(self, facets: Iterable[str], *, by_item: bool, groups: Floats | float = 1.0) -> Floats:
        """Expectation of ``sum_l w_l^2``: turns that are alike but for the judge share it by chance.

        Parameters
        ----------
        facets : iterable of str
            Assigned facets.
        by_item : bool
            Whether for each item on its own.
        groups : float
            Groups of items, equally large, each on its own.
        """
        names = set(facets)
        alike = (1 if by_item else self.items / groups) * (1 if GENERATION in names else self.per_item)
        others = np.divide(alike - 1, self.turns - 1, out=np.zeros(np.shape(self.turns)), where=self.turns > 1)
        equal, mixed, own = self._squares(judge=JUDGE in names, others=others)
        b = self.balanced
        return np.asarray(b**2 * own + 2 * b * (1 - b) * mixed + (1 - b) ** 2 * equal)

    def _squares(self, *, judge: bool, others: Floats) -> tuple[Floats, Floats, Floats]:
        """The same for equal weights of turns, for the product of both weights, and for equal weights of judges.

        Single turns, and pairs of turns that are alike (a share ``others`` of all pairs) and, with the judge, have the
        same one.
        """
        turns, judges = self.turns, self.judges
        single = mean_reciprocal(turns, 1 / judges) / judges
        if not judge:
            plain = 1 / turns + others * (1 - 1 / turns)
            return plain, plain, single + others * (1 - single)
        return (
            1 / turns + others * (1 - 1 / turns) / judges,
            1 / turns + others * (1 / judges - 1 / turns),
            single + others * (1 / judges - single),
        )

    def uses(self, facet: str) -> Floats:
        """Turns that each level of a facet can expect, shape (..., levels)."""
        levels = self.judges if facet == JUDGE else self.per_item
        return np.asarray(np.repeat((self.turns / levels)[..., None], levels, axis=-1))

    def portion(self, facet: str) -> Floats:
        """How the sum of squared weights is spread over the levels of a facet, shape (..., levels)."""
        uses = self.uses(facet)
        return np.asarray(uses / uses.sum(axis=-1, keepdims=True))

    def shares(self, facet: str) -> Floats:
        """Total weight of each level of a facet, shape (..., levels)."""
        return self.portion(facet)
