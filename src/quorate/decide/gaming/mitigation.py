"""Changes to a design that leave less to gain by trying often, and what each buys."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.decide.gaming.source import Played, projected
from quorate.errors import NotEstimable
from quorate.plan.designs.dstudy import Projection

Options = Mapping[str, Any]
_ARGUMENT = {"prompt": "prompts", "judge": "judges", "temperature": "temperatures"}


@dataclass(frozen=True)
class Mitigation:
    """What one change to the first design does to the prize.

    Parameters
    ----------
    label : str
        The change, in words.
    projection : Projection
        The changed design.
    value : float
        Prize that is left.
    reduction : float
        Prize taken away.
    more_calls : int
        Judgments that it takes on top.
    more_cost : float or None
        Their price; None where a price is unknown.
    """

    label: str
    projection: Projection
    value: float
    reduction: float
    more_calls: int
    more_cost: float | None

    @property
    def rate(self) -> float:
        """Reduction per unit of money, or per judgment where there are no prices; infinite where it costs nothing."""
        spent = self.more_calls if self.more_cost is None else self.more_cost
        if spent > 0:
            return self.reduction / spent
        return math.copysign(math.inf, self.reduction) if self.reduction else 0.0


def mitigations(
    played: Played, base: Options, at: Projection, redrawn: Collection[str], unit: float
) -> tuple[Mitigation, ...]:
    """Changes to a design that can be made, those that buy most for what they cost first.

    Parameters
    ----------
    played : Played
        What attempts are made with.
    base : mapping
        The design, as options of `quorate.project`.
    at : Projection
        What it gives.
    redrawn : collection of str
        Facets that differ from one attempt to the next.
    unit : float
        Prize per standard error of an attempt in score units.
    """
    found = []
    for label, options in _changes(played, base, at, redrawn):
        try:
            changed = projected(played, options)
        except NotEstimable:  # the data leave this change open; the caveats name what they do not tell apart
            continue
        priced = changed.cost is not None and at.cost is not None
        found.append(
            Mitigation(
                label,
                changed,
                changed.se * unit,
                (at.se - changed.se) * unit,
                changed.calls - at.calls,
                changed.cost - at.cost if priced else None,  # type: ignore[operator]
            )
        )
    return tuple(sorted(found, key=lambda one: -one.rate))


def _changes(
    played: Played, base: Options, at: Projection, redrawn: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    item = played.item
    for name, count in at.design.items():
        if name in (item, "replicate") or name not in redrawn:
            continue
        if "places" not in base:
            yield f"one more {name}", {**base, **_more(base, name, count + 1)}
    if item in redrawn:
        tenth = math.ceil(at.design[item] / 10)
        yield f"{tenth:,} more {item}{'s' * (tenth != 1)}", {**base, "items": at.design[item] + tenth}
    yield "one more replicate", {**base, "replicates": at.design["replicate"] + 1}
    judges = played.judges
    turns = at.layout == "factorial" and at.design.get("judge") == 1 and "judge" in redrawn and judges > 1
    if turns and at.design[item] >= judges:
        yield f"{judges} judges in turn, one per {item}", {**base, "judges": judges, "layout": "cyclic"}


def _more(base: Options, name: str, count: int) -> dict[str, Any]:
    return {_ARGUMENT[name]: count} if name in _ARGUMENT else {"levels": {**base.get("levels", {}), name: count}}
