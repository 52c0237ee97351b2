"""Zhu et al. (2026), CyclicJudge."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from quorate.estimate.components.published import components
from quorate.estimate.means.targets import pool
from quorate.estimate.panel.crossed import crossed
from quorate.planning.designs.dstudy import project
from quorate.planning.panel.strategies import CYCLIC, RANDOM, all_judges, cyclic, random_judge
from quorate.reproduction.study import Drawing, Results, Study, Value
from quorate.simulate.demo import SYSTEMS, write_panel
from quorate.simulate.strategies import validate_strategies
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores

# The judge panel of MT-Bench: means by judge, components with their contributions, and tests of judges.


PUBLISHED_JUDGES = ("Qwen", "Llama", "GPT")
OPERATING_POINT = {"items": 80, "judges": 1, "levels": {"generation": 1}}


def simulated() -> Judgments:
    """Scores of five judges on three systems, with the published means and components."""
    with TemporaryDirectory() as folder:
        return read_scores(write_panel(Path(folder) / "panel.csv"), announce=False)


def means(_: np.random.Generator) -> Results:
    """Mean score of every system by every judge whose means are published."""
    judgments, values, rows = simulated(), dict[str, float](), []
    for system in SYSTEMS:
        own = judgments.only("system", system)
        every = {judge: float(own.only("judge", judge).mean.mean()) for judge in own.facet("judge").levels}
        values |= {f"{system} by {judge}": every[judge] for judge in PUBLISHED_JUDGES}
        centre = float(np.mean(list(every.values())))
        rows += [{"judge": judge, "bias": value - centre, "system": system} for judge, value in every.items()]
    title = "Judge biases by system (Fig. 1); those of Gemini and Claude are chosen to give the published variance"
    return Results(
        values, (Drawing("cyclic.table1", "biases", title, rows, x="bias", y="judge", by="system", mark="point"),)
    )


def contributions(_: np.random.Generator) -> Results:
    """Components of every system and what they contribute at one judge and generation, x 1,000."""
    judgments, values, rows = simulated(), {}, []
    for system in SYSTEMS:
        found = crossed(judgments.only("system", system), resamples=100)
        own = found.paper
        source = components(
            {"item": own.alpha, "item:generation": own.beta, "cell": own.eps}, sensitivity={"judge": own.gamma}
        )
        plan = project(source, **OPERATING_POINT, targets={"judge": pool(5)})  # type: ignore[arg-type]  # as above
        names = {"item": "scenario", "item:generation": "generation", "judge": "judge", "cell": "residual"}
        values[f"{system}: mean"] = found.mean
        parts = {"scenario": own.alpha, "generation": own.beta, "judge": own.gamma, "residual": own.eps}
        values |= {f"{system}: {name}": float(value) for name, value in parts.items()}
        for term, name in names.items():
            value = 1e3 * plan.variance * plan.shares[term]
            values[f"{system}: contribution of {name}, x 1,000"] = value
            rows.append({"system": system, "component": name, "contribution": value})
        values[f"{system}: share of judges, %"] = 100 * plan.shares["judge"]
    title = "Contributions to the variance of a mean, x 1,000 (Table 2)"
    drawing = Drawing(
        "cyclic.table2", "contributions", title, rows, "contribution", "component", by="system", mark="point", log=True
    )
    return Results(values, (drawing,))


def tests(_: np.random.Generator) -> Results:
    """F of the judges for every system, against the pooled residual."""
    judgments, values = simulated(), {}
    for system in SYSTEMS:
        found = crossed(judgments.only("system", system), resamples=100).paper_test
        values[f"{system}: F"] = found.f
        values[f"{system}: df of the residual"] = float(found.df_error)
    return Results(values)


TABLE_1 = Study("cyclic.table1", "Means by judge", means)
TABLE_2 = Study("cyclic.table2", "Components and contributions", contributions)
F = Study("cyclic.f", "Tests of judges", tests)


# Strategies for judge calls: variances of redrawn studies against their predictions, and what cycling saves.


BUDGETS, REPETITIONS = (5, 10, 20, 40), 5000
JUDGE_VARIANCE = {"GPT": 0.339, "Llama": 0.503, "Qwen": 0.947}


def strategies(rng: np.random.Generator) -> Results:
    """Variances at four budgets, by 5,000 redrawn studies of every system, and the order of the strategies."""
    judgments, values, rows = simulated(), dict[str, Value | float](), []
    for system, published in SYSTEMS.items():
        found = validate_strategies(judgments.only("system", system), budgets=BUDGETS, repetitions=REPETITIONS, rng=rng)
        worst = max(abs(check.z) for check in found.checks)
        values[f"{system}: furthest variance from its prediction, Monte Carlo errors"] = worst
        beta, eps = published.beta, published.eps
        at_random = random_judge(beta, JUDGE_VARIANCE[system], eps, n=80, budget=5, pool=5)
        values[f"{system}: cycling saves of random judges, by Table 2, %"] = 100 * (
            1 - cyclic(beta, eps, n=80, budget=5, pool=5) / at_random
        )
        # of ten generations by five judges: any cell about their mean, or generations about that by each (Eq. 37, 38)
        redrawn = beta * (1 - 1 / 10) + JUDGE_VARIANCE[system] + eps * (1 - 1 / 50), (beta + eps) * (1 - 1 / 10)
        values[f"{system}: cycling saves of random judges, by appendix E, %"] = 100 * (1 - redrawn[1] / redrawn[0])
        better = float(all_judges(beta, eps, n=80, budget=5, pool=5) < at_random)
        values[f"{system}: all judges are better than random ones"] = better
        at = {check.strategy: check for check in found.checks if check.budget == 5}
        seen = at[CYCLIC].empirical / at[RANDOM].empirical
        error = seen * math.hypot(*(at[name].error / at[name].empirical for name in (CYCLIC, RANDOM)))
        values[f"{system}: cycling saves of random judges, redrawn studies, %"] = Value(100 * (1 - seen), 100 * error)
        rows += [
            {"budget": check.budget, "variance": check.empirical, "strategy": check.strategy, "system": system}
            for check in found.checks
            if system == "Qwen"
        ]
    title = "Variance of the score by judge calls per scenario, Qwen (Fig. 2)"
    return Results(
        values, (Drawing("cyclic.fig2", "strategies", title, rows, x="budget", y="variance", by="strategy", log=True),)
    )


STRATEGIES = Study("cyclic.fig2", "Three strategies for judge calls, 5,000 redrawn studies", strategies)
