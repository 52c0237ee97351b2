"""Misspecification: designs projected from tables whose law is another than the model's (Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.published import components
from quorate.planning.designs.dstudy import project
from quorate.reproduction.studies.tee.law import BASE, CATEGORIES, REPLICATES, SIZES, TEMPERATURES, fitted, law
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share
from quorate.simulate.crossed import draw_judgments

TARGETS: Mapping[str, tuple[int, int]] = {
    "6 prompts": (6, 5),
    "8 prompts": (8, 5),
    "12 prompts": (12, 5),
    "20 prompts": (20, 5),
    "10 replicates": (4, 10),
    "20 replicates": (4, 20),
    "8 prompts, 10 replicates": (8, 10),
}
"""Prompts and replicates of the designs that are projected."""
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


def unlike_prompts(rng: np.random.Generator, ratio: float = 8.0) -> dict[str, Floats]:
    """Half of the prompts vary eight times as much as the others."""
    spread = np.sqrt(BASE["prompt"] * np.repeat([1.0, ratio], SIZES["prompt"] // 2))
    return {"prompt": spread * rng.normal(size=SIZES["prompt"])}


def skewed(rng: np.random.Generator) -> dict[str, Floats]:
    """Categories and items of a shifted log-normal law with the components' variances."""
    sd = np.sqrt((np.exp(0.25) - 1) * np.exp(0.25))

    def drawn(term: str) -> Floats:
        return np.asarray((np.exp(rng.normal(0, 0.5, SIZES[term])) - np.exp(0.125)) * np.sqrt(BASE[term]) / sd)

    return {"category": drawn("category"), "item": drawn("item")}


def unlike_categories(rng: np.random.Generator) -> dict[str, Floats]:
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
    "prompts not alike": Law(without("prompt"), unlike_prompts, BASE | {"prompt": 4.5 * BASE["prompt"]}),
    "scores not normal": Law(without("category", "item"), skewed, tails=5.0),
    "categories not alike": Law(
        without("item:prompt"), unlike_categories, BASE | {"item:prompt": 1.9 * BASE["item:prompt"]}
    ),
}


def variances(source: Mapping[str, float]) -> Floats:
    """Variance of the mean of every design."""
    given = components(dict(source))
    return np.array(
        [
            project(
                given,
                items=SIZES["item"],
                prompts=prompts,
                temperatures=SIZES["temperature"],
                replicates=replicates,
                categories=CATEGORIES,
            ).variance
            for prompts, replicates in TARGETS.values()
        ]
    )


def replicate(own: Law, rng: np.random.Generator) -> Floats:
    """Projected variances over the true ones."""
    effects = own.effects(rng) | {"temperature": np.array(TEMPERATURES)}
    drawn = draw_judgments(
        law(own.drawn), levels=SIZES, replicates=REPLICATES, effects=effects, tails=own.tails, rng=rng
    )
    return variances(fitted(drawn)) / variances(own.truth)


def outcome(draws: Mapping[str, Floats]) -> Outcome:
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
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.dstudy", "Designs projected under five laws", LAWS, replicate, outcome)
