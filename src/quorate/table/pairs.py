"""Votes counted by pair of models, and the codes of an outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints, dense, one_of_each
from quorate.frozen import dataclass
from quorate.wording import Brief

A, B, TIE, BOTH_BAD, MISSING = range(5)
"""Codes of an outcome: the first model, the second, neither, neither because both are bad, and no answer."""

FIRST_A, FIRST_B, UNKNOWN = 0, 1, -1
"""Codes of the order: which of the two was shown first."""

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Pairs(Brief):
    """What the votes say of every pair of models that was compared.

    Parameters
    ----------
    models : tuple of str
        Labels.
    a, b : array of int32, shape (pairs,)
        The two models of each pair, as indices into ``models``; ``a`` is the smaller.
    code : array of int32, shape (rows,)
        Pair of every row.
    a_wins, b_wins, ties, both_bad, missing : array of int64, shape (pairs,)
        Votes by outcome.
    """

    models: tuple[str, ...]
    a: Codes
    b: Codes
    code: Codes
    a_wins: Ints
    b_wins: Ints
    ties: Ints
    both_bad: Ints
    missing: Ints

    def __len__(self) -> int:
        return len(self.a)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.names)

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Labels of the two models of each pair."""
        both = zip(self.a.tolist(), self.b.tolist(), strict=True)
        return tuple((self.models[a], self.models[b]) for a, b in both)

    @property
    def decisive(self) -> Ints:
        """Votes for one of the two; shape (pairs,)."""
        return self.a_wins + self.b_wins

    @property
    def votes(self) -> Ints:
        """Votes with an outcome, whatever it is; shape (pairs,)."""
        return self.decisive + self.ties + self.both_bad


def pairs_of(
    models: tuple[str, ...], model_a: Codes, model_b: Codes, outcome: NDArray[np.int8], count: Ints | None
) -> Pairs:
    """Votes by pair and outcome, pairs in the order of their models."""
    key = model_a.astype(np.int64) * len(models) + model_b
    code = dense(key)
    found = one_of_each(code, key)
    a, b = np.divmod(found, max(len(models), 1))
    counts = summed(code * 5 + outcome, count, 5 * len(found)).reshape(-1, 5).T
    return Pairs(models, a.astype(np.int32), b.astype(np.int32), code.astype(np.int32), *counts)


def summed(code: NDArray[Any], count: Ints | None, size: int) -> Ints:
    """Votes at each of ``size`` codes."""
    if count is None:
        return np.bincount(code, minlength=size).astype(np.int64, copy=False)
    return np.rint(np.bincount(code, count, minlength=size)).astype(np.int64)


def turn(outcome: NDArray[np.int8], where: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Outcomes or orders with the two models exchanged ``where`` it is true."""
    return np.where(where & ((outcome == A) | (outcome == B)), 1 - outcome, outcome).astype(np.int8)
