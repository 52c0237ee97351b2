"""Analysis of variance for balanced data: mean squares, their expectations, and the components they give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import Unbalanced
from quorate.frozen import dataclass

_FIRST = 2048
"""Cells that are looked at before all are."""


@dataclass(frozen=True)
class Strata:
    """Strata of a balanced design, on the scale of cell means.

    Parameters
    ----------
    squares, df : array, shape (strata,)
        Sum of squares and degrees of freedom of every random stratum.
    expected : array, shape (strata, components)
        ``E[squares / df] = expected @ components``.
    """

    squares: Floats
    df: Floats
    expected: Floats

    def components(self, which: Sequence[int]) -> Floats:
        """Unbiased estimates of some components, one of each set that cannot be told apart; they can be negative."""
        mean_squares = self.squares / self.df
        return np.asarray(np.linalg.lstsq(self.expected[:, list(which)], mean_squares, rcond=None)[0], dtype=np.float64)


def strata(
    y: Floats, fixed: list[Ints], random: list[Ints], noise: Floats, within_ss: Floats, within_df: Floats
) -> Strata:
    """Decompose balanced cell means into orthogonal strata.

    Parameters
    ----------
    y : array, shape (cells,)
        Cell means.
    fixed, random : list of array of int, shape (cells,)
        Levels of the terms.
    noise : array, shape (residual components,)
        Variance of a cell mean per unit of each residual component.
    within_ss, within_df : array, shape (residual components,)
        Sums of squares inside cells, and their degrees of freedom.

    Raises
    ------
    Unbalanced
        If the design is unbalanced, or the terms do not give orthogonal strata.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, chapter 4; expected mean squares of the unrestricted
    model, the one lme4 fits.
    """
    terms = [np.zeros(len(y), dtype=np.int64), *fixed, *random]
    sizes = [int(term.max()) + 1 for term in terms]
    if any(np.ptp(np.bincount(term)) for term in terms):
        raise Unbalanced("some levels have more cells")
    # Effect of every term after the terms it contains, and its degrees of freedom.
    effects: list[Floats] = [np.zeros(0)] * len(terms)
    df = [0] * len(terms)
    for t in sorted(range(len(terms)), key=lambda t: (sizes[t], t)):
        nested = [s for s in range(len(terms)) if len(effects[s]) and _nests(terms[t], terms[s], sizes[t], sizes[s])]
        left = y - sum((effects[s] for s in nested), np.zeros(len(y)))
        effects[t] = (np.bincount(terms[t], left) / np.bincount(terms[t]))[terms[t]]
        df[t] = sizes[t] - sum(df[s] for s in nested)
    left = y - sum(effects)
    total = sum(float(effect @ effect) for effect in effects) + float(left @ left)
    if abs(total - float(y @ y)) > 1e-8 * float(y @ y):
        raise Unbalanced("the terms are not orthogonal, and the terms they share are not in the model")
    chosen = range(1 + len(fixed), len(terms))
    left_df = len(y) - sum(df)
    # Expected mean squares: cells per level, for every random term that contains the stratum's.
    inner = {(u, t) for u in chosen for t in chosen if u == t or _nests(terms[u], terms[t], sizes[u], sizes[t])}
    expected = [[*(len(y) / sizes[u] if (u, t) in inner else 0.0 for u in chosen), *noise] for t in chosen]
    rest = np.concatenate([np.zeros(len(random)), noise])
    inside = [np.concatenate([np.zeros(len(random)), unit]) for unit in np.eye(len(noise))[within_df > 0]]
    squares = [float(effects[t] @ effects[t]) for t in chosen] + [float(left @ left)] + list(within_ss[within_df > 0])
    freedom = [float(df[t]) for t in chosen] + [float(left_df)] + list(within_df[within_df > 0])
    keep = np.array(freedom) > 0
    return Strata(np.array(squares)[keep], np.array(freedom)[keep], np.array([*expected, rest, *inside])[keep])


def _nests(fine: Ints, coarse: Ints, levels: int, of: int) -> bool:
    """Whether every one of the ``levels`` of ``fine`` lies in one of the ``of`` levels of ``coarse``."""
    if not 1 < of <= levels:
        return of == 1
    for cells in (slice(_FIRST), slice(None)):  # mostly the first cells tell that it does not
        owner = np.zeros(levels, dtype=np.int64)
        owner[fine[cells]] = coarse[cells]
        if not np.array_equal(owner[fine[cells]], coarse[cells]):
            return False
    return True
