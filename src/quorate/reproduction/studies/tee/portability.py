"""Portability: components of one model, used to plan the evaluation of another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.reproduction.studies.tee.law import INTERVENTIONS, fitted, law, projected, table
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share

PRECISE = {"category": 0.03, "item": 0.03, "prompt": 0.02, "item:prompt": 0.01, "item:temperature": 0.01}
PRECISE |= {"prompt:temperature": 0.003, "replicate": 0.04}
NOISY = {"category": 0.03, "item": 0.08, "prompt": 0.08, "item:prompt": 0.04, "item:temperature": 0.02}
NOISY |= {"prompt:temperature": 0.01, "replicate": 0.10}
MODELS = {"A": (PRECISE, (0.0, -0.02, 0.03)), "B": (NOISY, (0.0, -0.05, 0.08))}
OTHER = {"A": "B", "B": "A"}


def replicate(model: str, rng: np.random.Generator) -> Floats:
    """Variances of six designs by a pilot of the model, as the archive projects them and by Eq. 3."""
    variances, levels = MODELS[model]
    found = fitted(table(law(variances, levels), rng, levels))
    return np.concatenate([projected(found, conditional=way) for way in (True, False)])


def wrong(projections: Floats, truth: Floats) -> Value:
    """Percent of pilots whose best change of the design is not the best one."""
    return share((projections[:, 1:].argmin(axis=1) != truth[1:].argmin()).astype(float))


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Relative errors against the other model's truth, and wrong first choices."""
    values: dict[str, Value | float] = {}
    rows = []
    n = len(INTERVENTIONS)
    for model, numbers in draws.items():
        other = OTHER[model]
        own, truth = numbers[:, :n], projected(MODELS[other][0], conditional=True)
        by_eq_3 = projected(MODELS[other][0])
        values[f"{model} for {other}: wrong first choice, %"] = wrong(own, truth)
        values[f"{model} for {other}: wrong first choice by Eq. 3, %"] = wrong(numbers[:, n:], by_eq_3)
        for at, change in enumerate(INTERVENTIONS):
            error = mean(np.abs(own[:, at] / truth[at] - 1), 100)
            values[f"{model} for {other}, {change}: error, %"] = error
            rows.append({"design": change, "error, %": error.value, "pilot": f"{model} for {other}"})
    title = "Relative error of variances that a pilot of the other model projects (E.1)"
    drawing = Drawing("mc.portability", "portability", title, rows, "error, %", "design", by="pilot", mark="point")
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.portability", "Components of another model", {"A": "A", "B": "B"}, replicate, outcome)
