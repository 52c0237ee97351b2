"""Single configurations that a study might have stopped at, each with its naive standard error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quorate.table.judgments import Judgments


@dataclass(frozen=True)
class Configuration:
    """One configuration: a level of every facet but the items.

    Parameters
    ----------
    labels : mapping of str to str
        Level of each facet.
    value : float
        Mean over items of the item means.
    se : float
        Naive standard error, ``s / sqrt(N)`` over item means; nan with fewer than 2 items.
    n_items : int
        Items answered.
    """

    labels: Mapping[str, str]
    value: float
    se: float
    n_items: int


def configuration_facets(judgments: Judgments, attributes: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Facets that a single configuration fixes: not the items, what groups them, what is inside them, or attributes."""
    item = judgments.object
    skip = {item, *judgments.ancestors(item), *attributes}
    return tuple(name for name in judgments.names if name not in skip and item not in judgments.ancestors(name))


def configurations(judgments: Judgments, facets: tuple[str, ...]) -> tuple[Configuration, ...]:
    """Every configuration that occurs, with its naive standard error."""
    configuration = judgments.level_codes(facets)
    item = judgments.level_codes([judgments.object])
    n_items = int(item.max()) + 1
    pair, pairs = np.unique(configuration * n_items + item, return_inverse=True)
    mean = np.bincount(pairs, judgments.mean) / np.bincount(pairs)
    owner = pair // n_items
    count = np.bincount(owner).astype(float)
    value = np.bincount(owner, mean) / count
    squares = np.bincount(owner, (mean - value[owner]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(squares / (count - 1) / count)
    first = np.unique(configuration, return_index=True)[1]
    columns = {name: (judgments.facet(name).levels, judgments.column(name)[first]) for name in facets}
    return tuple(
        Configuration({name: levels[at[i]] for name, (levels, at) in columns.items()}, float(v), float(s), int(c))
        for i, (v, s, c) in enumerate(zip(value, se, count, strict=True))
    )
