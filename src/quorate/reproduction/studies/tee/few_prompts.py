"""Few prompts: bias of the prompt's variance, and whether more prompts or more replicates are the better buy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.published import components
from quorate.planning.designs.dstudy import project
from quorate.reproduction.studies.tee.law import BASE, CATEGORIES, fitted, law, table
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share

PROMPTS, SIZES = (2, 3, 4, 5, 7, 10), (0.04, 0.10)
ITEMS, TEMPERATURES, REPLICATES = 20, 3, 3
MULTIPLIERS = (0.25, 0.5, 0.8, 1.0, 1.2, 2.0, 4.0)
ALONE = BASE | {"item:prompt": 0.0, "item:temperature": 0.0, "prompt:temperature": 0.0}
"""Without interactions of prompts, more replicates can be the better buy."""
BIASES = {f"{prompts} prompts, variance {size:g}": (prompts, size) for size in SIZES for prompts in PROMPTS}
EDGES = {f"{prompts} prompts, {times:g}": (prompts, times) for prompts in PROMPTS for times in MULTIPLIERS}


def bias(condition: tuple[int, float], rng: np.random.Generator) -> list[float]:
    """Estimate of the prompt's variance over the true one, from 100 items."""
    prompts, variance = condition
    return [fitted(table(law(BASE | {"prompt": variance}), rng, item=100, prompt=prompts))["prompt"] / variance]


def biases(draws: Mapping[str, Floats]) -> Outcome:
    """Relative bias by number of prompts."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        prompts, size = BIASES[name]
        found = mean(numbers[:, 0] - 1, 100)
        values[f"{name}: bias, %"] = found
        rows.append({"prompts": prompts, "bias, %": found.value, "variance": f"variance {size:g}"})
    title = "Bias of the variance of prompts (Fig. 8a)"
    return Outcome(values, (Drawing("mc.small-v", "few-prompts", title, rows, "prompts", "bias, %", by="variance"),))


def edge(prompts: int) -> float:
    """Variance of prompts at which two more of them lower the variance of the mean as much as five more replicates."""
    noise = ALONE["replicate"] / (ITEMS * TEMPERATURES * REPLICATES)
    return noise * (5 * (prompts + 2) / (2 * (REPLICATES + 5)) - 1)


def better(variances: Mapping[str, float], prompts: int) -> bool:
    """Whether two more prompts lower the variance of the mean more than five more replicates."""
    source = components(dict(variances))

    def variance(more_prompts: int, more_replicates: int) -> float:
        return project(
            source,
            items=ITEMS,
            prompts=prompts + more_prompts,
            temperatures=TEMPERATURES,
            replicates=REPLICATES + more_replicates,
            categories=CATEGORIES,
        ).variance

    return variance(2, 0) < variance(0, 5)


def direction(condition: tuple[int, float], rng: np.random.Generator) -> list[float]:
    """Whether more prompts look better, from a table at a multiple of the edge."""
    prompts, times = condition
    source = law(ALONE | {"prompt": times * edge(prompts)})
    found = fitted(table(source, rng, item=ITEMS, prompt=prompts, replicates=REPLICATES))
    return [float(better(found, prompts))]


def directions(draws: Mapping[str, Floats]) -> Outcome:
    """Share of tables that point the right way; at the edge itself, that point to more prompts."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        prompts, times = EDGES[name]
        right = numbers[:, 0] if times >= 1 else 1 - numbers[:, 0]
        found = share(right)
        values[f"{name} times the edge: right, %"] = found
        rows.append({"times the edge": times, "right, %": found.value, "prompts": f"{prompts} prompts"})
    title = "Right advice, prompts or replicates, near the edge (Fig. 8b)"
    drawing = Drawing("mc.edge", "edge", title, rows, "times the edge", "right, %", by="prompts", log=True)
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.small-v", "Few prompts: bias of their variance", BIASES, bias, biases)
EDGE = MonteCarlo("mc.edge", "Few prompts: prompts or replicates, near the edge", EDGES, direction, directions)
