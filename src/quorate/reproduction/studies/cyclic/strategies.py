"""Strategies for judge calls: variances of redrawn studies against their predictions, and what cycling saves."""

from __future__ import annotations

import math

import numpy as np

from quorate.planning.panel.strategies import CYCLIC, RANDOM, all_judges, cyclic, random_judge
from quorate.reproduction.studies.cyclic.panel import simulated
from quorate.reproduction.study import Drawing, Outcome, Study, Value
from quorate.simulate.panel_demo import SYSTEMS
from quorate.simulate.strategies import validate_strategies

BUDGETS, REPETITIONS = (5, 10, 20, 40), 5000
JUDGE_VARIANCE = {"GPT": 0.339, "Llama": 0.503, "Qwen": 0.947}


def redrawn_random(beta: float, gamma: float, eps: float, generations: int = 10, pool: int = 5) -> float:
    """Expectation of C_B (Eq. 37): any cell of a scenario, about the mean of its generations and judges."""
    return beta * (1 - 1 / generations) + gamma + eps * (1 - 1 / (generations * pool))


def redrawn_cyclic(beta: float, eps: float, generations: int = 10) -> float:
    """Expectation of C_C (Eq. 38): generations of a scenario, about their mean by each judge."""
    return (beta + eps) * (1 - 1 / generations)


def outcome(rng: np.random.Generator) -> Outcome:
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
        values[f"{system}: cycling saves of random judges, by appendix E, %"] = 100 * (
            1 - redrawn_cyclic(beta, eps) / redrawn_random(beta, JUDGE_VARIANCE[system], eps)
        )
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
    return Outcome(
        values, (Drawing("cyclic.fig2", "strategies", title, rows, x="budget", y="variance", by="strategy", log=True),)
    )


STUDY = Study("cyclic.fig2", "Three strategies for judge calls, 5,000 redrawn studies", outcome)
