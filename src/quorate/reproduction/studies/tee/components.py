"""Simulations of appendix E: components and projected designs, by one law and by laws that differ from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import Components, components
from quorate.frozen import dataclass
from quorate.numerics.correlation import kendall, of_pair
from quorate.planning.designs.dstudy import project
from quorate.reproduction.study import Drawing, MonteCarlo, Results, Value, largest, mean, share
from quorate.simulate.demo import draw_judgments
from quorate.table.judgments import Judgments

# The law that the simulations of appendix E share, with how they fit tables and project designs.


CATEGORIES = 5
SIZES = {"item": 50, "prompt": 4, "temperature": 3, "category": CATEGORIES}
REPLICATES = 5
DESIGN = {"items": 50, "prompts": 4, "temperatures": 3, "replicates": REPLICATES, "categories": CATEGORIES}
TERMS = ("category", "item", "prompt", "item:prompt", "item:temperature", "prompt:temperature")
"""Random terms that the paper fits: no cell, so that what is left is the replicate."""
BASE = {"category": 0.03, "item": 0.05, "prompt": 0.04, "item:prompt": 0.02, "item:temperature": 0.015}
BASE |= {"prompt:temperature": 0.005, "replicate": 0.06}
TEMPERATURES = (0.0, -0.03, 0.05)
INTERVENTIONS: dict[str, dict[str, int]] = {"as it is": {}, "5 more replicates": {"replicates": 10}}
INTERVENTIONS |= {"2 more prompts": {"prompts": 6}, "one temperature": {"temperatures": 1}}
INTERVENTIONS |= {"5 more replicates, one temperature": {"replicates": 10, "temperatures": 1}}
INTERVENTIONS |= {"twice the items": {"items": 2 * SIZES["item"]}}
"""Changes of the design of 50 items that the paper ranks."""


def law(changes: Mapping[str, float] = BASE, levels: tuple[float, ...] = TEMPERATURES) -> Components:
    """Components with a fixed temperature, whose levels have these means."""
    return components(changes, sensitivity={"temperature": float(np.var(levels))})


def table(
    source: Components, rng: np.random.Generator, levels: tuple[float, ...] = TEMPERATURES, **sizes: int
) -> Judgments:
    """A table of the common design, or one of other ``sizes``."""
    effects = {"temperature": levels}
    replicates = sizes.pop("replicates", REPLICATES)
    return draw_judgments(source, levels={**SIZES, **sizes}, replicates=replicates, effects=effects, rng=rng)


def fitted(judgments: Judgments, terms: tuple[str, ...] = TERMS) -> dict[str, float]:
    """Variances by REML."""
    return {name: float(value) for name, value in decompose(judgments, random=terms).variances.items()}


def projected(variances: Mapping[str, float], *, conditional: bool = False) -> Floats:
    """Variance of the mean of every change of the design, categories drawn.

    Where one temperature is taken, Eq. 3 counts its interactions in full. The archived results leave them out, as if
    the mean stood for this temperature alone; ``conditional`` does so too.
    """
    out = []
    for change in INTERVENTIONS.values():
        alone = conditional and change.get("temperatures") == 1
        kept = {term: value for term, value in variances.items() if not (alone and term.endswith(":temperature"))}
        design = {name: size for name, size in (DESIGN | change).items() if not (alone and name == "temperatures")}
        out.append(variance_of(components(kept), design))
    return np.array(out)


def variance_of(source: Components, design: Mapping[str, Any]) -> float:
    """Variance of the mean of a design."""
    return project(source, **design).variance


# Convergence: bias and error of components by the size of the study (Fig. 7).


STUDY_SIZES = {"10 items": (10, 3, 3), "20 items": (20, 3, 5), "30 items": (30, 3, 5), "50 items": (50, 4, 5)}
STUDY_SIZES |= {"100 items": (100, 4, 8), "200 items": (200, 5, 10)}
"""Items, prompts and replicates at three temperatures."""
ENOUGH = 1000
"""Judgments from which the paper has no bias of 5% or more."""
COMPONENTS = (*TERMS, "replicate")


def _draw_convergence(size: tuple[int, int, int], rng: np.random.Generator) -> Floats:
    """Estimates of one table over the true components."""
    items, prompts, replicates = size
    found = fitted(table(law(), rng, item=items, prompt=prompts, replicates=replicates))
    return np.array([found[term] / BASE[term] for term in COMPONENTS])


def convergence(draws: Mapping[str, Floats]) -> Results:
    """Relative biases, and root mean squared errors."""
    values: dict[str, Value | float] = {}
    biases, errors = [], []
    for name, numbers in draws.items():
        items, prompts, replicates = STUDY_SIZES[name]
        found = {term: mean(numbers[:, at] - 1, 100) for at, term in enumerate(COMPONENTS)}
        if 3 * items * prompts * replicates > ENOUGH:
            values[f"{name}: largest bias of a component, %"] = largest(found.values())
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
    return Results(values, drawings)


CONVERGENCE = MonteCarlo(
    "mc.convergence", "Components by the size of the study", STUDY_SIZES, _draw_convergence, convergence
)


# Additivity: how a three-way interaction that the model leaves out moves components and the order of designs.


THREE_WAY = {"none": 0.0, "20%": 0.004, "40%": 0.008, "60%": 0.012, "100%": 0.020}
"""Variance of item by prompt by temperature, and what it is of the largest two-way component."""


def _draw_additivity(variance: float, rng: np.random.Generator) -> Floats:
    """Estimates of one table, Kendall's correlation of projected variances with the true ones, both ways; and these."""
    found = fitted(table(law(BASE | {"cell": variance}), rng))
    truth = BASE | {"replicate": BASE["replicate"] + variance}
    taus = (
        of_pair(kendall, projected(found, conditional=way), projected(truth, conditional=way)) for way in (True, False)
    )
    return np.array([*(found[term] for term in TERMS), *taus, *projected(found)])


def additivity(draws: Mapping[str, Floats]) -> Results:
    """Correlations, and relative biases of components."""
    values: dict[str, Value | float] = {}
    rows = []
    for level, numbers in draws.items():
        values[f"{level}: Kendall's tau of the designs"] = mean(numbers[:, len(TERMS)])
        values[f"{level}: Kendall's tau of the designs, by Eq. 3"] = mean(numbers[:, len(TERMS) + 1])
        biases = [mean(numbers[:, at] / BASE[term] - 1, 100) for at, term in enumerate(TERMS)]
        values[f"{level}: largest bias of a component, %"] = largest(biases)
        values[f"{level}: bias of item:prompt, %"] = biases[TERMS.index("item:prompt")]
        rows += [
            {"three-way variance": THREE_WAY[level], "bias, %": bias.value, "component": term}
            for term, bias in zip(TERMS, biases, strict=True)
        ]
    designs, truth = draws["none"][:, -len(INTERVENTIONS) :], projected(BASE)
    changed = [
        {"change": name, "percent": 100 * ratio, "by": by}
        for by, ratios in (("projected", (designs / designs[:, :1]).mean(axis=0) - 1), ("true", truth / truth[0] - 1))
        for name, ratio in zip(INTERVENTIONS, ratios.tolist(), strict=True)
    ]
    values["none: best of six changes found, %"] = share((designs.argmin(axis=1) == truth.argmin()).astype(float))
    fewer = [at for at, change in enumerate(INTERVENTIONS.values()) if "items" not in change]
    found = designs[:, fewer].argmin(axis=1) == truth[fewer].argmin()
    values["none: best of the changes at these items found, %"] = share(found.astype(float))
    title = "Bias of components against the variance that the model leaves out (E.1)"
    x, y = "three-way variance", "bias, %"
    drawing = Drawing("mc.additivity", "additivity", title, rows, x=x, y=y, by="component")
    other = "Change of the variance, projected and true (Fig. 9a)"
    projection = Drawing("mc.additivity", "projected", other, changed, "percent", "change", by="by", mark="point")
    return Results(values, (drawing, projection))


ADDITIVITY = MonteCarlo(
    "mc.additivity", "A three-way interaction that is left out", THREE_WAY, _draw_additivity, additivity
)


# Unequal noise: residual variances by temperature, from a fit of each, from one fit that knows of them, and pooled.


RESIDUALS = (0.005, 0.04, 0.08)
OF_ONE = ("category", "item", "prompt", "item:prompt")
"""Random terms at one temperature."""
NAMES = ("0", "0.7", "1")


def _draw_heteroscedastic(residuals: tuple[float, ...], rng: np.random.Generator) -> Floats:
    """Residuals of a fit at each temperature, of one with residuals by temperature, the pooled one, and its terms."""
    effects = {"temperature": TEMPERATURES}
    drawn = draw_judgments(
        law(), levels=SIZES, replicates=REPLICATES, effects=effects, residual=np.array(residuals), rng=rng
    )
    apart = [
        decompose(drawn.only("temperature", level), random=OF_ONE).variances["replicate"]
        for level in drawn.facet("temperature").levels
    ]
    together = decompose(drawn, random=TERMS, residual_by="temperature").variances
    pooled = decompose(drawn, random=TERMS).variances
    by_level = [together[f"replicate[temperature={level}]"] for level in drawn.facet("temperature").levels]
    return np.array([*apart, *by_level, pooled["replicate"], *(pooled[term] for term in TERMS)])


def _heteroscedastic(draws: Mapping[str, Floats]) -> Results:
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
    values["pooled: largest bias of another component, %"] = largest(biases)
    title = "Bias of the residual at each temperature (E.1)"
    drawing = Drawing("mc.hetero", "unequal-noise", title, rows, "bias, %", "temperature", by="estimate", mark="point")
    return Results(values, (drawing,))


HETEROSCEDASTIC = MonteCarlo(
    "mc.hetero", "Noise that differs by temperature", {"all": RESIDUALS}, _draw_heteroscedastic, _heteroscedastic
)


# Few prompts: bias of the prompt's variance, and whether more prompts or more replicates are the better buy.


PROMPTS, FEW_SIZES = (2, 3, 4, 5, 7, 10), (0.04, 0.10)
ITEMS, FEW_TEMPERATURES, FEW_REPLICATES = 20, 3, 3
MULTIPLIERS = (0.25, 0.5, 0.8, 1.0, 1.2, 2.0, 4.0)
ALONE = BASE | {"item:prompt": 0.0, "item:temperature": 0.0, "prompt:temperature": 0.0}
"""Without interactions of prompts, more replicates can be the better buy."""
BIASES = {f"{prompts} prompts, variance {size:g}": (prompts, size) for size in FEW_SIZES for prompts in PROMPTS}
EDGES = {f"{prompts} prompts, {times:g}": (prompts, times) for prompts in PROMPTS for times in MULTIPLIERS}


def bias(condition: tuple[int, float], rng: np.random.Generator) -> list[float]:
    """Estimate of the prompt's variance over the true one, from 100 items."""
    prompts, variance = condition
    return [fitted(table(law(BASE | {"prompt": variance}), rng, item=100, prompt=prompts))["prompt"] / variance]


def biases(draws: Mapping[str, Floats]) -> Results:
    """Relative bias by number of prompts."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        prompts, size = BIASES[name]
        found = mean(numbers[:, 0] - 1, 100)
        values[f"{name}: bias, %"] = found
        rows.append({"prompts": prompts, "bias, %": found.value, "variance": f"variance {size:g}"})
    title = "Bias of the variance of prompts (Fig. 8a)"
    return Results(values, (Drawing("mc.small-v", "few-prompts", title, rows, "prompts", "bias, %", by="variance"),))


def edge(prompts: int) -> float:
    """Variance of prompts at which two more of them lower the variance of the mean as much as five more replicates."""
    noise = ALONE["replicate"] / (ITEMS * FEW_TEMPERATURES * FEW_REPLICATES)
    return noise * (5 * (prompts + 2) / (2 * (FEW_REPLICATES + 5)) - 1)


def better(variances: Mapping[str, float], prompts: int) -> bool:
    """Whether two more prompts lower the variance of the mean more than five more replicates."""
    source = components(dict(variances))
    sizes = DESIGN | {"items": ITEMS, "temperatures": FEW_TEMPERATURES}
    more = variance_of(source, sizes | {"prompts": prompts + 2, "replicates": FEW_REPLICATES})
    return more < variance_of(source, sizes | {"prompts": prompts, "replicates": FEW_REPLICATES + 5})


def direction(condition: tuple[int, float], rng: np.random.Generator) -> list[float]:
    """Whether more prompts look better, from a table at a multiple of the edge."""
    prompts, times = condition
    source = law(ALONE | {"prompt": times * edge(prompts)})
    found = fitted(table(source, rng, item=ITEMS, prompt=prompts, replicates=FEW_REPLICATES))
    return [float(better(found, prompts))]


def directions(draws: Mapping[str, Floats]) -> Results:
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
    return Results(values, (drawing,))


FEW_PROMPTS = MonteCarlo("mc.small-v", "Few prompts: bias of their variance", BIASES, bias, biases)
EDGE = MonteCarlo("mc.edge", "Few prompts: prompts or replicates, near the edge", EDGES, direction, directions)


# Portability: components of one model, used to plan the evaluation of another.


PRECISE = {"category": 0.03, "item": 0.03, "prompt": 0.02, "item:prompt": 0.01, "item:temperature": 0.01}
PRECISE |= {"prompt:temperature": 0.003, "replicate": 0.04}
NOISY = {"category": 0.03, "item": 0.08, "prompt": 0.08, "item:prompt": 0.04, "item:temperature": 0.02}
NOISY |= {"prompt:temperature": 0.01, "replicate": 0.10}
MODELS = {"A": (PRECISE, (0.0, -0.02, 0.03)), "B": (NOISY, (0.0, -0.05, 0.08))}
OTHER = {"A": "B", "B": "A"}


def _draw_portability(model: str, rng: np.random.Generator) -> Floats:
    """Variances of six designs by a pilot of the model, as the archive projects them and by Eq. 3."""
    variances, levels = MODELS[model]
    found = fitted(table(law(variances, levels), rng, levels))
    return np.concatenate([projected(found, conditional=way) for way in (True, False)])


def wrong(projections: Floats, truth: Floats) -> Value:
    """Percent of pilots whose best change of the design is not the best one."""
    return share((projections[:, 1:].argmin(axis=1) != truth[1:].argmin()).astype(float))


def portability(draws: Mapping[str, Floats]) -> Results:
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
    return Results(values, (drawing,))


PORTABILITY = MonteCarlo(
    "mc.portability", "Components of another model", {"A": "A", "B": "B"}, _draw_portability, portability
)


# Misspecification: designs projected from tables whose law is another than the model's (Table 7).


TARGETS: dict[str, dict[str, int]] = {
    **{f"{prompts} prompts": {"prompts": prompts} for prompts in (6, 8, 12, 20)},
    **{f"{replicates} replicates": {"replicates": replicates} for replicates in (10, 20)},
    "8 prompts, 10 replicates": {"prompts": 8, "replicates": 10},
}
"""Changes of the designs that are projected."""
MEAN_OF_A_NORMAL = float(np.sqrt(2 / np.pi))


def _groups() -> np.ndarray:
    return np.arange(SIZES["item"]) * CATEGORIES // SIZES["item"]


@dataclass(frozen=True)
class Law:
    """A law of tables.

    Parameters
    ----------
    drawn : mapping of str to float
        Components that are drawn as the model has them.
    effects : callable, optional
        Draws the effects that it has otherwise.
    truth : mapping of str to float
        Components on average, which give the true variance of a design.
    tails : float, optional
        Degrees of freedom of the replicates.
    """

    drawn: Mapping[str, float]
    effects: Callable[[np.random.Generator], dict[str, Floats]] = field(default=lambda _: {})
    truth: Mapping[str, float] = field(default_factory=lambda: BASE)
    tails: float | None = None


def correlated(rng: np.random.Generator, strength: float = 2.0) -> dict[str, Floats]:
    """Items far from the mean vary more by prompt."""
    category = rng.normal(0, np.sqrt(BASE["category"]), CATEGORIES)
    item = rng.normal(0, np.sqrt(BASE["item"]), SIZES["item"])
    far = np.abs(category[_groups()] + item) / np.sqrt(BASE["category"] + BASE["item"])
    spread = np.sqrt(BASE["item:prompt"] * (1 + strength * far))
    by_prompt = spread[:, None] * rng.normal(size=(SIZES["item"], SIZES["prompt"]))
    return {"category": category, "item": item, "item:prompt": by_prompt}


def _unlike_prompts(rng: np.random.Generator, ratio: float = 8.0) -> dict[str, Floats]:
    """Half of the prompts vary eight times as much as the others."""
    spread = np.sqrt(BASE["prompt"] * np.repeat([1.0, ratio], SIZES["prompt"] // 2))
    return {"prompt": spread * rng.normal(size=SIZES["prompt"])}


def skewed(rng: np.random.Generator) -> dict[str, Floats]:
    """Categories and items of a shifted log-normal law with the components' variances."""
    sd = np.sqrt((np.exp(0.25) - 1) * np.exp(0.25))

    def drawn(term: str) -> Floats:
        return np.asarray((np.exp(rng.normal(0, 0.5, SIZES[term])) - np.exp(0.125)) * np.sqrt(BASE[term]) / sd)

    return {"category": drawn("category"), "item": drawn("item")}


def _unlike_categories(rng: np.random.Generator) -> dict[str, Floats]:
    """Items of two categories vary a quarter as much by prompt, of two others four times as much."""
    spread = np.sqrt(BASE["item:prompt"] * np.array([0.25, 0.25, 1, 4, 4])[_groups()])
    return {"item:prompt": spread[:, None] * rng.normal(size=(SIZES["item"], SIZES["prompt"]))}


def without(*terms: str) -> dict[str, float]:
    """The components without these."""
    return {term: value for term, value in BASE.items() if term not in terms}


LAWS = {
    "as the model has it": Law(BASE),
    "effects correlated": Law(
        without("category", "item", "item:prompt"),
        correlated,
        BASE | {"item:prompt": BASE["item:prompt"] * (1 + 2 * MEAN_OF_A_NORMAL)},
    ),
    "prompts not alike": Law(without("prompt"), _unlike_prompts, BASE | {"prompt": 4.5 * BASE["prompt"]}),
    "scores not normal": Law(without("category", "item"), skewed, tails=5.0),
    "categories not alike": Law(
        without("item:prompt"), _unlike_categories, BASE | {"item:prompt": 1.9 * BASE["item:prompt"]}
    ),
}


def variances(source: Mapping[str, float]) -> Floats:
    """Variance of the mean of every design."""
    given = components(dict(source))
    return np.array([variance_of(given, DESIGN | target) for target in TARGETS.values()])


def _draw_misspecified(own: Law, rng: np.random.Generator) -> Floats:
    """Projected variances over the true ones."""
    effects = own.effects(rng) | {"temperature": np.array(TEMPERATURES)}
    drawn = draw_judgments(
        law(own.drawn), levels=SIZES, replicates=REPLICATES, effects=effects, tails=own.tails, rng=rng
    )
    return variances(fitted(drawn)) / variances(own.truth)


def misspecified(draws: Mapping[str, Floats]) -> Results:
    """Relative bias of every projection, and whether prompts are rightly preferred to replicates."""
    values: dict[str, Value | float] = {}
    rows = []
    names = list(TARGETS)
    more, again = names.index("8 prompts"), names.index("10 replicates")
    for name, numbers in draws.items():
        found = mean(numbers[:, more] - 1, 100)
        values[f"{name}: bias at 8 prompts, %"] = found
        values[f"{name}: size of the bias at 8 prompts, %"] = Value(abs(found.value), found.error)
        own = numbers * variances(LAWS[name].truth)
        values[f"{name}: prompts rather than replicates, %"] = share((own[:, more] < own[:, again]).astype(float))
        rows += [
            {"design": target, "bias, %": mean(column - 1, 100).value, "law": name}
            for target, column in zip(names, numbers.T, strict=True)
        ]
    title = "Bias of projected variances (Table 7, Fig. 9b)"
    drawing = Drawing("mc.dstudy", "misspecified", title, rows, "bias, %", "design", by="law", mark="point")
    return Results(values, (drawing,))


MISSPECIFIED = MonteCarlo("mc.dstudy", "Designs projected under five laws", LAWS, _draw_misspecified, misspecified)
