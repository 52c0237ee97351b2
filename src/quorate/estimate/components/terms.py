"""Components by what they are of: whether more items make them smaller, and which facets they have."""

from __future__ import annotations

from quorate.estimate.components.model import CELL
from quorate.roles import REPLICATE


def of_items(name: str, own: str) -> bool:
    """Whether a component, or a sum of some, is divided by the items."""
    return bool(facets_of(name) & {own, CELL, REPLICATE})


def facets_of(name: str) -> set[str]:
    """The facets in the name of a component, or of a sum of some."""
    return {part for term in name.split(" + ") for part in term.partition("[")[0].split(":")}
