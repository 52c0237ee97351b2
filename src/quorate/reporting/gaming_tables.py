"""The numbers of the report on what gaming is worth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quorate.numerics.extremes import maximum_moments

if TYPE_CHECKING:
    from quorate.decide.gaming.gaming import Gaming
    from quorate.reporting.tables import Row

ATTEMPTS = (2, 3, 5, 10, 20, 27, 50, 100, 200, 500, 1000)


def prizes(found: Gaming) -> list[Row]:
    """One row per design."""
    return [
        {
            "design": one.label,
            "calls": one.projection.calls,
            "price": one.projection.cost,
            "se": one.se,
            "prize": one.value,
            "low": _known(one.low),
            "high": _known(one.high),
        }
        for one in found.prizes
    ]


def mitigation(found: Gaming) -> list[Row]:
    """Changes to the first design, those that buy most for what they cost first."""
    return [
        {
            "change": one.label,
            "prize": one.value,
            "reduction": one.reduction,
            "share": one.reduction / found.prizes[0].value if found.prizes[0].value > 0 else math.nan,
            "more_calls": one.more_calls,
            "more_cost": one.more_cost,
        }
        for one in found.mitigation
    ]


def attempts(found: Gaming) -> list[Row]:
    """The prize of every design for other numbers of attempts."""
    counts = sorted({*ATTEMPTS, found.k} - {1})
    means = maximum_moments(counts)[0].tolist()
    return [
        {"design": one.label, "attempts": k, "prize": mean * one.se}
        for one in found.prizes
        for k, mean in zip(counts, means, strict=True)
    ]


def grid(found: Gaming) -> list[Row]:
    """Prizes by prompts and judges; empty where designs are no grid of the two."""
    rows = [
        {"prompts": design["prompt"], "judges": design["judge"], "prize": one.value, "calls": one.projection.calls}
        for one in found.prizes
        if {"prompt", "judge"} <= (design := one.projection.design).keys()
    ]
    cells = {(row["prompts"], row["judges"]) for row in rows}
    across, down = {v for v, _ in cells}, {m for _, m in cells}
    whole = len(cells) == len(rows) == len(found.prizes) == len(across) * len(down)
    return rows if whole and min(len(across), len(down)) > 1 else []


def facts(found: Gaming) -> list[Row]:
    """What the prizes rest on."""
    rows = {
        "attempts": found.k,
        "largest of so many standard normals, on average": f"{found.expected:.6f}",
        "differs between attempts": ", ".join(found.redrawn) or "replicates only",
        "unit of prizes": unit(found),
        "designs": len(found.prizes),
    }
    return [{"what": name, "value": value} for name, value in rows.items()]


def unit(found: Gaming) -> str:
    """What prizes are counted in."""
    return "Elo points" if found.scale == "elo" else "score units"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
