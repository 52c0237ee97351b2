"""Differences of two systems as sources of variance: what studies of both, and their prices, come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, of_items
from quorate.estimate.components.published import Components, components
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.differences.paired import paired, two_systems
from quorate.estimate.means.targets import PANEL, Target
from quorate.planning.designs.fitted import observed_counts
from quorate.planning.designs.prices import Prices, check
from quorate.roles import ITEM, REPLICATE
from quorate.table.judgments import Judgments
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.planning.designs.dstudy import Projection


@dataclass(frozen=True)
class OfDifference(Brief):
    """A difference as designs see it: every judgment is one of both systems.

    Parameters
    ----------
    source : Components or Decomposition
        Components of the difference.
    targets : mapping of str to str or Pool
        What facets stand for.
    counts : mapping of str to int
        Levels of every facet at hand, by the names that the components have.
    shares_items : bool
        Whether the same items serve both systems.
    found : SystemDifference
        The difference.
    """

    source: Components | Decomposition
    targets: Mapping[str, Target]
    counts: Mapping[str, int]
    shares_items: bool
    found: SystemDifference

    def paid(self, have: Judgments) -> Judgments:
        """Judgments that are paid for, each one of both systems.

        Raises
        ------
        InvalidInput
            If the systems were not compared by pairs.
        """
        a, b, facet = self.found.a, self.found.b, self.found.facet
        if self.found.method != "paired":
            raise InvalidInput(f"have: {a} and {b} were not judged on the same cells; leave it out")
        return paired(two_systems(have, a, b, facet=facet)).judgments if facet in have.names else have

    def prices(self, prices: Prices | None) -> Prices:
        """Prices of judgments of both; items and prompts are bought once where both are judged on the same."""
        check(prices := {"call": 1.0} if prices is None else prices)
        once = {"item", "prompt"} if self.shares_items else {"prompt"}
        both: dict[str, float | Mapping[str, float]] = {}
        for kind, price in prices.items():
            if kind in once:
                both[kind] = price
            else:
                both[kind] = {name: 2 * own for name, own in price.items()} if isinstance(price, Mapping) else 2 * price
        return both


def of_difference(found: SystemDifference) -> OfDifference:
    """What a difference is to designs, for the reading that it has."""
    item, seen = found.fit.judgments.object, observed_counts(found.fit)
    shared = found.method == "paired" or any(
        item in names and not _by_system(names, found.facet) for names in found.fit.classes
    )
    if found.method == "paired":
        return OfDifference(found.fit, dict(found.estimate.target), seen, shared, found)
    made = components_of_difference(found)
    named = {ITEM if name == item else name: n for name, n in seen.items()}
    counts = {name: n for name, n in named.items() if name in made.facets}
    targets: dict[str, Target] = {
        name: PANEL for name, to in found.estimate.target.items() if to == PANEL and name in made.facets
    }
    return OfDifference(made, targets, counts, shared, found)


def of_both(plan: Projection) -> Projection:
    """A design with the judgments of both systems, where it counts those that are one of each."""
    return replace(plan, calls=2 * plan.calls, reused=2 * plan.reused)


def components_of_difference(found: SystemDifference) -> Components:
    """Components of the difference of two systems, from those of the scores of both: what is each system's own.

    Of components that cannot be told apart the one that the fewest things reduce stands for all. The cell is called by
    its facets, for in a list of components it would be one of those that are named elsewhere in it.
    """
    item = found.fit.judgments.object
    cell = [name for name in observed_counts(found.fit) if name not in (found.facet, item)]

    def spelled(name: str) -> str:
        parts = [item, *cell] if name == CELL else [part for part in name.split(":") if part != found.facet]
        return ":".join(ITEM if part == item else part for part in parts)

    out: dict[str, float] = {}
    for side in found.sides:  # what items bring where each system has its own: the components of either, added
        fit = side.basis.fit
        for names, value in zip(fit.classes, fit.variances.values(), strict=True):
            if of_items(" + ".join(names), item):
                name = spelled(names[0])
                out[name] = out.get(name, 0.0) + max(value, 0.0)
    for names, value in zip(found.fit.classes, found.fit.variances.values(), strict=True):
        if found.sides and of_items(" + ".join(names), item):
            continue
        own = [name for name in names if _by_system([name], found.facet) or name in (CELL, REPLICATE)]
        if own:
            name = spelled(own[0])
            out[name] = out.get(name, 0.0) + 2 * max(value, 0.0)
    return components(out)


def _by_system(names: Sequence[str], facet: str) -> bool:
    return any(facet in name.split(":") for name in names)
