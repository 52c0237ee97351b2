"""Additivity: how a three-way interaction that the model leaves out moves components and the order of designs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.correlation import kendall, of_pair
from quorate.reproduction.studies.tee.law import BASE, INTERVENTIONS, TERMS, fitted, law, projected, table
from quorate.reproduction.study import Drawing, MonteCarlo, Outcome, Value, mean, share

LEVELS = {"none": 0.0, "20%": 0.004, "40%": 0.008, "60%": 0.012, "100%": 0.020}
"""Variance of item by prompt by temperature, and what it is of the largest two-way component."""


def replicate(variance: float, rng: np.random.Generator) -> Floats:
    """Estimates of one table, Kendall's correlation of projected variances with the true ones, both ways; and these."""
    found = fitted(table(law(BASE | {"cell": variance}), rng))
    truth = BASE | {"replicate": BASE["replicate"] + variance}
    taus = (
        of_pair(kendall, projected(found, conditional=way), projected(truth, conditional=way)) for way in (True, False)
    )
    return np.array([*(found[term] for term in TERMS), *taus, *projected(found)])


def outcome(draws: Mapping[str, Floats]) -> Outcome:
    """Correlations, and relative biases of components."""
    values: dict[str, Value | float] = {}
    rows = []
    for level, numbers in draws.items():
        values[f"{level}: Kendall's tau of the designs"] = mean(numbers[:, len(TERMS)])
        values[f"{level}: Kendall's tau of the designs, by Eq. 3"] = mean(numbers[:, len(TERMS) + 1])
        biases = [mean(numbers[:, at] / BASE[term] - 1, 100) for at, term in enumerate(TERMS)]
        worst = max(biases, key=lambda one: abs(one.value))
        values[f"{level}: largest bias of a component, %"] = Value(abs(worst.value), worst.error)
        values[f"{level}: bias of item:prompt, %"] = biases[TERMS.index("item:prompt")]
        rows += [
            {"three-way variance": LEVELS[level], "bias, %": bias.value, "component": term}
            for term, bias in zip(TERMS, biases, strict=True)
        ]
    designs, truth = draws["none"][:, -len(INTERVENTIONS) :], projected(BASE)
    changed = [
        {"change": name, "percent": 100 * ratio, "by": by}
        for by, ratios in (
            ("projected", (designs / designs[:, :1]).mean(axis=0) - 1),
            ("true", truth / truth[0] - 1),
        )
        for name, ratio in zip(INTERVENTIONS, ratios.tolist(), strict=True)
    ]
    values["none: best of six changes found, %"] = share((designs.argmin(axis=1) == truth.argmin()).astype(float))
    fewer = [at for at, change in enumerate(INTERVENTIONS.values()) if "items" not in change]
    found = designs[:, fewer].argmin(axis=1) == truth[fewer].argmin()
    values["none: best of the changes at these items found, %"] = share(found.astype(float))
    title = "Bias of components against the variance that the model leaves out (E.1)"
    x, y = "three-way variance", "bias, %"
    drawing = Drawing("mc.additivity", "additivity", title, rows, x=x, y=y, by="component")
    projection = Drawing(
        "mc.additivity", "projected", "Change of the variance, projected and true (Fig. 9a)", changed, "percent",
        "change", by="by", mark="point",
    )  # fmt: skip
    return Outcome(values, (drawing, projection))


STUDY = MonteCarlo("mc.additivity", "A three-way interaction that is left out", LEVELS, replicate, outcome)
