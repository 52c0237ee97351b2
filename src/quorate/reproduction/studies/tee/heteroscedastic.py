"""Unequal noise: residual variances by temperature, from a fit of each, from one fit that knows of them, and pooled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.reproduction.studies.tee.law import BASE, REPLICATES, SIZES, TEMPERATURES, TERMS, law
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean
from quorate.simulate.crossed import draw_judgments

RESIDUALS = (0.005, 0.04, 0.08)
OF_ONE = ("category", "item", "prompt", "item:prompt")
"""Random terms at one temperature."""
NAMES = ("0", "0.7", "1")


def replicate(residuals: tuple[float, ...], rng: np.random.Generator) -> Floats:
    """Residuals of a fit at each temperature, of one with residuals by temperature, the pooled one, and its terms."""
    drawn = draw_judgments(
        law(),
        levels=SIZES,
        replicates=REPLICATES,
        effects={"temperature": TEMPERATURES},
        residual=np.array(residuals),
        rng=rng,
    )
    apart = [
        decompose(drawn.only("temperature", level), random=OF_ONE).variances["replicate"]
        for level in drawn.facet("temperature").levels
    ]
    together = decompose(drawn, random=TERMS, residual_by="temperature").variances
    pooled = decompose(drawn, random=TERMS).variances
    by_level = [together[f"replicate[temperature={level}]"] for level in drawn.facet("temperature").levels]
    return np.array([*apart, *by_level, pooled["replicate"], *(pooled[term] for term in TERMS)])


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Relative biases of the residuals three ways, and of the other components."""
    numbers = draws["all"]
    values: dict[str, Value | float] = {}
    rows = []
    ways = {"a fit of each": numbers[:, :3], "residuals by temperature": numbers[:, 3:6]}
    ways["pooled"] = np.repeat(numbers[:, 6:7], 3, axis=1)
    for way, found in ways.items():
        for name, truth, own in zip(NAMES, RESIDUALS, found.T, strict=True):
            bias = mean(own / truth - 1, 100)
            values[f"temperature {name}, {way}: bias of the residual, %"] = bias
            rows.append({"temperature": name, "bias, %": bias.value, "estimate": way})
    biases = [mean(numbers[:, 7 + at] / BASE[term] - 1, 100) for at, term in enumerate(TERMS)]
    worst = max(biases, key=lambda one: abs(one.value))
    values["pooled: largest bias of another component, %"] = Value(abs(worst.value), worst.error)
    title = "Bias of the residual at each temperature (E.1)"
    drawing = Drawing("mc.hetero", "unequal-noise", title, rows, "bias, %", "temperature", by="estimate", mark="point")
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.hetero", "Noise that differs by temperature", {"all": RESIDUALS}, replicate, outcome)
