"""Multiple choice (MMLU): components from the printed shares, and the total that the printed components give."""

from __future__ import annotations

import math

import numpy as np

from quorate.estimate.components.published import components
from quorate.planning.designs.dstudy import project
from quorate.reproduction.published import inputs
from quorate.reproduction.study import Outcome, Study


def outcome(_: np.random.Generator) -> Outcome:
    """Shares that components of three decimals give, and those of components that the shares give."""
    content = inputs()["mmlu"]
    design = content["design"]
    sizes = {"item": design["items"], "prompt": design["prompts"], "judge": design["judges"], "temperature": 3}
    divisors = {
        term: design["items"] if term == "category" else math.prod(sizes[name] for name in term.split(":"))
        for term in content["shares"]
        if term != "cell"
    } | {"cell": math.prod(sizes.values())}
    exact = {term: share / 100 * content["variance"] * divisors[term] for term, share in content["shares"].items()}
    fixed = ("judge", "temperature")

    def projected(values: dict[str, float]) -> tuple[float, dict[str, float]]:
        source = components(
            {term: value for term, value in values.items() if term not in fixed},
            sensitivity={term: values.get(term, 0.0) for term in fixed},
        )
        found = project(source, **design)
        return found.variance, dict(found.shares)

    total, shares = projected(exact)
    printed, _shares = projected(content["printed"])
    values = {f"share of {term}, %": 100 * part for term, part in shares.items() if term in content["shares"]}
    return Outcome(
        values
        | {"variance of the mean, from the shares": total, "variance of the mean, from printed components": printed}
    )


STUDY = Study("tee.mmlu", "MMLU: shares, and the total of its printed components", outcome)
