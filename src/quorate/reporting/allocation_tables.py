"""The numbers behind the figures on adaptive allocation, as rows of plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.analysis.allocation_words import COEFFICIENTS, SHORT, final_error
from quorate.analysis.labels import shown
from quorate.arrays import Floats
from quorate.reporting.page import Row
from quorate.simulate.allocation.result import UNIFORM
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.allocation import AllocationView, Study
    from quorate.simulate.allocation.result import Allocation, Outcome, Saved
    from quorate.simulate.allocation.sweep import Sweep

IDEAL = "in proportion to variances"
BINS = 24
"""Bars of a histogram."""
MOST_POINTS = 40
"""Groups of arms of about equal variance along the profile."""


def levels(view: AllocationView) -> list[Row]:
    """Every study in a row: arms, final errors, and what ROBIN-HOOD saves."""
    rows = []
    for study in view.studies:
        errors = {SHORT[name]: final_error(study.allocation, name)[0] for name in order(study.allocation)}
        saved = study.saved
        own: Row = {"level": shown(study.level), "arms": len(study.allocation.labels), **errors}
        rows.append(own | _saved(saved))
    return rows


def policies(study: Study) -> list[Row]:
    """Every policy at the whole budget: errors, and budget saved in percent."""
    found, rows = study.allocation, []
    for name in order(found):
        mean, sd = final_error(found, name)
        row: Row = {"policy": SHORT[name], "error": mean, "sd": _or_none(sd)}
        compared = name != UNIFORM and UNIFORM in found.outcomes
        row |= _saved(found.saved(name)) if compared else dict.fromkeys(("saved", "low", "high"))
        rows.append({**row, "rmse": float(found.outcomes[name].rmse[-1])})
    return rows


def curve(study: Study) -> list[Row]:
    """Largest error of any arm by policy and calls, with the band of one standard deviation."""
    found = study.allocation
    return [row for name in order(found) for row in _of_policy(found, name)]


def human(study: Study) -> list[Row]:
    """Correlations with human scores by policy and calls."""
    found = study.allocation
    return [
        {"policy": SHORT[name], "calls": calls, **dict(zip(COEFFICIENTS, values, strict=True))}
        for name in order(found)
        for calls, values in zip(found.spent.tolist(), found.outcomes[name].correlations.T.tolist(), strict=True)
    ]


def histogram(values: Floats) -> list[Row]:
    """Arms by value, in bars of equal width; one bar where all are the same."""
    if np.ptp(values) == 0:
        return [{"from": float(values[0]), "to": float(values[0]), "arms": len(values)}]
    counts, edges = np.histogram(values, BINS)
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    return [{"from": low, "to": high, "arms": count} for low, high, count in ends]


def profile(study: Study) -> list[Row]:
    """Pulls of arms by their variance, in groups of neighbours, beside what is ideal for equal standard errors."""
    found = study.allocation
    along = np.argsort(found.variances, kind="stable")
    every = {SHORT[name]: found.pulls[name] for name in order(found)}
    every[IDEAL] = found.ideal * found.budget / found.calls_per_pull
    groups = [part for part in np.array_split(along, min(MOST_POINTS, len(along))) if len(part)]
    return [
        {"variance": float(found.variances[part].mean()), "arms": len(part)}
        | {name: float(values[part].mean()) for name, values in every.items()}
        for part in groups
    ]


def settings(study: Study) -> list[Row]:
    """Every setting of the sweep: its constants, error and budget saved."""
    if study.sweep is None:
        return []
    columns: Mapping[str, list[Any]] = study.sweep.table
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [
        {name: value for name, value in row.items() if name not in ("floor", "delta")} | {"saved": 100 * row["saved"]}
        for row in rows
    ]


def settings_curve(sweep: Sweep) -> list[Row]:
    """Largest error of any arm by setting and calls."""
    found = sweep.curve
    columns = (found["setting"], found["spent"].tolist(), found["wce_mean"].tolist())
    return [
        {"setting": SHORT.get(name, name), "calls": calls, "error": error}
        for name, calls, error in zip(*columns, strict=True)
    ]


def cycles(study: Study) -> list[Row]:
    """Whole cycles and single judges, by policy: bias and variance of the error against the mean of the panel."""
    found = () if study.cycles is None else study.cycles.rows
    return [
        {
            "design": shown(row.design),
            "policy": SHORT[row.policy],
            "shift": row.shift,
            "bias_squared": max(row.bias_squared, 0.0),
            "variance": row.variance,
            "off": math.sqrt(max(row.mse, 0.0)),
            "largest": row.wce,
        }
        for row in found
    ]


def facts(view: AllocationView) -> list[Row]:
    """What was replayed, for the section on methods."""
    first = view.studies[0].allocation
    constants = first.constants
    said = {
        "replay": f"{first.budget:,} calls in {counted(first.runs, 'run')}, seed {first.seed}",
        "arms": "; ".join(f"{shown(one.level)} {len(one.allocation.labels):,}".strip() for one in view.studies),
        "calls per pull": f"{first.calls_per_pull}",
        "warm-up": f"{counted(constants.warmup, 'pull')} of every arm; lam {constants.lam:.4g}",
        "floor of variances": "none" if first.step is None else f"for scores {first.step:.4g} apart",
    }
    return [{"what": what, "value": value} for what, value in said.items()]


def order(found: Allocation) -> list[str]:
    """Policies that were replayed, in the order in which they are listed."""
    return [name for name in SHORT if name in found.outcomes]


def _of_policy(found: Allocation, name: str) -> list[Row]:
    one: Outcome = found.outcomes[name]
    mean = one.errors.mean(axis=0)
    sd = one.errors.std(axis=0, ddof=1) if len(one.errors) > 1 else np.zeros(len(mean))
    every = zip(found.spent.tolist(), mean.tolist(), (mean - sd).tolist(), (mean + sd).tolist(), strict=True)
    return [{"policy": SHORT[name], "calls": n, "error": at, "low": low, "high": high} for n, at, low, high in every]


def _saved(found: Saved) -> Row:
    """A part of the budget in percent, with its interval."""
    names = {"saved": found.value, "low": found.low, "high": found.high}
    return {name: _or_none(100 * value) for name, value in names.items()}


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
