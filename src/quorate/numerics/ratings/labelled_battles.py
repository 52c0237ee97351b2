"""Battles that people voted on, and others that judges alone did, as counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles that people voted on, and others that judges alone did; entries are cells of the counts by outcome.

    Parameters
    ----------
    people : sparse array, shape (rows, entries)
        What each person said of a labelled battle: votes that add up to the row's share of the battle.
    said : tuple of sparse array, shape (rows, entries)
        What each judge said of the same battle, times that share; nothing where a judge was not asked.
    others : tuple of sparse array, shape (battles, entries)
        What each judge said of the battles without a label.
    share : array, shape (rows,)
        Part of its battle that a row is: 1 over the people who labelled it.
    strata : (array of int, array of int), shapes (rows,) and (battles,)
        Stratum of labelled and other battles, from 0.
    clusters : tuple of (array of int, array of int)
        Clusters of both by each facet, from one list of codes.
    chance : array, shape (rows,), optional
        Chances that battles were labelled, up to a factor; equal within strata by default.
    """

    people: Any
    said: tuple[Any, ...]
    others: tuple[Any, ...]
    share: Floats
    strata: tuple[Ints, Ints]
    clusters: tuple[tuple[Ints, Ints], ...]
    chance: Floats | None = None

    @cached_property
    def sizes(self) -> tuple[Floats, Floats]:
        """Labelled and other battles of every stratum."""
        own, others = self.strata
        n = int(max(own.max(initial=-1), others.max(initial=-1))) + 1
        return np.bincount(own, self.share, n).astype(float), np.bincount(others, minlength=n).astype(float)

    @cached_property
    def worth(self) -> Floats:
        """Battles of its stratum that each labelled battle stands for, shape (rows,)."""
        labelled, rest = self.sizes
        each = np.ones(len(self.share)) if self.chance is None else 1 / self.chance
        total = np.bincount(self.strata[0], each * self.share, len(labelled))
        return np.asarray(each * ((labelled + rest) / np.maximum(total, 1e-300))[self.strata[0]])

    @cached_property
    def beyond(self) -> Floats:
        """The same less itself: battles without a label that it stands for."""
        return np.asarray(np.maximum(self.worth - 1, 0.0))


def summed_by(code: Ints, values: Floats, size: int) -> Floats:
    """Sums of rows by code."""
    out = np.zeros((size, values.shape[1]))
    np.add.at(out, code, values)
    return out
