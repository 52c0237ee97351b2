"""Convergence: bias and error of components by the size of the study (Fig. 7)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.reproduction.studies.tee.law import BASE, TERMS, fitted, law, table
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean

SIZES = {
    "10 items": (10, 3, 3),
    "20 items": (20, 3, 5),
    "30 items": (30, 3, 5),
    "50 items": (50, 4, 5),
    "100 items": (100, 4, 8),
    "200 items": (200, 5, 10),
}
"""Items, prompts and replicates at three temperatures."""
ENOUGH = 1000
"""Judgments from which the paper has no bias of 5% or more."""
COMPONENTS = (*TERMS, "replicate")


def replicate(size: tuple[int, int, int], rng: np.random.Generator) -> Floats:
    """Estimates of one table over the true components."""
    items, prompts, replicates = size
    found = fitted(table(law(), rng, item=items, prompt=prompts, replicates=replicates))
    return np.array([found[term] / BASE[term] for term in COMPONENTS])


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Relative biases, and root mean squared errors."""
    values: dict[str, Value | float] = {}
    biases, errors = [], []
    for name, numbers in draws.items():
        items, prompts, replicates = SIZES[name]
        found = {term: mean(numbers[:, at] - 1, 100) for at, term in enumerate(COMPONENTS)}
        if 3 * items * prompts * replicates > ENOUGH:
            worst = max(found.values(), key=lambda one: abs(one.value))
            values[f"{name}: largest bias of a component, %"] = Value(abs(worst.value), worst.error)
        for at, term in enumerate(COMPONENTS):
            square = mean((numbers[:, at] - 1) ** 2)
            root = float(np.sqrt(square.value))
            error = Value(BASE[term] * root, BASE[term] * square.error / (2 * root))
            values[f"{name}: bias of {term}, %"], values[f"{name}: error of {term}"] = found[term], error
            row = {"judgments": 3 * items * prompts * replicates, "component": term}
            biases.append(row | {"bias, %": found[term].value})
            errors.append(row | {"error": error.value})
    study, x, by = "mc.convergence", "judgments", "component"
    drawings = (
        Drawing(study, "convergence-bias", "Bias of components (Fig. 7a)", biases, x, "bias, %", by=by, log=True),
        Drawing(study, "convergence-error", "Errors of components (Fig. 7b)", errors, x, "error", by=by, log=True),
    )
    return Outcome(values, drawings)


STUDY = MonteCarlo("mc.convergence", "Components by the size of the study", SIZES, replicate, outcome)
