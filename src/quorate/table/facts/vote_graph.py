"""Graph of comparisons: the models that hang together by the votes between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quorate.table.pairs import Pairs
from quorate.wording import Brief


@dataclass(frozen=True)
class Graph(Brief):
    """Models as nodes, decisive votes and ties as edges.

    Parameters
    ----------
    components : tuple of tuple of str
        Models that are linked by comparisons, largest component first.
    one_sided : tuple of tuple of str
        Within the components, groups of models that beat each other in turn, or tie; more than there are components
        means that some group never lost to another, or never won.
    """

    components: tuple[tuple[str, ...], ...]
    one_sided: tuple[tuple[str, ...], ...]


def graph_of(pairs: Pairs) -> Graph:
    """Components of the comparison graph, linked in any direction and in both.

    Parameters
    ----------
    pairs : Pairs
        Votes by pair; pairs without an outcome link nothing.
    """
    from scipy.sparse import coo_array

    if not pairs.models:
        return Graph((), ())
    size = len(pairs.models)
    tied = pairs.ties + pairs.both_bad > 0
    ahead, behind = tied | (pairs.a_wins > 0), tied | (pairs.b_wins > 0)
    source, target = np.append(pairs.a[ahead], pairs.b[behind]), np.append(pairs.b[ahead], pairs.a[behind])
    edges = coo_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(size, size))
    return Graph(_components(edges, pairs.models, "weak"), _components(edges, pairs.models, "strong"))


def _components(
    edges: Any, models: Sequence[str], connection: Literal["weak", "strong"]
) -> tuple[tuple[str, ...], ...]:
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(edges.tocsr(), directed=True, connection=connection)
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    named = [tuple(models[i] for i in part.tolist()) for part in parts]
    return tuple(sorted(named, key=lambda part: (-len(part), part[0])))
