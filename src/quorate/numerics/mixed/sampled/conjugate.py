"""Conjugate gradients for many right-hand sides at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotConverged

_MOST_PRODUCTS = 2000


def conjugate_gradients(
    times: Callable[[Floats], Floats], diagonal: Floats, right: Floats, tolerance: float = 1e-10
) -> Floats:
    """``A^-1 right`` for a positive definite matrix known by its products, preconditioned by its diagonal.

    Columns that are solved are left out of further products; these cost the most.

    Parameters
    ----------
    times : callable
        ``A v`` for ``v`` of shape (size, columns).
    diagonal : array, shape (size,)
        Of the matrix.
    right : array, shape (size, columns)
        Right-hand sides.
    tolerance : float
        Part of the right-hand side that may be left, in the norm of the inverse diagonal.

    Raises
    ------
    NotConverged
        If a column is not solved after 2,000 products.

    References
    ----------
    Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 9.1.
    """
    out, live = np.zeros_like(right), np.arange(right.shape[1])
    x, left = np.zeros_like(right), right.copy()
    along = left / diagonal[:, None]
    size = np.einsum("nm,nm->m", left, along)
    enough = tolerance**2 * size
    for _ in range(_MOST_PRODUCTS):
        going = size > enough[live]
        if not going.all():
            out[:, live] = x
            live, size = live[going], size[going]
            x, left, along = x[:, going], left[:, going], along[:, going]
        if not len(live):
            return out
        product = times(along)
        step = size / np.einsum("nm,nm->m", along, product)
        x += step * along
        left -= step * product
        scaled, before = left / diagonal[:, None], size
        size = np.einsum("nm,nm->m", left, scaled)
        along = scaled + size / before * along
    raise NotConverged(
        f"variance components: the effects of {len(diagonal):,} levels were not found after {_MOST_PRODUCTS:,} "
        "products; leave out a term that the data barely identify",
        out,
    )
