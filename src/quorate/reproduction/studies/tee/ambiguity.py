"""Latent ambiguity: items that vary more by prompt and by judge, some with a three-way interaction (Table 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import components
from quorate.numerics.correlation import of_pair, spearman
from quorate.numerics.distributions import normal_cdf
from quorate.planning.designs.dstudy import project
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share
from quorate.simulate.crossed import draw_judgments

SIZES = {"item": 30, "prompt": 3, "temperature": 2, "judge": 3, "category": 5}
REPLICATES = 3
TEMPERATURES, JUDGES = (0.0, -0.03), (0.0, 0.03, -0.02)
DRAWN = {"category": 0.03, "item": 0.05, "prompt": 0.04, "item:temperature": 0.015, "prompt:temperature": 0.005}
DRAWN |= {"prompt:judge": 0.005, "replicate": 0.06}
SCALED = {"item:prompt": 0.02, "item:judge": 0.025}
THREE_WAY = 0.01
"""Variance of item by prompt by judge for items whose ambiguity is above one."""
TERMS = (*(term for term in DRAWN if term != "replicate"), *SCALED)
LARGE = ("category", "item", "prompt", "item:prompt", "item:judge", "replicate")
"""Components whose bias Table 10 looks at."""
STRENGTHS = {"none": 0.0, "mild": 0.5, "moderate": 1.0, "strong": 2.0}
CHANGES: tuple[dict[str, int], ...] = (
    {},
    {"items": 60},
    {"prompts": 6},
    {"judges": 6},
    {"replicates": 6},
    {"judges": 1},
)


def truth(strength: float) -> dict[str, float]:
    """Components on average over items; what is left out counts as replicates."""
    residual = DRAWN["replicate"] + THREE_WAY * normal_cdf(-1.0)
    return DRAWN | {term: value * (1 + strength) for term, value in SCALED.items()} | {"replicate": residual}


def variances(found: Mapping[str, float]) -> Floats:
    """Variance of the mean of every change of the design, at one temperature and without the spread of judges."""
    source = components(dict(found))
    design = {"items": SIZES["item"], "prompts": SIZES["prompt"], "judges": SIZES["judge"], "replicates": REPLICATES}
    plans = [design | change for change in CHANGES]
    return np.array(
        [
            project(
                source,
                items=plan["items"],
                prompts=plan["prompts"],
                judges=plan["judges"],
                temperatures=1,
                replicates=plan["replicates"],
                categories=SIZES["category"],
            ).variance
            for plan in plans
        ]
    )


def replicate(strength: float, rng: np.random.Generator) -> list[float]:
    """Coverage of the paper's interval and of ours, components over the true ones, and Spearman's correlation."""
    items, prompts, judges = SIZES["item"], SIZES["prompt"], SIZES["judge"]
    ambiguity = rng.normal(size=items)
    spread = np.sqrt(1 + strength * ambiguity**2)[:, None]
    effects = {
        "temperature": np.array(TEMPERATURES),
        "judge": np.array(JUDGES),
        "item:prompt": np.sqrt(SCALED["item:prompt"]) * spread * rng.normal(size=(items, prompts)),
        "item:judge": np.sqrt(SCALED["item:judge"]) * spread * rng.normal(size=(items, judges)),
        "item:prompt:judge": np.where(ambiguity > 1, np.sqrt(THREE_WAY), 0.0)[:, None, None]
        * rng.normal(size=(items, prompts, judges)),
    }
    law = components(DRAWN, sensitivity={"temperature": float(np.var(TEMPERATURES)), "judge": float(np.var(JUDGES))})
    drawn = draw_judgments(law, levels=SIZES, replicates=REPLICATES, effects=effects, rng=rng)
    fit = decompose(drawn, random=TERMS)
    found = {term: float(value) for term, value in fit.variances.items()}
    own, true = variances(found), variances(truth(strength))
    middle = float(np.mean(TEMPERATURES) + np.mean(JUDGES))
    low, high = fit.mean_for(prompt="population").ends
    covered = [float(abs(fit.mean.value) <= 1.96 * np.sqrt(own[0])), float(low <= middle <= high)]
    order = of_pair(spearman, own[1:] / own[0], true[1:] / true[0])
    return [*covered, order, *(found[term] / truth(strength)[term] for term in LARGE)]


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Coverage, the largest bias and the order of designs by strength."""
    values: dict[str, Value | float] = {}
    rows = []
    for name, numbers in draws.items():
        wald, ours = share(numbers[:, 0]), share(numbers[:, 1])
        values[f"{name}: the paper's intervals cover, %"] = wald
        values[f"{name}: ours cover, %"] = ours
        values[f"{name}: Spearman's correlation of the designs"] = mean(numbers[:, 2])
        biases = [mean(column - 1, 100) for column in numbers[:, 3:].T]
        worst = max(biases, key=lambda one: abs(one.value))
        values[f"{name}: largest bias of a component, %"] = Value(abs(worst.value), worst.error)
        rows += [
            {"strength": STRENGTHS[name], "cover, %": found.value, "interval": kind}
            for kind, found in (("the paper's", wald), ("ours", ours))
        ]
    title = "Coverage by strength of the ambiguity of items (Table 10)"
    drawing = Drawing("mc.ambiguity", "ambiguity", title, rows, "strength", "cover, %", by="interval")
    return Outcome(values, (drawing,))


STUDY = MonteCarlo("mc.ambiguity", "Items that are ambiguous", STRENGTHS, replicate, outcome)
